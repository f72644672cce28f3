//! What a `claude -p --output-format stream-json` process said about itself, read line by line.
//!
//! `subtype` is "success" even for API errors, so it is not looked at; of
//! several result lines the last counts; without one the attempt is lost.

mod spoken;
pub mod transcript;

use crate::budget;
use crate::event::Context;
use serde::Deserialize;
use spoken::Spoken;
use std::collections::BTreeMap;

/// The facts of a finished client process.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Ending {
    /// Was there a result line?
    pub has_result: bool,
    /// The client's session.
    pub session: Option<String>,
    /// Dollars of the session so far (cumulative over resumed ones).
    pub cost_usd: f64,
    /// Tool calls that were refused.
    pub denials: u32,
    /// Why the client stopped: `completed`, `api_error`, `max_turns`, `tool_deferred`, ….
    pub terminal_reason: Option<String>,
    /// The final message of the main thread.
    pub text: String,
    /// Slash commands that the client knows; `None` before its init line.
    pub slash_commands: Option<Vec<String>>,
    /// Plugins that could not be loaded.
    pub plugin_errors: u32,
    /// Tokens by the result line; cumulative over resumed sessions, like the cost.
    totals: Usage,
    /// Model and tokens of the main thread's last message: what its context holds.
    last: (Option<String>, Usage),
    /// What each model's context window holds, by the result line.
    windows: BTreeMap<String, u64>,
    /// Tokens of each message: all there is when the client was ended before its result.
    messages: Spoken,
}

/// Tokens, by what they cost.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
#[expect(
    clippy::struct_field_names,
    reason = "the names of the client's own fields"
)]
struct Usage {
    #[serde(alias = "inputTokens")]
    input_tokens: u64,
    #[serde(alias = "outputTokens")]
    output_tokens: u64,
    #[serde(alias = "cacheReadInputTokens")]
    cache_read_input_tokens: u64,
    #[serde(alias = "cacheCreationInputTokens")]
    cache_creation_input_tokens: u64,
}

impl Usage {
    fn tokens(self) -> u64 {
        [
            self.input_tokens,
            self.output_tokens,
            self.cache_read_input_tokens,
            self.cache_creation_input_tokens,
        ]
        .into_iter()
        .fold(0, u64::saturating_add)
    }

    /// In input tokens: output costs five times as much, writing the cache a quarter more, reading
    /// it a tenth (the ratios of all of the vendor's models).
    fn weight(self) -> u64 {
        let output = self.output_tokens.saturating_mul(5);
        let written = self.cache_creation_input_tokens.saturating_mul(5) / 4;
        [
            self.input_tokens,
            output,
            written,
            self.cache_read_input_tokens / 10,
        ]
        .into_iter()
        .fold(0, u64::saturating_add)
    }

    fn max(self, other: Self) -> Self {
        Self {
            input_tokens: self.input_tokens.max(other.input_tokens),
            output_tokens: self.output_tokens.max(other.output_tokens),
            cache_read_input_tokens: self
                .cache_read_input_tokens
                .max(other.cache_read_input_tokens),
            cache_creation_input_tokens: self
                .cache_creation_input_tokens
                .max(other.cache_creation_input_tokens),
        }
    }

    fn plus(self, other: Self) -> Self {
        Self {
            input_tokens: self.input_tokens.saturating_add(other.input_tokens),
            output_tokens: self.output_tokens.saturating_add(other.output_tokens),
            cache_read_input_tokens: self
                .cache_read_input_tokens
                .saturating_add(other.cache_read_input_tokens),
            cache_creation_input_tokens: self
                .cache_creation_input_tokens
                .saturating_add(other.cache_creation_input_tokens),
        }
    }
}

#[derive(Deserialize)]
struct Line<'a> {
    #[serde(rename = "type", borrow)]
    kind: std::borrow::Cow<'a, str>,
    #[serde(default, borrow)]
    subtype: Option<std::borrow::Cow<'a, str>>,
    #[serde(default)]
    session_id: Option<String>,
    #[serde(default)]
    total_cost_usd: Option<f64>,
    #[serde(default)]
    permission_denials: Vec<serde::de::IgnoredAny>,
    #[serde(default)]
    terminal_reason: Option<String>,
    #[serde(default)]
    result: Option<String>,
    #[serde(default)]
    slash_commands: Option<Vec<String>>,
    #[serde(default)]
    plugin_errors: Vec<serde::de::IgnoredAny>,
    #[serde(default)]
    parent_tool_use_id: Option<String>,
    #[serde(default)]
    message: Option<Message>,
    #[serde(default, rename = "modelUsage")]
    model_usage: BTreeMap<String, Model>,
}

/// What a session used of one model.
#[derive(Deserialize)]
struct Model {
    #[serde(flatten)]
    used: Usage,
    #[serde(default, rename = "contextWindow")]
    window: u64,
}

#[derive(Deserialize)]
struct Message {
    #[serde(default)]
    id: Option<String>,
    #[serde(default)]
    model: Option<String>,
    #[serde(default)]
    usage: Option<Usage>,
    #[serde(default)]
    content: Content,
}

#[derive(Deserialize, Default)]
#[serde(untagged)]
enum Content {
    Blocks(Vec<Block>),
    Text(String),
    #[default]
    None,
}

impl Content {
    /// The texts in it, each by itself.
    fn texts(&self) -> Vec<&str> {
        match self {
            Self::Blocks(blocks) => blocks
                .iter()
                .filter_map(|block| block.text.as_deref())
                .collect(),
            Self::Text(text) => vec![text],
            Self::None => Vec::new(),
        }
    }
}

#[derive(Deserialize)]
struct Block {
    #[serde(rename = "type")]
    kind: String,
    #[serde(default)]
    text: Option<String>,
}

impl Ending {
    /// Takes one line of the stream in; a line that is no JSON object is skipped.
    pub fn read(&mut self, line: &[u8]) {
        let Ok(line) = serde_json::from_slice::<Line>(line) else {
            return;
        };
        if line.session_id.is_some() {
            self.session = line.session_id;
        }
        match line.kind.as_ref() {
            "result" => {
                self.has_result = true;
                self.cost_usd = line
                    .total_cost_usd
                    .unwrap_or(self.cost_usd)
                    .max(self.cost_usd);
                self.denials = u32::try_from(line.permission_denials.len()).unwrap_or(u32::MAX);
                self.terminal_reason = line.terminal_reason;
                let used = line.model_usage.values().map(|model| model.used);
                self.totals = used.fold(Usage::default(), Usage::plus).max(self.totals);
                let windows = line.model_usage.into_iter();
                self.windows
                    .extend(windows.map(|(name, model)| (name, model.window)));
                if let Some(text) = line.result.filter(|text| !text.is_empty()) {
                    self.text = text;
                }
            }
            "system" if line.subtype.as_deref() == Some("init") => {
                self.slash_commands = line.slash_commands;
                self.plugin_errors = u32::try_from(line.plugin_errors.len()).unwrap_or(u32::MAX);
            }
            "assistant" => {
                let Some(message) = line.message else { return };
                if let Some((id, usage)) = message.id.zip(message.usage) {
                    let known = self.messages.add(id, message.model.as_deref(), usage);
                    // The client's own messages about errors take no tokens.
                    if line.parent_tool_use_id.is_none() && usage.tokens() > 0 {
                        self.last = (message.model, known);
                    }
                }
                if line.parent_tool_use_id.is_none()
                    && let Some(text) = message.content.text()
                {
                    self.text = text;
                }
            }
            _ => {}
        }
    }

    /// Tokens by the result line, and the same by what they cost, in input tokens.
    pub fn total(&self) -> (u64, u64) {
        (self.totals.tokens(), self.totals.weight())
    }

    /// How full the main thread's context was at its last message; `None` where the client did not
    /// say what it holds.
    pub fn context(&self) -> Option<Context> {
        let (model, used) = &self.last;
        let named = model.as_ref().and_then(|model| self.windows.get(model));
        let window = *named.or_else(|| self.windows.values().max())?;
        let tokens = used.tokens();
        (window > 0 && tokens > 0).then_some(Context {
            tokens,
            window: Some(window),
        })
    }

    /// The same by each message: all there is when the client was ended before its result.
    pub fn seen(&self) -> (u64, u64) {
        let used = self.messages.total();
        (used.tokens(), used.weight())
    }

    /// What the vendor's list says of them: dollars, and the input tokens that these would have bought.
    pub fn listed(&self) -> (f64, u64) {
        self.messages.listed()
    }

    /// About how many dollars they cost, at the price that the run has seen.
    pub fn about_usd(&self, priced: (f64, u64)) -> f64 {
        budget::reckoned(priced, self.listed(), self.seen().1)
    }
}

impl Content {
    fn text(self) -> Option<String> {
        match self {
            Self::Text(text) => Some(text),
            Self::Blocks(blocks) => {
                let texts: Vec<_> = blocks
                    .into_iter()
                    .filter(|block| block.kind == "text")
                    .filter_map(|block| block.text)
                    .collect();
                (!texts.is_empty()).then(|| texts.join("\n"))
            }
            Self::None => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ending(lines: &[&str]) -> Ending {
        let mut ending = Ending::default();
        for line in lines {
            ending.read(line.as_bytes());
        }
        ending
    }

    #[test]
    fn of_several_results_the_last_counts_and_cost_is_never_added_twice() {
        let ending = ending(&[
            r#"{"type":"system","subtype":"init","session_id":"s1","slash_commands":["overnight:flow"]}"#,
            r#"{"type":"result","subtype":"success","result":"one","total_cost_usd":0.5,"terminal_reason":"completed"}"#,
            r#"{"type":"result","subtype":"success","result":"two","total_cost_usd":0.75,"permission_denials":[{}],"terminal_reason":"completed"}"#,
        ]);
        assert!(ending.has_result);
        assert_eq!(
            (ending.cost_usd, ending.denials, ending.text.as_str()),
            (0.75, 1, "two")
        );
        assert_eq!(ending.session.as_deref(), Some("s1"));
    }

    #[test]
    fn a_subagents_words_are_not_the_final_message_and_an_empty_result_keeps_the_last_one() {
        let ending = ending(&[
            r#"{"type":"assistant","parent_tool_use_id":null,"message":{"content":[{"type":"text","text":"main"},{"type":"tool_use"}]}}"#,
            r#"{"type":"assistant","parent_tool_use_id":"t1","message":{"content":[{"type":"text","text":"<DONE>sub</DONE>"}]}}"#,
            r#"{"type":"result","subtype":"success","result":"","terminal_reason":"hook_stopped"}"#,
        ]);
        assert_eq!(ending.text, "main");
    }

    #[test]
    fn tokens_are_the_results_or_else_each_messages_once() {
        let message = r#"{"type":"assistant","message":{"id":"m1","usage":{"input_tokens":10,"output_tokens":2,"cache_read_input_tokens":100,"cache_creation_input_tokens":8},"content":[]}}"#;
        let later = r#"{"type":"assistant","parent_tool_use_id":"t","message":{"id":"m1","usage":{"input_tokens":10,"output_tokens":4},"content":[]}}"#;
        assert_eq!(ending(&[message, later]).seen(), (122, 10 + 20 + 10 + 10));
        let result = r#"{"type":"result","modelUsage":{"a":{"inputTokens":1,"outputTokens":1,"costUSD":0.1},"b":{"cacheReadInputTokens":10}}}"#;
        assert_eq!(ending(&[message, result]).total(), (12, 1 + 5 + 1));
    }

    #[test]
    fn the_context_is_that_of_the_main_threads_last_message_and_its_models_window() {
        let message = r#"{"type":"assistant","message":{"id":"m1","model":"big","usage":{"input_tokens":10,"output_tokens":5,"cache_read_input_tokens":85},"content":[]}}"#;
        let sub = r#"{"type":"assistant","parent_tool_use_id":"t","message":{"id":"m2","model":"small","usage":{"input_tokens":7},"content":[]}}"#;
        let synthetic = r#"{"type":"assistant","message":{"id":"m3","model":"<synthetic>","usage":{"input_tokens":0},"content":[]}}"#;
        let result = r#"{"type":"result","modelUsage":{"big":{"inputTokens":10,"contextWindow":1000},"small":{"contextWindow":200}}}"#;
        let all = ending(&[message, sub, synthetic, result]);
        let full = Context {
            tokens: 100,
            window: Some(1000),
        };
        assert_eq!(all.context(), Some(full));
        for half in [message, result] {
            assert_eq!(ending(&[half]).context(), None);
        }
    }

    #[test]
    fn a_cut_stream_has_no_result() {
        let ending = ending(&[
            r#"{"type":"assistant","message":{"content":"hi"}}"#,
            r#"{"type":"resu"#,
            "",
            "plain",
        ]);
        assert!(!ending.has_result);
        assert_eq!(ending.text, "hi");
    }
}
