//! What is to be known of a piece of output before its lines are read: whether it is plain text, and which
//! of them hold an anchor, so that a grammar could care about them. Nothing else decides that, so it can be
//! found out ahead of the digest, on another thread.

use super::clean::is_plain;
use memchr::memchr;
use overnight_redact::multi_search::MultiSearch;
use std::sync::Arc;

/// Finds the anchors in text.
#[derive(Debug, Clone)]
pub struct Scanner(Arc<MultiSearch>);

/// A piece of output that was looked through.
#[derive(Debug)]
pub struct Scanned {
    text: Text,
    /// The place of the first anchor of each line that holds one.
    anchors: Vec<usize>,
}

#[derive(Debug)]
enum Text {
    /// Nothing of it has to be removed or replaced.
    Plain(String),
    Other(Vec<u8>),
}

/// The anchors ahead in a text, found as they are asked for or known before.
#[derive(Debug)]
pub(super) enum Anchors<'t> {
    Found {
        search: &'t MultiSearch,
        text: &'t [u8],
        /// The next one, as far as it is known.
        next: usize,
    },
    Known {
        places: std::iter::Peekable<std::slice::Iter<'t, usize>>,
        /// Where the text stands in the one that was looked through, and how long it is.
        start: usize,
        length: usize,
    },
}

impl Scanner {
    pub(super) fn new(search: MultiSearch) -> Self {
        Self(Arc::new(search))
    }

    /// Looks a piece through. Never a part of its caller, which may be built to be small.
    #[inline(never)]
    pub fn scan(&self, text: Vec<u8>) -> Scanned {
        let (mut anchors, mut from) = (Vec::new(), 0);
        while let Some(hit) = self.0.find(&text, from) {
            anchors.push(hit.at.start);
            let Some(end) = memchr(b'\n', &text[hit.at.start..]) else {
                break;
            };
            from = hit.at.start + end + 1;
        }
        let text = match String::from_utf8(text) {
            Ok(text) if is_plain(text.as_bytes()) => Text::Plain(text),
            Ok(text) => Text::Other(text.into_bytes()),
            Err(error) => Text::Other(error.into_bytes()),
        };
        Scanned { text, anchors }
    }

    /// The anchors of whole lines, which may stand there in a text that was looked through.
    pub(super) fn anchors<'t>(
        &'t self,
        text: &'t [u8],
        ahead: Option<(&'t Scanned, usize)>,
    ) -> Anchors<'t> {
        match ahead {
            None => Anchors::Found {
                search: &self.0,
                text,
                next: 0,
            },
            Some((scanned, start)) => Anchors::Known {
                places: scanned.anchors.iter().peekable(),
                start,
                length: text.len(),
            },
        }
    }
}

impl Scanned {
    /// The piece.
    pub fn bytes(&self) -> &[u8] {
        match &self.text {
            Text::Plain(text) => text.as_bytes(),
            Text::Other(bytes) => bytes,
        }
    }

    /// The same, to be filled again.
    pub fn into_bytes(self) -> Vec<u8> {
        match self.text {
            Text::Plain(text) => text.into_bytes(),
            Text::Other(bytes) => bytes,
        }
    }

    /// The piece as text, when it is plain text.
    pub(super) fn plain(&self) -> Option<&str> {
        match &self.text {
            Text::Plain(text) => Some(text),
            Text::Other(_) => None,
        }
    }
}

impl Anchors<'_> {
    /// The place of the first anchor from the beginning of this line on, which is never asked for one
    /// before; the end of the text if there is none.
    pub(super) fn next(&mut self, from: usize) -> usize {
        match self {
            Self::Found { search, text, next } => {
                if *next <= from {
                    let hit = search.find(text, from);
                    *next = hit.map_or(text.len(), |hit| hit.at.start);
                }
                *next
            }
            Self::Known {
                places,
                start,
                length,
            } => {
                while places.next_if(|place| **place < *start + from).is_some() {}
                let next = places.peek().map_or(*length, |place| **place - *start);
                next.min(*length)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn what_is_known_is_what_is_found(
            lines in proptest::collection::vec("[a-d ]{0,6}", 0..12),
            before in "([a-d]{0,4}\n){0,3}",
        ) {
            let scanner = Scanner::new(MultiSearch::new(["ab", "c\n", "dd"], false));
            let text: String = lines.iter().flat_map(|line| [line, "\n"]).collect();
            let whole = format!("{before}{text}");
            let scanned = scanner.scan(whole.into_bytes());
            let mut known = scanner.anchors(text.as_bytes(), Some((&scanned, before.len())));
            let mut found = scanner.anchors(text.as_bytes(), None);
            let mut from = 0;
            for line in lines {
                prop_assert_eq!(known.next(from), found.next(from));
                from += line.len() + 1;
            }
        }
    }
}
