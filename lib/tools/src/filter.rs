//! The filter at work: an output goes to its log, to the digest, and, as far as it is small or
//! first, to the reader.
//!
//! Three processes share the work when a command is run ([`launch`]): this one waits for the
//! command and ends as it does; the *keeper* ([`keeper`]) reads its output. Between them is a pipe
//! whose reading end both hold, so that the command never sees it closed: dies the keeper, the
//! waiting process passes the rest on raw; is the waiting process killed, the keeper reads on. A
//! daemon that the command leaves behind keeps writing to the keeper, which lives as long as the
//! daemon does and holds nobody up. A file in the pipe's place would not do: `> /dev/stderr` and
//! `tee /dev/stderr` empty it, it fills the disk behind a daemon, and it would hold secrets.

pub mod after;
pub mod keeper;
pub mod launch;
pub mod outcome;
pub mod piped;
mod reader;
pub mod small;
pub mod stream;

use overnight_filter::settings::Settings;
use serde::{Deserialize, Serialize};

/// How an output is to be treated.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Plan {
    /// `MAX_OUTPUT_LINES`.
    pub lines_max: usize,
    /// `filter.page_bytes`.
    pub page_bytes: usize,
    /// `ERROR_FORMAT`.
    pub error_format: String,
    /// The tool's name, if the person gave it.
    pub tool: Option<String>,
    /// The kind in the log's name.
    pub kind: String,
    /// One JSON object instead of text.
    pub json: bool,
    /// Show first lines and progress while it runs.
    pub live: bool,
    /// Whose status stands for all of it, where the command does not say so.
    pub status_of: Option<String>,
}

impl Plan {
    /// The plan of these settings for a command.
    pub fn new(settings: &Settings, command: &str, tool: Option<String>, json: bool) -> Self {
        let named = tool.as_deref().unwrap_or(command);
        Self {
            lines_max: settings.lines_max,
            page_bytes: settings.page_bytes,
            error_format: settings.error_format.clone(),
            kind: overnight_filter::kind::of(named).to_owned(),
            tool,
            json,
            live: !json,
            status_of: None,
        }
    }

    /// The same for a command as a shell runs it: of a list or a pipeline, the digest says whose status it is.
    #[must_use]
    pub fn of_shell(mut self, command: &str) -> Self {
        self.status_of = overnight_filter::pipeline::speaker(command);
        self
    }
}
