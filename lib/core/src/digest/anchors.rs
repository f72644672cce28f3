//! The prefilter: which lines hold a piece of text that some grammar could care about.

use aho_corasick::packed::{Config, MatchKind, Searcher};
use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind as AnyKind};

/// The most anchors that the vectorised search is faster with (Teddy's own limit).
const PACKED_MAX: usize = 64;

/// All anchors of all grammars, searched at once.
#[derive(Debug)]
pub(super) struct Anchors {
    search: Search,
}

#[derive(Debug)]
enum Search {
    /// Vectorised; only for a limited number of anchors, on processors that can.
    Packed(Searcher),
    Automaton(AhoCorasick),
    /// No search could be built: every line is looked at.
    All,
}

impl Anchors {
    pub(super) fn new(anchors: &[&str]) -> Self {
        let packed = Config::new()
            .match_kind(MatchKind::LeftmostFirst)
            .builder()
            .extend(anchors)
            .build();
        let search = match packed {
            Some(searcher) if anchors.len() <= PACKED_MAX => Search::Packed(searcher),
            _ => AhoCorasick::builder()
                .match_kind(AnyKind::LeftmostFirst)
                .kind(Some(AhoCorasickKind::DFA))
                .build(anchors)
                .map_or(Search::All, Search::Automaton),
        };
        Self { search }
    }

    pub(super) fn scan<'a>(&'a self, hay: &'a [u8]) -> Scan<'a> {
        let mut scan = Scan {
            anchors: self,
            hay,
            next: None,
        };
        scan.next = scan.find(0);
        scan
    }
}

/// A walk over the anchors of one chunk.
pub(super) struct Scan<'a> {
    anchors: &'a Anchors,
    hay: &'a [u8],
    next: Option<usize>,
}

impl Scan<'_> {
    /// Whether an anchor starts in `from..end`. Asked in ascending order.
    pub(super) fn hits(&mut self, from: usize, end: usize) -> bool {
        while let Some(at) = self.next {
            if at >= end {
                return false;
            }
            if at >= from {
                self.next = self.find(end);
                return true;
            }
            self.next = self.find(from);
        }
        false
    }

    fn find(&self, from: usize) -> Option<usize> {
        if from >= self.hay.len() {
            return None;
        }
        match &self.anchors.search {
            Search::Packed(searcher) => searcher
                .find_in(self.hay, (from..self.hay.len()).into())
                .map(|found| found.start()),
            Search::Automaton(automaton) => automaton
                .find(aho_corasick::Input::new(self.hay).range(from..))
                .map(|found| found.start()),
            Search::All => Some(from),
        }
    }
}
