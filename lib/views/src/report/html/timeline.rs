//! Small drawings as inline SVG.

use super::super::markdown::verdict;
use super::super::words::{self, count, dollars, length};
use super::super::{Clock, Line, Report};
use super::escape;
use std::fmt::Write;

/// Width of the drawing in its own units.
const WIDTH: u64 = 1_000;
/// Marks drawn at most: more than one in half a unit nobody sees, and the page must stay small.
const MARKS_MAX: usize = 2_000;

/// The run from left to right: iterations, waits below them, openings as lines; a row a member.
pub(super) fn draw(out: &mut String, report: &Report, clock: &Clock) {
    let about = format!(
        "{}, {}, {} of the circuit breaker",
        count(report.iterations.len(), "iteration"),
        count(report.pauses.len(), "wait"),
        count(report.openings.len(), "opening")
    );
    let _ = writeln!(
        out,
        "<p>From {} to {}: {about}.</p>",
        clock.time(report.started),
        clock.time(report.ended)
    );
    if report.members.is_empty() {
        row(out, (report, clock), None, ("Timeline of the run", &about));
        hours(out, report, clock);
        by_task(out, report, clock);
    }
    for sum in &report.members {
        let about = format!(
            "{} done, {}, {}, with a task for {}, {} of it waiting",
            count(sum.done, "task"),
            count(sum.iterations, "iteration"),
            dollars(sum.cost_usd),
            length(sum.at_work_ms),
            length(sum.waited_ms)
        );
        let title = format!("member {}", sum.member);
        let _ = writeln!(out, "<p><strong>{title}</strong>: {about}.</p>");
        row(out, (report, clock), Some(sum.member), (&title, &about));
        hours(out, report, clock);
    }
    out.push_str(
        "<p class=\"legend\"><span class=\"complete\">complete</span> <span class=\"incomplete\">incomplete</span> \
         <span class=\"timed-out\">timed out</span> <span class=\"not-judged\">not judged</span> \
         <span class=\"wait\">waiting</span> <span class=\"opening\">breaker opened</span>",
    );
    if !report.assignments.is_empty() {
        out.push_str(" <span class=\"assignment\">with a task</span>");
    }
    out.push_str("</p>\n");
    assignments(out, report, clock);
    list(out, report, clock);
}

/// The hours below a row; of a run of minutes, the seconds, or all marks would say the same.
fn hours(out: &mut String, report: &Report, clock: &Clock) {
    const MARKS: u64 = 4;
    const SHORT_MS: u64 = 10 * 60_000;
    let span = report.ended.saturating_sub(report.started);
    out.push_str("<p class=\"hours\" aria-hidden=\"true\">");
    for mark in 0..=MARKS {
        let at = report.started + span / MARKS * mark;
        let at = if span < SHORT_MS {
            clock.second(at)
        } else {
            clock.hour(at)
        };
        let _ = write!(out, "<span>{at}</span>");
    }
    out.push_str("</p>\n");
}

/// One small row a task, by its name, where there are few.
fn by_task(out: &mut String, report: &Report, clock: &Clock) {
    const ROWS_MAX: usize = 12;
    let mut names: Vec<&str> = Vec::new();
    for line in &report.iterations {
        if !names.contains(&line.task.as_str()) {
            names.push(&line.task);
        }
    }
    if names.len() < 2 || names.len() > ROWS_MAX {
        return;
    }
    for name in names {
        let own: Vec<&Line> = report
            .iterations
            .iter()
            .filter(|line| line.task == name)
            .collect();
        let (shown, about) = (escape(name), count(own.len(), "iteration"));
        let _ = writeln!(
            out,
            "<div class=\"row\"><span>{shown}</span><svg viewBox=\"0 0 {WIDTH} 20\" preserveAspectRatio=\"none\" role=\"img\" aria-label=\"{shown}: {about}\">"
        );
        for line in every(&own) {
            let word = verdict(line);
            let begun = clock.moment(line.started);
            let title = format!("{} {begun}: {word}", line.number);
            let span = (line.started, line.ended.unwrap_or(report.ended));
            rect(
                out,
                report,
                span,
                (2, 16),
                (&word.replace(' ', "-"), &title),
            );
        }
        out.push_str("</svg></div>\n");
    }
}

/// One row: of a member, or of a run without.
fn row(
    out: &mut String,
    (report, clock): (&Report, &Clock),
    member: Option<u32>,
    (title, about): (&str, &str),
) {
    let id = member.map_or("tl".to_owned(), |member| format!("tl{member}"));
    let _ = writeln!(
        out,
        "<svg viewBox=\"0 0 {WIDTH} 60\" preserveAspectRatio=\"none\" role=\"img\" \
         aria-labelledby=\"{id}-t {id}-d\"><title id=\"{id}-t\">{title}</title><desc id=\"{id}-d\">{about}</desc>"
    );
    let assignments: Vec<_> = report
        .assignments
        .iter()
        .filter(|assignment| Some(assignment.member) == member)
        .collect();
    for assignment in every(&assignments) {
        let span = (assignment.from, assignment.until.unwrap_or(report.ended));
        let title = words::assignment(assignment, &escape(&assignment.task), clock);
        rect(out, report, span, (33, 4), ("assignment", &title));
    }
    let lines: Vec<_> = report
        .iterations
        .iter()
        .filter(|line| line.member == member)
        .collect();
    for line in every(&lines) {
        let word = verdict(line);
        let title = format!("{} {}: {word}", line.number, escape(&line.task));
        let span = (line.started, line.ended.unwrap_or(report.ended));
        rect(
            out,
            report,
            span,
            (4, 28),
            (&word.replace(' ', "-"), &title),
        );
    }
    let pauses: Vec<_> = report
        .pauses
        .iter()
        .filter(|pause| pause.member == member || pause.member.is_none())
        .collect();
    for pause in every(&pauses) {
        let title = words::pause(pause, clock);
        let span = (pause.from, pause.until);
        rect(out, report, span, (38, 14), ("wait", &title));
    }
    // A member has one breaker a task: an opening is its own where it had that task then.
    let has = |task: &str, at: u64| {
        let mut own = assignments.iter();
        own.any(|own| own.task == task && (own.from..=own.until.unwrap_or(at)).contains(&at))
    };
    for opening in report.openings.iter().take(MARKS_MAX) {
        if member.is_none() || has(&opening.task, opening.at) {
            let title = format!("breaker of {} opened", escape(&opening.task));
            let span = (opening.at, opening.at);
            rect(out, report, span, (0, 60), ("opening", &title));
        }
    }
    out.push_str("</svg>\n");
}

/// A stretch of the run's time, so high at that height.
fn rect(
    out: &mut String,
    report: &Report,
    (from, until): (u64, u64),
    (y, height): (u32, u32),
    (class, title): (&str, &str),
) {
    let span = report.ended.saturating_sub(report.started).max(1);
    let at = |t: u64| {
        let offset = u128::from(t.saturating_sub(report.started).min(span));
        u64::try_from(offset * u128::from(WIDTH) / u128::from(span)).unwrap_or(WIDTH)
    };
    let (x, end) = (at(from), at(until));
    let width = end.saturating_sub(x).max(1);
    let _ = writeln!(
        out,
        "<rect x={x} y={y} width={width} height={height} class={class}><title>{title}</title></rect>"
    );
}

/// Not more of them than a drawing can show, evenly.
fn every<'m, T>(marks: &'m [&'m T]) -> impl Iterator<Item = &'m T> {
    let step = marks.len().div_ceil(MARKS_MAX).max(1);
    marks.iter().step_by(step).copied()
}

/// Which member had which task when, in words.
fn assignments(out: &mut String, report: &Report, clock: &Clock) {
    if report.assignments.is_empty() {
        return;
    }
    let _ = write!(
        out,
        "<details><summary>Who had which task ({})</summary><ul>",
        report.assignments.len()
    );
    for assignment in report.assignments.iter().take(MARKS_MAX) {
        let said = words::assignment(assignment, &escape(&assignment.task), clock);
        let _ = writeln!(out, "<li>{said}</li>");
    }
    out.push_str("</ul></details>\n");
}

/// The waits and openings in words: a drawing alone says nothing to who cannot see it.
fn list(out: &mut String, report: &Report, clock: &Clock) {
    let marks = report.pauses.len() + report.openings.len();
    if marks == 0 {
        return;
    }
    let _ = write!(
        out,
        "<details><summary>Waits, limits and the circuit breaker ({marks})</summary><ul>"
    );
    for pause in report.pauses.iter().take(MARKS_MAX) {
        let _ = writeln!(out, "<li>{}</li>", words::pause(pause, clock));
    }
    for opening in report.openings.iter().take(MARKS_MAX) {
        let said = words::opening(opening, &escape(&opening.task), clock);
        let _ = writeln!(out, "<li>{said}</li>");
    }
    out.push_str("</ul></details>\n");
}

/// One bar a value, the last one marked; `show` writes a value.
pub(super) fn bars(out: &mut String, what: &str, values: &[f64], show: &dyn Fn(f64) -> String) {
    let most = values.iter().copied().fold(0.0_f64, f64::max);
    let own = values.last().copied().unwrap_or_default();
    let title = format!("{what}: {}, highest {}", show(own), show(most));
    let _ = write!(
        out,
        "<figure><svg class=\"bars\" viewBox=\"0 0 110 40\" role=\"img\" aria-label=\"{title}\">"
    );
    for (column, value) in values.iter().enumerate() {
        let height = if most > 0.0 {
            1.0 + value / most * 38.0
        } else {
            1.0
        };
        let class = if column + 1 == values.len() {
            "own"
        } else {
            "past"
        };
        let _ = write!(
            out,
            "<rect x=\"{}\" y=\"{:.1}\" width=\"8\" height=\"{height:.1}\" class=\"{class}\"/>",
            column * 10,
            40.0 - height
        );
    }
    let _ = writeln!(out, "</svg><figcaption>{title}</figcaption></figure>");
}
