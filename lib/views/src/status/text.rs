//! A status as a person reads it.

use super::{Breaker, Doing, Life, Limit, Member, Merges, Past, Status};
use crate::report::words::{count, dollars, length};
use crate::summary::{Ending, Standing, Summary, Task, machines, screen};
use overnight_run::breaker::State;
use overnight_run::event::Context;
use std::fmt::Write;

/// The status in lines. `time` shows a Unix time in milliseconds in the reader's zone.
pub fn text(status: &Status, night: &Summary, now: u64, time: &dyn Fn(u64) -> String) -> String {
    let (iteration, most) = (status.iteration, status.iterations_max);
    let far = match status.members.len() {
        0 => format!("iteration {iteration} of {most}"),
        members => format!(
            "{}, {}, at most {most} a task",
            count(members, "member"),
            count(iteration, "iteration")
        ),
    };
    let mut lines = vec![format!(
        "run {}: {}, {far}",
        status.run,
        status.state.name()
    )];
    let mut add = |label: &str, text: String| lines.push(format!("  {label:<10}{text}"));
    if let Some(summary) = &status.summary {
        // What is said to a run that is over is no later end.
        let (label, when) = match status.state {
            Life::Paused => ("since", status.updated_ms),
            _ => ("ended", night.ended_ms),
        };
        add(label, format!("{} ({})", time(when), summary));
    }
    if status.torn_bytes > 0 {
        let bytes = status.torn_bytes;
        add(
            "journal",
            format!(
                "its last record was cut off in the middle ({bytes} bytes); all before it holds"
            ),
        );
    }
    let mut told: Vec<&String> = Vec::new();
    for (at, need) in status.needs_you.iter().enumerate() {
        let what = need.beside(night.about(need)).to_owned();
        add(if at == 0 { "needs you" } else { "" }, what);
        for command in &need.commands {
            // How the run goes on is said once.
            if !told.contains(&command) {
                add("", format!("  {command}"));
                told.push(command);
            }
        }
    }
    for line in screen::alive(night) {
        add("alive", line);
    }
    lines.join("\n") + "\n" + &work(status, night, now, time)
}

/// What is worked on, and how it goes.
fn work(status: &Status, night: &Summary, now: u64, time: &dyn Fn(u64) -> String) -> String {
    let mut lines = Vec::new();
    let mut add = |label: &str, text: String| lines.push(format!("  {label:<10}{text}"));
    add("goal", status.goal.clone());
    if let Some(task) = &status.task {
        add(
            "task",
            format!("{}, last change {} ago", task.id, length(task.for_ms)),
        );
    }
    let tasks = status.tasks;
    let counted = match tasks.all() {
        0 => tasks.done_of(),
        _ => format!(
            "{} done, {} doing, {} blocked, {} left",
            tasks.done, tasks.doing, tasks.blocked, tasks.left
        ),
    };
    add("tasks", counted);
    let members = status.members.iter();
    for (label, line) in labelled("members", members.map(|one| member(one, now, time))) {
        add(label, line);
    }
    for (label, line) in labelled("machines", machines::lines(night).into_iter()) {
        add(label, line);
    }
    if let Some(merges) = merges(&status.merges) {
        add("merge", merges);
    }
    if night.ending != Ending::Running {
        add("sum", screen::total(night));
    }
    for line in open(night) {
        add("", line);
    }
    for line in screen::work(night) {
        match line.split_once(": ") {
            Some(("work", what)) => add("work", what.to_owned()),
            _ => add("", line),
        }
    }
    if let Some(breaker) = &status.breaker {
        add("breaker", self::breaker(breaker));
    }
    if let Some(tests) = status.tests {
        add("tests", tests.words());
    }
    for (label, line) in labelled("history", status.history.iter().map(|one| past(one, time))) {
        add(label, line);
    }
    if let Some(limit) = &status.limit {
        add("limit", self::limit(limit, now, time));
    }
    lines.join("\n") + "\n" + &rest(status, night)
}

/// The tasks that an iteration worked on and that are not done: why, with the message, and the
/// agent's words.
fn open(night: &Summary) -> Vec<String> {
    /// Tasks that are told in full, and lines of the message of each.
    const TASKS_MAX: usize = 20;
    const MESSAGE_LINES: usize = 4;
    let quiet = |task: &&Task| {
        !matches!(
            task.standing,
            Standing::Waiting | Standing::NotBegun | Standing::AtWork
        )
    };
    let told: Vec<&Task> = night.open().filter(quiet).collect();
    let shown = told.iter().take(TASKS_MAX);
    let mut lines: Vec<String> = shown
        .flat_map(|task| screen::beside(night, task, MESSAGE_LINES))
        .collect();
    if told.len() > TASKS_MAX {
        let more = told.len() - TASKS_MAX;
        lines.push(format!("  and {more} more: overnight report {}", night.run));
    }
    lines
}

/// What it cost, and where more stands.
fn rest(status: &Status, night: &Summary) -> String {
    let mut lines = Vec::new();
    let mut add = |label: &str, text: String| lines.push(format!("  {label:<10}{text}"));
    let budget = status
        .cost
        .budget_usd
        .map(|budget| format!(" of ${budget:.2}"));
    add(
        "cost",
        format!(
            "{}{}{}",
            if night.cost.estimated { "about " } else { "" },
            dollars(status.cost.usd),
            budget.unwrap_or_default()
        ),
    );
    if let Some(context) = status.context {
        add("context", self::context(context));
    }
    if let Some(session) = &status.session {
        add("session", session.clone());
    }
    // A run of another machine has them there.
    if !status.journal.is_empty() {
        add("journal", status.journal.clone());
        add("logs", status.logs.clone());
    }
    lines.join("\n") + "\n"
}

/// Lines of which the first has a label.
fn labelled<'l>(
    label: &'l str,
    lines: impl Iterator<Item = String> + 'l,
) -> impl Iterator<Item = (&'l str, String)> {
    lines
        .enumerate()
        .map(move |(at, line)| (if at == 0 { label } else { "" }, line))
}

/// A member in a line: what it does, on what, how far, since when.
pub(crate) fn member(member: &Member, now: u64, time: &dyn Fn(u64) -> String) -> String {
    let (agent, state, since) = (&member.agent, member.state.name(), length(member.for_ms));
    let task = member.task.as_deref().unwrap_or_default();
    if member.state == Doing::Free {
        let last = member
            .last
            .map(|end| format!(", last {task} ({end})"))
            .unwrap_or_default();
        return format!("{agent}: {state} for {since}{last}");
    }
    let rework = match member.rework {
        0 => String::new(),
        _ => ", putting its merge right".to_owned(),
    };
    let mut text = format!(
        "{agent}: {state} on {task} for {since}, iteration {} of {}{rework}",
        member.iteration, member.iterations_max,
    );
    // What its first iteration costs its journal does not know yet.
    if member.cost_usd > 0.0 {
        let _ = write!(text, ", {}", dollars(member.cost_usd));
    }
    if let Some(context) = member.context {
        let _ = write!(text, ", context {}", self::context(context));
    }
    if let Some(breaker) = member
        .breaker
        .as_ref()
        .filter(|breaker| breaker.state != State::Closed)
    {
        let _ = write!(text, ", breaker {}", self::breaker(breaker));
    }
    if let Some(limit) = &member.limit {
        let _ = write!(text, ", {}", self::limit(limit, now, time));
    }
    text
}

/// What is being merged, and what waits for that.
fn merges(merges: &Merges) -> Option<String> {
    let now = merges.merging.as_ref().map(|tasks| {
        let verb = if tasks.contains(", ") { "are" } else { "is" };
        format!("{tasks} {verb} being merged")
    });
    let waiting = (!merges.waiting.is_empty())
        .then(|| format!("waiting for it: {}", merges.waiting.join(", ")));
    let parts: Vec<String> = now.into_iter().chain(waiting).collect();
    (!parts.is_empty()).then(|| parts.join("; "))
}

/// An iteration that was judged.
fn past(past: &Past, time: &dyn Fn(u64) -> String) -> String {
    let verdict = if past.complete {
        "complete"
    } else {
        "incomplete"
    };
    let reason = match past.reason.as_str() {
        "" => String::new(),
        reason => format!(", {reason}"),
    };
    format!(
        "{} {} on {}: {verdict}{reason}",
        time(past.ended_ms),
        past.iteration,
        past.task
    )
}

/// How full a context window is.
fn context(context: Context) -> String {
    let tokens = context.tokens;
    let Some(window) = context.window else {
        return format!("{tokens} tokens");
    };
    let percent = tokens.saturating_mul(100) / window.max(1);
    format!("{percent} % ({tokens} of {window} tokens)")
}

/// A wait, with when it is over.
pub(crate) fn limit(limit: &Limit, now: u64, time: &dyn Fn(u64) -> String) -> String {
    let until = limit.until_ms.map_or_else(
        || "reset unknown".to_owned(),
        |until| {
            let left = length(until.saturating_sub(now));
            format!("until {} (in {left})", time(until))
        },
    );
    format!("{}, {until}", limit.cause)
}

/// The breaker's state, reason and counters.
pub(crate) fn breaker(breaker: &Breaker) -> String {
    let state = match breaker.state {
        State::Closed => "closed".to_owned(),
        State::Open => format!("open for {} more", length(breaker.cool_down_ms)),
        State::HalfOpen => "half-open".to_owned(),
    };
    let why = breaker
        .reason
        .map(|reason| format!(", {}", reason.sentence()));
    let (progress, error, denials) = (breaker.no_progress, breaker.same_error, breaker.denials);
    format!(
        "{state}{} (no progress {}/{}, same error {}/{}, denials {}/{})",
        why.unwrap_or_default(),
        progress.0,
        progress.1,
        error.0,
        error.1,
        denials.0,
        denials.1
    )
}
