//! The last screen of a run, and the lines that every text view takes from it.

use super::{ChangedTest, Need, Standing, Summary, Task, sentence};
use crate::report::words::{count, length};
use overnight_base::text::one_line;

/// Lines of the last screen: what the smallest terminal shows at once.
pub const LINES_MAX: usize = 24;
/// Lines of it that tasks which are not done may take, and needs.
const TASKS_LINES: usize = 10;
const NEEDS_LINES: usize = 8;
/// Lines of changed tests of one question.
const SIDES_LINES: usize = 3;
/// With more tasks than this each has only its message, or else its agent's words.
const FULL_MAX: usize = 3;
/// Columns before a command that answers a need.
const COMMAND_INDENT: usize = 4;
/// Characters of a gate's command in a line that has more to say.
pub(super) const COMMAND_CHARS_MAX: usize = 60;
/// Tasks named in the line about those that nobody worked on.
const IDLE_NAMED: usize = 3;
/// Files named in the line about work that is not committed.
const NAMED_MAX: usize = 3;

/// The last screen, at most [`LINES_MAX`] lines of this width: what failed with its message, what
/// needs a person with the command, and all of it in one line.
pub fn lines(summary: &Summary, width: usize) -> Vec<String> {
    let mut lines = failed(summary);
    lines.extend(asked(summary));
    lines.extend(work(summary));
    lines.extend(alive(summary));
    let end = end(summary, width);
    lines.truncate((LINES_MAX - 1).saturating_sub(end.len()));
    let cut = |line: &String| {
        let indent: String = line.chars().take_while(|c| *c == ' ').collect();
        let room = width.saturating_sub(indent.len()).max(20);
        // A command that is cut is none.
        let is_command = indent.len() == COMMAND_INDENT && line.trim().starts_with("overnight ");
        let text = line.trim();
        let text = if is_command {
            text.to_owned()
        } else {
            one_line(text, room)
        };
        format!("{indent}{text}")
    };
    let mut lines: Vec<String> = lines.iter().map(cut).collect();
    lines.extend(end);
    lines
}

/// The last lines: all of it in one, with the pull request where both fit, and what comes next.
/// Addresses and commands are whole.
fn end(summary: &Summary, width: usize) -> Vec<String> {
    let whole = total(summary);
    let mut lines = vec![whole];
    if lines[0].chars().count() > width {
        lines = vec![sum(summary)];
        lines.extend(request(summary));
    }
    let next = summary.next.first();
    lines.extend(next.map(|command| format!("next: {command}")));
    lines
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

/// The tasks that are not done, with the message of what refuted each and the agent's words.
fn failed(summary: &Summary) -> Vec<String> {
    let idle = |task: &&Task| matches!(task.standing, Standing::Waiting | Standing::NotBegun);
    let (idle, told): (Vec<&Task>, Vec<&Task>) = summary.open().partition(idle);
    let mut lines = Vec::new();
    if told.is_empty() && idle.is_empty() {
        return lines;
    }
    let room = match told.len() {
        1 => 6,
        2 | 3 => 2,
        _ => 1,
    };
    lines.push("not done".to_owned());
    let mut shown = 0;
    for task in &told {
        let mut own = of_task(task, room);
        if told.len() > FULL_MAX {
            own.truncate(2);
        }
        if lines.len() + own.len() > TASKS_LINES {
            break;
        }
        lines.extend(own);
        shown += 1;
    }
    if shown < told.len() {
        let more = told.len() - shown;
        let run = &summary.run;
        lines.push(format!("  and {more} more: overnight report {run}"));
    }
    lines.extend(not_begun(&idle));
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
    let refuted = task.refuted_by.as_ref();
    let refuted = refuted.filter(|_| task.standing == Standing::Refuted);
    let by = refuted.map_or_else(
        || match task.why.as_str() {
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
        "  {} {}{by}{tries}{blocked}",
        task.id,
        task.standing.words()
    )];
    if let Some(gate) = &task.refuted_by {
        lines.extend(message(&gate.lines, lines_max).map(|line| format!("    {line}")));
    }
    lines.extend(doubts(task).map(|doubt| format!("    {doubt}")));
    lines.extend(words(task).map(|words| format!("    {words}")));
    lines
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
    let words = task
        .words
        .as_ref()
        .filter(|words| !task.why.contains(*words))?;
    Some(format!("the agent said: “{words}”"))
}

fn asked(summary: &Summary) -> Vec<String> {
    let mut lines = Vec::new();
    // What a task that stands above needs is said there; its command is not.
    let needs: Vec<&Need> = summary.needs.iter().collect();
    if needs.is_empty() {
        return lines;
    }
    lines.push("needs you".to_owned());
    let mut shown = 0;
    for need in &needs {
        let command = need
            .commands
            .first()
            .map(|command| format!("    {command}"));
        if lines.len() + 2 > NEEDS_LINES {
            break;
        }
        lines.push(format!("  {}", need.what));
        let sides = need.changed_tests.iter().flat_map(ChangedTest::lines);
        let room = NEEDS_LINES.saturating_sub(lines.len() + 1).min(SIDES_LINES);
        lines.extend(sides.take(room).map(|line| format!("      {line}")));
        lines.extend(command);
        shown += 1;
    }
    if shown < needs.len() {
        let more = needs.len() - shown;
        let run = &summary.run;
        lines.push(format!("  and {more} more: overnight status {run}"));
    }
    lines
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
