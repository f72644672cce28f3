//! What is on the screen, as text: a terminal cuts it to its size.

use super::{Desk, Entry, Item, Screen};
use crate::report::words::count;
use overnight_base::text::one_line;

/// Longest line of the page but for hunks, in characters.
const CHARS_MAX: usize = 300;
/// What the keys do at the desk, and at a hunk.
const DESK_KEYS: &str = "enter hunks · a answer · y/n approve, deny · b back · u undo · h all hunks · f comments · r ready · q quit";
const HUNK_KEYS: &str =
    "a read · c comment · b back · u undo · up/down other hunk · page keys scroll · q desk";

/// How a line is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tone {
    /// As it is.
    Plain,
    /// A heading.
    Strong,
    /// Bad news, or a line taken away.
    Bad,
    /// Good news, or a line added.
    Good,
    /// Of less weight.
    Soft,
}

/// A line of the page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// Its text.
    pub text: String,
    /// How it is meant.
    pub tone: Tone,
    /// Does it belong to what is selected?
    pub selected: bool,
}

/// Everything that is shown.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Page {
    /// The lines above, which stay.
    pub head: Vec<Line>,
    /// The lines that scroll so that the selected ones are seen.
    pub body: Vec<Line>,
    /// Is the body code, whose lines are cut where a text's are wrapped?
    pub code: bool,
    /// What is typed, what came of it, or the keys.
    pub foot: String,
}

fn line(text: &str, tone: Tone) -> Line {
    Line {
        text: text.to_owned(),
        tone,
        selected: false,
    }
}

impl Desk {
    /// The page as it is now.
    pub fn page(&self) -> Page {
        let (head, body) = match self.place {
            Screen::Desk => self.desk(),
            Screen::Hunks => self.hunks_page(),
        };
        Page {
            head,
            body,
            code: self.place == Screen::Hunks,
            foot: self.foot(),
        }
    }

    fn desk(&self) -> (Vec<Line>, Vec<Line>) {
        let mut head = vec![line(&format!("DESK  {}", self.goal), Tone::Strong)];
        head.extend(self.head.iter().map(|text| line(text, Tone::Plain)));
        let (all, unread) = (self.hunks.len(), self.unread());
        let read = match all {
            0 => "nothing to read: no commit changed anything".to_owned(),
            _ => format!("{unread} of {} not read", count(all, "hunk")),
        };
        head.push(line(&read, Tone::Soft));
        let mut body = Vec::new();
        let mut before = "";
        for (at, item) in self.items.iter().enumerate() {
            let (title, tone) = match item {
                Item::Need { .. } => ("needs you", Tone::Bad),
                Item::Comment { .. } => ("on the pull request", Tone::Plain),
                Item::Task { done: false, .. } => ("not done", Tone::Bad),
                Item::Task { done: true, .. } => ("done", Tone::Good),
            };
            if before != title {
                body.push(line(title, Tone::Strong));
                before = title;
            }
            let selected = at == self.at;
            let lines = match item {
                Item::Need { what, lines, .. } => {
                    let below = lines.iter().map(|line| format!("    {line}"));
                    std::iter::once(format!("  {what}")).chain(below).collect()
                }
                Item::Comment { words, .. } => vec![format!("  {words}")],
                Item::Task { lines, .. } => lines.clone(),
            };
            body.extend(lines.iter().enumerate().map(|(row, text)| Line {
                text: marked(text, selected && row == 0),
                tone: if row == 0 { tone } else { Tone::Plain },
                selected,
            }));
            if let Some(keys) = keys(item).filter(|_| selected) {
                body.push(Line {
                    text: format!("    {keys}"),
                    tone: Tone::Soft,
                    selected,
                });
            }
        }
        if body.is_empty() {
            body.push(line("nothing is left here", Tone::Plain));
        }
        (head, body)
    }

    fn hunks_page(&self) -> (Vec<Line>, Vec<Line>) {
        let shown = self.shown();
        let Some(hunk) = self.current() else {
            return (vec![line("HUNKS", Tone::Strong)], Vec::new());
        };
        let of = self.only.as_deref();
        let of = of.map_or(String::new(), |task| format!(" of {task}"));
        let read = if hunk.read { ", read" } else { "" };
        let head = vec![
            line(
                &format!("HUNK {} of {}{of}{read}", self.hunk + 1, shown.len()),
                Tone::Strong,
            ),
            line(&hunk.file, Tone::Strong),
            line(&hunk.standing, Tone::Soft),
        ];
        let body = hunk.lines.iter().skip(self.scrolled).map(|text| {
            let tone = match text.as_bytes().first() {
                Some(b'+') => Tone::Good,
                Some(b'-') => Tone::Bad,
                Some(b'@') => Tone::Soft,
                _ => Tone::Plain,
            };
            line(text, tone)
        });
        (head, body.collect())
    }

    fn foot(&self) -> String {
        let text = match (&self.entry, &self.note) {
            (Some(Entry::Comment(text)), _) => format!("comment: {text}_"),
            (Some(Entry::SendBack(task, text)), _) => format!("send {task} back: {text}_"),
            (Some(Entry::Answer(task, text)), _) => format!("answer {task}: {text}_"),
            (Some(Entry::Question(ask)), _) => {
                format!("{ask}: y approves once, n denies, Esc leaves it")
            }
            (Some(Entry::Undo(task)), _) => {
                format!(
                    "take out what {task} changed? y makes a commit that reverts it, n does not"
                )
            }
            (Some(Entry::Ready(url)), _) => {
                let unread = match self.unread() {
                    0 => String::new(),
                    unread => format!(" with {} not read", count(unread, "hunk")),
                };
                format!("open {url} for review{unread}? y or n")
            }
            (None, Some(note)) => note.clone(),
            (None, None) if self.place == Screen::Desk => DESK_KEYS.to_owned(),
            (None, None) => HUNK_KEYS.to_owned(),
        };
        one_line(&text, CHARS_MAX)
    }
}

/// The keys that answer what is selected.
fn keys(item: &Item) -> Option<&'static str> {
    match item {
        Item::Need { ask: Some(_), .. } => Some("y approves it once, n denies it"),
        Item::Need { task: Some(_), .. } => Some("a answers it with a word, b sends it back"),
        Item::Need { .. } => None,
        Item::Comment { task, .. } => {
            let known = task.as_ref();
            known.map(|_| "b sends the task of that file back with it")
        }
        Item::Task { .. } => Some("enter shows its hunks, b sends it back, u takes it out"),
    }
}

/// The selected line begins with a mark: told apart without colours.
fn marked(text: &str, selected: bool) -> String {
    let text = text.strip_prefix("  ").unwrap_or(text);
    let mark = if selected { "> " } else { "  " };
    format!("{mark}{}", one_line_kept(text))
}

/// One bounded line with its indentation.
fn one_line_kept(text: &str) -> String {
    let indent = text.len() - text.trim_start_matches(' ').len();
    format!("{}{}", " ".repeat(indent.min(8)), one_line(text, CHARS_MAX))
}
