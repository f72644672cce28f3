//! What gives away that a line may mean something to a grammar: mostly nobody is asked about a line
//! that holds nothing of theirs.

use super::super::index::{Index, Words};
use super::{AFTER, BEFORE, INDEX, OWN_MAX, Set, tables};
use std::borrow::Cow;
use std::sync::LazyLock;

/// What a line must hold to mean anything to a grammar that is not open. With none of it, the grammar
/// would neither take the line nor come to another state by it.
#[derive(Debug, Clone, Copy)]
pub(super) enum Cues {
    /// One of these words, or one of these characters as its first behind blanks.
    Any(&'static [&'static str], &'static str),
    /// The same, and while the grammar is awake anything.
    AnyAsleep(&'static [&'static str]),
    /// Nothing.
    None,
}

/// The words that the grammars of this module look for.
pub(super) fn words() -> impl Iterator<Item = &'static str> {
    let coded = BEFORE.iter().chain(AFTER);
    coded.flat_map(|(_, cues)| match cues {
        Cues::Any(words, _) | Cues::AnyAsleep(words) => words.iter().copied(),
        Cues::None => [].iter().copied(),
    })
}

/// The grammars that a line must be shown to, besides those that are open.
#[derive(Debug, Clone)]
pub(in super::super) struct Wakes {
    /// In any state.
    asleep: Listeners,
    /// Only while they are awake: a table whose tool is known, or whoever has read a heading.
    awake: Listeners,
    /// In any state, by the first character of the line.
    by_first: Vec<Set>,
    /// Those that are asked first when they took the last line.
    eager: Set,
}

/// Who listens to what.
#[derive(Debug, Clone)]
struct Listeners {
    by_word: Vec<Set>,
    always: Set,
}

impl Listeners {
    fn new(index: &Index) -> Self {
        Self {
            by_word: vec![Set::default(); index.len()],
            always: Set::default(),
        }
    }

    fn word(&mut self, number: usize, word: &str, index: &Index) {
        match index.word(word).0 {
            Some(word) => self.by_word[word].put(number, true),
            None => self.always.put(number, true),
        }
    }
}

/// For the grammars of [`all`](super::all) where nobody has grammars of their own.
static WAKES: LazyLock<Wakes> = LazyLock::new(|| Wakes::new(0, &INDEX));

impl Wakes {
    /// For the grammars of [`all`](super::all) with so many of a person's own.
    pub(in super::super) fn shared(own: usize) -> Cow<'static, Self> {
        match own {
            0 => Cow::Borrowed(&WAKES),
            own => Cow::Owned(Self::new(own, &INDEX)),
        }
    }

    fn new(own: usize, index: &Index) -> Self {
        let own = own.min(OWN_MAX);
        let mut wakes = Self {
            asleep: Listeners::new(index),
            awake: Listeners::new(index),
            by_first: vec![Set::default(); 128],
            eager: Set::default(),
        };
        for number in 0..own {
            wakes.asleep.always.put(number, true);
            wakes.eager.put(number, true);
        }
        let tabled = own + BEFORE.len();
        let behind = tabled + tables::TABLES.len();
        for (number, (_, cues)) in (own..).zip(BEFORE).chain((behind..).zip(AFTER)) {
            wakes.eager.put(number, true);
            wakes.enter(number, *cues, index);
        }
        for (table, number) in tables::TABLES.iter().zip(tabled..) {
            for word in table.first_words().filter(|word| !word.is_empty()) {
                wakes.asleep.word(number, word, index);
            }
            for word in table.words().filter(|word| !word.is_empty()) {
                wakes.awake.word(number, word, index);
                if index.word(word).0.is_none() {
                    wakes.eager.put(number, true);
                }
            }
        }
        wakes
    }

    /// From now on every grammar wants every line.
    #[cfg(test)]
    pub(in super::super) fn ask_all(&mut self) {
        (0..Set::MAX).for_each(|number| self.asleep.always.put(number, true));
    }

    fn enter(&mut self, number: usize, cues: Cues, index: &Index) {
        let (words, starts) = match cues {
            Cues::Any(words, starts) => (words, starts),
            Cues::AnyAsleep(words) => {
                self.awake.always.put(number, true);
                (words, "")
            }
            Cues::None => {
                self.asleep.always.put(number, true);
                return;
            }
        };
        for word in words {
            self.asleep.word(number, word, index);
        }
        for first in starts.bytes() {
            if let Some(listeners) = self.by_first.get_mut(usize::from(first)) {
                listeners.put(number, true);
            }
        }
    }

    /// Whether this grammar is asked first when it took the last line, whatever words this one holds.
    pub(in super::super) fn is_eager(&self, number: usize) -> bool {
        self.eager.has(number)
    }

    /// The grammars to ask about a line; some are open, and some awake.
    pub(in super::super) fn of(&self, text: &str, words: &Words<'_>, open: Set, awake: Set) -> Set {
        let (mut set, mut awoken) = (self.asleep.always, self.awake.always);
        let first = text.trim_start().bytes().next();
        if let Some(listeners) = first.and_then(|first| self.by_first.get(usize::from(first))) {
            set.merge(listeners);
        }
        words.each(|word| {
            set.merge(&self.asleep.by_word[word]);
            awoken.merge(&self.awake.by_word[word]);
        });
        awoken.keep(&awake);
        set.merge(&awoken);
        set.merge(&open);
        set
    }
}
