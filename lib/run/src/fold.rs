//! Events to state.

mod begin;
mod closing;
mod contest;
mod leased;
mod members;
mod queue;
mod steer;
mod tally;

use super::budget::Amount;
use super::continuity::{self, Over};
use super::event::{AgentStarted, Ended, Event, Gates, Intent, Judged, Measured, Outcome};
use super::hunks::Hunks;
use super::leased::Leased;
use super::state::{Block, CALLS_REMEMBERED_MAX, Iteration, Open, State, TaskState};
use super::steer::Instruction;
use super::step::WaitCause;
use super::task::Status;
use crate::breaker::clock::{self, Reading};
use crate::breaker::{self, Observation};
use crate::classify::{Class, fingerprint};
use crate::journal::{Record, Stamp};
use overnight_judge::{GateOutcome, Verdict, file};

/// The state after all these records.
pub fn fold<'a>(records: impl IntoIterator<Item = &'a Record>) -> State {
    let mut state = State::default();
    for record in records {
        apply(&mut state, record.clone());
    }
    state
}

/// Brings the state up to date with one more record, and keeps the large parts of it as they are. Total: an event
/// that does not fit changes nothing but the time.
pub fn apply(state: &mut State, record: Record) {
    let now = record.stamp.t;
    state.updated = now;
    tick(state, record.stamp);
    match record.event {
        Event::RunStarted(event) => begin::run_started(state, &event, now),
        Event::DriverStarted(event) => begin::driver_started(state, &event),
        Event::Intent(event) => intent(state, &event, now),
        Event::AgentStarted(event) => agent_started(state, &event),
        Event::Outcome(event) => outcome(state, event, now),
        Event::Measured(event) => measured(state, &event),
        Event::Gates(event) => gates_ran(state, event),
        Event::Reviewed(event) => tally::reviewed(state, &event, now),
        Event::Judged(event) => judged(state, event, now),
        Event::Closing(event) => closing::apply(state, &event),
        Event::Hunk(event) => state.hunks.apply(&event),
        Event::Waiting(event) => state.waiting = Some((event.until, event.cause)),
        Event::LimitHeard(event) => state.waiting = Some((event.until, WaitCause::UsageLimit)),
        Event::LimitChosen(event) => state.config.on_limit = event.on_limit,
        Event::Answered(event) => contest::answered(state, &event),
        Event::Contested(event) => contest::asked(state, &event),
        Event::Interrupted(event) => {
            state.interrupted = Some(event.signal);
            over(state, now);
        }
        Event::Finished(event) => {
            (state.finished, state.paused) = (Some(event.reason), None);
            over(state, now);
        }
        Event::Paused(event) => state.paused = Some(event.why),
        Event::Released(_) => state.paused = None,
        Event::Assigned(event) => {
            tally::assign(state, &event, now);
            members::assign(state, &event, now);
        }
        Event::MemberEnded(event) => members::member_ended(state, &event, now),
        Event::Merging(event) => members::merging(state, &event),
        Event::MergeEnded(event) => {
            tally::merge_ended(state, &event);
            queue::answered(state, &event, now);
        }
        Event::LineSeen(event) => queue::line_seen(state, &event),
        Event::LineProved(event) => queue::line_proved(state, &event),
        Event::Looked(event) => members::looked(state, &event, now),
        Event::Taken(event) => leased::taken(state, &event),
        Event::LeaseLost(event) => leased::lost(state, &event),
        Event::Placed(event) => state.placed = Some(Box::new(event)),
        Event::Published(event) => state.published = Some(Box::new(event)),
        Event::LeftOut(event) => tally::left_out(state, &event),
        Event::Instruction(event) => instruct(state, &event),
        Event::SentBack(event) => steer::sent_back(state, &event),
        Event::GoalChanged(event) => steer::goal_changed(state, &event),
        Event::TasksChanged(event) => begin::relist(state, &event.tasks, false),
        Event::Joined(event) => state.fleet.joined = Some(event),
        Event::Others(event) => state.fleet.others = event,
        Event::Torn(_) => {}
    }
}

/// No driver works on it any more.
fn over(state: &mut State, now: u64) {
    let rested = state
        .rested
        .filter(|(_, iterations)| *iterations == state.iterations);
    state.ended = Some(rested.map_or(now, |(at, _)| at));
    state.leased = Leased::default();
    continuity::end(&mut state.sessions, None, Over::Interrupted);
}

/// A person said something; a blocked task that it is about begins anew, for what it waited for may
/// have been said.
fn instruct(state: &mut State, event: &Instruction) {
    steer::instruct(state, event);
    let about = event.task.as_ref().filter(|_| event.order.is_none());
    let Some(task) = about.and_then(|id| task_mut(state, id)) else {
        return;
    };
    if task.status == Status::Blocked {
        again(task);
        task.breaker.close();
        let id = task.spec.id.clone();
        steer::promptly(state, &id);
    }
}

/// Moves the steady time on.
fn tick(state: &mut State, stamp: Stamp) {
    let reading = Reading {
        wall_ms: stamp.t,
        mono_ms: stamp.mono,
        boot: stamp.boot,
    };
    let before = state.steady.1.take();
    let passed = before.map(|then| clock::steady_ms(state.steady.0, &then, &reading));
    state.steady = (passed.unwrap_or(stamp.t), Some(reading));
}

/// A blocked task gets another chance.
pub(super) fn again(task: &mut TaskState) {
    task.status = Status::Todo;
    task.failures = 0;
    task.unreadable.clear();
    task.signals.blocked = 0;
    task.blocked = None;
    task.needs = None;
    task.contest = None;
}

fn agent_started(state: &mut State, event: &AgentStarted) {
    if let Some(open) = &mut state.open {
        open.agent = Some((event.pid, event.pid_start));
        open.offset = event.offset;
    }
}

fn measured(state: &mut State, event: &Measured) {
    match (&mut state.dusk, &event.dusk) {
        (Some(dusk), Some(more)) => dusk.add(more),
        (dusk @ None, Some(first)) => *dusk = Some(first.clone()),
        (_, None) => {}
    }
    for outcome in &event.outcomes {
        state.baseline_of.insert(outcome.command.clone());
        state
            .baseline
            .passed
            .insert(outcome.command.clone(), outcome.passed());
        if let Some(tests) = outcome.tests {
            state.baseline.tests.insert(outcome.command.clone(), tests);
        }
    }
    // The first gates of the run say how many tests fail before the work: fewer is progress.
    for task in &mut state.tasks {
        let own = event.outcomes.iter().filter(|outcome| {
            task.spec.gates.contains(&outcome.command)
                || state.config.gates.contains(&outcome.command)
        });
        if let Some(failing) = failing(own) {
            task.breaker.counters.failing.get_or_insert(failing);
        }
    }
    for (path, hash) in &event.pins {
        state
            .baseline
            .pins
            .entry(path.clone())
            .or_insert_with(|| hash.clone());
    }
}

fn intent(state: &mut State, event: &Intent, now: u64) {
    let same = state
        .open
        .take()
        .filter(|open| open.iteration == event.iteration);
    let (lost, retries) = same.map_or((0, 0), |open| (open.lost, open.retries));
    state.open = Some(Open {
        iteration: event.iteration,
        attempt: event.attempt,
        lost,
        retries,
        task: event.task.clone(),
        check_id: event.check_id.clone(),
        model: event.model.clone(),
        continues: event.continues.clone(),
        started: now,
        agent: None,
        offset: 0,
        outcome: None,
        resumed: false,
        gates: None,
        review: None,
    });
    state.waiting = None;
    state.closed.clear();
    state.hunks = Hunks::default();
    if state.starts.len() == CALLS_REMEMBERED_MAX {
        state.starts.pop_front();
    }
    state.starts.push_back(now);
    if let Some(task) = task_mut(state, &event.task) {
        if task.status == Status::Blocked {
            again(task);
        }
        task.status = Status::Doing;
        task.tally.left_out = None;
        task.tally.began.get_or_insert(now);
    }
}

/// The claim was tried.
fn gates_ran(state: &mut State, event: Gates) {
    if let Some(proof) = &event.proof {
        state.notes.clone_from(&proof.notes);
    }
    if let Some(open) = &mut state.open {
        open.gates = Some(event);
    }
}

fn outcome(state: &mut State, event: Outcome, now: u64) {
    let spent = Amount {
        usd: event.cost_usd,
        tokens: event.tokens,
    };
    tally::spend(state, spent, now);
    if !event.estimated && event.cost_usd > 0.0 {
        state.priced.0 += event.cost_usd;
        state.priced.1 = state.priced.1.saturating_add(event.weight);
    }
    state.context = event.context.or(state.context);
    tally::cell(state, &event);
    let Some(open) = &mut state.open else { return };
    match (&event.ended, event.class) {
        (Ended::Lost | Ended::Signalled(_), _) => open.lost += 1,
        (_, Class::UsageLimit | Class::Transient) => open.retries += 1,
        _ => {}
    }
    let id = &open.task;
    continuity::used(&mut state.sessions, &event, id, now);
    if let Some(task) = state.tasks.iter_mut().find(|task| task.spec.id == *id) {
        task.touched.note(&event.files, event.changed);
        task.tally.outcome(&event);
        task.asks.clone_from(&event.asks);
    }
    open.outcome = Some(event);
}

fn judged(
    state: &mut State,
    Judged {
        verdict,
        unreported,
    }: Judged,
    now: u64,
) {
    let Some(open) = state.open.take() else {
        return;
    };
    state.iterations = open.iteration;
    let (config, steady) = (&state.config, state.steady.0);
    let mut over = verdict.complete().then_some(Over::Completed);
    let mut tasks = state.tasks.iter_mut();
    if let Some(task) = tasks.find(|task| task.spec.id == open.task) {
        task.tally.ended = Some(now);
        if !verdict.complete() {
            contest::went_back(task, &open);
        }
        count(task, &open, &verdict);
        if let Some(outcome) = &open.outcome {
            task.signals = task.signals.with(outcome);
            task.breaker
                .observe(&config.breaker, &seen(outcome, &verdict), steady);
        }
        if verdict.complete() {
            task.breaker.close();
        } else if let Some(contest) = &verdict.contest {
            contest::wait(task, contest);
        } else if let Some(needs) = &verdict.needs {
            wait_for_person(task, needs);
        } else {
            task.climb(config, is_failure(&open, &verdict));
            block(task, (config.failures_max, config.unreadable_max));
        }
        if task.breaker.state == breaker::State::Open {
            over = Some(Over::BreakerOpened);
        }
    }
    if let Some(why) = over {
        continuity::end(&mut state.sessions, Some(&open.task), why);
    }
    leased::judged(state, &open.task);
    steer::purge(state);
    state.history.push(past(open, verdict, unreported, now));
}

/// What is kept of an iteration that was judged.
fn past(open: Open, verdict: Verdict, unreported: Vec<String>, now: u64) -> Iteration {
    let outcome = open.outcome;
    let timed_out = match outcome.as_ref().map(|outcome| &outcome.ended) {
        Some(Ended::TimedOut(deadline)) => Some(*deadline),
        _ => None,
    };
    let (changed, cost_usd, said) = outcome.map_or((0, 0.0, String::new()), |outcome| {
        (outcome.changed, outcome.cost_usd, outcome.said)
    });
    Iteration {
        number: open.iteration,
        attempts: open.attempt,
        task: open.task,
        model: open.model,
        started: open.started,
        ended: now,
        verdict,
        unreported,
        timed_out,
        changed,
        cost_usd,
        said,
    }
}

/// Brings a task's counters up to date with a judged iteration.
fn count(task: &mut TaskState, open: &Open, verdict: &Verdict) {
    task.iterations += 1;
    if verdict.complete() {
        task.status = Status::Done;
        task.failures = 0;
        task.reopened = false;
        task.broken = None;
        task.unreadable.clear();
        return;
    }
    if unreadable(verdict) {
        task.unreadable
            .push(verdict.reasons.first().cloned().unwrap_or_default());
    } else {
        task.unreadable.clear();
    }
    if is_failure(open, verdict) {
        task.failures += 1;
    } else {
        task.failures = 0;
    }
}

/// What the breaker sees of an iteration. What the client or the service did is no fault of the
/// agent's.
fn seen(outcome: &Outcome, verdict: &Verdict) -> Observation {
    Observation {
        changed: outcome.changed,
        unseen: outcome.unseen,
        tree: Some(outcome.tree.clone()).filter(|tree| !tree.is_empty()),
        failing: failing(&verdict.gates),
        output_bytes: outcome.output_bytes,
        commits: outcome.commits,
        ticked: u64::from(verdict.complete()),
        // Which tests fail says more about where it is stuck than the lines that say so. That it
        // came to its own limit is no error of the agent's.
        error: (outcome.failing_set.clone())
            .or_else(|| fingerprint::of_set(outcome.errors.iter().map(String::as_str)))
            .filter(|_| !outcome.at_own_limit()),
        denials: u64::from(outcome.denials) + u64::from(persistent(outcome)),
        excused: matches!(outcome.ended, Ended::Interrupted | Ended::Lost)
            || !matches!(
                outcome.class,
                Class::None | Class::Unknown | Class::Context | Class::Budget
            ),
    }
}

/// Failing tests over these gates, if any counts tests.
fn failing<'a>(gates: impl IntoIterator<Item = &'a GateOutcome>) -> Option<u64> {
    let counted = gates.into_iter().filter_map(|gate| gate.tests);
    counted
        .filter_map(|tests| tests.failed)
        .reduce(u64::saturating_add)
}

/// Refusals of one call that the agent kept trying, if it did (issue: the third counts).
fn persistent(outcome: &Outcome) -> u32 {
    const REFUSALS: u32 = 3;
    if outcome.refused >= REFUSALS {
        outcome.refused
    } else {
        0
    }
}

/// Was there a decision that could not be read? Silence is no such thing: an agent that does not
/// claim to be done has more to do.
fn unreadable(verdict: &Verdict) -> bool {
    verdict.undecided()
        && verdict
            .failure
            .as_deref()
            .is_some_and(|failure| failure != file::NOTHING)
}

/// Did the iteration fail, as opposed to having more to do? The agent broke off, or its claim to
/// be done was refuted.
fn is_failure(open: &Open, verdict: &Verdict) -> bool {
    let claimed = open
        .outcome
        .as_ref()
        .is_some_and(|outcome| outcome.claim.complete());
    let refuted = claimed && !verdict.complete();
    let broke_off = open.outcome.as_ref().is_none_or(|outcome| {
        !outcome.at_own_limit()
            && (outcome.ended != Ended::Exited(0) || outcome.class != Class::None)
    });
    refuted || broke_off
}

/// Its agent says that only a person can help: the task waits for that, and others go on.
pub(super) fn wait_for_person(task: &mut TaskState, needs: &str) {
    task.status = Status::Blocked;
    task.needs = Some(needs.to_owned());
    task.blocked = Some(Block {
        reason: format!("its agent needs you: {needs}"),
        ..Block::default()
    });
}

/// Blocks a task that failed too often (PRD FR-1), whose decisions stay unreadable (seed 001), whose
/// breaker opened, or whose agent calls itself blocked.
fn block(task: &mut TaskState, (failures_max, unreadable_max): (u32, u32)) {
    let open = task.breaker.state == breaker::State::Open;
    let by_breaker = task.breaker.reason.filter(|_| open);
    let opened = by_breaker.map(|reason| format!("circuit breaker open: {}", reason.sentence()));
    let reason = if task.failures >= failures_max {
        let failed = format!("{} failures in a row", task.failures);
        [Some(failed), opened]
            .into_iter()
            .flatten()
            .collect::<Vec<_>>()
            .join("; ")
    } else if task.unreadable.len() >= unreadable_max as usize {
        let times = task.unreadable.len();
        let mut failures = task.unreadable.clone();
        // What is the same each time is said once.
        failures.dedup();
        let failures = failures.join("; ");
        format!("no readable decision {times} times in a row: {failures}")
    } else if let Some(opened) = opened {
        opened
    } else if let Some(given_up) = task.signals.given_up() {
        given_up
    } else {
        return;
    };
    task.status = Status::Blocked;
    task.blocked = Some(Block {
        reason,
        by_breaker: by_breaker.is_some(),
        ..Block::default()
    });
}

fn task_mut<'a>(state: &'a mut State, id: &str) -> Option<&'a mut TaskState> {
    state.tasks.iter_mut().find(|task| task.spec.id == id)
}
