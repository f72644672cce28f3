//! The runs of each tool: where one begins and ends, and what they state.

use super::super::count::{Category, Counts};
use super::super::names::same;
use super::{Facts, Now, Session};

impl Facts {
    /// A header of a run: a result line after it belongs to a new session.
    pub(in super::super) fn start(&mut self, tool: &'static str) {
        self.now.matters = true;
        self.tool(tool);
        self.asides.saw(tool, self.lane_id, self.now.no);
        if let Some(last) = self.last(tool) {
            if last.stated.is_none() && last.seen.is_empty() {
                last.headed = true;
                return;
            }
            last.closed = true;
        }
        let at = self.open(tool);
        self.sessions[at].headed = true;
    }

    /// What follows belongs to a new session, though no header said so.
    pub(in super::super) fn afresh(&mut self, tool: &'static str) {
        self.now.matters = true;
        if let Some(last) = self.last(tool)
            && last.stated.is_some()
            && !last.closed
        {
            self.next(tool, false);
        }
    }

    /// The current session is over, and the single tests below its result are of the next.
    fn next(&mut self, tool: &'static str, follows: bool) {
        let mut next = self.session(tool).next();
        next.follows = follows;
        let at = self.open(tool);
        self.sessions[at] = next;
    }

    /// Notes where the current session has its result, and what that result is worth. What was
    /// stated before, tests of the next run below it, is the result of another session.
    fn stated(&mut self, tool: &'static str, category: Option<Category>) -> &mut Session {
        let Now { no, weak, sums, .. } = self.now;
        self.now.matters = true;
        self.asides.stated(tool, self.lane_id, no);
        let told = self.failures_named(tool);
        let session = self.session(tool);
        if sums && session.is_over(category, told) {
            self.next(tool, true);
        }
        let session = self.session(tool);
        session.replace(category, told);
        session.settle();
        session.told.1 = told;
        session.firm |= !weak;
        session.stated_at = no;
        session
    }

    /// A result line. In one session the last one wins.
    pub(in super::super) fn result(
        &mut self,
        tool: &'static str,
        counts: Counts,
        duration_ms: Option<u64>,
    ) {
        let session = self.stated(tool, None);
        session.stated = Some(counts);
        session.duration_ms = duration_ms.or(session.duration_ms);
    }

    /// A part of the result of the current session, stated on a line of its own.
    pub(in super::super) fn part(&mut self, tool: &'static str, category: Category, number: u64) {
        let session = self.stated(tool, Some(category));
        let stated = session.stated.get_or_insert_default();
        stated.set(category, number);
    }

    /// What the current session has stated of this, which may be something else at the next such line.
    pub(in super::super) fn stands(&mut self, tool: &'static str, category: Category) -> u64 {
        self.now.matters = true;
        let stated = &self.session(tool).stated;
        stated
            .as_ref()
            .and_then(|counts| counts.get(category))
            .unwrap_or(0)
    }

    /// How long the current session took.
    pub(in super::super) fn duration(&mut self, tool: &'static str, duration_ms: Option<u64>) {
        self.now.matters = true;
        if duration_ms.is_some() {
            self.session(tool).duration_ms = duration_ms;
        }
    }

    /// The current session is over: what follows belongs to the next.
    pub(in super::super) fn close(&mut self, tool: &'static str) {
        self.now.matters = true;
        if let Some(last) = self.last(tool) {
            last.closed = true;
        }
    }

    /// Whether this tool has stated a result in this lane.
    pub(in super::super) fn states(&self, tool: &str) -> bool {
        let mut own = self.sessions.iter();
        own.any(|session| {
            session.tool == tool && session.lane == self.lane_id && session.stated.is_some()
        })
    }

    /// What was taken for one tool is another.
    pub(in super::super) fn rename(&mut self, from: &'static str, to: &'static str) {
        self.now.matters = true;
        self.tools.retain(|tool| *tool != from);
        self.tool(to);
        self.problems.rename(from, to);
    }

    /// What this tool stated does not count after all.
    pub(in super::super) fn withdraw(&mut self, tool: &'static str) {
        self.now.matters = true;
        self.sessions.retain(|session| session.tool != tool);
        self.find_latest();
    }

    /// The session that goes on.
    pub(super) fn session(&mut self, tool: &'static str) -> &mut Session {
        self.tool(tool);
        let last = self.latest(tool).map(|known| self.latest[known]);
        let at = last.filter(|at| !self.sessions[*at].closed);
        let at = at.unwrap_or_else(|| self.open(tool));
        &mut self.sessions[at]
    }

    /// The last session, whether it goes on or not.
    fn last(&mut self, tool: &str) -> Option<&mut Session> {
        let at = self.latest[self.latest(tool)?];
        self.sessions.get_mut(at)
    }

    /// Where in `latest` that of this tool stands.
    fn latest(&self, tool: &str) -> Option<usize> {
        let own = |at: &usize| {
            let session = &self.sessions[*at];
            session.lane == self.lane_id && same(session.tool, tool)
        };
        self.latest.iter().position(own)
    }

    fn open(&mut self, tool: &'static str) -> usize {
        // A million tiny suites are added to the one before last, not kept one by one.
        if self.sessions.len() >= 512 {
            self.fold();
        }
        let told = self.failures_named(tool);
        let known = self.latest(tool);
        let session = if let Some(known) = known {
            self.sessions[self.latest[known]].follower(told)
        } else {
            let is_first = !self.sessions.iter().any(|session| session.tool == tool);
            Session::new(tool, self.lane_id, (if is_first { 0 } else { told }, told))
        };
        let at = self.sessions.len();
        self.sessions.push(session);
        match known {
            Some(known) => self.latest[known] = at,
            None => self.latest.push(at),
        }
        at
    }

    /// Finds the last sessions anew.
    fn find_latest(&mut self) {
        self.latest.clear();
        for (at, session) in self.sessions.iter().enumerate().rev() {
            let same = |other: &usize| {
                let other = &self.sessions[*other];
                (other.tool, other.lane) == (session.tool, session.lane)
            };
            if !self.latest.iter().any(same) {
                self.latest.push(at);
            }
        }
    }

    /// Adds up closed sessions of the same tool.
    fn fold(&mut self) {
        let mut kept: Vec<Session> = Vec::new();
        for session in self.sessions.drain(..) {
            let same = kept
                .iter_mut()
                .find(|known| known.tool == session.tool && known.closed && session.closed);
            match same {
                Some(known) => known.absorb(&session),
                None => kept.push(session),
            }
        }
        self.sessions = kept;
        self.find_latest();
    }
}
