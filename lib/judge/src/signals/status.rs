//! The status block that ralph-claude-code asks its agent for.

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

/// Reads the last status block of a message.
pub fn read(text: &str) -> Status {
    let Some((_, block)) = text.rsplit_once(BEGIN) else {
        return Status::default();
    };
    let block = block.split(END).next().unwrap_or(block);
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

/// The text without its status blocks.
pub(crate) fn without(text: &str) -> String {
    let mut parts = text.split(BEGIN);
    let mut plain = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        plain.push_str(part.split_once(END).map_or("", |(_, after)| after));
    }
    plain
}
