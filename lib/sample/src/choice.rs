//! Which tests of a ring are the sample: by count or by time, single tests or whole units.

use super::arcs::{self, Arc};
use super::bucket::Bucket;
use super::draw::{Known, Request};
use super::hash::Key;
use super::pick::{self, Positions};
use super::plan::Time;
use super::ring::Ring;
use super::unit::{self, Unit};
use super::weights::{self, Weights};
use overnight_base::fault::Fault;

/// What was chosen.
#[derive(Debug)]
pub(super) struct Choice {
    /// Positions of tests.
    pub(super) positions: Positions,
    /// Units in the list and among the chosen, when they are not single tests.
    pub(super) units: Option<(usize, usize)>,
    /// Predictions, when durations are known.
    pub(super) time: Option<Time>,
    /// What was done otherwise than asked.
    pub(super) notes: Vec<String>,
}

/// Chooses from the tests of `ring`.
pub(super) fn choose(
    ring: &Ring<'_>,
    request: &Request,
    bucket: Option<Bucket>,
    known: &Known,
) -> Result<Choice, Fault> {
    let weights = known
        .times
        .as_ref()
        .and_then(|times| weights::of(ring, times));
    let mut notes = Vec::new();
    if weights.is_none() && known.times.is_some() && !ring.is_empty() {
        notes.push("the durations know none of these tests: drawn by count".to_owned());
    }
    if request.unit == Unit::Test {
        let picked = pick_from(ring, request, bucket, weights.as_ref());
        let time = weights.map(|weights| time(ring, &picked, &weights, known));
        notes.extend(picked.note);
        return Ok(Choice {
            positions: picked.positions,
            units: None,
            time,
            notes,
        });
    }
    let groups = pick::strata(ring, |id| request.unit.of(id));
    let text: String = groups.iter().map(|(name, _)| *name).collect();
    let mut start = 0;
    let names = groups.iter().map(|(name, _)| {
        start += name.len();
        (start - name.len(), *name)
    });
    let units = Ring::of(&text, names, &Key::new(&request.seed))?;
    let members = |position: usize| {
        let found = groups.binary_search_by(|(name, _)| (*name).cmp(units.id(position)));
        found.map_or(&[][..], |found| groups[found].1.as_slice())
    };
    let weights = weights.map(|tests| Weights {
        nanos: (0..units.len())
            .map(|unit| {
                members(unit).iter().fold(0, |sum: u64, member| {
                    sum.saturating_add(tests.nanos[*member])
                })
            })
            .collect(),
        unknown: tests.unknown,
    });
    let picked = pick_from(&units, request, bucket, weights.as_ref());
    let time = weights.map(|weights| time(&units, &picked, &weights, known));
    notes.extend(picked.note);
    let drawn = picked
        .positions
        .iter()
        .flat_map(|unit| members(*unit))
        .copied();
    let mut positions: Positions = drawn.collect();
    positions.sort_unstable();
    let units = Some((units.len(), picked.positions.len()));
    Ok(Choice {
        positions,
        units,
        time,
        notes,
    })
}

struct Picked {
    positions: Positions,
    giants: Positions,
    note: Option<String>,
}

fn pick_from(
    ring: &Ring<'_>,
    request: &Request,
    bucket: Option<Bucket>,
    weights: Option<&Weights>,
) -> Picked {
    let n = ring.len();
    let arc = bucket.map_or(Arc::Share(request.rate.billionths()), Arc::Bucket);
    let strata = if request.stratify {
        pick::strata(ring, unit::module)
            .into_iter()
            .map(|(_, positions)| positions)
            .collect()
    } else {
        vec![(0..n).collect::<Positions>()]
    };
    let by_time = |weight: &dyn Fn(usize) -> Option<u64>| {
        let arcs = strata.iter().flat_map(|stratum| {
            let weighted: Vec<_> = stratum
                .iter()
                .filter_map(|p| Some((*p, weight(*p)?)))
                .collect();
            let first = stratum.first().filter(|_| request.stratify);
            arcs::by_time(&weighted, first.map_or(0, |first| ring.place(*first)), arc)
        });
        let mut positions: Positions = arcs.collect();
        positions.sort_unstable();
        positions
    };
    // The whole is no sample: nothing is too long for it.
    if let Some(weights) = weights.filter(|_| arc.share() < arcs::WHOLE) {
        let all: Vec<_> = weights.nanos.iter().copied().enumerate().collect();
        let (rest, giants) = arcs::without_giants(&all, arc.share());
        if let Some((first, _)) = rest.first() {
            let mut is_giant = vec![false; n];
            for giant in &giants {
                is_giant[*giant] = true;
            }
            let mut positions = by_time(&|p| (!is_giant[p]).then(|| weights.nanos[p]));
            if positions.is_empty() && bucket.is_none() {
                positions.push(*first);
            }
            return Picked {
                positions,
                giants,
                note: None,
            };
        }
    }
    let note = weights
        .filter(|_| n > 0 && arc.share() < arcs::WHOLE)
        .map(|_| "too few tests to share their time: drawn by count".to_owned());
    let positions = match (request.stratify, bucket) {
        (true, Some(_)) => by_time(&|_| Some(1)),
        (true, None) => pick::stratified(ring, &strata, &request.rate),
        (false, _) => pick::by_count(n, &request.rate, bucket),
    };
    Picked {
        positions,
        giants: Positions::new(),
        note,
    }
}

fn time(ring: &Ring<'_>, picked: &Picked, weights: &Weights, known: &Known) -> Time {
    let sum = |positions: &[usize]| -> u128 {
        positions
            .iter()
            .map(|p| u128::from(weights.nanos[*p]))
            .sum()
    };
    let total: u128 = weights.nanos.iter().copied().map(u128::from).sum();
    let sample = sum(&picked.positions);
    let rest = total - sum(&picked.giants);
    let fixed = fixed(ring, picked, total, known);
    let wall = |nanos| {
        known
            .times
            .as_ref()
            .map_or(nanos, |times| times.on_the_wall(nanos))
    };
    // A full run needs no list.
    let full = known.times.as_ref().and_then(|times| times.fixed(total));
    let full = full.map(|fixed| fixed + wall(total));
    Time {
        share: if rest == 0 {
            0.0
        } else {
            seconds(sample) / seconds(rest)
        },
        sample_s: seconds(sample),
        total_s: seconds(total),
        unknown: weights.unknown,
        giants: ring
            .in_list_order(picked.giants.iter().copied())
            .into_iter()
            .map(str::to_owned)
            .collect(),
        fixed_s: fixed.map(seconds),
        cost_s: fixed.map(|fixed| seconds(fixed + wall(sample))),
        full_s: full.map(seconds),
    }
}

/// What the run costs besides its tests. Where files that are not drawn are not collected, the
/// collecting shrinks with them.
fn fixed(ring: &Ring<'_>, picked: &Picked, total: u128, known: &Known) -> Option<u128> {
    let times = known.times.as_ref()?;
    let fixed = times.fixed(total)?;
    let spared = if known.spares_files && !ring.is_empty() {
        let left_out = (ring.len() - picked.positions.len()) as u128;
        u128::from(times.collecting()) * left_out / ring.len() as u128
    } else {
        0
    };
    Some(fixed.saturating_sub(spared) + u128::from(known.listing))
}

#[expect(
    clippy::cast_precision_loss,
    reason = "for people: nanoseconds do not matter"
)]
fn seconds(nanos: u128) -> f64 {
    nanos as f64 / 1e9
}
