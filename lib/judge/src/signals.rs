//! Exit signals (seed 002): may a loop end because its plan is ticked off, because the agent says
//! so twice in a row, or because it only runs tests any more? Each needs its verification, if
//! there is one.

pub mod plan;

use crate::gates::count;
use crate::marker::Marker;
use crate::{Claim, Message, status_block};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Done signals in a row (ralph-claude-code).
pub const DONE_MAX: u32 = 2;
/// Loops in a row that only ran tests.
pub const TEST_ONLY_MAX: u32 = 3;
/// Loops in a row that were blocked.
pub const BLOCKED_MAX: u32 = 3;

/// What the signals are read from; everything is optional, unknown keys are ignored. What an
/// earlier run left behind (`stale_state`) is one of them: it says nothing about this run.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct Input {
    /// The plan file's text, a Markdown check list.
    pub fix_plan: Option<String>,
    /// What each loop did, oldest first.
    pub loops: Vec<Loop>,
    /// The task list.
    pub tasks_json: Option<Value>,
    /// The task list as text, which may be no JSON.
    pub tasks_text: Option<String>,
    /// The verification that was run.
    pub verify: Option<Verify>,
    /// Loops after which a run ends anyway.
    pub max_iterations: Option<u64>,
}

/// One loop.
#[expect(
    clippy::struct_excessive_bools,
    reason = "the fields of a loop record are what they are"
)]
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct Loop {
    /// The agent's final message.
    pub text: String,
    /// It gave a done signal.
    pub done: bool,
    /// The signal was the agreed marker, which needs no second one.
    pub explicit: bool,
    /// Only tests were run.
    pub test_only: bool,
    /// How many of them failed.
    pub test_failures: u64,
    /// Files changed.
    pub files_changed: u64,
    /// It was blocked.
    pub blocked: bool,
    /// It ran into a usage limit: it says nothing.
    pub rate_limited: bool,
    /// Its error.
    pub error: Option<Value>,
}

/// A verification command's outcome.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct Verify {
    /// The command.
    pub cmd: String,
    /// Its exit status; absent when it did not end by itself.
    pub exit: Option<i64>,
    /// What it printed.
    pub output: String,
}

/// Why the loop may end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// Every entry of the plan is ticked.
    PlanComplete,
    /// Every task of the list is done.
    TasksComplete,
    /// No task of the list is left to work on, but not all of them are done: ADR-005 ends there.
    TasksEnded,
    /// The agent says so, and nothing verifies it.
    Completed,
    /// The agent says so, and the verification passed.
    Verified,
    /// Only tests were run, and they pass.
    TestOnly,
    /// It is blocked again and again.
    Blocked,
    /// The loops are used up.
    MaxIterations,
}

/// The answer; its serialised form is the contract of `completion-check signals`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Answer {
    /// May the loop end?
    pub exit: bool,
    /// Why.
    pub reason: Option<Reason>,
    /// What could not be read or does not hold, for people.
    pub error: Option<String>,
}

/// Counts that run over the loops.
#[derive(Debug, Default)]
struct Rows {
    done: u32,
    test_only: u32,
    blocked: u32,
    explicit: bool,
    /// The last loop said in so many words that it is not done.
    refused: bool,
}

/// Judges the signals.
pub fn judge(input: &Input) -> Answer {
    let mut rows = Rows::default();
    for seen in &input.loops {
        rows.count(seen);
    }
    let listed = match tasks(input) {
        Ok(listed) => listed,
        Err(error) => {
            return Answer {
                exit: false,
                reason: None,
                error: Some(error),
            };
        }
    };
    let planned = input.fix_plan.as_deref().map(plan::read);
    let claims = [
        (rows.explicit || rows.done >= DONE_MAX, Reason::Completed),
        (
            planned.is_some_and(plan::Plan::complete),
            Reason::PlanComplete,
        ),
        (listed == Some(Listed::Done), Reason::TasksComplete),
        (rows.test_only >= TEST_ONLY_MAX, Reason::TestOnly),
    ];
    // A task list with open tasks outweighs every claim; so does a loop that says it is not done.
    let open = listed.is_some_and(|listed| listed != Listed::Done) || rows.refused;
    let claim = claims
        .into_iter()
        .find(|(holds, _)| *holds && !open)
        .map(|(_, reason)| reason);
    if let Some(reason) = claim {
        match input.verify.as_ref().map(verified) {
            None => return yes(reason),
            Some(Ok(())) => return yes(Reason::Verified),
            Some(Err(error)) => return spent_or(input, Some(error)),
        }
    }
    if listed == Some(Listed::Ended) {
        return yes(Reason::TasksEnded);
    }
    if rows.blocked >= BLOCKED_MAX {
        return yes(Reason::Blocked);
    }
    spent_or(input, None)
}

fn yes(reason: Reason) -> Answer {
    Answer {
        exit: true,
        reason: Some(reason),
        error: None,
    }
}

fn spent_or(input: &Input, error: Option<String>) -> Answer {
    let spent = input
        .max_iterations
        .is_some_and(|max| max > 0 && input.loops.len() as u64 >= max);
    Answer {
        exit: spent,
        reason: spent.then_some(Reason::MaxIterations),
        error,
    }
}

impl Rows {
    fn count(&mut self, seen: &Loop) {
        if seen.rate_limited {
            return;
        }
        let status = status_block::read(&seen.text);
        let marked = Message::of_text(&seen.text, &Marker::default()).marked;
        let failed = seen.test_failures > 0
            || seen
                .error
                .as_ref()
                .is_some_and(|error| !error.is_null() && *error != Value::Bool(false));
        self.refused = status.exit == Some(false) || matches!(marked, Claim::Incomplete { .. });
        let says_done =
            seen.done || status.exit == Some(true) || matches!(marked, Claim::Complete { .. });
        let done = says_done && !self.refused && !failed;
        self.explicit = done && (seen.explicit || matches!(marked, Claim::Complete { .. }));
        self.done = if done { self.done + 1 } else { 0 };
        let tests = seen.test_only && !failed && !self.refused;
        self.test_only = if tests { self.test_only + 1 } else { 0 };
        self.blocked = if seen.blocked || status.blocked {
            self.blocked + 1
        } else {
            0
        };
    }
}

/// Where a task list stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Listed {
    /// Every task is done.
    Done,
    /// Every task is done or was given up in error.
    Ended,
    /// Some task is open.
    Open,
}

/// Where the task list stands; `None` without one.
fn tasks(input: &Input) -> Result<Option<Listed>, String> {
    let parsed;
    let list = match (&input.tasks_json, &input.tasks_text) {
        (Some(list), _) => list,
        (None, Some(text)) => {
            parsed = crate::file::parse(text.trim())
                .map_err(|error| format!("tasks.json: invalid json: {error}"))?;
            &Value::Object(parsed)
        }
        (None, None) => return Ok(None),
    };
    let Some(object) = list.as_object() else {
        return Err("tasks.json: invalid: it must be one JSON object".into());
    };
    let tasks = object.iter().filter(|(id, _)| !id.starts_with('_'));
    let mut statuses = Vec::new();
    for (id, task) in tasks {
        let status = task.get("status").and_then(Value::as_str);
        match (task.is_object(), status) {
            (true, Some(status)) => statuses.push(status.to_owned()),
            (true, None) if task.get("status").is_none() => statuses.push("todo".into()),
            _ => return Err(format!("tasks.json: invalid: task {id:?} has no status")),
        }
    }
    let done = |status: &String| {
        matches!(
            status.as_str(),
            "done" | "completed" | "complete" | "cancelled" | "skipped"
        )
    };
    let any_done = statuses
        .iter()
        .any(|status| !matches!(status.as_str(), "cancelled" | "skipped"));
    let ended = |status: &String| done(status) || status == "error";
    Ok(Some(match () {
        () if any_done && statuses.iter().all(done) => Listed::Done,
        () if any_done && statuses.iter().all(ended) => Listed::Ended,
        () => Listed::Open,
    }))
}

/// Does the verification prove anything?
fn verified(verify: &Verify) -> Result<(), String> {
    let name = crate::marker::one_line(&verify.cmd);
    let counts = count::count(
        &verify.output,
        verify.exit.and_then(|exit| i32::try_from(exit).ok()),
    );
    match verify.exit {
        None => Err(format!("verification {name:?} did not end by itself")),
        Some(_) if counts.is_some_and(|counts| counts.ran() == Some(0)) => {
            Err(format!("verification {name:?} ran no test"))
        }
        Some(0) if counts.is_some_and(|counts| counts.failures() > 0) => {
            Err(format!("verification {name:?} reports failed tests"))
        }
        Some(0) => Ok(()),
        Some(status) => Err(format!("verification {name:?} failed with exit {status}")),
    }
}

#[cfg(test)]
mod tests;
