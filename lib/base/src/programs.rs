//! The names that the one program answers to: as a link to it, or as `overnight NAME`.

/// The program.
pub const PROGRAM: &str = "overnight";

/// The names beside it.
pub const NAMES: [&str; 14] = [
    "circuit-breaker",
    "command-guard",
    "completion-check",
    "error-codes",
    "find-clones",
    "flow-start",
    "output-filter",
    "progress-log",
    "sample-tests",
    "session-end",
    "session-start",
    "stop-gate",
    "task-lock",
    "with-timeout",
];

/// The events of Claude Code that are answered, each with who answers it and with which word:
/// `overnight hook EVENT`.
pub const EVENTS: [(&str, &[&str]); 15] = [
    ("SessionStart", &["session-start"]),
    ("FileChanged", &["session-start"]),
    ("UserPromptExpansion", &["flow-start"]),
    ("UserPromptSubmit", &["flow-start"]),
    ("PreToolUse", &["command-guard", "hook"]),
    ("PermissionRequest", &["command-guard", "hook"]),
    ("PostToolUse", &["output-filter", "hook"]),
    ("PostToolUseFailure", &["output-filter", "hook"]),
    ("Stop", &["stop-gate"]),
    ("StopFailure", &["stop-gate"]),
    ("SubagentStop", &["stop-gate"]),
    ("TaskCreated", &["stop-gate"]),
    ("TaskCompleted", &["stop-gate"]),
    ("TeammateIdle", &["stop-gate"]),
    ("SessionEnd", &["session-end"]),
];

/// Who answers an event, and with which word.
pub fn of_event(event: &str) -> Option<&'static [&'static str]> {
    let mut events = EVENTS.iter();
    events.find_map(|(name, answerer)| (*name == event).then_some(*answerer))
}
