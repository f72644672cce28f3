//! Which handler judges the program of a name.

use super::{
    builtins, cloud, containers, database, files, filters, find, forge, git, guard, interpreters,
    network, packages, permissions, printing, shells, system, vcs, wrappers, xargs,
};
use crate::data::Data;
use crate::machine::{Call, Machine};
use crate::names::one_of;

/// What a program does; gives its output.
pub(super) type Handler = fn(&mut Machine<'_>, &Call) -> Data;

/// The names of programs that are judged alike, with a space between them.
pub(super) type Row = (&'static str, Handler);

/// The programs by family. A name stands once.
pub(super) const ROWS: &[&[Row]] = &[
    builtins::ROWS,
    printing::ROWS,
    filters::ROWS,
    files::ROWS,
    git::ROWS,
    vcs::ROWS,
    shells::ROWS,
    find::ROWS,
    xargs::ROWS,
    wrappers::ROWS,
    interpreters::ROWS,
    network::ROWS,
    permissions::ROWS,
    system::ROWS,
    database::ROWS,
    packages::ROWS,
    forge::ROWS,
    guard::ROWS,
];

/// Programs that are told by more than a list of names.
pub(super) const BY_FORM: &[fn(&str) -> Option<Handler>] = &[
    wrappers::by_form,
    interpreters::by_form,
    system::by_form,
    containers::by_form,
    cloud::by_form,
];

fn holds((names, _): &Row, name: &str) -> bool {
    one_of(name, names)
}

/// Does this program only print what it reads or knows?
pub(super) fn prints(program: &str) -> bool {
    let listing = ["ls", "stat", "du", "df", "true", "id", "whoami"];
    listing.contains(&program) || stands_in(&[printing::ROWS, filters::ROWS].concat(), program)
}

/// Does this program do something by itself, rather than to show or to look for a text?
pub(crate) fn starts(program: &str) -> bool {
    let textual = [printing::ROWS, filters::ROWS, system::ROWS].concat();
    !stands_in(&textual, program)
}

/// Does one of these rows hold the name?
pub(crate) fn stands_in(rows: &[Row], name: &str) -> bool {
    rows.iter().any(|row| holds(row, name))
}

/// Who judges the program of this name.
pub(super) fn handler(name: &str) -> Option<Handler> {
    let mut rows = ROWS.iter().copied().flatten();
    let row = rows.find(|row| holds(row, name));
    row.map(|(_, handler)| *handler)
        .or_else(|| BY_FORM.iter().find_map(|by_form| by_form(name)))
}

#[cfg(test)]
mod tests {
    use super::super::{system, wrappers};
    use super::*;

    #[test]
    fn no_program_stands_in_two_rows() {
        fn twice(names: impl Iterator<Item = &'static str>) -> Vec<&'static str> {
            let mut seen = std::collections::BTreeSet::new();
            names.filter(|name| !seen.insert(*name)).collect()
        }
        let in_rows = || {
            let rows = ROWS.iter().copied().flatten();
            rows.flat_map(|(names, _)| names.split(' '))
        };
        let none: Vec<&str> = Vec::new();
        assert_eq!(twice(in_rows()), none);
        let by_form = |name: &&str| BY_FORM.iter().any(|by_form| by_form(name).is_some());
        assert_eq!(in_rows().filter(by_form).collect::<Vec<_>>(), none);
        let administration = system::administration::PROGRAMS.iter();
        let administration = administration.flat_map(|row| row.0.split_whitespace());
        let in_tables = cloud::names().chain(containers::names());
        assert_eq!(twice(in_tables.chain(administration)), none);
        // A wrapper may have a row among those of the cloud: what it does without a command.
        assert_eq!(twice(wrappers::names()), none);
    }
}
