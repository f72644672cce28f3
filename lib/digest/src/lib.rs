#![doc = include_str!("../README.md")]
//!
//! # How it works
//!
//! The digest of a long output: what happened, what failed and why, in at most fifty lines.
//!
//! [`Digester`] reads an output once, in chunks of any size, with bounded memory. The bytes choose
//! the grammar ([`grammar`]), not the command: several tools may share one output, each line may
//! carry a prefix of a monorepo runner, a container or a CI service. [`Digest::render`] writes
//! what a model reads: the result with counts, every failing name, the reasons, and where the rest
//! is in the log. Referee rules: the exit status decides the headline, a result line inside
//! captured output is not a result, and what two sources disagree on is said to be unverified.

mod aside;
mod block;
mod clean;
mod count;
pub mod custom;
mod cut;
mod facts;
mod format;
mod grammar;
mod hash;
mod index;
mod json;
mod lane;
mod line;
mod machine;
mod meaning;
mod names;
mod outline;
mod pattern;
mod place;
mod problem;
mod render;
mod repeats;
mod scan;
mod set;
mod table;
mod tally;
mod tools;

#[cfg(test)]
mod tests;

pub use count::{Category, Counts};
pub use facts::Failure;
pub use problem::{Problem, Severity};
pub use render::Frame;
pub use scan::{Scanned, Scanner};

use cut::Cutter;
use machine::Machine;

/// The default of `MAX_OUTPUT_LINES`: the most lines a digest has (PRD FR-2).
pub const LINES_MAX: usize = 50;

/// The most bytes a digest has: the client cuts a failing result at 10,000 characters,
/// and the exit status and the caller's own words need room too.
pub const BYTES_MAX: usize = 8_000;

/// The default of `filter.page_bytes`: a page is filled up to so many bytes.
pub const FILL_MAX: usize = 3_500;

/// Of an output of more bytes only the beginning and the end are at hand when it is over.
const TEXT_MAX: usize = 256 * 1024;

/// How an output is read.
#[derive(Debug, Clone)]
pub struct Options {
    /// Outputs of at most this many lines are passed on unchanged, and no digest is longer.
    pub lines_max: usize,
    /// The same in bytes.
    pub bytes_max: usize,
    /// Where something failed or nothing is recognised, a digest is filled up to so many bytes.
    pub fill_max: usize,
    /// The tool's name, if the person gave it (`--tool`): it names the digest, the bytes still
    /// choose the grammar.
    pub tool: Option<String>,
    /// The command is known to run tests: a result line of a runner at the end of its output is
    /// believed also where nothing else speaks for it.
    pub tests: bool,
    /// A person's own grammars ([`custom::parse`]), asked before the built-in ones.
    pub custom: Vec<custom::Custom>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            lines_max: LINES_MAX,
            bytes_max: BYTES_MAX,
            fill_max: FILL_MAX,
            tool: None,
            tests: false,
            custom: Vec::new(),
        }
    }
}

/// How the command ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// It exited with this status.
    Exit(i32),
    /// This signal ended it.
    Signal(i32),
    /// Nobody knows: the output came through a pipe, or the command still runs.
    Unknown,
}

impl End {
    /// Whether this end says that the command failed; `None` when it says nothing.
    pub fn failed(self) -> Option<bool> {
        match self {
            Self::Exit(status) => Some(status != 0),
            Self::Signal(_) => Some(true),
            Self::Unknown => None,
        }
    }
}

/// What is known while the command still runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Live {
    /// Tests seen to pass.
    pub passed: u64,
    /// Tests seen to fail.
    pub failed: u64,
    /// Lines read.
    pub lines: u64,
    /// Names of failing tests in the order they appeared (a bounded number of them).
    pub failing: Vec<String>,
}

/// Reads an output and makes its digest.
#[derive(Debug)]
pub struct Digester {
    options: Options,
    cutter: Cutter,
    machine: Machine,
    /// Everything read so far, as long as it is kept.
    text: Option<Vec<u8>>,
    text_lines: usize,
}

impl Digester {
    /// A digester that has read nothing.
    pub fn new(options: Options) -> Self {
        let machine = Machine::new(options.custom.clone());
        Self {
            options,
            cutter: Cutter::new(machine.scanner()),
            machine,
            text: Some(Vec::new()),
            text_lines: 0,
        }
    }

    /// Reads a chunk. Chunk borders mean nothing: a line, a character or an escape sequence may
    /// continue in the next chunk.
    pub fn push(&mut self, bytes: &[u8]) {
        self.keep(bytes);
        self.cutter.push(bytes, None, &mut self.machine);
    }

    /// The same of a chunk that this digester's scanner has looked through.
    pub fn push_scanned(&mut self, chunk: &Scanned) {
        self.keep(chunk.bytes());
        self.cutter
            .push(chunk.bytes(), Some(chunk), &mut self.machine);
    }

    /// What looks chunks through before they are read, on a thread that has the time.
    pub fn scanner(&self) -> Scanner {
        self.cutter.scanner().clone()
    }

    /// Whether the output is already too long to be passed on unchanged.
    pub fn overflowed(&self) -> bool {
        !self.is_small()
    }

    /// What is known so far, for progress lines.
    pub fn live(&self) -> Live {
        self.machine.live(self.cutter.lines())
    }

    /// Ends the output.
    pub fn finish(mut self, end: End, duration_ms: Option<u64>) -> Digest {
        let is_small = self.is_small();
        self.cutter.finish(&mut self.machine);
        let (lines_in, bytes_in) = (self.cutter.lines(), self.cutter.bytes());
        let parts = (self.machine).finish(end.failed() == Some(true), lines_in, self.options.tests);
        let (raw, text) = if is_small {
            (self.text, None)
        } else {
            (None, self.text)
        };
        Digest {
            tool: self.options.tool.or(parts.tool),
            end,
            counts: parts.counts,
            results: parts.results,
            lint: parts.lint,
            by_file: parts.by_file,
            notes: parts.notes,
            counted: parts.counted,
            duration_ms: duration_ms.or(parts.duration_ms),
            failures: parts.failures,
            failures_left_out: parts.failures_left_out,
            left_out_at: parts.left_out_at,
            problems: parts.problems,
            lines_in,
            bytes_in,
            raw,
            text,
            outline: parts.outline,
            asides: parts.asides,
            runs: parts.runs,
            last: parts.last,
            lines_max: self.options.lines_max,
            bytes_max: self.options.bytes_max,
            fill_max: self.options.fill_max,
        }
    }

    fn keep(&mut self, bytes: &[u8]) {
        let Some(text) = &mut self.text else { return };
        if text.len() + bytes.len() <= TEXT_MAX.max(self.options.bytes_max) {
            self.text_lines += memchr::memchr_iter(b'\n', bytes).count();
            text.extend_from_slice(bytes);
        } else {
            self.text = None;
        }
    }

    fn is_small(&self) -> bool {
        self.text.as_ref().is_some_and(|text| {
            // A last line without its newline is a line too.
            let open = usize::from(text.last().is_some_and(|byte| *byte != b'\n'));
            text.len() <= self.options.bytes_max && self.text_lines + open <= self.options.lines_max
        })
    }
}

/// What an output said.
#[derive(Debug, Clone)]
pub struct Digest {
    /// The tool, or tools joined by ` + `; none when nothing was recognised.
    pub tool: Option<String>,
    /// How the command ended.
    pub end: End,
    /// Counts by category, as the tools state them (several suites added up) or, where they state
    /// none, as counted from the lines of single tests.
    pub counts: Counts,
    /// The same by tool.
    pub results: Vec<(&'static str, Counts)>,
    /// Counts from the lines of single tests, where they differ from `counts`.
    pub counted: Option<Counts>,
    /// How long it took, in milliseconds: as measured by the caller, else as printed.
    pub duration_ms: Option<u64>,
    /// Failing tests, in the order they appeared. Bounded; `failures_left_out` counts the rest.
    pub failures: Vec<Failure>,
    /// Failing tests that are not in `failures`.
    pub failures_left_out: u64,
    /// The line where the first failing test that was left out stands.
    pub left_out_at: Option<u64>,
    /// Compile errors, warnings and lints; equal ones together.
    pub problems: Vec<Problem>,
    /// Lines read.
    pub lines_in: u64,
    /// Bytes read.
    pub bytes_in: u64,
    /// The whole output, when it is within the limits: then it is passed on unchanged.
    pub raw: Option<Vec<u8>>,
    /// The same of a longer one, as long as it is kept: the page is filled from it.
    text: Option<Vec<u8>>,
    outline: outline::Outline,
    /// What looks like an error outside the runs that were recognised.
    asides: Vec<aside::Aside>,
    /// From where to where the runs of tests go that were recognised.
    runs: Vec<(u64, u64)>,
    /// Of the last lines those that no grammar took.
    last: Vec<outline::Kept>,
    notes: Vec<(u64, String)>,
    /// A linter is at work: its warnings are its result.
    lint: bool,
    /// It names each file above its problems.
    by_file: bool,
    lines_max: usize,
    bytes_max: usize,
    fill_max: usize,
}

impl Digest {
    /// The whole output, byte for byte, when it is small enough to be passed on unchanged.
    pub fn passthrough(&self) -> Option<&[u8]> {
        self.raw.as_deref()
    }

    /// The lines of such an output in plain text, and whether each looks like an error.
    pub fn lines(&self) -> Option<Vec<(String, bool)>> {
        let bad = |severity| matches!(severity, Severity::Error | Severity::Plain);
        let problems = self.problems.iter();
        let problems = problems.filter(|problem| bad(problem.severity));
        let spots = self.outline.spots.iter().filter(|spot| spot.weight > 1);
        let errors: Vec<u64> = (problems.map(|problem| problem.log_line))
            .chain(spots.map(|spot| spot.line))
            .collect();
        let lines = self.passthrough()?.split(|byte| *byte == b'\n');
        let line = |(at, raw)| (clean::clean(raw).into_owned(), errors.contains(&at));
        Some((1..).zip(lines).map(line).collect())
    }

    /// The whole output, unless it was too long to be kept.
    fn at_hand(&self) -> Option<&[u8]> {
        self.raw.as_deref().or(self.text.as_deref())
    }

    /// Tests that passed, as far as known.
    pub fn passed(&self) -> Option<u64> {
        self.counts.get(Category::Passed)
    }

    /// Tests that failed, as far as known.
    pub fn failed(&self) -> Option<u64> {
        let named = self.named();
        self.counts
            .get(Category::Failed)
            .or((named > 0).then_some(named))
    }

    /// Tests that were skipped, ignored, pending or marked as to be done, as far as known.
    pub fn skipped(&self) -> Option<u64> {
        self.counts.skipped()
    }

    /// Errors (of a compiler, a linter, or of tests that could not run), as far as known.
    pub fn errors(&self) -> Option<u64> {
        self.counts.get(Category::Errors)
    }

    /// The failing tests that the output names.
    fn named(&self) -> u64 {
        self.failures.len() as u64 + self.failures_left_out
    }

    /// The failing tests that are named, where the result line speaks of more of them.
    pub(crate) fn named_of_more(&self) -> Option<u64> {
        let named = self.named();
        let stated = self.counts.get(Category::Failed).unwrap_or(0);
        (0 < named && named < stated).then_some(named)
    }

    /// Whether the run failed: by its exit status, or by failures that it names.
    pub fn is_failure(&self) -> bool {
        self.end.failed() == Some(true) || self.shows_failures()
    }

    /// Whether the output itself names or counts a failing test.
    pub fn shows_failures(&self) -> bool {
        !self.failures.is_empty() || self.counts.get(Category::Failed).unwrap_or(0) > 0
    }
}
