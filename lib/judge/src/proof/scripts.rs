//! The files that gates name, and what those name in turn: a helper of a gate script decides as much
//! as the script itself.

mod sql;
mod taken_in;

use super::protect::ending;
use super::{doctests, manifest, spoken};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// Files followed at most: a gate that names more is a build.
const FOLLOWED_MAX: usize = 400;
/// Words of a script that are looked at.
const WORDS_MAX: usize = 20_000;

/// What is in the tree at dusk.
pub struct Tree<'a> {
    /// Every path, from the top.
    pub files: &'a BTreeSet<String>,
    /// The text of a file, bounded; `None` for what is no text.
    pub read: &'a dyn Fn(&str) -> Option<String>,
}

/// A text that is run as a script.
struct Script {
    text: String,
    /// The folder whose files it may name without a path; empty: the top.
    folder: String,
    /// Is it a gate's own command line?
    command: bool,
}

/// The tracked files that decide because these commands, or scripts that they start, name them.
pub fn named(commands: &[String], tree: &Tree<'_>) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut left: Vec<Script> = commands
        .iter()
        .map(|command| command_line(command))
        .collect();
    let packages = package_scripts(tree);
    while let Some(script) = left.pop() {
        if found.len() > FOLLOWED_MAX {
            break;
        }
        left.extend(run_by_package_manager(&script, &packages));
        for path in mentioned(&script, tree) {
            if !found.insert(path.clone()) {
                continue;
            }
            if let Some(text) = (tree.read)(&path).filter(|_| is_followed(&path)) {
                let folder = path
                    .rsplit_once('/')
                    .map_or("", |(folder, _)| folder)
                    .to_owned();
                left.push(Script {
                    text,
                    folder,
                    command: false,
                });
            }
        }
    }
    found
}

fn folder_of(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

fn command_line(text: &str) -> Script {
    Script {
        text: text.to_owned(),
        folder: String::new(),
        command: true,
    }
}

/// Is a new file at `path` loaded by what is named? It stands in a folder of gate scripts.
pub fn stands_beside(path: &str, named: &BTreeSet<String>) -> bool {
    let folder = |path: &str| path.rsplit_once('/').map(|(folder, _)| folder.to_owned());
    let Some(own) = folder(path) else {
        return false;
    };
    // What a build takes in is taken in with everything of its kind that stands there.
    let taken_in = |other: &String| ending(other) == ending(path) && taken_in::is(other);
    named
        .iter()
        .any(|other| folder(other).as_ref() == Some(&own) && (is_helper(&own) || taken_in(other)))
}

/// The files of the tree that a script names and that decide.
fn mentioned(script: &Script, tree: &Tree<'_>) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let says_itself = is_inline_about_one(script, tree);
    let checks = script.command && spoken::checks(&script.text);
    for line in commands_of(&script.text) {
        let words: Vec<&str> = line.iter().map(String::as_str).collect();
        if let Some(recipes) = recipes(&words) {
            found.extend(
                recipes
                    .iter()
                    .map(|name| join(&script.folder, name))
                    .filter(|path| tree.files.contains(path)),
            );
            found.extend(
                recipes
                    .iter()
                    .map(|name| (*name).to_owned())
                    .filter(|path| tree.files.contains(path)),
            );
        }
        found.extend(own_module(&words).filter(|path| script.command && tree.files.contains(path)));
        let started = started(&words);
        let sourced = matches!(
            words.first(),
            Some(&("." | "source" | "include" | "-include"))
        );
        for (at, word) in words.iter().enumerate() {
            if let Some(folder) = word.find(['*', '?', '[']).map(|glob| &word[..glob]) {
                found.extend(data_below(folder, tree));
                found.extend(
                    taken_in::below(folder, tree).filter(|_| words[0].ends_with("include")),
                );
                continue;
            }
            let known = resolve(word, script, started.contains(&at), tree);
            // What a script reads where it is there decides, also where it is not there yet.
            if sourced && words.len() == 2 && at == 1 && known.is_empty() && !word.contains('$') {
                found.extend([join("", word), join(&script.folder, word)]);
            }
            for path in known {
                let own = script.command && started.contains(&at) && !(sourced && checks);
                let beside = sourced && !checks && folder_of(&path) == script.folder;
                let decides = (is_compared(&path, tree) && !says_itself && !is_looked_at(&words))
                    || (is_shell(&path, tree) && (own || beside || is_helper(&path)))
                    || (is_program(&path) && (own || is_helper(&path)))
                    || doctests::are_run(&words, &path);
                if decides {
                    found.insert(path);
                }
            }
        }
    }
    found
}

/// Does the command itself say what it expects of the files that it names? Then they are the work
/// that is judged, not what it is compared with: `grep -q PATTERN FILE`, `test -s FILE`.
fn is_looked_at(words: &[&str]) -> bool {
    let program = words[0].rsplit('/').next().unwrap_or_default();
    let mut options = words[1..].iter().filter(|word| word.starts_with('-'));
    match program {
        "grep" | "egrep" | "fgrep" | "rg" | "jq" => !options.any(|option| {
            option.starts_with("--file") || (!option.starts_with("--") && option.contains('f'))
        }),
        "test" | "[" => {
            let first = words[1..].iter().find(|word| **word != "!");
            first.is_some_and(|first| first.len() == 2 && first.starts_with('-'))
        }
        _ => false,
    }
}

/// Is it a program on the command line that names one file of the tree and nothing else there?
/// What it expects of that file stands in it: `python3 -c "… json.load(open('a.json')) …"`.
fn is_inline_about_one(script: &Script, tree: &Tree<'_>) -> bool {
    let lines = commands_of(&script.text);
    let first = lines.first().map(Vec::as_slice).unwrap_or_default();
    let program = first.first().map_or("", String::as_str);
    let inline = matches!(
        program,
        "python" | "python3" | "node" | "ruby" | "perl" | "php"
    ) && first
        .iter()
        .any(|word| matches!(word.as_str(), "-c" | "-e" | "-r"));
    if !script.command || !inline {
        return false;
    }
    let words = lines.iter().flatten();
    let files: BTreeSet<String> = words
        .flat_map(|word| resolve(word, script, true, tree))
        .collect();
    files.len() == 1
}

/// Words by command: a script read roughly, since a word too many does no harm.
pub(super) fn commands_of(text: &str) -> Vec<Vec<String>> {
    let mut commands = Vec::new();
    let mut words: usize = 0;
    for line in text.split(['\n', ';', '&', '|']) {
        let line = line.trim_start_matches(['\t', ' ', '@', '-', '!', '(', '{']);
        if line.starts_with('#') && !line.starts_with("#!") {
            continue;
        }
        let split = |c: char| {
            c.is_whitespace()
                || matches!(
                    c,
                    '"' | '\'' | '`' | '(' | ')' | '<' | '>' | ',' | '{' | '}' | '=' | ':'
                )
        };
        let found: Vec<String> = line
            .split(split)
            .filter(|word| !word.is_empty())
            .map(str::to_owned)
            .collect();
        words += found.len();
        if !found.is_empty() {
            commands.push(found);
        }
        if words > WORDS_MAX {
            break;
        }
    }
    commands
}

const INTERPRETERS: [&str; 19] = [
    "sh", "bash", "zsh", "dash", "ksh", "source", ".", "python", "python3", "node", "deno", "bun",
    "tsx", "ts-node", "ruby", "perl", "php", "lua", "exec",
];
/// Words that stand before the command itself.
const BEFORE: [&str; 12] = [
    "env", "exec", "time", "nice", "timeout", "command", "if", "then", "do", "else", "while",
    "sudo",
];

/// Positions of the words that are started: the program, the script of an interpreter, a runner's files.
fn started(words: &[&str]) -> Vec<usize> {
    let plain =
        |word: &str| !BEFORE.contains(&word) && !word.bytes().all(|byte| byte.is_ascii_digit());
    let Some(first) = words.iter().position(|word| plain(word)) else {
        return Vec::new();
    };
    let program = words[first].rsplit('/').next().unwrap_or_default();
    let mut started = vec![first];
    let runner = matches!(
        program,
        "pytest" | "py.test" | "jest" | "mocha" | "vitest" | "rspec" | "bats" | "prove" | "phpunit"
    ) || words[first..]
        .windows(2)
        .any(|pair| pair[0] == "-m" && matches!(pair[1], "unittest" | "pytest"))
        || (program == "node" && words.contains(&"--test"));
    let interpreter = INTERPRETERS.contains(&program) || program.starts_with("python3.");
    // Lint and syntax checks read files, they don't start them.
    let module = words[first..].contains(&"-m")
        || words[first..]
            .iter()
            .any(|word| matches!(*word, "--check" | "-c" | "-e") || only_reads(program, word));
    let mut arguments = words
        .iter()
        .enumerate()
        .skip(first + 1)
        .filter(|(_, word)| !word.starts_with('-'));
    if runner {
        started.extend(arguments.map(|(at, _)| at));
    } else if interpreter && !module {
        started.extend(arguments.next().map(|(at, _)| at));
    }
    started
}

/// Has this option an interpreter only look at the syntax? `sh -n`, `perl -wc`, `php -l`.
fn only_reads(program: &str, option: &str) -> bool {
    let (letters, sign) = match program {
        "sh" | "bash" | "zsh" | "dash" | "ksh" => ("nuvx", 'n'),
        "perl" | "ruby" => ("wcTtWX", 'c'),
        "php" => ("l", 'l'),
        _ => return false,
    };
    let cluster = option.strip_prefix('-').unwrap_or_default();
    cluster.contains(sign) && cluster.chars().all(|letter| letters.contains(letter))
}

/// The module of the project that checks it, where Python is to run one: `python3 -m shop.selftest`.
fn own_module(words: &[&str]) -> impl Iterator<Item = String> {
    let python = words[0]
        .rsplit('/')
        .next()
        .is_some_and(|name| name.starts_with("python"));
    let pair = words.windows(2).find(|pair| python && pair[0] == "-m");
    let path = pair.map(|pair| format!("{}.py", pair[1].replace('.', "/")));
    path.filter(|path| is_checker(path)).into_iter()
}

/// Does a program of the project check it, by its name?
pub(super) fn is_checker(path: &str) -> bool {
    let stem = path.trim_end_matches(".py");
    is_helper(path) || stem.ends_with("test")
}

/// The recipe files of `make`, `just` and their kind.
fn recipes(words: &[&str]) -> Option<&'static [&'static str]> {
    let name = |word: &&&str| {
        matches!(
            word.rsplit('/').next(),
            Some("make" | "gmake" | "just" | "task" | "rake" | "npm" | "invoke")
        )
    };
    match *words.iter().find(name)? {
        "make" | "gmake" => Some(&["Makefile", "makefile", "GNUmakefile"]),
        "just" => Some(&["justfile", "Justfile"]),
        "task" => Some(&["Taskfile.yml", "Taskfile.yaml"]),
        "rake" => Some(&["Rakefile"]),
        "invoke" => Some(&["tasks.py"]),
        _ => None,
    }
}

/// The files that a word may mean: from the top, from the script's folder, behind a variable
/// (`$DIR/lib.sh`), or a module of Python.
fn resolve(word: &str, script: &Script, started: bool, tree: &Tree<'_>) -> Vec<String> {
    let word = word.trim_start_matches("./");
    let behind = word
        .starts_with('$')
        .then(|| word.split_once('/'))
        .flatten()
        .map_or(word, |(_, rest)| rest);
    let plain = behind.trim_start_matches('/').trim_end_matches('/');
    let mut names = vec![plain.to_owned(), join(&script.folder, plain)];
    if started && !plain.contains('/') {
        names.push(format!("{}.py", plain.replace('.', "/")));
    }
    names.retain(|name| tree.files.contains(name) && !manifest::is(name));
    names
}

pub(super) fn join(folder: &str, name: &str) -> String {
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in name.split('/') {
        match part {
            "." | "" => {}
            ".." => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    parts.join("/")
}

fn data_below(folder: &str, tree: &Tree<'_>) -> Vec<String> {
    let folder = folder.trim_start_matches("./");
    let Some((folder, _)) = folder.rsplit_once('/') else {
        return Vec::new();
    };
    let below = tree.files.iter().filter(|path| {
        path.strip_prefix(folder)
            .is_some_and(|rest| rest.starts_with('/'))
    });
    below
        .filter(|path| is_compared(path, tree))
        .cloned()
        .collect()
}

/// A script of a shell or of make, by its ending or its first line.
fn is_shell(path: &str, tree: &Tree<'_>) -> bool {
    match ending(path) {
        "sh" | "bash" | "zsh" | "ksh" | "fish" | "bats" | "mk" | "awk" | "sed" => true,
        "" => (tree.read)(path).is_some_and(|text| {
            text.starts_with("#!") || path.ends_with("akefile") || path.ends_with("ustfile")
        }),
        _ => false,
    }
}

/// What a gate compares with.
pub fn is_data(path: &str) -> bool {
    matches!(
        ending(path),
        "txt"
            | "out"
            | "expected"
            | "golden"
            | "csv"
            | "tsv"
            | "json"
            | "jsonl"
            | "xml"
            | "yaml"
            | "yml"
            | "in"
            | "exp"
            | "ref"
            | "sql"
            | "diff"
            | "sum"
            | "sha256"
            | "snap"
            | "dat"
    )
}

/// Is it data, and not what is worked on: a scheme that a script feeds to a database?
fn is_compared(path: &str, tree: &Tree<'_>) -> bool {
    let scheme = || (tree.read)(path).is_some_and(|text| sql::defines(&text));
    is_data(path) && (ending(path) != "sql" || is_helper(path) || !scheme())
}

fn is_program(path: &str) -> bool {
    matches!(
        ending(path),
        "py" | "js"
            | "mjs"
            | "cjs"
            | "ts"
            | "mts"
            | "rb"
            | "pl"
            | "php"
            | "lua"
            | "tcl"
            | "exs"
            | "java"
            | "kts"
            | ""
    )
}

/// Does a program check something, by its name or its folder's?
pub(super) fn is_helper(path: &str) -> bool {
    const WORDS: [&str; 24] = [
        "test", "tests", "check", "checks", "checker", "verify", "verifier", "ci", "scripts",
        "script", "tools", "tool", "lint", "bench", "qa", "hack", "e2e", "spec", "validate",
        "gate", "gates", "helper", "helpers", "runner",
    ];
    path.split(['/', '_', '-', '.'])
        .any(|word| WORDS.contains(&word.to_ascii_lowercase().as_str()))
}

/// Are the names in it followed?
fn is_followed(path: &str) -> bool {
    !is_data(path)
}

/// The scripts of every `package.json`, by name.
fn package_scripts(tree: &Tree<'_>) -> BTreeMap<String, Vec<String>> {
    let mut scripts: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let files = tree.files.iter().filter(|path| {
        path.rsplit('/').next() == Some("package.json") && !path.contains("node_modules/")
    });
    for path in files.take(50) {
        let json: Option<Value> =
            (tree.read)(path).and_then(|text| serde_json::from_str(&text).ok());
        for (name, text) in json
            .iter()
            .filter_map(|json| json.get("scripts")?.as_object())
            .flatten()
        {
            scripts
                .entry(name.clone())
                .or_default()
                .extend(text.as_str().map(str::to_owned));
        }
    }
    scripts
}

fn run_by_package_manager(
    script: &Script,
    packages: &BTreeMap<String, Vec<String>>,
) -> Vec<Script> {
    let mut found = Vec::new();
    if packages.is_empty() {
        return found;
    }
    for words in commands_of(&script.text) {
        let manager = words
            .iter()
            .position(|word| matches!(word.as_str(), "npm" | "yarn" | "pnpm" | "bun"));
        let Some(manager) = manager else { continue };
        let name = words[manager + 1..]
            .iter()
            .find(|word| !word.starts_with('-') && *word != "run" && *word != "run-script");
        let Some(name) = name.map(|name| if name == "t" { "test" } else { name.as_str() }) else {
            continue;
        };
        // A name may hold what parts words elsewhere.
        let longer = |key: &&String| {
            key.starts_with(&format!("{name}:")) && script.text.contains(key.as_str())
        };
        let name = packages.keys().rfind(longer).map_or(name, String::as_str);
        for name in [name.to_owned(), format!("pre{name}"), format!("post{name}")] {
            let texts = packages.get(&name).into_iter().flatten();
            // A script that names itself is looked at once.
            found.extend(
                texts
                    .filter(|text| **text != script.text)
                    .map(|text| command_line(text)),
            );
        }
    }
    found.truncate(FOLLOWED_MAX);
    found
}

#[cfg(test)]
mod tests;
