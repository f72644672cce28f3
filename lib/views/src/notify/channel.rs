//! What each channel is given.

use super::{Kind, Notice};
use serde_json::{Value, json};
use std::fmt::Write;

/// Where a notice is posted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Post<'a> {
    /// The notice as JSON.
    Webhook(&'a str),
    /// Text to a topic of ntfy, with the token if one is set.
    Ntfy(&'a str, Option<&'a str>),
    /// What Slack, Mattermost, Discord (`/slack`) and others take: `{"text": …}`.
    Slack(&'a str),
}

impl<'a> Post<'a> {
    /// Its name for a person.
    pub fn name(self) -> &'static str {
        match self {
            Self::Webhook(_) => "webhook",
            Self::Ntfy(..) => "ntfy",
            Self::Slack(_) => "slack",
        }
    }

    /// Its address; it often holds a secret, so it is never shown.
    fn address(self) -> &'a str {
        match self {
            Self::Webhook(address) | Self::Ntfy(address, _) | Self::Slack(address) => address,
        }
    }
}

/// The sequence that makes a terminal notify (OSC 9: the client lets it pass). The
/// text is one line without control characters, so it cannot end the sequence.
pub fn terminal_sequence(notice: &Notice) -> String {
    format!(
        "\u{1b}]9;Overnight: {}: {}\u{7}",
        notice.kind.name(),
        notice.text
    )
}

/// May notices be posted there? Encrypted, or on this machine.
pub fn is_address(text: &str) -> bool {
    const BYTES_MAX: usize = 2_000;
    let local = ["http://127.0.0.1", "http://localhost", "http://[::1]"];
    let host_ends = |rest: &str| rest.is_empty() || rest.starts_with([':', '/', '?']);
    let fits = text
        .strip_prefix("https://")
        .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '['))
        || local
            .iter()
            .any(|start| text.strip_prefix(start).is_some_and(host_ends));
    fits && text.len() <= BYTES_MAX && text.bytes().all(|byte| byte.is_ascii_graphic())
}

/// Text between the quotes of such a file.
pub(super) fn curl_quoted(text: &str) -> String {
    let text = text.replace('\\', "\\\\").replace('"', "\\\"");
    text.replace('\n', "\\n")
}

/// What `curl --config -` reads to post the notice: the address often holds a secret, and what
/// stands in arguments every user of the machine can see.
pub fn curl_config(post: Post<'_>, notice: &Notice) -> String {
    let mut config = format!("url = \"{}\"\n", curl_quoted(post.address()));
    let mut header = |name: &str, value: &str| {
        let line = curl_quoted(&format!("{name}: {value}"));
        let _ = writeln!(config, "header = \"{line}\"");
    };
    let body = match post {
        Post::Webhook(_) => {
            header("Content-Type", "application/json");
            json!(notice).to_string()
        }
        Post::Slack(_) => {
            header("Content-Type", "application/json");
            let text = format!("{}\n{}", notice.title(), notice.body());
            json!({ "text": escaped(&text) }).to_string()
        }
        Post::Ntfy(_, token) => {
            // Headers are ASCII; the body has the words as they are.
            header("Title", &ascii(&notice.title()));
            header(
                "Priority",
                if notice.kind <= Kind::Failed {
                    "high"
                } else {
                    "default"
                },
            );
            if let Some(link) = &notice.link {
                header("Click", &ascii(link));
            }
            if let Some(token) = token {
                header("Authorization", &format!("Bearer {token}"));
            }
            notice.body()
        }
    };
    let _ = writeln!(config, "data-raw = \"{}\"", curl_quoted(&body));
    config
}

/// Slack's own marks, so that a text mentions nobody.
fn escaped(text: &str) -> Value {
    let text = text.replace('&', "&amp;").replace('<', "&lt;");
    Value::String(text.replace('>', "&gt;"))
}

pub(super) fn ascii(text: &str) -> String {
    let shown = |c: char| {
        if c.is_ascii_graphic() || c == ' ' {
            c
        } else {
            '?'
        }
    };
    text.chars().map(shown).collect()
}
