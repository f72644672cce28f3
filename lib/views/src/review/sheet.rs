//! The desk as a page in a browser takes it, and what such a page wishes.

use super::{Desk, Hunk, Item, Wish};
use overnight_base::text::is_unshowable;
use serde::Deserialize;
use serde_json::{Value, json};

/// The page without a word of the run, its script and its style.
pub const PAGE: &str = include_str!("web/desk.html");
/// See [`PAGE`].
pub const SCRIPT: &str = include_str!("web/desk.js");
/// See [`PAGE`].
pub const STYLE: &str = include_str!("web/desk.css");
/// Characters of a text that a person writes.
const TEXT_CHARS_MAX: usize = 1_000;
/// Comments that go back at once.
const COMMENTS_MAX: usize = 100;

/// A person's wish as the page sends it.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sent {
    /// A word that counts once.
    pub once: String,
    /// The hunks that the person looked at when they wished it.
    #[serde(default)]
    hunks: Vec<String>,
    wish: Wished,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(tag = "do", rename_all = "snake_case", deny_unknown_fields)]
enum Wished {
    Read,
    Answer { task: String, text: String },
    Question { ask: String, approve: bool },
    SendBack { task: String, comments: Vec<String> },
    TakeOut { task: String },
    Ready,
    Fetch,
}

impl Desk {
    /// Everything but the hunks' lines.
    pub fn sheet(&self) -> Value {
        let items: Vec<Value> = self.items.iter().map(item).collect();
        let hunks: Vec<Value> = self.hunks.iter().map(head).collect();
        json!({
            "goal": self.goal,
            "head": self.head,
            "pull_request": self.request,
            "items": items,
            "hunks": hunks,
        })
    }

    /// A hunk with its lines, by its key.
    pub fn hunk_sheet(&self, key: &str) -> Option<Value> {
        let hunk = self.hunks.iter().find(|hunk| hunk.key == key)?;
        let mut sheet = head(hunk);
        sheet["lines"] = json!(hunk.lines);
        Some(sheet)
    }

    /// What is wished, or why it does not fit what is on the desk now.
    pub fn wished(&self, sent: &Sent) -> Result<Wish, &'static str> {
        let there = |key: &String| self.hunks.iter().any(|hunk| hunk.key == *key);
        if !sent.hunks.iter().all(there) {
            return Err("the change is no longer what you read: it is loaded anew");
        }
        match &sent.wish {
            Wished::Read if sent.hunks.is_empty() => Err("no hunk is named"),
            Wished::Read => Ok(Wish::Read(sent.hunks.clone())),
            Wished::Answer { task, text } => Ok(Wish::Answer {
                task: self.of_task(task)?,
                text: written(text)?,
            }),
            Wished::Question { ask, approve } => {
                let asked =
                    |item: &Item| matches!(item, Item::Need { ask: Some(open), .. } if open == ask);
                if !self.items.iter().any(asked) {
                    return Err("nothing like that is asked any longer");
                }
                Ok(Wish::Question {
                    ask: ask.clone(),
                    approve: *approve,
                })
            }
            Wished::SendBack { task, comments } => {
                let comments = comments.iter().take(COMMENTS_MAX).map(|text| written(text));
                let comments: Vec<String> = comments.collect::<Result<_, _>>()?;
                if comments.is_empty() {
                    return Err("say what is to be done better");
                }
                Ok(Wish::SendBack {
                    task: self.of_task(task)?,
                    comments,
                })
            }
            Wished::TakeOut { task } => Ok(Wish::TakeOut {
                task: self.of_task(task)?,
            }),
            Wished::Ready => {
                let request = self.request.clone();
                request.map(Wish::Ready).ok_or("there is no pull request")
            }
            Wished::Fetch => {
                let request = self.request.clone();
                request.map(Wish::Fetch).ok_or("there is no pull request")
            }
        }
    }

    /// The words of an open question.
    pub fn question(&self, ask: &str) -> Option<&str> {
        self.items.iter().find_map(|item| match item {
            Item::Need {
                ask: Some(open),
                what,
                ..
            } if open == ask => Some(what.as_str()),
            _ => None,
        })
    }

    fn of_task(&self, task: &str) -> Result<String, &'static str> {
        let about = |item: &Item| match item {
            Item::Need { task, .. } | Item::Comment { task, .. } => task.clone(),
            Item::Task { id, .. } => Some(id.clone()),
        };
        let known = self.items.iter().filter_map(about).any(|id| id == task);
        known
            .then(|| task.to_owned())
            .ok_or("there is no such task on the desk")
    }
}

/// A person's words: bounded, and without what moves a cursor. Lines stay.
fn written(text: &str) -> Result<String, &'static str> {
    let kept = |c: &char| *c == '\n' || !is_unshowable(*c);
    let text: String = text.trim().chars().filter(kept).collect();
    match text.chars().count() {
        0 => Err("there is no text"),
        1..=TEXT_CHARS_MAX => Ok(text),
        _ => Err("the text is longer than 1,000 characters"),
    }
}

fn item(item: &Item) -> Value {
    match item {
        Item::Need {
            what,
            ask,
            task,
            lines,
        } => json!({"kind": "need", "what": what, "ask": ask, "task": task, "lines": lines}),
        Item::Comment { words, task } => json!({"kind": "comment", "what": words, "task": task}),
        Item::Task { id, done, lines } => {
            json!({"kind": "task", "task": id, "done": done, "lines": lines})
        }
    }
}

fn head(hunk: &Hunk) -> Value {
    json!({
        "key": hunk.key,
        "file": hunk.file,
        "tasks": hunk.tasks,
        "standing": hunk.standing,
        "read": hunk.read,
    })
}
