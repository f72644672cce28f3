//! Lines of a shape that is known, in outputs of many thousand lines: nobody ever took one, or each
//! only counted as one more test or one more problem. They are not shown to the grammars again, so
//! that a gigabyte of them takes seconds.
//!
//! Two lines have the same shape when they differ in words with digits only (numbers, times,
//! identifiers). One in [`ASKED_EVERY`] is still shown to the grammars, in case it means something
//! else by now.

mod again;
mod shape;

pub(super) use again::{Again, Effect};
use shape::shape;

/// So many lines, or bytes of lines, are shown to the grammars before any is left out: ordinary
/// outputs are read whole.
const FROM_LINES: u64 = 20_000;
const FROM_BYTES: usize = 4_000_000;
/// A shape must have been shown so often, and have meant the same each time.
const SHOWN_MIN: u32 = 32;
const ASKED_EVERY: u32 = 512;
/// More turns of its meaning make a shape one that is always shown.
const TURNS_MAX: u8 = 3;
/// Shapes remembered; two that fall on the same place take turns.
const PLACES: usize = 8_192;
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
    /// Lines of this shape do not all mean the same, or mean more than can be done again.
    unlike: bool,
    /// So often they came to mean something else.
    turns: u8,
    /// What else is to be done with each.
    again: Again,
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
        let known = place.shown > SHOWN_MIN && !place.unlike && place.again.effect != Effect::More;
        if known && !place.shown.is_multiple_of(ASKED_EVERY) {
            Heard::Again(place.again)
        } else {
            Heard::New(Some(shape))
        }
    }

    /// What became of a line that was shown.
    pub(super) fn learn(&mut self, shape: Option<u64>, again: Again) {
        let Some(shape) = shape else { return };
        let place = self.place(shape);
        if place.shape != shape {
            return;
        }
        let known = place.again;
        let same = known.effect == again.effect && known.lane == again.lane;
        if place.shown > 1 && !same {
            // What is listed first is only counted later; anything else stays to be seen.
            place.unlike |= known.effect != Effect::More || place.turns >= TURNS_MAX;
            place.turns = place.turns.saturating_add(1);
            place.shown = 1;
        }
        let spot = again.spot.or(place.again.spot);
        place.again = Again { spot, ..again };
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

#[cfg(test)]
mod tests {
    use super::*;

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
                    noise.learn(shape, again);
                }
                Heard::Again(said) => {
                    left_out += 1;
                    assert_eq!(said, again);
                }
            }
        }
        assert_eq!((shown, left_out), (44, 6_356));
        let Heard::New(shape) = noise.hear(b"ok 1", 0) else {
            panic!("not seen before");
        };
        noise.learn(
            shape,
            Again {
                effect: Effect::More,
                ..again
            },
        );
        assert!((0..200).all(|_| matches!(noise.hear(b"ok 2", 0), Heard::New(_))));
    }
}
