//! SQL given on the command line: what it does to data.

/// What the statements of a text do, the worst counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Sql {
    /// Reads, explains, sets for this session.
    Reads,
    /// Not understood, or changes that a person may want: schema, inserts, roles.
    Changes,
    /// Drops, truncates, deletes or updates.
    Destroys,
}

/// Judges a text of statements. Comments and literals do not count.
pub(super) fn judge(text: &str) -> Sql {
    let text = without_literals(text).to_ascii_lowercase();
    text.split(';')
        .map(str::trim)
        .filter(|statement| !statement.is_empty())
        .map(statement)
        .max()
        .unwrap_or(Sql::Reads)
}

const READING: &[&str] = overnight_base::words!(
    "select show explain describe desc values table pragma analyze use set begin commit rollback \
     end start help checkpoint \\ listen discard fetch with match optional"
);

const DESTROYING: &[&str] =
    overnight_base::words!("drop truncate delete update flush purge detach shutdown kill");

/// Is it a statement that changes data, by its first word and its length? Most texts are none.
pub(super) fn states(text: &str) -> bool {
    let mut words = text.split_whitespace();
    let first = words.next().unwrap_or("").to_ascii_lowercase();
    let changes = [
        "insert", "create", "alter", "replace", "grant", "revoke", "vacuum",
    ];
    (DESTROYING.contains(&first.as_str()) || changes.contains(&first.as_str()))
        && words.nth(1).is_some()
}

/// Functions that write or read the server's files, or run programs there.
const FUNCTIONS: &[&str] = overnight_base::words!(
    "lo_export lo_unlink lo_import pg_read_file pg_write_file dblink_exec pg_rotate_logfile \
     load_file sys_exec sys_eval load_extension writefile"
);

fn statement(statement: &str) -> Sql {
    let words: Vec<&str> = statement
        .split(|c: char| c.is_whitespace() || matches!(c, '(' | ')' | ','))
        .filter(|word| !word.is_empty())
        .collect();
    let first = words.first().copied().unwrap_or("");
    if DESTROYING.contains(&first)
        || (first == "alter" && words.contains(&"drop"))
        || (first == "with"
            && words
                .iter()
                .any(|word| matches!(*word, "delete" | "update")))
        || (first == "explain"
            && words.contains(&"analyze")
            && words.iter().any(|word| DESTROYING.contains(word)))
        || words.iter().any(|word| FUNCTIONS.contains(word))
        || (first == "match" || first == "optional" || first == "call")
            && words
                .iter()
                .any(|word| matches!(*word, "delete" | "detach" | "remove" | "set" | "merge"))
        || (first == "reassign")
        || (first == "merge")
    {
        return Sql::Destroys;
    }
    // Programs run by the server, files written by it.
    if words
        .windows(2)
        .any(|pair| matches!(pair, ["to" | "from", "program"]))
        || words.contains(&"xp_cmdshell")
        || words
            .windows(2)
            .any(|pair| matches!(pair, ["into", "outfile" | "dumpfile"]))
    {
        return Sql::Destroys;
    }
    if first.starts_with('\\') {
        // What runs, reads or writes files of this machine.
        const ACTING: &[&str] = &[
            "\\!", "\\copy", "\\i", "\\ir", "\\o", "\\out", "\\w", "\\write", "\\g", "\\gexec",
        ];
        return if ACTING.contains(&first) {
            Sql::Changes
        } else {
            Sql::Reads
        };
    }
    if READING.contains(&first)
        && !words
            .windows(2)
            .any(|pair| pair == ["select", "pg_terminate_backend"])
    {
        return Sql::Reads;
    }
    Sql::Changes
}

fn without_literals(text: &str) -> String {
    let mut plain = String::new();
    let mut characters = text.chars().peekable();
    while let Some(c) = characters.next() {
        match c {
            '\'' => {
                for c in characters.by_ref() {
                    if c == '\'' {
                        break;
                    }
                }
                plain.push_str("''");
            }
            '-' if characters.peek() == Some(&'-') => {
                for c in characters.by_ref() {
                    if c == '\n' {
                        break;
                    }
                }
            }
            '/' if characters.peek() == Some(&'*') => {
                let mut last = ' ';
                characters.next();
                for c in characters.by_ref() {
                    if last == '*' && c == '/' {
                        break;
                    }
                    last = c;
                }
                plain.push(' ');
            }
            c => plain.push(c),
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::{Sql, judge};

    #[test]
    fn words_in_literals_and_comments_do_not_count() {
        assert_eq!(judge("select 'drop table x' -- drop\n from y"), Sql::Reads);
        assert_eq!(judge("select 1; DROP TABLE x"), Sql::Destroys);
        assert_eq!(judge("/* hi */ delete from users"), Sql::Destroys);
        assert_eq!(judge("insert into x values (1)"), Sql::Changes);
        assert_eq!(judge("with a as (select 1) select * from a"), Sql::Reads);
    }
}
