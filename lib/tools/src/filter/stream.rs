//! One output on its way: redaction, log, digest, screen.

use super::Plan;
use super::outcome::Outcome;
use super::reader::{Page, Reader};
use super::small::{Small, show};
use overnight_base::code::Code;
use overnight_base::fault::Fault;
use overnight_digest::{BYTES_MAX, Digester, End, Frame, Options};
use overnight_filter::binary;
use overnight_filter::screen::Screen;
use overnight_host::grammars;
use overnight_host::logs::Log;
use overnight_host::state::{self, Place};
use overnight_redact::Redactor;
use std::fmt::Write;
use std::path::PathBuf;
use std::time::Instant;

/// A daemon that a command left behind may add so much to its log.
const AFTERMATH_BYTES_MAX: u64 = 50_000_000;

/// An output that is being read.
#[derive(Debug)]
pub struct Stream {
    plan: Plan,
    place: Option<Place>,
    reader_at: PathBuf,
    started: Instant,
    redactor: Redactor,
    /// Redacted text of the current step.
    clean: Vec<u8>,
    reader: Option<Reader>,
    log: LogState,
    screen: Screen,
    small: Option<Small>,
    /// Bytes that were shown as they came before the output was too long for that.
    head: usize,
    /// Binary data: everything goes straight through.
    raw: bool,
    begun: bool,
    /// Did the digest fail, by a fault of ours?
    failed: bool,
    aftermath: u64,
}

#[derive(Debug)]
enum LogState {
    /// Not begun: what it will begin with.
    Waiting(Vec<u8>),
    Open(Log),
    Failed(Fault),
}

impl Stream {
    /// Begins to read. Nothing is created before the output is too long to be passed on.
    pub fn new(plan: Plan) -> Self {
        let reader_at = std::env::current_dir().unwrap_or_default();
        let options = Options {
            lines_max: plan.lines_max,
            bytes_max: BYTES_MAX,
            fill_max: plan.page_bytes,
            tool: plan.tool.clone(),
            tests: false,
            custom: grammars::load(),
        };
        let mut screen = Screen::default();
        if !plan.live {
            screen.end_head();
        }
        Self {
            place: state::locate(&reader_at).ok(),
            plan,
            reader_at,
            started: Instant::now(),
            redactor: Redactor::new(),
            clean: Vec::new(),
            reader: Some(Reader::new(Digester::new(options))),
            log: LogState::Waiting(Vec::new()),
            screen,
            small: Some(Small::default()),
            head: 0,
            raw: false,
            begun: false,
            failed: false,
            aftermath: 0,
        }
    }

    /// Reads a chunk.
    pub fn push(&mut self, chunk: &[u8], from_stderr: bool) {
        self.begun = true;
        let limits = (self.plan.lines_max, BYTES_MAX);
        if !self.raw
            && let Some(small) = &mut self.small
            && !small.push(chunk, from_stderr, limits)
        {
            self.overflow(chunk);
        }
        if self.raw {
            return show(chunk, from_stderr);
        }
        let mut clean = std::mem::take(&mut self.clean);
        self.redactor.push(chunk, &mut clean);
        self.keep(&mut clean);
        self.clean = clean;
        self.show_head(false);
    }

    /// Nothing came for a while: a line without its end may be a prompt.
    pub fn idle(&mut self) {
        if self.raw || !self.screen.in_head(self.elapsed_ms()) || self.small.is_none() {
            return;
        }
        let mut clean = Vec::new();
        self.redactor.flush(&mut clean);
        self.keep(&mut clean);
        self.show_head(true);
    }

    /// May a prompt still be shown?
    pub fn wants_idle(&self) -> bool {
        !self.raw && self.screen.in_head(self.elapsed_ms()) && self.begun
    }

    /// Milliseconds until progress is to be shown.
    pub fn next_look_ms(&self) -> Option<u64> {
        let now_ms = self.elapsed_ms();
        let next = self
            .screen
            .next_ms()
            .filter(|_| self.plan.live && !self.raw)?;
        // Once a small output may be shown as it comes, there is nothing more to wait for.
        let waits = self.small.is_none() || next > now_ms;
        waits.then(|| next.saturating_sub(now_ms).max(1))
    }

    /// Shows progress if it is time.
    pub fn look(&mut self) {
        let now_ms = self.elapsed_ms();
        if self.small.is_some() {
            return self.show_head(false);
        }
        if self.plan.live
            && self.screen.next_ms().is_some_and(|next| next <= now_ms)
            && let Some(live) = self.reader.as_mut().and_then(Reader::live)
        {
            let text = self.screen.live(now_ms, &live);
            show(text.as_bytes(), false);
        }
    }

    /// Ends the output: shows what is left of a small one, else the digest.
    pub fn finish(&mut self, end: End) -> Option<Outcome> {
        let Some((mut text, outcome)) = self.close(end) else {
            self.show_unshortened();
            return None;
        };
        match &mut self.small {
            Some(small) if !self.plan.json => small.show(small.len()),
            _ => {
                if self.plan.json {
                    text = format!("{}\n", outcome.json());
                } else if self.screen.line_is_open() {
                    text.insert(0, '\n');
                }
                show(text.as_bytes(), false);
            }
        }
        if let LogState::Failed(fault) = &self.log {
            show(format!("{fault}\n").as_bytes(), true);
        }
        Some(outcome)
    }

    /// Ends the output without showing anything; `None` when it is small or binary.
    pub fn digest(&mut self, end: End) -> Option<(String, Outcome)> {
        let (mut text, outcome) = self.close(end)?;
        if self.small.is_some() {
            return None;
        }
        if let LogState::Failed(fault) = &self.log {
            let _ = writeln!(text, "{fault}");
        }
        Some((text, outcome))
    }

    fn close(&mut self, end: End) -> Option<(String, Outcome)> {
        let mut clean = Vec::new();
        self.redactor.finish(&mut clean);
        self.keep(&mut clean);
        let reader = self.reader.take()?;
        if self.raw {
            return None;
        }
        if self.plan.json {
            self.begin_log();
        }
        let page = reader.page(self.page(end));
        self.failed |= page.is_none();
        page
    }

    /// What makes the page and what is noted of it.
    fn page(&self, end: End) -> impl FnOnce(Digester) -> Page + Send + use<> {
        let duration_ms = (end != End::Unknown).then(|| self.elapsed_ms());
        let (log, said) = match &self.log {
            LogState::Open(log) => (Some(log.shown.clone()), 0),
            LogState::Failed(fault) => (None, fault.to_string().len() + 1),
            LogState::Waiting(_) => (None, 0),
        };
        let unshortened = (self.small.as_ref().filter(|_| !self.plan.json))
            .map(|small| String::from_utf8_lossy(small.all()).into_owned());
        let (redacted, (lines, bytes)) = (self.redactor.count(), self.screen.shown());
        let plan = self.plan.clone();
        move |digester| {
            let digest = digester.finish(end, duration_ms);
            let text = unshortened.unwrap_or_else(|| {
                digest.render(&Frame {
                    log: log.as_deref(),
                    error_format: &plan.error_format,
                    shown: (lines + usize::from(said > 0), bytes + said),
                    redacted,
                    status_of: plan.status_of.as_deref(),
                })
            });
            let outcome = Outcome::new(&digest, &plan, log.as_deref(), redacted, &text);
            (text, outcome)
        }
    }

    /// There is no digest, by a fault of ours: the output follows as it came, what was not shown of it
    /// yet. Without a log it was shown from the fault on.
    fn show_unshortened(&mut self) {
        if !self.failed {
            return;
        }
        let reason = "the digest failed, by a fault of its own; the output follows unshortened";
        show(
            format!("{}\n", Fault::new(Code::FilterFailed, reason)).as_bytes(),
            true,
        );
        if self.plan.json {
            return;
        }
        if let Some(small) = &mut self.small {
            small.show(small.len());
        } else if let LogState::Open(log) = &self.log {
            // A reader that went away is no error.
            let _ = log
                .after(self.head as u64)
                .and_then(|mut rest| std::io::copy(&mut rest, &mut std::io::stdout().lock()));
        }
    }

    /// After the end: a daemon that the command left behind still writes.
    pub fn aftermath(&mut self, chunk: &[u8]) {
        self.aftermath += chunk.len() as u64;
        if let LogState::Open(log) = &mut self.log
            && self.aftermath <= AFTERMATH_BYTES_MAX
        {
            let mut clean = Vec::new();
            self.redactor.push(chunk, &mut clean);
            let _ = log.write(&clean);
        }
    }

    /// The project that the output belongs to.
    pub fn place(&self) -> Option<&Place> {
        self.place.as_ref()
    }

    fn elapsed_ms(&self) -> u64 {
        u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX)
    }

    /// The output is too long to be passed on unchanged, unless it is binary data.
    fn overflow(&mut self, chunk: &[u8]) {
        let Some(mut small) = self.small.take() else {
            return;
        };
        self.head = small.len() - small.unshown(small.len()).len();
        let mut beginning = small.all().to_vec();
        beginning.extend_from_slice(&chunk[..chunk.len().min(binary::PREFIX)]);
        if binary::is_binary(&beginning) && !self.plan.json {
            small.show(small.len());
            self.raw = true;
        } else {
            self.begin_log();
        }
    }

    fn begin_log(&mut self) {
        let LogState::Waiting(early) = &mut self.log else {
            return;
        };
        let early = std::mem::take(early);
        let begun = match &self.place {
            Some(place) => Log::create(place, &self.reader_at, &self.plan.kind),
            None => return,
        };
        self.log = match begun {
            Ok(log) => LogState::Open(log),
            Err(fault) => LogState::Failed(fault),
        };
        self.write(&early);
    }

    /// Redacted text goes into the log and into the digest; it is empty afterwards.
    fn keep(&mut self, clean: &mut Vec<u8>) {
        if clean.is_empty() {
            return;
        }
        match &mut self.log {
            LogState::Waiting(early) if self.small.is_some() => early.extend_from_slice(clean),
            _ => self.write(clean),
        }
        let logged = self.small.is_some() || self.raw || matches!(self.log, LogState::Open(_));
        let kept = if logged { None } else { Some(clean.clone()) };
        match &mut self.reader {
            Some(reader) => reader.push(clean),
            None => clean.clear(),
        }
        if let (Some(text), Some(reader)) = (kept, &mut self.reader) {
            self.failed |= reader.has_failed();
            if self.failed && !self.plan.json {
                show(&text, false);
            }
        }
    }

    fn write(&mut self, clean: &[u8]) {
        if let LogState::Open(log) = &mut self.log
            && let Err(fault) = log.write(clean)
        {
            let failed = std::mem::replace(&mut self.log, LogState::Failed(fault));
            if let LogState::Open(log) = failed {
                log.discard();
            }
        }
    }

    /// The first lines, once it is known that they hold no secret. Text is known to hold none when
    /// it has passed the redactor: its complete lines, or all of it after a flush.
    fn show_head(&mut self, flushed: bool) {
        let now_ms = self.elapsed_ms();
        if !self.screen.in_head(now_ms) {
            return;
        }
        let Some(small) = &mut self.small else {
            return self.screen.end_head();
        };
        if self.redactor.count() > 0 || self.redactor.withholds() {
            return self.screen.end_head();
        }
        let known = small.unshown(small.len());
        let known = if flushed {
            known.len()
        } else {
            memchr::memrchr(b'\n', known).map_or(0, |at| at + 1)
        };
        let end = small.len() - small.unshown(small.len()).len() + known;
        let length = self.screen.head(now_ms, small.unshown(end));
        small.show(length);
    }
}
