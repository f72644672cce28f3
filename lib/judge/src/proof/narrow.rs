//! A gate that runs some test files alone: the small step before the whole gate, where its runner takes
//! files.

use super::protect::{self, Kind, ending};
use super::scripts::is_data;
use std::collections::BTreeMap;

/// Folders and names that say nothing of what stands in a source.
const COMMON: [&str; 8] = [
    "lib", "main", "mod", "index", "__init__", "init", "app", "src",
];
/// Files that are named in one command at most.
const FILES_MAX: usize = 200;

/// How a runner takes files.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Takes {
    /// As arguments in place of its own.
    Files,
    /// The same as modules of Python.
    Modules,
    /// Words of the names of tests, which hold their module's.
    Names,
    /// Their folders as packages of Go.
    Packages,
    /// The names of test targets of cargo.
    Targets,
}

/// The test files among these that touch a source by name: in their own name, or in their text.
pub fn touching<'p>(
    source: &str,
    paths: impl IntoIterator<Item = &'p String>,
    read: impl Fn(&str) -> Option<String>,
) -> Vec<String> {
    let name = source.rsplit('/').next().unwrap_or(source);
    let stem = name.split('.').next().unwrap_or(name);
    let folder = source.rsplit('/').nth(1).unwrap_or_default();
    let word = if COMMON.contains(&stem) { folder } else { stem };
    if word.len() < 2 {
        return Vec::new();
    }
    let touches = |path: &&String| {
        is_test(path)
            && (has_word(path, word) || read(path).is_some_and(|text| has_word(&text, word)))
    };
    paths.into_iter().filter(touches).cloned().collect()
}

/// Is it a file of tests, not data of theirs?
pub fn is_test(path: &str) -> bool {
    protect::kind(path) == Some(Kind::Test) && !is_data(path)
}

/// As a whole: letters and digits stand neither before nor behind it.
pub(super) fn has_word(text: &str, word: &str) -> bool {
    text.match_indices(word).any(|(at, _)| {
        let apart = |c: Option<char>| !c.is_some_and(char::is_alphanumeric);
        apart(text[..at].chars().next_back()) && apart(text[at + word.len()..].chars().next())
    })
}

/// The command that runs these test files alone; `None` where its runner is not known to take files, or
/// takes none of these.
pub fn narrowed(gate: &str, files: &[String], is_path: impl Fn(&str) -> bool) -> Option<String> {
    let plain = |c: char| c.is_alphanumeric() || " _-./=:,+@".contains(c);
    if files.is_empty() || files.len() > FILES_MAX || !gate.chars().all(plain) {
        return None;
    }
    let words: Vec<&str> = gate.split_whitespace().collect();
    let (takes, from) = runner(&words)?;
    let named: Vec<String> = files
        .iter()
        .filter(|file| file.chars().all(plain) && !file.contains(' '))
        .filter_map(|file| argument(takes, file))
        .collect();
    if named.is_empty() {
        return None;
    }
    let (head, own) = words.split_at(from);
    if takes == Takes::Targets && own.contains(&"--") {
        return None;
    }
    let whole = |word: &&&str| {
        let path = word.trim_end_matches("/...").trim_end_matches('/');
        is_path(path.trim_start_matches("./")) || matches!(**word, "./..." | "." | "./")
    };
    // Where the runner looks for tests stays where it only leaves out what has other names.
    let kept = own.iter();
    let kept = kept
        .filter(|word| takes == Takes::Names || !whole(word))
        .copied();
    let mut words: Vec<&str> = head.iter().copied().chain(kept).collect();
    let mut named: Vec<&str> = named.iter().map(String::as_str).collect();
    named.sort_unstable();
    named.dedup();
    for name in named {
        words.extend((takes == Takes::Names).then_some("-k"));
        words.push(name);
    }
    Some(words.join(" "))
}

/// Is it one of these files, or a folder that holds one?
pub fn stands_in(files: &BTreeMap<String, String>, path: &str) -> bool {
    let rest = |known: &String| known.strip_prefix(path).map(|rest| rest.starts_with('/'));
    files.contains_key(path) || files.keys().any(|known| rest(known) == Some(true))
}

/// The same, where it runs each of these.
pub fn of_all(gate: &str, files: &[String], is_path: impl Fn(&str) -> bool) -> Option<String> {
    let alone = |file: &String| narrowed(gate, std::slice::from_ref(file), &is_path).is_some();
    files
        .iter()
        .all(alone)
        .then(|| narrowed(gate, files, &is_path))?
}

/// The runner of a plain command: how it takes files, and where its own arguments begin.
fn runner(words: &[&str]) -> Option<(Takes, usize)> {
    let name = |at: usize| {
        words
            .get(at)
            .map(|word| word.rsplit('/').next().unwrap_or(word))
    };
    // `VARIABLE=value`, and what only starts another program.
    let mut at = words.iter().take_while(|word| word.contains('=')).count();
    while matches!(
        name(at),
        Some("npx" | "bunx" | "exec" | "uv" | "poetry" | "run" | "bundle")
    ) {
        at += 1;
    }
    let program = name(at)?;
    let second = words.get(at + 1).copied();
    match (program, second) {
        ("pytest" | "py.test" | "rspec" | "phpunit" | "bats" | "mocha" | "jest" | "tape", _) => {
            Some((Takes::Files, at + 1))
        }
        ("vitest", Some("run")) | ("node", Some("--test")) => Some((Takes::Files, at + 2)),
        ("go", Some("test")) => Some((Takes::Packages, at + 2)),
        ("cargo", Some("test")) => Some((Takes::Targets, at + 2)),
        ("cargo", Some("nextest")) => Some((Takes::Targets, at + 3)),
        (python, _) if python.starts_with("python") => {
            let flags = words[at + 1..]
                .iter()
                .take_while(|word| word.starts_with('-'));
            let module = at + 1 + flags.take_while(|word| **word != "-m").count();
            match (words.get(module), words.get(module + 1)) {
                (Some(&"-m"), Some(&"pytest")) => Some((Takes::Files, module + 2)),
                (Some(&"-m"), Some(&"unittest")) if words.contains(&"discover") => {
                    (!words.contains(&"-k")).then_some((Takes::Names, words.len()))
                }
                (Some(&"-m"), Some(&"unittest")) => Some((Takes::Modules, module + 2)),
                _ => None,
            }
        }
        _ => None,
    }
}

fn argument(takes: Takes, file: &str) -> Option<String> {
    match takes {
        Takes::Files => Some(file.to_owned()),
        Takes::Modules => file
            .strip_suffix(".py")
            .filter(|module| !module.contains(['-', '.']))
            .map(|module| module.replace('/', ".")),
        // The dot keeps it from naming a longer one that begins like it.
        Takes::Names => file
            .strip_suffix(".py")
            .map(|module| module.rsplit('/').next().unwrap_or(module))
            .filter(|module| !module.contains(['-', '.']))
            .map(|module| format!("{module}.")),
        Takes::Packages => (ending(file) == "go").then(|| {
            let folder = file.rsplit_once('/').map(|(folder, _)| folder);
            folder.map_or_else(|| ".".to_owned(), |folder| format!("./{folder}"))
        }),
        Takes::Targets => {
            let target = file.strip_prefix("tests/")?.strip_suffix(".rs")?;
            (!target.contains('/')).then(|| format!("--test={target}"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_runner_runs_some_files_alone() {
        let is_path = |path: &str| matches!(path, "tests" | "test" | "test/all.js" | "pkg");
        let of = |gate: &str, file: &str| narrowed(gate, &[file.to_owned()], is_path);
        for (gate, file, wanted) in [
            (
                "pytest -q tests",
                "tests/test_a.py",
                "pytest -q tests/test_a.py",
            ),
            (
                ".venv/bin/python -m pytest",
                "t.py",
                ".venv/bin/python -m pytest t.py",
            ),
            (
                "python3 -B -m unittest -q",
                "tests/test_a.py",
                "python3 -B -m unittest -q tests.test_a",
            ),
            (
                "node --test test/",
                "test/a.test.js",
                "node --test test/a.test.js",
            ),
            ("npx tape test/all.js", "test/a.js", "npx tape test/a.js"),
            (
                "CI=1 npx vitest run",
                "a.test.ts",
                "CI=1 npx vitest run a.test.ts",
            ),
            ("go test ./...", "pkg/a_test.go", "go test ./pkg"),
            ("go test .", "a_test.go", "go test ."),
            ("cargo test -q", "tests/it.rs", "cargo test -q --test=it"),
            (
                "python3 -m unittest discover -s tests -t .",
                "tests/test_a.py",
                "python3 -m unittest discover -s tests -t . -k test_a.",
            ),
        ] {
            assert_eq!(of(gate, file).as_deref(), Some(wanted));
        }
        for (gate, file) in [
            ("make test", "tests/test_a.py"),
            ("cd a && pytest", "tests/test_a.py"),
            ("pytest tests/*.py", "tests/test_a.py"),
            ("python3 -m unittest discover -k a", "tests/test_a.py"),
            ("cargo test", "src/a.rs"),
            ("cargo test -- a", "tests/it.rs"),
            ("pytest", "tests/test a.py"),
        ] {
            assert_eq!(of(gate, file), None, "{gate} {file}");
        }
    }

    #[test]
    fn a_runner_that_takes_only_some_of_the_files_runs_none_alone() {
        let files = |names: &[&str]| {
            names
                .iter()
                .map(|name| (*name).to_owned())
                .collect::<Vec<_>>()
        };
        let of = |gate: &str, names: &[&str]| of_all(gate, &files(names), |_| false);
        let wanted = "python3 -m unittest discover -k test_a. -k test_b.";
        let both = ["tests/test_a.py", "tests/test_b.py"];
        assert_eq!(
            of("python3 -m unittest discover", &both).as_deref(),
            Some(wanted)
        );
        let other = ["tests/test_a.py", "tests/b.sh"];
        assert_eq!(of("python3 -m unittest discover", &other), None);
        assert_eq!(of("cargo test", &["tests/a.rs", "tests/b/mod.rs"]), None);
    }

    #[test]
    fn a_test_touches_what_it_names() {
        let texts = [
            ("tests/test_money.py", ""),
            ("tests/test_all.py", "from shop.money import add\n"),
            ("tests/test_other.py", "moneys = 1\n"),
            ("tests/money.json", "{}"),
            ("money.py", ""),
        ];
        let paths: Vec<String> = texts.iter().map(|(path, _)| (*path).to_owned()).collect();
        let read = |path: &str| {
            let text = texts.iter().find(|(name, _)| *name == path);
            text.map(|(_, text)| (*text).to_owned())
        };
        let found = touching("shop/money.py", &paths, read);
        assert_eq!(found, ["tests/test_money.py", "tests/test_all.py"]);
        assert_eq!(
            touching("shop/__init__.py", &paths, read),
            ["tests/test_all.py"]
        );
        assert!(touching("lib.rs", &paths, read).is_empty());
    }
}
