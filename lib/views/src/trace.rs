//! A run as a trace: agents as tracks; iterations, attempts, tools, gates and waits as slices, in
//! the Chrome trace event format that Perfetto reads.

mod entry;
pub mod tools;

use crate::report::assignments::Assignments;
use crate::report::clean;
use crate::status::cause_name;
use crate::summary::came_to;
use overnight_judge::{Verdict, file};
use overnight_run::event::{Ended, Event, Outcome};
use overnight_run::journal::Record;
use overnight_run::members::event::MergeAnswer;
use overnight_run::overview;
use std::collections::{BTreeMap, BTreeSet};
use tools::Tool;

use entry::{About, mark, name, slice};

pub use entry::Entry;

/// The track of the run's own journal; the members' come after it.
pub const OWN: u32 = 1;

/// Who is in a run, by a first reading of its journals: nothing of them is kept but this.
#[derive(Debug, Default)]
pub struct Cast {
    assignments: Assignments,
    /// By number; 0 is the run's own journal.
    agents: BTreeMap<u32, Agent>,
    /// Unix times in milliseconds: of the first record, and of the run's end if it has ended.
    span: (Option<u64>, Option<u64>),
}

/// What an agent's records say of it.
#[derive(Debug, Default)]
struct Agent {
    sessions: BTreeSet<String>,
    /// Unix time in milliseconds of the last record.
    last: u64,
}

impl Cast {
    /// Takes the next record of the run's own journal.
    pub fn note(&mut self, record: &Record) {
        self.assignments.note(record);
        self.span.0.get_or_insert(record.stamp.t);
        self.span.1 = matches!(record.event, Event::Finished(_)).then_some(record.stamp.t);
        self.agents.entry(0).or_default().note(record);
    }

    /// Takes the next record of a member's journal, by the name of its folder; all of the run's own
    /// come first.
    pub fn note_of_member(&mut self, journal: &str, record: &Record) {
        if let Some(number) = self.assignments.who(journal, record.stamp.t) {
            self.agents.entry(number).or_default().note(record);
        }
    }

    /// The members, by number, each with the number of its track.
    pub fn members(&self) -> BTreeMap<u32, u32> {
        let numbers: BTreeSet<u32> = self
            .assignments
            .0
            .iter()
            .map(|assignment| assignment.member)
            .collect();
        numbers.into_iter().zip(OWN + 1..).collect()
    }

    /// Which member had the journal of this name at a time.
    pub fn who(&self, journal: &str, at: u64) -> Option<u32> {
        self.assignments.who(journal, at)
    }

    /// The client's sessions of a member; 0 for those of the run's own journal.
    pub fn sessions(&self, member: u32) -> impl Iterator<Item = &str> {
        let agent = self.agents.get(&member).into_iter();
        agent.flat_map(|agent| agent.sessions.iter().map(String::as_str))
    }

    /// Was the tool called for the run? A session has a life before it and after it.
    pub fn has(&self, tool: &Tool) -> bool {
        self.span.0.is_some_and(|first| tool.from >= first)
            && self.span.1.is_none_or(|end| tool.from <= end)
    }

    /// The names of the tracks, and the members' tasks.
    pub fn opening(&self, run: &str) -> Vec<Entry> {
        let members = self.members();
        let own = if members.is_empty() {
            "agent"
        } else {
            "driver"
        };
        let mut out = vec![
            name("process_name", 0, &format!("overnight {run}")),
            name("thread_name", OWN, own),
        ];
        for (number, track) in &members {
            out.push(name("thread_name", *track, &format!("member {number}")));
        }
        for assignment in &self.assignments.0 {
            // One that nobody saw end lasts until its member's last record.
            let last = self
                .agents
                .get(&assignment.member)
                .map_or(0, |agent| agent.last);
            let until = assignment.until.unwrap_or(last.max(assignment.from));
            let about = About::Task {
                end: assignment.end.unwrap_or("open"),
                rework: assignment.rework,
            };
            let track = members.get(&assignment.member).copied().unwrap_or(OWN);
            out.push(slice(
                track,
                (&assignment.task, "task"),
                (assignment.from, until),
                about,
            ));
        }
        out
    }
}

impl Agent {
    /// What an agent printed names its session, so only an id counts.
    fn note(&mut self, record: &Record) {
        self.last = record.stamp.t;
        let of_id = |byte: u8| byte.is_ascii_hexdigit() || byte == b'-';
        let is_id = |session: &str| session.len() == 36 && session.bytes().all(of_id);
        if let Event::Outcome(Outcome {
            session: Some(session),
            ..
        }) = &record.event
            && is_id(session)
            && !self.sessions.contains(session)
        {
            self.sessions.insert(session.clone());
        }
    }
}

/// A tool's call on a track.
pub fn tool(track: u32, tool: &Tool) -> Entry {
    let id = clean(&tool.id);
    let span = (tool.from, tool.until);
    slice(track, (&tool.name, "tool"), span, About::Tool { id })
}

/// What is said of an iteration that was not judged.
const UNJUDGED: About = About::Verdict {
    reason: None,
    verdict: "open",
};

/// The slices of one journal on a track, as they come to an end.
#[derive(Debug, Default)]
pub struct Slices {
    track: u32,
    /// Those that ended and were not taken yet.
    ended: Vec<Entry>,
    /// Name and start of the iteration under way.
    iteration: Option<(String, u64)>,
    /// Number and start of the attempt under way.
    attempt: Option<(u32, u64)>,
    /// Unix time in milliseconds of the record before.
    before: Option<u64>,
    /// Cause and start of the wait under way.
    wait: Option<(&'static str, u64)>,
    /// Task and start of the merge under way.
    merge: Option<(String, u64)>,
    /// What the agent said last.
    said: String,
}

impl Slices {
    /// Those of a track of which nothing was read yet.
    pub fn new(track: u32) -> Self {
        Self {
            track,
            ..Self::default()
        }
    }

    /// Takes the next record; gives what ended with it.
    pub fn add(&mut self, record: &Record) -> impl Iterator<Item = Entry> {
        let now = record.stamp.t;
        if let Some((cause, from)) = self.wait.take() {
            self.slice(cause, "wait", (from, now), About::Nothing {});
        }
        match &record.event {
            Event::Intent(event) => {
                let title = format!("{}: {}", event.iteration, event.task);
                match &self.iteration {
                    Some((same, _)) if *same == title => {}
                    _ => self.begin(title, now),
                }
                self.attempt = Some((event.attempt, now));
            }
            Event::Outcome(event) => self.outcome(event, now),
            Event::Measured(event) => self.gates("first gates", event.outcomes.len(), now),
            Event::Gates(event) => self.gates("gates", event.outcomes.len(), now),
            Event::Judged(event) => self.judged(&event.verdict, now),
            Event::Waiting(event) => self.wait = Some((cause_name(event.cause), now)),
            Event::DriverStarted(event) => self.mark(&format!("driver {}", event.epoch), now),
            Event::Interrupted(event) => self.mark(&format!("signal {}", event.signal), now),
            Event::Finished(event) => self.mark(&overview::sentence(&event.reason), now),
            Event::Torn(_) => self.mark("the journal's last record was cut off", now),
            Event::Merging(event) => self.merge = Some((event.tasks.join(", "), now)),
            Event::MergeEnded(event) => self.merged(&event.answer, now),
            _ => {}
        }
        self.before = Some(now);
        self.ended.drain(..)
    }

    /// Everything open ends with the last record: what came after, nobody wrote down.
    pub fn end(mut self) -> Vec<Entry> {
        let now = self.before.unwrap_or_default();
        if let Some((attempt, from)) = self.attempt.take() {
            let open = About::Open { ended: "open" };
            self.slice(&format!("attempt {attempt}"), "attempt", (from, now), open);
        }
        if let Some((title, from)) = self.iteration.take() {
            self.slice(&title, "iteration", (from, now), UNJUDGED);
        }
        self.ended
    }

    fn outcome(&mut self, event: &Outcome, now: u64) {
        let Some((attempt, from)) = self.attempt.take() else {
            return;
        };
        let ended = match event.ended {
            Ended::Exited(status) => format!("exit {status}"),
            Ended::Signalled(signal) => format!("signal {signal}"),
            Ended::TimedOut(_) => "timed out".to_owned(),
            Ended::Lost => "lost".to_owned(),
            Ended::Interrupted => "interrupted".to_owned(),
        };
        let about = About::Attempt {
            class: event.class,
            cost_usd: event.cost_usd,
            ended,
            files_changed: event.changed,
            output_bytes: event.output_bytes,
        };
        let title = format!("attempt {attempt}");
        self.slice(&title, "attempt", (from, now), about);
        self.said.clone_from(&event.said);
    }

    fn begin(&mut self, title: String, now: u64) {
        if let Some((old, from)) = self.iteration.replace((title, now)) {
            self.slice(&old, "iteration", (from, now), UNJUDGED);
        }
    }

    fn judged(&mut self, verdict: &Verdict, now: u64) {
        let Some((title, from)) = self.iteration.take() else {
            return;
        };
        let reason = verdict.reasons.first().or(verdict.summary.as_ref());
        let word = if verdict.complete() {
            "complete"
        } else {
            "incomplete"
        };
        let reason = match reason.map_or("", String::as_str) {
            nothing if nothing.starts_with(file::NOTHING) => came_to(verdict, &self.said),
            reason => clean(reason),
        };
        let about = About::Verdict {
            reason: Some(reason),
            verdict: word,
        };
        self.slice(&title, "iteration", (from, now), about);
    }

    fn merged(&mut self, answer: &MergeAnswer, now: u64) {
        // A batch has one slice, with the answer that came first.
        let Some((task, from)) = self.merge.take() else {
            return;
        };
        let (word, why) = match answer {
            MergeAnswer::Merged { .. } => ("merged", ""),
            MergeAnswer::Conflict { why, .. } => ("conflict", why.as_str()),
            MergeAnswer::Red { why } => ("red", why.as_str()),
            MergeAnswer::World { why } => ("fault", why.as_str()),
            MergeAnswer::Unreachable { why } => ("unreachable", why.as_str()),
            MergeAnswer::Moved { .. } => ("moved", ""),
            MergeAnswer::Halve { .. } => ("halved", ""),
        };
        let about = About::Merge {
            answer: word,
            why: clean(why),
        };
        self.slice(&format!("merge {task}"), "merge", (from, now), about);
    }

    fn gates(&mut self, title: &str, count: usize, now: u64) {
        let from = self.before.unwrap_or(now);
        self.slice(title, "gates", (from, now), About::Gates { gates: count });
    }

    fn slice(&mut self, name: &str, category: &'static str, span: (u64, u64), about: About) {
        let slice = slice(self.track, (name, category), span, about);
        self.ended.push(slice);
    }

    fn mark(&mut self, name: &str, now: u64) {
        self.ended.push(mark(self.track, name, now));
    }
}

#[cfg(test)]
mod tests;
