//! Data that no convention and no gate script protects, or that one names and that is the work all the same.

use super::protect::ending;
use super::{answers, manifest};

/// Do a person's words name this file by its whole path? Then it is what is to be worked on.
pub fn is_asked_for(path: &str, words: &str) -> bool {
    has(words, path)
}

/// May what stands in this file ask for something of the work?
pub fn may_demand(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path).to_ascii_lowercase();
    let prose = matches!(ending(&name), "md" | "rst" | "adoc");
    // What is locked comes from what is named elsewhere.
    let locked = name.contains("lock") || ending(&name) == "sum";
    !prose && !locked && !answers::is_code(&name) && !manifest::is(path)
}

/// Does the text of something that decides name it, or its folder?
pub fn is_read_by(text: &str, path: &str) -> bool {
    let mut parts = path.rsplit('/');
    let (name, folder) = (parts.next().unwrap_or(path), parts.next());
    has(text, name) || folder.is_some_and(|folder| has(text, folder))
}

/// The same with nothing in it.
pub fn emptied(text: &str) -> &'static str {
    match text.trim_start().chars().next() {
        Some('{') => "{}",
        Some('[') => "[]",
        _ => "",
    }
}

/// As a name of its own, whatever stands around it.
fn has(text: &str, name: &str) -> bool {
    let part = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
    text.match_indices(name).any(|(at, _)| {
        let behind = text[at + name.len()..].trim_start_matches('.');
        !text[..at].ends_with(|c: char| part(c) || c == '.') && !behind.starts_with(part)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_asked_for_is_named_by_its_whole_path() {
        let words = "Fill in data/cities.json. It lacks what en.json has.";
        assert!(is_asked_for("data/cities.json", words));
        assert!(!is_asked_for("locales/en.json", words));
        assert!(!is_asked_for("cities.json", "Fill in more-cities.json"));
    }

    #[test]
    fn data_that_tests_read_may_ask_for_something() {
        for path in [
            "examples/rows.txt",
            "records/a.rec",
            "dev.env",
            "build/list",
        ] {
            assert!(may_demand(path), "{path}");
        }
        for path in ["a.py", "README.md", "Cargo.lock", "go.sum", "package.json"] {
            assert!(!may_demand(path), "{path}");
        }
        let test = "open(root / \"examples\" / name); read(`../records/${name}.rec`)";
        assert!(is_read_by(test, "examples/rows.txt") && is_read_by(test, "records/a.rec"));
        assert!(!is_read_by(test, "public/index.html"));
        assert_eq!(
            [emptied(" {\"a\": 1}"), emptied("[1]"), emptied("a 1")],
            ["{}", "[]", ""]
        );
    }
}
