//! Packages of Python.

#![expect(
    clippy::if_same_then_else,
    reason = "rules are told apart in the order of their gravity"
)]

use super::{answer, fetched, foreign_source, runs_after};
use crate::data::Data;
use crate::effects::table::says;
use crate::effects::{options, place_of};
use crate::machine::{Call, Machine};
use crate::place::PathClass;
use crate::policy;

const VALUED: &[&str] = overnight_base::words!(
    "-r --requirement -c --constraint -n --name -p --python -e --editable -t --target -i \
     --index-url --prefix --group --directory --project --with --extra-index-url"
);

const RUN_VALUED: &[&str] = overnight_base::words!(
    "--with -p --python --env-file --project --directory -n --name --group --extra --package \
     --from -e --spec"
);

const NAMES: &[&str] =
    overnight_base::words!("--user --break-system-packages --system --root --prefix");

pub(super) fn judge(machine: &mut Machine<'_>, call: &Call) -> Data {
    let args = call.args();
    let words = options::words(args, VALUED);
    let first = words.first().copied().unwrap_or("");
    if options::any(args, &["--dry-run", "--help", "--version"]) && first != "run" {
        return Data::unknown();
    }
    if runs_tool(machine, call, &words) {
        return Data::unknown();
    }
    let plain_pip = matches!(call.name.as_str(), "pip" | "pip3");
    let rule = if says("^publish ^upload", &words)
        || (call.name == "twine" && first == "upload")
        || (call.name == "flit" && first == "publish")
    {
        &policy::PUBLISH
    } else if says(
        "config/set config/unset config/edit ^config/http* source/add repository/add ^login",
        &words,
    ) || (first == "config"
        && !says("config/list config/get config/debug config/--list", &words)
        && words.len() > 2)
    {
        &policy::INSTALL
    } else if matches!(call.name.as_str(), "conda" | "mamba" | "micromamba")
        && (says("env/remove remove uninstall clean", &words)
            || (first == "install"
                && args
                    .windows(2)
                    .any(|pair| matches!(pair[0].as_str(), "-n" | "--name") && pair[1] == "base")))
    {
        &policy::INSTALL
    } else if says(
        "^uninstall ^remove-env ^self/update ^self/uninstall python/uninstall python/install tool/install tool/uninstall tool/upgrade",
        &words,
    ) && !says("^remove", &words)
    {
        &policy::INSTALL
    } else if (call.name == "pipx"
        && says(
            "install uninstall upgrade upgrade-all inject uninstall-all reinstall",
            &words,
        ))
        || call.name == "easy_install"
        || (call.name == "pyenv" && says("install uninstall global rehash", &words))
    {
        &policy::INSTALL
    } else if (plain_pip || (call.name == "uv" && first == "pip"))
        && words.contains(&"install")
        && options::any(args, NAMES)
    {
        &policy::INSTALL
    } else if plain_pip && first == "install" && (!declared(args, &words) || outside(machine, args))
    {
        &policy::INSTALL
    } else {
        foreign_source(machine, args);
        return Data::unknown();
    };
    answer(machine, call, rule, &words)
}

/// `uvx`, `poetry run`: programs of the environment. True when one was run.
fn runs_tool(machine: &mut Machine<'_>, call: &Call, words: &[&str]) -> bool {
    let args = call.args();
    let first = words.first().copied().unwrap_or("");
    if matches!(call.name.as_str(), "uvx")
        || (call.name == "pipx" && first == "run")
        || (call.name == "uv" && says("^tool/run", words))
    {
        let package = options::words(args, RUN_VALUED)
            .into_iter()
            .find(|word| !matches!(*word, "run" | "tool"));
        let from = options::parse(args, "", &["from", "spec"], false);
        let package = from.values(&["from", "spec"]).first().copied().or(package);
        fetched::package(machine, call, package.unwrap_or(""));
        if call.name == "uvx" {
            let rest: Vec<String> = args
                .iter()
                .skip_while(|arg| arg.starts_with('-'))
                .cloned()
                .collect();
            machine.run_words(&rest, &call.stdin);
            return true;
        }
        runs_after(machine, call, &["run"], RUN_VALUED);
        return true;
    }
    if first == "run" || (call.name == "pyenv" && first == "exec") {
        runs_after(machine, call, &["run", "exec"], RUN_VALUED);
        return true;
    }
    false
}

/// Are packages put into a folder that is not the project's?
fn outside(machine: &Machine<'_>, args: &[String]) -> bool {
    options::parse(args, "t", &["target"], false)
        .value("t", "target")
        .is_some_and(|folder| {
            !matches!(
                place_of(machine, folder),
                PathClass::Work | PathClass::Build | PathClass::Temporary | PathClass::Root
            )
        })
}

/// Requirements files, the project itself, or names without surprises.
fn declared(args: &[String], words: &[&str]) -> bool {
    let named = words.len() > 1;
    !named
        || options::any(
            args,
            &["-r", "--requirement", "-e", "--editable", "--group"],
        )
        || words[1..]
            .iter()
            .all(|word| !word.contains("://") && !word.starts_with("git+"))
}
