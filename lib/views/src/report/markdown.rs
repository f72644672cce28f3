//! The report as Markdown: for a terminal, a pull request, a CI summary.

pub(crate) mod escape;
pub(crate) mod part;
mod rest;

use super::words::{self, count};
use super::{Clock, Facts, Report};
use crate::summary::markdown::{doubts, one_need};
use crate::summary::{Standing, Task, machines, screen};
use escape::{code, text};
use part::Part;
pub(crate) use rest::{details, verdict};
use std::fmt::Write;

/// Bytes of the parts; together with what else stands there they are less than a pull request's body
/// may have (65,536 characters on GitHub).
const NEEDS_BYTES: usize = 8_000;
const LEFT_BYTES: usize = 16_000;
const DONE_BYTES: usize = 8_000;
const CHANGES_BYTES: usize = 6_000;
const ACCEPTANCE_BYTES: usize = 7_000;
/// Lines of a failing gate's output that are shown of one task.
const MESSAGE_LINES: usize = 6;
/// Rows of a table that stand there unfolded.
const UNFOLDED_MAX: usize = 50;

/// The whole report, within what a pull request's body may hold: what needs a person and what is not
/// done first, each part within a size of its own.
pub fn render(report: &Report, facts: &Facts, clock: &Clock) -> String {
    let night = &report.night;
    let mut out = format!(
        "# Overnight: {}\n\n**{}**\n\n{}\n",
        text(&report.goal),
        text(&words::sentence(night, clock)),
        text(&screen::sum(night))
    );
    pull_request(&mut out, report);
    needs(&mut out, report);
    left(&mut out, report, facts);
    done(&mut out, report);
    machines(&mut out, report);
    doubts(&mut out, &report.night);
    changes(&mut out, report, facts);
    acceptance(&mut out, report);
    rest::write(&mut out, report, facts, clock);
    out
}

/// A link where it has an address, else the command that opens it.
fn pull_request(out: &mut String, report: &Report) {
    let Some(request) = &report.night.pull_request else {
        return;
    };
    let plain = |url: &&String| url.starts_with("https://") && !url.contains(['<', '>', ' ']);
    match (request.url.as_ref().filter(plain), request.words()) {
        (Some(url), _) => {
            let _ = writeln!(out, "\nPull request: <{url}>");
        }
        (None, Some(words)) => {
            let _ = writeln!(out, "\n{}", text(&words));
        }
        (None, None) => {}
    }
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
    let mut part = Part::new(NEEDS_BYTES);
    // How the run goes on stands below what is not done.
    for need in &report.needs {
        part.push(&one_need(&report.night, need));
    }
    for line in screen::alive(&report.night) {
        part.push(&format!("- {}\n", text(&line)));
    }
    out.push_str(&part.finish(&report.run));
}

/// Where a task stands, without what is said below it or among the needs.
fn stands(report: &Report, task: &Task, why: &str) -> String {
    let words = task.standing.words();
    let given_up = if task.blocked { ", given up" } else { "" };
    match (&task.refuted_by, task.standing) {
        (Some(gate), Standing::Refuted) if !gate.lines.is_empty() => {
            let (command, ended) = (code(&gate.command), text(&gate.ended));
            format!("{words} by {command} ({ended}){given_up}")
        }
        (_, Standing::NeedsYou) if report.night.why(task).is_empty() => words.to_owned(),
        _ => text(why),
    }
}

/// The tasks that are not done: with the message of what refuted each, and its agent's words.
fn left(out: &mut String, report: &Report, facts: &Facts) {
    out.push_str("\n## Not done, next actions\n\n");
    if report.left.is_empty() {
        out.push_str("No task is left.\n");
        if let Some(command) = facts.review() {
            let _ = writeln!(out, "\nNext: read what changed: {}", code(&command));
        }
        return;
    }
    let mut part = Part::new(LEFT_BYTES);
    for (task, left) in report.night.open().zip(&report.left) {
        let tries = match task.tries {
            0 => String::new(),
            tries => format!(" ({})", count(tries, "try").replace("trys", "tries")),
        };
        let mut entry = format!(
            "- **{}** {}{tries}. Next: {}\n",
            text(&left.task),
            stands(report, task, &left.why),
            text(&left.next)
        );
        if let Some(gate) = &task.refuted_by {
            for line in screen::message(&gate.lines, MESSAGE_LINES) {
                let _ = writeln!(entry, "  - {}", code(&line));
            }
        }
        if let Some(words) = screen::words(task) {
            let _ = writeln!(entry, "  - {}", text(&words));
        }
        part.push(&entry);
    }
    out.push_str(&part.finish(&report.run));
    // It is the same for all of them.
    if let Some(command) = report.night.next.first() {
        let _ = writeln!(out, "\nNext: {}", code(command));
    }
}

/// The tasks that are done, by what shows it; folded where there are many.
fn done(out: &mut String, report: &Report) {
    let night = &report.night;
    let tasks: Vec<_> = night
        .tasks
        .iter()
        .filter(|task| task.standing.is_done())
        .collect();
    if tasks.is_empty() {
        return;
    }
    let folded = tasks.len() > UNFOLDED_MAX;
    let head = format!("Done: {} ({})", tasks.len(), night.done.words());
    if folded {
        let _ = writeln!(out, "\n<details><summary>{head}</summary>\n");
    } else {
        let _ = writeln!(out, "\n## {head}\n");
    }
    let mut part = Part::new(DONE_BYTES);
    for task in tasks {
        let gates: Vec<String> = task.gates.iter().map(|gate| code(gate)).collect();
        let by = if gates.is_empty() {
            String::new()
        } else {
            format!(" by {}", gates.join(", "))
        };
        let words = screen::words(task).map_or(String::new(), |words| format!("; {words}"));
        part.push(&format!(
            "- **{}** {}{}{by}{}\n",
            text(&task.id),
            task.standing.words(),
            text(&screen::machine(task)),
            text(&words)
        ));
    }
    out.push_str(&part.finish(&report.run));
    if folded {
        out.push_str("\n</details>\n");
    }
}

/// The machines of the list, and what is told of this one alone.
fn machines(out: &mut String, report: &Report) {
    if report.night.machines.is_empty() {
        return;
    }
    out.push_str("\n## Machines\n\n");
    for line in machines::lines(&report.night) {
        let _ = writeln!(out, "- {}", text(&line));
    }
    let _ = writeln!(out, "\n{}", machines::ALONE);
}

fn acceptance(out: &mut String, report: &Report) {
    let [met, not_met, not_checked] = report.checked();
    let _ = writeln!(
        out,
        "\n## Acceptance\n\n{not_met} not met, {not_checked} not checked, {met} met.\n"
    );
    let folded = report.acceptance.len() > UNFOLDED_MAX;
    if folded {
        let all = count(report.acceptance.len(), "condition");
        let _ = writeln!(out, "<details><summary>{all}</summary>\n");
    }
    out.push_str("| Task | Result | Criterion | Evidence |\n| --- | --- | --- | --- |\n");
    let mut part = Part::new(ACCEPTANCE_BYTES);
    for row in &report.acceptance {
        part.push(&format!(
            "| {} | {} | {} | {} |\n",
            text(&row.task),
            row.met.word(),
            text(&row.text),
            text(&row.evidence)
        ));
    }
    out.push_str(&part.finish(&report.run));
    if folded {
        out.push_str("\n</details>\n");
    }
}

fn changes(out: &mut String, report: &Report, facts: &Facts) {
    out.push_str("\n## What changed\n\n");
    let Some(changes) = &facts.changes else {
        out.push_str("Unknown: there is no git repository, or no commit at the start.\n");
        return;
    };
    let branch = changes.branch.as_deref().unwrap_or("(no branch)");
    let _ = writeln!(
        out,
        "{} on {}, {} changed (uncommitted work included).\n",
        changes.commits_words(report.night.ending),
        code(branch),
        count(changes.files_count, "file")
    );
    let mut part = Part::new(CHANGES_BYTES);
    for line in screen::work(&report.night).iter().skip(1) {
        part.push(&format!("{}.\n\n", text(line)));
    }
    for commit in &changes.commits {
        part.push(&format!("- {}\n", text(commit)));
    }
    if !changes.files.is_empty() {
        part.push("\n| File worth a look | Why | Added | Removed |\n| --- | --- | ---: | ---: |\n");
    }
    for file in &changes.files {
        let [added, removed] = file.counts();
        part.push(&format!(
            "| {} | {} | {added} | {removed} |\n",
            text(&file.path),
            file.why(),
        ));
    }
    out.push_str(&part.finish(&report.run));
}
