//! Lines of a shape that no grammar ever took, in outputs of many thousand lines: they are not shown
//! to all grammars again, so that a gigabyte of them takes seconds.
//!
//! Two lines have the same shape when they differ in words with digits only (numbers, times,
//! identifiers). One in [`ASKED_EVERY`] is still shown to the grammars, in case one of them has
//! come to know it.

use super::grammar::Set;

/// So many lines, or bytes of lines, are shown to the grammars before any is left out: ordinary
/// outputs are read whole.
const FROM_LINES: u64 = 20_000;
const FROM_BYTES: usize = 4_000_000;
/// A shape must have been shown so often.
const SHOWN_MIN: u32 = 32;
const ASKED_EVERY: u32 = 64;
/// Shapes remembered; two that fall on the same place take turns.
const PLACES: usize = 8_192;
/// So much of the beginning and of the end of a line makes its shape.
const HEAD: usize = 512;
const TAIL: usize = 128;

/// Fowler, Noll, Vo: "FNV hash", the 64-bit offset and prime.
const OFFSET: u64 = 0xcbf2_9ce4_8422_2325;
const PRIME: u64 = 0x0100_0000_01b3;
/// What stands for a word with digits.
const DIGITS: u64 = 1;

/// What is known of the shapes.
#[derive(Debug, Default)]
pub(super) struct Noise {
    lines: u64,
    bytes: usize,
    places: Vec<Place>,
}

#[derive(Debug, Default, Clone, Copy)]
struct Place {
    shape: u64,
    shown: u32,
    /// A grammar took a line of this shape.
    taken: bool,
    /// What else is to be done with each.
    again: Again,
}

/// What is done with each line that is not shown again.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(super) struct Again {
    /// Where the outline counts lines of this shape.
    pub(super) spot: Option<usize>,
    /// The grammars that count them without taking them, and their lane.
    pub(super) counted: Set,
    pub(super) lane: usize,
}

/// What to do with a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Heard {
    /// It is shown to the grammars; its shape, once shapes are told apart.
    New(Option<u64>),
    /// It is not; only this is done.
    Again(Again),
}

impl Noise {
    /// A line, and a number that stands for what is open.
    pub(super) fn hear(&mut self, raw: &[u8], open: u64) -> Heard {
        if self.lines < FROM_LINES && self.bytes < FROM_BYTES {
            self.lines += 1;
            self.bytes += raw.len();
            return Heard::New(None);
        }
        if self.places.is_empty() {
            self.places.resize(PLACES, Place::default());
        }
        let shape = shape(raw, open);
        let place = self.place(shape);
        if place.shape != shape {
            *place = Place {
                shape,
                ..Place::default()
            };
        }
        place.shown = place.shown.wrapping_add(1);
        let known = place.shown >= SHOWN_MIN && !place.taken;
        if known && !place.shown.is_multiple_of(ASKED_EVERY) {
            Heard::Again(place.again)
        } else {
            Heard::New(Some(shape))
        }
    }

    /// What became of a line that was shown.
    pub(super) fn learn(&mut self, shape: Option<u64>, taken: bool, again: Again) {
        let Some(shape) = shape else { return };
        let place = self.place(shape);
        if place.shape == shape {
            place.taken |= taken;
            let spot = again.spot.or(place.again.spot);
            place.again = Again { spot, ..again };
        }
    }

    /// A grammar has come to know its tool: what nobody took before may be its now.
    pub(super) fn forget(&mut self) {
        self.places.fill(Place::default());
    }

    fn place(&mut self, shape: u64) -> &mut Place {
        let at = usize::try_from(shape >> 40).unwrap_or_default() % PLACES;
        &mut self.places[at]
    }
}

/// The same for lines that differ in words with digits only.
fn shape(raw: &[u8], open: u64) -> u64 {
    let head = &raw[..raw.len().min(HEAD)];
    let tail = &raw[raw.len().saturating_sub(TAIL).max(head.len())..];
    let (mut whole, mut word, mut digits) = (OFFSET ^ open, OFFSET, false);
    for byte in head.iter().chain(tail) {
        if is_word(*byte) {
            digits |= byte.is_ascii_digit();
            word = (word ^ u64::from(*byte)).wrapping_mul(PRIME);
        } else {
            let last = if digits { DIGITS } else { word };
            whole = (whole ^ last.rotate_left(23) ^ u64::from(*byte)).wrapping_mul(PRIME);
            (word, digits) = (OFFSET, false);
        }
    }
    let last = if digits { DIGITS } else { word };
    // The upper bits are the best mixed ones of a product.
    (whole ^ last.rotate_left(23)).wrapping_mul(PRIME.rotate_left(24))
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_differ_in_numbers_have_one_shape() {
        let same = |one: &str, other: &str| shape(one.as_bytes(), 0) == shape(other.as_bytes(), 0);
        assert!(same(
            "09:01 request a1f3 took 12ms",
            "10:59 request 0c took 7ms"
        ));
        assert!(!same("request 1 failed", "request 1 passed"));
        assert!(!same("a.b", "a:b"));
        assert!(!same("", "7"));
        assert_ne!(shape(b"x", 0), shape(b"x", 1));
    }

    #[test]
    fn a_shape_is_left_out_when_nobody_took_it_and_shown_again_at_times() {
        let mut noise = Noise::default();
        for number in 0..FROM_LINES {
            assert_eq!(
                noise.hear(format!("line {number}").as_bytes(), 0),
                Heard::New(None)
            );
        }
        let (mut shown, mut left_out) = (0, 0);
        let again = Again {
            spot: Some(3),
            ..Again::default()
        };
        for number in 0..6_400 {
            match noise.hear(format!("line {number}").as_bytes(), 0) {
                Heard::New(shape) => {
                    shown += 1;
                    noise.learn(shape, false, again);
                }
                Heard::Again(said) => {
                    left_out += 1;
                    assert_eq!(said, again);
                }
            }
        }
        assert_eq!((shown, left_out), (131, 6_269));
        let Heard::New(shape) = noise.hear(b"ok 1", 0) else {
            panic!("not seen before");
        };
        noise.learn(shape, true, Again::default());
        assert!((0..200).all(|_| matches!(noise.hear(b"ok 2", 0), Heard::New(_))));
    }
}
