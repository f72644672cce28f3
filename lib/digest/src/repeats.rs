//! Lines that came before, but for their numbers, and that nobody took: in outputs of many thousand lines
//! they are not shown to the grammars again, so that a gigabyte of a service's log takes seconds.
//!
//! It stands in front of the grammars and knows none of them. A line is left out only where none has
//! anything open, and where lines of its shape left nothing behind each time they were shown. One in
//! [`SHOWN_EVERY`] is still shown, in case it means something else by now.

use super::hash::{OFFSET, hash};

/// So many lines are shown to the grammars before any is left out: ordinary outputs are read whole.
pub(super) const FROM_LINES: u64 = 20_000;
/// A shape must have been shown so often.
const SHOWN_MIN: u32 = 16;
const SHOWN_EVERY: u32 = 512;
/// Where of so many lines not one in 32 came before and mattered to nobody, telling shapes apart is not
/// worth its time: the next lines are read whole, four times as many as at the beginning.
const SPAN: u32 = 2_048;
/// Shapes remembered; two that fall on the same place take turns.
const PLACES: usize = 16_384;
/// So much of the beginning and of the end of a line makes its shape.
const HEAD: usize = 512;
const TAIL: usize = 128;
/// What stands for a word with digits.
const DIGITS: u64 = 0x9e37_79b9;
/// Multiplicative hashing (Knuth, "The Art of Computer Programming" 6.4): 2^64 divided by the golden
/// ratio.
const MIXER: u64 = 0x9e37_79b9_7f4a_7c15;

/// What is known of the shapes.
#[derive(Debug)]
pub(super) struct Repeats {
    /// So many more lines are shown whatever they are.
    lines_left: u64,
    places: Vec<Place>,
    /// Lines of this span, and those of them that came before and mattered to nobody.
    heard: u32,
    idle: u32,
}

#[derive(Debug, Default, Clone, Copy)]
struct Place {
    shape: Shape,
    shown: u32,
    /// Some line of this shape was taken, or left something behind.
    matters: bool,
    /// Where the outline counts them.
    spot: Option<usize>,
}

/// What to do with a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Heard {
    /// It is shown to the grammars; its shape, once shapes are told apart.
    Shown(Option<Shape>),
    /// It is not, and only counted by the outline, there.
    LeftOut(Option<usize>),
}

/// The same for lines that differ in words with digits only (numbers, times, identifiers).
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(super) struct Shape(u64);

impl Repeats {
    /// Leaves lines out only after so many.
    pub(super) fn after(lines: u64) -> Self {
        Self {
            lines_left: lines,
            places: Vec::new(),
            heard: 0,
            idle: 0,
        }
    }

    /// A line that comes while nothing is open, and a number for what else decides what it means.
    pub(super) fn hear(&mut self, raw: &[u8], state: impl FnOnce() -> u64) -> Heard {
        if self.lines_left > 0 {
            self.lines_left -= 1;
            return Heard::Shown(None);
        }
        if self.places.is_empty() {
            self.places.resize(PLACES, Place::default());
        }
        let shape = Shape::of(raw, state());
        let place = &mut self.places[shape.place()];
        if place.shape != shape {
            *place = Place {
                shape,
                ..Place::default()
            };
        }
        self.heard += 1;
        self.idle += u32::from(place.shown > 0 && !place.matters);
        if self.heard == SPAN {
            if self.idle < SPAN / 32 {
                self.lines_left = 4 * FROM_LINES;
            }
            (self.heard, self.idle) = (0, 0);
        }
        place.shown = place.shown.wrapping_add(1);
        if !place.matters && place.shown > SHOWN_MIN && !place.shown.is_multiple_of(SHOWN_EVERY) {
            Heard::LeftOut(place.spot)
        } else {
            Heard::Shown(Some(shape))
        }
    }

    /// What became of a line that was shown: whether it left anything behind but, in the outline, this spot.
    pub(super) fn learn(&mut self, shape: Shape, matters: bool, spot: Option<usize>) {
        let place = &mut self.places[shape.place()];
        if place.shape == shape {
            place.matters |= matters;
            place.spot = spot.or(place.spot);
        }
    }
}

impl Shape {
    fn of(raw: &[u8], state: u64) -> Self {
        let (head, rest) = raw.split_at(raw.len().min(HEAD));
        let tail = &rest[rest.len().saturating_sub(TAIL)..];
        let whole = words(tail, words(head, OFFSET ^ state));
        // The upper bits choose the place: each depends on all bits.
        Self((whole ^ whole >> 32).wrapping_mul(MIXER))
    }

    fn place(self) -> usize {
        usize::try_from(self.0 >> 40).unwrap_or_default() % PLACES
    }
}

/// The hash with this text, in which a word with digits is as good as any other.
fn words(text: &[u8], mut whole: u64) -> u64 {
    let mut from = 0;
    while let Some(digit) = text[from..].iter().position(u8::is_ascii_digit) {
        let digit = from + digit;
        let part = |byte: &u8| !is_word(*byte);
        let start = text[from..digit].iter().rposition(part);
        let start = start.map_or(from, |gap| from + gap + 1);
        let end = text[digit..].iter().position(part);
        whole = hash(whole, &text[from..start]) ^ DIGITS;
        from = end.map_or(text.len(), |end| digit + end);
    }
    hash(whole, &text[from..])
}

/// Whether the byte is part of a word: a letter, a digit, `_`, or not ASCII.
fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || !byte.is_ascii()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn shape(line: &str, state: u64) -> Shape {
        Shape::of(line.as_bytes(), state)
    }

    #[test]
    fn lines_that_differ_in_numbers_have_one_shape() {
        let same = |one: &str, other: &str| shape(one, 0) == shape(other, 0);
        assert!(same(
            "09:01 request a1f3 took 12ms",
            "10:59 request 0c took 7ms"
        ));
        assert!(!same("request 1 failed", "request 1 passed"));
        assert!(!same("a.b", "a:b"));
        assert!(!same("", "7"));
        assert_ne!(shape("x", 0), shape("x", 1));
    }

    #[test]
    fn blank_lines_in_different_states_have_different_places() {
        let states = (0..16).flat_map(|state| [state, state << 7, state << 30]);
        let places: std::collections::BTreeSet<usize> =
            states.map(|state| shape("", state).place()).collect();
        assert_eq!(places.len(), 16 * 3 - 2);
    }

    #[test]
    fn a_shape_is_left_out_when_it_left_nothing_behind_and_shown_again_at_times() {
        let mut repeats = Repeats::after(FROM_LINES);
        for number in 0..FROM_LINES {
            let line = format!("line {number}");
            assert_eq!(repeats.hear(line.as_bytes(), || 0), Heard::Shown(None));
        }
        let (mut shown, mut left_out) = (0, 0);
        for number in 0..6_400 {
            match repeats.hear(format!("line {number}").as_bytes(), || 0) {
                Heard::Shown(shape) => {
                    shown += 1;
                    repeats.learn(shape.expect("shapes are told apart by now"), false, Some(3));
                }
                Heard::LeftOut(spot) => {
                    left_out += 1;
                    assert_eq!(spot, Some(3));
                }
            }
        }
        assert_eq!((shown, left_out), (28, 6_372));
        let Heard::Shown(Some(shape)) = repeats.hear(b"ok 1", || 0) else {
            panic!("not seen before");
        };
        repeats.learn(shape, true, None);
        assert!((0..200).all(|_| matches!(repeats.hear(b"ok 2", || 0), Heard::Shown(_))));
    }

    #[test]
    fn where_hardly_a_line_repeats_they_are_read_whole_for_a_while() {
        let mut repeats = Repeats::after(0);
        let mut hear = |line: String| match repeats.hear(line.as_bytes(), || 0) {
            Heard::Shown(Some(shape)) => {
                repeats.learn(shape, false, None);
                "new"
            }
            Heard::Shown(None) => "whole",
            Heard::LeftOut(_) => "left out",
        };
        // Each of other letters.
        let letter = |digit: u8| char::from(digit - b'0' + b'a');
        for number in 1..=SPAN {
            let word = number.to_string().bytes().map(letter).collect();
            assert_eq!(hear(word), "new", "{number}");
        }
        for _ in 0..4 * FROM_LINES {
            assert_eq!(hear("the same".to_owned()), "whole");
        }
        assert_eq!(hear("the same".to_owned()), "new");
    }

    /// The line with `0` for each word with digits, byte by byte.
    fn template(line: &[u8]) -> Vec<u8> {
        let words = line.chunk_by(|one, other| is_word(*one) && is_word(*other));
        let words = words.map(|word| {
            let has_digit = word.iter().any(u8::is_ascii_digit);
            if has_digit { b"0" } else { word }
        });
        words.flatten().copied().collect()
    }

    proptest! {
        #[test]
        fn two_lines_have_one_shape_when_they_differ_in_words_with_digits(
            words in proptest::collection::vec("[a-c ]{0,9}|[0-9a-b]{1,3}|[.: _é]{1,4}", 0..9),
            others in proptest::collection::vec("[a-c ]{0,9}|[0-9a-b]{1,3}|[.: _é]{1,4}", 0..9),
            digits in "[0-9]{1,9}[a-b_é]{0,9}",
        ) {
            let (line, other) = (words.concat(), others.concat());
            let same = template(line.as_bytes()) == template(other.as_bytes());
            prop_assert_eq!(shape(&line, 0) == shape(&other, 0), same);
            let words = line.as_bytes().chunk_by(|one, other| is_word(*one) && is_word(*other));
            let changed = words.flat_map(|word| {
                let has_digit = word.iter().any(u8::is_ascii_digit);
                if has_digit { digits.as_bytes() } else { word }
            });
            let changed: Vec<u8> = changed.copied().collect();
            prop_assert_eq!(shape(&line, 0), Shape::of(&changed, 0));
        }
    }
}
