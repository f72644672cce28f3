//! Texts by their numbers in a list, failing tests and problems: a table of hashes, since a long output asks
//! for them millions of times.

use super::hash::{OFFSET, hash};

/// Multiplicative hashing (Knuth, "The Art of Computer Programming" 6.4): 2^64 divided by the golden
/// ratio. Names that differ in one digit lie far apart.
const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;

/// The numbers of the texts, at the place of their hash or behind it (linear probing;
/// Knuth, "The Art of Computer Programming" 6.4).
#[derive(Debug, Clone, Default)]
pub(super) struct Names {
    /// A power of two of them, at least half of them free.
    slots: Vec<Slot>,
    count: usize,
}

/// The number of a text and one, or 0, and a part of its hash: mostly that tells one text from another,
/// and the text itself is far away in memory.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Slot {
    number: u32,
    hash: u32,
}

impl Names {
    /// The number of this name, when `is` says so of it.
    pub(super) fn find(&self, name: &[u8], is: impl Fn(usize) -> bool) -> Option<usize> {
        if self.count == 0 {
            return None;
        }
        let (hash, mut ways) = self.ways(name);
        ways.find_map(|at| match self.slots[at] {
            Slot { number: 0, .. } => Some(None),
            slot if slot.hash != hash => None,
            slot => Some(slot.number as usize - 1)
                .filter(|number| is(*number))
                .map(Some),
        })?
    }

    /// Enters a new name; `name_of` tells those that are known.
    pub(super) fn enter<'n>(&mut self, number: usize, name_of: impl Fn(usize) -> &'n str) {
        self.count += 1;
        if self.count * 2 > self.slots.len() {
            let size = (self.count * 4).next_power_of_two().max(64);
            self.slots = vec![Slot::default(); size];
            (0..number).for_each(|known| self.put(known, name_of(known)));
        }
        self.put(number, name_of(number));
    }

    /// Takes the name back that was entered last.
    pub(super) fn leave(&mut self, number: usize, name: &str) {
        let last = u32::try_from(number + 1).unwrap_or(0);
        let (_, mut ways) = self.ways(name.as_bytes());
        let slot = ways.find(|at| [0, last].contains(&self.slots[*at].number));
        if let Some(slot) = slot.filter(|at| self.slots[*at].number == last) {
            self.slots[slot] = Slot::default();
            self.count -= 1;
        }
    }

    fn put(&mut self, number: usize, name: &str) {
        let (hash, mut ways) = self.ways(name.as_bytes());
        let free = ways.find(|at| self.slots[*at].number == 0);
        if let (Some(free), Ok(number)) = (free, u32::try_from(number + 1)) {
            self.slots[free] = Slot { number, hash };
        }
    }

    /// A part of this name's hash, and the slots where it may stand, nearest first.
    fn ways(&self, name: &[u8]) -> (u32, impl Iterator<Item = usize> + use<>) {
        let size = self.slots.len();
        let mixed = hash(OFFSET, name).wrapping_mul(FACTOR);
        let start = usize::try_from(mixed >> 40).unwrap_or(0);
        let part = u32::try_from(mixed >> 8 & u64::from(u32::MAX)).unwrap_or(0);
        let ways = (start..start + size).map(move |at| at & (size - 1));
        (part, ways)
    }
}

/// Whether both are the same tool: mostly the same text in memory too.
pub(super) fn same(one: &str, other: &str) -> bool {
    std::ptr::eq(one, other) || one == other
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_until_they_are_taken_back() {
        let known: Vec<String> = (0..1_000).map(|number| format!("test_{number}")).collect();
        let mut names = Names::default();
        let find = |names: &Names, name: &str| names.find(name.as_bytes(), |at| known[at] == name);
        for number in 0..known.len() {
            assert_eq!(find(&names, &known[number]), None);
            names.enter(number, |at| &known[at]);
        }
        assert!((0..1_000).all(|number| find(&names, &known[number]) == Some(number)));
        names.leave(999, &known[999]);
        assert_eq!(find(&names, "test_999"), None);
        assert_eq!(find(&names, "test_998"), Some(998));
        assert_eq!(find(&names, "other"), None);
    }
}
