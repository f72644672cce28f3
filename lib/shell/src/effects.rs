//! What programs do with their arguments, by family; and the effects themselves, which the policy
//! answers.

mod builtins;
mod cloud;
mod code;
mod commands;
mod containers;
mod database;
mod environment;
mod files;
mod filters;
mod find;
mod folders;
mod forge;
mod git;
mod git_discard;
mod git_extensions;
mod git_fetch;
mod git_refs;
mod guard;
mod interpreters;
mod lost;
mod network;
mod options;
mod outputs;
mod packages;
mod permissions;
mod printing;
mod rows;
mod runners;
mod shells;
mod sizes;
mod sql;
mod system;
mod table;
mod unknown;
mod vcs;
mod wrappers;
mod written;
mod xargs;

#[cfg(test)]
mod tests;

use crate::names::one_of;
pub(crate) use environment::shows;
use environment::{ENVIRONMENT, all as environment};
pub(crate) use environment::{
    change as environment_change, ends as environment_ends, prefix as environment_prefix,
};
pub(crate) use network::by_shell as raw_network;
pub(crate) use outputs::attributes;
pub(crate) use rows::starts;
use rows::{Handler, Row, handler, prints, stands_in};
pub(crate) use unknown::is_program;
pub(crate) use written::{runs_written, written_text};

use super::context::{Context, Entry, NoFacts};
use super::data::Data;
use super::machine::{Call, Machine};
use super::place::{self, PathClass};
use super::policy::{self, Rule};
use super::{mark, names, verdict::Decision};

/// How a file is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum How {
    /// Replaced or made.
    Write,
    /// Added to or changed in part.
    Append,
    /// Left empty.
    Empty,
}

/// Runs a program in thought.
pub(crate) fn run(machine: &mut Machine<'_>, call: &Call) -> Data {
    let unknown = call.args().iter().any(|arg| mark::arbitrary(arg));
    let outer = std::mem::replace(&mut machine.unsure, unknown.then(|| call.args().to_vec()));
    let output = run_known(machine, call);
    machine.unsure = outer;
    output
}

fn run_known(machine: &mut Machine<'_>, call: &Call) -> Data {
    if call.name.is_empty() {
        return Data::empty();
    }
    if mark::unknown(&call.name) {
        return unknown::computed(machine, call);
    }
    if let Some(program) = guard::program(call) {
        return run(machine, &program);
    }
    if let [only] = call.args()
        && matches!(only.as_str(), "--version" | "--help")
        && !call.argv[0].contains('/')
    {
        return Data::unknown();
    }
    if let Some((folder, call)) = folders::named(call) {
        let folder = machine.resolve(&folder, false);
        let (cwd, also) = (machine.state.cwd.clone(), machine.state.also.clone());
        machine.state.go(&folder, true);
        let output = run(machine, &call);
        (machine.state.cwd, machine.state.also) = (cwd, also);
        return output;
    }
    if call.stdin.secret
        && machine.made.contains(ENVIRONMENT)
        && !stands_in(filters::ROWS, &call.name)
    {
        effect(machine, &policy::ENVIRONMENT, "env");
    }
    unknown::program_place(machine, call);
    guard::own_programs(machine, call);
    commands::in_options(machine, call);
    outputs::written(machine, call);
    runners::hands_on(machine, call);
    written::by_program(machine, call);
    match handler(&call.name) {
        Some(handler) => {
            wrappers::handed_on(machine, call);
            handler(machine, call)
        }
        None => unknown::program(machine, call),
    }
}

/// Words of a call that name the whole of something rather than a part of it.
const WHOLES: &[&str] = overnight_base::words!(
    "destroy rb ns namespace namespaces project projects group database schema cluster clusters \
     bucket repo repository account dropdb nuke flushall keyspace"
);

/// Notes an effect. What destroys or runs foreign code is graver for a whole system and with all
/// rights.
pub(crate) fn effect(machine: &mut Machine<'_>, rule: &Rule, subject: &str) {
    let destroys = *rule == policy::DESTROY || *rule == policy::SQL;
    let rule = if *rule == policy::REMOTE_CODE && machine.privileged {
        &policy::ROOT_CODE
    } else if destroys
        && subject
            .split(|c: char| !c.is_alphanumeric())
            .any(|word| WHOLES.contains(&word.to_ascii_lowercase().as_str()))
    {
        &policy::DESTROY_SYSTEM
    } else {
        rule
    };
    // Code from the network and the guard are targets that the rule itself names.
    let named = rule.id == policy::REMOTE_CODE.id || rule.id == policy::TAMPER.id;
    let unsure = |args: &Vec<String>| !named && !names_target(args, subject);
    let verdict = if machine.unsure.as_ref().is_some_and(unsure) {
        rule.verdict(machine.context, &format!("{subject} {}", mark::ANY))
    } else {
        rule.verdict(machine.context, subject)
    };
    machine.note(verdict);
}

/// Is it one of the call's own arguments, and no verb of its program? Else it acts on what is unknown.
fn names_target(args: &[String], subject: &str) -> bool {
    let verb = subject
        .bytes()
        .all(|byte| byte.is_ascii_lowercase() || byte == b'-');
    !verb
        && args
            .iter()
            .any(|arg| arg.contains(subject) && !mark::arbitrary(arg))
}

/// The places that a path may be, one for each folder that the shell may be in; `exact`: build
/// output told from work.
fn places(
    machine: &Machine<'_>,
    path: &str,
    delete: bool,
    exact: bool,
) -> Vec<(String, PathClass)> {
    let mut folders = vec![machine.state.cwd.clone()];
    if !path.starts_with('/') {
        folders.extend(machine.state.also.iter().cloned());
    }
    folders
        .iter()
        .map(|folder| {
            let resolved = machine.resolve_from(folder, path, delete);
            let place = if exact {
                place::classify(machine.context, &resolved)
            } else {
                place_without_git(machine, &resolved)
            };
            (resolved, place)
        })
        .collect()
}

/// Where a path leads, seen from where the shell most likely is.
pub(crate) fn place_of(machine: &Machine<'_>, path: &str) -> PathClass {
    let resolved = machine.resolve(path, false);
    place::classify(machine.context, &resolved)
}

/// Where a path leads, without asking git whether it ignores it: for all who need not tell work
/// from what a rebuild brings back. An answer of git takes longer than all else.
pub(crate) fn roughly(machine: &Machine<'_>, path: &str) -> PathClass {
    let resolved = machine.resolve(path, false);
    place_without_git(machine, &resolved)
}

fn place_without_git(machine: &Machine<'_>, resolved: &str) -> PathClass {
    let context = Context {
        facts: &NoFacts,
        ..*machine.context
    };
    place::classify(&context, resolved)
}

/// A path is deleted, with all below it if it is a folder.
pub(crate) fn deletes(machine: &mut Machine<'_>, path: &str) {
    // Where a person is, losses of the work tree are none of ours: git need not be asked.
    let asks = !machine.context.attended;
    for (resolved, place) in places(machine, path, true, asks) {
        let rule = match place {
            PathClass::Temporary | PathClass::Build => continue,
            PathClass::Git if lost::is_lock(&resolved) => continue,
            PathClass::Root | PathClass::Git => &policy::DELETE_ROOT,
            PathClass::Guard => tampers(machine, &resolved),
            PathClass::RunState => &policy::WRITE_HOOKS,
            PathClass::Unknown if reaches_root(&resolved) => &policy::EMPTY_NAME,
            PathClass::Unknown => &policy::DELETE_UNKNOWN,
            PathClass::TemporaryRoot | PathClass::HomeCache => &policy::DELETE_ASK,
            PathClass::Work | PathClass::LocalSecret | PathClass::Pipeline => {
                if !asks || lost::nothing(machine, &resolved) {
                    continue;
                }
                match machine.context.facts.entry(&resolved) {
                    Entry::File => &policy::DELETE_FILE,
                    _ => &policy::DELETE_WORK,
                }
            }
            PathClass::Device => &policy::DISK,
            _ if place::vital(machine.context, &resolved) => &policy::LOSE_HOME,
            PathClass::Home | PathClass::Elsewhere if lost::is_missing(machine, &resolved) => {
                continue;
            }
            _ => &policy::DELETE_FORBIDDEN,
        };
        // In a folder that nobody knows nothing is named.
        let named = !mark::arbitrary(&resolved);
        effect(machine, rule, if named { path } else { &resolved });
    }
}

/// An unknown folder with nothing or a pattern below it: all there is, should it be empty.
fn reaches_root(path: &str) -> bool {
    path.split_once('/').is_some_and(|(folder, rest)| {
        let empty = !folder.contains(mark::SEGMENT);
        empty
            && rest
                .chars()
                .all(|c| mark::PATTERNS.contains(&c) || matches!(c, '/' | '.'))
    })
}

/// The rule for what steers the guard, the client or git.
fn tampers(machine: &Machine<'_>, path: &str) -> &'static Rule {
    if place::steers(machine.context, path) {
        &policy::WRITE_GUARD
    } else {
        &policy::WRITE_HOOKS
    }
}

/// A path is written.
pub(crate) fn writes(machine: &mut Machine<'_>, path: &str, how: How) {
    let asks = how == How::Empty && !machine.context.attended;
    for (resolved, place) in places(machine, path, false, asks) {
        let rule = match place {
            PathClass::Harmless
            | PathClass::Temporary
            | PathClass::TemporaryRoot
            | PathClass::Build => continue,
            PathClass::Root if how == How::Empty => &policy::DELETE_ROOT,
            PathClass::Work | PathClass::Root => {
                let known = mark::unknown(&resolved)
                    || machine.context.facts.entry(&resolved) != Entry::Missing;
                if how == How::Empty && known && !machine.files.contains_key(&resolved) {
                    &policy::EMPTY
                } else if names::starts(&names::fold(&resolved).split('/').collect::<Vec<_>>()) {
                    &policy::WRITE_STARTS
                } else {
                    continue;
                }
            }
            PathClass::LocalSecret if lost::is_new(machine, &resolved) => continue,
            PathClass::LocalSecret => &policy::WRITE_SECRETS,
            PathClass::Pipeline => &policy::WRITE_PIPELINE,
            PathClass::RunState => {
                // Making the folder or appending a line is part of the protocol.
                if how == How::Append && !resolved.ends_with("/tasks.json") {
                    continue;
                }
                &policy::WRITE_STATE
            }
            PathClass::Guard => tampers(machine, &resolved),
            PathClass::Git => &policy::WRITE_GIT,
            PathClass::Home | PathClass::Elsewhere if how == How::Empty => {
                &policy::DELETE_FORBIDDEN
            }
            PathClass::HomeCache | PathClass::Home | PathClass::Elsewhere => &policy::WRITE_HOME,
            PathClass::Startup => &policy::WRITE_STARTUP,
            PathClass::Credentials => &policy::WRITE_CREDENTIALS,
            PathClass::System => &policy::WRITE_SYSTEM,
            PathClass::Device => &policy::DISK,
            PathClass::Unknown => &policy::WRITE_UNKNOWN,
        };
        if resolved.starts_with("/dev/tcp/") || resolved.starts_with("/dev/udp/") {
            continue;
        }
        effect(machine, rule, path);
    }
}

/// A file's content is shown or handed on.
pub(crate) fn reads(machine: &mut Machine<'_>, path: &str) -> Data {
    let data = content(machine, path);
    if data.secret {
        match roughly(machine, path) {
            PathClass::Credentials => effect(machine, &policy::READ_CREDENTIALS, path),
            _ => effect(machine, &policy::READ_SECRETS, path),
        }
    }
    data
}

/// A file's content as far as this command knows it. Nothing is noted: a caller that only hands it
/// on to a network program has more to say.
pub(crate) fn content(machine: &Machine<'_>, path: &str) -> Data {
    let resolved = machine.resolve(path, false);
    if let Some(data) = machine.files.get(&resolved) {
        return data.clone();
    }
    let place = place_without_git(machine, &resolved);
    Data {
        network: unknown::fetched(machine, path),
        secret: place::secret(place)
            || (matches!(
                place,
                PathClass::Elsewhere | PathClass::System | PathClass::Home
            ) && names::local_secret(&names::fold(place::last(&resolved)))),
        endless: one_of(&resolved, "/dev/zero /dev/urandom /dev/random"),
        text: (resolved == "/dev/null").then(|| "".into()),
        ..Data::of_file(&resolved)
    }
}

/// Data leaves the machine.
pub(crate) fn sends(machine: &mut Machine<'_>, data: &Data, subject: &str) {
    let rule = if data.secret {
        &policy::EXFILTRATE
    } else {
        &policy::SEND
    };
    effect(machine, rule, subject);
}

/// Something without bound is started or written.
pub(crate) fn exhausts(machine: &mut Machine<'_>, what: &str) {
    effect(machine, &policy::EXHAUST, what);
}

/// A function calls itself.
pub(crate) fn recursion(machine: &mut Machine<'_>, name: &str, parallel: bool) {
    let rule = if parallel {
        &policy::BOMB
    } else {
        &policy::RECURSION
    };
    effect(machine, rule, name);
}

/// Text is run as shell commands.
pub(crate) fn runs_text(machine: &mut Machine<'_>, text: &str, stdin: &Data) -> Data {
    if text.contains(mark::NETWORK) {
        effect(machine, &policy::REMOTE_CODE, "sh");
        return Data::unknown();
    }
    if mark::unknown(text) {
        // Judged as far as it is known; the unknown rest may be any command only where it stands
        // in a command's place, which the machine sees by its mark.
        return runs_marked(machine, text, stdin);
    }
    machine.child_script(text, stdin)
}

fn runs_marked(machine: &mut Machine<'_>, text: &str, stdin: &Data) -> Data {
    let only_numbers = !mark::arbitrary(text);
    let plain = mark::show(text).replace("$…", "x");
    let verdict = machine.probe(|machine| {
        machine.child_script(&plain, stdin);
    });
    if verdict.decision == Decision::Allow && only_numbers {
        return Data::unknown();
    }
    if verdict.decision > Decision::Allow {
        machine.note(verdict);
    }
    let bare = text
        .trim()
        .chars()
        .all(|c| mark::is_mark(c) || c.is_whitespace());
    // The output of a program, run as it is, hides what runs; a known text with unknown words in it does not.
    if bare && text.contains(mark::OUTPUT) {
        effect(machine, &policy::OPAQUE_CODE, "");
    } else {
        effect(machine, &policy::COMPUTED, text);
    }
    Data::unknown()
}

/// A stream is run as shell commands.
pub(crate) fn runs_data(machine: &mut Machine<'_>, data: &Data) -> Data {
    if data.network {
        effect(machine, &policy::REMOTE_CODE, "sh");
        return Data::unknown();
    }
    match (&data.text, &data.path) {
        (Some(text), _) => {
            let text = text.clone();
            runs_text(machine, &text, &Data::empty())
        }
        (None, Some(path)) => {
            let path = path.clone();
            runs_file(machine, &path)
        }
        (None, None) => {
            effect(machine, &policy::OPAQUE_CODE, "");
            Data::unknown()
        }
    }
}

/// A file is run as a shell script.
pub(crate) fn runs_file(machine: &mut Machine<'_>, path: &str) -> Data {
    if unknown::fetched(machine, path) {
        effect(machine, &policy::REMOTE_CODE, path);
        return Data::unknown();
    }
    let data = content(machine, path);
    if data.network || data.text.is_some() {
        return runs_data(machine, &data);
    }
    if data.path.is_none() && !path.starts_with("/dev/fd/") && !data.secret {
        // Written by this command with text that nobody knows.
        effect(machine, &policy::OPAQUE_CODE, path);
    } else {
        unknown::script_place(machine, path);
        runs_written(machine, path, Some("sh"));
    }
    if path.starts_with("/dev/fd/substitution-") {
        effect(machine, &policy::OPAQUE_CODE, "");
    }
    Data::unknown()
}
