//! Programs that the guard does not know, and programs whose name is not known.

use super::{effect, options, place_of, wrappers};
use crate::guard::data::Data;
use crate::guard::machine::{Call, Machine};
use crate::guard::place::{self, Place};
use crate::guard::verdict::Decision;
use crate::guard::{mark, policy};

/// Words after an unknown program that usually mean that something is lost.
const GRAVE: &[&str] = &[
    "destroy",
    "delete",
    "delete-all",
    "drop",
    "purge",
    "wipe",
    "nuke",
    "flush",
    "flushall",
    "truncate",
    "terminate",
    "uninstall",
    "deprovision",
    "teardown",
    "tear-down",
    "rollback",
    "force-delete",
    "decommission",
    "erase",
    "format",
    "zap",
    "obliterate",
];
/// Words that change shared state.
const CHANGING: &[&str] = &[
    "publish",
    "deploy",
    "release",
    "apply",
    "upload",
    "push",
    "remove",
    "rm",
    "reset",
    "prune",
    "unpublish",
    "promote",
    "migrate",
    "yank",
    "up",
    "install",
    "revoke",
    "login",
    "logout",
    "restore",
    "scale",
    "stop",
    "kill",
    "restart",
    "shutdown",
];

/// A program whose name is computed: its arguments decide how grave that is.
pub(super) fn computed(machine: &mut Machine<'_>, call: &Call) -> Data {
    if call.name.contains(mark::SHELL) {
        super::exhausts(machine, "the shell runs itself");
        return Data::unknown();
    }
    if call.name.contains(mark::NETWORK) {
        effect(machine, &policy::REMOTE_CODE, "");
        return Data::unknown();
    }
    if mark::pattern(&call.name) {
        effect(machine, &policy::OPAQUE_CODE, &call.argv[0]);
        return Data::unknown();
    }
    // As if it were the worst that takes such arguments.
    let verdict = machine.probe(|machine| {
        let mut argv = call.argv.clone();
        "rm".clone_into(&mut argv[0]);
        machine.run_words(&argv, &Data::empty());
    });
    let flags = call
        .args()
        .iter()
        .any(|arg| arg.starts_with('-') && arg.contains(['r', 'R', 'f']));
    let rule = if verdict.decision == Decision::Deny && flags {
        &policy::OPAQUE_CODE
    } else {
        &policy::COMPUTED
    };
    effect(machine, rule, &call.argv[0]);
    Data::unknown()
}

/// A program by its path: files that came over the network or from nowhere are not run.
pub(super) fn program_place(machine: &mut Machine<'_>, call: &Call) {
    let program = &call.argv[0];
    if program.contains('/') {
        let resolved = place::absolute(&machine.state.cwd, program);
        if let Some(data) = machine.files.get(&resolved).cloned() {
            if data.network {
                effect(machine, &policy::REMOTE_CODE, program);
            } else if data.text.is_some() {
                super::runs_data(machine, &data);
            }
            return;
        }
        if matches!(place_of(machine, program), Place::Temporary) {
            effect(machine, &policy::ELSEWHERE_PROGRAM, program);
        }
    }
}

/// A script that is run or sourced.
pub(super) fn script_place(machine: &mut Machine<'_>, path: &str) {
    let name = place::last(path);
    let known = path.ends_with("/bin/activate")
        || matches!(name, "nvm.sh" | ".nvm/nvm.sh")
        || path.ends_with(".cargo/env")
        || name == "emsdk_env.sh";
    if known {
        return;
    }
    let rule = match place_of(machine, path) {
        Place::Work
        | Place::Build
        | Place::Root
        | Place::Harmless
        | Place::Guard
        | Place::RunState
        | Place::Git
        | Place::LocalSecret => return,
        Place::Startup if matches!(name, ".bashrc" | ".profile" | ".bash_profile" | ".zshrc") => {
            return;
        }
        Place::System if !path.starts_with("/home") => return,
        Place::Unknown => &policy::COMPUTED,
        _ => &policy::ELSEWHERE_PROGRAM,
    };
    effect(machine, rule, path);
}

/// A program that nothing is known of: what can be read from its arguments.
pub(super) fn program(machine: &mut Machine<'_>, call: &Call) -> Data {
    let args = call.args();
    let rehearsal = options::any(
        args,
        &[
            "--dry-run",
            "--dryrun",
            "--help",
            "--check",
            "--version",
            "-n",
            "--noop",
            "--what-if",
            "--plan",
        ],
    );
    let words = options::words(args, &[]);
    let verbs = &words[..words.len().min(3)];
    if !rehearsal && is_plain(&call.argv[0]) {
        let grave = |word: &&&str| {
            GRAVE.contains(*word)
                || GRAVE.iter().any(|verb| {
                    word.starts_with(&format!("{verb}-")) || word.ends_with(&format!(":{verb}"))
                })
        };
        if let Some(verb) = verbs.iter().find(grave) {
            effect(machine, &policy::CHANGE, &format!("{} {verb}", call.name));
        } else if let Some(verb) = verbs.iter().take(2).find(|word| CHANGING.contains(word)) {
            effect(machine, &policy::CHANGE, &format!("{} {verb}", call.name));
        }
    }
    secrets_in_arguments(machine, args);
    wrappers::scan(machine, call);
    if call.stdin.secret {
        effect(machine, &policy::UNKNOWN_PROGRAM, &call.name);
    }
    effect(machine, &policy::UNKNOWN_PROGRAM, &call.name);
    call.stdin.derived()
}

/// Is it a name looked up in PATH? A script of the repository may call its own verbs as it likes.
fn is_plain(program: &str) -> bool {
    !program.contains('/')
}

/// Names of files of secrets among the arguments of a program that may show them.
pub(super) fn secrets_in_arguments(machine: &mut Machine<'_>, args: &[String]) {
    for arg in args {
        let value = arg
            .rsplit_once(['=', '@', ':'])
            .map_or(arg.as_str(), |(_, value)| value);
        for path in [arg.as_str(), value] {
            let looks = path.contains('/') || path.starts_with('.') || path.starts_with('~');
            if looks && !path.contains(' ') && place::secret(place_of(machine, path)) {
                super::reads(machine, path);
            }
        }
    }
}
