//! What a person chose to look at, changed key by key.

use super::view::View;

/// A key that means something here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Key {
    /// A character; while a search is typed it belongs to it.
    Char(char),
    /// The agent above.
    Up,
    /// The agent below.
    Down,
    /// The iteration before.
    Left,
    /// The iteration after.
    Right,
    /// The first iteration.
    Home,
    /// The last iteration.
    End,
    /// Older events.
    PageUp,
    /// Newer events.
    PageDown,
    /// Ends typing a search.
    Enter,
    /// Ends and drops a search; else follows again.
    Escape,
    /// Takes a character of the search back.
    Backspace,
    /// Ends the view, from wherever.
    Quit,
}

impl Entry {
    fn word(task: Option<String>) -> Self {
        Self::Word {
            task,
            text: String::new(),
        }
    }
}

/// Longest word to a run, in characters.
const WORD_CHARS_MAX: usize = 1_000;
/// Longest search, in characters.
const SEARCH_CHARS_MAX: usize = 80;
/// Events that one page key moves by.
const PAGE: usize = 5;

/// What stands in the lower part.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Pane {
    /// What happened.
    #[default]
    Events,
    /// What the agent of the open iteration said and ran.
    Output,
    /// What it changed so far.
    Diff,
    /// What the keys do.
    Help,
}

/// What a person wants done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Wish {
    /// A word to the run, or to one of its tasks.
    Tell {
        /// The run.
        run: String,
        /// The task; none: all of it.
        task: Option<String>,
        /// The word.
        text: String,
    },
    /// A task is left alone from now on, or no longer.
    Hold {
        /// The run.
        run: String,
        /// The task.
        task: String,
        /// Left alone?
        hold: bool,
    },
    /// A question is answered.
    Answer {
        /// The question.
        ask: String,
        /// With a yes?
        approve: bool,
    },
}

/// What is being typed or asked for in the last line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Entry {
    /// A word to a run or to its task.
    Word {
        /// The task.
        task: Option<String>,
        /// As far as it is typed.
        text: String,
    },
    /// Yes or no to this question.
    Question(String),
}

/// What is looked at. Nothing chosen means: follow what is most urgent and newest.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Choice {
    /// The agent, by name.
    pub agent: Option<String>,
    /// The iteration, by its place.
    pub iteration: Option<usize>,
    /// Only events with this in them are shown.
    pub search: String,
    /// Is the search being typed?
    pub typing: bool,
    /// How many of the newest events are passed over.
    pub back: usize,
    /// What stands in the lower part.
    pub pane: Pane,
    /// What is being typed besides a search.
    pub entry: Option<Entry>,
    /// What is to be done; whoever does it takes it.
    pub wish: Option<Wish>,
    /// What came of the last wish.
    pub note: Option<String>,
}

impl Choice {
    /// Is nothing held on to?
    pub fn follows(&self) -> bool {
        self.agent.is_none() && self.iteration.is_none() && self.back == 0
    }

    /// Takes a key; `false` ends the view.
    #[must_use]
    pub fn press(&mut self, key: Key, view: &View) -> bool {
        self.note = None;
        match key {
            Key::Quit => return false,
            _ if self.entry.is_some() => self.entry_key(key, view),
            _ if self.typing => self.search_key(key),
            Key::Char('o') => self.turn(Pane::Output),
            Key::Char('d') => self.turn(Pane::Diff),
            Key::Char('?') => self.turn(Pane::Help),
            Key::Char('t') => self.entry = view.target.as_ref().map(|_| Entry::word(None)),
            Key::Char('a') => self.answer(view),
            Key::Char('p') => self.hold(view),
            Key::Escape if self.pane != Pane::Events => self.turn(self.pane),
            Key::Char('q') => return false,
            Key::Char('/') => {
                self.typing = true;
                self.search.clear();
            }
            Key::Char('f') => self.follow(),
            Key::Escape if self.search.is_empty() => self.follow(),
            Key::Escape => self.search.clear(),
            Key::Up | Key::Char('k') => self.agent(view, false),
            Key::Down | Key::Char('j') => self.agent(view, true),
            Key::Left | Key::Char('h') => self.step(view, false),
            Key::Right | Key::Char('l') => self.step(view, true),
            Key::Home => self.iteration = (!view.strip.is_empty()).then_some(0),
            Key::End => self.iteration = None,
            Key::PageUp => self.back = (self.back + PAGE).min(view.events.len().saturating_sub(1)),
            Key::PageDown => self.back = self.back.saturating_sub(PAGE),
            Key::Char(_) | Key::Enter | Key::Backspace => {}
        }
        true
    }

    /// Shows this in the lower part, or again what happened.
    fn turn(&mut self, pane: Pane) {
        self.back = 0;
        self.pane = if self.pane == pane {
            Pane::Events
        } else {
            pane
        };
    }

    /// The first thing that waits for an answer: a question, else what an agent needs.
    fn answer(&mut self, view: &View) {
        let target = view.target.as_ref();
        let ask = target.and_then(|target| target.asks.first());
        let task = target.and_then(|target| target.needs.first());
        self.entry = match (ask, task) {
            (Some(ask), _) => Some(Entry::Question(ask.clone())),
            (None, Some(task)) => Some(Entry::word(Some(task.clone()))),
            (None, None) => {
                self.note = Some("nothing waits for an answer".to_owned());
                None
            }
        };
    }

    /// Leaves the task at hand alone, or no longer.
    fn hold(&mut self, view: &View) {
        let target = view.target.as_ref();
        match target.and_then(|target| Some((target, target.task.clone()?))) {
            Some((target, task)) => {
                self.wish = Some(Wish::Hold {
                    run: target.run.clone(),
                    task,
                    hold: !target.held,
                });
            }
            None => self.note = Some("no task is at hand".to_owned()),
        }
    }

    fn entry_key(&mut self, key: Key, view: &View) {
        let (Some(entry), Some(target)) = (&mut self.entry, &view.target) else {
            self.entry = None;
            return;
        };
        match (entry, key) {
            (Entry::Word { text, .. }, Key::Char(c)) if text.chars().count() < WORD_CHARS_MAX => {
                text.push(c);
            }
            (Entry::Word { text, .. }, Key::Backspace) => {
                text.pop();
            }
            (Entry::Word { task, text }, Key::Enter) => {
                let said = !text.trim().is_empty();
                self.wish = said.then(|| Wish::Tell {
                    run: target.run.clone(),
                    task: task.take(),
                    text: std::mem::take(text),
                });
                self.entry = None;
            }
            (Entry::Question(ask), Key::Char(word @ ('y' | 'n'))) => {
                self.wish = Some(Wish::Answer {
                    ask: std::mem::take(ask),
                    approve: word == 'y',
                });
                self.entry = None;
            }
            (_, Key::Escape) => self.entry = None,
            _ => {}
        }
    }

    fn follow(&mut self) {
        (self.agent, self.iteration, self.back) = (None, None, 0);
    }

    fn search_key(&mut self, key: Key) {
        match key {
            Key::Char(c) if self.search.chars().count() < SEARCH_CHARS_MAX => self.search.push(c),
            Key::Backspace => {
                self.search.pop();
            }
            Key::Enter => self.typing = false,
            Key::Escape => {
                self.typing = false;
                self.search.clear();
            }
            _ => {}
        }
        self.back = 0;
    }

    /// The next agent in the order shown.
    fn agent(&mut self, view: &View, down: bool) {
        let at = view.agents.iter().position(|row| row.selected).unwrap_or(0);
        let next = if down { at + 1 } else { at.saturating_sub(1) };
        if let Some(row) = view.agents.get(next) {
            self.agent = Some(row.name.clone());
            (self.iteration, self.back) = (None, 0);
        }
    }

    /// The next iteration; behind the last one, what is new is followed again.
    fn step(&mut self, view: &View, right: bool) {
        let last = view.strip.len().saturating_sub(1);
        let at = view
            .strip
            .iter()
            .position(|cell| cell.selected)
            .unwrap_or(last);
        let next = if right { at + 1 } else { at.saturating_sub(1) };
        self.iteration = (next < last).then_some(next);
    }
}
