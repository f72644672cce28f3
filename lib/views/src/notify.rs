//! What a person is told at once, and when it is kept back.

mod answers;
mod channel;
mod quiet;
mod sent;

use crate::report::words::{dollars, sentence};
use crate::report::{Clock, clean};
use crate::summary::{self, Ending, Need, NeedKind, Summary, Task, broken_off, screen};
use overnight_run::classify::Class;
use overnight_run::event::Door;
use overnight_run::step::{Reason, WaitCause};
use overnight_run::{State, resume};
use serde::{Deserialize, Serialize};
use std::fmt::Write;

pub use answers::Answers;
pub use channel::{Post, curl_config, is_address, terminal_sequence};
use channel::{ascii, curl_quoted};
pub use quiet::Quiet;
pub use sent::SentLog;

/// Needs that are written out in one notice; the rest is counted.
const NEEDS_MAX: usize = 5;
/// Lines of a refuted task's message in a notice.
const MESSAGE_LINES: usize = 2;

/// What a notice is about, most urgent first. Nothing else is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
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
    /// A person tries whether they are reached.
    Test,
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
            Self::Test => "test",
        }
    }
}

/// One notice: every text is one bounded line without control characters, secrets replaced.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Notice {
    /// What tells it from every other: of a question its number, of an end its run.
    pub key: String,
    /// What it is about.
    pub kind: Kind,
    /// The project's name.
    pub project: String,
    /// The run.
    pub run: String,
    /// What happened.
    pub text: String,
    /// The run in one sentence.
    pub sentence: String,
    /// Tasks that are done.
    pub done: usize,
    /// Tasks in all.
    pub total: usize,
    /// Dollars.
    pub cost_usd: f64,
    /// Is a part of them an estimate?
    pub estimated: bool,
    /// What waits for the person, and the message of what failed, one line each.
    pub needs: Vec<String>,
    /// What to type about it.
    pub commands: Vec<String>,
    /// The pull request's address.
    pub link: Option<String>,
    /// The question that it is about, where its answer may come from outside: a driver hears it, and
    /// walls keep agents from giving it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ask: Option<String>,
}

impl Notice {
    /// Its first line.
    pub fn title(&self) -> String {
        let left = self.kind == Kind::Finished && self.done < self.total;
        let title = if left {
            "ended with work left"
        } else {
            self.kind.name()
        };
        format!("Overnight: {title}")
    }

    /// Its text in lines.
    pub fn body(&self) -> String {
        let mut body = format!("{}\n{}: {}", self.text, self.project, self.sentence);
        if self.kind != Kind::Test {
            let about = if self.estimated { "about " } else { "" };
            let (done, total, usd) = (self.done, self.total, dollars(self.cost_usd));
            let _ = write!(body, "\n{done} of {total} tasks done, {about}{usd}");
        }
        // The message of what the text is about stands in the text.
        let said = |line: &&String| {
            let message = line.split_once(": ").map(|(_, message)| message);
            message.is_some_and(|message| self.text.contains(message))
        };
        let needs = self.needs.iter().filter(|line| !said(line));
        for line in needs.chain(&self.commands).chain(&self.link) {
            let _ = write!(body, "\n{line}");
        }
        body
    }
}

/// Everything that there is to tell of a run now, most urgent first: each question and each need that
/// an agent told of by itself, then the run's end, or its wait.
pub fn notices(state: &State, summary: &Summary, project: &str, clock: &Clock) -> Vec<Notice> {
    let blank = |key: String, kind: Kind, text: &str| Notice {
        key: format!("{}/{key}", summary.run),
        kind,
        project: clean(project),
        run: summary.run.clone(),
        text: clean(text),
        sentence: sentence(summary, clock),
        done: summary.done.all(),
        total: summary.total,
        cost_usd: summary.cost.usd,
        estimated: summary.cost.estimated,
        needs: Vec::new(),
        commands: Vec::new(),
        link: summary.pull_request.as_ref().and_then(|pr| pr.url.clone()),
        ask: None,
    };
    let door = state.run.as_ref().map(|run| run.door);
    let heard = door == Some(Door::Driver) && state.config.walls.is_some();
    let asked = summary.needs.iter().filter(|need| at_once(need));
    let mut told: Vec<Notice> = asked
        .map(|need| Notice {
            commands: need.commands.clone(),
            ask: Some(need.key()).filter(|_| heard && need.kind == NeedKind::Question),
            ..blank(need.key(), Kind::NeedsYou, &need.what)
        })
        .collect();
    if let Some((key, kind, text, commands)) = end(state, summary, clock) {
        told.push(Notice {
            needs: needs(summary, &text),
            commands,
            ..blank(key, kind, &text)
        });
    }
    told
}

/// Is it told as soon as it is there? The others are told with the run's end.
fn at_once(need: &Need) -> bool {
    matches!(
        need.kind,
        NeedKind::Question | NeedKind::Agent | NeedKind::Words
    )
}

/// What waits for the person beside what the text says, and the messages of what was refuted.
fn needs(summary: &Summary, text: &str) -> Vec<String> {
    let refuted: Vec<_> = summary
        .open()
        .filter_map(|task| Some((task, task.refuted_by.as_ref()?)))
        .collect();
    let told = &refuted[..refuted.len().min(NEEDS_MAX)];
    let below = |task: &&Task| told.iter().any(|(of, _)| of == task);
    let others = summary
        .needs
        .iter()
        .filter(|need| !text.contains(&need.what));
    let mut lines: Vec<String> = others
        .clone()
        .take(NEEDS_MAX)
        .map(|need| need.beside(summary.about(need).filter(below)))
        .map(|what| format!("needs you: {what}"))
        .collect();
    let more = others.count().saturating_sub(NEEDS_MAX);
    if more > 0 {
        lines.push(format!("and {more} more: overnight status {}", summary.run));
    }
    for (task, gate) in told {
        for line in screen::message(&gate.lines, MESSAGE_LINES) {
            lines.push(format!("{}: {line}", task.id));
        }
    }
    let more = refuted.len() - told.len();
    if more > 0 {
        let run = &summary.run;
        lines.push(format!("and {more} more refuted: overnight report {run}"));
    }
    lines
}

type End = (String, Kind, String, Vec<String>);

/// The run's end, or what holds it: the most urgent first.
fn end(state: &State, summary: &Summary, clock: &Clock) -> Option<End> {
    let run = &summary.run;
    let key = format!("end-{}", state.epoch);
    let held = summary.needs.iter().find(|need| !at_once(need));
    let over = state.finished.is_some() || summary.ending == Ending::Crashed;
    let broken_off = broken_off(state);
    if let Some(need) = held.filter(|_| over || broken_off.is_some()) {
        let kind = match &state.finished {
            Some(Reason::Blocked(_)) => Kind::Blocked,
            Some(Reason::BreakerOpen(_)) => Kind::Failed,
            None if summary.ending == Ending::Crashed => Kind::Failed,
            _ => broken_off.map_or(Kind::NeedsYou, |outcome| kind_of(outcome.class)),
        };
        let resets = broken_off
            .filter(|_| kind == Kind::UsageLimit)
            .and_then(|outcome| u64::try_from(outcome.resets_at?).ok())
            .map(|at| format!(" ({})", clock.time(at.saturating_mul(1_000))));
        let text = format!("{}{}", need.what, resets.unwrap_or_default());
        return Some((key_of(kind, key), kind, text, need.commands.clone()));
    }
    let resume = || vec![resume::command(state)];
    match (&state.finished, state.waiting) {
        (Some(reason @ Reason::UsageLimit(_)), _) => {
            let text = summary::ended(state, reason, clock);
            Some((
                key_of(Kind::UsageLimit, key),
                Kind::UsageLimit,
                text,
                resume(),
            ))
        }
        (Some(Reason::Interrupted(_) | Reason::SessionEnded | Reason::Stopped), _) => None,
        // What it waits for was told when it came up; now nothing else is left to do.
        (Some(Reason::NeedsPerson(_)), _) if !summary.needs.is_empty() => {
            let need = &summary.needs[0];
            let text = format!("the run waits for you: {}", need.what);
            Some((key, Kind::NeedsYou, text, need.commands.clone()))
        }
        (Some(reason), _) => {
            let report = vec![format!("overnight report {run}")];
            let ended = summary::ended(state, reason, clock);
            Some((key, Kind::Finished, ended, report))
        }
        (None, Some((until, WaitCause::UsageLimit))) => {
            let text = format!("at the usage limit, goes on at {}", clock.time(until));
            Some((
                key_of(Kind::UsageLimit, key),
                Kind::UsageLimit,
                text,
                Vec::new(),
            ))
        }
        _ => None,
    }
}

/// A usage limit is the account's, not the run's.
fn key_of(kind: Kind, key: String) -> String {
    match kind {
        Kind::UsageLimit => kind.name().to_owned(),
        _ => key,
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

/// What quiet hours held back, as one notice; `None` where there was nothing.
pub fn digest(held: &[Notice]) -> Option<Notice> {
    let first = held.iter().min_by_key(|notice| notice.kind)?;
    let last = held.last()?;
    let told: Vec<String> = held
        .iter()
        .map(|notice| format!("{}: {}", notice.kind.name(), notice.text))
        .collect();
    Some(match held {
        [one] => one.clone(),
        _ => Notice {
            text: clean(&format!(
                "{} things happened in the quiet hours, the most urgent: {}",
                held.len(),
                first.text
            )),
            kind: first.kind,
            needs: told,
            commands: first.commands.clone(),
            ..last.clone()
        },
    })
}

/// What `overnight notify --test` sends.
pub fn trial(project: &str) -> Notice {
    Notice {
        key: "test".to_owned(),
        kind: Kind::Test,
        project: clean(project),
        run: String::new(),
        text: "this is a test: notices of your runs come this way".to_owned(),
        sentence: "sent by overnight notify --test".to_owned(),
        done: 0,
        total: 0,
        cost_usd: 0.0,
        estimated: false,
        needs: Vec::new(),
        commands: vec!["overnight status".to_owned()],
        link: None,
        ask: None,
    }
}

#[cfg(test)]
mod tests;
