//! What stands near the lines that were said of a failing test or of an error.

use super::super::super::place::{anywhere, is_foreign};
use super::super::super::{Digest, Failure, Severity};
use super::super::pieces::{FRAME, Piece};
use super::{SHORT, Written};
use overnight_redact::multi_search::MultiSearch;
use std::collections::{BTreeMap, BTreeSet};

/// Lines further away than this tell little, unless they state an error or a value.
const FAR: usize = 12;
/// A line before one that was said is as far away as this many behind it.
const BEFORE: usize = 4;
/// Of so many lines of a kind only the first and the last are shown.
const SERIES: usize = 4;
/// How much nearer what states an error or a value counts.
const STATED: usize = 4;

/// A line that may be shown, and how far it is from what was said; of equals the first comes first.
struct Next {
    far: usize,
    order: usize,
    text: String,
}

impl Digest {
    /// Lines for each of these failing tests, in turn.
    pub(super) fn of_failures(
        &self,
        pieces: &[Piece],
        sections: &[(usize, usize)],
        said: &mut Written,
    ) -> Vec<Vec<String>> {
        let mut queues: Vec<Vec<Next>> = match self.at_hand() {
            Some(_) => self.sections(pieces, sections, said),
            None => sections
                .iter()
                .map(|(_, at)| kept(&self.failures[*at]))
                .collect(),
        };
        let mut chosen: Vec<Vec<(usize, String)>> = queues.iter().map(|_| Vec::new()).collect();
        for queue in &mut queues {
            queue.sort_by_key(|next| std::cmp::Reverse((next.far, next.order)));
        }
        while queues.iter().any(|queue| !queue.is_empty()) {
            for (queue, chosen) in queues.iter_mut().zip(&mut chosen) {
                while let Some(Next { order, text, .. }) = queue.pop() {
                    if said.take(&text) {
                        chosen.push((order, text));
                        break;
                    }
                }
            }
        }
        let each = chosen.into_iter().map(|mut lines| {
            lines.sort();
            lines.into_iter().map(|(_, text)| text).collect()
        });
        each.collect()
    }

    /// The lines of each failing test's part of the log; one that several claim goes to the nearest.
    fn sections(
        &self,
        pieces: &[Piece],
        sections: &[(usize, usize)],
        said: &Written,
    ) -> Vec<Vec<Next>> {
        let mut nearest: Vec<Option<(usize, usize)>> = vec![None; pieces.len()];
        for (number, (_, at)) in sections.iter().enumerate() {
            let failure = &self.failures[*at];
            let (first, last) = failure.log_lines;
            let begin = pieces.partition_point(|piece| piece.line < first);
            let end = pieces.partition_point(|piece| piece.line <= last);
            for (at, far) in section(failure, &pieces[begin..end], said) {
                let known = &mut nearest[begin + at];
                if known.is_none_or(|(best, _)| far < best) {
                    *known = Some((far, number));
                }
            }
        }
        let mut queues: Vec<Vec<Next>> = sections.iter().map(|_| Vec::new()).collect();
        for (order, (piece, near)) in pieces.iter().zip(nearest).enumerate() {
            if let Some((far, number)) = near {
                let text = piece.text.clone();
                queues[number].push(Next { far, order, text });
            }
        }
        queues
    }

    /// The lines that explain the errors of a compiler or a linter, in turn: of each kind the first.
    pub(super) fn of_errors(&self, pieces: &[Piece], said: &mut Written) -> Vec<usize> {
        let errors = self.problems.iter();
        let errors = errors.filter(|problem| problem.severity == Severity::Error);
        let spots = self.outline.spots.iter();
        let spots = spots.filter(|spot| spot.weight > 1 && self.failures.is_empty());
        let lines = errors.clone().map(|problem| problem.log_line);
        let lines: BTreeSet<u64> = lines.chain(spots.map(|spot| spot.line)).collect();
        if self.at_hand().is_none() || lines.is_empty() {
            return Vec::new();
        }
        let texts = MultiSearch::new(errors.map(|problem| problem.text.as_str()), false);
        let all = MultiSearch::new(
            self.problems.iter().map(|problem| problem.text.as_str()),
            false,
        );
        let holds =
            |texts: &MultiSearch, piece: &Piece| texts.find(piece.text.as_bytes(), 0).is_some();
        let states = |piece: &Piece| lines.contains(&piece.line) || holds(&texts, piece);
        let errors: Vec<bool> = pieces.iter().map(states).collect();
        let new = |piece: &Piece| {
            !piece.text.contains("https://") && !holds(&all, piece) && !self.of_tests(piece)
        };
        let mut order: Vec<(usize, usize)> = distances(pieces, &errors, false)
            .into_iter()
            .filter(|(at, _)| new(&pieces[*at]))
            .map(|(at, far)| (far, at))
            .collect();
        order.sort_unstable();
        // The first of each kind, then the second.
        let mut times: BTreeMap<usize, usize> = BTreeMap::new();
        let mut order: Vec<(usize, usize)> = (order.into_iter())
            .map(|(_, at)| {
                let time = times.entry(pieces[at].start).or_default();
                *time += 1;
                (*time, at)
            })
            .collect();
        order.sort_by_key(|(time, _)| *time);
        let order = order.into_iter().map(|(_, at)| at);
        order.filter(|at| said.take(&pieces[*at].text)).collect()
    }
}

/// What was kept of a failing test while a long output was read, best first.
fn kept(failure: &Failure) -> Vec<Next> {
    let lines = failure.block.lines.iter().enumerate();
    let each = lines.map(|(order, (rank, text))| Next {
        far: usize::from(*rank),
        order,
        text: text.clone(),
    });
    each.collect()
}

/// Of these lines those that tell of a failing test, and how far each is from what was said of it.
fn section(failure: &Failure, pieces: &[Piece], said: &Written) -> Vec<(usize, usize)> {
    let own = |piece: &Piece| {
        let mut lines = failure.block.lines.iter();
        lines.any(|(_, line)| line.split_whitespace().eq(piece.text.split_whitespace()))
            && said.has(&piece.text)
    };
    let mut mine: Vec<bool> = pieces.iter().map(own).collect();
    if !mine.contains(&true) {
        // Of one that says nothing what follows on its name.
        let named = |piece: &Piece| piece.text.contains(&failure.name);
        mine = pieces.iter().map(named).collect();
    }
    let mut series: BTreeMap<usize, (usize, usize)> = BTreeMap::new();
    for (at, piece) in pieces.iter().enumerate() {
        let (lines, last) = series.entry(piece.kind).or_default();
        (*lines, *last) = (*lines + 1, at);
    }
    let mut seen = BTreeSet::new();
    let mut near = distances(pieces, &mine, true);
    near.retain(|(at, _)| {
        let piece = &pieces[*at];
        let (lines, last) = series.get(&piece.kind).copied().unwrap_or_default();
        let inside = !seen.insert(piece.kind) && *at != last && lines >= SERIES;
        // What the row of the test's name says.
        let place = failure.block.place.as_ref();
        let titled = piece.text.contains(&failure.name)
            || place.is_some_and(|place| piece.text.contains(&place.shown));
        // `Test.run (node:internal/test_runner/test:796:25)`
        let frame = |word: &str| {
            word.trim_end_matches(')')
                .ends_with(|c: char| c.is_ascii_digit())
                && is_foreign(word)
        };
        let foreign = || {
            anywhere(&piece.text).is_some_and(|place| is_foreign(&place.file))
                || piece.text.split(" (").skip(1).any(frame)
        };
        match piece.rank {
            _ if titled => false,
            Some(FRAME) => place.is_none_or(|place| is_foreign(&place.file)),
            Some(2) => !(inside || piece.text.len() < SHORT || foreign()),
            _ => true,
        }
    });
    near
}

/// How far each line is from one of these, those themselves left out: in lines that say something, behind one or,
/// further away, before one.
fn distances(pieces: &[Piece], from: &[bool], both: bool) -> Vec<(usize, usize)> {
    let mut far = vec![usize::MAX; pieces.len()];
    let mut walk = |all: &mut dyn Iterator<Item = usize>, step: usize| {
        let mut steps = usize::MAX;
        for at in all {
            let says = usize::from(pieces[at].rank.is_some_and(|rank| rank < FRAME));
            steps = if from[at] {
                0
            } else {
                steps.saturating_add(step * says)
            };
            far[at] = far[at].min(steps);
        }
    };
    walk(&mut (0..pieces.len()), 1);
    if both {
        walk(&mut (0..pieces.len()).rev(), BEFORE);
    }
    let each = pieces.iter().zip(far).enumerate();
    let each =
        each.filter(|(at, (piece, far))| !from[*at] && piece.rank.is_some() && *far < usize::MAX);
    each.filter_map(|(at, (piece, far))| match piece.rank {
        Some(0 | 1) if both => Some((at, far / STATED)),
        Some(0 | 1) if far <= FAR => Some((at, far / STATED)),
        // Once all else was said.
        Some(FRAME) => (both && far <= FAR * STATED).then_some((at, far + FAR)),
        _ => (far <= FAR).then_some((at, far)),
    })
    .collect()
}
