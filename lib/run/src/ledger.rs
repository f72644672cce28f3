//! What was tried on a task and what refuted it, so that no attempt is made twice.

use super::state::State;
use overnight_base::text::one_line;
use std::collections::BTreeSet;
use std::fmt::Write;

/// Bytes of the ledger in a prompt.
const BYTES_MAX: usize = 2_048;
/// Characters of what an agent said of its attempt.
const SAID_CHARS: usize = 160;
/// Digits of its commit.
const COMMIT_DIGITS: usize = 12;
/// Characters of what refuted it.
const REASON_CHARS: usize = 240;

/// An attempt that was refuted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tried {
    /// The run that made it; empty for the run itself.
    pub run: String,
    /// The iteration's number.
    pub iteration: u32,
    /// The commit that was refuted, where there was one.
    pub commit: Option<String>,
    /// The agent's own words, one line.
    pub said: String,
    /// What refuted it, one line.
    pub reason: String,
}

/// What a run tried on a task in vain, oldest first. `run` names it in the ledger of another.
pub fn tried(state: &State, task: &str, run: &str) -> Vec<Tried> {
    let refuted = state
        .history
        .iter()
        .filter(|iteration| iteration.task == task && !iteration.verdict.complete());
    refuted
        .map(|iteration| {
            let verdict = &iteration.verdict;
            let failed = verdict.gates.iter().find(|gate| !gate.passed());
            let reason = match failed {
                Some(gate) => format!("`{}` failed: {}", gate.command, last_line(&gate.tail)),
                None => verdict.reasons.join("; "),
            };
            let said = match verdict.summary.as_deref().map_or("", str::trim) {
                "" => last_line(&iteration.said),
                summary => summary,
            };
            Tried {
                run: run.to_owned(),
                iteration: iteration.number,
                commit: verdict.commit.clone(),
                said: one_line(said, SAID_CHARS),
                reason: one_line(&reason, REASON_CHARS),
            }
        })
        .collect()
}

/// The last line that says something.
fn last_line(text: &str) -> &str {
    let mut lines = text.lines().rev().map(str::trim);
    lines.find(|line| !line.is_empty()).unwrap_or("")
}

/// The ledger of attempts, given oldest first: the newest of each kind of refutation, then the
/// others, within 2 KB. Empty where nothing was tried.
pub fn text(attempts: &[Tried]) -> String {
    let mut kinds = BTreeSet::new();
    let (fresh, again): (Vec<&Tried>, Vec<&Tried>) = attempts
        .iter()
        .rev()
        .partition(|tried| kinds.insert((kind(&tried.reason), kind(&tried.said))));
    let mut text = String::new();
    let mut left = attempts.len();
    for tried in fresh.into_iter().chain(again) {
        let of = match tried.run.as_str() {
            "" => String::new(),
            run => format!(" of run {run}"),
        };
        let mut line = format!("> - iteration {}{of}", tried.iteration);
        if let Some(commit) = &tried.commit {
            let _ = write!(line, " ({})", &commit[..commit.len().min(COMMIT_DIGITS)]);
        }
        if !tried.said.is_empty() {
            let _ = write!(line, ": {}", tried.said);
        }
        let _ = writeln!(line, " — refuted: {}", tried.reason);
        if text.len() + line.len() > BYTES_MAX {
            break;
        }
        text += &line;
        left -= 1;
    }
    if left > 0 {
        let _ = writeln!(text, "> - and {left} more");
    }
    text
}

/// What two refutations of one kind have in common: their words without the figures.
fn kind(reason: &str) -> String {
    reason.chars().filter(|c| !c.is_ascii_digit()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tried(iteration: u32, said: &str, reason: &str) -> Tried {
        Tried {
            run: String::new(),
            iteration,
            commit: None,
            said: said.to_owned(),
            reason: reason.to_owned(),
        }
    }

    #[test]
    fn the_newest_of_each_kind_comes_first() {
        let attempts = [
            tried(1, "added a lock", "test_a failed in 1 s"),
            tried(2, "used a queue", "test_b failed"),
            tried(3, "added a lock", "test_a failed in 3 s"),
        ];
        insta::assert_snapshot!(text(&attempts), @r"
        > - iteration 3: added a lock — refuted: test_a failed in 3 s
        > - iteration 2: used a queue — refuted: test_b failed
        > - iteration 1: added a lock — refuted: test_a failed in 1 s
        ");
        assert_eq!(text(&[]), "");
    }

    #[test]
    fn it_stays_within_its_bounds_and_says_how_much_is_left_out() {
        let many: Vec<Tried> = (1..=100)
            .map(|n| {
                tried(
                    n,
                    &"é".repeat(80),
                    &format!("kind {}", "x".repeat(n as usize)),
                )
            })
            .collect();
        let text = text(&many);
        assert!(text.len() <= BYTES_MAX + 32, "{}", text.len());
        assert!(text.starts_with("> - iteration 100") && text.contains(" more\n"));
    }
}
