//! When it happened: timeline, faults, figures, every iteration.

use super::escape::text;
use super::part::Part;
use crate::report::words::{self, count, dollars, length};
use crate::report::{Clock, Facts, Line, Pause, Report};
use overnight_run::cell::met;
use overnight_run::step::WaitCause;
use std::fmt::Write;

/// Bytes of the parts.
const TIMELINE_BYTES: usize = 4_000;
const WRONG_BYTES: usize = 2_000;
const FIGURES_BYTES: usize = 2_000;
const ITERATIONS_BYTES: usize = 6_000;

/// Everything below what changed.
pub(super) fn write(out: &mut String, report: &Report, facts: &Facts, clock: &Clock) {
    timeline(out, report, clock);
    wrong(out, report);
    figures(out, report, facts);
    iterations(out, report, clock);
}

fn timeline(out: &mut String, report: &Report, clock: &Clock) {
    let _ = writeln!(
        out,
        "\n## Timeline\n\nFrom {} to {}.\n",
        clock.time(report.started),
        clock.time(report.ended)
    );
    let mut part = Part::new(TIMELINE_BYTES);
    members(&mut part, report, clock);
    // Pauses between iterations are many and tell nothing one by one.
    let planned = words::cause(WaitCause::Interval);
    let (planned, told): (Vec<&Pause>, Vec<&Pause>) = report
        .pauses
        .iter()
        .partition(|pause| pause.cause == planned);
    if !planned.is_empty() {
        let lasted = planned
            .iter()
            .map(|pause| pause.until.saturating_sub(pause.from));
        let (times, lasted) = (count(planned.len(), "interval"), length(lasted.sum()));
        part.push(&format!("- {times} between iterations, {lasted} in all\n"));
    }
    part.push_each(told, |pause| format!("- {}\n", words::pause(pause, clock)));
    part.push_each(&report.openings, |opening| {
        let task = text(&opening.task);
        format!("- {}\n", words::opening(opening, &task, clock))
    });
    out.push_str(&part.finish(&report.run));
}

/// Who did how much, and which task when.
fn members(part: &mut Part, report: &Report, clock: &Clock) {
    if report.members.is_empty() {
        return;
    }
    let mut table = "| Member | Tasks done | Iterations | Cost | With a task | Waiting |\n| --- | ---: | ---: | ---: | ---: | ---: |\n".to_owned();
    for sum in &report.members {
        let _ = writeln!(
            table,
            "| member {} | {} | {} | {} | {} | {} |",
            sum.member,
            sum.done,
            sum.iterations,
            dollars(sum.cost_usd),
            length(sum.at_work_ms),
            length(sum.waited_ms)
        );
    }
    table.push('\n');
    part.push(&table);
    for assignment in &report.assignments {
        let task = text(&assignment.task);
        part.push(&format!(
            "- {}\n",
            words::assignment(assignment, &task, clock)
        ));
    }
}

fn wrong(out: &mut String, report: &Report) {
    out.push_str("\n## What went wrong\n\n");
    if report.wrong.is_empty() {
        out.push_str("Nothing that was noticed.\n");
    }
    let mut part = Part::new(WRONG_BYTES);
    for (what, times) in report.worst() {
        part.push(&format!("- {times} × {what}\n"));
    }
    out.push_str(&part.finish(&report.run));
}

/// Refused paths that are named.
const WALLED_MAX: usize = 20;

fn figures(out: &mut String, report: &Report, facts: &Facts) {
    let totals = &report.totals;
    let _ = writeln!(
        out,
        "\n## Figures\n\nWorking {}, waiting {}, at the usage limit {}{}.\n",
        length(totals.worked_ms),
        length(totals.waited_ms),
        length(totals.limited_ms),
        words::per_proved(report.night.cost)
    );
    for line in &report.proved_with {
        let _ = writeln!(out, "- {}", text(line));
    }
    if !report.proved_with.is_empty() {
        out.push('\n');
    }
    if let Some(walls) = &report.walls {
        let _ = writeln!(out, "In a cell: {}.\n", text(walls));
        for (limit, times) in report.limited.iter().take(WALLED_MAX) {
            let _ = writeln!(
                out,
                "An agent {} there: {} ({times}).\n",
                met(limit),
                text(limit)
            );
        }
        let refused = report.walled.iter().take(WALLED_MAX);
        let refused: Vec<String> = refused
            .map(|(path, times)| format!("{} ({times})", text(path)))
            .collect();
        if !refused.is_empty() {
            let _ = writeln!(
                out,
                "Refused there, with the number of attempts: {}.\n",
                refused.join(", ")
            );
        }
    } else {
        out.push_str("In no cell: agents and gates reached what you reach.\n\n");
    }
    out.push_str(
        "| Run | Iterations | Cost | Time | All done |\n| --- | ---: | ---: | ---: | --- |\n",
    );
    let mut part = Part::new(FIGURES_BYTES);
    for past in [&report.past()].into_iter().chain(facts.past.iter().rev()) {
        let done = if past.done { "yes" } else { "no" };
        part.push(&format!(
            "| {} | {} | {} | {} | {done} |\n",
            text(&past.run),
            past.iterations,
            dollars(past.cost_usd),
            length(past.lasted_ms)
        ));
    }
    out.push_str(&part.finish(&report.run));
}

/// Newest first: what was tried last tells most where not all of them fit.
fn iterations(out: &mut String, report: &Report, clock: &Clock) {
    let all = &report.iterations;
    let _ = writeln!(
        out,
        "\n<details><summary>Every iteration ({}), newest first</summary>\n",
        all.len()
    );
    let mut part = Part::new(ITERATIONS_BYTES);
    part.push_each(all.iter().rev(), |line| {
        format!("- {}\n", iteration(line, clock))
    });
    out.push_str(&part.finish(&report.run));
    out.push_str("\n</details>\n");
}

fn iteration(line: &Line, clock: &Clock) -> String {
    let verdict = verdict(line);
    let who = line.member.map(|member| format!("member {member}, "));
    let mut said = format!(
        "{}. {} {}{}: **{verdict}**",
        line.number,
        clock.moment(line.started),
        who.unwrap_or_default(),
        text(&line.task)
    );
    if !line.reason.is_empty() {
        let _ = write!(said, ", {}", text(&line.reason));
    }
    let _ = write!(said, " ({})", details(line));
    said
}

/// The verdict in a word.
pub(crate) fn verdict(line: &Line) -> &'static str {
    match line.complete {
        Some(true) => "complete",
        Some(false) if line.timed_out => "timed out",
        Some(false) => "incomplete",
        None => "not judged",
    }
}

/// Time, attempts, cost and changed files.
pub(crate) fn details(line: &Line) -> String {
    let mut said = String::new();
    if let Some(ended) = line.ended {
        said = length(ended.saturating_sub(line.started)) + ", ";
    }
    if line.attempts > 1 {
        let _ = write!(said, "{}, ", count(line.attempts, "attempt"));
    }
    if line.cost_usd > 0.0 {
        let _ = write!(said, "{}, ", dollars(line.cost_usd));
    }
    let _ = write!(said, "{} changed", count(line.changed, "file"));
    said
}
