//! Of an agent's details those that are about what failed, and about what it does now.

use super::subject::Subject;
use crate::activity::Activity;
use crate::report::Line;
use crate::summary::{Standing, Summary, Task, failing, screen};
use overnight_run::state::Iteration;

/// What failed in a run that nobody drives, with its message.
pub(super) fn failed(night: &Summary) -> Vec<String> {
    const TASKS_MAX: usize = 3;
    const MESSAGE_LINES: usize = 2;
    let tried = |task: &&Task| !matches!(task.standing, Standing::Waiting | Standing::NotBegun);
    let told: Vec<&Task> = night.open().filter(tried).collect();
    let more = told.len().saturating_sub(TASKS_MAX);
    let lines = told
        .into_iter()
        .take(TASKS_MAX)
        .flat_map(|task| screen::beside(night, task, MESSAGE_LINES))
        .map(|line| line.strip_prefix("  ").map_or(line.clone(), str::to_owned));
    let more = (more > 0).then(|| format!("and {more} more: overnight report {}", night.run));
    lines.chain(more).collect()
}

/// What refuted an iteration's claim, in the lines that tell most; of one under way, what refuted the
/// one before it on its task.
pub(super) fn message(agent: &Subject, line: &Line) -> Vec<String> {
    const LINES_MAX: usize = 2;
    let under_way = line.complete.is_none();
    let own = |past: &&Iteration| {
        if under_way {
            past.task == line.task
        } else {
            past.number == line.number
        }
    };
    let past = agent.state().history.iter().rev().find(own);
    let gates = past.map(|past| past.verdict.gates.iter());
    let Some(refuted) = gates.and_then(|mut gates| gates.find(|gate| !gate.passed())) else {
        return Vec::new();
    };
    let before = format!("  refuted before by `{}`", refuted.command);
    let lines = failing::of(refuted).into_iter().take(LINES_MAX);
    let lines = lines.map(|line| format!("    {line}"));
    Some(before)
        .filter(|_| under_way)
        .into_iter()
        .chain(lines)
        .collect()
}

/// What the agent said last, runs, and wrote, by its output.
pub(super) fn at_work(activity: &Activity, priced: (f64, u64)) -> Vec<String> {
    const FILES_MAX: usize = 4;
    let mut lines = Vec::new();
    lines.extend(
        activity
            .words
            .as_ref()
            .map(|words| format!("it says: {words}")),
    );
    lines.extend(
        activity
            .command
            .as_ref()
            .map(|command| format!("  $ {command}")),
    );
    if !activity.files.is_empty() {
        let newest = activity.files.iter().rev().take(FILES_MAX);
        let names: Vec<&str> = newest.map(String::as_str).collect();
        let more = match activity.files.len().saturating_sub(FILES_MAX) {
            0 => String::new(),
            more => format!(", and {more} more"),
        };
        lines.push(format!("  wrote {}{more}", names.join(", ")));
    }
    let tokens = activity.tokens();
    if tokens > 0 {
        let usd = activity.about_usd(priced);
        lines.push(format!(
            "  {tokens} tokens, about ${usd:.2} so far (an estimate by its stream)"
        ));
    }
    lines
}
