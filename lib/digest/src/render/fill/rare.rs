//! The lines that differ from the mass of their kind.

use super::super::super::{Digest, Failure};
use super::super::pieces::Piece;
use super::{NUMBER, Written};
use std::collections::BTreeMap;

/// From so many lines on a kind is a mass, and from so many of a hundred on what they say is what it says.
const MASS: u64 = 4;
const MASS_PERCENT: u64 = 60;
/// The first and the last lines of an output that nobody knows.
const HEAD: usize = 4;
const TAIL: usize = 8;
/// And of one that failed: why stands at the end.
const TAIL_FAILED: usize = 14;

/// Where so many lines, and one in so many, begin with the same words, that is what the output is made of.
const FLOOD: u64 = 16;
const FLOOD_SHARE: u64 = 4;
/// Lines of a flood, and what is left: of value only where all of it fits.
const FLOODED: u8 = 4;
const REST: u8 = 5;

/// Lines of one kind.
#[derive(Debug, Default, Clone)]
struct Kind<'p> {
    lines: u64,
    texts: BTreeMap<&'p str, u64>,
    /// So many say what most of them say.
    most: u64,
    first: usize,
    last: usize,
}

impl Digest {
    /// The ends, of an output that nobody knows; then what stands out, the most telling first.
    pub(super) fn differing(&self, pieces: &[Piece], said: &mut Written) -> Vec<usize> {
        let mut chosen = Vec::new();
        let mut take = |at: usize, said: &mut Written| {
            if said.take(&pieces[at].text) {
                chosen.push(at);
            }
        };
        // Where the page says why it failed, only what states another error.
        let told = |failure: &Failure| !failure.block.is_empty();
        let explained = self.failures.iter().any(told) || self.has_errors_listed();
        if !explained {
            let tail = if self.is_failure() { TAIL_FAILED } else { TAIL };
            let end = pieces.len().saturating_sub(tail);
            let head = 0..HEAD.min(end);
            let passed = |at: &usize| !self.is_failure() && self.of_tests(&pieces[*at]);
            head.chain((end..pieces.len()).rev())
                .filter(|at| !passed(at))
                .for_each(|at| take(at, said));
        }
        let mut classes = classes(pieces);
        if !self.is_failure() {
            // Of runs that passed their result is all there is to say.
            for lines in classes.values_mut() {
                lines.retain(|at| !self.of_tests(&pieces[*at]));
            }
        }
        if self.tool.is_some() {
            classes.retain(|(class, _), _| *class < FLOODED);
        }
        if explained {
            let errors = |at: &usize| pieces[*at].rank == Some(0);
            for lines in classes.values_mut() {
                lines.retain(errors);
            }
        }
        for ((class, _), lines) in classes {
            let bytes: usize = lines.iter().map(|at| pieces[*at].text.len() + NUMBER).sum();
            if bytes <= said.room {
                for at in lines {
                    take(at, said);
                }
                continue;
            }
            if class == REST {
                break;
            }
            // Not all of them: some of each part of the output.
            let fit = (lines.len() * said.room / bytes.max(1)).max(1);
            for number in 0..fit {
                take(lines[number * lines.len() / fit], said);
            }
            break;
        }
        chosen
    }
}

/// The lines by how much they tell: those that differ where nearly all of their kind say the same; of each
/// indentation those that stand alone in their kind; between these the first and the last of each kind.
fn classes(pieces: &[Piece]) -> BTreeMap<(u8, usize), Vec<usize>> {
    let count = pieces
        .iter()
        .map(|piece| piece.kind.max(piece.start) + 1)
        .max()
        .unwrap_or(0);
    let mut starts = vec![0; count];
    for piece in pieces {
        starts[piece.start] += 1;
    }
    let flood = FLOOD.max(pieces.len() as u64 / FLOOD_SHARE);
    let mut kinds = vec![Kind::default(); count];
    for (at, piece) in pieces.iter().enumerate() {
        let kind = &mut kinds[piece.kind];
        if kind.lines == 0 {
            kind.first = at;
        }
        kind.last = at;
        kind.lines += piece.count;
        let same = kind.texts.entry(&piece.text).or_default();
        *same += piece.count;
        kind.most = kind.most.max(*same);
    }
    let mut classes: BTreeMap<(u8, usize), Vec<usize>> = BTreeMap::new();
    for (at, piece) in pieces.iter().enumerate() {
        let kind = &kinds[piece.kind];
        let most = kind.most;
        let own = kind.texts.get(piece.text.as_str()).copied().unwrap_or(0);
        let class = if kind.lines >= MASS && most * 100 >= kind.lines * MASS_PERCENT && own < most {
            (0, 0)
        } else if starts[piece.start] >= flood && kind.lines < MASS {
            (FLOODED, 0)
        } else if kind.lines < MASS || kind.lines == piece.count {
            (if piece.indent == 0 { 1 } else { 3 }, piece.indent)
        } else if at == kind.first || at == kind.last {
            (2, piece.indent)
        } else {
            (REST, 0)
        };
        classes.entry(class).or_default().push(at);
    }
    classes
}
