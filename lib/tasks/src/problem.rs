//! What is wrong with a task list, and where.

use overnight_base::code::Code;
use overnight_base::fault::Fault;
use serde::Serialize;
use std::fmt;

/// Problems that a fault's one line names; all of them are in its context.
const SHOWN_MAX: usize = 3;

/// One thing wrong with a task list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Problem {
    /// Is the text not JSON at all (else it breaks the schema)?
    pub syntax: bool,
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
    /// The task it is in.
    pub task: Option<String>,
    /// The field of that task, or of the list.
    pub field: Option<String>,
    /// What is wrong and what was expected.
    pub message: String,
}

impl Problem {
    /// The problem without its place.
    pub fn what(&self) -> String {
        let task = self.task.as_ref().map(|task| format!("task {task:?}: "));
        let field = self
            .field
            .as_ref()
            .map(|field| format!("{}: ", field.escape_debug()));
        [
            task.unwrap_or_default(),
            field.unwrap_or_default(),
            self.message.clone(),
        ]
        .concat()
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "line {}, column {}: {}",
            self.line,
            self.column,
            self.what()
        )
    }
}

/// The fault that a program ends with when a list has these problems.
pub fn fault(name: &str, problems: &[Problem]) -> Fault {
    let code = match problems.first() {
        Some(first) if first.syntax => Code::TasksSyntax,
        _ => Code::TasksInvalid,
    };
    let mut shown: Vec<_> = problems
        .iter()
        .take(SHOWN_MAX)
        .map(ToString::to_string)
        .collect();
    if problems.len() > SHOWN_MAX {
        shown.push(format!("and {} more", problems.len() - SHOWN_MAX));
    }
    Fault::new(code, format!("{name}: {}", shown.join("; ")))
        .with("file", name)
        .with("errors", serde_json::json!(problems))
}

/// A problem that knows its byte but not yet its line.
pub(super) struct Found {
    pub(super) at: usize,
    pub(super) task: Option<String>,
    pub(super) field: Option<String>,
    pub(super) message: String,
}

/// Gives each found problem its line and column, in the order of the text: one pass for all.
pub(super) fn place(text: &str, mut found: Vec<Found>, syntax: bool) -> Vec<Problem> {
    found.sort_by_key(|problem| problem.at);
    let (mut line, mut column, mut at) = (1, 1, 0);
    found
        .into_iter()
        .map(|problem| {
            for c in text[at..problem.at].chars() {
                if c == '\n' {
                    (line, column) = (line + 1, 1);
                } else {
                    column += 1;
                }
            }
            at = problem.at;
            Problem {
                syntax,
                line,
                column,
                task: problem.task,
                field: problem.field,
                message: problem.message,
            }
        })
        .collect()
}
