//! Every tool's call: shells by their command.

use super::payload::Event;
use super::{Context, Verdict, judge_command};

/// Judges one tool call.
pub fn judge(event: &Event, context: &Context<'_>) -> Verdict {
    let shell = event.tool.trim().eq_ignore_ascii_case("bash");
    match event.input.text("command") {
        Some(command) if command.contains('\0') => Verdict::deny(
            "malformed",
            "the command holds a NUL character, which no shell runs as written",
        ),
        Some(command) => judge_command(command, context),
        None if shell || event.tool.is_empty() || event.input.is_other("command") => {
            Verdict::deny("malformed", "the call has no command as text")
        }
        None => Verdict::allow(),
    }
}
