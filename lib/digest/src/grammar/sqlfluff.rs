//! `SQLFluff`: the file, and its problems in columns below it.
//!
//! ```text
//! == [models/q1.sql] FAIL
//! L:   2 | P:   1 | CP01 | Keywords must be consistently upper case.
//!                        | [capitalisation.keywords]
//! ```

use super::super::count::figure;
use super::super::facts::Facts;
use super::super::problem::Severity;
use super::{Cues, Grammar, Line};

/// What gives its lines away.
pub(super) const CUES: Cues = Cues::Any(&["== [", "| P:"], "");

const TOOL: &str = "sqlfluff";

/// The state of one lane.
#[derive(Debug, Default)]
pub(super) struct Sqlfluff {
    /// The file whose problems follow.
    file: Option<String>,
    /// The last problem, whose message may go on: its place, the message and its line.
    last: Option<(String, String, u64)>,
}

impl Grammar for Sqlfluff {
    fn line(&mut self, line: &Line<'_>, facts: &mut Facts) -> bool {
        if let Some((file, verdict)) = header(line.text) {
            self.flush(facts);
            self.file = (verdict == "FAIL").then(|| file.to_owned());
            return true;
        }
        let Some(file) = &self.file else {
            return false;
        };
        if let Some((row, column, message)) = problem(line.text) {
            let place = format!("{file}:{row}:{column}");
            self.flush(facts);
            self.last = Some((place, message, line.no));
            return true;
        }
        let more = line.trimmed().strip_prefix("| ");
        if let (Some((_, message, _)), Some(more)) = (&mut self.last, more) {
            message.push(' ');
            message.push_str(more);
            return true;
        }
        self.flush(facts);
        // Only its last words end it: a warning may stand between a file and the next.
        self.file
            .take_if(|_| line.text == "All Finished!")
            .is_some()
    }

    fn is_open(&self) -> bool {
        self.file.is_some()
    }

    fn end(&mut self, facts: &mut Facts) {
        self.flush(facts);
    }
}

impl Sqlfluff {
    fn flush(&mut self, facts: &mut Facts) {
        if let Some((place, message, no)) = self.last.take() {
            facts.lint = true;
            facts.problem((TOOL, Severity::Error), Some(&place), &message, no);
        }
    }
}

/// `== [models/q1.sql] FAIL`: the file and the verdict.
fn header(text: &str) -> Option<(&str, &str)> {
    let (file, verdict) = text.strip_prefix("== [")?.rsplit_once("] ")?;
    matches!(verdict, "FAIL" | "PASS").then_some((file, verdict))
}

/// `L:   2 | P:   1 | CP01 | Keywords must be …`: line, column, and the rule with its message.
fn problem(text: &str) -> Option<(u64, u64, String)> {
    let mut parts = text.strip_prefix("L:")?.splitn(4, '|').map(str::trim);
    let row = figure(parts.next()?)?;
    let column = figure(parts.next()?.strip_prefix("P:")?.trim())?;
    let (rule, message) = (parts.next()?, parts.next()?);
    Some((row, column, format!("{rule} {message}")))
}

#[cfg(test)]
mod tests {
    use super::super::sample;

    #[test]
    fn problems_below_their_file() {
        let facts = sample(
            "== [models/q1.sql] FAIL\nL:   2 | P:   1 | CP01 | Keywords must be consistently upper case.\n                       | [capitalisation.keywords]\n\
             == [models/q2.sql] PASS\nL:   9 | P:   9 | a query that somebody printed | x\nAll Finished!\n",
        );
        let problems = facts.problems.into_list(false);
        assert_eq!(problems.len(), 1);
        assert_eq!(problems[0].places, ["models/q1.sql:2:1"]);
        assert_eq!(
            problems[0].text,
            "CP01 Keywords must be consistently upper case. [capitalisation.keywords]"
        );
    }
}
