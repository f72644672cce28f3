//! cargo and rustup.

use super::answer;
use crate::data::Data;
use crate::effects::table::says;
use crate::effects::{deletes, effect, options, runs_text, unknown};
use crate::machine::{Call, Machine};
use crate::policy;

const VALUED: &[&str] = overnight_base::words!(
    "--manifest-path -p --package --features --target --target-dir -j --profile --color -Z --bin \
     --test --example --config -C"
);

pub(super) fn judge(machine: &mut Machine<'_>, call: &Call) -> Data {
    let args: Vec<String> = call
        .args()
        .iter()
        .filter(|arg| !arg.starts_with('+'))
        .cloned()
        .collect();
    let words = options::words(&args, VALUED);
    let first = words.first().copied().unwrap_or("");
    if options::any(&args, &["--dry-run", "--help"]) {
        return Data::unknown();
    }
    configuration(machine, &args);
    if call.name == "rustup" {
        return toolchains(machine, call, &words);
    }
    let publishes = words.iter().take(2).any(|word| *word == "publish");
    let rule = match first {
        _ if publishes => &policy::PUBLISH,
        "release" | "smart-release" => &policy::PUBLISH,
        "yank" | "owner" => &policy::UNPUBLISH,
        "login" | "logout" => &policy::WRITE_CREDENTIALS,
        "install" | "uninstall" | "binstall" => {
            let inside = options::parse(&args, "", &["root", "path"], false)
                .value("", "root")
                .map(|root| crate::effects::place_of(machine, root));
            if matches!(
                inside,
                Some(
                    crate::place::PathClass::Work
                        | crate::place::PathClass::Build
                        | crate::place::PathClass::Temporary
                )
            ) {
                return Data::unknown();
            }
            &policy::INSTALL
        }
        "clean" => {
            clean(machine, &args);
            return Data::unknown();
        }
        "watch" => {
            watch(machine, &args);
            return Data::unknown();
        }
        _ => {
            let tail = args
                .iter()
                .position(|arg| arg == "--")
                .map_or(args.len(), |at| at);
            unknown::secrets_in_arguments(machine, &args[..tail]);
            return Data::unknown();
        }
    };
    answer(machine, call, rule, &words)
}

/// Commands that run at every change.
fn watch(machine: &mut Machine<'_>, args: &[String]) {
    for text in options::parse(args, "xsw", &["exec", "shell"], false).values(&["s", "shell"]) {
        let text = text.to_owned();
        runs_text(machine, &text, &Data::empty());
    }
    if let Some(at) = args.iter().position(|arg| arg == "--") {
        machine.run_words(&args[at + 1..], &Data::empty());
    }
    // `-x 'test; …'` is given to a shell behind `cargo`.
    for text in options::parse(args, "xsw", &["exec", "shell"], false).values(&["x", "exec"]) {
        runs_text(machine, &format!("cargo {text}"), &Data::empty());
    }
}

/// Settings given in arguments may name programs.
fn configuration(machine: &mut Machine<'_>, args: &[String]) {
    for config in options::parse(args, "ZjpFC", &["config"], false).values(&["config"]) {
        if [
            "runner", "linker", "rustc", "wrapper", "alias", "registr", "source.",
        ]
        .iter()
        .any(|word| config.contains(word))
        {
            effect(machine, &policy::ENV_CODE, config);
        }
    }
}

fn toolchains(machine: &mut Machine<'_>, call: &Call, words: &[&str]) -> Data {
    match words.first().copied().unwrap_or("") {
        "show" | "which" | "doc" | "check" | "completions" | "component" | "target" | ""
            if !says("component/remove target/remove", words) =>
        {
            Data::unknown()
        }
        "run" => {
            let words: Vec<String> = words
                .iter()
                .skip(2)
                .map(|word| (*word).to_owned())
                .collect();
            machine.run_words(&words, &call.stdin);
            Data::unknown()
        }
        "toolchain" if words.get(1) == Some(&"list") => Data::unknown(),
        _ => answer(machine, call, &policy::INSTALL, words),
    }
}

fn clean(machine: &mut Machine<'_>, args: &[String]) {
    if let Some(folder) = options::parse(args, "", &["target-dir"], false).value("", "target-dir") {
        let folder = folder.to_owned();
        deletes(machine, &folder);
    }
}
