//! New tests, each judged by itself: run on dusk's sources, which of them pass there and so prove nothing.

use super::super::gates::GateOutcome;
use super::narrow::has_word;
use super::protect::ending;
use overnight_digest::{Digester, End, Options};

/// Tests of one file that the claim brings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Added {
    path: String,
    tests: Vec<String>,
}

impl Added {
    /// The tests of a file that it did not have before.
    pub fn of(path: &str, text: &str, before: &str) -> Self {
        let known = names(path, before);
        let new = names(path, text)
            .into_iter()
            .filter(|name| !known.contains(name));
        Self {
            path: path.to_owned(),
            tests: new.collect(),
        }
    }

    /// Has it new tests whose names are known?
    pub fn is_any(&self) -> bool {
        !self.tests.is_empty()
    }
}

/// What the tests of a file are called.
fn names(path: &str, text: &str) -> Vec<String> {
    let begins: &[&str] = match ending(path) {
        "py" | "rb" => &["def test_"],
        "go" => &["func Test"],
        "rs" => &["fn "],
        "js" | "mjs" | "cjs" | "ts" | "mts" | "cts" | "jsx" | "tsx" => {
            &["test(", "it(", "test.only(", "it.only("]
        }
        "bats" => &["@test "],
        _ => &[],
    };
    let mut found = Vec::new();
    let mut is_test = ending(path) != "rs";
    for line in text.lines().map(str::trim_start) {
        if ending(path) == "rs" && line.starts_with("#[") {
            is_test |= line.contains("test]") || line.contains("::test(");
            continue;
        }
        let Some(begin) = begins.iter().find(|begin| line.starts_with(**begin)) else {
            continue;
        };
        if std::mem::replace(&mut is_test, ending(path) != "rs") {
            found.extend(name(begin, &line[begin.len()..]));
        }
    }
    found
}

fn name(begin: &str, rest: &str) -> Option<String> {
    if begin.ends_with(['(', ' ']) && rest.starts_with(['"', '\'', '`']) {
        let quote = rest.chars().next()?;
        let end = rest[1..].find(quote)?;
        return Some(rest[1..=end].to_owned());
    }
    let word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '?' | '!');
    let end = rest.find(|c| !word(c)).unwrap_or(rest.len());
    let begin = begin.rsplit(' ').next().unwrap_or_default();
    (end > 0 && !begin.ends_with('(')).then(|| format!("{begin}{}", &rest[..end]))
}

/// Of the new tests those that pass on dusk's sources, by what each gate said of them there: whole files
/// where no test of theirs fails. Where a runner does not say which tests fail, nothing is known.
pub fn idle(added: &[Added], ran: &[(GateOutcome, String)]) -> Vec<String> {
    let red: Vec<_> = ran.iter().filter(|(gate, _)| !gate.passed()).collect();
    if red.is_empty() {
        return added.iter().map(|file| file.path.clone()).collect();
    }
    let mut failing: Vec<(String, String)> = Vec::new();
    for (gate, output) in red {
        let Some(told) = failures(gate, output) else {
            return Vec::new();
        };
        failing.extend(told);
    }
    let of = |file: &Added| {
        let name = file.path.rsplit('/').next().unwrap_or(&file.path);
        let stem = name.split('.').next().unwrap_or(name);
        let fails = |test: &String| failing.iter().any(|(name, _)| has_word(name, test));
        let (bad, good): (Vec<&String>, Vec<&String>) = file.tests.iter().partition(|t| fails(t));
        let in_it =
            |(test, place): &(String, String)| has_word(test, stem) || place.ends_with(name);
        match (bad.is_empty(), failing.iter().any(in_it)) {
            // It does not load there, or what fails in it has another name.
            (true, true) => Vec::new(),
            (true, false) => vec![file.path.clone()],
            (false, _) => good
                .iter()
                .map(|test| format!("{}: {test}", file.path))
                .collect(),
        }
    };
    added.iter().flat_map(of).collect()
}

/// The failing tests with their files, where a gate names all of them and some test passed.
fn failures(gate: &GateOutcome, output: &str) -> Option<Vec<(String, String)>> {
    let passed = gate.tests.and_then(|tests| tests.passed);
    if passed.is_none_or(|passed| passed == 0) {
        return None;
    }
    let mut digester = Digester::new(Options {
        tests: true,
        ..Options::default()
    });
    digester.push(output.as_bytes());
    let digest = digester.finish(gate.exit.map_or(End::Unknown, End::Exit), None);
    let told = digest.failures.into_iter();
    let told: Vec<_> = told
        .map(|failure| (failure.name, failure.file.unwrap_or_default()))
        .collect();
    (!told.is_empty() && digest.failures_left_out == 0).then_some(told)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gates::count;

    fn ran(exit: i32, output: &str) -> (GateOutcome, String) {
        let outcome = GateOutcome {
            command: "g".into(),
            exit: Some(exit),
            tests: count::count(output, Some(exit)),
            ..GateOutcome::default()
        };
        (outcome, output.to_owned())
    }

    #[test]
    fn the_names_of_tests_are_read_in_each_language() {
        for (path, text, wanted) in [
            (
                "test_a.py",
                "class T:\n    def test_one(self):\n    def help(self):\n",
                "test_one",
            ),
            (
                "a_test.go",
                "func TestOne(t *testing.T) {\nfunc help() {\n",
                "TestOne",
            ),
            (
                "src/a.rs",
                "#[test]\n#[ignore]\nfn one() {}\nfn help() {}\n",
                "one",
            ),
            (
                "a.test.js",
                "test(\"adds two\", () => {\nit(name, f)\n",
                "adds two",
            ),
            ("a.rb", "  def test_one\n", "test_one"),
        ] {
            assert_eq!(names(path, text), [wanted]);
        }
    }

    #[test]
    fn a_test_that_passes_without_the_work_is_named_beside_one_that_fails() {
        let text = "def test_red():\n    assert f() == 2\n\n\ndef test_idle():\n    assert True\n";
        let other = "def test_too():\n    pass\n";
        let added = [
            Added::of("tests/test_new.py", text, ""),
            Added::of("tests/test_other.py", other, ""),
            Added::of("tests/test_broken.py", other, ""),
        ];
        let output = "F..E [100%]\n=== FAILURES ===\n___ test_red ___\n\n    def test_red():\n>       assert f() == 2\nE       assert 1 == 2\n\ntests/test_new.py:2: AssertionError\n=== short test summary info ===\nFAILED tests/test_new.py::test_red - assert 1 == 2\nERROR tests/test_broken.py - ImportError\n=== 1 failed, 2 passed, 1 error in 0.03s ===\n";
        let ran = [ran(1, output)];
        assert_eq!(
            idle(&added, &ran),
            ["tests/test_new.py: test_idle", "tests/test_other.py"]
        );
        let before = [Added::of("tests/test_new.py", text, "def test_idle():\n")];
        assert!(idle(&before, &ran).is_empty(), "it was there");
    }

    #[test]
    fn where_nothing_is_told_of_single_tests_nothing_is_known() {
        let added = [Added::of("tests/a.sh", "exit 1\n", "")];
        assert!(idle(&added, &[ran(1, "no\n")]).is_empty());
        assert_eq!(idle(&added, &[ran(0, "")]), ["tests/a.sh"]);
    }
}
