//! Lines of a shape that is known, in outputs of many thousand lines: nobody ever took one, or each
//! only counted as one more test or one more problem. They are not shown to the grammars again, so
//! that a gigabyte of them takes seconds.
//!
//! Two lines have the same shape when they differ in words with digits only (numbers, times,
//! identifiers); where such lines do not all mean the same, those that are the same to the letter do.
//! One in [`ASKED_EVERY`] is still shown to the grammars, in case it means something
//! else by now.

mod again;
mod shape;
mod span;

use super::statement::Statement;
pub(super) use again::{Again, Did, Effect, Step, Steps};
use shape::{Gaps, SEEN_WHOLE, exact, shape};
pub(super) use span::Span;

/// So many lines, or bytes of lines, are shown to the grammars before any is left out: ordinary
/// outputs are read whole.
const FROM_LINES: u64 = 20_000;
const FROM_BYTES: usize = 4_000_000;
/// A shape must have been shown so often, and have meant the same each time.
const SHOWN_MIN: u32 = 16;
const ASKED_EVERY: u32 = 512;
/// More turns of its meaning make a shape one that is always shown.
const TURNS_MAX: u8 = 3;
/// When of so many lines less than a tenth was known, or came again and may soon be, none is looked
/// up among so many times as many: they differ in words. Chosen well below where a look-up pays, since
/// it may come to pay again.
const ROUND: u32 = 4_096;
const PAUSE_ROUNDS: u32 = 15;
/// Different things that lines say of runs; more are always shown.
const TOLD_MAX: usize = 512;
/// Shapes remembered; two that fall on the same place take turns.
const PLACES: usize = 16_384;
/// Multiplicative hashing (Knuth, "The Art of Computer Programming" 6.4): 2^64 divided by the golden
/// ratio.
const MIXER: u64 = 0x9e37_79b9_7f4a_7c15;

/// What is known of the shapes.
#[derive(Debug, Default)]
pub(super) struct Noise {
    /// Every line is shown.
    pub(super) off: bool,
    lines: u64,
    bytes: usize,
    /// Of each place a part of the shape that came there last. Those that come once are most of them, and
    /// go no further: this fits into the processor's cache.
    latest: Vec<u32>,
    places: Vec<Slot>,
    /// What else is to be done with each line of the shape at the same place.
    agains: Vec<Again>,
    /// What lines say of runs, each once.
    told: Vec<Vec<Statement>>,
    /// Of the last line.
    gaps: Gaps,
    /// Of this round so many lines were looked up, and so many of them known or soon to be.
    asked: u32,
    promising: u32,
    /// So many of the next lines are not looked up.
    pause: u32,
}

#[derive(Debug, Default, Clone, Copy)]
struct Slot {
    shape: u64,
    shown: u32,
    /// What they mean can be done again.
    settled: bool,
    /// Lines of this shape do not all mean the same, or mean more than can be done again.
    unlike: bool,
    /// So often they came to mean something else.
    turns: u8,
    /// Where in them the name stands that decides, with them, what they mean.
    span: Option<Span>,
}

/// What to do with a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reading<'n, 'l> {
    /// It is shown to the grammars; its shape, once shapes are told apart.
    New(Option<Shape>),
    /// It is not; only this is done, with the test that it names, and what it says of runs.
    Again(&'n Again, Option<&'l [u8]>, &'n [Statement]),
}

/// The shape of a line, and the same with what is known of the test that it names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Shape {
    line: u64,
    named: u64,
    /// No other text has it.
    exact: bool,
}

/// The name that the grammars asked for at a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Asked {
    Nothing,
    /// It stands here.
    At(Span),
    /// It does not stand in the line, or there were several.
    Lost,
}

impl Noise {
    /// A line, a number that stands for what is open (none when nothing can be known of the line), and what
    /// tells what is known of a test.
    pub(super) fn hear<'l>(
        &mut self,
        raw: &'l [u8],
        open: impl FnOnce() -> Option<u64>,
        known: impl Fn(&[u8]) -> u64,
    ) -> Reading<'_, 'l> {
        if self.off || self.lines < FROM_LINES && self.bytes < FROM_BYTES {
            self.lines += 1;
            self.bytes += raw.len();
            return Reading::New(None);
        }
        if self.pauses() {
            return Reading::New(None);
        }
        if self.places.is_empty() {
            self.latest.resize(PLACES, 0);
            self.places.resize(PLACES, Slot::default());
            self.agains.resize(PLACES, Again::default());
        }
        let Some(open) = open() else {
            return Reading::New(None);
        };
        let (mut line, mut is_exact) = (shape(raw, open, &mut self.gaps), false);
        let Some(mut at) = self.take(line) else {
            return Reading::New(None);
        };
        // Lines that do not mean what others of their shape do mean the same when they come again.
        if self.places[at].unlike && raw.len() <= SEEN_WHOLE {
            (line, is_exact) = (exact(raw, line), true);
            match self.take(line) {
                Some(own) => at = own,
                None => return Reading::New(None),
            }
        }
        if self.places[at].unlike {
            return Reading::New(None);
        }
        let (mut named, mut name) = (line, None);
        if let Some(span) = self.places[at].span {
            name = span.of(raw, &self.gaps);
            let Some(name) = name else {
                return Reading::New(None);
            };
            named ^= known(name).wrapping_mul(MIXER);
            match self.take(named) {
                Some(place) => at = place,
                None => return Reading::New(None),
            }
        }
        let place = &mut self.places[at];
        place.shown = place.shown.wrapping_add(1);
        if place.settled && place.shown > SHOWN_MIN && !place.shown.is_multiple_of(ASKED_EVERY) {
            self.promising += 1;
            let again = &self.agains[at];
            let said = match again.effect {
                Effect::Told(list) => self.told.get(usize::from(list)),
                _ => None,
            };
            Reading::Again(again, name, said.map_or(&[], |said| said))
        } else {
            self.promising += u32::from(place.shown <= SHOWN_MIN);
            Reading::New(Some(Shape {
                line,
                named,
                exact: is_exact,
            }))
        }
    }

    /// Whether the next line is not looked up, because hardly any of those before it came again.
    fn pauses(&mut self) -> bool {
        if self.pause > 0 {
            self.pause -= 1;
            return true;
        }
        self.asked += 1;
        if self.asked == ROUND {
            if self.promising < ROUND / 10 {
                self.pause = ROUND * PAUSE_ROUNDS;
            }
            (self.asked, self.promising) = (0, 0);
        }
        false
    }

    /// What a line did that said all this of runs.
    pub(super) fn effect_of(&mut self, said: &[Statement]) -> Effect {
        let known = self.told.iter().position(|known| known == said);
        let at = known.unwrap_or_else(|| {
            if self.told.len() < TOLD_MAX {
                self.told.push(said.to_vec());
            }
            self.told.len() - 1
        });
        let is_kept = self.told[at] == said;
        let list = u16::try_from(at).ok().filter(|_| is_kept);
        list.map_or(Effect::More, Effect::Told)
    }

    /// What became of a line that was shown.
    pub(super) fn learn(&mut self, shape: Shape, mut again: Again, asked: Asked) {
        let span = match asked {
            Asked::At(span) => Some(span),
            Asked::Nothing => None,
            Asked::Lost => {
                again.effect = Effect::More;
                None
            }
        };
        let place = &mut self.places[place_of(shape.line)];
        if matches!(again.effect, Effect::Told(_)) && !shape.exact {
            place.unlike |= place.shape == shape.line;
            return;
        }
        if place.shape == shape.line && place.span != span && asked != Asked::Lost {
            place.unlike |= place.turns >= TURNS_MAX;
            place.turns += 1;
            place.shown = 0;
            place.span = span;
            return;
        }
        let at = place_of(shape.named);
        let (place, known) = (&mut self.places[at], &mut self.agains[at]);
        if place.shape != shape.named {
            return;
        }
        // The first of its shape: what is there is of the shape that had the place before.
        if place.shown == 2 {
            *known = Again::default();
        }
        // In another state a line does something else.
        if place.shown > 2 && !known.steps.begin_like(&again.steps) {
            return;
        }
        let same = known.effect == again.effect
            && (known.lane, known.failing) == (again.lane, again.failing)
            && (again.effect == Effect::More || known.steps == again.steps);
        if place.shown > 2 && !same {
            // What is listed first is only counted later; anything else stays to be seen.
            place.unlike |= known.effect != Effect::More || place.turns >= TURNS_MAX;
            place.turns = place.turns.saturating_add(1);
            place.shown = 2;
        }
        let spot = again.spot.or(known.spot);
        *known = Again { spot, ..again };
        place.settled = !place.unlike && again.effect != Effect::More;
    }

    /// The place of this shape, which is its own from now on. None when it did not come last at this
    /// place: what came once may never come again, and it is not worth to know what it did.
    fn take(&mut self, shape: u64) -> Option<usize> {
        let at = place_of(shape);
        let part = u32::try_from(shape & u64::from(u32::MAX)).unwrap_or_default();
        if std::mem::replace(&mut self.latest[at], part) != part {
            return None;
        }
        if self.places[at].shape != shape {
            self.places[at] = Slot {
                shape,
                shown: 1,
                ..Slot::default()
            };
        }
        Some(at)
    }
}

fn place_of(shape: u64) -> usize {
    usize::try_from(shape >> 40).unwrap_or_default() % PLACES
}

#[cfg(test)]
mod tests {
    use super::super::problem::Severity;
    use super::*;

    #[test]
    fn lines_of_one_shape_that_mean_several_things_are_known_each_by_itself() {
        let mut noise = Noise {
            lines: FROM_LINES,
            ..Noise::default()
        };
        let told = |kind: usize| Again {
            effect: Effect::Problem("tool", Severity::Error, Some(kind)),
            ..Again::default()
        };
        let mut shown = [0; 3];
        for number in 0..3_000 {
            let kind = number % 3;
            match noise.hear(format!("line {kind}").as_bytes(), || Some(0), |_| 0) {
                Reading::New(shape) => {
                    shown[kind] += 1;
                    if let Some(shape) = shape {
                        noise.learn(shape, told(kind), Asked::Nothing);
                    }
                }
                Reading::Again(again, ..) => assert_eq!(*again, told(kind)),
            }
        }
        assert!(shown.iter().all(|shown| *shown < 30), "{shown:?}");
    }

    #[test]
    fn a_shape_is_left_out_when_nobody_took_it_and_shown_again_at_times() {
        let mut noise = Noise::default();
        for number in 0..FROM_LINES {
            assert_eq!(
                noise.hear(format!("line {number}").as_bytes(), || Some(0), |_| 0),
                Reading::New(None)
            );
        }
        let (mut shown, mut left_out) = (0, 0);
        let again = Again {
            spot: Some(3),
            ..Again::default()
        };
        for number in 0..6_400 {
            match noise.hear(format!("line {number}").as_bytes(), || Some(0), |_| 0) {
                Reading::New(shape) => {
                    shown += 1;
                    if let Some(shape) = shape {
                        noise.learn(shape, again, Asked::Nothing);
                    }
                }
                Reading::Again(said, ..) => {
                    left_out += 1;
                    assert_eq!(*said, again);
                }
            }
        }
        assert_eq!((shown, left_out), (28, 6_372));
        assert_eq!(noise.hear(b"ok 0", || Some(0), |_| 0), Reading::New(None));
        let Reading::New(Some(shape)) = noise.hear(b"ok 1", || Some(0), |_| 0) else {
            panic!("seen once before");
        };
        noise.learn(
            shape,
            Again {
                effect: Effect::More,
                ..again
            },
            Asked::Nothing,
        );
        assert!(
            (0..200).all(|_| matches!(noise.hear(b"ok 2", || Some(0), |_| 0), Reading::New(_)))
        );
    }
}
