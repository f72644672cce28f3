//! A run as a trace: agents as tracks; iterations, attempts, tools, gates and waits as slices, in
//! the Chrome trace event format that Perfetto reads.

pub mod tools;

use crate::journal::Record;
use crate::judge::Verdict;
use crate::report::stints::Stints;
use crate::report::{Stint, clean};
use crate::run::event::{Ended, Event};
use crate::run::members::event::MergeAnswer;
use crate::run::progress;
use crate::status::cause_name;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use tools::Tool;

/// One agent.
#[derive(Debug)]
pub struct Track<'a> {
    /// How it is called.
    pub name: String,
    /// Its records, in the order of time.
    pub records: Vec<&'a Record>,
    /// What its sessions called.
    pub tools: &'a [Tool],
    /// A member's tasks.
    pub stints: Vec<Stint>,
}

/// A member as its records tell: number, tasks, the records of its journals in the order of time.
pub type Member<'a> = (u32, Vec<Stint>, Vec<&'a Record>);

/// The members of a run: its own journal says who had which task, `journals` (the name of each
/// one's folder, and its records) what was done on it.
pub fn members<'a>(run: &[Record], journals: &'a [(String, Vec<Record>)]) -> Vec<Member<'a>> {
    let stints = Stints::of(run.iter());
    let mut members: BTreeMap<u32, Member<'a>> = BTreeMap::new();
    for stint in &stints.0 {
        let member = members.entry(stint.member).or_default();
        member.0 = stint.member;
        member.1.push(stint.clone());
    }
    for (journal, records) in journals {
        for record in records {
            let who = stints.who(journal, record.stamp.t);
            if let Some(member) = who.and_then(|number| members.get_mut(&number)) {
                member.2.push(record);
            }
        }
    }
    for member in members.values_mut() {
        // Of one journal the order stays as it is.
        member.2.sort_by_key(|record| record.stamp.t);
    }
    members.into_values().collect()
}

/// The tracks as one JSON object.
pub fn chrome(run: &str, tracks: &[Track]) -> Value {
    let mut events = vec![name("process_name", 0, &format!("overnight {run}"))];
    for (number, track) in (1..).zip(tracks) {
        events.push(name("thread_name", number, &track.name));
        let mut slices = Slices {
            track: number,
            events: Vec::new(),
            iteration: None,
            attempt: None,
            before: track.records.first().map_or(0, |record| record.stamp.t),
            last: track.records.last().map_or(0, |record| record.stamp.t),
            wait: None,
            merge: None,
        };
        for stint in &track.stints {
            slices.stint(stint);
        }
        for record in &track.records {
            slices.add(record);
        }
        slices.end();
        for tool in track.tools {
            slices.slice(
                &tool.name,
                "tool",
                (tool.from, tool.until),
                &json!({"id": clean(&tool.id)}),
            );
        }
        events.append(&mut slices.events);
    }
    json!({"displayTimeUnit": "ms", "traceEvents": events})
}

fn name(kind: &str, track: u32, name: &str) -> Value {
    json!({"ph": "M", "name": kind, "pid": 1, "tid": track, "args": {"name": clean(name)}})
}

/// The slices of one track, as they come to an end.
struct Slices {
    track: u32,
    events: Vec<Value>,
    /// Name and start of the iteration under way.
    iteration: Option<(String, u64)>,
    /// Number and start of the attempt under way.
    attempt: Option<(u32, u64)>,
    /// Unix time in milliseconds of the record before.
    before: u64,
    /// Unix time in milliseconds of the last record.
    last: u64,
    /// Cause and start of the wait under way.
    wait: Option<(&'static str, u64)>,
    /// Task and start of the merge under way.
    merge: Option<(String, u64)>,
}

impl Slices {
    fn add(&mut self, record: &Record) {
        let now = record.stamp.t;
        if let Some((cause, from)) = self.wait.take() {
            self.slice(cause, "wait", (from, now), &json!({}));
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
            Event::Outcome(event) => {
                if let Some((attempt, from)) = self.attempt.take() {
                    let ended = match event.ended {
                        Ended::Exited(status) => format!("exit {status}"),
                        Ended::Signalled(signal) => format!("signal {signal}"),
                        Ended::TimedOut(_) => "timed out".to_owned(),
                        Ended::Lost => "lost".to_owned(),
                        Ended::Interrupted => "interrupted".to_owned(),
                    };
                    let about = json!({"ended": ended, "class": event.class, "cost_usd": event.cost_usd, "files_changed": event.changed, "output_bytes": event.output_bytes});
                    self.slice(
                        &format!("attempt {attempt}"),
                        "attempt",
                        (from, now),
                        &about,
                    );
                }
            }
            Event::Measured(event) => self.gates("first gates", event.outcomes.len(), now),
            Event::Gates(event) => self.gates("gates", event.outcomes.len(), now),
            Event::Judged(event) => self.judged(&event.verdict, now),
            Event::Waiting(event) => self.wait = Some((cause_name(event.cause), now)),
            Event::DriverStarted(event) => self.mark(&format!("driver {}", event.epoch), now),
            Event::Interrupted(event) => self.mark(&format!("signal {}", event.signal), now),
            Event::Finished(event) => self.mark(&progress::sentence(&event.reason), now),
            Event::Torn(_) => self.mark("the journal's last record was cut off", now),
            Event::Merging(event) => self.merge = Some((event.task.clone(), now)),
            Event::MergeEnded(event) => self.merged(&event.answer, now),
            _ => {}
        }
        self.before = now;
    }

    /// Everything open ends with the last record: what came after, nobody wrote down.
    fn end(&mut self) {
        let now = self.before;
        if let Some((attempt, from)) = self.attempt.take() {
            self.slice(
                &format!("attempt {attempt}"),
                "attempt",
                (from, now),
                &json!({"ended": "open"}),
            );
        }
        if let Some((title, from)) = self.iteration.take() {
            self.slice(
                &title,
                "iteration",
                (from, now),
                &json!({"verdict": "open"}),
            );
        }
    }

    fn begin(&mut self, title: String, now: u64) {
        if let Some((old, from)) = self.iteration.replace((title, now)) {
            self.slice(&old, "iteration", (from, now), &json!({"verdict": "open"}));
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
        let about = json!({"verdict": word, "reason": clean(reason.map_or("", String::as_str))});
        self.slice(&title, "iteration", (from, now), &about);
    }

    fn merged(&mut self, answer: &MergeAnswer, now: u64) {
        let Some((task, from)) = self.merge.take() else {
            return;
        };
        let (word, why) = match answer {
            MergeAnswer::Merged { .. } => ("merged", ""),
            MergeAnswer::Refused { why } => ("refused", why.as_str()),
            MergeAnswer::Later { why, .. } => ("later", why.as_str()),
            MergeAnswer::InTheWay { why } => ("in the way", why.as_str()),
        };
        let about = json!({"answer": word, "why": clean(why)});
        self.slice(&format!("merge {task}"), "merge", (from, now), &about);
    }

    /// A member's time on a task; one that nobody saw end lasts until its last record.
    fn stint(&mut self, stint: &Stint) {
        let until = stint.until.unwrap_or_else(|| self.last.max(stint.from));
        let about = json!({"end": stint.end.unwrap_or("open"), "rework": stint.rework});
        self.slice(&stint.task, "task", (stint.from, until), &about);
    }

    fn gates(&mut self, title: &str, count: usize, now: u64) {
        self.slice(title, "gates", (self.before, now), &json!({"gates": count}));
    }

    fn slice(&mut self, name: &str, category: &str, (from, until): (u64, u64), about: &Value) {
        self.events.push(json!({
            "ph": "X", "name": clean(name), "cat": category, "pid": 1, "tid": self.track,
            "ts": from.saturating_mul(1_000), "dur": until.saturating_sub(from).saturating_mul(1_000), "args": about,
        }));
    }

    fn mark(&mut self, name: &str, now: u64) {
        self.events.push(json!({
            "ph": "i", "s": "t", "name": clean(name), "cat": "run", "pid": 1, "tid": self.track, "ts": now.saturating_mul(1_000),
        }));
    }
}

#[cfg(test)]
mod tests;
