//! The figures as a person reads them.

use super::{Mention, Spread, Stats};
use crate::report::words::dollars;
use overnight_base::duration;
use std::collections::BTreeMap;
use std::time::Duration;

/// Needs and messages that are shown.
const TOLD_MAX: usize = 8;

/// The figures in lines.
pub fn text(stats: &Stats) -> String {
    let mut lines = Vec::new();
    let mut add = |label: &str, text: String| lines.push(format!("{label:<18}{text}\n"));
    let running = stats.runs - stats.ended;
    add(
        "runs",
        format!(
            "{} ({} ended, {running} under way)",
            stats.runs, stats.ended
        ),
    );
    add(
        "completed",
        match stats.success_rate {
            Some(rate) => format!("{:.0} % (n = {})", rate * 100.0, stats.ended),
            None => format!(
                "{} of {}: too few runs for a rate",
                stats.completed, stats.ended
            ),
        },
    );
    if !stats.ends.is_empty() {
        add("ends", list(&stats.ends));
    }
    let tasks = if stats.tasks_total == 1 {
        "task"
    } else {
        "tasks"
    };
    let (done, total, proved) = (stats.tasks_all_done, stats.tasks_total, stats.tasks_proved);
    add(
        "tasks",
        format!("{done} of {total} {tasks} done, {proved} of them with a proof"),
    );
    for (label, all) in [("needs you", &stats.needs), ("refuted", &stats.refuted)] {
        add_told(&mut add, label, all);
    }
    if let Some(spread) = &stats.iterations {
        add("iterations", numbers(spread));
    }
    add(
        "blocks",
        if stats.blocks.is_empty() {
            "none".to_owned()
        } else {
            list(&stats.blocks)
        },
    );
    if let Some(spread) = &stats.first_block_ms {
        add(
            "first block after",
            format!(
                "median {}, p90 {} (n = {})",
                time(spread.median),
                time(spread.p90),
                spread.n
            ),
        );
    }
    lines.concat() + &effort(stats)
}

/// The newest runs' first; a line for each, then how many more there are.
fn add_told(add: &mut impl FnMut(&str, String), label: &str, all: &[Mention]) {
    let mut label = label;
    for told in all.iter().rev().take(TOLD_MAX) {
        let about = told
            .task
            .as_deref()
            .filter(|task| !told.what.contains(task));
        let about = about.map_or(String::new(), |task| format!(" {task}"));
        add(label, format!("{}{about}: {}", told.run, told.what));
        label = "";
    }
    if all.len() > TOLD_MAX {
        let more = all.len() - TOLD_MAX;
        add("", format!("and {more} more: overnight stats --json"));
    }
}

/// What the runs took: time, refused calls, output, money.
fn effort(stats: &Stats) -> String {
    let mut lines = Vec::new();
    let mut add = |label: &str, text: String| lines.push(format!("{label:<18}{text}\n"));
    let each = stats.iteration_ms.map_or_else(String::new, |mean| {
        format!(" ({} an iteration in the mean)", time(mean))
    });
    add(
        "time",
        format!(
            "working {}{each}, waiting {}, at the usage limit {}",
            time(stats.working_ms),
            time(stats.waiting_ms),
            time(stats.limited_ms)
        ),
    );
    let guard = stats.guard;
    add(
        "guard",
        format!(
            "allowed {}, asked {}, denied {}; calls refused in all {}",
            guard.allowed, guard.asked, guard.denied, stats.refused
        ),
    );
    let lines_saved = stats.filter.lines_in.saturating_sub(stats.filter.lines_out);
    add(
        "filter saved",
        format!(
            "{lines_saved} lines, about {} tokens (bytes / 4), since the project began",
            stats.filter_tokens_saved
        ),
    );
    let each = [
        (stats.cost_per_task_usd, stats.tasks_done, "finished"),
        (stats.cost_per_proved_task_usd, stats.tasks_proved, "proved"),
    ];
    let each = each.into_iter().filter_map(|(usd, tasks, word)| {
        let usd = dollars(usd?);
        let noun = if tasks == 1 { "task" } else { "tasks" };
        Some(format!(", {usd} for each of {tasks} {word} {noun}"))
    });
    add(
        "cost",
        format!(
            "{}{}{}",
            if stats.estimated { "about " } else { "" },
            dollars(stats.cost_usd),
            each.collect::<String>()
        ),
    );
    lines.concat()
}

fn list(counts: &BTreeMap<&'static str, usize>) -> String {
    let entries = counts.iter().map(|(name, count)| format!("{name} {count}"));
    entries.collect::<Vec<_>>().join(", ")
}

fn numbers(spread: &Spread) -> String {
    format!(
        "mean {:.1}, median {}, p90 {} (n = {})",
        spread.mean, spread.median, spread.p90, spread.n
    )
}

/// Whole seconds below an hour, whole minutes above.
fn time(ms: u64) -> String {
    let unit = if ms < 3_600_000 { 1_000 } else { 60_000 };
    duration::show(Duration::from_millis(ms / unit * unit))
}
