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

/// Who answers an event of Claude Code, and with which word: `overnight hook EVENT`.
pub fn of_event(event: &str) -> Option<&'static [&'static str]> {
    Some(match event {
        "SessionStart" | "FileChanged" => &["session-start"],
        "UserPromptExpansion" | "UserPromptSubmit" => &["flow-start"],
        "PreToolUse" | "PermissionRequest" => &["command-guard", "hook"],
        "PostToolUse" | "PostToolUseFailure" => &["output-filter", "hook"],
        "Stop" | "StopFailure" | "SubagentStop" | "TaskCreated" | "TaskCompleted"
        | "TeammateIdle" => &["stop-gate"],
        "SessionEnd" => &["session-end"],
        _ => return None,
    })
}
