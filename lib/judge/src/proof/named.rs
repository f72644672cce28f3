//! What tests name in turn: the cases that they read, and the files that hold tests of a Rust source.

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
        if protect::kind(path) == Some(Kind::Test) && !is_data(path) {
            found.extend(cases(path, tree));
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
    path.split(['/', '_', '-', '.'])
        .any(|word| CASES.contains(&word.to_ascii_lowercase().as_str()))
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
                _ => String::new(),
            })
        };
        let tree = Tree {
            files: &files,
            read: &read,
        };
        let expected = ["data/cases.json", "src/a/checks.rs", "src/checks.rs"];
        assert_eq!(by_tests(&tree), expected.map(str::to_owned).into());
    }
}
