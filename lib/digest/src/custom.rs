//! A person's own grammars, as plain data: the fields of a problem matcher, no scripting.
//!
//! ```toml
//! [[grammar]]
//! tool = "acmelint"
//! problem = "{file}:{line}:{col}: {severity}: {message}"
//! fail = "[BAD] {name}"
//! pass = "[GOOD] {name}"
//! result = "SUMMARY {}"
//! ```
//!
//! Every field but `tool` may be one pattern or a list of them. The gaps are explained in
//! `lib-docs/digest.md`.

use serde::Deserialize;

use super::pattern;

/// The most grammars, the most patterns of one, and the longest pattern that a file may have.
const GRAMMARS_MAX: usize = 64;
const PATTERNS_MAX: usize = 64;
const PATTERN_MAX: usize = 500;

/// A grammar of a person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Custom {
    /// The tool's name. Names live as long as the process, which reads them once, 64 at most.
    pub tool: &'static str,
    /// Patterns and what a line of each means.
    pub(super) rules: Vec<(String, Meaning)>,
}

/// What a line means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Meaning {
    Problem,
    Fail,
    Pass,
    Skip,
    Result,
    Show,
    Noise,
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
    problem: Patterns,
    #[serde(default)]
    fail: Patterns,
    #[serde(default)]
    pass: Patterns,
    #[serde(default)]
    skip: Patterns,
    #[serde(default)]
    result: Patterns,
    #[serde(default)]
    show: Patterns,
    #[serde(default)]
    noise: Patterns,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Patterns {
    One(String),
    Many(Vec<String>),
}

impl Default for Patterns {
    fn default() -> Self {
        Self::Many(Vec::new())
    }
}

/// Reads grammars from TOML; the error says in one line what is wrong.
pub fn parse(text: &str) -> Result<Vec<Custom>, String> {
    let file: File = toml::from_str(text).map_err(|error| error.message().to_owned())?;
    if file.grammar.len() > GRAMMARS_MAX {
        return Err(format!("more than {GRAMMARS_MAX} grammars"));
    }
    file.grammar.into_iter().map(Entry::check).collect()
}

impl Custom {
    /// Whether a pattern describes this line: then what stands first in it is no prefix.
    pub(super) fn knows(&self, text: &str) -> bool {
        self.rules
            .iter()
            .any(|(pattern, _)| pattern::find(pattern, text).is_some())
    }

    /// The longest text of each pattern that stands in every line it matches.
    pub(super) fn anchors(&self) -> impl Iterator<Item = &str> {
        self.rules
            .iter()
            .map(|(pattern, _)| pattern::anchor(pattern))
            .filter(|anchor| !anchor.is_empty())
    }
}

impl Entry {
    fn check(self) -> Result<Custom, String> {
        let fields = [
            (self.problem, Meaning::Problem),
            (self.fail, Meaning::Fail),
            (self.pass, Meaning::Pass),
            (self.skip, Meaning::Skip),
            (self.result, Meaning::Result),
            (self.show, Meaning::Show),
            (self.noise, Meaning::Noise),
        ];
        let mut rules = Vec::new();
        for (patterns, meaning) in fields {
            let patterns = match patterns {
                Patterns::One(one) => vec![one],
                Patterns::Many(many) => many,
            };
            for pattern in patterns {
                check(&self.tool, &pattern, meaning)?;
                rules.push((pattern, meaning));
            }
        }
        if self.tool.is_empty() || self.tool.len() > 64 || rules.is_empty() {
            return Err(format!(
                "grammar {:?}: needs a name and a pattern",
                self.tool
            ));
        }
        if rules.len() > PATTERNS_MAX {
            return Err(format!(
                "grammar {:?}: more than {PATTERNS_MAX} patterns",
                self.tool
            ));
        }
        Ok(Custom {
            tool: self.tool.leak(),
            rules,
        })
    }
}

fn check(tool: &str, pattern: &str, meaning: Meaning) -> Result<(), String> {
    let fault = |what: &str| Err(format!("grammar {tool:?}: pattern {pattern:?} {what}"));
    if pattern.len() > PATTERN_MAX {
        return fault("is too long");
    }
    if pattern.matches('{').count() != pattern.matches('}').count() {
        return fault("has an open gap");
    }
    let literal = pattern
        .split('{')
        .map(|part| part.split_once('}').map_or(part, |(_, rest)| rest))
        .any(|part| {
            part.chars().any(char::is_alphanumeric) || part.trim().len() > 1 || part.contains(':')
        });
    if !literal {
        return fault("has no text of its own");
    }
    let needs = match meaning {
        Meaning::Problem => "{message}",
        Meaning::Fail => "{name}",
        _ => "",
    };
    if pattern.contains(needs) {
        Ok(())
    } else {
        fault(&format!("needs {needs}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grammars_are_read_and_checked() {
        let good = parse(
            "[[grammar]]\ntool='x'\nproblem='{file}: {message}'\npass=['a {name}','b {name}']",
        )
        .unwrap();
        assert_eq!((good.len(), good[0].rules.len()), (1, 3));
        for bad in [
            "[[grammar]]\ntool='x'",
            "[[grammar]]\ntool='x'\nfail='{name}'",
            "[[grammar]]\ntool='x'\nfail='bad {'",
            "[[grammar]]\ntool='x'\nproblem='bad: {file}'",
            "[[grammar]]\ntool='x'\nscript='rm'",
            "grammar = 3",
        ] {
            assert!(parse(bad).is_err(), "{bad}");
        }
    }
}
