//! Why a run decided as it did: the rule, the evidence it looked at, the values it compared.

use super::event::Outcome;
use super::fold::apply;
use super::members::Step as Members;
use super::next::decide;
use super::replay::{self, step_of};
use super::rule::Rule;
use super::signal;
use super::state::{State, TaskState};
use super::step::Step;
use super::{Event, overview};
use crate::journal::Record;
use overnight_base::text::one_line;
use overnight_judge::{GateOutcome, Verdict};
use serde::Serialize;
use serde_json::{Map, Value, json};
use std::fmt::Write;

/// Characters of one piece of evidence.
const EVIDENCE_CHARS_MAX: usize = 400;

/// One decision, explained.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Why {
    /// The record that holds it.
    pub seq: u64,
    /// Unix time in milliseconds at which it was made.
    pub t: u64,
    /// The iteration that it belongs to, if one.
    pub iteration: Option<u32>,
    /// The task of that iteration.
    pub task: Option<String>,
    /// What was decided, in words.
    pub decided: String,
    /// The rule's name.
    pub rule: Rule,
    /// What the rule says.
    pub because: &'static str,
    /// What it looked at, one line each.
    pub evidence: Vec<String>,
    /// The values that it compared.
    pub values: Map<String, Value>,
    /// Would these rules decide so again? Not when another version recorded it.
    pub same: bool,
}

/// Every recorded decision of one iteration; without one, the run's last decision.
pub fn why<'a>(records: impl IntoIterator<Item = &'a Record>, iteration: Option<u32>) -> Vec<Why> {
    let mut state = State::default();
    let mut all: Vec<Why> = Vec::new();
    for record in records {
        if let Some(step) = step_of(&record.event) {
            let number = iteration_of(&state, &record.event);
            if iteration.is_none() {
                all.clear();
            }
            if iteration.is_none() || iteration == number {
                all.push(explain(&state, record, (&step, number)));
            }
        }
        apply(&mut state, record.clone());
    }
    all
}

fn iteration_of(state: &State, event: &Event) -> Option<u32> {
    match event {
        Event::Intent(intent) => Some(intent.iteration),
        Event::Finished(_) | Event::Measured(_) => None,
        _ => state.open.as_ref().map(|open| open.iteration),
    }
}

fn explain(state: &State, record: &Record, (step, iteration): (&Step, Option<u32>)) -> Why {
    let now = record.stamp.t;
    let (rule, again) = decide(state, &state.config, now);
    let task = match step {
        Step::Start { task, .. }
        | Step::Take { task }
        | Step::Members(Members::Assigned { task, .. }) => Some(task.clone()),
        Step::Members(Members::Merge { tasks }) => tasks.first().cloned(),
        _ => state.open.as_ref().map(|open| open.task.clone()),
    };
    Why {
        seq: record.seq,
        t: now,
        iteration,
        decided: words(step, now),
        rule,
        because: rule.sentence(),
        evidence: evidence(state, rule, step),
        values: values(state, rule, (task.as_deref(), now)),
        same: replay::same(step, &again),
        task,
    }
}

/// The step as a person says it.
fn words(step: &Step, now: u64) -> String {
    match step {
        Step::Start {
            iteration,
            attempt: 1,
            task,
            ..
        } => format!("start iteration {iteration} on {task}"),
        Step::Start {
            iteration, attempt, ..
        } => format!("start attempt {attempt} of iteration {iteration}"),
        Step::Baseline(gates) => format!("run {} gates before the work begins", gates.len()),
        Step::Gates(gates) => format!("run {} gates", gates.len()),
        Step::Hunk(gates) => format!("run {} gates without a part of the change", gates.len()),
        Step::Close(gates) => format!("run {} gates once more at the end", gates.len()),
        Step::Review => "ask a reviewer".to_owned(),
        Step::Judge(verdict) if verdict.complete() => "complete".to_owned(),
        Step::Judge(_) => "incomplete".to_owned(),
        Step::Wait { until, cause } => format!(
            "wait {} s ({cause:?})",
            until.saturating_sub(now).div_ceil(1_000)
        ),
        Step::Take { task } => format!("take the lease of {task}"),
        Step::Hold => "begin nothing".to_owned(),
        Step::Members(Members::Assigned { task, member, .. }) => {
            format!("hand {task} to member {member}")
        }
        Step::Members(Members::Merge { tasks }) => format!("merge {}", tasks.join(", ")),
        Step::Members(Members::Prove) => "prove the line once more".to_owned(),
        Step::Members(Members::Look) => "look what others have merged".to_owned(),
        Step::Members(Members::Attend { .. }) => "wait for a member".to_owned(),
        Step::Finish(reason) => overview::sentence(reason),
    }
}

fn evidence(state: &State, rule: Rule, step: &Step) -> Vec<String> {
    let mut lines = Vec::new();
    let outcome = state.open.as_ref().and_then(|open| open.outcome.as_ref());
    if let Some(outcome) = outcome {
        lines.push(ending(outcome));
    }
    match step {
        Step::Judge(verdict) => of_verdict(&mut lines, verdict),
        Step::Gates(_) => {
            if let Some(outcome) = outcome {
                let task = state.open.as_ref().and_then(|open| state.task(&open.task));
                let signalled = task.filter(|_| !outcome.claim.complete()).and_then(|task| {
                    signal::claim((&task.spec.id, task.signals), outcome, &state.config)
                });
                of_claim(&mut lines, signalled.as_ref().unwrap_or(&outcome.claim));
            }
        }
        _ => {}
    }
    if matches!(
        rule,
        Rule::Blocked | Rule::BreakerOpen | Rule::MaxIterations
    ) {
        for task in &state.tasks {
            let id = &task.spec.id;
            let block = task.blocked.as_ref();
            lines.extend(block.map(|block| format!("task {id} is blocked: {}", block.told(id))));
        }
        let waits = |task: &&TaskState| task.blocked.is_none() && !task.spec.depends_on.is_empty();
        for task in state.tasks.iter().filter(waits) {
            let on = task.spec.depends_on.join(", ");
            lines.push(format!("task {} depends on {on}", task.spec.id));
        }
    }
    lines
        .iter()
        .map(|line| one_line(line, EVIDENCE_CHARS_MAX))
        .collect()
}

fn ending(outcome: &Outcome) -> String {
    let mut text = format!("the agent's process: {:?}", outcome.ended);
    if outcome.class != crate::classify::Class::None {
        let _ = write!(text, "; the client's failure: {:?}", outcome.class);
    }
    if let Some(limit) = outcome.limit {
        let _ = write!(text, " ({limit:?})");
    }
    text
}

fn of_claim(lines: &mut Vec<String>, claim: &Verdict) {
    lines.push(format!(
        "the claim: {:?} by {:?}, check id {}",
        claim.decision,
        claim.source,
        match claim.check_id_match {
            Some(true) => "matches",
            Some(false) => "does not match",
            None => "not compared",
        }
    ));
    if let Some(failure) = &claim.failure {
        lines.push(format!("what could not be read: {failure}"));
    }
    if let Some(line) = &claim.evidence {
        lines.push(format!("the line: {line}"));
    }
}

fn of_verdict(lines: &mut Vec<String>, verdict: &Verdict) {
    of_claim(lines, verdict);
    lines.extend(verdict.gates.iter().map(gate));
    let reasons = verdict.reasons.iter();
    lines.extend(reasons.map(|reason| format!("reason: {reason}")));
}

fn gate(gate: &GateOutcome) -> String {
    let status = match gate.exit {
        _ if gate.timed_out => "ran past its deadline".to_owned(),
        Some(status) => format!("exit {status}"),
        None => "ended by a signal".to_owned(),
    };
    let tests = gate
        .tests
        .map_or(String::new(), |tests| format!(", {}", tests.words()));
    let flaky = if gate.flaky { ", flaky" } else { "" };
    format!("gate `{}`: {status}{tests}{flaky}", gate.command)
}

/// The values that the rule compares, each beside its limit, and where the iteration stands.
fn values(state: &State, rule: Rule, (task, now): (Option<&str>, u64)) -> Map<String, Value> {
    let values = [
        compared(state, rule, now),
        of_attempt(state),
        task.and_then(|task| state.task(task))
            .map_or_else(Map::new, |task| of_task(state, task)),
        task.filter(|_| rule == Rule::NextIteration && state.config.continue_session)
            .map_or_else(Map::new, |task| of_session(state, task, now)),
    ];
    values.into_iter().flatten().collect()
}

fn map<const N: usize>(pairs: [(&str, Value); N]) -> Map<String, Value> {
    let owned = pairs.map(|(name, value)| (name.to_owned(), value));
    owned.into_iter().collect()
}

fn compared(state: &State, rule: Rule, now: u64) -> Map<String, Value> {
    let config = &state.config;
    let elapsed = state
        .run
        .as_ref()
        .map(|run| now.saturating_sub(run.started));
    match rule {
        Rule::MaxIterations | Rule::NextIteration | Rule::AllDone | Rule::Baseline => map([
            ("iterations", json!(state.iterations)),
            ("max_iterations", json!(config.max_iterations)),
        ]),
        Rule::Budget => map([
            ("spent_usd", json!(state.spent_usd)),
            ("budget_usd", json!(config.budget_usd)),
            ("spent_tokens", json!(state.spent_tokens)),
            ("budget_tokens", json!(config.budget_tokens)),
        ]),
        Rule::Velocity => map([
            ("usd_within_the_hour", json!(state.hourly_usd(now))),
            ("usd_per_hour", json!(config.usd_per_hour)),
        ]),
        Rule::Duration => map([
            ("elapsed_ms", json!(elapsed)),
            ("max_duration_ms", json!(config.max_duration_ms)),
        ]),
        Rule::CallRate | Rule::Interval => map([
            ("starts_remembered", json!(state.starts.len())),
            ("last_start_ms", json!(state.starts.back())),
            ("calls_per_hour", json!(config.calls_per_hour)),
            ("interval_ms", json!(config.interval_ms)),
        ]),
        _ => Map::new(),
    }
}

/// Which client session the iteration goes on in, why the newest is not continued, and the history.
fn of_session(state: &State, task: &str, now: u64) -> Map<String, Value> {
    let last = state.sessions.last();
    let ids: Vec<&str> = state
        .sessions
        .iter()
        .map(|session| session.id.as_str())
        .collect();
    map([
        ("continues", json!(state.session_for(task, now))),
        ("session_over", json!(last.and_then(|session| session.over))),
        (
            "session_age_ms",
            json!(last.map(|session| now.saturating_sub(session.began))),
        ),
        ("sessions", json!(ids)),
    ])
}

fn of_attempt(state: &State) -> Map<String, Value> {
    let Some(open) = &state.open else {
        return Map::new();
    };
    let mut values = map([
        ("attempt", json!(open.attempt)),
        ("lost_in_a_row", json!(open.lost)),
        ("attempts_max", json!(state.config.attempts_max)),
        ("service_errors_in_a_row", json!(open.retries)),
    ]);
    let reset = open.outcome.as_ref().and_then(|outcome| outcome.resets_at);
    values.extend(reset.map(|reset| ("resets_at".to_owned(), json!(reset))));
    let waiting = state.waiting;
    values.extend(waiting.map(|(until, _)| ("waiting_until_ms".to_owned(), json!(until))));
    values
}

fn of_task(state: &State, task: &TaskState) -> Map<String, Value> {
    let counters = &task.breaker.counters;
    map([
        ("failures_in_a_row", json!(task.failures)),
        ("failures_max", json!(state.config.failures_max)),
        ("unreadable_in_a_row", json!(task.unreadable.len())),
        ("breaker", json!(task.breaker.state)),
        ("no_progress", json!(counters.no_progress)),
        ("same_error", json!(counters.same_error)),
        ("denials", json!(counters.denials)),
        ("done_signals_in_a_row", json!(task.signals.done)),
        ("test_only_in_a_row", json!(task.signals.tests)),
    ])
}
