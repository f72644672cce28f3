//! What expressions give: one table for all languages.

use crate::table;

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
const VALUES: &str = include_str!("../../../tables/gives.txt");

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

/// What an expression of this name gives.
pub(super) fn gives(name: &str) -> Option<Gives> {
    let fits = |listed: &str| {
        let bare = listed.trim_start_matches('~');
        name == listed
            || name.strip_suffix(bare).is_some_and(|before| {
                before.ends_with('.') && bare.contains('.') && !bare.starts_with('.')
            })
            || listed != bare && name.rsplit('.').next() == Some(bare)
    };
    let mut rows = table::rows(VALUES);
    rows.find_map(|[what, names]| Gives::by_name(what).filter(|_| names.split(' ').any(fits)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_row_says_what_its_names_give() {
        for row @ [what, names] in table::rows(VALUES) {
            assert!(
                Gives::by_name(what).is_some() && !names.is_empty(),
                "{row:?}"
            );
        }
    }
}
