//! Wrappers that run a program as somebody else or under another root.

use super::{is_assignment, scan};
use crate::data::Data;
use crate::effects::{How, effect, options, prints, runs_data, runs_text, writes};
use crate::machine::{Call, Machine};
use crate::names::one_of;
use crate::policy;

pub(super) fn privileged(machine: &mut Machine<'_>, call: &Call) -> Data {
    if !only_looks(call) {
        effect(machine, &policy::PRIVILEGE, &call.name);
    }
    let before = std::mem::replace(&mut machine.privileged, true);
    let output = with_rights(machine, call);
    machine.privileged = before;
    output
}

/// Without a password, if that goes: what only prints is judged as itself.
fn only_looks(call: &Call) -> bool {
    let options = given(call);
    let asks_nobody = options.has("n", "non-interactive") && call.name == "sudo";
    let acts = [("s", "shell"), ("i", "login"), ("e", "edit")];
    let acts = acts.iter().any(|(short, long)| options.has(short, long));
    asks_nobody && !acts && options.operands.first().is_none_or(|name| prints(name))
}

/// What stands before the command that gets another user's rights.
fn given(call: &Call) -> options::Options<'_> {
    options::parse(
        call.args(),
        "ugCDRTUhprt",
        "user group chdir chroot host prompt other-user role type",
        true,
    )
}

fn with_rights(machine: &mut Machine<'_>, call: &Call) -> Data {
    let options = given(call);
    let mut words = options.rest;
    while words.first().is_some_and(|word| is_assignment(word)) {
        words = &words[1..];
    }
    if call.name == "sudoedit" || options.has("e", "edit") {
        for word in words {
            writes(machine, word, How::Append);
        }
        return Data::empty();
    }
    if words.is_empty() && (options.has("s", "shell") || options.has("i", "login")) {
        return runs_data(machine, &call.stdin);
    }
    let shell = words
        .first()
        .is_some_and(|word| one_of(word, "su bash sh zsh dash fish"));
    if shell
        && words[1..]
            .iter()
            .all(|word| matches!(word.as_str(), "-" | "-l" | "-i" | "--login" | "root"))
    {
        // A shell with all rights, for whatever comes.
        if call.stdin.network {
            return runs_data(machine, &call.stdin);
        }
        return runs_data(machine, &Data::unknown());
    }
    machine.run_words(words, &call.stdin)
}

pub(super) fn as_user(machine: &mut Machine<'_>, call: &Call) -> Data {
    effect(machine, &policy::PRIVILEGE, &call.name);
    let options = options::parse(
        call.args(),
        "cgGsuwT",
        "command group shell session-command user",
        false,
    );
    if let Some(text) = options
        .value("c", "command")
        .or_else(|| options.value("", "session-command"))
    {
        let text = text.to_owned();
        return runs_text(machine, &text, &call.stdin);
    }
    if call.name == "runuser" {
        return machine.run_words(&options.operands, &call.stdin);
    }
    runs_data(machine, &call.stdin)
}

pub(super) fn other_root(machine: &mut Machine<'_>, call: &Call) -> Data {
    effect(machine, &policy::ESCAPE, &call.name);
    scan(machine, call);
    Data::unknown()
}
