//! git commands that take something from other repositories.

use super::git::setting_for_one;
use super::{How, effect, git_refs, options, runs_text, writes};
use crate::data::Data;
use crate::machine::Machine;
use crate::policy;

pub(super) fn foreign_transport(machine: &mut Machine<'_>, args: &[String]) {
    if args
        .iter()
        .any(|arg| arg.starts_with("ext::") || arg.starts_with("fd::"))
    {
        effect(machine, &policy::GIT_CODE, "ext::");
    }
}

const FROM_ELSEWHERE_LONG: &str = "config upload-pack template branch origin depth reference jobs filter exec refmap \
     recurse-submodules shallow-since initial-branch";

/// What comes from other repositories.
pub(super) fn from_elsewhere(machine: &mut Machine<'_>, verb: &str, args: &[String]) {
    foreign_transport(machine, args);
    let options = options::parse(args, "cubojC", FROM_ELSEWHERE_LONG, false);
    for setting in options.values("c config") {
        if verb == "clone" {
            let (key, value) = setting.split_once('=').unwrap_or((setting, ""));
            setting_for_one(machine, key, value);
        }
    }
    let names = "upload-pack template exec";
    let (all, short) = (options.values(names), options.value("u", ""));
    let short = short.filter(|_| verb == "clone");
    if all.iter().chain(&short).any(|value| !value.is_empty()) {
        effect(machine, &policy::GIT_CODE, "--upload-pack or --template");
    }
    match verb {
        "fetch" => {
            let force = options.has("f", "force");
            for refspec in options.operands.iter().skip(1) {
                if refspec.split_once(':').is_some_and(|(from, to)| {
                    (force || from.starts_with('+')) && !to.starts_with("refs/remotes/")
                }) {
                    effect(machine, &policy::REWRITE, refspec);
                }
            }
        }
        "pull"
            if options
                .operands
                .iter()
                .any(|operand| operand.contains("://")) =>
        {
            effect(machine, &policy::CHANGE, "git pull from an address");
        }
        "clone" => {
            cloned(machine, &options.operands);
            if let Some(target) = options.operands.get(1) {
                writes(machine, target, How::Append);
            }
        }
        "submodule" => submodule(machine, args),
        "remote" => git_refs::remote(machine, args),
        _ => {}
    }
}

/// Scripts of a repository that came over the network with this command are code that nobody read.
fn cloned(machine: &mut Machine<'_>, operands: &[&str]) {
    let Some(source) = operands.first() else {
        return;
    };
    let remote = source.contains("://") && !source.starts_with("file://")
        || source
            .split_once(':')
            .is_some_and(|(host, _)| !host.contains('/') && host.contains(['@', '.']));
    if remote {
        brings(machine, source, operands.get(1).copied());
    }
}

/// A repository of another machine is put into a folder, by default one of its own name.
pub(super) fn brings(machine: &mut Machine<'_>, source: &str, folder: Option<&str>) {
    let name = source.trim_end_matches('/').rsplit(['/', ':']).next();
    let name = name.unwrap_or("").trim_end_matches(".git");
    let folder = machine.resolve(folder.unwrap_or(name), false);
    machine.fetched.push(folder);
}

fn submodule(machine: &mut Machine<'_>, args: &[String]) {
    let words = options::words(args, "-b --branch --name --reference --depth");
    match words.first().copied() {
        Some("foreach") => {
            let at = args.iter().position(|arg| arg == "foreach").unwrap_or(0);
            let rest = args[at + 1..].iter().skip_while(|arg| arg.starts_with('-'));
            let text = rest.cloned().collect::<Vec<_>>().join(" ");
            runs_text(machine, &text, &Data::unknown());
        }
        Some("deinit" | "update") if options::any(args, "-f --force") => {
            effect(machine, &policy::DISCARD, "git submodule --force");
        }
        Some("set-url") => effect(machine, &policy::GIT_CONFIG, "git submodule set-url"),
        Some("add") => {
            cloned(machine, &words[1..]);
            if let Some(folder) = words.get(2) {
                writes(machine, folder, How::Write);
            }
        }
        _ => {}
    }
}
