//! Tables that are built in: a row a line, its cells between ` | `, an empty one `-`, the last of words; `#` begins a
//! comment. The compiler reads them: a hook looks most of them through for each program.

/// The rows of the table in this file, each an array of its cells.
macro_rules! rows {
    ($file:literal) => {{
        const TEXT: &str = include_str!($file);
        const { &$crate::table::parse::<_, { $crate::table::count(TEXT) }>(TEXT) }
    }};
}
pub(crate) use rows;

/// How many rows there are.
pub(crate) const fn count(text: &'static str) -> usize {
    let (mut rest, mut rows) = (text, 0);
    while !rest.is_empty() {
        let (line, after) = cut(rest, "\n");
        rest = after;
        rows += !stands_at(line, 0, "#") as usize;
    }
    rows
}

/// The rows, each with `N` cells.
pub(crate) const fn parse<const N: usize, const ROWS: usize>(
    text: &'static str,
) -> [[&'static str; N]; ROWS] {
    let mut rows = [[""; N]; ROWS];
    let (mut rest, mut row) = (text, 0);
    while row < ROWS {
        let (line, after) = cut(rest, "\n");
        rest = after;
        if stands_at(line, 0, "#") {
            continue;
        }
        let (mut cells, mut cell) = (line, 0);
        while cell < N {
            let (one, others) = cut(cells, " | ");
            cells = others;
            if one.len() != 1 || !stands_at(one, 0, "-") {
                rows[row][cell] = one;
            }
            cell += 1;
        }
        row += 1;
    }
    rows
}

/// What stands before the first `mark`, and what behind it.
const fn cut(text: &'static str, mark: &str) -> (&'static str, &'static str) {
    let mut at = 0;
    while at < text.len() {
        if stands_at(text, at, mark) {
            let (before, others) = text.split_at(at);
            return (before, others.split_at(mark.len()).1);
        }
        at += 1;
    }
    (text, "")
}

const fn stands_at(text: &str, at: usize, mark: &str) -> bool {
    let (text, mark) = (text.as_bytes(), mark.as_bytes());
    let mut byte = 0;
    while byte < mark.len() {
        if at + byte >= text.len() || text[at + byte] != mark[byte] {
            return false;
        }
        byte += 1;
    }
    true
}

/// The last part of a name as tables of calls have it: of `a.b`, `.b` and `~b` it is `b`.
pub(crate) fn last(name: &str) -> &str {
    name.rsplit('.')
        .next()
        .unwrap_or(name)
        .trim_start_matches('~')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_is_read_row_by_row() {
        const TEXT: &str = "# about\na | b c | -\n# more\nd | - | e | f\n";
        let rows: &[[&str; 3]] = &parse::<_, { count(TEXT) }>(TEXT);
        assert_eq!(rows, [["a", "b c", ""], ["d", "", "e"]]);
    }
}
