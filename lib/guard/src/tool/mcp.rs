//! Tools of MCP servers, known by nothing but their name: a reading verb is let through, anything
//! else waits for a person.

use super::{Event, Grounds, area, web};
use crate::secret;
use overnight_shell::{Context, Verdict};

/// Verbs that only look.
const READS: &[&str] = overnight_base::words!(
    "get list read search find fetch describe show view lookup resolve count check inspect status \
     info query browse explain think diff log preview validate analyze overview symbols \
     references docs help version ping stat tree outline"
);
/// Words that change something, wherever they stand in the name.
const WRITES: &[&str] = overnight_base::words!(
    "create write update delete remove insert put post send push merge close set add edit modify \
     replace rename move copy upload execute exec run call invoke deploy publish apply drop \
     truncate kill stop start restart install uninstall enable disable grant revoke approve \
     comment reply assign transfer fork commit click type fill press drag select evaluate \
     navigate submit save import cancel archive reset clear purge trigger dispatch schedule share \
     invite pay buy order patch upsert sync mutate onboarding shell command eval sql script"
);
/// Words of SQL that change data.
const SQL_WRITES: &[&str] = &[
    "insert", "update", "delete", "drop", "alter", "create", "truncate", "grant", "revoke",
    "merge", "replace", "copy", "call", "do", "exec", "execute", "vacuum", "attach", "into",
    "pragma", "load", "set",
];
/// Keys under which tools of file servers name paths.
const PATHS: &[&str] = overnight_base::words!(
    "path file file_path filepath filename relative_path source destination target uri from to"
);

pub(super) fn is_one(tool: &str) -> bool {
    tool.starts_with("mcp__")
}

pub(super) fn judge(event: &Event, context: &Context<'_>, grounds: &Grounds) -> Verdict {
    let name = event.tool.rsplit("__").next().unwrap_or_default();
    let words = words(name);
    let writes = words.iter().any(|word| WRITES.contains(&word.as_str()));
    let reads = words.iter().any(|word| READS.contains(&word.as_str()));
    if let Some(kind) = secret::kind(&event.input.all_text()) {
        return web::leak(&kind);
    }
    let by_path = event
        .input
        .texts()
        .filter(|(key, _)| PATHS.contains(&key.to_ascii_lowercase().as_str()))
        .map(|(_, path)| path.strip_prefix("file://").unwrap_or(path))
        .filter(|path| !path.is_empty() && !path.contains("://"))
        .map(|path| {
            if reads && !writes {
                area::read(path, context, grounds)
            } else {
                area::write(path, context, grounds)
            }
        })
        .fold(Verdict::allow(), Verdict::worse);
    let by_name = if writes || !reads {
        Verdict::ask(
            "mcp-write",
            &format!(
                "the tool {} may change something outside the repository",
                event.tool
            ),
        )
    } else if changes_data(event) {
        Verdict::ask("mcp-write", "the query may change data")
    } else {
        Verdict::allow()
    };
    by_path.worse(by_name)
}

/// The words of a tool's name, from `snake_case`, `kebab-case` or `camelCase`.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut lower = false;
    for c in name.chars() {
        if !c.is_alphanumeric() || c.is_uppercase() && lower {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut().filter(|_| c.is_alphanumeric()) {
            word.extend(c.to_lowercase());
        }
        lower = c.is_lowercase();
    }
    words.retain(|word| !word.is_empty());
    words
}

/// Does a text that may be SQL or GraphQL hold a word that changes data?
fn changes_data(event: &Event) -> bool {
    let texts = ["sql", "query", "statement", "q"];
    let mut queries = texts.iter().filter_map(|key| event.input.text(key));
    queries.any(|text| {
        let mut words = text
            .split(|c: char| !c.is_alphanumeric() && c != '_')
            .filter(|word| !word.is_empty());
        let starts_sql = |word: &str| {
            ["select", "with", "explain", "show", "values"]
                .iter()
                .any(|sql| word.eq_ignore_ascii_case(sql))
        };
        let first = words.next().unwrap_or_default();
        let writes = |word: &str| SQL_WRITES.iter().any(|sql| word.eq_ignore_ascii_case(sql));
        let sql_like = text.contains(';') || starts_sql(first);
        writes(first) && text.split_whitespace().count() > 2
            || first.eq_ignore_ascii_case("mutation")
            || sql_like && words.any(writes)
    })
}
