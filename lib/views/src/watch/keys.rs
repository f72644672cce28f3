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

/// Longest search, in characters.
const SEARCH_CHARS_MAX: usize = 80;
/// Events that one page key moves by.
const PAGE: usize = 5;

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
}

impl Choice {
    /// Is nothing held on to?
    pub fn follows(&self) -> bool {
        self.agent.is_none() && self.iteration.is_none() && self.back == 0
    }

    /// Takes a key; `false` ends the view.
    #[must_use]
    pub fn press(&mut self, key: Key, view: &View) -> bool {
        match key {
            Key::Quit => return false,
            _ if self.typing => self.search_key(key),
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
