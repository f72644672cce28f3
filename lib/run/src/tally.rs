//! What a task took and where its work is: sums over its iterations, for people. Nothing decides by them.

use super::event::Outcome;
use super::members::event::{Answer, Assigned, MergeAnswer, MergeEnded};
use super::state::State;

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
    /// The branch of that member.
    pub branch: Option<String>,
    /// Why its last merge was refused.
    pub conflict: Option<String>,
}

impl Tally {
    /// An attempt ended.
    pub fn outcome(&mut self, event: &Outcome) {
        self.usd += event.cost_usd.max(0.0);
        self.estimated |= event.estimated && event.cost_usd > 0.0;
        self.worked_ms = self.worked_ms.saturating_add(event.duration_ms);
        self.commits = self.commits.saturating_add(event.commits);
        self.files = self.files.saturating_add(event.changed);
    }

    /// A member ended on it: dollars and time since its journal was last read.
    pub fn member(&mut self, (usd, ms): (f64, u64), now: u64) {
        self.usd += usd.max(0.0);
        self.worked_ms = self.worked_ms.saturating_add(ms);
        self.ended = Some(now);
    }
}

/// A task was handed to a member.
pub(super) fn assign(state: &mut State, event: &Assigned, now: u64) {
    let Answer::Granted { branch, .. } = &event.answer else {
        return;
    };
    if let Some(tally) = of(state, &event.task) {
        tally.member = Some(event.member);
        tally.branch = Some(branch.clone());
        tally.began.get_or_insert(now);
    }
}

/// A merge ended.
pub(super) fn merge_ended(state: &mut State, event: &MergeEnded) {
    let conflict = match &event.answer {
        MergeAnswer::Merged { .. } => None,
        MergeAnswer::Conflict { why, .. } | MergeAnswer::Red { why } => Some(why.clone()),
        MergeAnswer::World { .. } | MergeAnswer::Moved { .. } | MergeAnswer::Halve { .. } => {
            return;
        }
    };
    if let Some(tally) = of(state, &event.task) {
        tally.conflict = conflict;
    }
}

fn of<'a>(state: &'a mut State, id: &str) -> Option<&'a mut Tally> {
    let mut tasks = state.tasks.iter_mut();
    tasks
        .find(|task| task.spec.id == id)
        .map(|task| &mut task.tally)
}
