//! Tables that are built in: a row a line, its cells between ` | `, an empty one `-`, the last of words; `#` begins a
//! comment.

/// The rows, each with `N` cells.
pub(crate) fn rows<const N: usize>(text: &'static str) -> impl Iterator<Item = [&'static str; N]> {
    let rows = text.lines().filter(|line| !line.starts_with('#'));
    rows.map(|row| {
        let mut cells = row.split(" | ");
        [(); N].map(|()| cells.next().filter(|cell| *cell != "-").unwrap_or(""))
    })
}

/// The last part of a name as tables of calls have it: of `a.b`, `.b` and `~b` it is `b`.
pub(crate) fn last(name: &str) -> &str {
    name.rsplit('.')
        .next()
        .unwrap_or(name)
        .trim_start_matches('~')
}
