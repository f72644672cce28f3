//! The guard's configuration: what a person chose, and what a project may tighten.

use super::settings::Guard;
use overnight_shell::{Decision, Mode, Verdict};

/// Patterns of a list at most, and bytes of each: enough for people, bounded for hostile files.
pub(crate) const PATTERNS_MAX: usize = 200;
const PATTERN_BYTES_MAX: usize = 300;
/// What a pattern is.
pub(crate) const PATTERN: &str = "a pattern of at most 300 bytes that is not only \"*\"";

/// How the guard is set up for one project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Setup {
    /// How much of the boundary is let through.
    pub mode: Mode,
    /// Do all rules hold in sessions of a person too?
    pub attended_strict: bool,
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
            attended_strict: false,
            attended_allow: false,
            own_prefix: "auto/".to_owned(),
            patterns: Vec::new(),
        }
    }
}

impl Setup {
    /// The setup that the configuration asks for.
    pub fn of(guard: &Guard) -> Self {
        let all = |list: &[String], decision| {
            let pattern = |text: &String| (squeezed(text), decision);
            list.iter().map(pattern).collect::<Vec<_>>()
        };
        let mut patterns = all(&guard.deny, Decision::Deny);
        patterns.extend(all(&guard.ask, Decision::Ask));
        Self {
            mode: guard.mode,
            attended_strict: guard.attended == "strict",
            attended_allow: guard.attended == "allow",
            own_prefix: guard.branch_prefix.clone(),
            patterns,
        }
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
}

/// Is it something to look for?
pub(crate) fn is_pattern(text: &str) -> bool {
    let text = squeezed(text);
    text.len() <= PATTERN_BYTES_MAX && text.chars().any(|c| c != '*' && c != ' ')
}

/// Is it a prefix with a slash? Without one, `main` would own `main`.
pub(crate) fn is_prefix(text: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '/');
    text.strip_suffix('/').is_some_and(|name| {
        !name.is_empty() && !name.starts_with(['/', '-', '.']) && name.chars().all(plain)
    })
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
    use crate::settings::Guard;

    #[test]
    fn patterns_make_an_answer_graver_whatever_the_spacing() {
        let guard = Guard {
            deny: vec!["docker  *push".to_owned()],
            ask: vec!["make release".to_owned()],
            ..Guard::default()
        };
        let setup = Setup::of(&guard);
        let rated = |command| setup.count_in(Verdict::allow(), command).decision;
        assert_eq!(rated("docker image push x"), Decision::Deny);
        assert_eq!(rated("cd x &&  make\trelease"), Decision::Ask);
        assert_eq!(rated("make test"), Decision::Allow);
    }

    #[test]
    fn what_would_match_everything_or_own_a_shared_branch_is_none() {
        for bad in ["*", " ** ", "", &"x".repeat(301)] {
            assert!(!is_pattern(bad), "{bad}");
        }
        assert!(is_pattern("docker * push"));
        for bad in ["main", "/", "-x/", "../", "a b/"] {
            assert!(!is_prefix(bad), "{bad}");
        }
        assert!(is_prefix("bot/"));
    }
}
