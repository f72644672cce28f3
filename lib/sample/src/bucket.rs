//! Which part of the ring is asked for.

use super::rate::Rate;
use overnight_base::code::Code;
use overnight_base::fault::Fault;
use serde::Serialize;

/// Most agents or iterations that are told apart.
const COUNT_MAX: u64 = 1_000_000;

/// One of several disjoint parts that together are everything.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Bucket {
    /// From 0.
    pub index: u64,
    /// How many there are.
    pub of: u64,
}

impl Bucket {
    /// Its part of `n` tests in ring order: sizes differ by at most one, and the first bucket is
    /// never smaller than the others.
    pub fn range(self, n: usize) -> std::ops::Range<usize> {
        let edge = |index: u64| {
            let edge = (n as u128 * u128::from(index)).div_ceil(u128::from(self.of));
            usize::try_from(edge).unwrap_or(n)
        };
        edge(self.index)..edge(self.index + 1)
    }
}

/// Who asks, when several share the tests.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Turn {
    /// This agent's number within its team, counted from 0 or from 1, and the team's size.
    pub member: Option<(u64, u64)>,
    /// The iteration of the run, counted from 1.
    pub iteration: Option<u64>,
}

impl Turn {
    /// The bucket of this turn: none when nobody shares. A team of `of` goes through `of` buckets
    /// in each iteration, so that `ceil(1/rate)` agents, or iterations, see everything.
    pub fn bucket(self, rate: &Rate) -> Result<Option<Bucket>, Fault> {
        let (index, team) = self.member.unwrap_or((0, 1));
        let iteration = self.iteration.unwrap_or(1);
        if self.member.is_none() && self.iteration.is_none() {
            return Ok(None);
        }
        let out = |what: String| Err(Fault::new(Code::SampleTurn, what));
        if team == 0 || team > COUNT_MAX {
            return out(format!("--of {team} is not between 1 and {COUNT_MAX}"));
        }
        if index > team {
            return out(format!("--index {index} is above --of {team}"));
        }
        if iteration > COUNT_MAX {
            return out(format!("--iteration {iteration} is above {COUNT_MAX}"));
        }
        let of = rate.buckets();
        // Counted from 1 as a rule; a count from 0 goes through the same buckets.
        let first = if self.member.is_some() {
            index + team - 1
        } else {
            0
        } % team;
        let turn = (iteration + of - 1) % of;
        let index = (u128::from(turn) * u128::from(team) + u128::from(first)) % u128::from(of);
        Ok(Some(Bucket {
            index: u64::try_from(index).unwrap_or(0),
            of,
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn buckets_cut_everything_once(n in 0usize..5000, of in 1u64..1100) {
            let mut next = 0;
            let mut sizes = Vec::new();
            for index in 0..of {
                let range = Bucket { index, of }.range(n);
                prop_assert_eq!(range.start, next);
                next = range.end;
                sizes.push(range.len());
            }
            prop_assert_eq!(next, n);
            let (least, most) = (sizes.iter().min().unwrap(), sizes.iter().max().unwrap());
            prop_assert!(most - least <= 1 && sizes[0] == *most);
        }

        #[test]
        fn agents_and_iterations_go_through_all_buckets(thousandths in 1u32..=1000, from in 0u64..2, team in 1u64..20) {
            let rate = Rate::parse(&format!("{}", f64::from(thousandths) / 1000.0)).unwrap();
            let of = rate.buckets();
            let indices = |turns: Vec<Turn>| {
                let mut seen: Vec<u64> = turns.into_iter()
                    .map(|turn| turn.bucket(&rate).unwrap().unwrap().index).collect();
                seen.sort_unstable();
                seen
            };
            let all: Vec<u64> = (0..of).collect();
            let iterations = (from..of + from).map(|t| Turn { member: None, iteration: Some(t) });
            prop_assert_eq!(indices(iterations.collect()), all.clone());
            let agents = (from..of + from).map(|i| Turn { member: Some((i, of)), iteration: None });
            prop_assert_eq!(indices(agents.collect()), all.clone());
            let rounds = of.div_ceil(team);
            let turn = |t, i| Turn { member: Some((i, team)), iteration: Some(t) };
            let both = (1..=rounds).flat_map(|t| (1..=team).map(move |i| turn(t, i)));
            let mut seen = indices(both.collect());
            seen.dedup();
            prop_assert_eq!(seen, all);
        }
    }

    #[test]
    fn turns_out_of_range_are_refused() {
        let rate = Rate::parse("0.1").unwrap();
        for turn in [
            Turn {
                member: Some((11, 10)),
                iteration: None,
            },
            Turn {
                member: Some((0, 0)),
                iteration: None,
            },
            Turn {
                member: None,
                iteration: Some(COUNT_MAX + 1),
            },
        ] {
            assert_eq!(turn.bucket(&rate).unwrap_err().code, Code::SampleTurn);
        }
        assert_eq!(Turn::default().bucket(&rate), Ok(None));
    }
}
