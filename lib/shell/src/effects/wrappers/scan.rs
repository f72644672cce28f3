//! Programs in the arguments of wrappers that nobody listed.

use crate::data::Data;
use crate::machine::{Call, Machine};
use crate::mark;
use crate::names::one_of;
use crate::verdict::{Decision, Verdict};

const HARMFUL: &str = "rm dd shred mkfs wipefs git sh bash zsh dash ksh fish sudo doas find chmod chown mv truncate \
    tee curl wget nc eval python python3 node perl ruby php kill pkill killall reboot shutdown \
    poweroff halt busybox xargs env docker kubectl systemctl crontab unlink rmdir rsync scp ssh \
    dropdb psql mysql aws gcloud terraform npm cargo claude";

/// Any later argument that names a program which can do harm is judged as one: for wrappers that
/// nobody listed.
pub(in crate::effects) fn scan(machine: &mut Machine<'_>, call: &Call) {
    let named = |name: &str, _: &str| {
        (one_of(name, HARMFUL) || name.starts_with("mkfs.")) && !mark::unknown(name)
    };
    if let Some(verdict) = first(machine, call, named) {
        machine.note(verdict);
    }
}

/// Programs whose arguments are text, names or patterns, never a command.
const TEXTUAL: &str = "echo printf grep egrep fgrep rg ag ack git gh glab man tldr info whatis apropos which type \
    command test [ ls cat touch mkdir logger notify-send say cowsay figlet banner sed awk jq yq \
    expr true false : overnight command-guard dcg flow-guard progress-log completion-check \
    error-codes task-lock pgrep head tail wc sort basename dirname seq cp mv rm chmod chown find \
    diff set export declare local readonly typeset read unset alias complete let cd shift return \
    exit hash help compgen xargs parallel eval trap mapfile readarray tee mktemp realpath \
    readlink stat file du column fold fmt rev tr cut paste uniq comm";

/// A command in the arguments of a program that is known for something else: `mix cmd`, `tox exec`
/// and their kin. Only what must never run is noted: the words may mean something else there.
pub(in crate::effects) fn handed_on(machine: &mut Machine<'_>, call: &Call) {
    let named = |name: &str, next: &str| {
        let deletes =
            one_of(name, "rm shred dd wipefs unlink sudo doas") || name.starts_with("mkfs");
        let shell =
            one_of(name, "sh bash zsh dash") && next.starts_with('-') && next.ends_with('c');
        (deletes || shell) && !next.is_empty()
    };
    if !call.is(TEXTUAL)
        && let Some(verdict) = first(machine, call, named)
        && verdict.decision == Decision::Deny
    {
        machine.note(verdict);
    }
}

/// What is to be said of the first argument that is such a program, told by its name and the next argument.
fn first(
    machine: &mut Machine<'_>,
    call: &Call,
    named: impl Fn(&str, &str) -> bool,
) -> Option<Verdict> {
    let args = call.args();
    let at = (0..args.len().min(32)).find(|at| {
        let name = args[*at].rsplit('/').next().unwrap_or("");
        let next = args.get(at + 1).map_or("", String::as_str);
        // `--shell bash` says for which shell, not what runs.
        let before = at.checked_sub(1).map_or("", |before| &args[before]);
        named(name, next) && !(before.starts_with("--") && before.contains("shell"))
    })?;
    Some(machine.probe(|machine| {
        machine.run_words(&args[at..], &Data::unknown());
    }))
}
