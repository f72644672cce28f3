//! A status as a person reads it.

use super::{Breaker, Limit, Status};
use crate::breaker::State;
use crate::duration;
use std::time::Duration;

/// The status in lines. `time` shows a Unix time in milliseconds in the reader's zone.
pub fn text(status: &Status, now: u64, time: &dyn Fn(u64) -> String) -> String {
    let mut lines = vec![format!(
        "run {}: {}, iteration {} of {}",
        status.run,
        status.state.name(),
        status.iteration,
        status.iterations_max
    )];
    let mut add = |label: &str, text: String| lines.push(format!("  {label:<10}{text}"));
    if let Some(summary) = &status.summary {
        add(
            "ended",
            format!("{} ({})", time(status.updated_ms), summary),
        );
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
    for (at, need) in status.needs_you.iter().enumerate() {
        add(if at == 0 { "needs you" } else { "" }, need.what.clone());
        for command in &need.commands {
            add("", format!("  {command}"));
        }
    }
    lines.join("\n") + "\n" + &work(status, now, time)
}

/// What is worked on, how it goes, and where more stands.
fn work(status: &Status, now: u64, time: &dyn Fn(u64) -> String) -> String {
    let mut lines = Vec::new();
    let mut add = |label: &str, text: String| lines.push(format!("  {label:<10}{text}"));
    add("goal", status.goal.clone());
    if let Some(task) = &status.task {
        add(
            "task",
            format!("{}, last change {} ago", task.id, ago(task.for_ms)),
        );
    }
    let tasks = status.tasks;
    add(
        "tasks",
        format!(
            "{} done, {} doing, {} blocked, {} left",
            tasks.done, tasks.doing, tasks.blocked, tasks.left
        ),
    );
    for blocked in &status.blocked {
        add(
            "",
            format!("  {} is blocked: {}", blocked.task, blocked.reason),
        );
    }
    if let Some(breaker) = &status.breaker {
        add("breaker", self::breaker(breaker));
    }
    if let Some(tests) = status.tests {
        add(
            "tests",
            format!(
                "{} passed, {} failed, {} skipped",
                tests.passed, tests.failed, tests.skipped
            ),
        );
    }
    if let Some(limit) = &status.limit {
        add("limit", self::limit(limit, now, time));
    }
    let budget = status
        .cost
        .budget_usd
        .map(|budget| format!(" of ${budget:.2}"));
    add(
        "cost",
        format!("${:.2}{}", status.cost.usd, budget.unwrap_or_default()),
    );
    if let Some(session) = &status.session {
        add("session", session.clone());
    }
    add("journal", status.journal.clone());
    add("logs", status.logs.clone());
    lines.join("\n") + "\n"
}

/// A wait, with when it is over.
pub(crate) fn limit(limit: &Limit, now: u64, time: &dyn Fn(u64) -> String) -> String {
    let until = limit.until_ms.map_or_else(
        || "reset unknown".to_owned(),
        |until| {
            let left = ago(until.saturating_sub(now));
            format!("until {} (in {left})", time(until))
        },
    );
    format!("{}, {until}", limit.cause)
}

/// The breaker's state, reason and counters.
pub(crate) fn breaker(breaker: &Breaker) -> String {
    let state = match breaker.state {
        State::Closed => "closed".to_owned(),
        State::Open => format!("open for {} more", ago(breaker.cool_down_ms)),
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

/// A span without what nobody reads: seconds below an hour, minutes above.
pub(crate) fn ago(ms: u64) -> String {
    let unit = if ms < 3_600_000 { 1_000 } else { 60_000 };
    duration::show(Duration::from_millis(ms / unit * unit))
}
