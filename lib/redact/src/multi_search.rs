//! Many fixed texts looked for at once, in text that mostly holds none of them.
//!
//! Each place is judged by the bytes that stand there, the first two and half of the third: a table says
//! whether a text could begin so. The places are independent of each other, so the processor judges
//! several at a time; an automaton waits at each byte for the state of the one before. Where no text is
//! shorter than three bytes, every second place is judged only: a text begins there or at the place
//! before. Measured with `benches/output-filter.sh` in place of `aho-corasick`'s DFA, for the beginnings
//! of secrets and the anchors of the digest.

use std::num::NonZeroU16;
use std::ops::Range;

/// There are two to the power of so many hashes.
const BITS: u32 = 16;
const HASHES: usize = 1 << BITS;
/// So many places are judged by one read of eight bytes.
const STRIDE: usize = 6;
/// Multiplicative hashing (Knuth, "The Art of Computer Programming" 6.4): 2^32 divided by the golden
/// ratio. Shifted by twelve, only the lower half of the third byte has a part in it, which tells letters
/// apart: so a text of two bytes has few hashes.
const FACTOR: u32 = 0x9e37_79b1 << 12;
const HALVES: u64 = 16;
/// The most texts, each of which may have as many links.
const TEXTS_MAX: usize = (u16::MAX / 16) as usize;

/// The bit that parts small letters from large ones, in each byte.
const LOWER: u64 = u64::MAX / 255 * 0x20;

/// The texts that are looked for, by their numbers from 0.
pub struct MultiSearch {
    /// The texts, one behind the other.
    bytes: Vec<u8>,
    entries: Vec<Entry>,
    /// Makes letters of either case the same; what else it does costs a second look only.
    fold: u64,
    /// The first link of each hash with which a text may begin; else 0.
    heads: Table<u16>,
    /// Not 0 for each hash of what may stand where a text begins, or one byte behind; none where a text is
    /// too short for that.
    near: Option<Table<u8>>,
    links: Vec<Link>,
}

/// Something for each hash.
type Table<T> = Box<[T; HASHES]>;

/// A text.
#[derive(Debug, Clone, Copy)]
struct Entry {
    /// Where it stands in `bytes`.
    at: usize,
    length: usize,
    /// Its first eight bytes, which mostly decide, and which of their bits there are.
    start: u64,
    mask: u64,
}

/// A text among those of one hash, the longest first.
#[derive(Debug, Clone, Copy)]
struct Link {
    number: u16,
    /// The number of the next link, from 1.
    next: Option<NonZeroU16>,
}

/// A text at a place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hit {
    /// The text's number.
    pub number: usize,
    /// The bytes that it stands in.
    pub at: Range<usize>,
}

impl std::fmt::Debug for MultiSearch {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "MultiSearch({})", self.entries.len())
    }
}

impl MultiSearch {
    /// At most [`TEXTS_MAX`] texts of at least two bytes; with `ignore_case` ASCII letters are found in
    /// either case. Shorter ones are never found. A text that is given again has no number of its own.
    pub fn new<'t>(texts: impl IntoIterator<Item = &'t str>, ignore_case: bool) -> Self {
        let texts: Vec<&str> = texts.into_iter().take(TEXTS_MAX).collect();
        let fold = if ignore_case { LOWER } else { 0 };
        let mut search = Self {
            bytes: Vec::new(),
            entries: Vec::new(),
            fold,
            heads: table(),
            near: near(&texts, fold),
            links: Vec::new(),
        };
        for text in texts {
            if search.number(text).is_none() {
                search.add(text.as_bytes());
            }
        }
        search
    }

    /// So many texts there are; their numbers are below.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Is no text looked for?
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The number of exactly this text.
    pub fn number(&self, text: &str) -> Option<usize> {
        // Of the hashes of a text of two bytes this is one too.
        let hash = hash(first_eight(text.as_bytes()) | self.fold);
        self.linked(hash)
            .find(|number| self.text(*number) == text.as_bytes())
    }

    /// The first text from `from` on; of several at the same place the longest.
    pub fn find(&self, hay: &[u8], from: usize) -> Option<Hit> {
        let mut rest = hay.get(from..)?;
        while let Some(bytes) = rest.first_chunk() {
            if self.may_hold(*bytes) {
                let places = self.places(*bytes).into_iter().enumerate();
                let mut texts = places.filter(|(_, hash)| self.may(*hash));
                let hit = texts.find_map(|(place, hash)| self.at(hay, &rest[place..], hash));
                if hit.is_some() {
                    return hit;
                }
            }
            rest = &rest[STRIDE..];
        }
        (0..rest.len()).find_map(|place| {
            let rest = &rest[place..];
            self.at(hay, rest, hash(first_eight(rest) | self.fold))
        })
    }

    /// Every text, at every place, also where they overlap.
    pub fn each(&self, hay: &[u8], mut found: impl FnMut(usize)) {
        let mut rest = hay;
        while let Some(bytes) = rest.first_chunk() {
            let places = self.places(*bytes);
            if self.any(&places) {
                for (place, hash) in places.into_iter().enumerate() {
                    self.texts_at(&rest[place..], hash).for_each(&mut found);
                }
            }
            rest = &rest[STRIDE..];
        }
        for place in 0..rest.len() {
            let rest = &rest[place..];
            let hash = hash(first_eight(rest) | self.fold);
            self.texts_at(rest, hash).for_each(&mut found);
        }
    }

    fn add(&mut self, text: &[u8]) {
        let mask = u64::MAX.checked_shr(64 - 8 * u32::try_from(text.len()).unwrap_or(8).min(8));
        let mask = mask.unwrap_or(0);
        self.entries.push(Entry {
            at: self.bytes.len(),
            length: text.len(),
            start: (first_eight(text) | self.fold) & mask,
            mask,
        });
        self.bytes.extend_from_slice(text);
        for hash in starts(text, self.fold) {
            self.link(hash, self.entries.len() - 1);
        }
    }

    fn text(&self, number: usize) -> &[u8] {
        let entry = &self.entries[number];
        &self.bytes[entry.at..entry.at + entry.length]
    }

    /// Puts a text behind those of this hash that are as long or longer.
    fn link(&mut self, hash: u32, number: usize) {
        let length = |link: &Link| self.entries[usize::from(link.number)].length;
        let (mut last, mut next) = (None, NonZeroU16::new(self.heads[hash as usize]));
        while let Some(link) = self.get(next) {
            if usize::from(link.number) == number {
                return;
            }
            if length(link) < self.entries[number].length {
                break;
            }
            (last, next) = (next, link.next);
        }
        let number = u16::try_from(number).unwrap_or(u16::MAX);
        self.links.push(Link { number, next });
        let new = u16::try_from(self.links.len()).unwrap_or(u16::MAX);
        match last {
            Some(last) => self.links[usize::from(last.get()) - 1].next = NonZeroU16::new(new),
            None => self.heads[hash as usize] = new,
        }
    }

    fn get(&self, link: Option<NonZeroU16>) -> Option<&Link> {
        self.links.get(usize::from(link?.get()) - 1)
    }

    /// The numbers of the texts of this hash.
    fn linked(&self, hash: u32) -> impl Iterator<Item = usize> {
        let mut next = NonZeroU16::new(self.heads[hash as usize]);
        std::iter::from_fn(move || {
            let link = self.get(next)?;
            next = link.next;
            Some(usize::from(link.number))
        })
    }

    /// Whether a text may begin at one of the places of a stride.
    fn may_hold(&self, bytes: [u8; 8]) -> bool {
        let Some(near) = &self.near else {
            return self.any(&self.places(bytes));
        };
        let word = u64::from_le_bytes(bytes) | self.fold;
        let seconds = [1, 3, 5].map(|place| near[hash(word >> (8 * place)) as usize]);
        seconds.into_iter().fold(0, |any, near| any | near) != 0
    }

    /// The hashes of what stands at each place of a stride.
    fn places(&self, bytes: [u8; 8]) -> [u32; STRIDE] {
        let word = u64::from_le_bytes(bytes) | self.fold;
        std::array::from_fn(|place| hash(word >> (8 * place)))
    }

    /// Whether a text may begin at one of these places.
    fn any(&self, places: &[u32; STRIDE]) -> bool {
        let each = places.iter().map(|hash| self.heads[*hash as usize]);
        each.fold(0, |any, head| any | head) != 0
    }

    /// Whether a text may begin with bytes of this hash.
    fn may(&self, hash: u32) -> bool {
        self.heads[hash as usize] != 0
    }

    /// The longest text of this hash that `rest`, the end of `hay`, begins with.
    fn at(&self, hay: &[u8], rest: &[u8], hash: u32) -> Option<Hit> {
        let number = self.texts_at(rest, hash).next()?;
        let at = hay.len() - rest.len();
        Some(Hit {
            number,
            at: at..at + self.entries[number].length,
        })
    }

    /// The texts of this hash that `rest` begins with, longest first.
    fn texts_at<'a>(&'a self, rest: &'a [u8], hash: u32) -> impl Iterator<Item = usize> + 'a {
        let start = first_eight(rest) | self.fold;
        self.linked(hash).filter(move |number| {
            let entry = &self.entries[*number];
            if start & entry.mask != entry.start || rest.len() < entry.length {
                return false;
            }
            let (text, start) = (self.text(*number), &rest[..entry.length]);
            start == text || self.fold != 0 && start.eq_ignore_ascii_case(text)
        })
    }
}

/// Nothing for each hash. Made on the heap, where no page of it costs anything before it is used.
#[expect(
    clippy::unnecessary_box_returns,
    reason = "no array of this size goes over the stack"
)]
fn table<T: Copy + Default>() -> Table<T> {
    let table = vec![T::default(); HASHES].try_into();
    table.unwrap_or_else(|_| Box::new([T::default(); HASHES]))
}

/// What may stand where one of these texts begins, and one byte behind; none of a text too short to
/// say so.
fn near(texts: &[&str], fold: u64) -> Option<Table<u8>> {
    let long = texts.iter().all(|text| text.len() > 2);
    let texts = texts.iter().map(|text| text.as_bytes());
    let places = texts.flat_map(|text| [text, &text[1..]]);
    long.then(|| {
        let mut near = table();
        for hash in places.flat_map(|text| starts(text, fold)) {
            near[hash as usize] = 1;
        }
        near
    })
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

/// The hashes of what may stand where this text begins; none of one too short to be found.
fn starts(text: &[u8], fold: u64) -> impl Iterator<Item = u32> + use<> {
    let word = first_eight(text) | fold;
    let thirds = match text.len() {
        0 | 1 => 0..0,
        2 => 0..HALVES,
        _ => 0..1,
    };
    thirds.map(move |third| hash(word | third << 16))
}

/// The hash of the first two of these bytes and the lower half of the third, in [`BITS`] bits.
fn hash(bytes: u64) -> u32 {
    let low = u32::try_from(bytes & u64::from(u32::MAX)).unwrap_or_default();
    low.wrapping_mul(FACTOR) >> (32 - BITS)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const TEXTS: &[&str] = &[
        "OK", "sk-", "sk-ant-", "ok ", "Sk-A", "://", "✗", "password",
    ];

    fn slow(texts: &[&str], hay: &[u8], from: usize, ignore_case: bool) -> Option<Hit> {
        (from..hay.len()).find_map(|at| {
            let fits = |text: &&str| {
                hay[at..].get(..text.len()).is_some_and(|start| {
                    start == text.as_bytes()
                        || ignore_case && start.eq_ignore_ascii_case(text.as_bytes())
                })
            };
            let (number, text) = texts
                .iter()
                .enumerate()
                .filter(|(_, text)| fits(text))
                .max_by_key(|(number, text)| (text.len(), std::cmp::Reverse(*number)))?;
            Some(Hit {
                number,
                at: at..at + text.len(),
            })
        })
    }

    #[test]
    fn the_longest_of_several_at_one_place_is_found_and_short_texts_never() {
        let search = MultiSearch::new(TEXTS.iter().copied(), false);
        let found = |hay: &str| search.find(hay.as_bytes(), 0).map(|hit| hit.at);
        assert_eq!(found("xx sk-ant-1"), Some(3..10));
        assert_eq!(found("is it OK"), Some(6..8));
        assert_eq!(found("PASSWORD"), None);
        assert_eq!(MultiSearch::new(["a", ""], true).find(b"aaa", 0), None);
    }

    #[test]
    fn texts_have_numbers() {
        for ignore_case in [false, true] {
            let twice = TEXTS.iter().flat_map(|text| [*text, *text]);
            let search = MultiSearch::new(twice, ignore_case);
            assert_eq!(search.len(), TEXTS.len());
            for (number, text) in TEXTS.iter().enumerate() {
                assert_eq!(search.number(text), Some(number), "{text}");
            }
            for absent in ["", "O", "ok", "OK ", "passwor", "passwords"] {
                assert_eq!(search.number(absent), None, "{absent}");
            }
        }
        assert_eq!(
            MultiSearch::new(["twice", "twice"], false).number("twice"),
            Some(0)
        );
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
            with_short in any::<bool>(),
        ) {
            let hay = pieces.concat().into_bytes();
            let texts = if with_short { TEXTS } else { &TEXTS[1..] };
            let search = MultiSearch::new(texts.iter().copied(), ignore_case);
            prop_assert_eq!(search.near.is_some(), !with_short);
            let mut every = Vec::new();
            search.each(&hay, |text| every.push(text));
            let mut expected = Vec::new();
            for at in 0..hay.len() {
                prop_assert_eq!(search.find(&hay, at), slow(texts, &hay, at, ignore_case));
                let mut here: Vec<usize> = (0..texts.len())
                    .filter(|number| hay[at..].get(..texts[*number].len()).is_some_and(|start| {
                        let text = texts[*number].as_bytes();
                        start == text || ignore_case && start.eq_ignore_ascii_case(text)
                    }))
                    .collect();
                here.sort_by_key(|number| std::cmp::Reverse(texts[*number].len()));
                expected.extend(here);
            }
            prop_assert_eq!(every, expected);
        }
    }
}
