//! The tasks: what is not done in full, worst first; what is done folded into one line.

use super::super::words::count;
use super::super::{Facts, Report};
use super::{copy, escape, link, section};
use crate::summary::{Standing, Task, machines, screen};
use std::fmt::Write;

/// Lines of a failing gate's output that are shown of one task.
const MESSAGE_LINES: usize = 6;
/// Tasks that are told in full; the rest is folded.
const TOLD_MAX: usize = 12;

/// What is not done: each task with its message and its agent's words.
pub(super) fn left(out: &mut String, report: &Report, facts: &Facts) {
    section(out, "left");
    if report.left.is_empty() {
        out.push_str("<p>No task is left.</p>");
        if let Some(command) = facts.review() {
            out.push_str("<p>Next: read what changed: ");
            copy::command(out, &command);
            out.push_str("</p>\n");
        }
        out.push_str("</section>\n");
        return;
    }
    let quiet = |task: &&Task| matches!(task.standing, Standing::Waiting | Standing::NotBegun);
    let (quiet, told): (Vec<&Task>, Vec<&Task>) = report.night.open().partition(quiet);
    let (full, more) = told.split_at(told.len().min(TOLD_MAX));
    cards(out, (report, facts), full);
    if !more.is_empty() {
        let summary = count(more.len(), "more task");
        let _ = write!(out, "<details class=\"more\"><summary>{summary}</summary>");
        cards(out, (report, facts), more);
        out.push_str("</details>\n");
    }
    if !quiet.is_empty() {
        let _ = write!(
            out,
            "<details class=\"more\"><summary>{} not begun, or waiting</summary><ul>",
            count(quiet.len(), "task")
        );
        for task in quiet {
            let why = if task.why.is_empty() {
                task.standing.words()
            } else {
                &task.why
            };
            let _ = writeln!(
                out,
                "<li><strong>{}</strong> {}</li>",
                escape(&task.id),
                escape(why)
            );
        }
        out.push_str("</ul></details>\n");
    }
    // Below what needs a person it stands already.
    if let Some(command) = report
        .night
        .next
        .first()
        .filter(|_| report.night.goes_on().is_none())
    {
        out.push_str("<p>To go on: ");
        copy::command(out, command);
        out.push_str("</p>\n");
    }
    out.push_str("</section>\n");
}

fn cards(out: &mut String, of: (&Report, &Facts), tasks: &[&Task]) {
    out.push_str("<ul class=\"cards\">");
    for task in tasks {
        card(out, of, task);
    }
    out.push_str("</ul>\n");
}

fn card(out: &mut String, (report, facts): (&Report, &Facts), task: &Task) {
    let standing = task.standing.name().replace('_', "-");
    let tries = match task.tries {
        0 => String::new(),
        1 => "1 try".to_owned(),
        tries => format!("{tries} tries"),
    };
    let given_up = if task.blocked && task.standing != Standing::NeedsYou {
        ", given up"
    } else {
        ""
    };
    let _ = write!(
        out,
        "<li class=\"task\"><strong>{}</strong> <span class=\"{standing}\">{}</span>{} <span class=\"soft\">{tries}{given_up}</span>",
        escape(&task.id),
        task.standing.words(),
        escape(&screen::machine(task))
    );
    match &task.refuted_by {
        Some(gate) => {
            let _ = write!(
                out,
                "<br><code>{}</code> <span class=\"soft\">{}</span>",
                escape(&gate.command),
                escape(&gate.ended)
            );
            if !gate.lines.is_empty() {
                let lines: Vec<String> = screen::message(&gate.lines, MESSAGE_LINES)
                    .map(|line| escape(&line))
                    .collect();
                let _ = write!(out, "<pre>{}</pre>", lines.join("\n"));
            }
        }
        None if !report.night.why(task).is_empty() => {
            let _ = write!(out, "<br>{}", escape(report.night.why(task)));
        }
        None => {}
    }
    // Without a gate the reason above says so.
    if let Some(conflict) = task.conflict.as_ref().filter(|_| task.refuted_by.is_some()) {
        let _ = write!(out, "<br>not merged: {}", escape(conflict));
    }
    for doubt in screen::doubts(task) {
        let _ = write!(out, "<br>{}", escape(&doubt));
    }
    if let Some(words) = screen::words(task) {
        let _ = write!(out, "<p class=\"words\">{}</p>", escape(&words));
    }
    // A name that a shell could misread stands in no command.
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"._-".contains(&byte);
    let mut newest = report.iterations.iter().rev();
    // Also of one that was begun only.
    let last = newest.find(|line| line.task == task.id);
    if (task.tries > 0 || last.is_some()) && task.id.bytes().all(plain) {
        out.push_str("<p>");
        let command = format!("overnight logs {} --task {}", report.run, task.id);
        copy::command(out, &command);
        if let Some(link) = last.and_then(|line| link::log(line, facts)) {
            let _ = write!(out, " {link}");
        }
        out.push_str("</p>");
    }
    out.push_str("</li>\n");
}

/// What is done, folded into one line.
pub(super) fn done(out: &mut String, report: &Report) {
    section(out, "done");
    let night = &report.night;
    let tasks: Vec<&Task> = night
        .tasks
        .iter()
        .filter(|task| task.standing.is_done())
        .collect();
    if tasks.is_empty() {
        out.push_str("<p>No task.</p></section>\n");
        return;
    }
    let _ = write!(
        out,
        "<details><summary>{}: {}</summary><ul>",
        count(tasks.len(), "task"),
        night.done.words()
    );
    for task in tasks {
        let words = screen::words(task).map_or(String::new(), |words| format!("; {words}"));
        let gates: Vec<String> = task
            .gates
            .iter()
            .map(|gate| format!("<code>{}</code>", escape(gate)))
            .collect();
        let by = if gates.is_empty() {
            String::new()
        } else {
            format!(" by {}", gates.join(", "))
        };
        let doubts: Vec<String> = screen::doubts(task)
            .map(|doubt| format!("<br>{}", escape(&doubt)))
            .collect();
        let _ = writeln!(
            out,
            "<li><strong>{}</strong> {}{}{by}{}{doubts}</li>",
            escape(&task.id),
            task.standing.words(),
            escape(&screen::machine(task)),
            escape(&words),
            doubts = doubts.concat()
        );
    }
    for line in night.hunks.lines().chain(night.hunks.words()) {
        let _ = writeln!(out, "<li>{}</li>", escape(&line));
    }
    out.push_str("</ul></details></section>\n");
}

/// The machines of the list, and what is told of this one alone.
pub(super) fn machines(out: &mut String, report: &Report) {
    let lines = machines::lines(&report.night);
    if lines.is_empty() {
        return;
    }
    out.push_str("<section aria-labelledby=\"machines-h\"><h2 id=\"machines-h\">Machines</h2><ul>");
    for line in &lines {
        let _ = writeln!(out, "<li>{}</li>", escape(line));
    }
    let _ = writeln!(out, "</ul><p>{}</p></section>", machines::ALONE);
}
