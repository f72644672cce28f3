//! Paths that a text names outside of its project: `/tmp/h.py`, `~/.h`, `$HOME/.h`.

use std::ops::Range;

/// A path longer than this is none.
const BYTES_MAX: usize = 400;
/// What the kernel makes up, and what below is kept as anywhere else.
const VIRTUAL: [&str; 3] = ["/dev", "/proc", "/sys"];
const KEPT: &str = "/dev/shm/";
const HOMES: [&str; 4] = ["~/", "$HOME/", "${HOME}/", "%h/"];

/// A path that a text names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Named {
    /// Where it stands.
    pub at: Range<usize>,
    /// The path from the root.
    pub path: String,
}

/// The paths from the root or from home (`home`) that a text names.
pub fn named(text: &str, home: &str) -> Vec<Named> {
    let mut found: Vec<Named> = Vec::new();
    let starts = text.match_indices('/').map(|(at, _)| at);
    for slash in starts {
        if found.last().is_some_and(|last| slash < last.at.end) {
            continue;
        }
        let up_to = &text[..=slash];
        let of_home = HOMES.iter().find(|word| up_to.ends_with(**word));
        let start = of_home.map_or(slash, |word| slash + 1 - word.len());
        let part =
            |c: char| c.is_alphanumeric() || matches!(c, '.' | '_' | '-' | '/' | '}' | ')' | '~');
        if text[..start].ends_with(part) {
            continue;
        }
        let stops = |c: char| {
            c.is_whitespace() || c.is_control() || "\"'`<>()[]{},;:|&$*?!\\#=".contains(c)
        };
        let rest = &text[slash..];
        let end = slash + rest.find(stops).unwrap_or(rest.len());
        let below = text[slash..end].trim_end_matches(['/', '.']);
        if below.len() < 2 || below.len() > BYTES_MAX || below.starts_with("//") {
            continue;
        }
        let path = if of_home.is_some() {
            format!("{home}{below}")
        } else {
            below.to_owned()
        };
        let made_up = VIRTUAL.iter().any(|folder| {
            path.strip_prefix(folder)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        });
        if !made_up || path.starts_with(KEPT) {
            found.push(Named {
                at: start..slash + below.len(),
                path,
            });
        }
    }
    found
}

/// The text with these paths replaced.
pub fn replaced<'n>(text: &str, by: impl IntoIterator<Item = (&'n Named, String)>) -> String {
    let mut changed = String::with_capacity(text.len());
    let mut from = 0;
    for (named, path) in by {
        changed.push_str(&text[from..named.at.start]);
        changed.push_str(&path);
        from = named.at.end;
    }
    changed.push_str(&text[from..]);
    changed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_from_the_root_and_from_home_are_named_and_replaced() {
        let text = "sys.path.insert(0, \"/tmp/h\"); open(os.path.expanduser('~/.h/x.py'))\n. $HOME/.lib.sh; include!(\"/tmp/c.rs\")\n#include </opt/x.h>";
        let all = named(text, "/h");
        let paths: Vec<&str> = all.iter().map(|named| named.path.as_str()).collect();
        let expected = [
            "/tmp/h",
            "/h/.h/x.py",
            "/h/.lib.sh",
            "/tmp/c.rs",
            "/opt/x.h",
        ];
        assert_eq!(paths, expected);
        let by = all.iter().map(|named| (named, "/e".to_owned()));
        assert_eq!(
            replaced(text, by),
            "sys.path.insert(0, \"/e\"); open(os.path.expanduser('/e'))\n. /e; include!(\"/e\")\n#include </e>"
        );
    }

    #[test]
    fn no_path_is_seen_where_none_is() {
        assert_eq!(named("sh /dev/shm/h.sh > /dev/null", "/h").len(), 1);
        for text in [
            "a / b; a/b; ../x/y; https://example.com/tmp/x; // comment; </div>",
            "/dev/null /proc/self /sys",
            "import a from './b'; x = /re/g",
            "é/ä/",
        ] {
            let paths: Vec<String> = named(text, "/h")
                .into_iter()
                .map(|named| named.path)
                .collect();
            let expected: Vec<&str> = if text.contains("/re/") {
                vec!["/re/g"]
            } else {
                Vec::new()
            };
            let known = paths == expected || text.contains("</div>") && paths == ["/div"];
            assert!(known, "{text}: {paths:?}");
        }
    }
}
