//! The sample by time: arcs of equal time on the ring.

use super::bucket::Bucket;
use super::pick::Positions;

/// One whole, in the unit of shares.
pub const WHOLE: u128 = 1_000_000_000;

/// Which arc of a ring of time is asked for.
#[derive(Debug, Clone, Copy)]
pub enum Arc {
    /// From the start, this many billionths of the whole.
    Share(u128),
    /// One of equal parts.
    Bucket(Bucket),
}

impl Arc {
    /// Its length in billionths of the whole.
    pub fn share(self) -> u128 {
        match self {
            Self::Share(share) => share,
            Self::Bucket(bucket) => WHOLE / u128::from(bucket.of.max(1)),
        }
    }

    /// Is a moment that lies `twice / (2 · total)` round the ring inside?
    fn holds(self, twice: u128, total: u128) -> bool {
        match self {
            Self::Share(share) => twice * WHOLE < 2 * total * share,
            Self::Bucket(bucket) => {
                twice * u128::from(bucket.of) / (2 * total) == u128::from(bucket.index)
            }
        }
    }
}

/// The tests (weights in nanoseconds, in ring order) whose middle lies in the arc. The ring is
/// turned by `phase` (a place), so that the strata of one list do not all round alike. Each test's
/// middle lies in exactly one bucket.
pub fn by_time(weights: &[(usize, u64)], phase: u64, arc: Arc) -> Positions {
    let total: u128 = weights.iter().map(|(_, weight)| u128::from(*weight)).sum();
    if total == 0 {
        return Positions::new();
    }
    // 32 bits of phase are plenty and keep the product in range.
    let mut start = (u128::from(phase >> 32) * total) >> 32;
    let mut drawn = Positions::new();
    for (position, weight) in weights {
        let weight = u128::from(*weight);
        let twice = (2 * start + weight) % (2 * total);
        if arc.holds(twice, total) {
            drawn.push(*position);
        }
        start += weight;
    }
    drawn
}

/// Splits off the giants: tests that take more than half an arc's time by themselves, whose
/// presence alone would decide what an arc costs. The bound is that of the tests that remain.
pub fn without_giants(weights: &[(usize, u64)], share: u128) -> (Vec<(usize, u64)>, Positions) {
    let mut ascending: Vec<u64> = weights.iter().map(|(_, weight)| *weight).collect();
    ascending.sort_unstable();
    let mut total: u128 = ascending.iter().map(|weight| u128::from(*weight)).sum();
    while let Some(longest) = ascending.last() {
        let longest = u128::from(*longest);
        if longest * 2 * WHOLE <= total * share {
            break;
        }
        total -= longest;
        ascending.pop();
    }
    let bound = ascending.last().copied();
    let (rest, giants): (Vec<_>, Vec<_>) = weights
        .iter()
        .partition(|(_, weight)| bound.is_some_and(|bound| *weight <= bound));
    (
        rest,
        giants.into_iter().map(|(position, _)| position).collect(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn arcs_are_disjoint_and_together_everything(
            times in prop::collection::vec(1u64..5_000_000_000, 1..300), of in 1u64..40, phase: u64,
        ) {
            let weights: Vec<_> = times.iter().copied().enumerate().collect();
            let mut seen: Vec<usize> = (0..of)
                .flat_map(|index| by_time(&weights, phase, Arc::Bucket(Bucket { index, of })))
                .collect();
            seen.sort_unstable();
            prop_assert_eq!(seen, (0..times.len()).collect::<Vec<_>>());
        }

        #[test]
        fn an_arc_misses_its_time_by_at_most_half_a_giant_at_each_end(
            times in prop::collection::vec(1u64..5_000_000_000, 1..300), of in 2u64..40,
        ) {
            let weights: Vec<_> = times.iter().copied().enumerate().collect();
            let (rest, giants) = without_giants(&weights, WHOLE / u128::from(of));
            prop_assert_eq!(rest.len() + giants.len(), times.len());
            let total: u64 = rest.iter().map(|(_, weight)| weight).sum();
            for index in 0..of {
                let arc = by_time(&rest, 0, Arc::Bucket(Bucket { index, of }));
                let took: u64 = arc.iter().map(|position| times[*position]).sum();
                let budget = total / of;
                prop_assert!(took.abs_diff(budget) <= budget / 2 + 2, "{} of {}", took, budget);
            }
        }
    }

    #[test]
    fn a_test_longer_than_half_the_budget_is_a_giant() {
        let weights: Vec<(usize, u64)> =
            (0..100).map(|i| (i, if i == 7 { 40 } else { 1 })).collect();
        let (rest, giants) = without_giants(&weights, WHOLE / 10);
        assert_eq!((rest.len(), giants), (99, vec![7]));
        let (rest, giants) = without_giants(&weights[..3], WHOLE / 10);
        assert_eq!((rest.len(), giants.len()), (0, 3));
    }
}
