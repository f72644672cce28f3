//! Keys at the desk.

use super::{Comment, Desk, Entry, Item, Screen};

/// A key that means something here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Key {
    /// A character.
    Char(char),
    /// Up.
    Up,
    /// Down.
    Down,
    /// A page up within a hunk.
    PageUp,
    /// A page down.
    PageDown,
    /// Opens, or ends typing.
    Enter,
    /// Back.
    Escape,
    /// Takes a character back.
    Backspace,
    /// Ends the desk, from wherever.
    Quit,
}

/// What a person wants done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Wish {
    /// Nothing that the desk cannot do itself.
    Nothing,
    /// The desk is left.
    Leave,
    /// A need of a task is answered.
    Answer {
        /// The task.
        task: String,
        /// The answer.
        text: String,
    },
    /// A question is answered.
    Question {
        /// The question.
        ask: String,
        /// With a yes?
        approve: bool,
    },
    /// A task is worked on again, with these words.
    SendBack {
        /// The task.
        task: String,
        /// The comments, and what was said last.
        comments: Vec<String>,
    },
    /// What a task changed is taken out.
    TakeOut {
        /// The task.
        task: String,
    },
    /// Hunks were read.
    Read(Vec<String>),
    /// The pull request is opened for review.
    Ready(String),
    /// What colleagues wrote on the pull request is fetched.
    Fetch(String),
}

/// Longest text that is typed, in characters.
const TEXT_CHARS_MAX: usize = 1_000;
/// Lines that a page key moves by.
const PAGE: usize = 15;

impl Desk {
    /// Takes a key; gives what is to be done.
    #[must_use]
    pub fn press(&mut self, key: Key) -> Wish {
        self.note = None;
        match (key, self.place) {
            (Key::Quit, _) => Wish::Leave,
            _ if self.entry.is_some() => self.entry_key(key),
            (Key::Char('q') | Key::Escape, Screen::Desk) => Wish::Leave,
            (Key::Char('q') | Key::Escape, Screen::Hunks) => {
                self.place = Screen::Desk;
                Wish::Nothing
            }
            (Key::Char('b'), _) => {
                // A colleague's words go along once the person sends them.
                let said = match self.items.get(self.at) {
                    Some(Item::Comment { words, .. }) if self.place == Screen::Desk => {
                        words.clone()
                    }
                    _ => String::new(),
                };
                self.begin(|task| Entry::SendBack(task, said.clone()))
            }
            (Key::Char('f'), Screen::Desk) => match self.request.clone() {
                Some(url) => Wish::Fetch(url),
                None => self.say_if_none("there is no pull request"),
            },
            (Key::Char('u'), _) => self.begin(Entry::Undo),
            (Key::Char('r'), _) => {
                self.entry = self.request.clone().map(Entry::Ready);
                self.say_if_none("there is no pull request")
            }
            (key, Screen::Desk) => self.desk_key(key),
            (key, Screen::Hunks) => self.hunk_key(key),
        }
    }

    fn say_if_none(&mut self, note: &str) -> Wish {
        if self.entry.is_none() {
            self.note = Some(note.to_owned());
        }
        Wish::Nothing
    }

    /// Asks about the task at hand.
    fn begin(&mut self, ask: impl Fn(String) -> Entry) -> Wish {
        self.entry = self.task().map(ask);
        self.say_if_none("this belongs to no task")
    }

    fn desk_key(&mut self, key: Key) -> Wish {
        let last = self.items.len().saturating_sub(1);
        match key {
            Key::Up | Key::Char('k') => self.at = self.at.saturating_sub(1),
            Key::Down | Key::Char('j') => self.at = (self.at + 1).min(last),
            Key::Char('a') => return self.answer(),
            Key::Char(word @ ('y' | 'n')) => {
                if let Some(Item::Need { ask: Some(ask), .. }) = self.items.get(self.at) {
                    return Wish::Question {
                        ask: ask.clone(),
                        approve: word == 'y',
                    };
                }
                self.note = Some("that is no question of yes or no".to_owned());
            }
            Key::Char('d') | Key::Enter => self.open(self.task()),
            Key::Char('h') => self.open(None),
            _ => {}
        }
        Wish::Nothing
    }

    fn answer(&mut self) -> Wish {
        self.entry = match self.items.get(self.at) {
            Some(Item::Need { ask: Some(ask), .. }) => Some(Entry::Question(ask.clone())),
            Some(Item::Need {
                task: Some(task), ..
            }) => Some(Entry::Answer(task.clone(), String::new())),
            _ => None,
        };
        self.say_if_none("nothing is asked here")
    }

    /// Goes to the hunks of a task, or to all of them: to the first that nobody read.
    fn open(&mut self, task: Option<String>) {
        self.only = task;
        let shown = self.shown();
        if shown.is_empty() {
            self.note = Some("it changed nothing that is there".to_owned());
            return;
        }
        let unread = shown.iter().position(|at| !self.hunks[*at].read);
        (self.place, self.hunk, self.scrolled) = (Screen::Hunks, unread.unwrap_or(0), 0);
    }

    fn hunk_key(&mut self, key: Key) -> Wish {
        let last = self.shown().len().saturating_sub(1);
        let go = |at: usize| (at.min(last), 0);
        match key {
            Key::Up | Key::Char('k' | 'p') => {
                (self.hunk, self.scrolled) = go(self.hunk.saturating_sub(1));
            }
            Key::Down | Key::Char('j' | 'n') => (self.hunk, self.scrolled) = go(self.hunk + 1),
            Key::PageDown => {
                let lines = self.current().map_or(0, |hunk| hunk.lines.len());
                self.scrolled = (self.scrolled + PAGE).min(lines.saturating_sub(1));
            }
            Key::PageUp => self.scrolled = self.scrolled.saturating_sub(PAGE),
            Key::Char('c') => self.entry = Some(Entry::Comment(String::new())),
            Key::Char('a') => return self.mark(last),
            _ => {}
        }
        Wish::Nothing
    }

    /// Marks the hunk as read and goes on to the next one that is not.
    fn mark(&mut self, last: usize) -> Wish {
        let shown = self.shown();
        let Some(at) = shown.get(self.hunk).copied() else {
            return Wish::Nothing;
        };
        self.hunks[at].read = true;
        let key = self.hunks[at].key.clone();
        let unread = |place: &usize| !self.hunks[shown[*place]].read;
        let next = (self.hunk..=last).chain(0..self.hunk).find(unread);
        match next {
            Some(next) => (self.hunk, self.scrolled) = (next, 0),
            None => self.place = Screen::Desk,
        }
        if self.unread() == 0 {
            self.note = Some(match &self.request {
                Some(_) => "all is read: r opens the pull request for review".to_owned(),
                None => "all is read".to_owned(),
            });
        }
        Wish::Read(vec![key])
    }

    fn entry_key(&mut self, key: Key) -> Wish {
        let Some(entry) = &mut self.entry else {
            return Wish::Nothing;
        };
        match (entry, key) {
            (_, Key::Escape) => self.entry = None,
            (
                Entry::Comment(text) | Entry::SendBack(_, text) | Entry::Answer(_, text),
                Key::Char(c),
            ) if text.chars().count() < TEXT_CHARS_MAX => text.push(c),
            (
                Entry::Comment(text) | Entry::SendBack(_, text) | Entry::Answer(_, text),
                Key::Backspace,
            ) => {
                text.pop();
            }
            (Entry::Comment(_) | Entry::SendBack(..) | Entry::Answer(..), Key::Enter) => {
                return self.entered();
            }
            (Entry::Question(_) | Entry::Undo(_) | Entry::Ready(_), Key::Char('y')) => {
                return self.confirmed(true);
            }
            (Entry::Question(_) | Entry::Undo(_) | Entry::Ready(_), Key::Char('n')) => {
                return self.confirmed(false);
            }
            _ => {}
        }
        Wish::Nothing
    }

    fn entered(&mut self) -> Wish {
        match self.entry.take() {
            Some(Entry::Comment(text)) if !text.trim().is_empty() => {
                let (task, file) = (self.task(), self.current().map(|hunk| hunk.file.clone()));
                let file = file.unwrap_or_default();
                let text = format!("{file}: {text}");
                self.note = Some(format!("kept: {text}; b sends it back"));
                self.comments.push(Comment { task, text });
                Wish::Nothing
            }
            Some(Entry::SendBack(task, text)) => {
                let ours = |comment: &Comment| comment.task.as_ref() == Some(&task);
                let (own, others) = self.comments.drain(..).partition(ours);
                self.comments = others;
                let own: Vec<Comment> = own;
                let mut comments: Vec<String> = own.into_iter().map(|one| one.text).collect();
                comments.extend(Some(text).filter(|text| !text.trim().is_empty()));
                if comments.is_empty() {
                    self.note = Some("say what is to be done better".to_owned());
                    return Wish::Nothing;
                }
                Wish::SendBack { task, comments }
            }
            Some(Entry::Answer(task, text)) if !text.trim().is_empty() => {
                Wish::Answer { task, text }
            }
            _ => Wish::Nothing,
        }
    }

    fn confirmed(&mut self, yes: bool) -> Wish {
        match self.entry.take() {
            Some(Entry::Question(ask)) => Wish::Question { ask, approve: yes },
            Some(Entry::Undo(task)) if yes => Wish::TakeOut { task },
            Some(Entry::Ready(url)) if yes => Wish::Ready(url),
            _ => Wish::Nothing,
        }
    }
}
