//! The text of a pull request: bounded by parts, so that what needs a person is there however many
//! tasks there are.

use super::work::OfTask;
use super::{ChangedTest, Need, Standing, Summary, Task, screen};
use crate::report::Clock;
use crate::report::markdown::escape::{code, text};
use crate::report::markdown::part::Part;
use crate::report::words::{count, sentence};
use overnight_base::text::one_line;
use overnight_redact::redact;
use std::fmt::Write;

/// Bytes of the parts; with the headings they are less than a forge takes (GitHub: 65,536
/// characters).
const ASKED_BYTES: usize = 4_000;
const NEEDS_BYTES: usize = 8_000;
const OPEN_BYTES: usize = 18_000;
const TASKS_BYTES: usize = 16_000;
const CHANGES_BYTES: usize = 6_000;
const DOUBTS_BYTES: usize = 4_000;
/// Lines of a failing gate's output that are shown of one task.
const MESSAGE_LINES: usize = 6;
/// Rows of the table that stand there unfolded.
const UNFOLDED_MAX: usize = 50;
/// Characters of a line of what was asked.
const ASKED_CHARS_MAX: usize = 500;

/// The body of the run's pull request; `goal` is what was asked, as it was written.
pub fn body(summary: &Summary, goal: &str, clock: &Clock) -> String {
    let mut out = format!(
        "**{}**\n\n{}\n",
        text(&sentence(summary, clock)),
        text(&screen::sum(summary))
    );
    asked(&mut out, (&summary.run, goal));
    needs(&mut out, summary);
    open(&mut out, summary);
    tasks(&mut out, summary);
    doubts(&mut out, summary);
    changes(&mut out, summary);
    let run = code(&format!("overnight report {}", summary.run));
    let _ = writeln!(out, "\nThe whole night: {run}");
    out
}

/// The goal, quoted.
fn asked(out: &mut String, (run, goal): (&str, &str)) {
    out.push_str("\n## What was asked\n\n");
    let (bytes, _) = redact(goal.as_bytes());
    let goal = String::from_utf8_lossy(&bytes);
    let mut part = Part::new(ASKED_BYTES);
    for line in goal.trim().lines() {
        part.push(format!("> {}", text(&one_line(line, ASKED_CHARS_MAX))).trim_end());
        part.push("\n");
    }
    out.push_str(&part.finish(run));
}

fn needs(out: &mut String, summary: &Summary) {
    if summary.needs.is_empty() && screen::alive(summary).is_empty() {
        return;
    }
    out.push_str("\n## Needs a person\n\n");
    let mut part = Part::new(NEEDS_BYTES);
    for line in screen::alive(summary) {
        part.push(&format!("- {}\n", text(&line)));
    }
    for need in &summary.needs {
        part.push(&one_need(summary, need));
    }
    out.push_str(&part.finish(&summary.run));
    if let Some(command) = summary.goes_on() {
        let _ = writeln!(out, "\nThen: {}", code(command));
    }
}

/// What is needed, with what answers it, and both sides of changed tests.
pub(crate) fn one_need(summary: &Summary, need: &Need) -> String {
    let answers: Vec<String> = summary.answers(need).map(|command| code(command)).collect();
    let what = text(need.beside(summary.about(need)));
    let mut entry = match answers.as_slice() {
        [] => format!("- {what}\n"),
        _ => format!("- {what}: {}\n", answers.join(", ")),
    };
    for line in need.changed_tests.iter().flat_map(ChangedTest::lines) {
        let _ = writeln!(entry, "  - {}", code(&line));
    }
    entry
}

/// The tasks that are not done: what refuted each, with its message, and its agent's words.
fn open(out: &mut String, summary: &Summary) {
    if summary.open().next().is_none() {
        return;
    }
    out.push_str("\n## Not done\n\n");
    let mut part = Part::new(OPEN_BYTES);
    for task in summary.open() {
        let mut entry = format!("- {}\n", standing(summary, task));
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
    out.push_str(&part.finish(&summary.run));
}

/// Where a task that is not done stands. What its tries left on the branch is unproved.
fn standing(summary: &Summary, task: &Task) -> String {
    let mut line = format!("**{}** {}", text(&task.id), task.standing.words());
    match (&task.refuted_by, summary.why(task)) {
        (Some(gate), _) => {
            let _ = write!(line, " by {} ({})", code(&gate.command), text(&gate.ended));
        }
        (None, "") => {}
        (None, why) => {
            let _ = write!(line, ": {}", text(why));
        }
    }
    if task.blocked && task.standing != Standing::NeedsYou {
        line.push_str(", given up");
    }
    if task.tries > 0 && task.files > 0 {
        let tries = count(task.tries, "try").replace("trys", "tries");
        let _ = match &task.left_out {
            Some(branch) => write!(line, "; what its {tries} left is on {} alone", code(branch)),
            None => write!(line, "; what its {tries} left is on the branch, unproved"),
        };
    }
    line
}

/// Every task with its proof; folded where there are many.
fn tasks(out: &mut String, summary: &Summary) {
    let head = format!("{} of {} tasks done", summary.done.all(), summary.total);
    let folded = summary.tasks.len() > UNFOLDED_MAX;
    if folded {
        let _ = writeln!(out, "\n<details><summary>{head}</summary>\n");
    } else {
        let _ = writeln!(out, "\n## {head}\n");
    }
    out.push_str("| Task | What | Standing | Proof |\n| --- | --- | --- | --- |\n");
    let mut part = Part::new(TASKS_BYTES);
    for task in &summary.tasks {
        let gates: Vec<String> = task.gates.iter().map(|gate| code(gate)).collect();
        let proof = match (&task.refuted_by, &task.words) {
            (Some(gate), _) => format!("{} failed", code(&gate.command)),
            (None, words) if gates.is_empty() && task.standing.is_done() => {
                text(words.as_deref().unwrap_or_default())
            }
            (None, _) => gates.join(", "),
        };
        part.push(&format!(
            "| {} | {} | {} | {proof} |\n",
            text(&task.id),
            text(&task.title),
            task.standing.words()
        ));
    }
    out.push_str(&part.finish(&summary.run));
    if folded {
        out.push_str("\n</details>\n");
    }
}

/// What a reviewer reads first.
pub(crate) fn doubts(out: &mut String, summary: &Summary) {
    let of = |task: &Task| {
        let id = text(&task.id);
        screen::doubts(task)
            .map(|doubt| format!("- **{id}** {}\n", text(&doubt)))
            .collect::<Vec<_>>()
    };
    let mut lines: Vec<String> = summary.tasks.iter().flat_map(of).collect();
    let missed = summary.hunks.lines();
    lines.extend(missed.map(|line| format!("- {}\n", text(&line))));
    let words = summary.hunks.words();
    lines.extend(words.map(|words| format!("- {words}\n")));
    if lines.is_empty() {
        return;
    }
    out.push_str("\n## Read first\n\n");
    let mut part = Part::new(DOUBTS_BYTES);
    for line in &lines {
        part.push(line);
    }
    out.push_str(&part.finish(&summary.run));
}

/// Whose commits they are, and whether they count.
fn whose(summary: &Summary, of_task: &OfTask) -> String {
    let Some(id) = &of_task.task else {
        return "of no task".to_owned();
    };
    let mut tasks = summary.tasks.iter();
    let standing = tasks.find(|task| task.id == *id).map(|task| task.standing);
    match standing {
        Some(standing) if standing.is_done() => format!("**{}** {}", text(id), standing.words()),
        Some(standing) => format!("**{}** {}, unproved", text(id), standing.words()),
        None => format!("**{}**", text(id)),
    }
}

fn changes(out: &mut String, summary: &Summary) {
    let Some(work) = &summary.work else {
        return;
    };
    let _ = writeln!(
        out,
        "\n## What changed\n\n{}, {} changed.\n",
        work.commits_words(summary.ending),
        count(work.files_count, "file")
    );
    let mut part = Part::new(CHANGES_BYTES);
    for of_task in &work.by_task {
        let grouped = work.by_task.len() > 1 || of_task.task.is_some();
        if grouped {
            part.push(&format!("- {}\n", whose(summary, of_task)));
        }
        let indent = if grouped { "  " } else { "" };
        for commit in &of_task.commits {
            part.push(&format!("{indent}- {}\n", text(commit)));
        }
    }
    if !work.files.is_empty() {
        part.push("\n| File worth a look | Why | Added | Removed |\n| --- | --- | ---: | ---: |\n");
    }
    for file in &work.files {
        let [added, removed] = file.counts();
        part.push(&format!(
            "| {} | {} | {added} | {removed} |\n",
            text(&file.path),
            file.why(),
        ));
    }
    out.push_str(&part.finish(&summary.run));
}
