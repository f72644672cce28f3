//! What a failing test says: the lines of its section of the output that explain the failure.

mod words;

use super::clean::cut_end;
use super::place::{self, Location};
use words::{BLOCKS, FOREIGN_CALLS, HEADINGS, STARTS, VALUES};

/// The most lines of one failure that are kept, and the most bytes of one: enough for the message
/// with both values; the rest is in the log.
const LINES_MAX: usize = 14;
const LINE_MAX: usize = 320;
/// Of a longer section only the lines that state an error are looked at.
const PUSHED_MAX: u32 = 2_000;

/// Lines of one failure, best first when chosen from.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Block {
    /// Kept lines with their rank; 0 is best.
    pub(super) lines: Vec<(u8, String)>,
    /// The place of the failure: the first of the project's own, else the first.
    pub(super) place: Option<Location>,
    foreign: bool,
    /// It is only where the test begins.
    near: bool,
    /// Lines read.
    pushed: u32,
}

impl Block {
    /// Reads a line of the failure's section.
    pub(super) fn push(&mut self, text: &str) {
        let text = text.trim();
        // JUnit's own console points at what was thrown.
        let text = text.strip_prefix("=> ").unwrap_or(text);
        // Criterion of C.
        let text = text.strip_prefix("[----]").unwrap_or(text).trim();
        self.pushed = self.pushed.saturating_add(1);
        if self.pushed > PUSHED_MAX && !is_error(text) {
            return;
        }
        if !is_margin(text) {
            self.find_place(text);
        }
        // PHPUnit and minitest: what the test itself says stands above.
        if self.pushed == 2
            && (text.starts_with("Failed asserting ") || text.starts_with("Expected: "))
            && let Some(own) = self.lines.first_mut()
        {
            own.0 = 0;
        }
        // test-unit: the same, and its own source above that.
        if text.ends_with("> expected but was")
            && let Some((rank, own)) = self.lines.last_mut()
            && !own.starts_with(|first: char| first.is_ascii_digit())
        {
            *rank = 0;
        }
        let Some(rank) = rank(text) else { return };
        // RSpec: the exception, or that the source follows, stands alone above what it says.
        match self.lines.last_mut().filter(|(_, above)| is_alone(above)) {
            Some((above, head)) => {
                *above = 0;
                *head = cut_end(&format!("{head} {text}"), LINE_MAX).into_owned();
            }
            None => self.keep(rank, text),
        }
    }

    /// Keeps a line that is known to be the message.
    pub(super) fn message(&mut self, text: &str) {
        self.find_place(text);
        self.keep(0, text.trim());
    }

    /// Takes a place that is known to be the failure's.
    pub(super) fn at(&mut self, place: Location) {
        self.foreign = false;
        self.place = Some(place);
    }

    /// Takes the place where the failing test begins, which is told beside the one where it failed.
    pub(super) fn near(&mut self, place: Location) {
        if self.place.is_none() {
            (self.foreign, self.near) = (true, true);
            self.place = Some(place);
        }
    }

    /// The first message line; the source that `RSpec` quotes before it only when alone.
    pub(super) fn first(&self) -> Option<&str> {
        self.lines
            .iter()
            .min_by_key(|(rank, text)| (text.starts_with("Failure/Error:"), *rank))
            .map(|(_, text)| text.as_str())
    }

    pub(super) fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    fn keep(&mut self, rank: u8, text: &str) {
        if text.is_empty() || self.lines.iter().any(|(_, known)| known == text) {
            return;
        }
        if self.lines.len() >= LINES_MAX {
            let Some(worst) = (0..self.lines.len())
                .rev()
                .max_by_key(|at| self.lines[*at].0)
            else {
                return;
            };
            if self.lines[worst].0 <= rank {
                return;
            }
            self.lines.remove(worst);
        }
        self.lines
            .push((rank, cut_end(text, LINE_MAX).into_owned()));
    }

    fn find_place(&mut self, text: &str) {
        if self.place.is_some() && !self.foreign {
            return;
        }
        if let Some(mut place) = place::anywhere(text) {
            let call = text.strip_prefix("at ").unwrap_or(text);
            let foreign = place::is_foreign(&place.file)
                || FOREIGN_CALLS.iter().any(|start| call.starts_with(start));
            if self.place.is_none() || !foreign {
                if let Some(begin) = self.place.take_if(|_| self.near)
                    && !place.shown.contains(&begin.shown)
                {
                    place.shown = format!("{} ({})", place.shown, begin.shown);
                }
                (self.foreign, self.near) = (foreign, false);
                self.place = Some(place);
            }
        }
    }
}

/// How much a line explains: 0 the error itself, 1 its values, 2 anything else; none for stack
/// frames, source code shown with a margin, rulers and headings.
pub(super) fn rank(text: &str) -> Option<u8> {
    if text.is_empty()
        || is_frame(text)
        || is_place(text)
        || is_margin(text)
        || is_ruler(text)
        || is_heading(text)
        || is_file(text)
        || text.starts_with('✔')
        || text == "FAILED:"
        || text == "unknown file: Failure"
        || matches!(text, "expected:" | "actual:" | "Expected:" | "Got:")
        || text.starts_with("Error Trace:")
        // EUnit's terms name the module and the line too.
        || text.starts_with("{line,")
        || text.starts_with("Test:  ")
    {
        return None;
    }
    // What googletest says above two values tells less than what the test says below them.
    if text == "Expected equality of these values:" {
        return Some(1);
    }
    // testify
    if text.starts_with("Messages:") {
        return Some(0);
    }
    if is_error(text) {
        return Some(0);
    }
    if VALUES.iter().any(|word| text.starts_with(word))
        || text.contains("xpected")
        || is_said_in_go(text)
    {
        return Some(1);
    }
    Some(2)
}

/// Whether a line states an error: `ValueError: x`, `panicked at`, `assertion failed`.
pub(super) fn is_error(text: &str) -> bool {
    STARTS.iter().any(|start| text.starts_with(start)) || has_exception(text)
}

/// Whether the line starts with a name like `json.decoder.JSONDecodeError:`.
pub(super) fn has_exception(text: &str) -> bool {
    let end = text
        .find(|byte: char| !(byte.is_alphanumeric() || matches!(byte, '_' | '.' | '\\' | '/')))
        .unwrap_or(text.len());
    let (name, rest) = text.split_at(end);
    let named = overnight_base::words!(
        "Error Exception Failure Failed Warning Exit Interrupt Timeout Violation"
    )
    .iter()
    .any(|tail| name.ends_with(tail));
    // `django.urls.exceptions.NoReverseMatch: x`: a class in a module.
    let class = name.rsplit_once('.').map_or("", |(_, class)| class);
    let raised = rest.starts_with(": ")
        && class.starts_with(|first: char| first.is_ascii_uppercase())
        && !name.contains(['/', '\\']);
    raised
        || named
            && (rest.is_empty() || rest.starts_with([':', ' ', '(', '[']))
            && name.starts_with(|byte: char| byte.is_alphabetic())
}

/// `TypeError:`, `Errno::ECONNREFUSED:`, `Failure/Error:`, without what it says.
fn is_alone(text: &str) -> bool {
    text.ends_with(':')
        && !text.contains(' ')
        && text.starts_with(|first: char| first.is_uppercase())
        && (text.contains("::") || has_exception(text))
}

/// `cart_test.go:28: range differs`: the values may follow on lines of their own.
fn is_said_in_go(text: &str) -> bool {
    text.split_once("_test.go:")
        .is_some_and(|(file, rest)| !file.contains(' ') && rest.contains(": "))
}

/// A frame of a stack.
pub(super) fn is_frame(text: &str) -> bool {
    let call =
        text.starts_with("at ") && (text.contains(':') || text.contains('(') || text.contains('<'));
    call || text.starts_with("File \"")
        || text.starts_with("from ") && place::anywhere(text).is_some()
        || place::leading(text).is_some_and(|(_, end)| text[end..].starts_with(":in "))
        || text.starts_with("# /")
        || text.starts_with("# ./")
        || text.starts_with("❯ ")
        || text.starts_with("› file://")
        || (text.starts_with('/') || text.starts_with("./"))
            && place::leading(text).is_some_and(|(_, end)| {
                let rest = text[end..].trim_start_matches([':', ' ']);
                rest.is_empty() || rest.starts_with("in ")
            })
        || text.starts_with("note: run with `RUST_BACKTRACE")
        || text.starts_with("(eval ")
        || text.starts_with("in call from ")
        || text.starts_with("in function ")
        || text.ends_with(')') && text.contains(".java:") && !text.contains(' ')
        || text.ends_with("(Native Method)")
        || is_numbered_frame(text)
}

/// A place and nothing about it: `test/cal_test.exs:9`, `t.cpp:46: Failure`.
fn is_place(text: &str) -> bool {
    place::leading(text).is_some_and(|(_, end)| {
        let rest = text[end..].trim_start_matches([':', ' ']);
        rest.is_empty() || rest == "Failure" || rest == "(test)"
    })
}

/// `  4: core::panicking::panic` of Rust, `#3 0x7f in main` of sanitizers, `main.go:3 +0x1d` of Go.
fn is_numbered_frame(text: &str) -> bool {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    digits > 0 && text[digits..].starts_with(": ") && text.contains("::")
        || text.starts_with('#') && text[1..].starts_with(|byte: char| byte.is_ascii_digit())
        || text.contains(" +0x") && text.contains(".go:")
        || text.starts_with("goroutine ")
}

/// Source shown beside a margin: `> 12 |   x`, `12 | x`, `|   ^`, `10: x`.
fn is_margin(text: &str) -> bool {
    let text = text.trim_start_matches(['>', '→', ' ']);
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let rest = text[digits..].trim_start();
    if rest.starts_with('|') || rest.starts_with('│') || rest.starts_with('┆') {
        let after = rest.trim_start_matches(['|', '│', '┆', ' ']);
        return digits > 0 || is_ruler(after) || after.is_empty();
    }
    digits > 0 && text[digits..].starts_with(":  ")
}

/// A file's name alone: `test/c.test.js:`.
fn is_file(text: &str) -> bool {
    text.ends_with(':') && text.contains('.') && !text.contains(' ')
}

fn is_ruler(text: &str) -> bool {
    !text.chars().any(char::is_alphanumeric)
}

fn is_heading(text: &str) -> bool {
    HEADINGS
        .iter()
        .chain(BLOCKS)
        .any(|heading| text.starts_with(heading))
        && !text.starts_with("... ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_test_says_above_its_runners_words_is_a_message() {
        for below in ["Failed asserting that two arrays are equal.", "Expected: 1"] {
            let mut block = Block::default();
            block.push("tables differ");
            block.push(below);
            assert_eq!(block.first(), Some("tables differ"));
        }
    }

    #[test]
    fn what_a_test_of_go_says_stands_above_its_values() {
        let mut block = Block::default();
        for line in ["cart_test.go:28: range differs", "got: 520", "want: 545"] {
            block.push(line);
        }
        assert_eq!(block.first(), Some("cart_test.go:28: range differs"));
    }

    #[test]
    fn test_unit_says_the_tests_words_below_its_source() {
        let mut block = Block::default();
        for line in [
            "     5:   def test_a; end",
            "     6: end",
            "zone shown wrong",
            "<0> expected but was",
        ] {
            block.push(line);
        }
        assert_eq!(block.first(), Some("zone shown wrong"));
        let mut block = Block::default();
        block.push("     6: end");
        block.push("<0> expected but was");
        assert_eq!(block.first(), Some("<0> expected but was"));
    }

    #[test]
    fn an_exception_is_a_class_in_a_module_whatever_its_name() {
        assert!(has_exception(
            "django.urls.exceptions.NoReverseMatch: 'x' is none"
        ));
        assert!(!has_exception("www.example.com: down") && !has_exception("a/b.C: x"));
    }

    #[test]
    fn what_an_exception_says_stands_beside_its_name() {
        let mut block = Block::default();
        for line in [
            "Failure/Error:",
            "  expect(label).to eq(x)",
            "",
            "Errno::ECONNREFUSED:",
            "  Connection refused",
            "# ./spec/a_spec.rb:9:in `x'",
        ] {
            block.push(line);
        }
        let kept: Vec<&str> = block.lines.iter().map(|(_, text)| text.as_str()).collect();
        assert_eq!(
            kept,
            [
                "Failure/Error: expect(label).to eq(x)",
                "Errno::ECONNREFUSED: Connection refused"
            ]
        );
    }

    #[test]
    fn messages_win_over_frames_and_source() {
        let mut block = Block::default();
        for line in [
            "    expect(received).toBe(expected) // Object.is equality",
            "",
            "    Expected: 1",
            "    Received: 2",
            "    > 12 |   expect(a).toBe(1)",
            "         |            ^",
            "      at Object.toBe (node_modules/x/y.js:1:2)",
            "      at Object.toBe (test/cart.test.js:12:102)",
        ] {
            block.push(line);
        }
        let kept: Vec<&str> = block.lines.iter().map(|(_, text)| text.as_str()).collect();
        assert_eq!(
            kept,
            [
                "expect(received).toBe(expected) // Object.is equality",
                "Expected: 1",
                "Received: 2"
            ]
        );
        assert_eq!(
            block.place.map(|place| place.shown).as_deref(),
            Some("test/cart.test.js:12:102")
        );
    }

    #[test]
    fn exceptions_are_errors() {
        assert!(is_error("json.decoder.JSONDecodeError: Expecting"));
        assert!(is_error("java.lang.AssertionError"));
        assert!(!is_error("noise 1 error: not really"));
    }
}
