//! The format of a scripted agent: sessions of steps, chosen by task, visit and attempt.
//!
//! ```json
//! {"sessions": [
//!   {"when": {"task": "t1", "visit": 1, "attempt": 1},
//!    "steps": [{"say": "working"}, {"write": {"path": "a.txt", "text": "1\n"}}, {"run": "make test"},
//!              {"sleep_ms": 500}, {"declare": {"decision": "complete", "reason": "tests pass"}}, {"exit": 0}]}
//! ]}
//! ```

use overnight_base::code::Code;
use overnight_base::fault::Fault;
use overnight_judge::Decision;
use serde::Deserialize;

/// A whole script.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Script {
    /// The first session whose `when` fits is played.
    pub sessions: Vec<Session>,
}

/// What one attempt does.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Session {
    /// When it is played; a part that is absent fits always.
    #[serde(default)]
    pub when: When,
    /// What is done, in order; after the last step it exits with 0.
    pub steps: Vec<Step>,
}

/// The occasion of a session.
#[derive(Debug, Default, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct When {
    /// Id of the task.
    pub task: Option<String>,
    /// How often the task was worked on, this time included.
    pub visit: Option<u32>,
    /// Attempt within the iteration.
    pub attempt: Option<u32>,
}

/// One thing that a scripted agent does.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Step {
    /// Prints a line.
    Say(String),
    /// Writes a file below its folder.
    Write {
        /// Relative path without `..`.
        path: String,
        /// The whole content.
        text: String,
    },
    /// Runs a command with `sh -c`; its status is printed and does not end the session.
    Run(String),
    /// Does nothing for so many milliseconds.
    SleepMs(u64),
    /// Declares with the check id of its environment.
    Declare {
        /// `complete` or `incomplete`.
        decision: Decision,
        /// One line.
        #[serde(default)]
        reason: String,
    },
    /// Ends with this status.
    Exit(u8),
    /// Ends by this signal.
    Signal(i32),
    /// Never ends by itself and ignores TERM; the value says nothing.
    Hang(bool),
}

/// Reads a script; an error names its place.
pub fn parse(text: &str) -> Result<Script, Fault> {
    serde_json::from_str(text).map_err(|error| {
        Fault::new(Code::InputData, format!("the agent's script: {error}"))
            .hint("see lib-docs/scripted-agent.md")
    })
}

impl Script {
    /// The session for this occasion, if one fits.
    pub fn session(&self, task: &str, visit: u32, attempt: u32) -> Option<&Session> {
        self.sessions.iter().find(|session| {
            let when = &session.when;
            when.task.as_deref().is_none_or(|wanted| wanted == task)
                && when.visit.is_none_or(|wanted| wanted == visit)
                && when.attempt.is_none_or(|wanted| wanted == attempt)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_session_that_fits_is_played() {
        let script = parse(
            r#"{"sessions":[
                {"when":{"task":"a","visit":2},"steps":[{"exit":2}]},
                {"when":{"task":"a"},"steps":[{"exit":1}]},
                {"steps":[{"say":"x"},{"hang":true}]}]}"#,
        )
        .unwrap();
        let exit = |task, visit| match &script.session(task, visit, 1).unwrap().steps[0] {
            Step::Exit(status) => Some(*status),
            _ => None,
        };
        assert_eq!(
            (exit("a", 1), exit("a", 2), exit("b", 1)),
            (Some(1), Some(2), None)
        );
    }

    #[test]
    fn a_misspelt_step_is_named_with_its_place() {
        let fault = parse(r#"{"sessions":[{"steps":[{"sai":"x"}]}]}"#).unwrap_err();
        assert!(
            fault.reason.contains("sai") && fault.reason.contains("line 1"),
            "{fault}"
        );
    }
}
