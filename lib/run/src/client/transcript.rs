//! What a session has spent, by the client's own transcript: a hook is not told.

use super::Message;
use super::spoken::Spoken;
use jiff::Timestamp;
use serde::Deserialize;
use serde_json::value::RawValue;
use std::borrow::Cow;

/// Tokens of a session and its subagents since a point in time.
#[derive(Debug, Clone, Default)]
pub struct Spending {
    since_ms: i64,
    messages: Spoken,
}

#[derive(Deserialize)]
struct Entry<'a> {
    #[serde(rename = "type", borrow)]
    kind: Cow<'a, str>,
    #[serde(default, borrow)]
    timestamp: Option<Cow<'a, str>>,
    #[serde(default, rename = "isSidechain")]
    of_subagent: bool,
    #[serde(default)]
    message: Option<Message>,
    /// What a tool call came to, by a line of the kind `user`.
    #[serde(default, rename = "toolUseResult", borrow)]
    result: Option<&'a RawValue>,
}

impl Entry<'_> {
    fn is_since(&self, unix_ms: i64) -> bool {
        let time = self
            .timestamp
            .as_ref()
            .and_then(|time| time.parse::<Timestamp>().ok());
        time.is_some_and(|time| time.as_millisecond() >= unix_ms)
    }
}

/// How the client begins what an agent came to that the service failed; its own message follows.
const TERMINATED: &str = "Error: Agent terminated early due to an API error: ";

/// Where this line of a transcript tells what the main thread's tool call came to since a point in time:
/// with what message the service failed the agent that it started, if that is what happened.
pub fn failed_agent(line: &[u8], since_unix_ms: u64) -> Option<Option<String>> {
    let entry: Entry<'_> = serde_json::from_slice(line).ok()?;
    let since = i64::try_from(since_unix_ms).unwrap_or(i64::MAX);
    let result = entry
        .result
        .filter(|_| !entry.of_subagent && entry.is_since(since))?;
    let said: Option<String> = serde_json::from_str(result.get()).ok();
    Some(said.and_then(|said| said.strip_prefix(TERMINATED).map(str::to_owned)))
}

/// Is this line of a transcript the main thread's message with this text, since a point in time?
pub fn says(line: &[u8], text: &str, since_unix_ms: u64) -> bool {
    let Ok(entry) = serde_json::from_slice::<Entry<'_>>(line) else {
        return false;
    };
    let since = i64::try_from(since_unix_ms).unwrap_or(i64::MAX);
    let own = entry.kind == "assistant" && !entry.of_subagent && entry.is_since(since);
    let message = entry.message.as_ref().filter(|_| own);
    // Of a message of several blocks each has a line of its own.
    let texts = message.map_or_else(Vec::new, |message| message.content.texts());
    let mut texts = texts.into_iter().map(str::trim);
    texts.any(|said| !said.is_empty() && text.trim().ends_with(said))
}

/// What the main thread's context held at the message in this line of a transcript, in tokens;
/// `None` for any other line. What the window holds a transcript does not say.
pub fn context(line: &[u8]) -> Option<u64> {
    let entry: Entry<'_> = serde_json::from_slice(line).ok()?;
    let own = entry.kind == "assistant" && !entry.of_subagent;
    let tokens = entry.message.filter(|_| own)?.usage?.tokens();
    // The client's own messages about errors take no tokens.
    (tokens > 0).then_some(tokens)
}

/// What the client writes down as the person's words where Esc broke off the main thread's turn.
const BROKEN_OFF: &str = "[Request interrupted by user";

/// When the person broke the turn off, in Unix milliseconds, if this line of a transcript says so; `None` for a line
/// that is no message of the main thread.
pub fn broken_off(line: &[u8]) -> Option<Option<u64>> {
    let entry: Entry<'_> = serde_json::from_slice(line).ok()?;
    let own = matches!(entry.kind.as_ref(), "user" | "assistant") && !entry.of_subagent;
    let content = entry.message.as_ref().filter(|_| own)?.content.texts();
    let broken = entry.kind == "user" && content.iter().any(|text| text.starts_with(BROKEN_OFF));
    let at = entry.timestamp.filter(|_| broken);
    let at = at.and_then(|at| at.parse::<Timestamp>().ok());
    Some(at.and_then(|at| u64::try_from(at.as_millisecond()).ok()))
}

impl Spending {
    /// Counts from this Unix time in milliseconds on.
    pub fn since(unix_ms: u64) -> Self {
        Self {
            since_ms: i64::try_from(unix_ms).unwrap_or(i64::MAX),
            messages: Spoken::default(),
        }
    }

    /// Takes one line of a transcript in. The client writes a message once for each of its blocks.
    pub fn read(&mut self, line: &[u8]) {
        let Ok(entry) = serde_json::from_slice::<Entry<'_>>(line) else {
            return;
        };
        let counts = entry.kind == "assistant" && entry.is_since(self.since_ms);
        if let Some(message) = entry.message.filter(|_| counts)
            && let Some((id, usage)) = message.id.zip(message.usage)
        {
            self.messages.add(id, message.model.as_deref(), usage);
        }
    }

    /// All tokens, and the same by what they cost, in input tokens.
    pub fn total(&self) -> (u64, u64) {
        let used = self.messages.total();
        (used.tokens(), used.weight())
    }

    /// What the vendor's list says of them: dollars, and the input tokens that these would have bought.
    pub fn listed(&self) -> (f64, u64) {
        self.messages.listed()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_context_is_that_of_the_main_thread() {
        let line = |kind: &str, more: &str, input: u64| {
            let usage = format!(r#"{{"input_tokens":{input},"cache_read_input_tokens":90}}"#);
            format!(r#"{{"type":"{kind}","message":{{"id":"m","usage":{usage}}}{more}}}"#)
        };
        let of = |text: String| context(text.as_bytes());
        assert_eq!(of(line("assistant", "", 10)), Some(100));
        assert_eq!(
            of(line("assistant", r#","isSidechain":false"#, 11)),
            Some(101)
        );
        assert_eq!(of(line("assistant", r#","isSidechain":true"#, 10)), None);
        assert_eq!(of(line("user", "", 10)), None);
        assert_eq!(of("{".to_owned()), None);
    }

    #[test]
    fn an_agent_that_the_service_failed_is_known_by_the_last_result() {
        let line = |result: &str| {
            let line = format!(
                r#"{{"type":"user","timestamp":"2026-11-21T15:22:10.000Z","isSidechain":false,"toolUseResult":{result}}}"#
            );
            failed_agent(line.as_bytes(), 1_795_274_530_000)
        };
        let failed =
            r#""Error: Agent terminated early due to an API error: API Error: 529 Overloaded. …""#;
        assert_eq!(
            line(failed),
            Some(Some("API Error: 529 Overloaded. …".to_owned()))
        );
        assert_eq!(line(r#"{"stdout":"x"}"#), Some(None));
        assert_eq!(line(r#""Error: Exit code 1""#), Some(None));
        let text = format!(
            r#"{{"type":"user","timestamp":"2026-11-21T15:22:09Z","toolUseResult":{failed}}}"#
        );
        assert_eq!(
            failed_agent(text.as_bytes(), 1_795_274_530_000),
            None,
            "of before"
        );
        assert_eq!(failed_agent(br#"{"type":"assistant"}"#, 0), None);
    }

    #[test]
    fn a_message_is_known_by_its_text_and_its_time() {
        let line = |kind: &str, more: &str| {
            format!(
                r#"{{"type":"{kind}","timestamp":"2026-11-21T15:22:10.000Z","message":{{"content":[{{"type":"text","text":"more \nis left"}}]}}{more}}}"#
            )
        };
        let has = |line: String, text: &str, since| says(line.as_bytes(), text, since);
        let own = || line("assistant", "");
        assert!(has(own(), "more \nis left\n", 1_795_274_530_000));
        assert!(has(own(), "first\n\nmore \nis left", 0), "the last block");
        assert!(!has(own(), "more", 0));
        assert!(
            !has(own(), "more \nis left", 1_795_274_530_001),
            "of before"
        );
        assert!(!has(line("user", ""), "more \nis left", 0));
        assert!(!has(
            line("assistant", r#","isSidechain":true"#),
            "more \nis left",
            0
        ));
    }

    #[test]
    fn the_last_message_says_whether_the_person_broke_the_turn_off() {
        let line = |kind: &str, content: &str, more: &str| {
            let line = format!(
                r#"{{"type":"{kind}","timestamp":"2026-11-21T15:22:10.000Z","message":{{"content":{content}}}{more}}}"#
            );
            broken_off(line.as_bytes())
        };
        let esc = r#"[{"type":"text","text":"[Request interrupted by user for tool use]"}]"#;
        assert_eq!(line("user", esc, ""), Some(Some(1_795_274_530_000)));
        let typed = r#""[Request interrupted by user]""#;
        assert_eq!(line("user", typed, ""), Some(Some(1_795_274_530_000)));
        assert_eq!(line("user", esc, r#","isSidechain":true"#), None);
        assert_eq!(line("assistant", esc, ""), Some(None));
        assert_eq!(line("user", r#""continue""#, ""), Some(None));
        assert_eq!(line("system", esc, ""), None);
        assert_eq!(broken_off(b"{"), None);
    }

    #[test]
    fn messages_count_once_and_only_from_then_on() {
        let line = |time: &str, id: &str, output: u64| {
            format!(
                r#"{{"type":"assistant","timestamp":"{time}","message":{{"id":"{id}","usage":{{"input_tokens":1000,"output_tokens":{output}}},"content":[]}}}}"#
            )
        };
        // 2026-11-21T15:22:10Z
        let mut spending = Spending::since(1_795_274_530_000);
        for text in [
            line("2026-11-21T15:22:09.999Z", "before", 1),
            line("2026-11-21T15:22:10.000Z", "a", 10),
            line("2026-11-21T15:22:10.500Z", "a", 100),
            line("2026-11-21T15:22:11.000Z", "b", 0),
            r#"{"type":"user","timestamp":"2026-11-21T15:22:12Z","message":{"content":"x"}}"#
                .into(),
            line("no time", "c", 7),
            "{".into(),
        ] {
            spending.read(text.as_bytes());
        }
        assert_eq!(spending.total(), (2_100, 2_500));
    }
}
