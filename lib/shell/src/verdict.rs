//! What the guard answers.

use serde::Serialize;

/// Bytes of a reason at most: a longer one would only fill the model's context.
const REASON_BYTES_MAX: usize = 600;
/// Bytes of an alternative at most, for the same reason.
const ALTERNATIVE_BYTES_MAX: usize = 300;

/// The three answers, from harmless to grave: the worst of several parts is their maximum.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Decision {
    /// Proven safe: nothing is lost that git or a rebuild does not bring back.
    Allow,
    /// A person may want it: not run, kept as a question.
    Ask,
    /// Never, in any mode.
    Deny,
}

impl Decision {
    /// The word used in JSON and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Ask => "ask",
            Self::Deny => "deny",
        }
    }
}

/// How much of the boundary is let through without a person.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// Programs that the guard does not know wait for a person too.
    Strict,
    /// The default: unknown programs with harmless arguments run.
    Normal,
    /// Discarding work that a snapshot can bring back runs.
    Fast,
}

impl overnight_base::value::Typed for Mode {
    fn typed(value: Option<overnight_base::value::Value>) -> Self {
        match value {
            Some(overnight_base::value::Value::Text(word)) => {
                Self::parse(&word).unwrap_or(Self::Strict)
            }
            _ => Self::Strict,
        }
    }
}

impl Mode {
    /// Reads `strict`, `normal` or `fast`.
    pub fn parse(text: &str) -> Option<Self> {
        match text {
            "strict" => Some(Self::Strict),
            "normal" => Some(Self::Normal),
            "fast" => Some(Self::Fast),
            _ => None,
        }
    }
}

/// An answer with its grounds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Verdict {
    /// Allow, ask or deny.
    pub decision: Decision,
    /// The rule that decided, stable: for statistics, tests and configuration.
    pub rule: &'static str,
    /// What would happen and why that is not wanted; at most 600 bytes, no control characters.
    pub reason: String,
    /// One concrete safe way to the same end, if one is known.
    pub alternative: Option<String>,
    /// Does it count also where a person sits and watches?
    #[serde(skip)]
    pub grave: bool,
}

impl Verdict {
    /// Nothing speaks against it.
    pub fn allow() -> Self {
        Self::new(
            Decision::Allow,
            "safe",
            "nothing is lost and nothing leaves the repository",
        )
    }

    /// A question for a person.
    pub fn ask(rule: &'static str, reason: &str) -> Self {
        Self::new(Decision::Ask, rule, reason)
    }

    /// Forbidden in every mode.
    pub fn deny(rule: &'static str, reason: &str) -> Self {
        Self::new(Decision::Deny, rule, reason)
    }

    /// Any answer; the reason is made fit to be shown.
    pub fn new(decision: Decision, rule: &'static str, reason: &str) -> Self {
        Self {
            decision,
            rule,
            reason: presentable(reason, REASON_BYTES_MAX),
            alternative: None,
            grave: false,
        }
    }

    /// Adds one concrete safe way to the same end.
    #[must_use]
    pub fn instead(mut self, alternative: &str) -> Self {
        self.alternative = Some(presentable(alternative, ALTERNATIVE_BYTES_MAX));
        self
    }

    /// Counts also where a person sits and watches.
    #[must_use]
    pub fn grave(mut self) -> Self {
        self.grave = true;
        self
    }

    /// What remains of it where a person sits and watches: only what is grave.
    #[must_use]
    pub fn where_a_person_is(self) -> Self {
        if self.grave { self } else { Self::allow() }
    }

    /// The graver of two answers; of equals the first.
    #[must_use]
    pub fn worse(self, other: Self) -> Self {
        if other.decision > self.decision {
            other
        } else {
            self
        }
    }
}

/// Quoted input made harmless for a terminal and a model: control, invisible and direction
/// characters escaped, cut at a character border.
pub fn presentable(text: &str, bytes_max: usize) -> String {
    let cut = '…';
    if text.len() + cut.len_utf8() <= bytes_max
        && text.bytes().all(|byte| (b' '..=b'~').contains(&byte))
    {
        return text.to_owned();
    }
    let mut shown = String::new();
    for c in text.chars() {
        let before = shown.len();
        let hidden = c.is_control()
            || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{e0000}'..='\u{10ffff}');
        if hidden {
            shown.extend(c.escape_unicode());
        } else {
            shown.push(c);
        }
        if shown.len() + cut.len_utf8() > bytes_max {
            shown.truncate(before);
            shown.push(cut);
            break;
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reason_is_bounded_and_shows_no_control_or_invisible_character() {
        let verdict = Verdict::deny("x", &format!("r\u{200b}m \u{1b}[2J{}", "é".repeat(1_000)));
        assert!(verdict.reason.len() <= REASON_BYTES_MAX);
        assert!(verdict.reason.starts_with("r\\u{200b}m \\u{1b}[2Jé"));
        assert!(verdict.reason.ends_with('…'));
    }

    #[test]
    fn the_worse_of_two_answers_counts() {
        let both = Verdict::ask("a", "")
            .worse(Verdict::deny("b", ""))
            .worse(Verdict::ask("c", ""));
        assert_eq!((both.decision, both.rule), (Decision::Deny, "b"));
    }
}
