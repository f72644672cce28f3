//! The guard's configuration: what a person chose, and what a project may tighten.

use super::{Decision, Mode, Verdict};
use toml::{Table, Value};

/// Patterns of one file at most, and bytes of each: enough for people, bounded for hostile files.
const PATTERNS_MAX: usize = 200;
const PATTERN_BYTES_MAX: usize = 300;

/// How the guard is set up for one project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Setup {
    /// How much of the boundary is let through.
    pub mode: Mode,
    /// May "allow" be said in sessions of a person too?
    pub attended_allow: bool,
    /// Branches that start with this belong to the agent.
    pub own_prefix: String,
    patterns: Vec<(String, Decision)>,
}

impl Default for Setup {
    fn default() -> Self {
        Self {
            mode: Mode::Normal,
            attended_allow: false,
            own_prefix: "auto/".to_owned(),
            patterns: Vec::new(),
        }
    }
}

impl Setup {
    /// The setup from the person's file and the project's, and what in them was ignored and why.
    /// A file that cannot be understood changes nothing; the project's can only tighten.
    pub fn read(person: Option<&str>, project: Option<&str>) -> (Self, Vec<String>) {
        let mut setup = Self::default();
        let mut ignored = Vec::new();
        for (key, value) in entries(person, "config.toml", &mut ignored) {
            if let Err(why) = setup.set(&key, &value) {
                ignored.push(format!("config.toml: guard.{key}: {why}"));
            }
        }
        for (key, value) in entries(project, "overnight.toml", &mut ignored) {
            if let Err(why) = setup.tighten(&key, &value) {
                ignored.push(format!("overnight.toml: guard.{key}: {why}"));
            }
        }
        (setup, ignored)
    }

    /// The verdict with the configured patterns counted in. They only make it graver.
    pub fn count_in(&self, verdict: Verdict, subject: &str) -> Verdict {
        if self.patterns.is_empty() {
            return verdict;
        }
        let subject = squeezed(subject);
        self.patterns
            .iter()
            .filter(|(pattern, _)| matches(pattern, &subject))
            .map(|(pattern, decision)| {
                let reason = format!("the configured pattern {pattern:?} matches");
                Verdict::new(*decision, "configured", &reason)
            })
            .fold(verdict, Verdict::worse)
    }

    fn set(&mut self, key: &str, value: &Value) -> Result<(), &'static str> {
        match key {
            "mode" => self.mode = mode(value)?,
            "attended" => self.attended_allow = attended(value)?,
            "branch_prefix" => self.own_prefix = prefix(value)?,
            "deny" => self.add(value, Decision::Deny)?,
            "ask" => self.add(value, Decision::Ask)?,
            _ => return Err("unknown key"),
        }
        Ok(())
    }

    fn tighten(&mut self, key: &str, value: &Value) -> Result<(), &'static str> {
        const LOOSENS: &str = "a project may tighten the guard, not loosen it";
        match key {
            "mode" if mode(value)? <= self.mode => self.mode = mode(value)?,
            "attended" if !attended(value)? => self.attended_allow = false,
            "deny" => self.add(value, Decision::Deny)?,
            "ask" => self.add(value, Decision::Ask)?,
            _ => return Err(LOOSENS),
        }
        Ok(())
    }

    fn add(&mut self, value: &Value, decision: Decision) -> Result<(), &'static str> {
        let list = value.as_array().ok_or("expected a list of texts")?;
        let mut texts = Vec::new();
        for entry in list {
            let text = squeezed(entry.as_str().ok_or("expected a list of texts")?);
            if text.chars().all(|c| c == '*' || c == ' ') || text.len() > PATTERN_BYTES_MAX {
                return Err("a pattern is empty or longer than 300 bytes");
            }
            texts.push((text, decision));
        }
        if self.patterns.len() + texts.len() > PATTERNS_MAX {
            return Err("more than 200 patterns");
        }
        self.patterns.extend(texts);
        Ok(())
    }
}

fn entries(text: Option<&str>, file: &str, ignored: &mut Vec<String>) -> Table {
    let Some(text) = text else {
        return Table::new();
    };
    match text.parse::<Table>().map(|mut table| table.remove("guard")) {
        Ok(Some(Value::Table(guard))) => guard,
        Ok(None) => Table::new(),
        Ok(Some(_)) => {
            ignored.push(format!("{file}: guard: expected a section"));
            Table::new()
        }
        Err(error) => {
            ignored.push(format!("{file}: {}", error.message()));
            Table::new()
        }
    }
}

fn mode(value: &Value) -> Result<Mode, &'static str> {
    value
        .as_str()
        .and_then(Mode::parse)
        .ok_or("expected \"strict\", \"normal\" or \"fast\"")
}

fn attended(value: &Value) -> Result<bool, &'static str> {
    match value.as_str() {
        Some("allow") => Ok(true),
        Some("silent") => Ok(false),
        _ => Err("expected \"silent\" or \"allow\""),
    }
}

/// A prefix with a slash: without one, `main` would own `main`.
fn prefix(value: &Value) -> Result<String, &'static str> {
    const EXPECTED: &str = "expected a branch prefix such as \"auto/\"";
    let text = value.as_str().ok_or(EXPECTED)?;
    let name = text.strip_suffix('/').ok_or(EXPECTED)?;
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '/');
    if name.is_empty() || name.starts_with(['/', '-', '.']) || !name.chars().all(plain) {
        return Err(EXPECTED);
    }
    Ok(text.to_owned())
}

/// Runs of white space as one blank, so that a pattern need not know the spacing.
fn squeezed(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Does the pattern occur in the text? `*` stands for anything. Linear: each piece is looked for
/// behind the one before.
fn matches(pattern: &str, text: &str) -> bool {
    let mut rest = text;
    pattern
        .split('*')
        .filter(|piece| !piece.is_empty())
        .all(|piece| match rest.find(piece) {
            Some(at) => {
                rest = &rest[at + piece.len()..];
                true
            }
            None => false,
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_person_chooses_and_a_project_only_tightens() {
        let person = "[guard]\nmode = \"fast\"\nattended = \"allow\"\nbranch_prefix = \"bot/\"\ndeny = [\"docker  *push\"]";
        let (setup, ignored) = Setup::read(Some(person), None);
        assert!(ignored.is_empty(), "{ignored:?}");
        assert_eq!((setup.mode, setup.attended_allow), (Mode::Fast, true));
        assert_eq!(setup.own_prefix, "bot/");
        let project = "[guard]\nmode = \"strict\"\nattended = \"silent\"\nask = [\"make release\"]";
        let (setup, ignored) = Setup::read(Some(person), Some(project));
        assert!(ignored.is_empty(), "{ignored:?}");
        assert_eq!((setup.mode, setup.attended_allow), (Mode::Strict, false));
        let rated = |command| setup.count_in(Verdict::allow(), command).decision;
        assert_eq!(rated("docker image push x"), Decision::Deny);
        assert_eq!(rated("cd x &&  make\trelease"), Decision::Ask);
        assert_eq!(rated("make test"), Decision::Allow);
    }

    #[test]
    fn a_project_that_tries_to_loosen_is_ignored_and_reported() {
        let project = "[guard]\nallow = [\"*\"]\ndisable = true\nmode = \"fast\"\nattended = \"allow\"\nbranch_prefix = \"main/\"\ndeny = [\"*\"]";
        let (setup, ignored) = Setup::read(None, Some(project));
        assert_eq!(setup, Setup::default());
        assert_eq!(ignored.len(), 6, "{ignored:?}");
    }

    #[test]
    fn a_broken_file_changes_nothing() {
        for text in [
            "[guard",
            "guard = 1",
            "[guard]\nmode = 7",
            "[guard]\nbranch_prefix = \"main\"",
            "\u{0}",
        ] {
            let (setup, ignored) = Setup::read(Some(text), Some(text));
            assert_eq!(setup, Setup::default(), "{text}");
            assert!(!ignored.is_empty(), "{text}");
        }
        assert_eq!(
            Setup::read(Some(""), Some("[other]\nx = 1")),
            (Setup::default(), Vec::new())
        );
    }
}
