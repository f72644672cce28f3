//! Which lines hold an anchor, so that a grammar could care about them. Nothing else decides that, so it
//! can be found out ahead of the digest, on another thread.

use crate::needles::Needles;
use memchr::memchr;
use std::sync::Arc;

/// Finds the anchors in text.
#[derive(Debug, Clone)]
pub struct Scanner(Arc<Needles>);

/// The place of the first anchor of each line that holds one.
#[derive(Debug)]
pub struct Scan(Vec<usize>);

/// The anchors ahead in a text, found as they are asked for or known before.
#[derive(Debug)]
pub(super) enum Anchors<'t> {
    Found {
        needles: &'t Needles,
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
    pub(super) fn new(needles: Needles) -> Self {
        Self(Arc::new(needles))
    }

    /// Looks a text through.
    pub fn scan(&self, text: &[u8]) -> Scan {
        let (mut places, mut from) = (Vec::new(), 0);
        while let Some(hit) = self.0.find(text, from) {
            places.push(hit.at.start);
            let Some(end) = memchr(b'\n', &text[hit.at.start..]) else {
                break;
            };
            from = hit.at.start + end + 1;
        }
        Scan(places)
    }

    /// The anchors of whole lines, which may stand there in a text that was looked through.
    pub(super) fn anchors<'t>(
        &'t self,
        text: &'t [u8],
        scan: Option<(&'t Scan, usize)>,
    ) -> Anchors<'t> {
        match scan {
            None => Anchors::Found {
                needles: &self.0,
                text,
                next: 0,
            },
            Some((scan, start)) => Anchors::Known {
                places: scan.0.iter().peekable(),
                start,
                length: text.len(),
            },
        }
    }
}

impl Anchors<'_> {
    /// The place of the first anchor from the beginning of this line on, which is never asked for one
    /// before; the end of the text if there is none.
    pub(super) fn next(&mut self, from: usize) -> usize {
        match self {
            Self::Found {
                needles,
                text,
                next,
            } => {
                if *next <= from {
                    let hit = needles.find(text, from);
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
            let scanner = Scanner::new(Needles::new(["ab", "c\n", "dd"], false));
            let text: String = lines.iter().flat_map(|line| [line, "\n"]).collect();
            let whole = format!("{before}{text}");
            let scan = scanner.scan(whole.as_bytes());
            let mut known = scanner.anchors(text.as_bytes(), Some((&scan, before.len())));
            let mut found = scanner.anchors(text.as_bytes(), None);
            let mut from = 0;
            for line in lines {
                prop_assert_eq!(known.next(from), found.next(from));
                from += line.len() + 1;
            }
        }
    }
}
