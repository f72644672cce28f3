//! Sets of grammars.

/// Numbers of grammars.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(super) struct Set([u64; 4]);

impl Set {
    /// The most grammars. A person has a few of their own; more than that are not asked.
    pub(super) const MAX: usize = 256;

    pub(super) fn put(&mut self, number: usize, is_in: bool) {
        if let Some(bits) = self.0.get_mut(number / 64) {
            let bit = 1 << (number % 64);
            *bits = if is_in { *bits | bit } else { *bits & !bit };
        }
    }

    pub(super) fn has(&self, number: usize) -> bool {
        let bits = self.0.get(number / 64).copied().unwrap_or(0);
        bits >> (number % 64) & 1 != 0
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0 == [0; 4]
    }

    /// The smallest number from `from` on.
    pub(super) fn next(&self, from: usize) -> Option<usize> {
        let mut at = from / 64;
        let mut bits = self.0.get(at)? & (u64::MAX << (from % 64));
        while bits == 0 {
            at += 1;
            bits = *self.0.get(at)?;
        }
        Some(at * 64 + bits.trailing_zeros() as usize)
    }

    /// A number that tells most sets apart.
    pub(super) fn mark(&self) -> u64 {
        let parts = self.0.iter();
        parts.fold(0, |all, part| all.rotate_left(17) ^ part)
    }

    /// Leaves only what the other set holds too.
    pub(super) fn keep(&mut self, other: &Self) {
        for (one, other) in self.0.iter_mut().zip(&other.0) {
            *one &= other;
        }
    }

    /// Takes out what the other set holds too.
    pub(super) fn split(&mut self, other: &Self) -> Self {
        let mut both = *self;
        both.keep(other);
        for (one, both) in self.0.iter_mut().zip(&both.0) {
            *one &= !both;
        }
        both
    }

    pub(super) fn merge(&mut self, other: &Self) {
        for (one, other) in self.0.iter_mut().zip(&other.0) {
            *one |= other;
        }
    }
}
