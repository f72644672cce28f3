//! When an agent's tools ran: from the client's own transcript of the session, which alone says so.

use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;

/// A tool's call. Times in Unix milliseconds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tool {
    /// The tool, and for Bash the beginning of its command.
    pub name: String,
    /// The call's id.
    pub id: String,
    /// When the model asked for it.
    pub from: u64,
    /// When its result came back.
    pub until: u64,
}

#[derive(Deserialize)]
struct Line {
    #[serde(default)]
    timestamp: String,
    #[serde(default)]
    message: Message,
}

#[derive(Deserialize, Default)]
struct Message {
    #[serde(default)]
    content: Value,
}

/// The calls of a transcript, line by line. A line that is not understood is passed over; a call
/// without a result has no end of its own and is left out.
#[derive(Debug, Default)]
pub struct Calls {
    /// Names and starts of those without a result yet, by id.
    open: BTreeMap<String, (String, u64)>,
}

impl Calls {
    /// Takes the next line; gives the calls that ended with it.
    pub fn read(&mut self, line: &[u8]) -> Vec<Tool> {
        let mut ended = Vec::new();
        let Ok(line) = serde_json::from_slice::<Line>(line) else {
            return ended;
        };
        let Some(at) = milliseconds(&line.timestamp) else {
            return ended;
        };
        for block in line.message.content.as_array().into_iter().flatten() {
            let text = |key: &str| block.get(key).and_then(Value::as_str).map(str::to_owned);
            match block.get("type").and_then(Value::as_str) {
                Some("tool_use") => {
                    if let Some(id) = text("id") {
                        self.open.insert(id, (called(block), at));
                    }
                }
                Some("tool_result") => {
                    let id = text("tool_use_id").unwrap_or_default();
                    if let Some((name, from)) = self.open.remove(&id) {
                        let until = at.max(from);
                        ended.push(Tool {
                            name,
                            id,
                            from,
                            until,
                        });
                    }
                }
                _ => {}
            }
        }
        ended
    }
}

/// The tool, and for Bash its command.
fn called(block: &Value) -> String {
    let name = block.get("name").and_then(Value::as_str);
    let name = name.unwrap_or_default();
    let command = block.pointer("/input/command").and_then(Value::as_str);
    command.map_or(name.to_owned(), |command| format!("{name}: {command}"))
}

fn milliseconds(timestamp: &str) -> Option<u64> {
    let time: jiff::Timestamp = timestamp.parse().ok()?;
    u64::try_from(time.as_millisecond()).ok()
}
