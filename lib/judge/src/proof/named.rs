//! What tests name in turn: the cases that they read, and the files that hold tests of a Rust source.

use super::inline::program;
use super::protect::{self, Kind, ending};
use super::scripts::{Tree, commands_of, is_data, join};
use std::collections::BTreeSet;

/// Words in the path of data that tests compare with.
const CASES: [&str; 20] = [
    "case",
    "cases",
    "expect",
    "expected",
    "expectation",
    "expectations",
    "golden",
    "goldens",
    "fixture",
    "fixtures",
    "sample",
    "samples",
    "vector",
    "vectors",
    "baseline",
    "reference",
    "answers",
    "want",
    "wanted",
    "testdata",
];

/// The tracked files that decide because tests name them.
pub fn by_tests(tree: &Tree<'_>) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for path in tree.files {
        if ending(path) == "rs" {
            found.extend(modules(path, tree));
        }
        if path.ends_with("Cargo.toml") {
            found.extend(for_tests_alone(path, tree));
        }
        let checks = is_checking(path, tree) || is_for_tests(path, tree);
        if checks {
            found.insert(path.clone());
        }
        if checks || protect::kind(path) == Some(Kind::Test) && !is_data(path) {
            found.extend(cases(path, tree));
            found.extend(helpers(path, tree));
        }
    }
    found
}

/// Is it a program that checks something, whatever it is called?
fn is_checking(path: &str, tree: &Tree<'_>) -> bool {
    matches!(ending(path), "c" | "cc" | "cpp" | "cxx" | "java")
        && (tree.read)(path).is_some_and(|text| program::is_checking(&text))
}

/// Does a source take in what runs tests? Then it helps them, whatever it is called.
fn is_for_tests(path: &str, tree: &Tree<'_>) -> bool {
    let takes_in = |text: String| text.lines().any(|line| takes_in_runner(path, line.trim()));
    matches!(
        ending(path),
        "go" | "py" | "js" | "mjs" | "cjs" | "ts" | "rb"
    ) && protect::kind(path).is_none()
        && (tree.read)(path).is_some_and(takes_in)
}

/// Does this line take in what runs tests?
pub(super) fn takes_in_runner(path: &str, line: &str) -> bool {
    let words: &[&str] = match ending(path) {
        "py" => &[
            "import unittest",
            "from unittest",
            "import pytest",
            "from pytest",
            "import _pytest",
        ],
        "js" | "mjs" | "cjs" | "ts" | "mts" => &[
            "\"node:test\"",
            "'node:test'",
            "\"vitest\"",
            "'vitest'",
            "@jest/globals",
            "\"tape\"",
            "'tape'",
            "\"mocha\"",
            "'mocha'",
        ],
        "rb" => &["Minitest", "RSpec", "minitest/"],
        "pm" | "pl" => &["Test::More", "Test::Builder"],
        "go" => &["\"testing\""],
        "java" => &["org.junit"],
        _ => &[],
    };
    words.iter().any(|word| line.contains(word))
}

/// The files of a crate of the project's own that nothing but tests depend on.
fn for_tests_alone(manifest: &str, tree: &Tree<'_>) -> Vec<String> {
    let text = (tree.read)(manifest).unwrap_or_default();
    let parsed: Option<toml::Table> = text.parse().ok();
    let section = |name: &str| parsed.as_ref()?.get(name)?.as_table();
    let work = section("dependencies");
    let mut found = Vec::new();
    for (name, value) in section("dev-dependencies").into_iter().flatten() {
        let path = value
            .as_table()
            .and_then(|table| table.get("path")?.as_str());
        let Some(path) = path.filter(|_| work.is_none_or(|work| !work.contains_key(name))) else {
            continue;
        };
        let folder = manifest.rsplit_once('/').map_or("", |(folder, _)| folder);
        let below = format!("{}/src/", join(folder, path));
        let others = tree.files.iter().filter(|other| {
            other.ends_with("Cargo.toml")
                && *other != manifest
                && !format!("{other}/").starts_with(below.trim_end_matches("src/"))
        });
        let shared = others
            .filter_map(|other| (tree.read)(other))
            .any(|text| text.contains(&format!("{name} ")));
        if !shared {
            found.extend(
                tree.files
                    .iter()
                    .filter(|file| file.starts_with(&below))
                    .cloned(),
            );
        }
    }
    found
}

/// Words in the path of what tests assert with.
const HELPERS: [&str; 17] = [
    "support",
    "helper",
    "helpers",
    "check",
    "checks",
    "assert",
    "asserts",
    "assertion",
    "assertions",
    "expect",
    "matcher",
    "matchers",
    "testing",
    "testutil",
    "testutils",
    "testkit",
    "harness",
];
/// Endings that an import leaves out.
const LEFT_OUT: [&str; 9] = [
    "",
    ".js",
    ".mjs",
    ".cjs",
    ".ts",
    ".tsx",
    ".rb",
    ".py",
    "/__init__.py",
];

/// What a test imports that asserts for it: called so, and with assertions in it.
fn helpers(path: &str, tree: &Tree<'_>) -> Vec<String> {
    let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
    let text = (tree.read)(path).unwrap_or_default();
    let imported = imports(path, &text);
    let mut named: Vec<String> = imported
        .iter()
        .flat_map(|name| [join("", name), join(folder, name)])
        .flat_map(|name| LEFT_OUT.map(|ending| format!("{name}{ending}")))
        .collect();
    // A header is looked for in folders that the build names.
    for name in imported.iter().filter(|name| is_header(name)) {
        let below = format!("/{name}");
        named.extend(
            tree.files
                .iter()
                .filter(|path| path.ends_with(&below))
                .cloned(),
        );
    }
    let asserts = |name: &String| {
        let text = (tree.read)(name).unwrap_or_default();
        let words: &[&str] = match ending(name) {
            "py" => &["AssertionError", "unittest", "pytest"],
            _ if is_header(name) => &["assert", "abort(", "exit(", "return 1"],
            _ => &["assert", "expect("],
        };
        words.iter().any(|word| text.contains(word))
    };
    named
        .into_iter()
        .filter(|name| tree.files.contains(name) && has_word_of(name, &HELPERS) && asserts(name))
        .collect()
}

fn is_header(name: &str) -> bool {
    matches!(ending(name), "h" | "hh" | "hpp")
}

/// The paths that a test imports: `from a.b import c`, `require("../a")`, `#include "a.h"`.
fn imports(path: &str, text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for line in text.lines().map(str::trim) {
        if ending(path) == "py" {
            let module = line
                .strip_prefix("from ")
                .or_else(|| line.strip_prefix("import "));
            let module = module.and_then(|rest| rest.split([' ', ',']).next());
            found.extend(module.map(|module| module.trim_start_matches('.').replace('.', "/")));
        } else if ["require", "import", "from", "#include"]
            .iter()
            .any(|word| line.contains(word))
        {
            let quoted = line.split(['"', '\'']).skip(1).step_by(2);
            found.extend(quoted.map(str::to_owned));
            let header = line.split(['<', '>']).nth(1).filter(|name| is_header(name));
            found.extend(header.map(str::to_owned));
        }
    }
    found
}

/// The cases that a test reads, named from the top or from its own folder.
fn cases(path: &str, tree: &Tree<'_>) -> Vec<String> {
    let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
    let text = (tree.read)(path).unwrap_or_default();
    let words = commands_of(&text);
    let names = words
        .iter()
        .flatten()
        .filter(|word| is_data(word))
        .flat_map(|word| [join("", word), join(folder, word)]);
    names
        .filter(|name| tree.files.contains(name) && is_case(name))
        .collect()
}

fn is_case(path: &str) -> bool {
    has_word_of(path, &CASES)
}

fn has_word_of(path: &str, words: &[&str]) -> bool {
    path.split(['/', '_', '-', '.'])
        .any(|word| words.contains(&word.to_ascii_lowercase().as_str()))
}

/// The files of `#[cfg(test)] mod name;` in a source.
fn modules(path: &str, tree: &Tree<'_>) -> Vec<String> {
    let text = (tree.read)(path).unwrap_or_default();
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    // `src/a.rs` has its modules in `src/a/`, `src/lib.rs` and `mod.rs` beside themselves.
    let inside = match name {
        "lib.rs" | "main.rs" | "mod.rs" => folder.to_owned(),
        _ => join(folder, name.trim_end_matches(".rs")),
    };
    let mut found = Vec::new();
    for part in text.split("#[cfg(test)]").skip(1) {
        let item = part.trim_start();
        let item = item.strip_prefix("pub ").unwrap_or(item);
        let Some(module) = item
            .strip_prefix("mod ")
            .and_then(|rest| rest.split_once(';'))
            .map(|(module, _)| module.trim())
            .filter(|module| !module.contains(['{', ' ', '\n']))
        else {
            continue;
        };
        let below = join(&inside, module);
        for file in [format!("{below}.rs"), format!("{below}/mod.rs")] {
            if tree.files.contains(&file) {
                found.push(file);
            }
        }
        found.extend(
            tree.files
                .iter()
                .filter(|file| file.starts_with(&format!("{below}/")))
                .cloned(),
        );
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_name_their_cases_and_sources_their_test_modules() {
        let files: BTreeSet<String> = [
            "data/cases.json",
            "config/default.json",
            "src/lib.rs",
            "src/checks.rs",
            "src/a.rs",
            "src/a/checks.rs",
            "t.c",
            "src/other.rs",
            "tests/test_a.py",
        ]
        .map(str::to_owned)
        .into();
        let read = |path: &str| {
            Some(match path {
                "src/lib.rs" => "mod a;\n#[cfg(test)]\nmod checks;\nmod other;\n".to_owned(),
                "src/a.rs" => "#[cfg(test)]\nmod checks;\n".to_owned(),
                "tests/test_a.py" => {
                    "open('data/cases.json'); open('config/default.json')".to_owned()
                }
                "t.c" => "int main(void) { assert(f(1) == 2); }".to_owned(),
                _ => String::new(),
            })
        };
        let tree = Tree {
            files: &files,
            read: &read,
        };
        let expected = ["data/cases.json", "src/a/checks.rs", "src/checks.rs", "t.c"];
        assert_eq!(by_tests(&tree), expected.map(str::to_owned).into());
    }

    #[test]
    fn what_tests_import_to_assert_with_decides_and_what_they_test_does_not() {
        let files: BTreeSet<String> = [
            "checks.py",
            "include/expect.h",
            "include/trim.h",
            "lib/check.js",
            "lib/index.js",
            "shop.py",
            "support/checks.py",
            "test/a.test.js",
            "test/trim.c",
            "tests/test_a.py",
        ]
        .map(str::to_owned)
        .into();
        let read = |path: &str| {
            let text = match path {
                "test/trim.c" => "#include \"expect.h\"\n#include <trim.h>\n",
                "include/expect.h" => "#define EXPECT(a, b) if ((a) != (b)) exit(1)\n",
                "include/trim.h" => "char *trim(char *s);\n",
                "tests/test_a.py" => {
                    "import shop\nimport checks\nfrom support.checks import same\n"
                }
                "test/a.test.js" => {
                    "const { near } = require('../lib/check.js');\nrequire('../lib');\n"
                }
                "support/checks.py" => "raise AssertionError(1)\n",
                "shop.py" => "assert True\n",
                "lib/check.js" | "lib/index.js" => "require('node:assert');\n",
                _ => "def check(n):\n    assert n\n",
            };
            Some(text.to_owned())
        };
        let tree = Tree {
            files: &files,
            read: &read,
        };
        let expected = ["include/expect.h", "lib/check.js", "support/checks.py"];
        assert_eq!(by_tests(&tree), expected.map(str::to_owned).into());
    }

    #[test]
    fn what_takes_in_a_runner_or_only_tests_depend_on_decides() {
        let texts = [
            ("go/same.go", "import \"testing\"\n"),
            ("base.py", "import unittest\n"),
            ("work.py", "import json\n"),
            (
                "Cargo.toml",
                "[dependencies]\nboth = { path = \"both\" }\n[dev-dependencies]\nchecks = { path = \"checks\" }\nboth = { path = \"both\" }\n",
            ),
            ("checks/src/lib.rs", ""),
            ("both/src/lib.rs", ""),
        ];
        let files = texts.iter().map(|(path, _)| (*path).to_owned()).collect();
        let text = |path: &str| texts.iter().find(|(name, _)| *name == path);
        let read = |path: &str| text(path).map(|(_, text)| (*text).to_owned());
        let found = by_tests(&Tree {
            files: &files,
            read: &read,
        });
        let expected = ["base.py", "checks/src/lib.rs", "go/same.go"];
        assert_eq!(found.into_iter().collect::<Vec<_>>(), expected);
    }
}
