//! What expressions give: one table for all languages.

use crate::table;
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// What an expression gives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Gives {
    /// The home folder.
    Home,
    /// What it is given.
    Same,
    /// Its arguments as one path.
    Joined,
    /// What a pattern finds.
    Found,
    /// What is in a folder.
    Below,
    /// A text whose gaps are filled by what follows it.
    Filled,
    /// The words of a text.
    Words,
    /// A variable of the environment.
    Variable,
    /// A temporary file or folder of its own.
    Own,
    /// The folder of temporary files.
    Temporary,
    /// The working folder.
    Here,
    /// The program that runs the code.
    Itself,
}

/// What expressions give, and their names.
const VALUES: &[[&str; 2]] = table::rows!("../../../tables/gives.txt");

impl Gives {
    fn by_name(name: &str) -> Option<Self> {
        Some(match name {
            "home" => Self::Home,
            "same" => Self::Same,
            "joined" => Self::Joined,
            "found" => Self::Found,
            "below" => Self::Below,
            "filled" => Self::Filled,
            "itself" => Self::Itself,
            "words" => Self::Words,
            "variable" => Self::Variable,
            "own" => Self::Own,
            "temporary" => Self::Temporary,
            "here" => Self::Here,
            _ => return None,
        })
    }
}

/// By the last part of their names, in their order.
static NAMED: LazyLock<BTreeMap<&'static str, Vec<(&'static str, Gives)>>> = LazyLock::new(|| {
    let mut named: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for [what, names] in VALUES {
        for name in names.split(' ') {
            let last = table::last(name);
            named
                .entry(last)
                .or_default()
                .extend(Gives::by_name(what).map(|gives| (name, gives)));
        }
    }
    named
});

/// What an expression of this name gives.
pub(super) fn gives(name: &str) -> Option<Gives> {
    let fits = |listed: &str| {
        let bare = listed.trim_start_matches('~');
        let member =
            |before: &str| before.ends_with('.') && bare.contains('.') && !bare.starts_with('.');
        name == listed || listed != bare || name.strip_suffix(bare).is_some_and(member)
    };
    let listed = NAMED.get(name.rsplit('.').next()?)?;
    Some(listed.iter().find(|(listed, _)| fits(listed))?.1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_row_says_what_its_names_give() {
        for row @ [what, names] in VALUES {
            assert!(
                Gives::by_name(what).is_some() && !names.is_empty(),
                "{row:?}"
            );
        }
    }
}
