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
use super::{Digest, End, FILL_MAX, Problem, Severity};
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
/// The same of an error behind counts: the page has it in full.
const ERROR_CHARS: usize = 160;

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
        let small = page.bytes() < SMALL;
        let footer = self.footer(frame, small, &self.reason_beside(""));
        page.reserve(&footer);
        self.push_failures(&mut page);
        self.push_problems(&mut page);
        self.push_rest(&mut page);
        self.fill(&mut page);
        // What the last line repeats of the page takes no room from what is not said yet.
        let whole = self.footer(frame, small, &self.reason());
        let bytes = |footer: &[String]| footer.iter().map(String::len).sum::<usize>();
        let fits = bytes(&whole) <= bytes(&footer) + page.bytes();
        page.finish(if fits { &whole } else { &footer })
    }

    /// The one line that says why the command failed, without the format.
    pub fn reason(&self) -> String {
        self.reason_beside(&self.beside_counts())
    }

    /// The same with this behind what was counted.
    fn reason_beside(&self, beside: &str) -> String {
        let end = match self.end {
            End::Exit(status) => format!("exit {status}"),
            End::Signal(signal) => format!("signal {signal}"),
            End::Unknown => "exit status unknown".to_owned(),
        };
        let tool = self.tool.as_deref().unwrap_or("command");
        let reason = match self.counted() {
            Some(counted) => counted + beside,
            None => match self.first_error() {
                Some(error) => error,
                // A runner may end so that no test of its own failed.
                None if !self.counts.is_empty() => format!("{tool}: {}", self.counts.words()),
                None => format!("{tool} failed"),
            },
        };
        format!("{} ({end})", cut_end(&reason, REASON_CHARS))
    }

    /// What was counted as wrong, tool by tool.
    fn counted(&self) -> Option<String> {
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
        (!results.is_empty()).then(|| results.join("; "))
    }

    /// The first error as it stands behind what was counted; empty where nothing was.
    fn beside_counts(&self) -> String {
        let error = self.counted().and_then(|_| self.first_error());
        error.map_or(String::new(), |error| {
            format!(": {}", cut_end(&error, ERROR_CHARS))
        })
    }

    /// What the output says first of what went wrong: a failing test, an error with a place or without one.
    fn first_error(&self) -> Option<String> {
        let failures = self.failures.iter().map(|failure| {
            let message = match failure.message.as_str() {
                "" => failure.name.clone(),
                message => format!("{}: {message}", failure.name),
            };
            (failure.log_lines.0, message)
        });
        let problems = self.problems.iter();
        let problems = problems.filter(|problem| problem.severity == Severity::Error);
        let problems = problems.map(|problem| {
            let place = problem.places.first();
            let place = place.map_or(String::new(), |place| format!("{place}: "));
            (problem.log_line, format!("{place}{}", problem.text))
        });
        let first = failures.chain(problems).min();
        match (first, self.first_stated()) {
            (Some(found), Some((line, text))) if line < found.0 => Some(text.to_owned()),
            (Some((_, text)), _) => Some(text),
            (None, stated) => stated.map(|(_, text)| text.to_owned()),
        }
    }

    /// The first line that nobody took and that states an error; where none is built like that and no error was
    /// found at all, the first that speaks of one.
    fn first_stated(&self) -> Option<(u64, &str)> {
        let asides = self.asides.iter();
        let asides = asides
            .filter(|aside| aside.grade == Grade::Strong)
            .map(|aside| (aside.line, aside.text.as_str()));
        let noted = self.notes.iter().map(|(line, text)| (*line, text.as_str()));
        let spots = self.outline.spots.iter().filter(|spot| spot.weight > 1);
        let spots = spots.map(|spot| (spot.line, spot.text.as_str()));
        let others = || noted.clone().chain(spots.clone());
        let stated = others().filter(|(_, text)| grade(text, false) == Grade::Strong);
        let first = asides.chain(stated).min();
        let is_error = |problem: &Problem| problem.severity == Severity::Error;
        let is_only = self.failures.is_empty() && !self.problems.iter().any(is_error);
        first.or_else(|| others().min().filter(|_| is_only))
    }

    fn footer(&self, frame: &Frame<'_>, short: bool, reason: &str) -> Vec<String> {
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
                .replace("{reason}", reason);
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
