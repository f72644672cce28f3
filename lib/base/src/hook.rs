//! What Claude Code tells its hooks, and the answers it acts on, as far as sessions are concerned.
//! (The guard reads its events more strictly: `guard::payload`.)

use serde_json::{Value, json};

/// A hook's event: whatever is missing or of another type reads as absent, so that a newer client
/// with other fields does not stop a run.
#[derive(Debug, Clone, Default)]
pub struct Event(Value);

impl Event {
    /// Understands stdin; `None` when it is no JSON object.
    pub fn parse(bytes: &[u8]) -> Option<Self> {
        let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        let value: Value = serde_json::from_slice(text).ok()?;
        value.is_object().then_some(Self(value))
    }

    /// A text field; absent when empty.
    pub fn text(&self, key: &str) -> Option<&str> {
        self.0.get(key)?.as_str().filter(|text| !text.is_empty())
    }

    /// A field of any type.
    pub fn value(&self, key: &str) -> Option<&Value> {
        self.0.get(key)
    }

    /// The command of a Bash tool's call.
    pub fn command(&self) -> Option<&str> {
        self.0.get("tool_input")?.get("command")?.as_str()
    }

    /// The whole event as JSON.
    pub fn json(&self) -> String {
        self.0.to_string()
    }

    /// The event's name: `Stop`.
    pub fn name(&self) -> &str {
        self.text("hook_event_name").unwrap_or_default()
    }

    /// The session it happened in.
    pub fn session(&self) -> Option<&str> {
        self.text("session_id")
    }

    /// Did it happen inside a subagent?
    pub fn in_subagent(&self) -> bool {
        self.text("agent_id").is_some()
    }

    /// Does the turn go on only because a Stop hook held it?
    pub fn held(&self) -> bool {
        self.0.get("stop_hook_active").and_then(Value::as_bool) == Some(true)
    }

    /// How many background tasks still run: they wake the session when they end.
    pub fn background_tasks(&self) -> usize {
        let tasks = self.0.get("background_tasks").and_then(Value::as_array);
        let ended = |task: &&Value| {
            matches!(
                task["status"].as_str(),
                Some("completed" | "failed" | "killed" | "stopped")
            )
        };
        tasks.map_or(0, |tasks| tasks.iter().filter(|task| !ended(task)).count())
    }
}

/// More context for the model, at any event that takes it.
pub fn context(event: &str, text: &str) -> Value {
    json!({"hookSpecificOutput": {"hookEventName": event, "additionalContext": text}})
}

/// An answer with a line for the person, if there is one to say.
pub fn shown(mut answer: Value, line: Option<String>) -> Value {
    if let Some(line) = line {
        answer["systemMessage"] = line.into();
    }
    answer
}

/// Stops what was asked for, with the reason for the person.
pub fn block(reason: &str) -> Value {
    json!({"decision": "block", "reason": reason})
}

/// One line for the person, not for the model; the client passes the sequence on to their terminal.
pub fn message(line: &str, terminal_sequence: Option<&str>) -> Value {
    let mut answer = json!({"systemMessage": line});
    if let Some(sequence) = terminal_sequence {
        answer["terminalSequence"] = sequence.into();
    }
    answer
}

/// The same, and the turn ends here: the model is asked nothing more.
pub fn end_turn(line: &str, terminal_sequence: Option<&str>) -> Value {
    let mut answer = message(line, terminal_sequence);
    answer["continue"] = false.into();
    answer["stopReason"] = line.into();
    answer
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(value: &Value) -> Event {
        Event::parse(value.to_string().as_bytes()).unwrap()
    }

    #[test]
    fn foreign_types_read_as_absent() {
        let event = event(
            &json!({"session_id": 7, "agent_id": null, "background_tasks": "none", "hook_event_name": ["Stop"]}),
        );
        assert_eq!(
            (
                event.session(),
                event.in_subagent(),
                event.background_tasks(),
                event.name()
            ),
            (None, false, 0, "")
        );
        for bytes in [&b"null"[..], b"[]", b"", b"{\"a\":1} {}", b"\xff"] {
            assert!(Event::parse(bytes).is_none());
        }
        assert!(Event::parse(b"\xef\xbb\xbf{}").is_some());
    }

    #[test]
    fn only_living_background_tasks_count() {
        let event = event(
            &json!({"background_tasks": [{"status": "running"}, {"status": "completed"}, {}]}),
        );
        assert_eq!(event.background_tasks(), 2);
    }
}
