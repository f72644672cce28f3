//! Small drawings as inline SVG.

use super::super::words::{self, count};
use super::super::{Clock, Report};
use super::{escape, verdict};
use std::fmt::Write;

/// Width of the drawing in its own units.
const WIDTH: u64 = 1_000;
/// Marks drawn at most: more than one in half a unit nobody sees, and the page must stay small.
const MARKS_MAX: usize = 2_000;

/// The run from left to right: iterations, waits below them, openings as lines.
pub(super) fn draw(out: &mut String, report: &Report, clock: &Clock) {
    let span = report.ended.saturating_sub(report.started).max(1);
    let at = |t: u64| {
        let offset = u128::from(t.saturating_sub(report.started).min(span));
        u64::try_from(offset * u128::from(WIDTH) / u128::from(span)).unwrap_or(WIDTH)
    };
    let about = format!(
        "{}, {}, {} of the circuit breaker",
        count(report.iterations.len(), "iteration"),
        count(report.pauses.len(), "wait"),
        count(report.openings.len(), "opening")
    );
    let _ = write!(
        out,
        "<p>From {} to {}: {about}.</p>\n<svg viewBox=\"0 0 {WIDTH} 60\" preserveAspectRatio=\"none\" role=\"img\" \
         aria-labelledby=\"tl-t tl-d\"><title id=\"tl-t\">Timeline of the run</title><desc id=\"tl-d\">{about}</desc>\n",
        clock.time(report.started),
        clock.time(report.ended)
    );
    let mut rect = |from: u64, until: u64, (y, height): (u32, u32), class: &str, title: &str| {
        let (x, end) = (at(from), at(until));
        let width = end.saturating_sub(x).max(1);
        let _ = writeln!(
            out,
            "<rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" class=\"{class}\"><title>{title}</title></rect>"
        );
    };
    let step = report.iterations.len().div_ceil(MARKS_MAX).max(1);
    for line in report.iterations.iter().step_by(step) {
        let word = verdict(line);
        let title = format!("{} {}: {word}", line.number, escape(&line.task));
        let until = line.ended.unwrap_or(report.ended);
        rect(
            line.started,
            until,
            (4, 28),
            &word.replace(' ', "-"),
            &title,
        );
    }
    let step = report.pauses.len().div_ceil(MARKS_MAX).max(1);
    for pause in report.pauses.iter().step_by(step) {
        let title = words::pause(pause, clock);
        rect(pause.from, pause.until, (38, 14), "wait", &title);
    }
    for opening in report.openings.iter().take(MARKS_MAX) {
        let title = format!("breaker of {} opened", escape(&opening.task));
        rect(opening.at, opening.at, (0, 60), "opening", &title);
    }
    out.push_str(
        "</svg>\n<p class=\"legend\"><span class=\"complete\">complete</span> <span class=\"incomplete\">incomplete</span> \
         <span class=\"timed-out\">timed out</span> <span class=\"not-judged\">not judged</span> \
         <span class=\"wait\">waiting</span> <span class=\"opening\">breaker opened</span></p>\n",
    );
    list(out, report, clock);
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
    let title = format!("{what}: {}, at most {}", show(own), show(most));
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
