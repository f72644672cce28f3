//! The status block that ralph-claude-code asks its agent for.

use crate::{scan, talk};

const BEGIN: &str = "---RALPH_STATUS---";
const END: &str = "---END_RALPH_STATUS---";

/// What the block says.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Status {
    /// `EXIT_SIGNAL`, or what `STATUS` implies without one.
    pub exit: Option<bool>,
    /// `STATUS: BLOCKED`.
    pub blocked: bool,
}

/// Reads the last status block of a message that is meant: on lines of its own, outside of code and
/// quotes, and not announced as an example.
pub fn read(text: &str) -> Status {
    if !text.contains(BEGIN) {
        return Status::default();
    }
    let plain = scan::plain(text);
    let Some(block) = last_block(&plain) else {
        return Status::default();
    };
    let field = |name: &str| {
        block.lines().rev().find_map(|line| {
            let (key, value) = line.split_once(':')?;
            key.trim()
                .eq_ignore_ascii_case(name)
                .then(|| value.trim().to_ascii_lowercase())
        })
    };
    let status = field("STATUS").unwrap_or_default();
    let signal = field("EXIT_SIGNAL").and_then(|value| match value.as_str() {
        "true" | "yes" => Some(true),
        "false" | "no" => Some(false),
        _ => None,
    });
    // A block that contradicts itself says that it is not done.
    let goes_on = matches!(status.as_str(), "in_progress" | "blocked");
    let signal = signal.filter(|exit| !(*exit && goes_on));
    Status {
        exit: signal
            .or((status == "complete").then_some(true))
            .or(goes_on.then_some(false)),
        blocked: status == "blocked",
    }
}

fn last_block(plain: &str) -> Option<&str> {
    let mut found = None;
    let (mut lead, mut at) = ("", 0);
    for line in plain.split_inclusive('\n') {
        at += line.len();
        if line.trim_end() == BEGIN && !talk::leads_to_example(lead) {
            found = Some(&plain[at..]);
        }
        if !line.trim().is_empty() {
            lead = line;
        }
    }
    let block = found?;
    Some(block.split(END).next().unwrap_or(block))
}

/// The text without its status blocks.
pub(crate) fn without(text: &str) -> String {
    let mut parts = text.split(BEGIN);
    let mut plain = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        plain.push_str(part.split_once(END).map_or("", |(_, after)| after));
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_that_is_shown_or_quoted_says_nothing() {
        let block =
            "---RALPH_STATUS---\nSTATUS: COMPLETE\nEXIT_SIGNAL: true\n---END_RALPH_STATUS---\n";
        assert_eq!(read(&format!("All done.\n\n{block}")).exit, Some(true));
        assert_eq!(
            read(&format!("{block}{}", block.replace("true", "false"))).exit,
            Some(false)
        );
        for shown in [
            format!("```\n{block}```\n"),
            format!("> {}", block.trim_end().replace('\n', "\n> ")),
            format!("    {}", block.trim_end().replace('\n', "\n    ")),
            format!("When everything is done I will print:\n\n{block}"),
            format!("Example:\n{block}"),
        ] {
            assert_eq!(read(&shown), Status::default(), "{shown}");
        }
    }
}
