//! Texts of SQL: what defines a database is worked on, what fills or asks one is what it is judged by.

/// Statements that define, and what stands around them.
const DEFINING: [&str; 14] = [
    "create", "alter", "drop", "pragma", "comment", "grant", "revoke", "set", "begin", "commit",
    "start", "end", "use", "analyze",
];

/// Does it define tables, views and the like, and nothing else?
pub(super) fn defines(text: &str) -> bool {
    let plain = without_comments(text).to_ascii_lowercase();
    let mut made = false;
    // Between these stands what is run later.
    let mut body = false;
    for statement in plain.split(';') {
        let words: Vec<&str> = statement.split_whitespace().collect();
        let Some(first) = words.first() else { continue };
        if body {
            body = !(*first == "end" || statement.matches("$$").count() % 2 == 1);
            continue;
        }
        if !DEFINING.contains(first) || words.iter().take(4).any(|word| word.starts_with("temp")) {
            return false;
        }
        made |= matches!(*first, "create" | "alter");
        let routine = words
            .iter()
            .take(6)
            .any(|word| matches!(*word, "trigger" | "function" | "procedure"));
        body = routine
            && *first == "create"
            && (words.contains(&"begin") || statement.matches("$$").count() % 2 == 1);
    }
    made
}

fn without_comments(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    for (at, part) in text.split("/*").enumerate() {
        let part = if at == 0 {
            part
        } else {
            part.split_once("*/").map_or("", |(_, rest)| rest)
        };
        plain.push_str(part);
    }
    let lines = plain.lines();
    let lines: Vec<&str> = lines
        .map(|line| line.split_once("--").map_or(line, |(code, _)| code))
        .collect();
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_runs_later_belongs_to_what_is_defined() {
        let trigger = "CREATE TRIGGER t AFTER INSERT ON a BEGIN\n UPDATE a SET n = 1;\n DELETE FROM b;\nEND;\nCREATE TABLE c (n);\n";
        assert!(defines(trigger));
        assert!(defines(
            "create function f() returns int as $$ begin select 1; end $$ language x;"
        ));
        assert!(!defines(&format!("{trigger}SELECT 1;")));
        assert!(!defines("CREATE TEMPORARY TABLE x (n);") && !defines("PRAGMA a;") && !defines(""));
    }
}
