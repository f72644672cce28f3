//! What is shown while a command runs: its first lines at once, later which tests fail and how far
//! it is. Everything shown counts against the digest's room.

use overnight_base::text::one_line;
use overnight_digest::Live;

/// So many lines and bytes of an output are shown at once.
const HEAD: (usize, usize) = (2, 400);
/// The same of an output that is small still after [`WATCH_FROM_MS`]: it is its own progress.
const LONG_HEAD: (usize, usize) = (25, 2_500);
/// A command that runs this long is watched: it may have been moved to the background.
const WATCH_FROM_MS: u64 = 10_000;
/// The time between two looks for failing tests.
const LOOK_EVERY_MS: u64 = 1_000;
/// The time between two counts; it doubles with each once `COUNTS_EVEN` of them were shown, after
/// an hour, so that a night long run does not fill the digest's room.
const COUNT_EVERY_MS: u64 = 20_000;
const COUNTS_EVEN: u32 = 180;
/// The first counts have a line each, as long as there are many lines left; then many share one.
const COUNTS_ALONE: u32 = 5;
const MANY_LINES: usize = 10;
const SHARED_LINE_BYTES: usize = 400;
/// Lines and bytes of a running command, in all: the digest needs the rest.
const RUNNING_MAX: (usize, usize) = (30, 4_500);
const NAMES_MAX: usize = 10;
const NAME_CHARS_MAX: usize = 160;

/// What counts share a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shared {
    Tests,
    Lines,
}

/// Keeps account of what was shown.
#[derive(Debug, Default)]
pub struct Screen {
    head_over: bool,
    /// Lines begun and bytes.
    lines: usize,
    bytes: usize,
    /// Bytes of the last line, while it has no end.
    open: Option<usize>,
    /// The last line is one of counts.
    shared: Option<Shared>,
    names: usize,
    counts: u32,
    next_look_ms: u64,
    next_count_ms: u64,
}

impl Screen {
    /// How many of the next bytes of the output are to be shown at once: whole lines, and what has
    /// no line break yet.
    pub fn head(&mut self, now_ms: u64, bytes: &[u8]) -> usize {
        let most = head(now_ms);
        let mut length = 0;
        for line in bytes.split_inclusive(|byte| *byte == b'\n') {
            let begins = usize::from(self.open.is_none());
            if self.head_over || self.lines + begins > most.0 || self.bytes + line.len() > most.1 {
                break;
            }
            length += line.len();
            self.lines += begins;
            self.bytes += line.len();
            self.open = (!line.ends_with(b"\n")).then(|| self.open.unwrap_or(0) + line.len());
        }
        length
    }

    /// Ends the head: what follows must not be shown before it is known.
    pub fn end_head(&mut self) {
        self.head_over = true;
    }

    /// May more of the output be shown at once?
    pub fn in_head(&self, now_ms: u64) -> bool {
        let most = head(now_ms);
        let lines = self.lines - usize::from(self.open.is_some());
        !self.head_over && lines < most.0 && self.bytes < most.1
    }

    /// Did what was shown end inside a line?
    pub fn line_is_open(&self) -> bool {
        self.open.is_some()
    }

    /// Lines and bytes shown in all, with the end that a line left open still needs.
    pub fn shown(&self) -> (usize, usize) {
        (self.lines, self.bytes + usize::from(self.open.is_some()))
    }

    /// When to look again, in milliseconds after the start; `None`: never.
    pub fn next_ms(&self) -> Option<u64> {
        self.has_room()
            .then(|| self.next_look_ms.max(WATCH_FROM_MS))
    }

    /// What to show now: failing tests that were not shown yet, and a count when it is time.
    pub fn live(&mut self, now_ms: u64, live: &Live) -> String {
        let mut text = String::new();
        if now_ms < WATCH_FROM_MS || !self.has_room() {
            return text;
        }
        self.next_look_ms = now_ms + LOOK_EVERY_MS;
        let new = live.failing.iter().take(NAMES_MAX).skip(self.names);
        for name in new {
            self.names += 1;
            self.line(
                &mut text,
                &format!("FAILED {}", one_line(name, NAME_CHARS_MAX)),
            );
        }
        if now_ms >= self.next_count_ms.max(COUNT_EVERY_MS) {
            self.count(&mut text, now_ms / 1_000, live);
            self.counts += 1;
            let doublings = self.counts.saturating_sub(COUNTS_EVEN).min(16);
            self.next_count_ms = now_ms + (COUNT_EVERY_MS << doublings);
        }
        text
    }

    fn has_room(&self) -> bool {
        self.lines < RUNNING_MAX.0 && self.bytes < RUNNING_MAX.1
    }

    fn count(&mut self, text: &mut String, seconds: u64, live: &Live) {
        let Live {
            passed,
            failed,
            lines,
            ..
        } = live;
        let kind = if (*passed, *failed) == (0, 0) {
            Shared::Lines
        } else {
            Shared::Tests
        };
        if self.counts < COUNTS_ALONE && self.lines + MANY_LINES < RUNNING_MAX.0 {
            let tests = match kind {
                Shared::Lines => String::new(),
                Shared::Tests => format!("{failed} failed, {passed} passed, "),
            };
            return self.line(text, &format!("… {seconds} s: {tests}{lines} lines so far"));
        }
        let (title, figures) = match kind {
            Shared::Lines => ("lines", lines.to_string()),
            Shared::Tests => ("failed/passed", format!("{failed}/{passed}")),
        };
        let figures = format!("{seconds} s {figures}");
        match self.open {
            Some(bytes) if self.shared == Some(kind) && bytes < SHARED_LINE_BYTES => {
                self.add(text, &format!(", {figures}"));
            }
            _ => {
                self.begin(text);
                self.add(text, &format!("… {title}: {figures}"));
                self.shared = Some(kind);
            }
        }
    }

    /// A line of its own.
    fn line(&mut self, text: &mut String, line: &str) {
        self.begin(text);
        self.add(text, line);
        self.end(text);
    }

    /// Begins a line behind one that may be open.
    fn begin(&mut self, text: &mut String) {
        if self.open.is_some() {
            self.end(text);
        }
        self.lines += 1;
        self.open = Some(0);
    }

    fn add(&mut self, text: &mut String, part: &str) {
        text.push_str(part);
        self.bytes += part.len();
        self.open = self.open.map(|bytes| bytes + part.len());
    }

    fn end(&mut self, text: &mut String) {
        text.push('\n');
        self.bytes += 1;
        self.open = None;
        self.shared = None;
    }
}

/// How much of an output's beginning may have been shown by now.
fn head(now_ms: u64) -> (usize, usize) {
    if now_ms < WATCH_FROM_MS {
        HEAD
    } else {
        LONG_HEAD
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn live(failing: &[&str]) -> Live {
        Live {
            passed: 7,
            failed: failing.len() as u64,
            lines: 900,
            failing: failing.iter().map(|name| (*name).to_owned()).collect(),
        }
    }

    #[test]
    fn the_head_is_two_lines_and_a_prompt_without_a_line_break() {
        let mut screen = Screen::default();
        assert_eq!(screen.head(0, b"Name? "), 6);
        assert!(screen.line_is_open() && screen.in_head(0));
        assert_eq!(screen.head(0, b"yes\nb\nc\n"), 6);
        assert!(!screen.in_head(0));
        assert_eq!(screen.head(0, b"d\n"), 0);
        assert_eq!(screen.shown(), (2, 12));
        assert_eq!(Screen::default().head(0, &[b'x'; 500]), 0);
    }

    #[test]
    fn a_small_output_of_a_long_run_is_shown_as_it_comes() {
        let mut screen = Screen::default();
        assert_eq!(screen.head(9_000, &b"x\n".repeat(5)), 4);
        assert_eq!(screen.head(10_000, &b"x\n".repeat(3)), 6);
        assert_eq!(screen.head(90_000, &b"x\n".repeat(90)), 40);
        assert_eq!(screen.shown(), (25, 50));
        // What is left goes to counts, which share a line.
        assert_eq!(
            screen.live(20_000, &live(&["a"])),
            "FAILED a\n… failed/passed: 20 s 1/7"
        );
        assert_eq!(screen.live(40_000, &live(&["a"])), ", 40 s 1/7");
        assert_eq!(screen.live(41_000, &live(&["a", "b"])), "\nFAILED b\n");
        assert_eq!(screen.shown().0, 28);
        assert_eq!(screen.next_ms(), Some(42_000));
    }

    #[test]
    fn a_long_run_shows_failures_as_they_appear_and_counts_every_twenty_seconds() {
        let mut screen = Screen::default();
        assert_eq!(screen.live(9_000, &live(&["a"])), "");
        assert_eq!(screen.live(10_000, &live(&["a"])), "FAILED a\n");
        assert_eq!(screen.live(15_000, &live(&["a", "b"])), "FAILED b\n");
        assert_eq!(
            screen.live(20_000, &live(&["a", "b"])),
            "… 20 s: 2 failed, 7 passed, 900 lines so far\n"
        );
        assert_eq!(screen.live(39_000, &live(&["a", "b"])), "");
        assert_eq!(screen.live(40_000, &live(&[])).lines().count(), 1);
        assert_eq!(screen.shown().0, 4);
    }

    #[test]
    fn looking_often_puts_no_count_off() {
        let mut screen = Screen::default();
        let mut counts = Vec::new();
        for now_ms in (0..3_700_000).step_by(250) {
            if !screen.live(now_ms, &live(&[])).is_empty() {
                counts.push(now_ms / 1_000);
            }
        }
        let hour: Vec<u64> = (1..=180).map(|count| count * 20).collect();
        assert_eq!(counts[..180], hour);
        assert!(
            screen.shown().0 < 20 && screen.shown().1 < 3_500,
            "{:?}",
            screen.shown()
        );
    }

    #[test]
    fn a_night_leaves_room_for_the_digest() {
        let mut screen = Screen::default();
        let names: Vec<String> = (0..500).map(|number| format!("t{number}")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let mut text = String::new();
        for now_ms in (0..36_000_000).step_by(500) {
            text.push_str(&screen.live(now_ms, &live(&names)));
        }
        let open = usize::from(screen.line_is_open());
        assert_eq!(screen.shown(), (text.lines().count(), text.len() + open));
        assert!(screen.shown().0 <= RUNNING_MAX.0, "{:?}", screen.shown());
        assert!(screen.shown().1 <= RUNNING_MAX.1 + SHARED_LINE_BYTES);
    }
}
