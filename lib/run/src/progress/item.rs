//! Items: one line of a list, with what a person noted below it.

use super::document::{fenced, trimmed};
use super::labels::{LANGUAGES, Labels, after};

/// One task or action.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Item {
    /// What it is, in one line; tells items apart.
    pub title: String,
    /// The session it belongs to.
    pub session: Option<String>,
    /// When it was started, done or blocked.
    pub when: Option<String>,
    /// Why it is blocked, or what was done.
    pub reason: Option<String>,
    /// Lines that a person added below it, with their indentation.
    pub notes: Vec<String>,
}

impl Item {
    /// An item of this title alone.
    pub fn new(title: impl Into<String>) -> Self {
        Self {
            title: title.into(),
            ..Self::default()
        }
    }

    /// Its text behind the list marker, with session and time; `at` says what the time means.
    pub(super) fn text(&self, labels: &Labels, at: Option<&str>) -> String {
        let mut text = self.title.clone();
        if let Some(session) = &self.session {
            text.push_str(labels.open);
            text.push_str(session);
            if let (Some(at), Some(when)) = (at, &self.when) {
                text.push_str(labels.comma);
                text.push_str(at);
                text.push_str(when);
            }
            text.push_str(labels.close);
        }
        text
    }

    /// The lines below it; `label` says what its reason is.
    pub(super) fn below(&self, label: &str) -> Vec<String> {
        let reason = self.reason.iter().map(|reason| format!("{label}{reason}"));
        reason.chain(self.notes.iter().cloned()).collect()
    }

    fn parse(text: &str) -> Self {
        let found = LANGUAGES.iter().find_map(|labels| {
            let inner = text.strip_suffix(labels.close)?;
            let (title, note) = inner.rsplit_once(labels.open)?;
            let mut parts = note.splitn(2, labels.comma);
            let session = parts.next()?.to_owned();
            let when = parts
                .next()
                .map(|part| strip_meaning(labels, part).to_owned());
            (!title.is_empty()).then(|| (title.to_owned(), session, when))
        });
        match found {
            Some((title, session, when)) => Self {
                title,
                session: Some(session),
                when,
                ..Self::default()
            },
            None => Self::new(text),
        }
    }
}

fn strip_meaning<'a>(labels: &Labels, part: &'a str) -> &'a str {
    [labels.started_at, labels.done_at, labels.blocked_at]
        .iter()
        .find_map(|meaning| part.strip_prefix(meaning))
        .unwrap_or(part)
}

/// A list as it stands in a file.
#[derive(Debug, Default)]
pub(super) struct List {
    /// The items, each with whether it is ticked.
    pub(super) items: Vec<(bool, Item)>,
    /// Everything else, verbatim.
    pub(super) extra: Vec<String>,
}

impl List {
    pub(super) fn parse(lines: &[String]) -> Self {
        let mut list = Self::default();
        let mut under_item = false;
        let texts: Vec<&str> = lines.iter().map(String::as_str).collect();
        for (line, inside) in lines.iter().zip(fenced(&texts)) {
            if inside {
                under_item = false;
                list.extra.push(line.clone());
            } else if let Some((ticked, text)) = marker(line) {
                under_item = true;
                list.items.push((ticked, Item::parse(text)));
            } else if under_item && line.starts_with([' ', '\t']) && !line.trim().is_empty() {
                list.note(line);
            } else {
                under_item = false;
                list.extra.push(line.clone());
            }
        }
        list.extra = trimmed(&list.extra).to_vec();
        list
    }

    fn note(&mut self, line: &str) {
        let Some((_, item)) = self.items.last_mut() else {
            return;
        };
        let told =
            after(line, |labels| labels.reason).or_else(|| after(line, |labels| labels.summary));
        match told {
            Some(reason) if item.reason.is_none() => item.reason = Some(reason.to_owned()),
            _ => item.notes.push(line.to_owned()),
        }
    }
}

/// The text behind a list marker, `- [ ]`, `- [x]`, `- `, `* ` or `1.`, and whether it is ticked.
fn marker(line: &str) -> Option<(bool, &str)> {
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    let rest = if (1..=6).contains(&digits) {
        line[digits..].strip_prefix(['.', ')'])?.strip_prefix(' ')?
    } else {
        line.strip_prefix(['-', '*'])?.strip_prefix(' ')?
    };
    let boxed = |mark: &str| rest.strip_prefix(mark);
    let (ticked, text) = match (boxed("[ ] "), boxed("[x] ").or(boxed("[X] "))) {
        (Some(text), _) => (false, text),
        (_, Some(text)) => (true, text),
        _ => (false, rest),
    };
    let text = text.trim();
    (!text.is_empty()).then_some((ticked, text))
}
