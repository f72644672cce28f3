//! What a script can ask about a request.

use super::http::Message;
use serde_json::Value;

/// Who asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// The main conversation of a session.
    Main,
    /// A subagent's conversation.
    Subagent,
    /// A helper without tools: titles, classifiers.
    Helper,
    /// The summary that auto-compaction asks for.
    Compact,
    /// Counting tokens.
    Count,
    /// No request for a message.
    Other,
}

/// One request for a message, digested.
#[derive(Debug, Clone)]
pub struct Request {
    pub kind: Kind,
    /// The session's id.
    pub session: String,
    /// The subagent's id within its session.
    pub agent: Option<String>,
    /// The first words of the user, without system reminders.
    pub first: String,
    /// Everything since the last answer: words, tool results, context added by hooks.
    pub last: String,
    /// The tool results since the last answer.
    pub tool_result: String,
    /// Did one of them fail?
    pub tool_error: bool,
    /// The system prompt.
    pub system: String,
    /// The names of the tools on offer.
    pub tools: Vec<String>,
    /// `x-api-key`, `bearer` or `none`.
    pub auth: &'static str,
    /// The whole body.
    pub body: Value,
}

impl Request {
    pub(super) fn new(message: &Message) -> Self {
        let body: Value = serde_json::from_slice(&message.body).unwrap_or_default();
        let header = |name: &str| message.headers.get(name).cloned();
        let messages = body["messages"].as_array().cloned().unwrap_or_default();
        let answered = messages.iter().rposition(|one| one["role"] == "assistant");
        let tail = &messages[answered.map_or(0, |index| index + 1)..];
        let results: Vec<&Value> = tail
            .iter()
            .filter_map(|one| one["content"].as_array())
            .flatten()
            .filter(|block| block["type"] == "tool_result")
            .collect();
        let first = messages.iter().find(|one| one["role"] == "user");
        let tools = body["tools"].as_array().cloned().unwrap_or_default();
        let agent = header("x-claude-code-agent-id");
        let last = join(tail.iter().map(|one| text(&one["content"])));
        Self {
            kind: kind(&message.path, agent.is_some(), tools.is_empty(), &last),
            session: header("x-claude-code-session-id").unwrap_or_default(),
            agent,
            first: first.map_or(String::new(), |one| {
                without_reminders(&text(&one["content"]))
            }),
            tool_result: join(results.iter().map(|block| text(&block["content"]))),
            tool_error: results.iter().any(|block| block["is_error"] == true),
            system: text(&body["system"]),
            tools: tools
                .iter()
                .filter_map(|tool| tool["name"].as_str().map(str::to_owned))
                .collect(),
            auth: match (header("x-api-key"), header("authorization")) {
                (Some(_), _) => "api-key",
                (_, Some(_)) => "bearer",
                _ => "none",
            },
            last,
            body,
        }
    }
}

fn kind(path: &str, agent: bool, no_tools: bool, last: &str) -> Kind {
    if !path.starts_with("/v1/messages") {
        Kind::Other
    } else if path.contains("count_tokens") {
        Kind::Count
    } else if last.contains("CRITICAL: Respond with TEXT ONLY")
        || last.contains("create a detailed summary of")
    {
        Kind::Compact
    } else if agent {
        Kind::Subagent
    } else if no_tools {
        Kind::Helper
    } else {
        Kind::Main
    }
}

fn text(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(blocks) => join(blocks.iter().map(text)),
        Value::Object(block) => match block.get("type").and_then(Value::as_str) {
            Some("text") => text(&block["text"]),
            Some("tool_result") => block.get("content").map_or(String::new(), text),
            _ => String::new(),
        },
        _ => String::new(),
    }
}

fn join(parts: impl Iterator<Item = String>) -> String {
    let parts: Vec<String> = parts.filter(|part| !part.is_empty()).collect();
    parts.join("\n")
}

fn without_reminders(text: &str) -> String {
    const END: &str = "</system-reminder>";
    let mut kept = String::new();
    let mut rest = text;
    while let Some(start) = rest.find("<system-reminder>") {
        kept.push_str(&rest[..start]);
        rest = rest[start..]
            .find(END)
            .map_or("", |end| &rest[start + end + END.len()..]);
    }
    kept.push_str(rest);
    kept.trim().to_owned()
}
