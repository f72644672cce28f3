//! Lanes: outputs of several programs in one, told apart by what stands before each line.
//!
//! `core:test: …` (turbo), `[api] …` (concurrently), `web-1  | …` (docker compose),
//! `packages/a test: …` (pnpm), `@acme/ui: …` (lerna), and the time stamps of CI services, which make no lane of their own.

use super::line::Line;

/// How often a prefix must have been seen before it counts as one.
const SEEN_MIN: u32 = 3;

/// The most lanes, and the most prefixes under observation.
const LANES_MAX: usize = 32;
const WATCHED_MAX: usize = 64;

/// The longest line that is remembered of a prefix under observation, in bytes.
const KEPT_MAX: usize = 4_096;

/// Knows the prefixes seen so far.
#[derive(Debug, Default)]
pub(super) struct Lanes {
    names: Vec<String>,
    watched: Vec<Watched>,
    /// The one under observation that the last line has.
    latest: Option<usize>,
    /// Lines of the lane that the last line opened, which came before it.
    earlier: Vec<Earlier>,
}

/// A prefix that was not seen often enough yet.
#[derive(Debug)]
struct Watched {
    name: String,
    count: u32,
    /// Lines that nobody took so far.
    lines: Vec<Earlier>,
}

/// A line that came before its lane was known.
#[derive(Debug)]
pub(super) struct Earlier {
    pub(super) no: u64,
    /// Without the prefix.
    pub(super) text: String,
    /// The line before it, as it came.
    pub(super) previous: Vec<u8>,
}

impl Lanes {
    /// The lane of a line (0 has no prefix), the name to put before its tests, and its text.
    pub(super) fn split<'t>(&mut self, text: &'t str) -> (usize, &'t str) {
        self.latest = None;
        let text = without_stamp(text);
        // What is known to be a prefix is one, whatever else the line holds.
        let known = |name: &&String| name.ends_with('|') && text.starts_with(name.as_str());
        if let Some(at) = self.names.iter().position(|name| known(&name)) {
            let rest = &text[self.names[at].len()..];
            return (at + 1, rest.strip_prefix(' ').unwrap_or(rest));
        }
        let task = ant(text);
        let Some(end) = task.map_or_else(|| prefix(text), |(_, end)| Some(end)) else {
            return (0, text);
        };
        let (name, rest) = text.split_at(end);
        let name = task.map_or(name.trim_end(), |(name, _)| name);
        let rest = rest.strip_prefix(' ').unwrap_or(rest);
        if let Some(at) = self.names.iter().position(|known| known == name) {
            return (at + 1, rest);
        }
        // `package:task:` is hardly ever anything else.
        let least = if name.ends_with(':') && !name.contains(' ') {
            2
        } else {
            SEEN_MIN
        };
        if self.observe(name, least) {
            self.names.push(name.to_owned());
            return (self.names.len(), rest);
        }
        (0, text)
    }

    /// What stands before each line of this lane.
    pub(super) fn name(&self, lane: usize) -> &str {
        match lane.checked_sub(1).and_then(|at| self.names.get(at)) {
            Some(name) => name,
            None => "",
        }
    }

    /// Remembers a line whose prefix is under observation, and that nobody took: once the prefix
    /// is known, it is read as one of its lane.
    pub(super) fn keep(&mut self, line: &Line<'_>) {
        let Some(entry) = self.latest.and_then(|at| self.watched.get_mut(at)) else {
            return;
        };
        let text = without_stamp(line.text);
        let Some(rest) = text.trim_start().strip_prefix(entry.name.as_str()) else {
            return;
        };
        let rest = rest.strip_prefix(' ').unwrap_or(rest);
        let previous = line.previous();
        if rest.len() <= KEPT_MAX && previous.len() <= KEPT_MAX {
            entry.lines.push(Earlier {
                no: line.no,
                text: rest.to_owned(),
                previous: previous.to_owned(),
            });
        }
    }

    /// The lines that came before the one that opened its lane.
    pub(super) fn earlier(&mut self) -> Vec<Earlier> {
        std::mem::take(&mut self.earlier)
    }

    /// Counts a prefix that is not known yet; true once it is one.
    fn observe(&mut self, name: &str, least: u32) -> bool {
        if self.names.len() >= LANES_MAX {
            return false;
        }
        if let Some(at) = self.watched.iter().position(|known| known.name == name) {
            self.watched[at].count += 1;
            if self.watched[at].count >= least {
                self.earlier = self.watched.remove(at).lines;
                return true;
            }
            self.latest = Some(at);
            return false;
        }
        if self.watched.len() >= WATCHED_MAX {
            self.watched.remove(0);
        }
        self.watched.push(Watched {
            name: name.to_owned(),
            count: 1,
            lines: Vec::new(),
        });
        self.latest = Some(self.watched.len() - 1);
        false
    }
}

/// Whether the line could have a prefix or a stamp: asked before it is cleaned.
pub(super) fn may_split(raw: &[u8]) -> bool {
    match raw.first() {
        Some(b' ') => raw.trim_ascii_start().first() == Some(&b'['),
        first => first.is_some_and(|byte| !byte.is_ascii_whitespace()),
    }
}

/// `    [junit] `: the task that Ant puts before each line, up to the twelfth column. Its name, and
/// where it ends.
fn ant(text: &str) -> Option<(&str, usize)> {
    let task = text.strip_prefix(' ')?.trim_start_matches(' ');
    let end = task.starts_with('[').then(|| bracket(task)).flatten()?;
    let before = text.len() - task.len();
    let name = &task[..end];
    let lower = name[1..end - 1]
        .bytes()
        .all(|byte| byte.is_ascii_lowercase());
    (lower && before + end <= 13 && before + end >= 11).then_some((name, before + end))
}

/// Whether a line shows nothing but a stamp.
pub(super) fn is_blank(raw: &[u8]) -> bool {
    // Mostly the first character tells: a stamp begins with a digit or `#`.
    let shows = |first: &u8| first.is_ascii_graphic() && !first.is_ascii_digit() && *first != b'#';
    if raw.len() >= 80 || raw.first().is_some_and(shows) && super::clean::is_plain(raw) {
        return false;
    }
    without_stamp(&super::clean::clean(raw)).trim().is_empty()
}

/// The end of a prefix, before the blank that parts it from the line.
fn prefix(text: &str) -> Option<usize> {
    let head = &text.as_bytes()[..text.len().min(80)];
    let first = *head.first()?;
    if first == b'[' {
        return bracket(text);
    }
    if !(first.is_ascii_alphabetic() || first == b'@') {
        return None;
    }
    let end = head
        .iter()
        .position(|byte| !(byte.is_ascii_alphanumeric() || b"@/._-".contains(byte)))?;
    match head[end] {
        b':' => turbo(text, end).or_else(|| scoped(text, end)),
        b' ' | b'|' => pipe(text, end).or_else(|| script(text, end)),
        _ => None,
    }
}

/// `core:test: `.
fn turbo(text: &str, colon: usize) -> Option<usize> {
    let rest = &text.as_bytes()[colon + 1..];
    if !rest.first()?.is_ascii_alphabetic() {
        return None;
    }
    let end = rest
        .iter()
        .position(|byte| !(byte.is_ascii_alphanumeric() || b":._-".contains(byte)))
        .unwrap_or(rest.len());
    let task = &rest[..end];
    let known = task.last() == Some(&b':') && !task.windows(2).any(|pair| pair == b"::");
    let ends = matches!(rest.get(end), None | Some(b' '));
    (known && ends && end < 40).then_some(colon + 1 + end)
}

/// `@acme/ui: `, of lerna.
fn scoped(text: &str, colon: usize) -> Option<usize> {
    let (scope, package) = text[..colon].strip_prefix('@')?.split_once('/')?;
    let ends = matches!(text.as_bytes().get(colon + 1), None | Some(b' '));
    (!scope.is_empty() && !package.is_empty() && ends).then_some(colon + 1)
}

/// `web-1  | `.
fn pipe(text: &str, end: usize) -> Option<usize> {
    let rest = text[end..].trim_start_matches(' ');
    let at = text.len() - rest.len();
    let name = &text[..end];
    let open = rest.strip_prefix('|')?;
    let fits = (open.is_empty() || open.starts_with(' '))
        && !open.contains('|')
        && !matches!(name, "stdout" | "stderr" | "File" | "Name");
    fits.then_some(at + 1)
}

/// `packages/a test: `.
fn script(text: &str, end: usize) -> Option<usize> {
    const SCRIPTS: &[&str] =
        overnight_base::words!("test build lint check start dev typecheck compile");
    if !text[..end].contains('/') {
        return None;
    }
    let rest = text[end..].strip_prefix(' ')?;
    let word = rest.split([':', '$', ' ']).next()?;
    let base = word.split(':').next()?;
    let after = &rest[word.len()..];
    (SCRIPTS.contains(&base) && after.starts_with(':')).then_some(end + 1 + word.len() + 1)
}

/// `[api] `, not a level, a worker of pytest, a percentage or a time.
fn bracket(text: &str) -> Option<usize> {
    const NOT_NAMES: &[&str] = &[
        "info", "warn", "warning", "error", "debug", "trace", "fatal", "critical", "notice",
        "fail", "ok", "pass", "failed", "passed", "skip", "x", "xfail", "err", "success", "stdout",
        "stderr", "help", "e", "w", "i", "doctest", "tsl",
    ];
    let end = text.find(']')?;
    let name = &text[1..end];
    let plain = !name.is_empty()
        && end < 40
        && name
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"@/._:-".contains(&byte));
    let number = name.bytes().all(|byte| byte.is_ascii_digit()) && name.len() <= 2;
    let named = name.starts_with(|byte: char| byte.is_ascii_alphabetic() || byte == '@');
    // `[GOOD]`, `[SKIPPED]`: a word in capitals is a verdict, not a name.
    let shouted = !number && !name.bytes().any(|byte| byte.is_ascii_lowercase());
    let worker = name
        .strip_prefix("gw")
        .is_some_and(|rest| rest.bytes().all(|byte| byte.is_ascii_digit()));
    let fits = plain
        && (number || named)
        && !worker
        && !shouted
        && !NOT_NAMES.contains(&name.to_ascii_lowercase().as_str())
        && matches!(text.as_bytes().get(end + 1), None | Some(b' '));
    fits.then_some(end + 1)
}

/// `text` after a time stamp of a CI service (`2026-01-01T00:00:00.0000000Z `) or of a container
/// build (`#12 1.234 `).
pub(super) fn without_stamp(text: &str) -> &str {
    let bytes = text.as_bytes();
    if bytes.len() > 20
        && bytes[4] == b'-'
        && bytes[10] == b'T'
        && bytes[..4].iter().all(u8::is_ascii_digit)
    {
        let end = bytes
            .iter()
            .position(|byte| *byte == b' ')
            .unwrap_or(bytes.len());
        if end < 40 && bytes[end - 1] == b'Z' && text.is_char_boundary(end) {
            return text[end..].strip_prefix(' ').unwrap_or_default();
        }
    }
    docker(text).or_else(|| valgrind(text)).unwrap_or(text)
}

/// `==11986== Invalid write of size 1`.
fn valgrind(text: &str) -> Option<&str> {
    let rest = text.strip_prefix("==")?;
    let rest = rest.trim_start_matches(|digit: char| digit.is_ascii_digit());
    let numbered = rest.len() + 2 < text.len();
    let rest = rest.strip_prefix("==").filter(|_| numbered)?;
    rest.strip_prefix(' ').or(rest.is_empty().then_some(rest))
}

fn docker(text: &str) -> Option<&str> {
    let rest = text.strip_prefix('#')?;
    if !rest.starts_with(|first: char| first.is_ascii_digit()) {
        return None;
    }
    let (step, rest) = rest.split_once(' ')?;
    let (time, rest) = rest.split_once(' ')?;
    let digits = |word: &str| !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit());
    let (seconds, fraction) = time.split_once('.')?;
    (digits(step) && digits(seconds) && digits(fraction)).then_some(rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn third(text: &str) -> (usize, &str) {
        let mut lanes = Lanes::default();
        lanes.split(text);
        lanes.split(text);
        lanes.split(text)
    }

    #[test]
    fn prefixes_make_lanes() {
        assert_eq!(third("core:test:  FAIL x"), (1, " FAIL x"));
        assert_eq!(third("core:test:"), (1, ""));
        assert_eq!(third("[api] hello"), (1, "hello"));
        assert_eq!(third("web-1  | hello"), (1, "hello"));
        assert_eq!(third("packages/a test: ok"), (1, "ok"));
        assert_eq!(third("@acme/ui: ok"), (1, "ok"));
    }

    #[test]
    fn lines_of_tools_are_no_prefixes() {
        for text in [
            "src/a.c:12: error: x",
            "error: a: b",
            "[INFO] x",
            "[gw0] [ 3%] PASSED x",
            "stdout | a > b",
            "12 | let x",
            "a::b: c",
            "make: *** x",
            "a.js | 80 | 90",
        ] {
            assert_eq!(third(text), (0, text));
        }
    }

    #[test]
    fn stamps_are_cut_off() {
        assert_eq!(
            third("2026-01-01T00:00:00.0000000Z error: x"),
            (0, "error: x")
        );
        assert_eq!(third("#12 1.234 error: x"), (0, "error: x"));
    }
}
