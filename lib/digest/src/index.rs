//! Which of the words that tables and the outline ask for stand in a line: one search instead of a
//! search per word.

use overnight_redact::multi_search::MultiSearch;
use std::cell::OnceCell;

/// The words that are looked for.
#[derive(Debug)]
pub(super) struct Index {
    search: MultiSearch,
}

/// The number of a word; none when it is too short to be looked for: then it may always be there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Word(pub(super) Option<usize>);

/// Several words.
#[derive(Debug, Clone, Default)]
pub(super) struct Group {
    bits: Bits,
    /// One of them may always be there.
    always: bool,
}

/// A bit for each word.
type Bits = [u64; 16];
/// So many words there may be.
const WORDS_MAX: usize = 16 * 64;

/// The words of a line, looked for when somebody asks for the first of them.
#[derive(Debug)]
pub(super) struct Words<'a> {
    index: &'a Index,
    text: &'a str,
    bits: OnceCell<Bits>,
}

impl Index {
    pub(super) fn new(words: impl IntoIterator<Item = &'static str>) -> Self {
        let words = words.into_iter().filter(|word| word.len() > 1);
        Self {
            search: MultiSearch::new(words, false),
        }
    }

    pub(super) fn word(&self, word: &str) -> Word {
        // One too many counts as always there, which costs time only.
        let number = self.search.number(word);
        Word(number.filter(|number| *number < WORDS_MAX))
    }

    pub(super) fn group(&self, words: impl IntoIterator<Item = &'static str>) -> Group {
        let mut group = Group::default();
        for word in words {
            match self.word(word).0 {
                Some(number) => group.bits[number / 64] |= 1 << (number % 64),
                None => group.always = true,
            }
        }
        group
    }

    /// So many words there are; their numbers are below.
    pub(super) fn len(&self) -> usize {
        self.search.len().min(WORDS_MAX)
    }

    pub(super) fn words<'a>(&'a self, text: &'a str) -> Words<'a> {
        Words {
            index: self,
            text,
            bits: OnceCell::new(),
        }
    }
}

impl Words<'_> {
    pub(super) fn has(&self, word: Word) -> bool {
        word.0
            .is_none_or(|number| self.bits()[number / 64] >> (number % 64) & 1 != 0)
    }

    pub(super) fn any(&self, group: &Group) -> bool {
        let bits = || self.bits().iter().zip(&group.bits);
        group.always || bits().any(|(one, other)| one & other != 0)
    }

    /// The numbers of the words that stand there.
    pub(super) fn each(&self, mut found: impl FnMut(usize)) {
        for (at, bits) in self.bits().iter().enumerate() {
            let mut bits = *bits;
            while bits != 0 {
                found(at * 64 + bits.trailing_zeros() as usize);
                bits &= bits - 1;
            }
        }
    }

    fn bits(&self) -> &Bits {
        self.bits.get_or_init(|| {
            let mut bits = Bits::default();
            self.index.search.each(self.text.as_bytes(), |number| {
                if let Some(bits) = bits.get_mut(number / 64) {
                    *bits |= 1 << (number % 64);
                }
            });
            bits
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_found_wherever_they_overlap() {
        let index = Index::new(["error", "rror:", "absent", "x"]);
        let words = index.words("an error: here");
        let has = |word| words.has(index.word(word));
        assert!(has("error") && has("rror:") && !has("absent") && has("x"));
        assert!(words.any(&index.group(["absent", "error"])));
        assert!(!words.any(&index.group(["absent"])));
        assert!(words.any(&index.group(["absent", "x"])));
        assert!(!index.words("").has(index.word("error")));
    }
}
