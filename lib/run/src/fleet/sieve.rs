//! What of a journal is passed on to other machines, and how it is read there.

use super::{BYTES_MAX, JOURNALS};
use crate::event::{DriverStarted, Event, RunStarted};
use crate::journal::{self, Record};
use crate::members::event::{Answer, Assigned, MemberEnded, MergeAnswer, MergeEnded};
use crate::placed::Published;
use crate::steer::TasksChanged;
use crate::task::TaskSpec;
use crate::{Config, id};
use overnight_base::code::Code;
use overnight_base::fault::Fault;
use overnight_judge::Verdict;
use overnight_redact::redact;
use overnight_tasks::TaskId;
use serde_json::Value;

/// Characters of a goal, and of what an agent said last.
const TEXT_CHARS_MAX: usize = 1_000;

/// The line by which other machines know of this record; `None` where they need not.
pub fn word(record: &Record) -> Option<String> {
    let record = Record {
        seq: record.seq,
        stamp: record.stamp.clone(),
        event: passed_on(&record.event)?,
    };
    let mut fields = serde_json::from_str(&record.event.fields()).ok()?;
    without_secrets(&mut fields);
    Some(journal::encode_with(&record, &fields.to_string()))
}

/// The number of the last record among these lines.
pub fn last_seq(text: &str) -> u64 {
    let records = lines(text).filter_map(|line| journal::line(line.as_bytes()).ok());
    records.last().map_or(0, |record| record.seq)
}

/// The records of a machine whose journal stands under this run's name. Nothing is believed that does
/// not fit: not where it is too long, damaged, out of order, of another run or a newer version.
pub fn heard(run: &str, text: &str) -> Result<Vec<Record>, Fault> {
    let refused =
        |why: String| Fault::new(Code::JournalCorrupt, format!("{JOURNALS} of {run}: {why}"));
    if !id::is_valid(run) {
        return Err(refused("it is no name of a run".to_owned()));
    }
    if text.len() as u64 > BYTES_MAX {
        return Err(refused(format!("it has more than {BYTES_MAX} bytes")));
    }
    let mut records = Vec::new();
    let mut last = 0;
    for line in lines(text) {
        let mut record = journal::line(line.as_bytes())?;
        if record.seq <= last {
            return Err(refused(format!(
                "record {} stands behind {last}",
                record.seq
            )));
        }
        last = record.seq;
        if let Some(event) = passed_on(&record.event) {
            record.event = event;
            records.push(record);
        }
    }
    match records.first().map(|first| &first.event) {
        Some(Event::RunStarted(first)) if first.run == run => Ok(records),
        _ => Err(refused("it does not begin with its run".to_owned())),
    }
}

/// What else stands in a message is not the journal's.
fn lines(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter(|line| line.starts_with('{'))
}

/// The event as others may know it: no paths, processes, outputs or agents' commands of this machine.
fn passed_on(event: &Event) -> Option<Event> {
    Some(match event {
        Event::RunStarted(event) => RunStarted {
            goal: short(&event.goal),
            top: String::new(),
            head: event.head.clone().filter(|head| is_commit(head)),
            config: None,
            ..event.clone()
        }
        .into(),
        Event::DriverStarted(event) => DriverStarted {
            pid: 0,
            pid_start: 0,
            session: None,
            config: limits(&event.config),
            tasks: named(&event.tasks),
            ..event.clone()
        }
        .into(),
        Event::TasksChanged(event) => Event::TasksChanged(TasksChanged {
            tasks: named(&event.tasks),
        }),
        // A command that somebody else made up is nothing to be typed here.
        Event::Published(event) => Published {
            command: None,
            ..event.clone()
        }
        .into(),
        Event::Assigned(event) => assigned(event)?.into(),
        Event::MemberEnded(event) => MemberEnded {
            said: short(&event.said),
            verdict: event.verdict.as_ref().map(verdict),
            changed: None,
            ..event.clone()
        }
        .into(),
        Event::MergeEnded(event) => merge_ended(event)?.into(),
        Event::Looked(event) if event.done.is_empty() => return None,
        Event::Joined(_)
        | Event::Looked(_)
        | Event::LineSeen(_)
        | Event::LineProved(_)
        | Event::Paused(_)
        | Event::Released(_)
        | Event::Interrupted(_)
        | Event::Finished(_) => event.clone(),
        _ => return None,
    })
}

/// Tasks whose names may stand in a command.
fn named(tasks: &[TaskSpec]) -> Vec<TaskSpec> {
    let valid = |task: &&TaskSpec| TaskId::parse(&task.id).is_ok();
    tasks.iter().filter(valid).cloned().collect()
}

fn is_commit(name: &str) -> bool {
    name.len() >= 40 && name.bytes().all(|byte| byte.is_ascii_hexdigit())
}

fn limits(config: &Config) -> Config {
    Config {
        members: config.members,
        max_iterations: config.max_iterations,
        budget_usd: config.budget_usd,
        budget_tokens: config.budget_tokens,
        lease_ttl_s: config.lease_ttl_s,
        ..Config::default()
    }
}

/// Who works on what. That somebody else does is said by that one.
fn assigned(event: &Assigned) -> Option<Assigned> {
    let answer = match &event.answer {
        Answer::Granted {
            token,
            branch,
            base,
            ..
        } => Answer::Granted {
            token: *token,
            branch: branch.clone(),
            work_tree: String::new(),
            base: base.clone(),
        },
        Answer::Done { .. } => event.answer.clone(),
        Answer::Held { .. } | Answer::Unreachable { .. } | Answer::Refused { .. } => return None,
    };
    Some(Assigned {
        answer,
        ..event.clone()
    })
}

/// What became of a branch; what is tried again is no news.
fn merge_ended(event: &MergeEnded) -> Option<MergeEnded> {
    let answer = match &event.answer {
        MergeAnswer::Merged { commit, way, .. } => MergeAnswer::Merged {
            commit: commit.clone(),
            gates: Vec::new(),
            way: way.clone(),
        },
        MergeAnswer::Conflict { .. } | MergeAnswer::Red { .. } => event.answer.clone(),
        MergeAnswer::World { .. }
        | MergeAnswer::Unreachable { .. }
        | MergeAnswer::Moved { .. }
        | MergeAnswer::Halve { .. } => return None,
    };
    Some(MergeEnded {
        task: event.task.clone(),
        answer,
    })
}

/// A verdict without what its gates printed, but for the lines that say what failed.
fn verdict(verdict: &Verdict) -> Verdict {
    let mut verdict = verdict.clone();
    for gate in &mut verdict.gates {
        gate.tail.clear();
    }
    verdict.contest = None;
    verdict
}

fn short(text: &str) -> String {
    text.chars().take(TEXT_CHARS_MAX).collect()
}

/// Replaces secrets in every text.
fn without_secrets(value: &mut Value) {
    match value {
        Value::String(text) => {
            let (bytes, found) = redact(text.as_bytes());
            if found > 0 {
                *text = String::from_utf8_lossy(&bytes).into_owned();
            }
        }
        Value::Array(values) => values.iter_mut().for_each(without_secrets),
        Value::Object(fields) => fields.values_mut().for_each(without_secrets),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}
