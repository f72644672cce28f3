//! Packages of JavaScript.

use super::{Rules, answer, fetched, foreign_source, ruled, runs_after};
use crate::data::Data;
use crate::effects::table::says;
use crate::effects::{effect, options, runs_text};
use crate::machine::{Call, Machine};
use crate::names::one_of;
use crate::policy;

const DRY: &str = "--dry-run --dryrun --help --version -h --simulate";

const VALUED: &str =
    "--prefix -C --dir --filter -F -w --workspace --registry --cwd -p --package -c --call";

const RULES: &Rules = &[
    (
        "",
        "unpublish deprecate undeprecate dist-tag/rm dist-tag/remove dist-tag/add owner/rm owner/remove access/revoke \
         access/set tag/remove team/destroy org/rm token/revoke",
        &policy::UNPUBLISH,
    ),
    (
        "",
        "^publish npm/publish ^release lerna/publish release/publish",
        &policy::PUBLISH,
    ),
    ("vsce ovsx changeset lerna nx", "publish", &policy::PUBLISH),
    (
        "",
        "token/create token/list config/get/_auth*",
        &policy::READ_CREDENTIALS,
    ),
    (
        "",
        "config/set config/delete config/edit set/registry npm/login ^login ^logout ^adduser ^star owner/add access/grant \
         hook/add profile/set token org/set team/add ^config/unset ^set/*",
        &policy::INSTALL,
    ),
    (
        "nvm fnm volta n corepack",
        "install uninstall enable disable alias default",
        &policy::INSTALL,
    ),
];

pub(super) fn judge(machine: &mut Machine<'_>, call: &Call) -> Data {
    let args = call.args();
    let words = options::words(args, VALUED);
    if call.is("npx pnpx bunx") {
        return package_runner(machine, call);
    }
    if options::any(args, DRY) {
        return Data::unknown();
    }
    let first = words.first().copied().unwrap_or("");
    let password = |word: &&str| word.contains("_auth") || word.contains("_password");
    let global =
        is_global(args, first) && !says("list ls outdated root bin prefix view get dir", &words);
    let rule = if call.is("np semantic-release release-it") {
        Some(&policy::PUBLISH)
    } else if sets_code(&words, args) {
        Some(&policy::ENV_CODE)
    } else if first == "config" && words.iter().any(password) {
        Some(&policy::READ_CREDENTIALS)
    } else {
        ruled(call, &words, RULES).or(global.then_some(&policy::INSTALL))
    };
    if rule.is_none() {
        local_tools(machine, call, &words);
        foreign_source(machine, args);
        script_verbs(machine, &call.name, &words);
    }
    answer(machine, call, rule, &words)
}

/// Is a setting changed that names code which later calls run?
fn sets_code(words: &[&str], args: &[String]) -> bool {
    const NAMES: &[&str] = overnight_base::words!(
        "script-shell init-module node-options onload-script shell git editor viewer"
    );
    let name = |word: &str| NAMES.contains(&word.split('=').next().unwrap_or(word));
    // Those of one word are options of many programs.
    let option = |arg: &String| {
        let option = arg.strip_prefix("--");
        option.is_some_and(|option| option.contains('-') && name(option))
    };
    says("config/set set", words) && words.iter().any(|word| name(word))
        || says("pkg/set", words) && words.iter().any(|word| word.starts_with("scripts"))
        || args.iter().take_while(|arg| *arg != "--").any(option)
}

fn is_global(args: &[String], first: &str) -> bool {
    // What stands behind `--` belongs to the script: `npm test -- -g 'a name'`.
    args.iter()
        .take_while(|arg| *arg != "--")
        .any(|arg| matches!(arg.as_str(), "-g" | "--global" | "--location=global"))
        || first == "global"
}

/// `npx`: runs the program of a package.
fn package_runner(machine: &mut Machine<'_>, call: &Call) -> Data {
    let mut rest = call.args();
    let options = options::parse(rest, "pc", "package call", true);
    let given = options.value("p", "package").map(str::to_owned);
    while let Some(first) = rest.first().filter(|first| first.starts_with('-')) {
        if matches!(first.as_str(), "-c" | "--call") {
            let text = rest.get(1).cloned().unwrap_or_default();
            runs_text(machine, &text, &call.stdin);
        }
        let skip = 1 + usize::from(one_of(first, "-p --package -c --call"));
        rest = rest.get(skip..).unwrap_or(&[]);
    }
    let package = given.or(rest.first().cloned());
    fetched::package(machine, call, package.as_deref().unwrap_or(""));
    let mut rest = rest.to_vec();
    if let Some(address) = rest.first().filter(|first| first.contains(':')) {
        effect(machine, &policy::REMOTE_CODE, address);
    }
    if let Some(first) = rest.first_mut() {
        // `npx tool@1.2`
        let version = first.char_indices().skip(1).find(|(_, c)| *c == '@');
        if let Some((at, _)) = version {
            first.truncate(at);
        }
    }
    machine.run_words(&rest, &call.stdin)
}

/// Programs of the project's dependencies.
fn local_tools(machine: &mut Machine<'_>, call: &Call, words: &[&str]) {
    let first = words.first().copied().unwrap_or("");
    if matches!(first, "install" | "i" | "add") {
        let added = words.iter().map(|word| format!("package {word}"));
        machine.made.extend(added);
    } else if matches!(first, "exec" | "dlx" | "x") {
        if let Some(package) = words
            .get(1)
            .filter(|_| first != "exec" || call.name == "npm")
        {
            fetched::package(machine, call, package);
        }
        runs_after(machine, call, "exec dlx x", "-p --package --filter");
    } else if let ("create" | "init", Some(package)) = (first, words.get(1)) {
        fetched::package(machine, call, &format!("create-{package}"));
    } else if first == "run"
        && words
            .get(1)
            .is_some_and(|name| crate::effects::stands_in(crate::effects::files::ROWS, name))
    {
        // A program of a dependency, such as `rimraf`.
        runs_after(machine, call, "run", "");
    } else if call.name == "yarn"
        && !first.is_empty()
        && crate::effects::stands_in(crate::effects::database::ROWS, first)
    {
        machine.run_words(words, &call.stdin);
    }
}

/// Scripts of the project are ordinary, except those that say that they deploy or destroy.
fn script_verbs(machine: &mut Machine<'_>, program: &str, words: &[&str]) {
    let script = if matches!(words.first(), Some(&"run" | &"run-script")) {
        words.get(1)
    } else if matches!(program, "yarn" | "pnpm" | "bun") {
        words.first()
    } else {
        None
    };
    if let Some(script) = script
        && [
            "deploy", "publish", "release", "destroy", "db:reset", "db:drop", "nuke", "reset:db",
            "db:wipe",
        ]
        .iter()
        .any(|verb| {
            script == verb
                || script.starts_with(&format!("{verb}:"))
                || script.ends_with(&format!(":{verb}"))
        })
    {
        effect(machine, &policy::CHANGE, script);
    }
}
