//! The format of grammars: one tool's patterns and what the lines mean that they describe, as data. Those that
//! are built in are read when this crate is built (`build.rs`), a person's own when a program starts.
//!
//! ```toml
//! [[grammar]]
//! tool = "acmelint"
//! problem = "{file}:{line}:{col}: {severity}: {message}"
//! fail = "[BAD] {name}"
//! pass = ["[GOOD] {name}", "[FINE] {name}"]
//! rules = [["Total: {total}", "tally"], ["{n} flaws", { part = "errors" }]]
//! ```
//!
//! The gaps of patterns and the meanings are explained in `lib-docs/digest.md`.

use super::meaning::{Act, Severity};
use serde::Deserialize;

/// The most patterns of one grammar, and the longest pattern.
const PATTERNS_MAX: usize = 64;
const PATTERN_MAX: usize = 500;
const TOOL_MAX: usize = 64;

/// What one tool prints.
#[derive(Debug)]
pub(crate) struct Grammar {
    pub(crate) tool: String,
    /// Texts of which one must occur before anything else counts; each has its own state. None: no such text.
    pub(crate) begins: Vec<String>,
    /// The details of a failing test follow later, below a line that is its name.
    pub(crate) headings: bool,
    /// It prints a suite like a test: only its own totals count.
    pub(crate) suites: bool,
    /// The first pattern that fits decides.
    pub(crate) rules: Vec<(String, Act)>,
}

/// Reads grammars; the error says in one line what is wrong.
pub(crate) fn read(text: &str) -> Result<Vec<Grammar>, String> {
    let file: File = toml::from_str(text).map_err(|error| error.message().to_owned())?;
    file.grammar.into_iter().map(Entry::check).collect()
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    grammar: Vec<Entry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    tool: String,
    #[serde(default)]
    begins: Texts,
    #[serde(default)]
    headings: bool,
    #[serde(default)]
    suites: bool,
    #[serde(default)]
    rules: Vec<(String, Act)>,
    #[serde(default)]
    problem: Texts,
    #[serde(default)]
    fail: Texts,
    #[serde(default)]
    pass: Texts,
    #[serde(default)]
    skip: Texts,
    #[serde(default)]
    result: Texts,
    #[serde(default)]
    show: Texts,
    #[serde(default)]
    noise: Texts,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Texts {
    One(String),
    Many(Vec<String>),
}

impl Default for Texts {
    fn default() -> Self {
        Self::Many(Vec::new())
    }
}

impl Texts {
    fn list(self) -> Vec<String> {
        match self {
            Self::One(one) => vec![one],
            Self::Many(many) => many,
        }
    }
}

impl Entry {
    fn check(self) -> Result<Grammar, String> {
        let tool = self.tool;
        let fields = [
            (self.problem, Act::Problem(Severity::Error)),
            (self.fail, Act::Fail),
            (self.pass, Act::Pass),
            (self.skip, Act::Skip),
            (self.result, Act::Result),
            (self.show, Act::Show),
            (self.noise, Act::End),
        ];
        let fields = fields
            .into_iter()
            .flat_map(|(texts, act)| texts.list().into_iter().map(move |text| (text, act)));
        let rules: Vec<_> = self.rules.into_iter().chain(fields).collect();
        if tool.is_empty() || tool.len() > TOOL_MAX || rules.is_empty() {
            return Err(format!("grammar {tool:?}: needs a name and a pattern"));
        }
        if rules.len() > PATTERNS_MAX {
            return Err(format!(
                "grammar {tool:?}: more than {PATTERNS_MAX} patterns"
            ));
        }
        for (pattern, act) in &rules {
            check(pattern, *act)
                .map_err(|what| format!("grammar {tool:?}: pattern {pattern:?} {what}"))?;
        }
        Ok(Grammar {
            tool,
            begins: self.begins.list(),
            headings: self.headings,
            suites: self.suites,
            rules,
        })
    }
}

/// What is wrong with a pattern.
fn check(pattern: &str, act: Act) -> Result<(), String> {
    if pattern.len() > PATTERN_MAX {
        return Err("is too long".to_owned());
    }
    if pattern.matches('{').count() != pattern.matches('}').count() {
        return Err("has an open gap".to_owned());
    }
    let mut literals = pattern
        .split('{')
        .map(|part| part.split_once('}').map_or(part, |(_, rest)| rest));
    // A place is told by its form.
    let literal =
        pattern.contains("{at}") || literals.any(|text| !text.trim_matches([' ', '^']).is_empty());
    if !literal {
        return Err("has no text of its own".to_owned());
    }
    let named = matches!(
        act,
        Act::Fail | Act::FailDetailed | Act::FailIndented | Act::FailAfter
    );
    let gaps = ["{name}", "{id}", "{label}", "{call}"];
    if named && !gaps.iter().any(|gap| pattern.contains(gap)) {
        return Err("needs {name}".to_owned());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grammars_are_read_and_checked() {
        let good = read(
            "[[grammar]]\ntool='x'\nproblem='{file}: {message}'\npass=['a {name}','b {name}']\nrules=[['c {n}',{part='failed'}]]",
        )
        .unwrap();
        assert_eq!((good.len(), good[0].rules.len()), (1, 4));
        for bad in [
            "[[grammar]]\ntool='x'",
            "[[grammar]]\ntool='x'\nfail='{name}'",
            "[[grammar]]\ntool='x'\nfail='bad {'",
            "[[grammar]]\ntool='x'\nfail='bad {n}'",
            "[[grammar]]\ntool='x'\nscript='rm'",
            "[[grammar]]\ntool='x'\nrules=[['c {n}','guess']]",
            "grammar = 3",
        ] {
            assert!(read(bad).is_err(), "{bad}");
        }
    }
}
