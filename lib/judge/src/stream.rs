//! The client's stream (`--output-format stream-json`, `json`, or a transcript): finds the final
//! message of the main agent.

use memchr::{memchr, memmem};
use serde_json::Value;

/// Longer lines are skipped: no message of a model is that long.
const LINE_MAX: usize = 16 << 20;

/// Reads the stream in chunks and keeps the final message.
#[derive(Debug, Default)]
pub struct Stream {
    carry: Vec<u8>,
    skipping: bool,
    message_id: Option<String>,
    last: Option<String>,
    note: Option<&'static str>,
}

impl Stream {
    /// Reads on.
    pub fn push(&mut self, mut bytes: &[u8]) {
        while let Some(end) = memchr(b'\n', bytes) {
            let (line, rest) = bytes.split_at(end + 1);
            bytes = rest;
            if std::mem::take(&mut self.skipping) {
                continue;
            }
            if self.carry.is_empty() {
                self.line(line);
            } else {
                let mut whole = std::mem::take(&mut self.carry);
                whole.extend_from_slice(line);
                self.line(&whole);
            }
        }
        if self.skipping || self.carry.len() + bytes.len() > LINE_MAX {
            self.carry = Vec::new();
            self.skipping = true;
        } else {
            self.carry.extend_from_slice(bytes);
        }
    }

    /// The final message, or why there is none.
    pub fn finish(mut self) -> Result<String, &'static str> {
        let rest = std::mem::take(&mut self.carry);
        self.line(&rest);
        let missing = self.note.unwrap_or("the stream holds no final message");
        self.last.ok_or(missing)
    }

    fn line(&mut self, line: &[u8]) {
        let line = line.trim_ascii();
        let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
        if !line.starts_with(b"{") && !line.starts_with(b"[") {
            return;
        }
        let matters = [&b"assistant"[..], b"result", b"user"];
        if !matters
            .iter()
            .any(|word| memmem::find(line, word).is_some())
        {
            return;
        }
        match serde_json::from_slice(line) {
            Ok(Value::Array(events)) => events.iter().for_each(|event| self.event(event)),
            Ok(event) => self.event(&event),
            // A torn line, as a killed client leaves it.
            Err(_) => {}
        }
    }

    fn event(&mut self, event: &Value) {
        let aside = event
            .get("parent_tool_use_id")
            .is_some_and(|id| !id.is_null())
            || event.get("isSidechain") == Some(&Value::Bool(true));
        if aside {
            return;
        }
        match event.get("type").and_then(Value::as_str) {
            Some("assistant") => self.assistant(event, event.get("message").unwrap_or(event)),
            Some("message") if event.get("role").and_then(Value::as_str) == Some("assistant") => {
                self.assistant(event, event);
            }
            Some("user") => {
                self.last = None;
                self.message_id = None;
                self.note = Some("the session broke off before its final message");
            }
            Some("result") => self.result(event),
            _ => {}
        }
    }

    fn assistant(&mut self, event: &Value, message: &Value) {
        let failed = ["is_api_error_message", "isApiErrorMessage"]
            .iter()
            .any(|key| event.get(key) == Some(&Value::Bool(true)))
            || message.get("model").and_then(Value::as_str) == Some("<synthetic>");
        if failed {
            self.last = None;
            self.note = Some("the client reported an error instead of a final message");
            return;
        }
        let id = message.get("id").and_then(Value::as_str);
        if id.is_none() || id != self.message_id.as_deref() {
            self.last = None;
            self.message_id = id.map(str::to_owned);
        }
        match message.get("content") {
            Some(Value::String(text)) => self.say(text),
            Some(Value::Array(blocks)) => blocks.iter().for_each(|block| self.block(block)),
            _ => {}
        }
    }

    fn block(&mut self, block: &Value) {
        match block.get("type").and_then(Value::as_str) {
            Some("text") => {
                if let Some(text) = block.get("text").and_then(Value::as_str) {
                    self.say(text);
                }
            }
            Some("tool_use" | "server_tool_use") => {
                self.last = None;
                self.message_id = None;
                self.note = Some("the last message calls a tool: the agent had not finished");
            }
            _ => {}
        }
    }

    fn say(&mut self, text: &str) {
        let said = self.last.get_or_insert_default();
        if !said.is_empty() {
            said.push('\n');
        }
        said.push_str(text);
    }

    fn result(&mut self, event: &Value) {
        let text = event.get("result").and_then(Value::as_str);
        let failed = event.get("is_error") == Some(&Value::Bool(true))
            || event
                .get("subtype")
                .and_then(Value::as_str)
                .is_some_and(|kind| kind.starts_with("error"));
        if failed {
            self.last = None;
            self.note = Some("the session ended with an error, not with a final message");
        } else if let Some(text) = text.filter(|text| !text.is_empty()) {
            // A capped stop leaves `result` empty: then the last message stands.
            self.last = Some(text.to_owned());
        }
    }
}
