//! What is on the screen, as text: a terminal cuts it to its size.

use super::details::{at_work, failed, message};
use super::keys::{Choice, Entry, Pane};
use super::subject::Subject;
use super::{NEEDS_MAX, Urgency};
use crate::report::markdown::{details, verdict};
use crate::report::words::{dollars, length};
use crate::report::{Clock, Line};
use crate::status::{Seen, Status, text};
use crate::summary::{self, NeedKind, Summary, screen};
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
    /// What the selected agent says and runs, and each of its members, side by side below what happened.
    pub output: Vec<Column>,
    /// The search, or what the keys do.
    pub foot: String,
    /// What keys act on: the selected agent's run.
    pub target: Option<Target>,
}

/// What an agent says and runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Column {
    /// Whose it is.
    pub head: String,
    /// The last lines, the newest last.
    pub lines: Vec<String>,
}

/// What a key acts on.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Target {
    /// The run.
    pub run: String,
    /// The task at hand.
    pub task: Option<String>,
    /// Is it left alone?
    pub held: bool,
    /// Questions that wait for an answer.
    pub asks: Vec<String>,
    /// Tasks whose agents need an answer, or that are blocked.
    pub needs: Vec<String>,
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
    /// What it does at this moment.
    pub doing: String,
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
const KEYS: &str = "q quit  o output  d diff  a answer  t tell  p hold  / search  ? help";
/// The same at length.
const HELP: [&str; 11] = [
    "arrows       another agent; an earlier or later iteration (home, end: the first, the last)",
    "page keys    older or newer lines",
    "f            follows what is newest again",
    "/            searches the lines below",
    "o            what the agent says and runs now",
    "d            what it changed so far in this iteration",
    "a            answers what waits: a question with y or n, a need with a word",
    "t            tells the run something; its next prompt has it",
    "p            holds the task at hand, or releases it",
    "?            this",
    "q            ends the view; the run goes on",
];

/// The view of these agents as a person chose it.
pub fn view(subjects: &[Subject], choice: &Choice, clock: &Clock) -> View {
    let mut known: Vec<(Urgency, Status, &Subject)> = subjects
        .iter()
        .map(|subject| {
            let status = subject.status();
            (subject.urgency(&status), status, subject)
        })
        .collect();
    // Of equally urgent ones the order is steady: nothing jumps under the eye.
    known.sort_by_key(|(urgency, _, subject)| (*urgency, subject.name.clone()));
    let chosen = choice.agent.as_ref();
    let at = chosen.and_then(|name| known.iter().position(|(_, _, agent)| agent.name == *name));
    let at = at.unwrap_or(0);
    let rows = known
        .iter()
        .enumerate()
        .map(|(place, (urgency, status, agent))| Row {
            urgency: *urgency,
            name: agent.name.clone(),
            text: row(status, agent, &known),
            doing: doing(*urgency, agent),
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
        let seen = Seen {
            open_usd: agent.open_usd(subjects.iter()),
            ..agent.seen.clone()
        };
        let night = || summary::of(agent.state(), &seen, None);
        let night = (!status.state.is_under_way()).then(night);
        view.details = about(
            (status, agent),
            night.as_ref(),
            iterations.get(selected),
            clock,
        );
        view.events = lower(agent, choice, clock);
        let beside = choice.pane == Pane::Events && choice.search.is_empty();
        if beside {
            view.output = output(agent, &known);
        }
        view.target = Some(target(status, agent));
    }
    view
}

/// What it says and runs; of a run with members, what each of those at work does, in their order.
fn output(agent: &Subject, known: &[(Urgency, Status, &Subject)]) -> Vec<Column> {
    let column = |head: String, of: &Subject| Column {
        head,
        lines: of
            .heard
            .activity
            .lines
            .iter()
            .map(|line| shown(line))
            .collect(),
    };
    let own = column("what it says and runs".to_owned(), agent);
    let members = members_of(agent, known);
    let at_work = members.filter(|(urgency, ..)| *urgency == Urgency::Working);
    let members = at_work.map(|(_, number, member)| column(format!("member {number}"), member));
    let all = std::iter::once(own).chain(members);
    all.filter(|column| !column.lines.is_empty()).collect()
}

/// The members of a run, each with its number.
fn members_of<'k>(
    agent: &Subject,
    known: &'k [(Urgency, Status, &Subject)],
) -> impl Iterator<Item = (Urgency, &'k str, &'k Subject)> {
    known.iter().filter_map(move |(urgency, _, other)| {
        let number = agent.member(other)?;
        Some((*urgency, number, *other))
    })
}

/// What keys act on while this agent is selected.
fn target(status: &Status, agent: &Subject) -> Target {
    let run = agent.name.split(" member ").next().unwrap_or_default();
    let task = status.task.as_ref().map(|task| task.id.clone());
    let steering = &agent.state().steering;
    let questions = agent.seen.questions.iter();
    let needs = status
        .needs_you
        .iter()
        .filter(|need| need.kind != NeedKind::Question);
    Target {
        run: run.to_owned(),
        held: task
            .as_ref()
            .is_some_and(|task| steering.held.contains(task)),
        task,
        asks: questions.map(|(ask, _)| ask.clone()).collect(),
        needs: needs.filter_map(|need| need.task.clone()).collect(),
    }
}

/// The command or the words of an agent at work.
fn doing(urgency: Urgency, agent: &Subject) -> String {
    let open = agent.state().open.as_ref().map(|open| open.iteration);
    if urgency > Urgency::Working || open != Some(agent.heard.iteration) {
        return String::new();
    }
    let activity = &agent.heard.activity;
    let command = activity
        .command
        .as_ref()
        .map(|command| format!("$ {command}"));
    let text = command.or_else(|| activity.words.clone());
    one_line(&text.unwrap_or_default(), CHARS_MAX)
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

fn row(status: &Status, agent: &Subject, known: &[(Urgency, Status, &Subject)]) -> String {
    let task = status.task.as_ref().map_or("", |task| task.id.as_str());
    let quiet = length(agent.quiet_ms());
    let ago = if status.state.is_carried() {
        ""
    } else {
        " ago"
    };
    let now = agent.open_usd(known.iter().map(|(.., other)| *other));
    let cost = status.cost.usd + now;
    let mut members = members_of(agent, known);
    let estimated = now > 0.0 || agent.estimated() || members.any(|(.., one)| one.estimated());
    let about = if estimated { "about " } else { "" };
    let far = match status.members.len() {
        0 => format!("{}/{}", status.iteration, status.iterations_max),
        members => format!("{members} members"),
    };
    let task = if task.is_empty() {
        String::new()
    } else {
        format!(" · {task}")
    };
    // What a narrow window cuts stands last.
    let text = format!(
        "{far} · {} · {about}{} · {quiet}{ago}{task}",
        status.tasks.done_of(),
        dollars(cost)
    );
    one_line(&text, CHARS_MAX)
}

/// What a person needs to know first, then the selected iteration.
fn about(
    (status, agent): (&Status, &Subject),
    night: Option<&Summary>,
    line: Option<&Line>,
    clock: &Clock,
) -> Vec<String> {
    let mut lines = Vec::new();
    lines.extend(agent.refused.clone());
    if let Some(night) = night {
        lines.push(screen::sum(night));
        lines.extend(screen::request(night));
        lines.extend(screen::alive(night));
    }
    for need in status.needs_you.iter().take(NEEDS_MAX) {
        lines.push(format!("needs you: {}", need.what));
        // The others are in every other view; `a` answers as well.
        let first = need.commands.first();
        lines.extend(first.map(|command| format!("  {command}")));
    }
    let more = status.needs_you.len().saturating_sub(NEEDS_MAX);
    if more > 0 {
        lines.push(format!("and {more} more: overnight status {}", status.run));
    }
    // What it needs says why it ended.
    let ended = status.summary.as_ref();
    lines.extend(ended.filter(|_| status.needs_you.is_empty()).cloned());
    lines.extend(night.into_iter().flat_map(failed));
    if let Some(limit) = &status.limit {
        lines.push(text::limit(limit, agent.seen.now, &|ms| clock.time(ms)));
    }
    let time = |ms| clock.time(ms);
    let members = status.members.iter();
    lines.extend(members.map(|member| text::member(member, agent.seen.now, &time)));
    if line.is_some_and(|line| line.complete.is_none() && line.number == agent.heard.iteration) {
        lines.extend(at_work(&agent.heard.activity, agent.state().priced));
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
        lines.extend(message(agent, line));
        let began = clock.time(line.started);
        lines.push(match line.complete {
            // What it changed is counted at its end.
            None => format!("  since {began}"),
            Some(_) => format!("  {began}, {}", details(line)),
        });
    }
    if let Some(breaker) = &status.breaker {
        lines.push(format!("breaker {}", text::breaker(breaker)));
    }
    lines.iter().map(|line| shown(line)).collect()
}

/// What the person chose to see below.
fn lower(agent: &Subject, choice: &Choice, clock: &Clock) -> Vec<String> {
    let wanted = choice.search.to_lowercase();
    let all: Vec<String> = match choice.pane {
        Pane::Help => return HELP.map(str::to_owned).into(),
        Pane::Output if agent.heard.activity.lines.is_empty() => vec![silent(agent)],
        Pane::Output => agent.heard.activity.lines.iter().cloned().collect(),
        Pane::Diff if agent.diff.is_empty() => vec![unchanged(agent)],
        Pane::Diff => agent.diff.clone(),
        Pane::Events => agent
            .events()
            .map(|(at, text)| format!("{} {text}", clock.second(*at)))
            .collect(),
    };
    let mut lines: Vec<String> = all
        .iter()
        .filter(|text| wanted.is_empty() || text.to_lowercase().contains(&wanted))
        .map(|text| shown(text))
        .collect();
    lines.truncate(lines.len().saturating_sub(choice.back).max(1));
    lines
}

/// Why there is no output to be shown.
fn silent(agent: &Subject) -> String {
    if agent.state().open.is_some() {
        return "no output yet".to_owned();
    }
    let run = run_of(agent);
    format!("no agent is at work here; what they said: overnight logs {run}")
}

/// Why there is no change to be shown.
fn unchanged(agent: &Subject) -> String {
    if agent.state().open.is_some() {
        return "nothing is changed yet".to_owned();
    }
    let run = run_of(agent);
    format!("no agent is at work here; what they changed: overnight diff {run}")
}

fn run_of(agent: &Subject) -> &str {
    agent.name.split(" member ").next().unwrap_or_default()
}

fn foot(choice: &Choice) -> String {
    match &choice.entry {
        Some(Entry::Question(ask)) => {
            return shown(&format!("{ask}: y approves once, n denies, Esc leaves it"));
        }
        Some(Entry::Word { task, text }) => {
            let to = task.as_deref().unwrap_or("the run");
            return shown(&format!("tell {to}: {text}_"));
        }
        None => {}
    }
    if let Some(note) = &choice.note {
        return shown(note);
    }
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
