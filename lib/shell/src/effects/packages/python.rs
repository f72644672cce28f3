//! Packages of Python.

use super::{Rules, answer, fetched, foreign_source, ruled, runs_after};
use crate::data::Data;
use crate::effects::table::says;
use crate::effects::{options, place_of};
use crate::machine::{Call, Machine};
use crate::policy;

const VALUED: &str = "-r --requirement -c --constraint -n --name -p --python -e --editable -t --target -i \
     --index-url --prefix --group --directory --project --with --extra-index-url";

const RUN_VALUED: &str = "--with -p --python --env-file --project --directory -n --name --group --extra --package \
     --from -e --spec";

const FOR_ALL: &str = "--user --break-system-packages --system --root --prefix";

const RULES: &Rules = &[
    ("", "^publish ^upload", &policy::PUBLISH),
    (
        "",
        "config/set config/unset config/edit ^config/http* source/add repository/add ^login",
        &policy::INSTALL,
    ),
    (
        "conda mamba micromamba",
        "env/remove remove uninstall clean",
        &policy::INSTALL,
    ),
    (
        "",
        "^uninstall ^remove-env ^self/update ^self/uninstall python/uninstall python/install tool/install tool/uninstall \
         tool/upgrade",
        &policy::INSTALL,
    ),
    (
        "pipx",
        "install uninstall upgrade upgrade-all inject uninstall-all reinstall",
        &policy::INSTALL,
    ),
    ("easy_install", "*", &policy::INSTALL),
    ("pyenv", "install uninstall global rehash", &policy::INSTALL),
];

pub(super) fn judge(machine: &mut Machine<'_>, call: &Call) -> Data {
    let args = call.args();
    let words = options::words(args, VALUED);
    let first = words.first().copied().unwrap_or("");
    if options::any(args, "--dry-run --help --version") && first != "run" {
        return Data::unknown();
    }
    if runs_tool(machine, call, &words) {
        return Data::unknown();
    }
    let configures = says("^config/*/*", &words)
        && !says("config/list config/get config/debug config/--list", &words);
    let base = |(name, value)| matches!((name, value), ("-n" | "--name", "base"));
    let shared =
        call.is("conda mamba micromamba") && first == "install" && options::pairs(args).any(base);
    let pip = call.is("pip pip3");
    let for_all = (pip || call.name == "uv" && first == "pip")
        && words.contains(&"install")
        && options::any(args, FOR_ALL);
    let undeclared =
        pip && first == "install" && (!declared(args, &words) || outside(machine, args));
    let installs = configures || shared || for_all || undeclared;
    let rule = ruled(call, &words, RULES).or(installs.then_some(&policy::INSTALL));
    if rule.is_none() {
        foreign_source(machine, args);
    }
    answer(machine, call, rule, &words)
}

/// `uvx`, `poetry run`: programs of the environment. True when one was run.
fn runs_tool(machine: &mut Machine<'_>, call: &Call, words: &[&str]) -> bool {
    let args = call.args();
    let first = words.first().copied().unwrap_or("");
    if call.is("uvx")
        || (call.name == "pipx" && first == "run")
        || (call.name == "uv" && says("^tool/run", words))
    {
        let package = options::words(args, RUN_VALUED)
            .into_iter()
            .find(|word| !matches!(*word, "run" | "tool"));
        let from = options::parse(args, "", "from spec", false);
        let package = from.values("from spec").first().copied().or(package);
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
        runs_after(machine, call, "run", RUN_VALUED);
        return true;
    }
    if first == "run" || (call.name == "pyenv" && first == "exec") {
        runs_after(machine, call, "run exec", RUN_VALUED);
        return true;
    }
    false
}

/// Are packages put into a folder that is not the project's?
fn outside(machine: &Machine<'_>, args: &[String]) -> bool {
    options::parse(args, "t", "target", false)
        .value("t", "target")
        .is_some_and(|folder| !place_of(machine, folder).is_own())
}

/// Requirements files, the project itself, or names without surprises.
fn declared(args: &[String], words: &[&str]) -> bool {
    let named = words.len() > 1;
    !named
        || options::any(args, "-r --requirement -e --editable --group")
        || words[1..]
            .iter()
            .all(|word| !word.contains("://") && !word.starts_with("git+"))
}
