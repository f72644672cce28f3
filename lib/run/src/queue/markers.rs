//! Conflict markers among the lines that a change adds, found by their bytes.
//!
//! `git diff --check` is not asked: it believes attributes that the change itself may set, and
//! takes a heading that is underlined with seven `=` for a marker.

use overnight_base::text::one_line;

/// Bytes that a marker begins with, each seven times and followed by a blank. Never `=`: seven of
/// them alone underline headings.
const MARKS: [u8; 3] = *b"<>|";
/// How often a mark stands in a row.
const TIMES: usize = 7;
/// Characters of a path that are shown.
const PATH_CHARS_MAX: usize = 200;

/// Is the line one that git writes into a file that conflicts?
pub fn is_marker(line: &[u8]) -> bool {
    let Some((run, rest)) = line.split_at_checked(TIMES) else {
        return false;
    };
    MARKS.contains(&run[0]) && run.iter().all(|byte| *byte == run[0]) && rest.first() == Some(&b' ')
}

/// The files in which a change adds markers. `diff` is a unified one without context, with all
/// files as text.
pub fn added(diff: &[u8]) -> Vec<String> {
    let mut files: Vec<String> = Vec::new();
    let mut file = String::new();
    // Lines of the hunk that are still to come: taken away, added.
    let mut left = (0_u64, 0_u64);
    for line in diff.split(|byte| *byte == b'\n') {
        match (line.first(), left) {
            (Some(b'-'), (1.., _)) => left.0 -= 1,
            (Some(b'+'), (_, 1..)) => {
                left.1 -= 1;
                if is_marker(&line[1..]) && files.last() != Some(&file) {
                    files.push(file.clone());
                }
            }
            (Some(b'@'), _) => left = hunk(line).unwrap_or_default(),
            (Some(b'+'), _) if line.starts_with(b"+++ ") => file = path(&line[4..]),
            _ => {}
        }
    }
    files
}

/// How many lines a hunk takes away and adds, by its header `@@ -a,b +c,d @@`.
fn hunk(header: &[u8]) -> Option<(u64, u64)> {
    let text = String::from_utf8_lossy(header);
    let mut words = text.split(' ').skip(1);
    let mut count = |sign: char| -> Option<u64> {
        let range = words.next()?.strip_prefix(sign)?;
        match range.split_once(',') {
            Some((_, count)) => count.parse().ok(),
            None => Some(1),
        }
    };
    Some((count('-')?, count('+')?))
}

fn path(name: &[u8]) -> String {
    let text = String::from_utf8_lossy(name);
    let text = text.trim_end_matches('\t');
    one_line(text.strip_prefix("b/").unwrap_or(text), PATH_CHARS_MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_marker_is_seven_of_its_kind_and_a_blank() {
        for line in [
            "<<<<<<< HEAD",
            ">>>>>>> auto/x\r",
            "||||||| 1234",
            "<<<<<<< ",
        ] {
            assert!(is_marker(line.as_bytes()), "{line}");
        }
        for line in [
            "=======",
            "======= ",
            "<<<<<<<",
            "<<<<<<<< x",
            "<<<<<< x",
            "",
            " <<<<<<< x",
            "<<<<<<>",
        ] {
            assert!(!is_marker(line.as_bytes()), "{line}");
        }
    }

    #[test]
    fn only_added_lines_count_and_only_lines_of_hunks() {
        let diff = b"diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -3,2 +3 @@ <<<<<<< in a heading\n-<<<<<<< gone\n->>>>>>> gone\n+kept\n\
            diff --git a/d b/d\n--- a/d\n+++ b/d e\t\n@@ -0,0 +1,4 @@\n+<<<<<<< ours\n+++ b/not-a-name\n+=======\n+>>>>>>> theirs\n\\ No newline at end of file\n\
            diff --git a/b.bin b/b.bin\n--- a/b.bin\n+++ b/b.bin\n@@ -0,0 +1 @@\n+\xff\x00||||||| x\n";
        assert_eq!(added(diff), ["d e"]);
    }
}
