//! Which member had which task when, by the run's own journal.

use overnight_run::event::Event;
use overnight_run::journal::Record;
use overnight_run::members::event::{Answer, Assigned, MemberEnded};
use overnight_run::members::name;
use serde::Serialize;

/// A member's time on one task.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Assignment {
    /// The member's number.
    pub member: u32,
    /// The task.
    pub task: String,
    /// How often its merge was put right before.
    pub rework: u32,
    /// Unix time in milliseconds.
    pub from: u64,
    /// Unix time in milliseconds; `None` while it is at work.
    pub until: Option<u64>,
    /// How it ended: `done`, `stopped`, `lost`, `lease lost`, `interrupted`.
    pub end: Option<&'static str>,
}

/// The members' times on tasks, oldest first.
#[derive(Debug, Default)]
pub(crate) struct Assignments(pub(crate) Vec<Assignment>);

impl Assignments {
    /// A record of the run's own journal.
    pub(crate) fn note(&mut self, record: &Record) {
        let now = record.stamp.t;
        match &record.event {
            Event::Assigned(event) if matches!(event.answer, Answer::Granted { .. }) => {
                self.begin(event, now);
            }
            Event::MemberEnded(event) => self.end(event, now),
            _ => {}
        }
    }

    fn begin(&mut self, event: &Assigned, now: u64) {
        self.0.push(Assignment {
            member: event.member,
            task: event.task.clone(),
            rework: event.round,
            from: now,
            until: None,
            end: None,
        });
    }

    fn end(&mut self, event: &MemberEnded, now: u64) {
        let mut newest = self.0.iter_mut().rev();
        let assignment = newest
            .find(|assignment| assignment.member == event.member && assignment.task == event.task);
        if let Some(assignment) = assignment {
            (assignment.until, assignment.end) = (Some(now), Some(event.end.word()));
        }
    }

    /// Who had the journal of this name at a time: one journal may have been several members'.
    pub(crate) fn who(&self, journal: &str, at: u64) -> Option<u32> {
        let mut newest = self.0.iter().rev();
        let is_of = |assignment: &Assignment| {
            // A look at the beginning spares making the name of nearly every one.
            journal.starts_with(assignment.task.as_str())
                && name(&assignment.task, assignment.rework) == journal
        };
        let found = newest.find(|assignment| assignment.from <= at && is_of(assignment));
        found.map(|assignment| assignment.member)
    }
}
