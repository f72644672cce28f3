//! Scripts: who is answered with what, in which order.

use super::request::{Kind, Request};
use serde_json::{Value, json};
use std::time::Duration;

/// One answer.
#[derive(Debug, Clone)]
pub struct Turn {
    pub(super) outcome: Outcome,
    pub(super) delay: Duration,
    /// Input and output tokens reported; estimated when `None`.
    pub(super) tokens: Option<(u64, u64)>,
}

#[derive(Debug, Clone)]
pub(super) enum Outcome {
    /// Content blocks of a message.
    Message(Vec<Value>),
    /// An HTTP error.
    Error {
        status: u16,
        kind: String,
        message: String,
        headers: Vec<(String, String)>,
    },
    /// An error event in the middle of the stream.
    StreamError { kind: String, message: String },
    /// The connection is closed without an answer.
    Reset,
    /// The connection is closed in the middle of the stream.
    ResetMidStream(Vec<Value>),
    /// No answer until the client gives up.
    Hang,
}

impl Turn {
    fn new(outcome: Outcome) -> Self {
        Self {
            outcome,
            delay: Duration::ZERO,
            tokens: None,
        }
    }

    /// A text that ends the turn.
    pub fn say(text: impl Into<String>) -> Self {
        Self::new(Outcome::Message(vec![
            json!({"type": "text", "text": text.into()}),
        ]))
    }

    /// A tool call.
    pub fn tool(name: &str, input: Value) -> Self {
        Self::new(Outcome::Message(Vec::new())).and_tool(name, input)
    }

    /// A call of the Bash tool.
    pub fn bash(command: impl Into<String>) -> Self {
        Self::tool(
            "Bash",
            json!({"command": command.into(), "description": "scripted"}),
        )
    }

    /// One more tool call in the same answer.
    pub fn and_tool(mut self, name: &str, input: Value) -> Self {
        if let Outcome::Message(blocks) = &mut self.outcome {
            let id = format!("toolu_{}", super::answer::unique());
            blocks.push(json!({"type": "tool_use", "id": id, "name": name, "input": input}));
        }
        self
    }

    /// An HTTP error with the body that the real service sends for this status.
    pub fn error(status: u16) -> Self {
        let (kind, message) = match status {
            400 => ("invalid_request_error", "invalid request"),
            401 => ("authentication_error", "invalid x-api-key"),
            402 => (
                "billing_error",
                "Your credit balance is too low to access the Anthropic API.",
            ),
            403 => ("permission_error", "not permitted"),
            413 => ("request_too_large", "Request exceeds the maximum size"),
            429 => (
                "rate_limit_error",
                "This request would exceed your account's rate limit. Please try again later.",
            ),
            529 => ("overloaded_error", "Overloaded"),
            _ => ("api_error", "Internal server error"),
        };
        Self::new(Outcome::Error {
            status,
            kind: kind.to_owned(),
            message: message.to_owned(),
            headers: Vec::new(),
        })
    }

    /// Another type and message for an error.
    pub fn because(mut self, new_kind: &str, new_message: &str) -> Self {
        if let Outcome::Error { kind, message, .. } = &mut self.outcome {
            new_kind.clone_into(kind);
            new_message.clone_into(message);
        }
        self
    }

    /// A header of an error.
    pub fn header(mut self, name: &str, value: impl ToString) -> Self {
        if let Outcome::Error { headers, .. } = &mut self.outcome {
            headers.push((name.to_owned(), value.to_string()));
        }
        self
    }

    /// A subscription's usage limit (`five_hour` or `seven_day`) that ends at this Unix time in
    /// seconds. The client takes it as such only with a bearer token: `Client::subscriber`.
    pub fn usage_limit(claim: &str, resets_at: u64) -> Self {
        const NAME: &str = "anthropic-ratelimit-unified";
        let of = |window: &str, status| if claim == window { status } else { "allowed" };
        Self::error(429)
            .header(&format!("{NAME}-status"), "rejected")
            .header(&format!("{NAME}-reset"), resets_at)
            .header(&format!("{NAME}-representative-claim"), claim)
            .header(&format!("{NAME}-5h-status"), of("five_hour", "rejected"))
            .header(&format!("{NAME}-5h-reset"), resets_at)
            .header(&format!("{NAME}-5h-utilization"), "1.0")
            .header(&format!("{NAME}-7d-status"), of("seven_day", "rejected"))
            .header(&format!("{NAME}-7d-reset"), resets_at)
            .header(&format!("{NAME}-7d-utilization"), "0.3")
    }

    /// An error event inside the stream.
    pub fn stream_error(kind: &str, message: &str) -> Self {
        Self::new(Outcome::StreamError {
            kind: kind.to_owned(),
            message: message.to_owned(),
        })
    }

    /// A connection that closes without an answer.
    pub fn reset() -> Self {
        Self::new(Outcome::Reset)
    }

    /// A connection that closes in the middle of this text.
    pub fn reset_after(text: &str) -> Self {
        Self::new(Outcome::ResetMidStream(vec![
            json!({"type": "text", "text": text}),
        ]))
    }

    /// No answer at all.
    pub fn hang() -> Self {
        Self::new(Outcome::Hang)
    }

    /// Waits before answering.
    pub fn after(mut self, delay: Duration) -> Self {
        self.delay = delay;
        self
    }

    /// Reports this usage.
    pub fn tokens(mut self, input: u64, output: u64) -> Self {
        self.tokens = Some((input, output));
        self
    }
}

type Predicate = Box<dyn Fn(&Request) -> bool + Send + Sync>;
type Answer = Box<dyn Fn(usize, &Request) -> Turn + Send + Sync>;

/// Who shares a position in a list of turns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Scope {
    /// Each session, and each subagent in it, starts at the first turn.
    Session,
    /// All sessions together: an outer loop of fresh processes.
    All,
}

/// Answers to one group of requests.
pub struct Part {
    matches: Predicate,
    scope: Scope,
    answer: Answer,
}

impl Part {
    pub(super) fn turn(&self, at: usize, request: &Request) -> Turn {
        (self.answer)(at, request)
    }
}

/// What the model says. The first part that fits answers; a request that fits none gets "ok".
#[derive(Default)]
pub struct Script {
    parts: Vec<Part>,
}

impl Script {
    pub fn new() -> Self {
        Self::default()
    }

    /// The main conversation of every session plays these turns; the last one repeats.
    pub fn session(self, turns: Vec<Turn>) -> Self {
        self.part(Scope::Session, is(Kind::Main), list(turns))
    }

    /// All main conversations together play these turns; the last one repeats.
    pub fn in_order(self, turns: Vec<Turn>) -> Self {
        self.part(Scope::All, is(Kind::Main), list(turns))
    }

    /// Every subagent plays these turns; the last one repeats.
    pub fn subagent(self, turns: Vec<Turn>) -> Self {
        self.part(Scope::Session, is(Kind::Subagent), list(turns))
    }

    /// Requests of this kind are answered by a function of the number of such requests before in
    /// the same session (and subagent) and the request.
    pub fn answer(
        self,
        kind: Kind,
        answer: impl Fn(usize, &Request) -> Turn + Send + Sync + 'static,
    ) -> Self {
        self.part(Scope::Session, is(kind), Box::new(answer))
    }

    /// Requests that fit are answered with these turns, over all sessions; the last one repeats.
    pub fn when(
        self,
        fits: impl Fn(&Request) -> bool + Send + Sync + 'static,
        turns: Vec<Turn>,
    ) -> Self {
        self.part(Scope::All, Box::new(fits), list(turns))
    }

    fn part(mut self, scope: Scope, matches: Predicate, answer: Answer) -> Self {
        self.parts.push(Part {
            matches,
            scope,
            answer,
        });
        self
    }

    /// The part that answers, and the key of its position.
    pub(super) fn find(&self, request: &Request) -> Option<(String, &Part)> {
        let fits = |(_, part): &(usize, &Part)| (part.matches)(request);
        let (index, part) = self.parts.iter().enumerate().find(fits)?;
        let key = match part.scope {
            Scope::All => index.to_string(),
            Scope::Session => format!(
                "{index}/{}/{}",
                request.session,
                request.agent.as_deref().unwrap_or_default()
            ),
        };
        Some((key, part))
    }
}

fn is(kind: Kind) -> Predicate {
    Box::new(move |request| request.kind == kind)
}

fn list(turns: Vec<Turn>) -> Answer {
    Box::new(move |at, _| {
        turns
            .get(at)
            .or(turns.last())
            .cloned()
            .unwrap_or_else(|| Turn::say("ok"))
    })
}
