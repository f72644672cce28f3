//! How long each test of a ring takes, known or estimated.

use super::durations::Times;
use super::ring::Ring;
use super::unit;
use std::collections::BTreeMap;

/// Nanoseconds by position of the ring.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Weights {
    /// At least 1 each, so that a test always has a place on the ring of time.
    pub nanos: Vec<u64>,
    /// How many are estimates.
    pub unknown: usize,
}

/// The known duration of each test; a test without one counts as the median of its module, or of
/// everything. `None` when no test at all is known.
pub fn of(ring: &Ring<'_>, times: &Times) -> Option<Weights> {
    let known: Vec<Option<u64>> = ring.ids().map(|id| times.of(id)).collect();
    let mut modules: BTreeMap<&str, Vec<u64>> = BTreeMap::new();
    for (id, nanos) in ring.ids().zip(&known) {
        if let Some(nanos) = nanos {
            modules.entry(unit::module(id)).or_default().push(*nanos);
        }
    }
    let overall = median(known.iter().flatten().copied().collect())?;
    let medians: BTreeMap<&str, u64> = modules
        .into_iter()
        .filter_map(|(module, all)| Some((module, median(all)?)))
        .collect();
    let weight = |(id, nanos): (&str, &Option<u64>)| {
        let estimate = || medians.get(unit::module(id)).copied().unwrap_or(overall);
        nanos.unwrap_or_else(estimate).max(1)
    };
    Some(Weights {
        nanos: ring.ids().zip(&known).map(weight).collect(),
        unknown: known.iter().filter(|nanos| nanos.is_none()).count(),
    })
}

/// The lower median.
fn median(mut values: Vec<u64>) -> Option<u64> {
    values.sort_unstable();
    values.get(values.len().saturating_sub(1) / 2).copied()
}

#[cfg(test)]
mod tests {
    use super::super::durations::parse;
    use super::super::hash::Key;
    use super::super::ring::List;
    use super::*;

    #[test]
    fn unknown_tests_count_as_their_modules_median() {
        let list = List::new(b"a.py::x\na.py::y\na.py::z\na.py::new\nb.py::new", b'\n').unwrap();
        let ring = Ring::new(&list, &Key::new("0")).unwrap();
        let report = parse(r#"{"a.py::x":1e-9,"a.py::y":3e-9,"a.py::z":9e-9}"#).unwrap();
        let weights = of(&ring, &Times::new(&[report])).unwrap();
        let of = |id| weights.nanos[ring.ids().position(|other| other == id).unwrap()];
        assert_eq!(
            ["a.py::x", "a.py::z", "a.py::new", "b.py::new"].map(of),
            [1, 9, 3, 3]
        );
        assert_eq!(weights.unknown, 2);
    }
}
