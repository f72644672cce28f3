//! Many fixed texts looked for at once, in text that mostly holds none of them.
//!
//! Each place is judged by the three bytes that stand there: a bitmap of 8 KiB, which stays in the
//! processor's nearest cache, says whether a text could begin so. The places are independent of
//! each other, so the processor judges several at a time; an automaton waits at each byte for the
//! state of the one before. Measured with `benches/output-filter.sh` in place of `aho-corasick`'s
//! DFA, for the eighty beginnings of secrets and the hundred and fifty anchors of the digest.

use std::ops::Range;

/// The bitmap has two to the power of so many bits.
const BITS: u32 = 16;
const WORDS: usize = 1 << (BITS - 6);
/// So many places are judged by one read of eight bytes.
const STRIDE: usize = 6;
/// Multiplicative hashing (Knuth, "The Art of Computer Programming" 6.4): 2^32 divided by the golden
/// ratio. Shifted by eight, the fourth byte of what was read has no part in it.
const FACTOR: u32 = 0x9e37_79b1 << 8;

/// The bit that parts small letters from large ones, in each byte.
const LOWER: u64 = u64::MAX / 255 * 0x20;

/// The texts that are looked for, by their numbers from 0.
pub(crate) struct Needles {
    texts: Vec<Vec<u8>>,
    /// Makes letters of either case the same; what else it does costs a second look only.
    fold: u64,
    /// May a text begin with bytes of this hash?
    may: Box<[u64; WORDS]>,
    /// For each hash that may: which of `lists` holds its texts.
    heads: Vec<u16>,
    /// The texts, longest first.
    lists: Vec<Vec<Entry>>,
}

/// A text among those of one hash.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Entry {
    number: usize,
    length: usize,
    /// Its first eight bytes, which mostly decide, and which of their bits there are.
    start: u64,
    mask: u64,
}

/// A text at a place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Hit {
    pub(crate) needle: usize,
    pub(crate) at: Range<usize>,
}

impl std::fmt::Debug for Needles {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "Needles({})", self.texts.len())
    }
}

impl Needles {
    /// Texts of at least two bytes; with `ignore_case` ASCII letters are found in either case.
    /// Shorter ones are never found.
    pub(crate) fn new<'t>(texts: impl IntoIterator<Item = &'t str>, ignore_case: bool) -> Self {
        let mut needles = Self {
            texts: texts.into_iter().map(Into::into).collect(),
            fold: if ignore_case { LOWER } else { 0 },
            may: Box::new([0; WORDS]),
            heads: vec![0; 1 << BITS],
            lists: Vec::new(),
        };
        for number in 0..needles.texts.len() {
            match *needles.texts[number].as_slice() {
                [first, second, third, ..] => needles.enter([first, second, third], number),
                [first, second] => {
                    for any in 0..=u8::MAX {
                        needles.enter([first, second, any], number);
                    }
                }
                _ => {}
            }
        }
        for list in &mut needles.lists {
            list.sort_by_key(|entry| std::cmp::Reverse(entry.length));
            list.dedup();
        }
        needles
    }

    /// The first text from `from` on; of several at the same place the longest.
    pub(crate) fn find(&self, hay: &[u8], mut from: usize) -> Option<Hit> {
        while let Some((at, hash)) = self.candidate(hay, from) {
            if let Some(needle) = self.texts_at(&hay[at..], hash).next() {
                let at = at..at + self.texts[needle].len();
                return Some(Hit { needle, at });
            }
            from = at + 1;
        }
        None
    }

    /// Every text, at every place, also where they overlap.
    pub(crate) fn each(&self, hay: &[u8], mut found: impl FnMut(usize)) {
        let mut rest = hay;
        while let Some(bytes) = rest.first_chunk() {
            let places = self.places(*bytes);
            if self.any(&places) {
                for (place, hash) in places.into_iter().enumerate() {
                    if self.may(hash) != 0 {
                        self.texts_at(&rest[place..], hash).for_each(&mut found);
                    }
                }
            }
            rest = &rest[STRIDE..];
        }
        let mut from = hay.len() - rest.len();
        while let Some((at, hash)) = self.candidate(hay, from) {
            self.texts_at(&hay[at..], hash).for_each(&mut found);
            from = at + 1;
        }
    }

    fn enter(&mut self, start: [u8; 3], number: usize) {
        let [first, second, third] = start.map(u64::from);
        let hash = hash(first | second << 8 | third << 16 | self.fold);
        self.may[hash as usize / 64] |= 1 << (hash % 64);
        let head = &mut self.heads[hash as usize];
        if *head == 0 {
            self.lists.push(Vec::new());
            // At most as many lists as there are hashes.
            *head = u16::try_from(self.lists.len()).unwrap_or(u16::MAX);
        }
        let text = self.texts[number].as_slice();
        let mask = u64::MAX >> (64 - 8 * text.len().min(8));
        self.lists[usize::from(*head) - 1].push(Entry {
            number,
            length: text.len(),
            start: (first_eight(text) | self.fold) & mask,
            mask,
        });
    }

    /// The first place from `from` on where a text may begin, and the hash of what stands there.
    fn candidate(&self, hay: &[u8], from: usize) -> Option<(usize, u32)> {
        let mut rest = hay.get(from..)?;
        while let Some(bytes) = rest.first_chunk() {
            let places = self.places(*bytes);
            if self.any(&places) {
                let place = places.iter().position(|hash| self.may(*hash) != 0)?;
                return Some((hay.len() - rest.len() + place, places[place]));
            }
            rest = &rest[STRIDE..];
        }
        (hay.len() - rest.len()..hay.len()).find_map(|at| {
            let byte = |at: usize| u64::from(hay.get(at).copied().unwrap_or_default());
            let word = byte(at) | byte(at + 1) << 8 | byte(at + 2) << 16 | self.fold;
            let hash = hash(word);
            (self.may(hash) != 0).then_some((at, hash))
        })
    }

    /// The hashes of what stands at each place of a stride.
    fn places(&self, bytes: [u8; 8]) -> [u32; STRIDE] {
        let word = u64::from_le_bytes(bytes) | self.fold;
        std::array::from_fn(|place| hash(word >> (8 * place)))
    }

    /// Whether a text may begin at one of these places.
    fn any(&self, places: &[u32; STRIDE]) -> bool {
        places.iter().fold(0, |any, hash| any | self.may(*hash)) != 0
    }

    /// In the lowest bit: may a text begin with bytes of this hash?
    fn may(&self, hash: u32) -> u64 {
        self.may[(hash >> 6) as usize % WORDS] >> (hash % 64) & 1
    }

    /// The texts of this hash that `rest` begins with, longest first.
    fn texts_at<'a>(&'a self, rest: &'a [u8], hash: u32) -> impl Iterator<Item = usize> + 'a {
        let head = self.heads[hash as usize];
        let list = usize::from(head)
            .checked_sub(1)
            .map(|list| &*self.lists[list]);
        let start = first_eight(rest) | self.fold;
        let same = move |entry: &&Entry| {
            if start & entry.mask != entry.start || rest.len() < entry.length {
                return false;
            }
            let (text, start) = (&*self.texts[entry.number], &rest[..entry.length]);
            start == text || self.fold != 0 && start.eq_ignore_ascii_case(text)
        };
        let entries = list.unwrap_or_default().iter();
        entries.filter(same).map(|entry| entry.number)
    }
}

/// The first eight bytes, with zeros for those that are not there.
fn first_eight(text: &[u8]) -> u64 {
    let mut bytes = [0; 8];
    match text.first_chunk() {
        Some(whole) => bytes = *whole,
        None => bytes[..text.len()].copy_from_slice(text),
    }
    u64::from_le_bytes(bytes)
}

/// The hash of the first three of these bytes, in [`BITS`] bits.
fn hash(bytes: u64) -> u32 {
    let low = u32::try_from(bytes & u64::from(u32::MAX)).unwrap_or_default();
    low.wrapping_mul(FACTOR) >> (32 - BITS)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const TEXTS: &[&str] = &[
        "sk-", "sk-ant-", "OK", "ok ", "Sk-A", "://", "✗", "password",
    ];

    fn slow(hay: &[u8], from: usize, ignore_case: bool) -> Option<Hit> {
        (from..hay.len()).find_map(|at| {
            let fits = |text: &&str| {
                hay[at..].get(..text.len()).is_some_and(|start| {
                    start == text.as_bytes()
                        || ignore_case && start.eq_ignore_ascii_case(text.as_bytes())
                })
            };
            let (needle, text) = TEXTS
                .iter()
                .enumerate()
                .filter(|(_, text)| fits(text))
                .max_by_key(|(number, text)| (text.len(), std::cmp::Reverse(*number)))?;
            Some(Hit {
                needle,
                at: at..at + text.len(),
            })
        })
    }

    #[test]
    fn the_longest_of_several_at_one_place_is_found_and_short_texts_never() {
        let needles = Needles::new(TEXTS.iter().copied(), false);
        let found = |hay: &str| needles.find(hay.as_bytes(), 0).map(|hit| hit.at);
        assert_eq!(found("xx sk-ant-1"), Some(3..10));
        assert_eq!(found("is it OK"), Some(6..8));
        assert_eq!(found("PASSWORD"), None);
        assert_eq!(Needles::new(["a", ""], true).find(b"aaa", 0), None);
    }

    proptest! {
        #[test]
        fn finds_are_those_of_a_plain_search(
            pieces in proptest::collection::vec(prop_oneof![
                proptest::sample::select(TEXTS).prop_map(str::to_owned),
                "[a-zA-Z:/ -]{0,9}",
                Just("SK-ANT".to_owned()),
            ], 0..9),
            ignore_case in any::<bool>(),
        ) {
            let hay = pieces.concat().into_bytes();
            let needles = Needles::new(TEXTS.iter().copied(), ignore_case);
            let mut every = Vec::new();
            needles.each(&hay, |needle| every.push(needle));
            let mut expected = Vec::new();
            for at in 0..hay.len() {
                prop_assert_eq!(needles.find(&hay, at), slow(&hay, at, ignore_case));
                let mut here: Vec<usize> = (0..TEXTS.len())
                    .filter(|number| hay[at..].get(..TEXTS[*number].len()).is_some_and(|start| {
                        let text = TEXTS[*number].as_bytes();
                        start == text || ignore_case && start.eq_ignore_ascii_case(text)
                    }))
                    .collect();
                here.sort_by_key(|number| std::cmp::Reverse(TEXTS[*number].len()));
                expected.extend(here);
            }
            prop_assert_eq!(every, expected);
        }
    }
}
