//! Programs that run other programs: how many arguments they keep for themselves.

mod scan;
mod user;

pub(super) use scan::{handed_on, scan};

use user::{as_user, other_root, privileged};

use super::{Handler, Row, effect, options, packages::run_line, runs_text};
use crate::data::Data;
use crate::machine::{Call, Machine};
use crate::names::one_of;
use crate::{policy, table};

/// Wrappers that are told apart by nothing but how many arguments they keep for themselves.
const WRAPPERS: &[[&str; 4]] = table::rows!("../../tables/wrappers.txt");

pub(super) const ROWS: &[Row] = &[
    ("env genv", env),
    ("sudo doas pkexec run0 sudoedit gksudo kdesudo", privileged),
    ("su runuser sg", as_user),
    ("chroot nsenter", other_root),
    ("flock", flock),
    ("watch", text_or_words),
    ("script", script),
    ("hyperfine multitime concurrently", texts),
    ("ip", network_namespace),
];

/// What such a wrapper keeps: operands before the command, letters of options with a value, long ones, its names.
fn row(name: &str) -> Option<&'static [&'static str; 4]> {
    WRAPPERS.iter().find(|[.., names]| one_of(name, names))
}

/// Those whose names are told by their form or stand in a table of their own.
pub(super) fn by_form(name: &str) -> Option<Handler> {
    row(name).map(|_| plain as Handler)
}

/// Their command stands behind `--` only.
const BEHIND_DASHES: &str =
    "output-filter sample-tests op doppler infisical teller chamber aws-vault";

fn plain(machine: &mut Machine<'_>, call: &Call) -> Data {
    let Some([operands, short, long, _]) = row(&call.name) else {
        return Data::unknown();
    };
    let args = call.args();
    if call.name == "command" && options::begins(args, "-v -V") {
        return super::printing::which(machine, call);
    }
    if call.is(BEHIND_DASHES) {
        return match options::behind(args, "--") {
            Some(words) => machine.run_words(words, &call.stdin),
            None => inner_or_unknown(machine, call),
        };
    }
    if call.name == "systemd-run"
        && args
            .iter()
            .any(|arg| arg.starts_with("--on-") || arg.starts_with("--timer"))
    {
        effect(machine, &policy::SCHEDULE, "systemd-run");
    }
    let options = options::parse(args, short, long, true);
    let operands = operands.parse().unwrap_or(0);
    let mut words = options.rest.get(operands..).unwrap_or(&[]);
    while words
        .first()
        .is_some_and(|word| word == "--" || (call.name != "exec" && is_assignment(word)))
    {
        words = &words[1..];
    }
    if call.is("strace ltrace perf time unbuffer")
        && let Some(file) = options.value("o", "output")
    {
        super::writes(machine, file, super::How::Write);
    }
    if words.first().is_some_and(|word| word.starts_with('-'))
        || operands > 1
        || call.is("bwrap capsh firejail entr")
    {
        scan(machine, call);
    }
    // `watchexec 'make test'`: a command line in one word.
    run_line(machine, words, &call.stdin)
}

/// Secret managers: what else they do is to show secrets.
fn inner_or_unknown(machine: &mut Machine<'_>, call: &Call) -> Data {
    match call.name.as_str() {
        "output-filter" | "sample-tests" => Data::unknown(),
        _ => super::cloud::by_table(machine, call),
    }
}

fn is_assignment(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| {
        !name.is_empty()
            && name
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    })
}

fn env(machine: &mut Machine<'_>, call: &Call) -> Data {
    let options = options::parse(call.args(), "uCS", "unset chdir split-string", true);
    let split = options.value("S", "split-string").unwrap_or("");
    let rest = options.rest.iter().map(String::as_str);
    let mut words: Vec<&str> = split.split_whitespace().chain(rest).collect();
    let mut assigned = Vec::new();
    while let Some((name, value)) = words.first().and_then(|word| word.split_once('='))
        && !name.is_empty()
    {
        assigned.push((name.to_owned(), value.to_owned()));
        words.remove(0);
    }
    if words.is_empty() {
        if options.has("i", "ignore-environment") {
            return Data::empty();
        }
        return super::environment(machine, "env");
    }
    super::environment_prefix(machine, &assigned);
    machine.prefix.append(&mut assigned);
    let state = machine.state.clone();
    if let Some(folder) = options.value("C", "chdir") {
        let folder = machine.resolve(folder, false);
        machine.state.go(&folder, true);
    }
    let output = machine.run_words(&words, &call.stdin);
    machine.state = state;
    output
}

fn flock(machine: &mut Machine<'_>, call: &Call) -> Data {
    let options = options::parse(
        call.args(),
        "wEc",
        "wait timeout conflict-exit-code command",
        true,
    );
    let Some((file, words)) = options.rest.split_first() else {
        return Data::empty();
    };
    if !file.bytes().all(|byte| byte.is_ascii_digit()) {
        super::writes(machine, file, super::How::Append);
    }
    match words {
        [flag, text, ..] if one_of(flag, "-c --command") => runs_text(machine, text, &call.stdin),
        words => machine.run_words(words, &call.stdin),
    }
}

fn text_or_words(machine: &mut Machine<'_>, call: &Call) -> Data {
    let options = options::parse(call.args(), "nq", "interval equexit", true);
    runs_text(machine, &options.rest.join(" "), &Data::empty())
}

fn script(machine: &mut Machine<'_>, call: &Call) -> Data {
    let options = options::parse(call.args(), "cEIOBTmo", "command log-out log-in", false);
    if let Some(text) = options.value("c", "command") {
        runs_text(machine, text, &call.stdin);
    } else {
        machine.run_words(options.operands.get(1..).unwrap_or(&[]), &call.stdin);
    }
    if let Some(file) = options.operands.first() {
        super::writes(machine, file, super::How::Write);
    }
    Data::unknown()
}

/// Each operand is a command line.
fn texts(machine: &mut Machine<'_>, call: &Call) -> Data {
    let valued = "-w -r -m -M -n -N -L --warmup --runs --export-json --export-markdown --names -P -u -i \
                  --command-name --max-processes";
    for text in options::words(call.args(), valued) {
        runs_text(machine, text, &Data::empty());
    }
    for option in options::parse(call.args(), "psc", "prepare setup cleanup conclude", false)
        .values("p s c prepare setup cleanup conclude")
    {
        runs_text(machine, option, &Data::empty());
    }
    Data::unknown()
}

fn network_namespace(machine: &mut Machine<'_>, call: &Call) -> Data {
    match call.args() {
        [net, exec, _, words @ ..] if net == "netns" && exec == "exec" => {
            machine.run_words(words, &call.stdin)
        }
        args => {
            if options::any(args, "del delete flush set add down replace change") {
                effect(machine, &policy::SYSTEM_STATE, "ip");
            }
            Data::unknown()
        }
    }
}

#[cfg(test)]
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    WRAPPERS.iter().flat_map(|[.., names]| names.split(' '))
}
