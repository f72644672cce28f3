//! Data that no convention and no gate script protects, or that one names and that is the work all the same.

use super::protect::ending;
use super::{answers, manifest, scripts};

/// Do a person's words name this file by its whole path? Then it is what is to be worked on.
pub fn is_asked_for(path: &str, words: &str) -> bool {
    has(words, path)
}

/// Does a program check something, or help to, by its own name?
pub fn checks_by_name(path: &str) -> bool {
    scripts::is_helper(path.rsplit('/').next().unwrap_or(path))
}

/// Is it code, by its name?
pub fn is_source(path: &str) -> bool {
    answers::is_code(&path.to_ascii_lowercase())
}

/// May what stands in this file ask for something of the work?
pub fn may_demand(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path).to_ascii_lowercase();
    let prose = matches!(ending(&name), "md" | "rst" | "adoc");
    // What is locked comes from what is named elsewhere.
    let locked = name.contains("lock") || ending(&name) == "sum";
    !prose && !locked && !answers::is_code(&name) && !manifest::is(path)
}

/// May a file of this name be a module of data?
pub fn is_module(path: &str) -> bool {
    matches!(ending(path), "py" | "js" | "mjs" | "cjs" | "ts" | "rb")
}

/// Is it a module that holds nothing but data, such as a list of cases?
pub fn is_of_data(path: &str, text: &str) -> bool {
    const CODE: [&str; 8] = [
        "def ", "class ", "function", "=>", "lambda", "import ", "require(", "for ",
    ];
    is_module(path) && text.contains(['[', '{']) && !CODE.iter().any(|word| text.contains(word))
}

/// Does the text of something that decides name it, or its folder?
pub fn is_read_by(text: &str, path: &str) -> bool {
    let mut parts = path.rsplit('/');
    let (name, folder) = (parts.next().unwrap_or(path), parts.next());
    let module = name.rsplit_once('.').filter(|_| answers::is_code(name));
    has(text, name)
        || module.is_some_and(|(module, _)| has(text, module))
        || folder.is_some_and(|folder| has(text, folder))
}

/// The same with nothing in it.
pub fn emptied(path: &str, text: &str) -> String {
    if answers::is_code(path) {
        return without_lists(text);
    }
    match text.trim_start().chars().next() {
        Some('{') => "{}",
        Some('[') => "[]",
        _ => "",
    }
    .to_owned()
}

/// A module of data with nothing in its outermost lists and tables.
fn without_lists(text: &str) -> String {
    let mut left = String::with_capacity(text.len());
    let (mut depth, mut quote, mut escaped) = (0_u32, None, false);
    for c in text.chars() {
        let inside = depth > 0;
        match (quote, c) {
            (Some(_), '\\') if !escaped => {
                escaped = true;
                continue;
            }
            (Some(open), c) if c == open && !escaped => quote = None,
            (None, '"' | '\'' | '`') => quote = Some(c),
            (None, '[' | '{') => depth += 1,
            (None, ']' | '}') => depth = depth.saturating_sub(1),
            _ => {}
        }
        escaped = false;
        if !inside || depth == 0 {
            left.push(c);
        }
    }
    left
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
            [" {\"a\": 1}", "[1]", "a 1"].map(|text| emptied("a.json", text)),
            ["{}", "[]", ""]
        );
        let cases = "# all\nCASES = [(\"a]\", {1: 2}), (3,)]\nLEAST = 3\n";
        assert!(is_of_data("a/samples.py", cases) && !is_of_data("a.py", "def f(): return []\n"));
        assert_eq!(
            emptied("samples.py", cases),
            "# all\nCASES = []\nLEAST = 3\n"
        );
        assert!(is_read_by("from samples import CASES\n", "samples.py"));
    }
}
