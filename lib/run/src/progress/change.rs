//! What happens to items: started, done, blocked, planned.

use super::{Item, Phase, Progress, REASON_CHARS_MAX, TITLE_CHARS_MAX};
use overnight_base::text::one_line;

/// Who changes something, and when.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stamp {
    /// A run's id or a session's.
    pub session: String,
    /// `YYYY-MM-DD HH:MM:SS`, local time.
    pub when: String,
}

impl Stamp {
    /// The session as the files carry it: only characters that cannot end its note.
    pub(super) fn label(&self) -> String {
        let fits = |c: &char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
        let label: String = self.session.chars().filter(fits).take(64).collect();
        if label.is_empty() {
            "-".to_owned()
        } else {
            label
        }
    }

    /// The time to the minute, as items carry it.
    pub(super) fn minute(&self) -> String {
        self.when.chars().take(16).collect()
    }

    fn item(&self, title: &str) -> Item {
        Item {
            session: Some(self.label()),
            when: Some(self.minute()),
            ..Item::new(title)
        }
    }
}

impl Progress {
    /// Work on it begins.
    pub fn start(&mut self, title: &str, stamp: &Stamp) {
        let title = one_line(title, TITLE_CHARS_MAX);
        let mut item = stamp.item(&title);
        item.notes = self.take(&title);
        self.doing.push(item);
        self.touch(stamp);
    }

    /// It is done; one that was done before stays where it is.
    pub fn finish(&mut self, title: &str, stamp: &Stamp) {
        let title = one_line(title, TITLE_CHARS_MAX);
        if !self.done.iter().any(|item| item.title == title) {
            let mut item = stamp.item(&title);
            item.notes = self.take(&title);
            self.done.push(item);
        }
        self.touch(stamp);
    }

    /// It waits for a person.
    pub fn block(&mut self, title: &str, reason: &str, stamp: &Stamp) {
        let title = one_line(title, TITLE_CHARS_MAX);
        let mut item = stamp.item(&title);
        item.notes = self.take(&title);
        let reason = one_line(reason, REASON_CHARS_MAX);
        item.reason = (!reason.is_empty()).then_some(reason);
        self.blocked.push(item);
        self.touch(stamp);
    }

    /// It is to be done later.
    pub fn plan(&mut self, title: &str, stamp: &Stamp) {
        let title = one_line(title, TITLE_CHARS_MAX);
        if !self.next.iter().any(|item| item.title == title) {
            let notes = self.take(&title);
            self.next.push(Item {
                notes,
                ..Item::new(title)
            });
        }
        self.touch(stamp);
    }

    /// Nothing moves; the phase may change.
    pub fn renew(&mut self, phase: Option<Phase>, stamp: &Stamp) {
        self.phase = phase.unwrap_or(self.phase);
        self.touch(stamp);
    }

    /// The share of done items, from the lists.
    fn recount(&mut self) {
        let all = self.done.len() + self.doing.len() + self.blocked.len() + self.next.len();
        let percent = (self.done.len() * 100).checked_div(all).unwrap_or(0);
        self.percent = u8::try_from(percent).unwrap_or(100);
    }

    /// Removes an item from every list and gives its notes.
    pub(super) fn take(&mut self, title: &str) -> Vec<String> {
        let mut notes = Vec::new();
        for list in [
            &mut self.done,
            &mut self.doing,
            &mut self.blocked,
            &mut self.next,
        ] {
            list.retain(|item| {
                let found = item.title == title;
                if found {
                    notes.extend(item.notes.iter().cloned());
                }
                !found
            });
        }
        notes
    }

    fn touch(&mut self, stamp: &Stamp) {
        self.recount();
        self.signed(stamp);
    }

    /// Notes who wrote last.
    pub(super) fn signed(&mut self, stamp: &Stamp) {
        self.updated = Some(stamp.when.clone());
        self.session = Some(stamp.label());
    }
}
