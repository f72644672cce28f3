//! The desk: what a person answers, reads, comments and sends back in the morning, as a function of
//! what was read and of the keys. A terminal only draws it, and its host does what is wished.

pub mod admission;
mod colleague;
mod hunk;
mod keys;
mod page;
pub mod sheet;

use crate::summary::{ChangedTest, Need, NeedKind, Standing, Summary, screen};

pub use colleague::{Colleague, colleagues};
pub use hunk::{Hunk, hunks};
pub use keys::{Key, Wish};
pub use page::{Line, Page, Tone};

/// Something on the desk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Item {
    /// A need, by its place in the summary: its words, the question, the task.
    Need {
        /// What it is.
        what: String,
        /// The question that it is, if one.
        ask: Option<String>,
        /// The task that it is about.
        task: Option<String>,
        /// What is to be read before the answer: both sides of changed tests.
        lines: Vec<String>,
    },
    /// What a colleague wrote on the pull request.
    Comment {
        /// It, with who wrote it.
        words: String,
        /// The task that touched its file last.
        task: Option<String>,
    },
    /// A task, with its lines.
    Task {
        /// Its id.
        id: String,
        /// Is it done?
        done: bool,
        /// Where it stands, and its message.
        lines: Vec<String>,
    },
}

/// Where a person is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Screen {
    /// At the desk.
    #[default]
    Desk,
    /// At a hunk.
    Hunks,
}

/// What is being typed or asked for in the last line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Entry {
    /// A comment on the hunk.
    Comment(String),
    /// Why a task goes back.
    SendBack(String, String),
    /// An answer to what a task needs.
    Answer(String, String),
    /// Yes or no to this question.
    Question(String),
    /// Is this task taken out?
    Undo(String),
    /// Is the request opened for review?
    Ready(String),
}

/// A comment on a hunk, of this session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Comment {
    task: Option<String>,
    text: String,
}

/// The desk of one run.
#[derive(Debug, Default)]
pub struct Desk {
    /// The run's goal.
    goal: String,
    /// The run in one line, and its sentence.
    head: Vec<String>,
    /// The pull request's address.
    request: Option<String>,
    items: Vec<Item>,
    hunks: Vec<Hunk>,
    colleagues: Vec<Colleague>,
    place: Screen,
    /// The item, and the hunk, that is looked at.
    at: usize,
    hunk: usize,
    /// Only hunks of this task.
    only: Option<String>,
    /// Lines of the hunk that were scrolled over.
    scrolled: usize,
    comments: Vec<Comment>,
    entry: Option<Entry>,
    /// What came of the last wish.
    pub note: Option<String>,
}

impl Desk {
    /// The desk of a run, with the hunks of its change.
    pub fn new(night: &Summary, hunks: Vec<Hunk>) -> Self {
        let mut desk = Self {
            hunks,
            ..Self::default()
        };
        desk.refresh(night);
        desk
    }

    /// Takes in what the run came to by now.
    pub fn refresh(&mut self, night: &Summary) {
        self.goal.clone_from(&night.goal);
        self.head = vec![night.sentence.clone(), screen::total(night)];
        self.head.extend(screen::alive(night));
        let request = night.pull_request.as_ref();
        self.request = request.and_then(|request| request.url.clone());
        let needs = night.needs.iter().map(|need| {
            let ask = need.what.split(':').next().map(str::to_owned);
            Item::Need {
                what: need.beside(night.about(need)).to_owned(),
                ask: ask.filter(|_| need.kind == NeedKind::Question),
                task: need.task.clone(),
                lines: to_read(need),
            }
        });
        let seen = |standing| !matches!(standing, Standing::NotBegun | Standing::Waiting);
        let done = night.tasks.iter().filter(|task| task.standing.is_done());
        let tasks = night.open().chain(done).filter(|task| seen(task.standing));
        let tasks = tasks.map(|task| Item::Task {
            id: task.id.clone(),
            done: task.standing.is_done(),
            lines: screen::beside(night, task, MESSAGE_LINES),
        });
        let comments = self.colleagues.iter().map(|comment| Item::Comment {
            words: comment.words(),
            task: self.touched(comment),
        });
        self.items = needs.chain(comments).chain(tasks).collect();
        self.at = self.at.min(self.items.len().saturating_sub(1));
    }

    /// Puts what colleagues wrote on the desk; shown from the next look on.
    pub fn comments(&mut self, colleagues: Vec<Colleague>) {
        self.colleagues = colleagues;
    }

    /// The task that touched the comment's file last.
    fn touched(&self, comment: &Colleague) -> Option<String> {
        let file = comment.file.as_ref()?;
        let mut hunks = self.hunks.iter().filter(|hunk| hunk.file == *file);
        hunks.find_map(|hunk| hunk.tasks.last().cloned())
    }

    /// The places of the hunks that are shown.
    fn shown(&self) -> Vec<usize> {
        let of_task = |hunk: &Hunk| match &self.only {
            Some(task) => hunk.tasks.contains(task),
            None => true,
        };
        (0..self.hunks.len())
            .filter(|at| of_task(&self.hunks[*at]))
            .collect()
    }

    /// These hunks were read.
    pub fn was_read(&mut self, keys: &[String]) {
        for hunk in self
            .hunks
            .iter_mut()
            .filter(|hunk| keys.contains(&hunk.key))
        {
            hunk.read = true;
        }
    }

    /// How many hunks nobody has read.
    pub fn unread(&self) -> usize {
        self.hunks.iter().filter(|hunk| !hunk.read).count()
    }

    /// The task of the selected item, or of the hunk.
    fn task(&self) -> Option<String> {
        match self.place {
            Screen::Desk => match self.items.get(self.at)? {
                Item::Need { task, .. } | Item::Comment { task, .. } => task.clone(),
                Item::Task { id, .. } => Some(id.clone()),
            },
            Screen::Hunks => self.current()?.tasks.last().cloned(),
        }
    }

    fn current(&self) -> Option<&Hunk> {
        self.hunks.get(*self.shown().get(self.hunk)?)
    }
}

/// What is read below a need: both sides of changed tests; of one that no key answers, the command
/// that does, and of work that agents could not merge, how a person does.
fn to_read(need: &Need) -> Vec<String> {
    let sides = need.changed_tests.iter().flat_map(ChangedTest::lines);
    let merges = |command: &String| command.starts_with("git ");
    let commands = match need.kind {
        NeedKind::Run => 1,
        NeedKind::Blocked if need.commands.first().is_some_and(merges) => 2,
        _ => 0,
    };
    sides
        .chain(need.commands.iter().take(commands).cloned())
        .collect()
}

/// Lines of a failing gate's output that are shown of one task.
const MESSAGE_LINES: usize = 4;

#[cfg(test)]
mod tests;
