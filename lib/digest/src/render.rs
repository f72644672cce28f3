//! The text of a digest: what a model reads instead of the output.

mod failures;
mod fill;
mod headline;
mod page;
mod pieces;
mod problems;
mod rest;

use super::aside::{Grade, grade};
use super::clean::cut_end;
use super::{Digest, End, FILL_MAX, Severity};
use overnight_base::code::Code;
use page::Page;

/// What the caller knows and the output does not say.
#[derive(Debug, Clone, Default)]
pub struct Frame<'a> {
    /// The path of the log that holds the whole output.
    pub log: Option<&'a str>,
    /// `ERROR_FORMAT`, with `{code}`, `{name}` and `{reason}`. Empty: `ERROR: {reason}`.
    pub error_format: &'a str,
    /// Lines and bytes of the output that were shown before; the digest takes that much less room.
    pub shown: (usize, usize),
    /// Secrets removed from the log, if any were.
    pub redacted: u64,
    /// Whose exit status it is, where the command does not say so: `tee, the last of a pipeline`.
    pub status_of: Option<&'a str>,
}

/// With less room than this the last lines say only where the log is.
const SMALL: usize = 400;
/// Longer reasons, of many tools in one output, are cut.
const REASON_CHARS: usize = 300;

/// How a command's output is left alone.
const ESCAPE: &str = "; unshortened: OUTPUT_FILTER=raw COMMAND";

/// The default of `ERROR_FORMAT`.
const ERROR_FORMAT: &str = "ERROR: {reason}";

impl Digest {
    /// The digest as text: at most `lines_max` lines and `bytes_max` bytes, never more bytes than
    /// the output had, each line ended by a newline.
    pub fn render(&self, frame: &Frame<'_>) -> String {
        let lines = self.lines_max.saturating_sub(frame.shown.0);
        let bytes = usize::try_from(self.bytes_in)
            .unwrap_or(usize::MAX)
            .min(self.bytes_max)
            .saturating_sub(frame.shown.1);
        let mut page = Page::new(lines, bytes);
        page.title(&self.headline(frame.status_of));
        for line in self.tool_lines() {
            page.push(&line);
        }
        let footer = self.footer(frame, page.bytes() < SMALL);
        page.reserve(&footer);
        self.push_failures(&mut page);
        self.push_problems(&mut page);
        self.push_rest(&mut page);
        self.fill(&mut page);
        page.finish(&footer)
    }

    /// The one line that says why the command failed, without the format.
    pub fn reason(&self) -> String {
        let tool = self.tool.as_deref().unwrap_or("command");
        let all = [(tool, self.counts.clone())];
        // What several tools count cannot be added up.
        let results = match self.results.len() {
            0 | 1 => &all[..],
            _ => &self.results[..],
        };
        let results: Vec<String> = (results.iter())
            .map(|(tool, counts)| (tool, counts.wrong_words()))
            .filter(|(_, words)| !words.is_empty())
            .map(|(tool, words)| format!("{tool}: {words}"))
            .collect();
        let end = match self.end {
            End::Exit(status) => format!("exit {status}"),
            End::Signal(signal) => format!("signal {signal}"),
            End::Unknown => "exit status unknown".to_owned(),
        };
        let reason = match self.first_error() {
            _ if !results.is_empty() => results.join("; "),
            Some(error) => error.to_owned(),
            // A runner may end so that no test of its own failed.
            None if !self.counts.is_empty() => format!("{tool}: {}", self.counts.words()),
            None => format!("{tool} failed"),
        };
        format!("{} ({end})", cut_end(&reason, REASON_CHARS))
    }

    /// The first line of the output that states an error; where none is built like that, the first that speaks of one.
    fn first_error(&self) -> Option<&str> {
        let problems = self.problems.iter();
        let problems = problems
            .filter(|problem| problem.severity == Severity::Error)
            .map(|problem| (problem.log_line, problem.text.as_str()));
        let asides = self.asides.iter();
        let asides = asides
            .filter(|aside| aside.grade == Grade::Strong)
            .map(|aside| (aside.line, aside.text.as_str()));
        let noted = self.notes.iter().map(|(line, text)| (*line, text.as_str()));
        let spots = self.outline.spots.iter().filter(|spot| spot.weight > 1);
        let spots = spots.map(|spot| (spot.line, spot.text.as_str()));
        let others = || noted.clone().chain(spots.clone());
        let stated = others().filter(|(_, text)| grade(text, false) == Grade::Strong);
        let first = problems.chain(asides).chain(stated).min();
        first.or_else(|| others().min()).map(|(_, text)| text)
    }

    fn footer(&self, frame: &Frame<'_>, short: bool) -> Vec<String> {
        let mut footer = Vec::new();
        if let Some(log) = frame.log {
            footer.push(if short {
                format!("log: {log}")
            } else {
                self.log_line(log, frame.redacted)
            });
        }
        if self.is_failure() {
            let format = if frame.error_format.is_empty() {
                ERROR_FORMAT
            } else {
                frame.error_format
            };
            let line = format
                .replace("{code}", Code::CommandFailed.id())
                .replace("{name}", Code::CommandFailed.name())
                .replace("{reason}", &self.reason());
            footer.push(line.replace(['\n', '\r'], " "));
        }
        footer
    }

    fn log_line(&self, log: &str, redacted: u64) -> String {
        let part = if self.failures.is_empty() {
            "--lines A-B"
        } else {
            "--failure N or --lines A-B"
        };
        let hidden = match redacted {
            0 => String::new(),
            1 => ", 1 secret redacted".to_owned(),
            number => format!(", {number} secrets redacted"),
        };
        // Who misses something finds the way around, where there is more to know.
        let more = !self.is_quiet() && self.bytes_in > FILL_MAX as u64;
        let whole = if more { ESCAPE } else { "" };
        format!(
            "log: {log} ({} lines{hidden}); parts: output-filter show {log} {part}{whole}",
            self.lines_in
        )
    }
}
