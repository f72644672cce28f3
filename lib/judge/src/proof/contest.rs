//! Changed tests: the gates pass with what the claim made of them, and fail with dusk's. A person
//! reads both sides and decides.

use super::Standing;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt::Write;

/// Lines of one side of a file that are shown.
const LINES_MAX: usize = 8;
/// Characters of a shown line.
const LINE_CHARS_MAX: usize = 160;
/// Bytes after which no further file is shown: an approval is of what can be read.
const BYTES_MAX: usize = 4_000;

/// A file that decides, as it was and as it is claimed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Changed {
    /// Its path.
    pub path: String,
    /// What identifies its claimed content; empty where it is gone.
    pub content: String,
    /// The lines that dusk's has and the claimed one has not.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub was: Vec<String>,
    /// The lines that the claimed one has and dusk's has not.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub is: Vec<String>,
}

impl Changed {
    /// Of a file's two texts.
    pub fn of(path: &str, content: &str, (before, after): (&str, &str)) -> Self {
        Self {
            path: path.to_owned(),
            content: content.to_owned(),
            was: only_in(before, after),
            is: only_in(after, before),
        }
    }
}

/// The lines of one text that another does not hold, as often as it holds them.
fn only_in(text: &str, other: &str) -> Vec<String> {
    let mut left: BTreeMap<&str, usize> = BTreeMap::new();
    for line in other.lines().map(str::trim) {
        *left.entry(line).or_default() += 1;
    }
    let alone = |line: &&str| match left.get_mut(*line) {
        Some(count @ 1..) => {
            *count -= 1;
            false
        }
        _ => !line.is_empty(),
    };
    let lines = text.lines().map(str::trim).filter(alone);
    let short = |line: &str| line.chars().take(LINE_CHARS_MAX).collect();
    lines.take(LINES_MAX).map(short).collect()
}

/// A claim that everything speaks for but dusk's version of what it changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Contest {
    /// The word for it, once a person says yes.
    pub standing: Standing,
    /// What it changed.
    pub changes: Vec<Changed>,
}

impl Contest {
    /// What a person reads before the answer.
    pub fn text(&self, task: &str, commit: &str) -> String {
        let mut text = format!("count task {task} at {commit} as done, with these tests changed");
        for (shown, changed) in self.changes.iter().enumerate() {
            if text.len() > BYTES_MAX {
                let more = self.changes.len() - shown;
                let _ = write!(text, "\nand {more} more files: git show {commit}");
                break;
            }
            let _ = write!(text, "\n{}", changed.path);
            if changed.content.is_empty() {
                text.push_str(" (removed)");
            }
            for (word, lines) in [("was", &changed.was), ("is", &changed.is)] {
                for line in lines {
                    let _ = write!(text, "\n  {word}: {line}");
                }
            }
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn old_and_new_assertion_stand_side_by_side() {
        let before = "def test():\n    assert f(1) == 2\n    assert g()\n    assert g()\n";
        let after = "def test():\n    assert f(1) == 3\n    assert g()\n";
        let changed = Changed::of("t.py", "b1", (before, after));
        assert_eq!(changed.was, ["assert f(1) == 2", "assert g()"]);
        assert_eq!(changed.is, ["assert f(1) == 3"]);
        let contest = Contest {
            standing: Standing::Proved,
            changes: vec![changed, Changed::of("gone.py", "", ("x\n", ""))],
        };
        assert_eq!(
            contest.text("t", "c1"),
            "count task t at c1 as done, with these tests changed\nt.py\n  was: assert f(1) == 2\n  was: assert g()\n  is: assert f(1) == 3\ngone.py (removed)\n  was: x"
        );
    }
}
