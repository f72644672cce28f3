//! What a task took and where its work is: sums over its iterations, for people. Nothing decides by them.

use super::budget::to_micros;
use super::event::Outcome;

/// The sums of one task.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Tally {
    /// Dollars of all its attempts.
    pub usd: f64,
    /// Is a part of `usd` reckoned from tokens?
    pub estimated: bool,
    /// Milliseconds in which agents worked on it.
    pub worked_ms: u64,
    /// Unix time in milliseconds of its first start.
    pub began: Option<u64>,
    /// Unix time in milliseconds of its last judgement.
    pub ended: Option<u64>,
    /// Commits that its attempts made.
    pub commits: u64,
    /// Files that its attempts changed, counted once an attempt.
    pub files: u64,
    /// The member that had it last.
    pub member: Option<u32>,
    /// The machine of that member, where several work on the list.
    pub machine: Option<String>,
    /// The run of that machine, once the task is done.
    pub run: Option<String>,
    /// The branch of that member.
    pub branch: Option<String>,
    /// The branch that its tries were brought to, off the run's own.
    pub left_out: Option<String>,
    /// Why its last merge was refused.
    pub conflict: Option<String>,
    /// The commit that brought its member's work to the run's branch.
    pub merged: Option<String>,
}

impl Tally {
    /// An attempt ended.
    pub fn outcome(&mut self, event: &Outcome) {
        self.usd = to_micros(self.usd + event.cost_usd.max(0.0));
        self.estimated |= event.estimated && event.cost_usd > 0.0;
        self.worked_ms = self.worked_ms.saturating_add(event.duration_ms);
        self.commits = self.commits.saturating_add(event.commits);
        self.files = self.files.saturating_add(event.changed);
    }

    /// A member ended on it: dollars and time since its journal was last read.
    pub fn member(&mut self, (usd, ms): (f64, u64), now: u64) {
        self.usd = to_micros(self.usd + usd.max(0.0));
        self.worked_ms = self.worked_ms.saturating_add(ms);
        self.ended = Some(now);
    }
}
