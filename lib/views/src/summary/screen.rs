//! The last screen of a run, and the lines that every text view takes from it.

use super::{ChangedTest, Need, NeedKind, Standing, Summary, Task, machines, sentence, words};
use crate::report::terminal::{Paper, wrapped};
use crate::report::words::{count, length};
use overnight_base::text::one_line;

/// Lines of the last screen: what the smallest terminal shows at once.
pub const LINES_MAX: usize = 24;
/// Lines of it that tasks which are not done may take, and that needs take at least.
const TASKS_LINES: usize = 10;
const NEEDS_LINES: usize = 8;
/// Lines of how it ended, where what it needs stands below.
const HEAD_LINES: usize = 2;
/// Lines that stay free for the prompt below, where only long texts would take them.
const FREE_LINES: usize = 2;
/// Lines about machines.
const MACHINES_LINES: usize = 4;
/// Lines of changed tests of one question.
const SIDES_LINES: usize = 3;
/// With more tasks than this each has only its message, or else its agent's words.
const FULL_MAX: usize = 3;
/// Characters of a gate's command in a line that has more to say.
pub(super) const COMMAND_CHARS_MAX: usize = 60;
/// Tasks named in the line about those that nobody worked on.
const IDLE_NAMED: usize = 3;
/// Files named in the line about work that is not committed.
const NAMED_MAX: usize = 3;

/// A line of the last screen.
struct Row {
    text: String,
    tone: Tone,
}

/// What a line of the last screen is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Tone {
    Head,
    Failed,
    Need,
    /// Whole at any width: one that is cut does something else, or nothing.
    Command,
    Plain,
}

impl Tone {
    fn of(self, text: String) -> Row {
        Row { text, tone: self }
    }

    /// How a terminal shows it.
    fn colour(self) -> Option<&'static str> {
        match self {
            Self::Head => Some("1"),
            Self::Failed => Some("31"),
            Self::Need => Some("33"),
            Self::Command => Some("36"),
            Self::Plain => None,
        }
    }
}

/// The last screen, at most [`LINES_MAX`] lines: how it ended, what failed with its message, what needs
/// a person with the command, and all of it in one line.
pub fn lines(summary: &Summary, sentence: &str, paper: Paper) -> Vec<String> {
    let plain = |lines: Vec<String>| lines.into_iter().map(|line| Tone::Plain.of(line));
    let mut rows = failed(summary);
    // What the tasks leave is the needs'.
    let room = (TASKS_LINES + NEEDS_LINES).saturating_sub(rows.len());
    rows.extend(asked(summary, room.max(NEEDS_LINES)));
    rows.extend(plain(work(summary)));
    rows.extend(plain(alive(summary)));
    let machines = machines::lines(summary).into_iter();
    rows.extend(plain(machines.take(MACHINES_LINES).collect()));
    let end = end(summary, paper.width);
    let lines_max = if summary.needs.is_empty() {
        LINES_MAX
    } else {
        HEAD_LINES
    };
    let head = fitted(sentence, paper.width, lines_max);
    let room = LINES_MAX.saturating_sub(head.len() + taken(&end, paper.width));
    let painted = |row: &Row, line: String| match row.tone.colour() {
        Some(colour) => paper.painted(colour, &line),
        None => line,
    };
    let body = rows.iter().zip(heights(&rows, paper.width, room));
    let body = body.chain(end.iter().map(|row| (row, 1)));
    let body = body.flat_map(|(row, height)| {
        let lines = row.lines(paper.width, height).into_iter();
        lines.map(|line| painted(row, line))
    });
    let head = head.iter().map(|line| paper.outcome(summary.ending, line));
    head.chain(body).collect()
}

impl Row {
    /// The lines that a terminal of this width shows of it, where it may have them.
    fn wants(&self, width: usize) -> usize {
        match self.tone {
            Tone::Command => self.text.chars().count().div_ceil(width.max(1)).max(1),
            _ => wrapped(&self.text, width).len(),
        }
    }

    /// The lines that it takes whatever else there is.
    fn takes(&self, width: usize) -> usize {
        match self.tone {
            Tone::Command => self.wants(width),
            _ => 1,
        }
    }

    fn lines(&self, width: usize, lines_max: usize) -> Vec<String> {
        match self.tone {
            Tone::Command => vec![self.text.clone()],
            _ => fitted(&self.text, width, lines_max),
        }
    }
}

fn taken(rows: &[Row], width: usize) -> usize {
    rows.iter().map(|row| row.takes(width)).sum()
}

/// How many of these lines each row has, of those that fit: one, and by turns one more where it
/// would be cut.
fn heights(rows: &[Row], width: usize, room: usize) -> Vec<usize> {
    let fits = rows.iter().scan(0, |taken, row| {
        *taken += row.takes(width);
        (*taken <= room).then(|| row.takes(width))
    });
    let mut heights: Vec<usize> = fits.collect();
    let taken: usize = heights.iter().sum();
    let mut free = room.saturating_sub(taken + FREE_LINES);
    for turn in 2..=room {
        for (height, row) in heights.iter_mut().zip(rows) {
            if free > 0 && *height < turn && row.wants(width) >= turn {
                *height += 1;
                free -= 1;
            }
        }
    }
    heights
}

/// A text in at most so many lines of this width, the last one cut, its indentation kept.
fn fitted(text: &str, width: usize, lines_max: usize) -> Vec<String> {
    let mut lines = wrapped(text, width);
    let kept = lines.len().min(lines_max).saturating_sub(1);
    let rest = lines.split_off(kept);
    let indent = rest[0].len() - rest[0].trim_start().len();
    let rest: Vec<&str> = rest.iter().map(|line| line.trim_start()).collect();
    lines.push(format!("{:indent$}{}", "", rest.join(" ")));
    lines.iter().map(|line| cut(line, width)).collect()
}

/// The line in this width, its indentation kept.
fn cut(line: &str, width: usize) -> String {
    let text = line.trim_start();
    let indent = line.len() - text.len();
    let text = one_line(text, width.saturating_sub(indent).max(20));
    format!("{:indent$}{text}", "")
}

/// The last lines: all of it in one, with the pull request where both fit, and what comes next.
/// Addresses and commands are whole.
fn end(summary: &Summary, width: usize) -> Vec<Row> {
    let whole = total(summary);
    let mut rows = vec![Tone::Head.of(whole)];
    if rows[0].text.chars().count() > width {
        rows = vec![Tone::Head.of(sum(summary))];
        rows.extend(request(summary).map(|request| Tone::Plain.of(request)));
    }
    let next = summary.next.first();
    rows.extend(next.map(|command| Tone::Command.of(format!("next: {command}"))));
    rows
}

/// Where the pull request is, or what opens it.
pub fn request(summary: &Summary) -> Option<String> {
    summary.pull_request.as_ref()?.words()
}

/// All of it in one line, the pull request's address last.
pub fn total(summary: &Summary) -> String {
    let mut line = sum(summary);
    if let Some(request) = request(summary) {
        line.push_str(" · ");
        line.push_str(&request);
    }
    line
}

/// What is done, how long it took and what it cost.
pub fn sum(summary: &Summary) -> String {
    let done = match summary.done.words() {
        words if words.is_empty() => String::new(),
        words => format!(" ({words})"),
    };
    let tasks = if summary.total == 1 { "task" } else { "tasks" };
    format!(
        "{} of {} {tasks} done{done} · {} · {}",
        summary.done.all(),
        summary.total,
        length(summary.ended_ms.saturating_sub(summary.started_ms)),
        sentence::cost(summary),
    )
}

/// The tasks that are not done, with the message of what refuted each and the agent's words. What
/// waits for an answer stands among the needs.
fn failed(summary: &Summary) -> Vec<Row> {
    let (idle, told) = not_done(summary);
    let mut rows = Vec::new();
    if told.is_empty() && idle.is_empty() {
        return rows;
    }
    rows.push(Tone::Head.of("not done".to_owned()));
    for task in &told[..shown(summary, &told)] {
        let lines = rows_of(summary, task, told.len()).into_iter().enumerate();
        rows.extend(lines.map(|(at, line)| match at {
            0 => Tone::Failed.of(line),
            _ => Tone::Plain.of(line),
        }));
    }
    let more = told.len() - shown(summary, &told);
    if more > 0 {
        let run = &summary.run;
        rows.push(Tone::Plain.of(format!("  and {more} more: overnight report {run}")));
    }
    rows.extend(not_begun(&idle).map(|line| Tone::Plain.of(line)));
    rows
}

/// The tasks that are not done and that no need tells of: those that nobody worked on, and the others.
fn not_done(summary: &Summary) -> (Vec<&Task>, Vec<&Task>) {
    let told = |need: &Need, task: &Task| {
        need.kind != NeedKind::Blocked && need.task.as_ref() == Some(&task.id)
    };
    let asks = |task: &&Task| {
        task.refuted_by.is_none() && summary.needs.iter().any(|need| told(need, task))
    };
    let idle = |task: &&Task| matches!(task.standing, Standing::Waiting | Standing::NotBegun);
    summary.open().filter(|task| !asks(task)).partition(idle)
}

/// How many of so many tasks that failed have room.
fn shown(summary: &Summary, told: &[&Task]) -> usize {
    let lines = told.iter().scan(1, |lines, task| {
        *lines += rows_of(summary, task, told.len()).len();
        Some(*lines)
    });
    lines.take_while(|lines| *lines <= TASKS_LINES).count()
}

/// The lines of one of so many tasks that failed.
fn rows_of(summary: &Summary, task: &Task, of: usize) -> Vec<String> {
    let message = match of {
        1 => 6,
        2 | 3 => 2,
        _ => 1,
    };
    let mut lines = beside(summary, task, message);
    if of > FULL_MAX {
        lines.truncate(2);
    }
    lines
}

/// The tasks that nobody worked on, in a line.
fn not_begun(idle: &[&Task]) -> Option<String> {
    let shown = idle
        .iter()
        .take(IDLE_NAMED)
        .map(|task| match &task.waits_for[..] {
            [] => task.id.clone(),
            ids => format!("{} (waits for {})", task.id, ids.join(", ")),
        });
    let mut shown: Vec<String> = shown.collect();
    let more = idle.len().saturating_sub(shown.len());
    if more > 0 {
        shown.push(format!("{more} more"));
    }
    (!shown.is_empty()).then(|| format!("  not begun: {}", shown.join(", ")))
}

/// A task that is not done: where it stands, so many lines of its message, its agent's words.
pub fn of_task(task: &Task, lines_max: usize) -> Vec<String> {
    told(task, &task.why, lines_max)
}

/// The same where what needs a person stands beside it.
pub fn beside(summary: &Summary, task: &Task, lines_max: usize) -> Vec<String> {
    told(task, summary.why(task), lines_max)
}

fn told(task: &Task, why: &str, lines_max: usize) -> Vec<String> {
    let refuted = task.refuted_by.as_ref();
    let refuted = refuted.filter(|_| task.standing == Standing::Refuted);
    let by = refuted.map_or_else(
        || match why {
            "" => String::new(),
            why => format!(": {why}"),
        },
        |gate| {
            let command = one_line(&gate.command, COMMAND_CHARS_MAX);
            format!(" by `{command}` ({})", gate.ended)
        },
    );
    let tries = match task.tries {
        0 | 1 => String::new(),
        tries => format!(", {tries} tries"),
    };
    let blocked = if task.blocked && refuted.is_some() {
        ", given up"
    } else {
        ""
    };
    let mut lines = vec![format!(
        "  {} {}{}{by}{tries}{blocked}",
        task.id,
        task.standing.words(),
        machine(task)
    )];
    if let Some(gate) = &task.refuted_by {
        lines.extend(message(&gate.lines, lines_max).map(|line| format!("    {line}")));
    }
    lines.extend(doubts(task).map(|doubt| format!("    {doubt}")));
    lines.extend(words(task).map(|words| format!("    {words}")));
    lines
}

/// ` on NAME`, where several machines work on the list.
pub fn machine(task: &Task) -> String {
    let name = task.machine.as_ref();
    name.map_or_else(String::new, |name| format!(" on {name}"))
}

/// What a person should read in its change, whatever its gates say.
pub fn doubts(task: &Task) -> impl Iterator<Item = String> {
    let broken = task.broken_by.as_ref();
    let broken = broken.map(|by| format!("was done, and is broken since {}", by.words));
    let special = task.special_cased.iter();
    let special = special.map(|place| format!("looks special-cased: {place}"));
    let idle = task.idle_tests.iter();
    let idle = idle.map(|test| format!("a new test passes without the work: {test}"));
    let review = task.review.iter();
    let review = review.map(|line| format!("the reviewer: {line}"));
    broken.into_iter().chain(special).chain(idle).chain(review)
}

/// The first lines of a message, then how many more there are.
pub fn message(all: &[String], lines_max: usize) -> impl Iterator<Item = String> {
    let shown = all.iter().take(lines_max);
    let more = all.len().saturating_sub(lines_max);
    let more = (more > 0 && lines_max > 1).then(|| format!("… {}", count(more, "more line")));
    shown.cloned().chain(more)
}

/// What its agent said last, where that does not stand there already.
pub fn words(task: &Task) -> Option<String> {
    let words = words::beyond(task.words.as_ref()?, &task.why)?;
    Some(format!("the agent said: “{words}”"))
}

/// What a person is asked for, each with what answers it.
fn asked(summary: &Summary, lines_max: usize) -> Vec<Row> {
    let mut rows = Vec::new();
    let needs = &summary.needs;
    if needs.is_empty() {
        return rows;
    }
    rows.push(Tone::Head.of("needs you".to_owned()));
    let (_, failed) = not_done(summary);
    let above = &failed[..shown(summary, &failed)];
    let mut listed = 0;
    for need in needs {
        let commands = answers(summary, need);
        if rows.len() + 1 + commands.len() > lines_max {
            break;
        }
        let task = summary.about(need);
        let what = need.beside(task.filter(|task| above.contains(task)));
        rows.push(Tone::Need.of(format!("  {what}")));
        let sides = need.changed_tests.iter().flat_map(ChangedTest::lines);
        let sides = sides.map(|line| format!("      {line}"));
        let room = lines_max.saturating_sub(rows.len() + commands.len());
        let sides = sides.take(room.min(SIDES_LINES));
        rows.extend(sides.map(|line| Tone::Plain.of(line)));
        rows.extend(commands);
        listed += 1;
    }
    let more = needs.len() - listed;
    if more > 0 {
        let run = &summary.run;
        rows.push(Tone::Plain.of(format!("  and {more} more: overnight status {run}")));
    }
    rows
}

/// The commands that answer it, but for what is said to be next: all where little is asked.
fn answers(summary: &Summary, need: &Need) -> Vec<Row> {
    let own = summary.answers(need);
    let room = if summary.needs.len() > 2 { 1 } else { 2 };
    let row = |command| Tone::Command.of(format!("    {command}"));
    own.take(room).map(row).collect()
}

/// Commits and files, and what is not committed.
pub fn work(summary: &Summary) -> Vec<String> {
    let Some(work) = &summary.work else {
        return Vec::new();
    };
    let branch = work.branch.as_deref().unwrap_or("(no branch)");
    let mut lines = vec![format!(
        "work: {} on {branch}, {} changed",
        work.commits_words(summary.ending),
        count(work.files_count, "file")
    )];
    let open = &work.uncommitted;
    if !open.is_empty() {
        let named = open.iter().take(NAMED_MAX).map(|file| {
            let new = if file.untracked { "new, " } else { "" };
            format!("{} ({new}{})", file.path, file.words())
        });
        let mut named: Vec<String> = named.collect();
        let more = usize::try_from(work.uncommitted_count).unwrap_or(usize::MAX);
        let more = more.saturating_sub(named.len());
        if more > 0 {
            named.push(format!("{more} more"));
        }
        lines.push(format!("not committed: {}", named.join(", ")));
    }
    lines.extend(
        work.behind(summary.ending)
            .map(|behind| format!("not pushed: {behind}")),
    );
    lines
}

/// Agents whose processes live, of a run that nobody drives.
pub fn alive(summary: &Summary) -> Vec<String> {
    let told = left_alive(summary);
    told.map(|(words, command)| format!("{words}; it ends with: {command}"))
        .collect()
}

/// The same: what is said, and the command that ends it.
pub(crate) fn left_alive(summary: &Summary) -> impl Iterator<Item = (String, String)> {
    let agents = summary.alive.iter();
    let told = agents.filter(|_| summary.ending != super::Ending::Running);
    told.map(|agent| {
        let (pid, task) = (agent.pid, &agent.task);
        (
            format!("still alive: the agent of {task}, pid {pid}"),
            format!("kill -TERM -- -{pid}"),
        )
    })
}
