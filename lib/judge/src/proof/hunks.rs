//! How much of a change is proved: its hunks, each of which can be taken back alone.

use super::protect::ending;

/// Hunks of one file beyond which those of one function go together.
const APART_MAX: usize = 6;
/// What no gate needs to notice.
const NO_CODE: [&str; 8] = ["md", "rst", "txt", "adoc", "lock", "svg", "png", "css"];

/// A part of a change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hunk {
    /// The file.
    pub path: String,
    /// The function that it stands in, where git tells.
    pub function: String,
    /// Its pieces from the top: the line and number of lines in the claimed file, and what stood there.
    pieces: Vec<(usize, usize, Vec<String>)>,
}

impl Hunk {
    /// Its place, for people: `src/a.py:12 (def f)`.
    pub fn place(&self) -> String {
        let line = self.pieces.first().map_or(1, |piece| piece.0.max(1));
        let function = if self.function.is_empty() {
            String::new()
        } else {
            format!(" ({})", self.function)
        };
        format!("{}:{line}{function}", self.path)
    }

    /// The claimed text without it.
    pub fn taken_back(&self, text: &str) -> String {
        let lines: Vec<&str> = text.split_inclusive('\n').collect();
        let mut changed = String::with_capacity(text.len());
        let mut from = 0;
        for (line, count, old) in &self.pieces {
            // Where nothing was added, git names the line before.
            let start = if *count == 0 {
                *line
            } else {
                line.saturating_sub(1)
            };
            let start = start.clamp(from, lines.len());
            changed.extend(lines[from..start].iter().copied());
            for line in old {
                changed.push_str(line);
                changed.push('\n');
            }
            from = (start + count).min(lines.len());
        }
        changed.extend(lines[from..].iter().copied());
        changed
    }
}

/// The hunks of one file, from git's difference without context (`-U0`).
pub fn of(path: &str, difference: &str) -> Vec<Hunk> {
    if NO_CODE.contains(&ending(path)) {
        return Vec::new();
    }
    let mut found: Vec<Hunk> = Vec::new();
    let mut says = false;
    for line in difference.lines() {
        if let Some((piece, function)) = line.strip_prefix("@@ ").and_then(head) {
            found.push(Hunk {
                path: path.to_owned(),
                function,
                pieces: vec![(piece.0, piece.1, Vec::new())],
            });
            says = true;
        } else if let Some(old) = line.strip_prefix('-').filter(|_| says)
            && let Some(hunk) = found.last_mut()
        {
            hunk.pieces[0].2.push(old.to_owned());
        }
    }
    let empty = blank(difference);
    let mut at = 0;
    found.retain(|_| {
        at += 1;
        !empty.get(at - 1).copied().unwrap_or(false)
    });
    if found.len() > APART_MAX {
        together(found)
    } else {
        found
    }
}

/// Line and number of lines in the claimed file, and the function: `-3,2 +4 @@ def f():`.
fn head(text: &str) -> Option<((usize, usize), String)> {
    let (ranges, function) = text.split_once(" @@")?;
    let new = ranges.split_once(" +")?.1;
    let (line, count) = new.split_once(',').unwrap_or((new, "1"));
    let piece = (line.parse().ok()?, count.parse().ok()?);
    Some((piece, function.trim().chars().take(60).collect()))
}

/// Of each hunk, whether all that it changes is blank or a comment.
fn blank(difference: &str) -> Vec<bool> {
    let mut found = Vec::new();
    for line in difference.lines() {
        if line.starts_with("@@ ") {
            found.push(true);
        } else if let Some(last) = found.last_mut()
            && let Some(text) = line.strip_prefix(['+', '-'])
        {
            let text = text.trim();
            let comment = ["//", "#", "/*", "* ", "--", "\"\"\""]
                .iter()
                .any(|sign| text.starts_with(sign));
            *last &= text.is_empty()
                || (comment && !text.starts_with("#[") && !text.starts_with("#include"));
        }
    }
    found
}

/// Neighbours in one function as one.
fn together(hunks: Vec<Hunk>) -> Vec<Hunk> {
    let mut found: Vec<Hunk> = Vec::new();
    for hunk in hunks {
        match found.last_mut() {
            Some(last) if last.function == hunk.function => last.pieces.extend(hunk.pieces),
            _ => found.push(hunk),
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    const DIFFERENCE: &str = "diff --git a/a.py b/a.py\n--- a/a.py\n+++ b/a.py\n@@ -2 +2,2 @@ def f():\n-    return 1\n+    x = 2\n+    return x\n@@ -5,0 +7 @@ def g():\n+    # why\n@@ -8 +9,0 @@ def h():\n-    gone()\n";

    #[test]
    fn each_hunk_is_taken_back_alone_and_comments_are_none() {
        let before = "def f():\n    return 1\n\ndef g():\n    pass\n\ndef h():\n    gone()\n";
        let after =
            "def f():\n    x = 2\n    return x\n\ndef g():\n    pass\n    # why\n\ndef h():\n";
        let hunks = of("a.py", DIFFERENCE);
        let places: Vec<String> = hunks.iter().map(Hunk::place).collect();
        assert_eq!(places, ["a.py:2 (def f():)", "a.py:9 (def h():)"]);
        let first = hunks[0].taken_back(after);
        assert!(first.starts_with("def f():\n    return 1\n\n"), "{first}");
        assert!(first.ends_with("# why\n\ndef h():\n"));
        let second = hunks[1].taken_back(after);
        assert_eq!(second, format!("{after}    gone()\n"));
        let both = hunks[1].taken_back(&first).replace("    # why\n", "");
        assert_eq!(both.trim_end(), before.trim_end());
        assert_eq!(of("README.md", DIFFERENCE), []);
    }

    #[test]
    fn many_hunks_go_together_by_function() {
        let hunks: String = (1..=8)
            .map(|line| format!("@@ -{line} +{line} @@ fn f{}\n-a\n+b\n", line / 5))
            .collect::<Vec<_>>()
            .concat();
        let found = of("a.rs", &hunks);
        assert_eq!(found.len(), 2);
        assert_eq!(found[0].taken_back("b\nb\nb\nb\nb\n"), "a\na\na\na\nb\n");
    }
}
