//! A plan file: a Markdown check list.

use serde::{Deserialize, Serialize};

/// Where a plan file is looked for, from the top of the work tree, the first that is there
/// (ralph-claude-code, its newer and its older place).
pub const PLACES: [&str; 3] = [".ralph/fix_plan.md", "@fix_plan.md", "fix_plan.md"];
/// A longer file is no plan.
pub const BYTES_MAX: u64 = 1 << 20;

/// Headings under which open entries do not block.
const OPTIONAL: &[&str] = &[
    "optional",
    "nice to have",
    "nice-to-have",
    "later",
    "future",
    "backlog",
    "stretch",
    "someday",
    "out of scope",
    "wishlist",
    "icebox",
    "maybe",
    "not now",
    "deferred",
    "won't do",
    "wont do",
    "任意",
];

/// How many entries are ticked and open, optional ones left out.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Plan {
    /// Ticked entries.
    pub done: u64,
    /// Open entries.
    pub open: u64,
}

impl Plan {
    /// Is every entry ticked, and is there one at all?
    pub fn complete(self) -> bool {
        self.done > 0 && self.open == 0
    }
}

/// Reads the plan. Code blocks, comments, quotes and struck-out entries are no entries; `[-]`
/// means dropped; headings called optional (and those below them) do not count.
pub fn read(text: &str) -> Plan {
    let mut plan = Plan::default();
    let mut fence: Option<&str> = None;
    let mut comment = false;
    let mut optional: Option<usize> = None;
    for raw in text.lines() {
        let line = raw.trim();
        if let Some(mark) = fence {
            if line.starts_with(mark) && line.trim_matches(['`', '~']).is_empty() {
                fence = None;
            }
            continue;
        }
        if comment {
            comment = !line.contains("-->");
            continue;
        }
        if let Some(mark) = ["```", "~~~"]
            .into_iter()
            .find(|mark| line.starts_with(mark))
        {
            fence = Some(mark);
        } else if line.starts_with("<!--") {
            comment = !line.contains("-->");
        } else if let Some(depth) = heading(line) {
            if optional.is_none_or(|outer| depth <= outer) {
                optional = is_optional(line).then_some(depth);
            }
        } else if optional.is_none() {
            match entry(line) {
                Some(true) => plan.done += 1,
                Some(false) => plan.open += 1,
                None => {}
            }
        }
    }
    plan
}

fn heading(line: &str) -> Option<usize> {
    let depth = line.bytes().take_while(|byte| *byte == b'#').count();
    ((1..=6).contains(&depth) && line[depth..].starts_with(' ')).then_some(depth)
}

fn is_optional(heading: &str) -> bool {
    let title = heading.trim_matches(['#', ' ', ':', '*']).to_lowercase();
    OPTIONAL.iter().any(|word| title.contains(word))
}

/// `Some(true)` for a ticked entry, `Some(false)` for an open one, `None` for anything else.
fn entry(line: &str) -> Option<bool> {
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    let rest = match line.as_bytes().first()? {
        b'-' | b'*' | b'+' => &line[1..],
        _ if digits > 0 && line[digits..].starts_with(['.', ')']) => &line[digits + 1..],
        _ => line,
    };
    let rest = rest.trim_start().strip_prefix('[')?;
    let (mark, title) = rest.split_once(']')?;
    let title = title.trim();
    // A link `[text](url)` or a reference is no box.
    if mark.chars().count() > 1 || title.starts_with(['(', ':']) {
        return None;
    }
    let struck = title.starts_with("~~") && title.ends_with("~~") && title.len() > 4;
    match mark.trim() {
        "x" | "X" | "✓" | "✔" | "✅" => Some(true),
        "-" => None,
        _ if struck => None,
        _ => Some(false),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boxes_are_counted_where_they_are_meant() {
        for (text, done, open) in [
            ("- [x] a\n- [x] b\n", 2, 0),
            ("- [x] a\n  - [ ] sub\n", 1, 1),
            ("* [X] a\r\n+ [ ] b\r\n1. [x] c\r\n", 2, 1),
            (
                "## High\n- [x] a\n\n## Optional\n- [ ] nice\n### Sub\n- [ ] x\n## Low\n- [ ] y\n",
                1,
                1,
            ),
            ("- [x] a\n- [-] b (dropped)\n- [ ] ~~c~~\n", 1, 0),
            ("- [x] a\n<!--\n- [ ] template item\n-->\n", 1, 0),
            ("- [x] a\n```\n- [ ] example\n```\n> - [ ] quoted\n", 1, 0),
            ("- [~] half\n- [] empty\n- [link](x)\n[ ] bare\n", 0, 3),
            ("", 0, 0),
        ] {
            assert_eq!(read(text), Plan { done, open }, "{text}");
        }
    }
}
