//! What is on the screen, as text: a terminal cuts it to its size.

use super::Urgency;
use super::keys::Choice;
use super::subject::Subject;
use crate::activity::Activity;
use crate::report::markdown::{details, verdict};
use crate::report::words::dollars;
use crate::report::{Clock, Line};
use crate::status::{Status, text};
use overnight_base::text::one_line;

/// Longest line that is handed to a terminal, in characters.
const CHARS_MAX: usize = 300;

/// Everything that is shown.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct View {
    /// How many agents, and how many of them need what.
    pub head: String,
    /// The agents, most urgent first.
    pub agents: Vec<Row>,
    /// The selected agent's iterations, oldest first.
    pub strip: Vec<Cell>,
    /// The selected iteration, and what its agent needs.
    pub details: Vec<String>,
    /// What happened, newest last.
    pub events: Vec<String>,
    /// The search, or what the keys do.
    pub foot: String,
}

/// One agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// How urgent it is.
    pub urgency: Urgency,
    /// Its name.
    pub name: String,
    /// How far it is, on what, and since when.
    pub text: String,
    /// Is it the one whose details are shown?
    pub selected: bool,
}

/// What came of an iteration.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Mark {
    /// Judged complete.
    Complete,
    /// Judged incomplete.
    Incomplete,
    /// A deadline ended it.
    TimedOut,
    /// Under way.
    Open,
}

impl Mark {
    /// Its sign: told apart without colours.
    pub fn sign(self) -> char {
        match self {
            Self::Complete => '+',
            Self::Incomplete => 'x',
            Self::TimedOut => '!',
            Self::Open => '>',
        }
    }

    fn of(line: &Line) -> Self {
        match line.complete {
            None => Self::Open,
            Some(true) => Self::Complete,
            Some(false) if line.timed_out => Self::TimedOut,
            Some(false) => Self::Incomplete,
        }
    }
}

/// An iteration in the strip.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cell {
    /// What came of it.
    pub mark: Mark,
    /// Is it the one whose details are shown?
    pub selected: bool,
}

/// The keys, for the last line.
const KEYS: &str = "q quit  arrows choose  f follow  / search";

/// The view of these agents as a person chose it.
pub fn view(subjects: &[Subject], choice: &Choice, clock: &Clock) -> View {
    let mut known: Vec<(Urgency, Status, &Subject)> = subjects
        .iter()
        .map(|subject| {
            let status = subject.status();
            (subject.urgency(&status), status, subject)
        })
        .collect();
    // Of two equally urgent ones the one that changed last comes first.
    known.sort_by_key(|(urgency, status, subject)| {
        let newest = std::cmp::Reverse(status.updated_ms);
        (*urgency, newest, subject.name.clone())
    });
    let chosen = choice.agent.as_ref();
    let at = chosen.and_then(|name| known.iter().position(|(_, _, agent)| agent.name == *name));
    let at = at.unwrap_or(0);
    let rows = known
        .iter()
        .enumerate()
        .map(|(place, (urgency, status, agent))| Row {
            urgency: *urgency,
            name: agent.name.clone(),
            text: row(status, agent),
            selected: place == at,
        });
    let mut view = View {
        head: head(&known),
        agents: rows.collect(),
        foot: foot(choice),
        ..View::default()
    };
    if let Some((_, status, agent)) = known.get(at) {
        let iterations = agent.iterations();
        let last = iterations.len().saturating_sub(1);
        let selected = choice.iteration.unwrap_or(last).min(last);
        let cell = |(place, line)| Cell {
            mark: Mark::of(line),
            selected: place == selected,
        };
        view.strip = iterations.iter().enumerate().map(cell).collect();
        view.details = about(status, agent, iterations.get(selected), clock);
        view.events = events(agent, choice, clock);
    }
    view
}

fn head(known: &[(Urgency, Status, &Subject)]) -> String {
    let count = |level: Urgency| {
        known
            .iter()
            .filter(|(urgency, ..)| *urgency == level)
            .count()
    };
    let levels = Urgency::ALL
        .iter()
        .map(|level| (count(*level), level.name()));
    let counted: Vec<String> = levels
        .filter(|(count, _)| *count > 0)
        .map(|(count, name)| format!("{count} {name}"))
        .collect();
    if counted.is_empty() {
        return "overnight: no task yet".to_owned();
    }
    format!("overnight: {}", counted.join(", "))
}

fn row(status: &Status, agent: &Subject) -> String {
    let task = status.task.as_ref().map_or("", |task| task.id.as_str());
    let quiet = text::ago(agent.quiet_ms());
    let (tasks, cost) = (status.tasks, status.cost.usd);
    let all = tasks.done + tasks.doing + tasks.blocked + tasks.left;
    let far = match status.members.len() {
        0 => format!("{}/{}", status.iteration, status.iterations_max),
        members => format!("{members} members"),
    };
    let task = if task.is_empty() {
        String::new()
    } else {
        format!(" · {task}")
    };
    let text = format!(
        "{far} · {}/{all} done{task} · {quiet} · {}",
        tasks.done,
        dollars(cost)
    );
    one_line(&text, CHARS_MAX)
}

/// What a person needs to know first, then the selected iteration.
fn about(status: &Status, agent: &Subject, line: Option<&Line>, clock: &Clock) -> Vec<String> {
    let mut lines = Vec::new();
    lines.extend(agent.refused.clone());
    for need in &status.needs_you {
        lines.push(format!("needs you: {}", need.what));
        lines.extend(need.commands.iter().map(|command| format!("  {command}")));
    }
    lines.extend(status.summary.clone());
    if let Some(limit) = &status.limit {
        lines.push(text::limit(limit, agent.seen.now, &|ms| clock.time(ms)));
    }
    let time = |ms| clock.time(ms);
    let members = status.members.iter();
    lines.extend(members.map(|member| text::member(member, agent.seen.now, &time)));
    if line.is_some_and(|line| line.complete.is_none() && line.number == agent.heard.1) {
        lines.extend(at_work(&agent.heard.0));
    }
    if let Some(line) = line {
        let word = match line.complete {
            None => "under way",
            Some(_) => verdict(line),
        };
        lines.push(format!(
            "iteration {} on {}: {word}",
            line.number, line.task
        ));
        if !line.reason.is_empty() {
            lines.push(format!("  {}", line.reason));
        }
        lines.push(format!("  {}, {}", clock.time(line.started), details(line)));
    }
    if let Some(breaker) = &status.breaker {
        lines.push(format!("breaker {}", text::breaker(breaker)));
    }
    lines.iter().map(|line| shown(line)).collect()
}

/// What the agent said last, runs, and wrote, by its output.
fn at_work(activity: &Activity) -> Vec<String> {
    const FILES_MAX: usize = 4;
    let mut lines = Vec::new();
    lines.extend(
        activity
            .words
            .as_ref()
            .map(|words| format!("it says: {words}")),
    );
    lines.extend(
        activity
            .command
            .as_ref()
            .map(|command| format!("  $ {command}")),
    );
    if !activity.files.is_empty() {
        let newest = activity.files.iter().rev().take(FILES_MAX);
        let names: Vec<&str> = newest.map(String::as_str).collect();
        let more = match activity.files.len().saturating_sub(FILES_MAX) {
            0 => String::new(),
            more => format!(", and {more} more"),
        };
        lines.push(format!("  wrote {}{more}", names.join(", ")));
    }
    if activity.tokens > 0 {
        lines.push(format!(
            "  {} tokens so far, by its stream",
            activity.tokens
        ));
    }
    lines
}

fn events(agent: &Subject, choice: &Choice, clock: &Clock) -> Vec<String> {
    let wanted = choice.search.to_lowercase();
    let mut lines: Vec<String> = agent
        .events()
        .filter(|(_, text)| wanted.is_empty() || text.to_lowercase().contains(&wanted))
        .map(|(at, text)| shown(&format!("{} {text}", clock.second(*at))))
        .collect();
    lines.truncate(lines.len().saturating_sub(choice.back).max(1));
    lines
}

fn foot(choice: &Choice) -> String {
    if choice.typing {
        return format!("/{}_", shown(&choice.search));
    }
    let search = if choice.search.is_empty() {
        String::new()
    } else {
        format!("/{}  Esc drops it  ", shown(&choice.search))
    };
    let follows = if choice.follows() {
        "following"
    } else {
        "held"
    };
    format!("{search}{follows}  {KEYS}")
}

/// Text from elsewhere keeps its indentation and loses what could move a cursor.
fn shown(text: &str) -> String {
    let indent = text.len() - text.trim_start_matches(' ').len();
    format!("{}{}", " ".repeat(indent.min(8)), one_line(text, CHARS_MAX))
}
