//! The hook's JSON, read strictly: what is not exactly one well-formed event is no event.
//!
//! A guard that guesses what a malformed event means can be talked into guessing wrong.
//! Fields that do not bear on the decision are skipped without recursion, so
//! that their depth and their types do not matter.

mod object;

use object::Object;
use std::fmt;

/// Bytes of an event at most. The client's largest real events are file writes of some hundred
/// kilobytes; above this bound the call is blocked unread, which keeps memory far below 64 MB.
pub const EVENT_BYTES_MAX: u64 = 12 * 1024 * 1024;
/// Bytes of a session id, tool name, path or address at most; longer ones are not the client's.
const NAME_BYTES_MAX: usize = 64 * 1024;

/// What the client asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Moment {
    /// Before a tool runs; also every event that the guard does not know.
    BeforeTool,
    /// A permission dialog would open: the last look at the call, after other hooks rewrote it.
    Permission,
}

/// A tool call that waits for the guard's answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    /// When the guard is asked.
    pub moment: Moment,
    /// The client's session; unchecked text, see [`crate::session_key`].
    pub session: Option<String>,
    /// The type of the subagent that calls; `None` in the conversation itself.
    pub agent: Option<String>,
    /// The working folder as the client names it; `None` when absent or of a wrong type.
    pub cwd: Option<String>,
    /// The tool's name, exactly as given; empty when absent.
    pub tool: String,
    /// Its arguments.
    pub input: Input,
}

/// A tool's arguments: the text fields and, unread, everything.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Input {
    texts: Vec<(String, String)>,
    others: Vec<String>,
    switched_on: Vec<String>,
    /// The arguments' JSON, byte for byte: what an approval is bound to.
    pub raw: String,
}

impl Input {
    /// Arguments with these text fields, for tests and for calls that do not come from a hook.
    pub fn of(fields: &[(&str, &str)]) -> Self {
        let texts = fields
            .iter()
            .map(|(key, value)| ((*key).to_owned(), (*value).to_owned()))
            .collect();
        Self {
            texts,
            ..Self::default()
        }
    }

    /// The text field of this name.
    pub fn text(&self, key: &str) -> Option<&str> {
        self.texts
            .iter()
            .find_map(|(name, value)| (name == key).then_some(value.as_str()))
    }

    /// Every text field.
    pub fn texts(&self) -> impl Iterator<Item = (&str, &str)> {
        self.texts
            .iter()
            .map(|(key, value)| (key.as_str(), value.as_str()))
    }

    /// All text fields, one after the other.
    pub fn all_text(&self) -> String {
        self.texts()
            .map(|(_, text)| text)
            .collect::<Vec<_>>()
            .join("\n")
    }

    /// Is the field of this name `true`?
    pub fn is_on(&self, key: &str) -> bool {
        self.switched_on.iter().any(|name| name == key)
    }

    /// Is there a field of this name that is not text?
    pub fn is_other(&self, key: &str) -> bool {
        self.others.iter().any(|name| name == key)
    }
}

/// Why bytes are no event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Malformed {
    /// Nothing but white space arrived.
    Empty,
    /// The bytes are not UTF-8.
    NotText,
    /// Not one JSON object: the parser's words.
    NotJson(String),
    /// A field is missing, of a wrong type or unusable; the text says which.
    Field(&'static str),
}

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => f.write_str("no event arrived"),
            Self::NotText => f.write_str("the event is not UTF-8"),
            Self::NotJson(error) => write!(f, "the event is not one JSON object: {error}"),
            Self::Field(what) => f.write_str(what),
        }
    }
}

/// Reads one event.
pub fn parse(bytes: &[u8]) -> Result<Event, Malformed> {
    let text = std::str::from_utf8(bytes).map_err(|_| Malformed::NotText)?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if text.trim().is_empty() {
        return Err(Malformed::Empty);
    }
    let event = Object::parse(text)?;
    let moment = match event.optional_text("hook_event_name")?.as_deref() {
        Some("PermissionRequest") => Moment::Permission,
        _ => Moment::BeforeTool,
    };
    let tool = event.optional_text("tool_name")?.unwrap_or_default();
    let session = event.optional_text("session_id")?;
    let long = |text: &str| text.len() > NAME_BYTES_MAX;
    if long(&tool) {
        return Err(Malformed::Field("tool_name is too long"));
    }
    Ok(Event {
        moment,
        session,
        agent: event.optional_text("agent_type").ok().flatten(),
        cwd: event
            .optional_text("cwd")
            .ok()
            .flatten()
            .filter(|cwd| !long(cwd) && !cwd.contains('\0')),
        tool,
        input: input(&event)?,
    })
}

fn input(event: &Object<'_>) -> Result<Input, Malformed> {
    let Some(raw) = event.raw("tool_input") else {
        return Err(Malformed::Field("tool_input is missing"));
    };
    if !raw.starts_with('{') {
        return Err(Malformed::Field("tool_input is not an object"));
    }
    let object = Object::parse(raw)?;
    let mut input = Input {
        raw: raw.to_owned(),
        ..Input::default()
    };
    for key in object.keys() {
        if let Ok(Some(text)) = object.optional_text(key) {
            input.texts.push((key.to_owned(), text));
        } else if is_text(object.raw(key)) {
            return Err(Malformed::Field("a text argument is not valid text"));
        } else {
            if object.raw(key) == Some("true") {
                input.switched_on.push(key.to_owned());
            }
            input.others.push(key.to_owned());
        }
    }
    Ok(input)
}

fn is_text(raw: Option<&str>) -> bool {
    raw.is_some_and(|raw| raw.starts_with('"'))
}

#[cfg(test)]
mod tests;
