//! The report for a terminal: wrapped to its width, its headings in colour, worst first.

use super::words::{self, count, dollars, length};
use super::{Clock, Ending, Facts, Report};
use crate::summary::{ChangedTest, Standing, Task, machines, screen};

/// Lines of a failing gate's output that are shown of one task.
const MESSAGE_LINES: usize = 12;
/// Done tasks, waits and iterations that are listed; the rest is counted.
const LISTED_MAX: usize = 60;

/// What it is written on.
#[derive(Debug, Clone, Copy)]
pub struct Paper {
    /// Columns.
    pub width: usize,
    /// May it have colours?
    pub colours: bool,
}

impl Paper {
    /// A text in this colour, where it may have any.
    pub(crate) fn painted(self, code: &str, text: &str) -> String {
        if self.colours {
            format!("\u{1b}[{code}m{text}\u{1b}[0m")
        } else {
            text.to_owned()
        }
    }

    /// What says how a run ended, in the colour of that.
    pub(crate) fn outcome(self, ending: Ending, text: &str) -> String {
        let colour = match ending {
            Ending::Done => "1;32",
            Ending::Running => "1;34",
            _ => "1;31",
        };
        self.painted(colour, text)
    }

    fn heading(self, out: &mut Vec<String>, text: &str) {
        out.push(String::new());
        out.push(self.painted("1", text));
    }

    /// A line in as many as it takes, the further ones two columns in.
    fn put(self, out: &mut Vec<String>, line: &str) {
        out.extend(wrapped(line, self.width));
    }
}

/// The whole report, each line ended by a newline.
pub fn render(report: &Report, facts: &Facts, clock: &Clock, paper: Paper) -> String {
    let mut out = vec![paper.painted("1", &format!("Overnight: {}", report.goal))];
    for line in wrapped(&words::sentence(&report.night, clock), paper.width) {
        out.push(paper.outcome(report.ending, &line));
    }
    paper.put(&mut out, &screen::total(&report.night));
    let when = (clock.time(report.started), clock.time(report.ended));
    paper.put(&mut out, &format!("from {} to {}", when.0, when.1));
    needs(&mut out, report, paper);
    left(&mut out, report, paper);
    done(&mut out, report, paper);
    machines(&mut out, report, paper);
    changes(&mut out, report, facts, paper);
    timeline(&mut out, report, clock, paper);
    figures(&mut out, report, paper);
    out.push(String::new());
    out.join("\n")
}

fn needs(out: &mut Vec<String>, report: &Report, paper: Paper) {
    paper.heading(out, "Needs you");
    let alive = screen::alive(&report.night);
    if report.needs.is_empty() && alive.is_empty() {
        paper.put(out, "  nothing");
    }
    for line in &alive {
        paper.put(out, &format!("  {line}"));
    }
    for need in &report.needs {
        paper.put(out, &format!("  {}", need.beside(report.night.about(need))));
        for line in need.changed_tests.iter().flat_map(ChangedTest::lines) {
            paper.put(out, &format!("    {line}"));
        }
        // How the run goes on stands below what is not done.
        for command in report.night.answers(need) {
            out.push(format!("    {}", paper.painted("36", command)));
        }
    }
}

fn left(out: &mut Vec<String>, report: &Report, paper: Paper) {
    if report.left.is_empty() {
        return;
    }
    paper.heading(out, &format!("Not done: {}", report.left.len()));
    let quiet = |task: &&Task| matches!(task.standing, Standing::Waiting | Standing::NotBegun);
    let (quiet, told): (Vec<&Task>, Vec<&Task>) = report.night.open().partition(quiet);
    for task in told {
        for line in screen::beside(&report.night, task, MESSAGE_LINES) {
            paper.put(out, &line);
        }
        let run = &report.run;
        let log = format!("overnight logs {run} --task {}", task.id);
        out.push(format!("    {}", paper.painted("36", &log)));
    }
    for task in quiet {
        let why = if task.why.is_empty() {
            task.standing.words()
        } else {
            &task.why
        };
        paper.put(out, &format!("  {} {why}", task.id));
    }
    if let Some(command) = report.night.next.first() {
        out.push(format!("  next: {}", paper.painted("36", command)));
    }
}

fn done(out: &mut Vec<String>, report: &Report, paper: Paper) {
    let night = &report.night;
    let tasks: Vec<&Task> = night
        .tasks
        .iter()
        .filter(|task| task.standing.is_done())
        .collect();
    if tasks.is_empty() {
        return;
    }
    paper.heading(
        out,
        &format!("Done: {} ({})", tasks.len(), night.done.words()),
    );
    for task in tasks.iter().take(LISTED_MAX) {
        let words = screen::words(task).map_or(String::new(), |words| format!("; {words}"));
        paper.put(
            out,
            &format!(
                "  {} {}{}{words}",
                task.id,
                task.standing.words(),
                screen::machine(task)
            ),
        );
        for doubt in screen::doubts(task) {
            paper.put(out, &format!("    {doubt}"));
        }
    }
    further(out, tasks.len());
    for line in night
        .hunks
        .lines()
        .take(LISTED_MAX)
        .chain(night.hunks.words())
    {
        paper.put(out, &format!("  {line}"));
    }
}

/// The machines of the list, and what is told of this one alone.
fn machines(out: &mut Vec<String>, report: &Report, paper: Paper) {
    let lines = machines::lines(&report.night);
    if lines.is_empty() {
        return;
    }
    paper.heading(out, "Machines");
    for line in &lines {
        paper.put(out, &format!("  {line}"));
    }
    paper.put(out, &format!("  {}", machines::ALONE));
}

fn changes(out: &mut Vec<String>, report: &Report, facts: &Facts, paper: Paper) {
    paper.heading(out, "What changed");
    let Some(changes) = &facts.changes else {
        paper.put(
            out,
            "  unknown: there is no git repository, or no commit at the start",
        );
        return;
    };
    for line in screen::work(&report.night) {
        paper.put(out, &format!("  {line}"));
    }
    for commit in &changes.commits {
        paper.put(out, &format!("  {commit}"));
    }
    for file in &changes.files {
        let new = if file.untracked { ", new" } else { "" };
        let (path, lines) = (&file.path, file.words());
        paper.put(out, &format!("  {path} {lines} ({}{new})", file.why()));
    }
    if let Some(command) = changes.review() {
        out.push(format!("  {}", paper.painted("36", &command)));
    }
}

fn timeline(out: &mut Vec<String>, report: &Report, clock: &Clock, paper: Paper) {
    if !report.pauses.is_empty() || !report.openings.is_empty() {
        paper.heading(out, "Waits and breakers");
        for pause in report.pauses.iter().take(LISTED_MAX) {
            paper.put(out, &format!("  {}", words::pause(pause, clock)));
        }
        further(out, report.pauses.len());
        for opening in report.openings.iter().take(LISTED_MAX) {
            let line = words::opening(opening, &opening.task, clock);
            paper.put(out, &format!("  {line}"));
        }
        further(out, report.openings.len());
    }
    if !report.wrong.is_empty() {
        paper.heading(out, "What went wrong");
        for (what, times) in report.worst() {
            paper.put(out, &format!("  {times} × {what}"));
        }
    }
}

fn figures(out: &mut Vec<String>, report: &Report, paper: Paper) {
    let totals = &report.totals;
    paper.heading(out, "Figures");
    let line = format!(
        "  {}, {}, working {}, waiting {}, at the usage limit {}{}",
        count(totals.iterations, "iteration"),
        dollars(totals.cost_usd),
        length(totals.worked_ms),
        length(totals.waited_ms),
        length(totals.limited_ms),
        words::per_proved(report.night.cost)
    );
    paper.put(out, &line);
    if !report.proved_with.is_empty() {
        paper.heading(out, "How claims were tried");
        for line in &report.proved_with {
            paper.put(out, &format!("  {line}"));
        }
    }
}

fn further(out: &mut Vec<String>, all: usize) {
    if all > LISTED_MAX {
        out.push(format!(
            "  and {} more: overnight report --html FILE",
            all - LISTED_MAX
        ));
    }
}

/// A line in lines of at most this width, broken at spaces; the further ones are two columns in.
pub(crate) fn wrapped(line: &str, width: usize) -> Vec<String> {
    let width = width.max(20);
    let indent = line.chars().take_while(|c| *c == ' ').count();
    let mut lines = Vec::new();
    let mut now = " ".repeat(indent);
    let mut empty = true;
    for word in line.split_whitespace() {
        let space = usize::from(!empty);
        if !empty && now.chars().count() + space + word.chars().count() > width {
            lines.push(std::mem::replace(&mut now, " ".repeat(indent + 2)));
            empty = true;
        }
        if !empty {
            now.push(' ');
        }
        now.push_str(word);
        empty = false;
    }
    lines.push(now);
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_broken_at_spaces_and_goes_on_further_in() {
        assert_eq!(
            wrapped("  a need of a person that is long", 20),
            ["  a need of a person", "    that is long"]
        );
        assert_eq!(wrapped("", 20), [""]);
        assert_eq!(
            wrapped(&"x".repeat(30), 20).concat().len(),
            30,
            "a word is kept whole"
        );
    }
}
