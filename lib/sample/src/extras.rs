//! Tests on top of the sample: counted apart, capped, and without influence on the sample.

use super::changed::Changed;
use super::plan::Extra;
use super::ring::Ring;
use std::collections::BTreeSet;

/// Extras that are always admitted, however small the sample is.
const CAP_MIN: usize = 20;

/// Adds extras to what is taken.
#[derive(Debug)]
pub struct Extras<'r, 'a> {
    ring: &'r Ring<'a>,
    taken: &'r mut [bool],
    sample: Vec<bool>,
    left: usize,
}

impl<'r, 'a> Extras<'r, 'a> {
    /// Extras on top of the `k` tests that are `taken`: at most as many again, or 20 when those
    /// are fewer, of all kinds together.
    pub fn new(ring: &'r Ring<'a>, taken: &'r mut [bool], k: usize) -> Self {
        let sample = taken.to_vec();
        Self {
            ring,
            taken,
            sample,
            left: k.max(CAP_MIN),
        }
    }

    /// Adds the tests of these ids.
    pub fn always(&mut self, ids: &[String]) -> Extra {
        let wanted: BTreeSet<&str> = ids.iter().map(String::as_str).collect();
        let mut extra = if wanted.is_empty() {
            Extra::default()
        } else {
            self.add(|id| wanted.contains(id))
        };
        extra.unknown = wanted.len() - extra.added - extra.in_sample - extra.over_cap;
        extra
    }

    /// Adds the tests in changed files.
    pub fn changed(&mut self, changed: &Changed) -> Extra {
        self.add(|id| changed.touches(id))
    }

    fn add(&mut self, wanted: impl Fn(&str) -> bool) -> Extra {
        let mut extra = Extra::default();
        for (position, id) in self.ring.ids().enumerate() {
            if !wanted(id) {
                continue;
            }
            if self.taken[position] {
                // One that was added for another reason is counted there.
                extra.in_sample += usize::from(self.sample[position]);
            } else if self.left > 0 {
                self.taken[position] = true;
                self.left -= 1;
                extra.added += 1;
            } else {
                extra.over_cap += 1;
            }
        }
        extra
    }
}
