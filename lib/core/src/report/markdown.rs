//! The report as Markdown: for a terminal, a pull request, a CI summary.

use super::words::{count, dollars, length};
use super::{Clock, Facts, Line, Pause, Report};
use crate::run::step::WaitCause;
use std::fmt::Write;

/// Bytes of a pull request's body that GitHub takes (65,536 characters), with room to spare.
const BYTES_MAX: usize = 60_000;
/// Iterations listed before the middle is left out.
const ITERATIONS_MAX: usize = 200;

/// The whole report, within what a pull request's body may hold.
pub fn render(report: &Report, facts: &Facts, clock: &Clock) -> String {
    let mut out = format!(
        "# Overnight: {}\n\n**{}**\n",
        text(&report.goal),
        text(&report.sentence)
    );
    needs(&mut out, report);
    acceptance(&mut out, report);
    changes(&mut out, facts);
    timeline(&mut out, report, clock);
    wrong(&mut out, report);
    figures(&mut out, report, facts);
    left(&mut out, report, facts);
    iterations(&mut out, report, clock);
    if out.len() > BYTES_MAX {
        let cut = (0..=BYTES_MAX).rev().find(|at| out.is_char_boundary(*at));
        out.truncate(cut.unwrap_or(0));
        out.push_str("\n\n… cut here; `overnight report --html FILE` has all of it.\n");
    }
    out
}

/// Text that cannot become markup, a link, a mention or a reference.
fn text(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            // An empty comment separates the sign from the word: nobody is notified, no issue is linked.
            '@' => out.push_str("@<!-- -->"),
            '#' => out.push_str("#<!-- -->"),
            '\\' | '`' | '*' | '_' | '[' | ']' | '|' | '~' | '!' => {
                out.push('\\');
                out.push(c);
            }
            // A bare address is made a link without its colon escaped.
            ':' => out.push_str("&#58;"),
            _ => out.push(c),
        }
    }
    out.replace("&#58; ", ": ")
}

/// Code in one line: the fence is longer than any run of back-ticks within.
fn code(text: &str) -> String {
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest + 1);
    let space = if longest > 0 { " " } else { "" };
    // A bar would end a table's cell even within code.
    format!("{fence}{space}{}{space}{fence}", text.replace('|', "\\|"))
}

fn needs(out: &mut String, report: &Report) {
    out.push_str("\n## Needs you\n\n");
    if report.needs.is_empty() {
        out.push_str(if report.left.is_empty() {
            "Nothing.\n"
        } else {
            "Nothing has to be answered; what comes next stands below.\n"
        });
    }
    for need in &report.needs {
        let commands: Vec<String> = need.commands.iter().map(|command| code(command)).collect();
        let _ = writeln!(out, "- {}: {}", text(&need.what), commands.join(", "));
    }
}

fn acceptance(out: &mut String, report: &Report) {
    let [met, not_met, not_checked] = report.checked();
    let _ = writeln!(
        out,
        "\n## Acceptance\n\n{not_met} not met, {not_checked} not checked, {met} met.\n\n\
         | Task | Result | Criterion | Evidence |\n| --- | --- | --- | --- |"
    );
    for row in &report.acceptance {
        let _ = writeln!(
            out,
            "| {} | {} | {} | {} |",
            text(&row.task),
            row.met.word(),
            text(&row.text),
            text(&row.evidence)
        );
    }
}

fn changes(out: &mut String, facts: &Facts) {
    out.push_str("\n## What changed\n\n");
    let Some(changes) = &facts.changes else {
        out.push_str("Unknown: there is no git repository, or no commit at the start.\n");
        return;
    };
    let branch = changes.branch.as_deref().unwrap_or("(no branch)");
    let _ = writeln!(
        out,
        "{} on {}, {} changed (uncommitted work included).\n",
        count(changes.commits_count, "commit"),
        code(branch),
        count(changes.files_count, "file")
    );
    for commit in &changes.commits {
        let _ = writeln!(out, "- {}", text(commit));
    }
    if !changes.files.is_empty() {
        out.push_str(
            "\n| File worth a look | Why | Added | Removed |\n| --- | --- | ---: | ---: |\n",
        );
    }
    for file in &changes.files {
        let _ = writeln!(
            out,
            "| {} | {} | {} | {} |",
            text(&file.path),
            file.why(),
            file.added,
            file.removed
        );
    }
}

fn timeline(out: &mut String, report: &Report, clock: &Clock) {
    let _ = writeln!(
        out,
        "\n## Timeline\n\nFrom {} to {}.\n",
        clock.time(report.started),
        clock.time(report.ended)
    );
    members(out, report, clock);
    // Pauses between iterations are many and tell nothing one by one.
    let planned = super::words::cause(WaitCause::Interval);
    let (planned, told): (Vec<&Pause>, Vec<&Pause>) = report
        .pauses
        .iter()
        .partition(|pause| pause.cause == planned);
    if !planned.is_empty() {
        let lasted = planned
            .iter()
            .map(|pause| pause.until.saturating_sub(pause.from));
        let (times, lasted) = (count(planned.len(), "interval"), length(lasted.sum()));
        let _ = writeln!(out, "- {times} between iterations, {lasted} in all");
    }
    for pause in told.into_iter().take(ITERATIONS_MAX) {
        let _ = writeln!(out, "- {}", super::words::pause(pause, clock));
    }
    for opening in report.openings.iter().take(ITERATIONS_MAX) {
        let task = text(&opening.task);
        let _ = writeln!(out, "- {}", super::words::opening(opening, &task, clock));
    }
}

/// Who did how much, and which task when.
fn members(out: &mut String, report: &Report, clock: &Clock) {
    if report.members.is_empty() {
        return;
    }
    out.push_str(
        "| Member | Tasks done | Iterations | Cost | With a task | Waiting |\n| --- | ---: | ---: | ---: | ---: | ---: |\n",
    );
    for sum in &report.members {
        let _ = writeln!(
            out,
            "| member {} | {} | {} | {} | {} | {} |",
            sum.member,
            sum.done,
            sum.iterations,
            dollars(sum.cost_usd),
            length(sum.at_work_ms),
            length(sum.waited_ms)
        );
    }
    out.push('\n');
    let skipped = report.stints.len().saturating_sub(ITERATIONS_MAX);
    for stint in &report.stints[skipped..] {
        let task = text(&stint.task);
        let _ = writeln!(out, "- {}", super::words::stint(stint, &task, clock));
    }
}

fn wrong(out: &mut String, report: &Report) {
    out.push_str("\n## What went wrong\n\n");
    if report.wrong.is_empty() {
        out.push_str("Nothing that was noticed.\n");
    }
    for (what, times) in report.worst() {
        let _ = writeln!(out, "- {times} × {what}");
    }
}

fn figures(out: &mut String, report: &Report, facts: &Facts) {
    let totals = &report.totals;
    let _ = writeln!(
        out,
        "\n## Figures\n\nWorking {}, waiting {}, at the usage limit {}.\n",
        length(totals.worked_ms),
        length(totals.waited_ms),
        length(totals.limited_ms)
    );
    out.push_str(
        "| Run | Iterations | Cost | Time | All done |\n| --- | ---: | ---: | ---: | --- |\n",
    );
    for past in [&report.past()].into_iter().chain(facts.past.iter().rev()) {
        let done = if past.done { "yes" } else { "no" };
        let _ = writeln!(
            out,
            "| {} | {} | {} | {} | {done} |",
            text(&past.run),
            past.iterations,
            dollars(past.cost_usd),
            length(past.lasted_ms)
        );
    }
}

fn left(out: &mut String, report: &Report, facts: &Facts) {
    out.push_str("\n## Not done, next actions\n\n");
    if report.left.is_empty() {
        out.push_str("Nothing is left.\n");
        if let Some(command) = facts.review() {
            let _ = writeln!(out, "\nNext: read what changed: {}", code(&command));
        }
    }
    for left in &report.left {
        let _ = writeln!(
            out,
            "- **{}** {}. Next: {}: {}",
            text(&left.task),
            text(&left.why),
            text(&left.next),
            code(&left.command)
        );
    }
}

fn iterations(out: &mut String, report: &Report, clock: &Clock) {
    let all = &report.iterations;
    let _ = writeln!(
        out,
        "\n<details><summary>Every iteration ({})</summary>\n",
        all.len()
    );
    let skipped = all.len().saturating_sub(ITERATIONS_MAX);
    if skipped > 0 {
        let _ = writeln!(out, "The first {skipped} are left out here.\n");
    }
    for line in &all[skipped..] {
        let _ = writeln!(out, "- {}", iteration(line, clock));
    }
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
    let mut parts = Vec::new();
    if let Some(ended) = line.ended {
        parts.push(length(ended.saturating_sub(line.started)));
    }
    if line.attempts > 1 {
        parts.push(count(line.attempts, "attempt"));
    }
    if line.cost_usd > 0.0 {
        parts.push(dollars(line.cost_usd));
    }
    parts.push(format!("{} changed", count(line.changed, "file")));
    parts.join(", ")
}
