//! cargo and rustup.

use super::{Rules, answer, ruled};
use crate::data::Data;
use crate::effects::table::says;
use crate::effects::{deletes, effect, options, runs_text, unknown};
use crate::machine::{Call, Machine};
use crate::names::holds;
use crate::policy;

const VALUED: &str = "--manifest-path -p --package --features --target --target-dir -j --profile --color -Z --bin \
     --test --example --config -C";

const RULES: &Rules = &[
    (
        "",
        "^publish ^*/publish ^release ^smart-release",
        &policy::PUBLISH,
    ),
    ("", "^yank ^owner", &policy::UNPUBLISH),
    ("", "^login ^logout", &policy::WRITE_CREDENTIALS),
    ("", "^install ^uninstall ^binstall", &policy::INSTALL),
];

/// Verbs of rustup that change nothing, or only what this toolchain has.
const READING: &str = "^show ^which ^doc ^check ^completions ^component ^target ^toolchain/list";

pub(super) fn judge(machine: &mut Machine<'_>, call: &Call) -> Data {
    let args: Vec<String> = call
        .args()
        .iter()
        .filter(|arg| !arg.starts_with('+'))
        .cloned()
        .collect();
    let words = options::words(&args, VALUED);
    let first = words.first().copied().unwrap_or("");
    if options::any(&args, "--dry-run --help") {
        return Data::unknown();
    }
    configuration(machine, &args);
    if call.name == "rustup" {
        return toolchains(machine, call, &words);
    }
    match first {
        "install" | "uninstall" | "binstall" => {
            let root = options::parse(&args, "", "root path", false).value("", "root");
            if root.is_some_and(|root| crate::effects::place_of(machine, root).is_own()) {
                return Data::unknown();
            }
        }
        "clean" => {
            let options = options::parse(&args, "", "target-dir", false);
            if let Some(folder) = options.value("", "target-dir") {
                deletes(machine, folder);
            }
        }
        "watch" => watch(machine, &args),
        _ => {
            let own = args.split(|arg| arg == "--").next().unwrap_or(&args);
            unknown::secrets_in_arguments(machine, own);
        }
    }
    answer(machine, call, ruled(call, &words, RULES), &words)
}

/// Commands that run at every change.
fn watch(machine: &mut Machine<'_>, args: &[String]) {
    for text in options::parse(args, "xsw", "exec shell", false).values("s shell") {
        runs_text(machine, text, &Data::empty());
    }
    let command = options::behind(args, "--").unwrap_or(&[]);
    machine.run_words(command, &Data::empty());
    // `-x 'test; …'` is given to a shell behind `cargo`.
    for text in options::parse(args, "xsw", "exec shell", false).values("x exec") {
        runs_text(machine, &format!("cargo {text}"), &Data::empty());
    }
}

/// Settings given in arguments may name programs.
fn configuration(machine: &mut Machine<'_>, args: &[String]) {
    for config in options::parse(args, "ZjpFC", "config", false).values("config") {
        if holds(config, "runner linker rustc wrapper alias registr source.") {
            effect(machine, &policy::ENV_CODE, config);
        }
    }
}

fn toolchains(machine: &mut Machine<'_>, call: &Call, words: &[&str]) -> Data {
    if let ["run", _, command @ ..] = words {
        machine.run_words(command, &call.stdin);
        return Data::unknown();
    }
    let reads = words.is_empty() || says(READING, words);
    let rule = !reads || says("component/remove target/remove", words);
    answer(machine, call, rule.then_some(&policy::INSTALL), words)
}
