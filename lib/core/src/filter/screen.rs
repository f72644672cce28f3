//! What is shown while a command runs: its first lines at once, later which tests fail and how far
//! it is. Everything shown counts against the digest's room.

use crate::digest::Live;
use crate::text::one_line;
use std::fmt::Write;

/// So many lines and bytes of an output are shown at once.
const HEAD: (usize, usize) = (2, 400);
/// A command that runs this long is watched: it may have been moved to the background.
const WATCH_FROM_MS: u64 = 10_000;
/// The time between two counts; it doubles once `COUNTS_EVEN` of them were shown, so that a night
/// long run does not fill the digest's room.
const COUNT_EVERY_MS: u64 = 20_000;
const COUNTS_EVEN: u32 = 10;
/// Lines about the running command, in all.
const LIVE_LINES_MAX: usize = 25;
const NAMES_MAX: usize = 10;
const NAME_CHARS_MAX: usize = 160;

/// Keeps account of what was shown.
#[derive(Debug, Default)]
pub struct Screen {
    head_lines: usize,
    head_bytes: usize,
    head_over: bool,
    head_open: bool,
    live_lines: usize,
    live_bytes: usize,
    names: usize,
    counts: u32,
    next_count_ms: u64,
}

impl Screen {
    /// How many of the next bytes of the output belong to its head, to be shown at once: whole
    /// lines, and what has no line break yet.
    pub fn head(&mut self, bytes: &[u8]) -> usize {
        let mut length = 0;
        for line in bytes.split_inclusive(|byte| *byte == b'\n') {
            if self.head_over || self.head_bytes + line.len() > HEAD.1 {
                self.head_over = true;
                break;
            }
            length += line.len();
            self.head_bytes += line.len();
            self.head_open = !line.ends_with(b"\n");
            if line.ends_with(b"\n") {
                self.head_lines += 1;
                self.head_over = self.head_lines >= HEAD.0;
            }
        }
        length
    }

    /// Ends the head: what follows must not be shown before it is known.
    pub fn end_head(&mut self) {
        self.head_over = true;
    }

    /// May more of the output be shown at once?
    pub fn in_head(&self) -> bool {
        !self.head_over
    }

    /// Did what was shown end inside a line?
    pub fn line_is_open(&self) -> bool {
        self.head_open && self.live_lines == 0
    }

    /// Lines and bytes shown in all, with a line that the head left open.
    pub fn shown(&self) -> (usize, usize) {
        let open = usize::from(self.head_open);
        (
            self.head_lines + open + self.live_lines,
            self.head_bytes + self.live_bytes,
        )
    }

    /// When to look again, in milliseconds after the start; `None`: never.
    pub fn next_ms(&self) -> Option<u64> {
        (self.live_lines < LIVE_LINES_MAX).then(|| self.next_count_ms.max(WATCH_FROM_MS))
    }

    /// What to show now, whole lines: failing tests that were not shown yet, and a count when it
    /// is time.
    pub fn live(&mut self, now_ms: u64, live: &Live) -> String {
        let mut text = String::new();
        if now_ms < WATCH_FROM_MS || self.live_lines >= LIVE_LINES_MAX {
            return text;
        }
        for name in live
            .failing
            .iter()
            .skip(self.names)
            .take(NAMES_MAX - self.names.min(NAMES_MAX))
        {
            let _ = writeln!(text, "FAILED {}", one_line(name, NAME_CHARS_MAX));
            self.names += 1;
            self.live_lines += 1;
        }
        if now_ms >= self.next_count_ms.max(COUNT_EVERY_MS) {
            let tests = match (live.passed, live.failed) {
                (0, 0) => String::new(),
                (passed, failed) => format!("{failed} failed, {passed} passed, "),
            };
            let _ = writeln!(
                text,
                "… {} s: {tests}{} lines so far",
                now_ms / 1_000,
                live.lines
            );
            self.live_lines += 1;
            let doublings = self.counts.saturating_sub(COUNTS_EVEN).min(16);
            self.next_count_ms = now_ms + (COUNT_EVERY_MS << doublings);
            self.counts += 1;
        } else {
            self.next_count_ms = self.next_count_ms.max(now_ms + COUNT_EVERY_MS / 20);
        }
        self.live_bytes += text.len();
        text
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
        assert_eq!(screen.head(b"Name? "), 6);
        assert_eq!(screen.head(b"yes\nb\nc\n"), 6);
        assert_eq!(screen.head(b"d\n"), 0);
        assert_eq!(screen.shown(), (2, 12));
        assert_eq!(Screen::default().head(&[b'x'; 500]), 0);
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
    fn a_night_leaves_room_for_the_digest() {
        let mut screen = Screen::default();
        let names: Vec<String> = (0..500).map(|number| format!("t{number}")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        for now_ms in (0..36_000_000).step_by(500) {
            let _ = screen.live(now_ms, &live(&names));
        }
        assert!(screen.shown().0 <= LIVE_LINES_MAX, "{:?}", screen.shown());
    }
}
