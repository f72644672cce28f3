//! Which handler judges the program of a name.

use super::{
    builtins, cloud, containers, database, files, filters, find, forge, git, guard, interpreters,
    network, packages, permissions, printing, shells, system, vcs, wrappers, xargs,
};
use crate::data::Data;
use crate::machine::{Call, Machine};

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
    names.split(' ').any(|known| known == name)
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
