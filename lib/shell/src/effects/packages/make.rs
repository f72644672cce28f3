//! Build tools.

use crate::data::Data;
use crate::effects::{effect, options, unknown, written};
use crate::machine::{Call, Machine};
use crate::names::one_of;
use crate::policy;

pub(super) fn judge(machine: &mut Machine<'_>, call: &Call) -> Data {
    let args = call.args();
    let options = options::parse(
        args,
        "fCjEIoWlS",
        "file directory makefile eval jobs shell",
        false,
    );
    if call.name == "cmake" {
        return cmake(machine, call);
    }
    for text in options.values("eval E") {
        if call.name.ends_with("make") {
            effect(machine, &policy::INLINE_CODE, text);
        }
    }
    if options.has("n", "dry-run") {
        return Data::unknown();
    }
    let before = std::mem::replace(&mut machine.asked, args.to_vec());
    for file in options.values("f file makefile") {
        if matches!(file, "-" | "/dev/stdin" | "/dev/fd/0") {
            makefile(machine, &call.stdin.clone());
        } else {
            let data = crate::effects::content(machine, file);
            match &data.text {
                _ if data.network => makefile(machine, &data),
                Some(text) => written::judge(machine, "Makefile", text, None),
                None => unknown::script_place(machine, file),
            }
        }
    }
    machine.asked = before;
    targets(machine, &options.operands);
    if options.operands.contains(&"install") && !stays_here(machine, &options.operands) {
        effect(machine, &policy::CHANGE, "install");
    }
    Data::unknown()
}

/// Is the installation led into the work tree or a temporary folder?
fn stays_here(machine: &Machine<'_>, operands: &[&str]) -> bool {
    operands.iter().any(|operand| {
        operand.split_once('=').is_some_and(|(name, folder)| {
            matches!(name, "DESTDIR" | "PREFIX" | "prefix") && is_here(machine, folder)
        })
    })
}

/// Targets and variables of a build.
fn targets(machine: &mut Machine<'_>, operands: &[&str]) {
    for operand in operands {
        if let Some((name, value)) = operand.split_once('=') {
            if matches!(name.trim_end_matches(':'), "SHELL" | ".SHELLFLAGS" | "MAKE")
                && !matches!(value, "/bin/bash" | "/bin/sh" | "bash")
            {
                effect(machine, &policy::ENV_CODE, name);
            } else if value.contains("$(shell") || value.contains('`') || value.contains(';') {
                effect(machine, &policy::INLINE_CODE, operand);
            }
        } else if one_of(
            operand,
            "deploy publish release destroy uninstall nuke db-reset db-drop push distclean-all tf-apply tf-destroy",
        ) || operand.starts_with("deploy-")
            || operand.starts_with("publish-")
            || operand.starts_with("release-")
        {
            effect(machine, &policy::CHANGE, operand);
        }
    }
}

/// A makefile that comes over the input.
fn makefile(machine: &mut Machine<'_>, data: &Data) {
    match &data.text {
        _ if data.network => effect(machine, &policy::REMOTE_CODE, "make -f -"),
        Some(text) => written::recipes(machine, text),
        None => effect(machine, &policy::OPAQUE_CODE, "make -f -"),
    }
}

/// Does cmake install into the work tree or a temporary folder?
fn installs_here(machine: &Machine<'_>, args: &[String]) -> bool {
    let prefix = crate::effects::commands::values(args, "--prefix");
    !prefix.is_empty() && prefix.iter().all(|folder| is_here(machine, folder))
}

fn is_here(machine: &Machine<'_>, folder: &str) -> bool {
    crate::effects::place_of(machine, folder).is_own()
}

fn cmake(machine: &mut Machine<'_>, call: &Call) -> Data {
    let args = call.args();
    if let [flag, verb, rest @ ..] = args
        && flag == "-E"
    {
        let map = |name: &str| {
            let mut words = vec![name.to_owned()];
            words.extend(rest.iter().filter(|arg| arg.as_str() != "--").cloned());
            words
        };
        match verb.as_str() {
            "remove" | "rm" | "remove_directory" => {
                machine.run_words(&map("rm"), &call.stdin);
            }
            "copy" | "copy_directory" | "copy_if_different" => {
                machine.run_words(&map("cp"), &call.stdin);
            }
            "rename" => {
                machine.run_words(&map("mv"), &call.stdin);
            }
            "env" | "time" => {
                machine.run_words(&map("env"), &call.stdin);
            }
            _ => {}
        }
        return Data::unknown();
    }
    for (index, arg) in args.iter().enumerate() {
        if arg == "-P" {
            let script = args.get(index + 1).map_or("", String::as_str);
            unknown::script_place(machine, script);
            if crate::effects::content(machine, script).text.is_some() {
                effect(machine, &policy::INLINE_CODE, "cmake -P");
            }
        }
        if arg == "--install" && !installs_here(machine, args) {
            effect(machine, &policy::INSTALL, "cmake --install");
        }
    }
    Data::unknown()
}
