//! What calls do: one table for all languages.

use super::languages::{self, Language};
use crate::table;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// What a call does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Act {
    /// Starts the program that it is given.
    Starts,
    /// Does what this command does with the paths that it is given.
    Does(&'static str),
    /// Writes the path that it is given first.
    Writes,
    /// Changes the path that it is given first.
    Changes,
    /// Opens the path that it is given first, to read or to write.
    Opens,
    /// Runs text as code of its own language.
    Evaluates,
    /// Starts the process once more.
    Forks,
    /// Goes to the folder that it is given first.
    Goes,
    /// Connects to a database as this client would.
    Connects(&'static str),
    /// Reaches the network.
    Sends,
    /// Speaks to a service of others, whatever its address.
    Serves,
    /// Prints.
    Says,
    /// Can do anything, and nobody follows it.
    Hides,
}

use Act::{
    Changes, Connects, Does, Evaluates, Forks, Goes, Hides, Opens, Says, Sends, Serves, Starts,
    Writes,
};

/// Families of languages, what their calls do, and the calls.
const CALLS: &[[&str; 3]] = table::rows!("../../../tables/calls.txt");

impl Act {
    /// By the word of the table, with what goes with it.
    fn by_name(name: &'static str) -> Option<Self> {
        let (word, of) = name.split_once(' ').unwrap_or((name, ""));
        Some(match word {
            "starts" => Starts,
            "does" => Does(of),
            "writes" => Writes,
            "changes" => Changes,
            "opens" => Opens,
            "evaluates" => Evaluates,
            "forks" => Forks,
            "goes" => Goes,
            "connects" => Connects(of),
            "sends" => Sends,
            "serves" => Serves,
            "says" => Says,
            "hides" => Hides,
            _ => return None,
        })
    }
}

/// The calls of one language.
pub(super) struct Calls {
    /// By the last part of their names.
    named: BTreeMap<&'static str, Vec<(&'static str, Act)>>,
    /// That part by its letters alone, where a language is compiled: `remove_all`, `RemoveAll`.
    folded: BTreeMap<String, &'static str>,
    /// What they are members of, but for those that only print, send or open.
    modules: BTreeSet<&'static str>,
}

thread_local! {
    /// Those that were asked for, by families.
    static KNOWN: RefCell<BTreeMap<&'static str, Rc<Calls>>> = const { RefCell::new(BTreeMap::new()) };
}

fn fold(name: &str) -> String {
    name.replace('_', "").to_ascii_lowercase()
}

impl Calls {
    pub(super) fn of(language: &Language) -> Rc<Self> {
        let family = language.family;
        KNOWN.with_borrow_mut(|known| {
            Rc::clone(
                known
                    .entry(family)
                    .or_insert_with(|| Rc::new(Self::read(family))),
            )
        })
    }

    fn read(family: &str) -> Self {
        let (mut named, mut modules) = (BTreeMap::<_, Vec<_>>::new(), BTreeSet::new());
        for [families, act, names] in CALLS {
            let mut families = families.split(' ');
            let Some(act) = Act::by_name(act) else {
                continue;
            };
            if !families.any(|one| one == "all" || one == family) {
                continue;
            }
            for name in names.split(' ') {
                let last = table::last(name);
                named.entry(last).or_default().push((name, act));
                if !matches!(act, Says | Sends | Opens) {
                    modules.extend(name.match_indices('.').map(|(at, _)| &name[..at]));
                }
            }
        }
        let acts = |(listed, act): &(&str, Act)| matches!(act, Does(_)) && !listed.starts_with('.');
        let foldable = named
            .iter()
            .rev()
            .filter(|(_, calls)| family == "compiled" && calls.iter().all(acts));
        let folded = foldable.map(|(last, _)| (fold(last), *last)).collect();
        Self {
            named,
            folded,
            modules,
        }
    }

    /// What a call of this name does, and whether it acts on what it is a member of.
    pub(super) fn act(&self, name: &str) -> Option<(Act, bool)> {
        let last = name.rsplit('.').next()?;
        if let Some(family) = languages::family(last) {
            let before = &name[..name.len() - last.len()];
            return self.act(&format!("{before}{family}"));
        }
        let fits = |listed: &str| match listed.as_bytes().first() {
            Some(b'~') => true,
            Some(b'.') => name.contains('.'),
            _ => name.strip_suffix(listed).is_some_and(|before| {
                before.is_empty() || listed.contains('.') && before.ends_with('.')
            }),
        };
        let folded = || self.named.get(self.folded.get(&fold(last))?);
        let listed = self.named.get(last).or_else(folded)?;
        // Of two that fit, the one that names more of it.
        let (listed, act) = listed
            .iter()
            .filter(|(listed, _)| fits(listed))
            .max_by_key(|(listed, _)| listed.len() - usize::from(listed.starts_with(['.', '~'])))?;
        Some((*act, listed.starts_with('.')))
    }

    /// The calls of a module, with their own names.
    pub(super) fn of_module(&self, module: &str) -> Vec<(String, String)> {
        let listed = self.named.values().flatten().filter_map(|(listed, _)| {
            let member = listed.strip_prefix(module)?.strip_prefix('.')?;
            Some((member.to_owned(), (*listed).to_owned()))
        });
        listed.collect()
    }

    /// Is it a module of such calls?
    pub(super) fn is_module(&self, name: &str) -> bool {
        self.modules.contains(name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_row_says_what_its_calls_do() {
        for row @ [_, act, names] in CALLS {
            assert!(Act::by_name(act).is_some() && !names.is_empty(), "{row:?}");
        }
    }
}
