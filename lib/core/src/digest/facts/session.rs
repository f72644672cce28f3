//! A run of a tool, of which one output may hold several.

use super::super::count::Counts;

/// One run of one tool: from its header, if it has one, to its result line.
#[derive(Debug, Clone)]
pub(in super::super) struct Session {
    pub(in super::super) tool: &'static str,
    /// What the result line said.
    pub(in super::super) stated: Option<Counts>,
    /// What the lines of single tests said.
    pub(in super::super) seen: Counts,
    pub(in super::super) duration_ms: Option<u64>,
    /// Its result is final; what follows belongs to another session.
    pub(in super::super) closed: bool,
    pub(in super::super) lane: usize,
    /// It began with a header of its tool.
    pub(in super::super) headed: bool,
    /// A result line that only this tool prints was read.
    pub(in super::super) firm: bool,
    /// The line of the log with the last result line.
    pub(in super::super) stated_at: u64,
}

impl Session {
    /// Adds another session of the same tool.
    pub(in super::super) fn absorb(&mut self, other: &Self) {
        if let Some(stated) = &other.stated {
            self.stated.get_or_insert_default().merge(stated);
        }
        self.seen.merge(&other.seen);
        self.headed |= other.headed;
        self.firm |= other.firm;
        self.stated_at = self.stated_at.max(other.stated_at);
        if let Some(more) = other.duration_ms {
            self.duration_ms = Some(self.duration_ms.unwrap_or(0).saturating_add(more));
        }
    }
}
