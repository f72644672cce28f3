//! What went wrong: from the client's structure first, then from the known beginnings of its own
//! error messages. Prose, tool results and file contents never count.

pub mod error;
pub mod fingerprint;
mod phrase;
pub mod reset;
mod structure;
pub mod wording;

use jiff::tz::TimeZone;
use serde::{Deserialize, Serialize};

/// Where a text came from, which decides what it can prove.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Channel {
    /// What `claude -p` printed in text form.
    Plain,
    /// What `claude -p --output-format json` printed.
    ResultJson,
    /// What `claude -p --output-format stream-json` printed.
    Stream,
    /// The client's stderr.
    Stderr,
    /// Text of the model.
    AssistantText,
    /// Output of a tool that the model called.
    ToolResult,
    /// The input of a `StopFailure` hook.
    StopFailureHook,
}

/// What kind of failure it is; decides who acts next.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Class {
    /// No failure.
    #[default]
    None,
    /// The account's usage limit: wait for its reset.
    UsageLimit,
    /// The network or the service: try again.
    Transient,
    /// Not logged in, wrong key: a person must act.
    Auth,
    /// The account cannot pay: a person must act.
    Billing,
    /// A limit that we set ourselves: dollars or turns.
    Budget,
    /// The conversation does not fit any more: start a fresh one.
    Context,
    /// A failure that nothing above explains.
    Unknown,
}

/// A limit that the client was given, and ended at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ClientLimit {
    /// `--max-turns`.
    Turns,
    /// `--max-budget-usd`.
    Dollars,
    /// The budget of tokens, which its driver watches.
    Tokens,
}

/// A finished client and what it left.
pub struct Report<'a> {
    /// Where the text came from.
    pub channel: Channel,
    /// The text.
    pub text: &'a str,
    /// The client's exit status, if known.
    pub exit: Option<i32>,
    /// Unix time in seconds.
    pub now: i64,
    /// The zone of times without one.
    pub local: &'a TimeZone,
    /// Finds a zone by its IANA name; the database is the host's.
    pub zones: &'a dyn Fn(&str) -> Option<TimeZone>,
}

/// One error in an output, however many lines it has.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ErrorLine {
    /// The same for the same error at another time, place or address.
    pub fingerprint: String,
    /// The line that names it.
    pub line: String,
}

/// What went wrong; its serialised form is the contract of `circuit-breaker classify`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    /// The kind.
    pub class: Class,
    /// Which of the client's own limits it is, when the class is `budget`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<ClientLimit>,
    /// Is it the account's usage limit?
    pub limited: bool,
    /// When the limit ends, Unix time in seconds; `None` when unknown: probe with back-off.
    pub resets_at: Option<i64>,
    /// How long to wait before the next try, in seconds: at least 60 for a limit, also when its
    /// reset has just passed; `None` when waiting does not help or no time is known.
    pub wait_s: Option<u64>,
    /// Must a person act before it is worth trying again?
    pub needs_human: bool,
    /// The evidence: the field or line that decided.
    pub evidence: Option<String>,
    /// Errors in the text, each once.
    pub errors: Vec<ErrorLine>,
}

/// A limit is probed this long after its reset at the earliest.
pub const WAIT_MIN_S: u64 = 60;

/// What a channel's structure or text says, before times are read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Finding {
    class: Class,
    /// The client's own message.
    message: String,
    /// A reset time as an epoch, from a structured field.
    resets_at: Option<i64>,
    evidence: String,
}

impl Finding {
    fn new(class: Class, message: &str, evidence: impl Into<String>) -> Self {
        Self {
            class,
            message: message.to_owned(),
            resets_at: None,
            evidence: evidence.into(),
        }
    }
}

/// Classifies what a client left behind.
pub fn classify(report: &Report<'_>) -> Failure {
    let failed = report.exit.is_some_and(|status| status != 0);
    let finding = match report.channel {
        Channel::Plain => phrase::plain(report.text, failed),
        Channel::Stderr => phrase::stderr(report.text, report.exit),
        Channel::ResultJson | Channel::Stream => structure::stream(report.text, failed),
        Channel::StopFailureHook => structure::hook(report.text),
        Channel::AssistantText if failed => Finding::new(Class::Unknown, "", "exit status"),
        Channel::AssistantText | Channel::ToolResult => Finding::default(),
    };
    let limited = finding.class == Class::UsageLimit;
    let resets_at = limited
        .then(|| {
            finding
                .resets_at
                .or_else(|| reset::parse(&finding.message, report))
        })
        .flatten();
    let errors = match report.channel {
        Channel::ResultJson | Channel::Stream | Channel::StopFailureHook => {
            error::errors(&finding.message)
        }
        _ => error::errors(report.text),
    };
    Failure {
        class: finding.class,
        limit: client_limit(&finding),
        limited,
        resets_at,
        wait_s: resets_at.map(|at| wait_s(at, report.now)),
        needs_human: matches!(finding.class, Class::Auth | Class::Billing),
        evidence: Some(overnight_judge::marker::one_line(&finding.evidence))
            .filter(|line| !line.is_empty()),
        errors,
    }
}

/// Turns by the evidence or the message's own words, else dollars.
fn client_limit(finding: &Finding) -> Option<ClientLimit> {
    let of_turns = |text: &str| {
        let text = text.to_ascii_lowercase();
        text.contains("max_turns") || text.contains("max turns") || text.contains("number of turns")
    };
    (finding.class == Class::Budget).then(|| {
        if of_turns(&finding.evidence) || of_turns(&finding.message) {
            ClientLimit::Turns
        } else {
            ClientLimit::Dollars
        }
    })
}

/// Seconds from `now` to `at`, at least [`WAIT_MIN_S`].
pub fn wait_s(at: i64, now: i64) -> u64 {
    u64::try_from(at.saturating_sub(now))
        .unwrap_or(0)
        .max(WAIT_MIN_S)
}

#[cfg(test)]
mod tests;
