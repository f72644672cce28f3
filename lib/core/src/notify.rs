//! What a person is told at once, and when it is kept back.

use crate::classify::Class;
use crate::report::{Clock, clean};
use crate::run::step::{Reason, WaitCause};
use crate::run::{State, progress};
use crate::status::{Life, broken_off, needs};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The same cause is told again after this long.
const AGAIN_MS: u64 = 30 * 60_000;
const MINUTES_A_DAY: u16 = 24 * 60;

/// What a notice is about, most urgent first. Nothing else is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// A person has to answer something.
    NeedsYou,
    /// Nothing is left that may be worked on.
    Blocked,
    /// The circuit breaker, or the driver's death.
    Failed,
    /// The usage limit, with when it goes on.
    UsageLimit,
    /// The run ended.
    Finished,
}

impl Kind {
    /// Its name for a person.
    pub fn name(self) -> &'static str {
        match self {
            Self::NeedsYou => "needs you",
            Self::Blocked => "blocked",
            Self::Failed => "failed",
            Self::UsageLimit => "usage limit",
            Self::Finished => "finished",
        }
    }
}

/// One notice: every text is one bounded line without control characters, secrets replaced.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Notice {
    /// What it is about.
    pub kind: Kind,
    /// The run.
    pub run: String,
    /// What happened.
    pub text: String,
    /// What to type about it.
    pub commands: Vec<String>,
}

/// The most urgent thing that there is to tell of a run, with the guard's open questions (id and
/// call).
pub fn notice(
    state: &State,
    life: Life,
    questions: &[(String, String)],
    clock: &Clock,
) -> Option<Notice> {
    let run = state.run.as_ref().map_or("", |run| run.id.as_str());
    let tell = |kind, text: &str, commands| {
        Some(Notice {
            kind,
            run: run.to_owned(),
            text: clean(text),
            commands,
        })
    };
    let needs = needs(state, life, questions);
    if let Some(need) = needs.first() {
        let broken_off = broken_off(state).filter(|_| questions.is_empty());
        let kind = match (&state.finished, life) {
            _ if !questions.is_empty() => Kind::NeedsYou,
            (Some(Reason::Blocked(_)), _) => Kind::Blocked,
            (Some(Reason::BreakerOpen(_)), _) | (None, Life::Crashed) => Kind::Failed,
            _ => broken_off.map_or(Kind::NeedsYou, |outcome| kind_of(outcome.class)),
        };
        let resets = broken_off
            .filter(|_| kind == Kind::UsageLimit)
            .and_then(|outcome| u64::try_from(outcome.resets_at?).ok())
            .map(|at| format!(" ({})", clock.time(at.saturating_mul(1_000))));
        let text = format!("{}{}", need.what, resets.unwrap_or_default());
        return tell(kind, &text, need.commands.clone());
    }
    let resume = || vec![format!("overnight run --resume {run}")];
    match (&state.finished, state.waiting) {
        (Some(reason @ Reason::UsageLimit(_)), _) => {
            tell(Kind::UsageLimit, &progress::sentence(reason), resume())
        }
        (Some(Reason::Interrupted(_) | Reason::SessionEnded), _) => None,
        (Some(reason), _) => {
            let report = vec![format!("overnight report {run}")];
            tell(Kind::Finished, &progress::sentence(reason), report)
        }
        (None, Some((until, WaitCause::UsageLimit))) => {
            let text = format!("at the usage limit, goes on at {}", clock.time(until));
            tell(Kind::UsageLimit, &text, Vec::new())
        }
        _ => None,
    }
}

/// What the end of a session's turn is about.
fn kind_of(class: Class) -> Kind {
    match class {
        Class::Auth | Class::Billing => Kind::NeedsYou,
        Class::UsageLimit => Kind::UsageLimit,
        _ => Kind::Failed,
    }
}

/// What was told lately: by cause, with Unix times in milliseconds.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Told(BTreeMap<String, u64>);

impl Told {
    /// May it be told now? Once per cause in 30 min; if so it counts as told.
    pub fn take(&mut self, notice: &Notice, now: u64) -> bool {
        // A clock that was set back must not keep anything for longer.
        self.0.retain(|_, at| *at <= now && now - *at < AGAIN_MS);
        // A restarted run is the same cause; so is a limit whose reset is known more exactly.
        let cause = match notice.kind {
            Kind::UsageLimit => notice.kind.name().to_owned(),
            kind => format!("{}: {}", kind.name(), notice.text),
        };
        let new = !self.0.contains_key(&cause);
        if new {
            self.0.insert(cause, now);
        }
        new
    }
}

/// The hours of a day in which nothing is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Quiet {
    from: u16,
    until: u16,
}

impl Quiet {
    /// Reads `22:00-07:00`: from the first minute to before the second, over midnight if need be.
    pub fn parse(text: &str) -> Option<Self> {
        let (from, until) = text.split_once('-')?;
        let (from, until) = (minute(from)?, minute(until)?);
        (from != until).then_some(Self { from, until })
    }

    /// Is this minute of the day within them?
    pub fn holds(self, minute: u16) -> bool {
        let minute = minute % MINUTES_A_DAY;
        if self.from < self.until {
            (self.from..self.until).contains(&minute)
        } else {
            minute >= self.from || minute < self.until
        }
    }
}

/// `07:30` as a minute of the day.
fn minute(text: &str) -> Option<u16> {
    let (hours, minutes) = text.trim().split_once(':')?;
    let number = |text: &str, below: u16| -> Option<u16> {
        let digits = text.len() == 2 && text.bytes().all(|byte| byte.is_ascii_digit());
        text.parse().ok().filter(|number| digits && *number < below)
    };
    Some(number(hours, 24)? * 60 + number(minutes, 60)?)
}

/// The sequence that makes a terminal notify (OSC 9: the client lets it pass, hostile.md P11). The
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

/// What `curl --config -` reads to post the notice: the address often holds a secret, and what
/// stands in arguments every user of the machine can see.
pub fn curl_config(address: &str, notice: &Notice) -> String {
    let body = serde_json::to_string(notice).unwrap_or_default();
    let quoted = |text: &str| text.replace('\\', "\\\\").replace('"', "\\\"");
    format!(
        "url = \"{}\"\nheader = \"Content-Type: application/json\"\ndata-raw = \"{}\"\n",
        quoted(address),
        quoted(&body)
    )
}

#[cfg(test)]
mod tests;
