//! The status block that ralph-claude-code asks its agent for.

/// What the block says.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Status {
    /// `EXIT_SIGNAL`, or what `STATUS` implies without one.
    pub(super) exit: Option<bool>,
    /// `STATUS: BLOCKED`.
    pub(super) blocked: bool,
}

/// Reads the last status block of a message.
pub(super) fn read(text: &str) -> Status {
    let Some((_, block)) = text.rsplit_once("---RALPH_STATUS---") else {
        return Status::default();
    };
    let block = block
        .split("---END_RALPH_STATUS---")
        .next()
        .unwrap_or(block);
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
    Status {
        exit: signal
            .or((status == "complete").then_some(true))
            .or((status == "in_progress").then_some(false)),
        blocked: status == "blocked",
    }
}
