//! State to the next step.

mod leased;
mod members;
mod review;

use super::budget::Share;
use super::config::{Config, OnLimit};
use super::event::{Ended, Outcome};
use super::rule::{Decision, Rule};
use super::state::{Open, State, TaskState};
use super::step::{Nudge, Reason, Step, WaitCause};
use super::task::Status;
use super::{closing, contest, forks, pace, pausing, scope, signal};
use crate::breaker::Advice;
use crate::classify::Class;
use overnight_judge::gates::{self, Kind, Objection};
use overnight_judge::proof::Proof;
use overnight_judge::{Lines, Verdict};
use std::collections::BTreeSet;

const SECOND_MS: u64 = 1_000;
const MINUTE_MS: u64 = 60 * SECOND_MS;
/// The first pause after a passing error of the service; doubles with each one in a row.
const RETRY_MS: u64 = 5 * SECOND_MS;
/// The longest such pause.
const RETRY_MS_MAX: u64 = 5 * MINUTE_MS;
/// Passing errors in a row after which the iteration counts as failed: 5 s to 5 min doubled is
/// about twenty minutes of waiting.
const RETRIES_MAX: u32 = 8;
/// The least wait at a usage limit (design: at least 60 s); the first probe's distance when the
/// reset is past or not stated.
const PROBE_MS: u64 = MINUTE_MS;
/// Runs that wait for the same reset wake within this time, not in the same second.
const SPREAD_MS: u64 = 20 * SECOND_MS;
/// The longest distance of two probes.
const PROBE_MS_MAX: u64 = 30 * MINUTE_MS;

/// What is to be done now, at this Unix time in milliseconds. Total: every state has an answer.
pub fn next(state: &State, config: &Config, now: u64) -> Step {
    decide(state, config, now).1
}

/// The same with the rule that says so, for people who ask why.
pub fn decide(state: &State, config: &Config, now: u64) -> (Rule, Step) {
    if let Some(reason) = &state.finished {
        return (Rule::Ended, Step::Finish(reason.clone()));
    }
    let decision = if config.members > 0 {
        members::next(state, config, now)
    } else {
        alone(state, config, now)
    };
    pausing::held(state, decision)
}

/// What one agent's run does next.
fn alone(state: &State, config: &Config, now: u64) -> Decision {
    match &state.open {
        Some(open) => match &open.outcome {
            Some(outcome) => after_outcome(state, config, (open, outcome), now),
            // The attempt is under way, or its driver died: its outcome must be recorded first.
            None => (
                Rule::UnderWay,
                Step::Wait {
                    until: now,
                    cause: WaitCause::Interval,
                },
            ),
        },
        None => start(state, config, now),
    }
}

/// An attempt ended: prove it, judge it, try again, or stop.
fn after_outcome(
    state: &State,
    config: &Config,
    (open, outcome): (&Open, &Outcome),
    now: u64,
) -> Decision {
    let person = |rule, what: &str| (rule, Step::Finish(Reason::NeedsPerson(what.to_owned())));
    match (&outcome.ended, outcome.class) {
        (Ended::Interrupted, _) => again(state, config, (open, Rule::Interrupted), now),
        (Ended::Lost | Ended::Signalled(_), _) if open.lost < config.attempts_max => {
            again(state, config, (open, Rule::Lost), now)
        }
        (_, Class::UsageLimit) => usage_limit(state, config, (open, outcome), now),
        (_, Class::Transient) if open.retries <= RETRIES_MAX => {
            let pause = doubled(RETRY_MS, open.retries, RETRY_MS_MAX);
            let until = state.updated.saturating_add(pause);
            wait_then_again(
                state,
                config,
                (open, Rule::Transient),
                (until, WaitCause::Transient, now),
            )
        }
        (_, Class::Auth | Class::Billing) if open.resumed => {
            again(state, config, (open, Rule::Resumed), now)
        }
        (_, Class::Auth) => person(
            Rule::LogIn,
            "the client is not logged in: log in, then resume",
        ),
        (_, Class::Billing) => person(
            Rule::Credit,
            "the account cannot pay: check its credit, then resume",
        ),
        _ if outcome.claim.complete() => prove(
            state,
            config,
            (open, outcome),
            (&outcome.claim, Rule::Proved, now),
        ),
        _ => signalled(state, config, (open, outcome), now),
    }
}

/// Nobody claims that it is done: exit signals may do so.
fn signalled(
    state: &State,
    config: &Config,
    (open, outcome): (&Open, &Outcome),
    now: u64,
) -> Decision {
    let task = state.task(&open.task);
    match task.and_then(|task| signal::claim((&task.spec.id, task.signals), outcome, config)) {
        Some(claim) => prove(
            state,
            config,
            (open, outcome),
            (&claim, Rule::ExitSignal, now),
        ),
        None => (
            Rule::NoClaim,
            Step::Judge(Box::new(closing::scoped(
                closing::refused(outcome),
                &out_of_scope(state, &open.task),
            ))),
        ),
    }
}

/// The claim to be done is proved by the task's gates and the person's own.
fn prove(
    state: &State,
    config: &Config,
    (open, outcome): (&Open, &Outcome),
    (claim, proved, now): (&Verdict, Rule, u64),
) -> Decision {
    let gates = gates_of(state, config, &open.task);
    let ran = match &open.gates {
        None if !gates.is_empty() => return (Rule::Proof, Step::Gates(gates)),
        None if !closing::ended_well(outcome) => {
            let verdict =
                closing::scoped(closing::refused(outcome), &out_of_scope(state, &open.task));
            return (Rule::BrokeOff, Step::Judge(Box::new(verdict)));
        }
        ran => ran.as_ref(),
    };
    let mut objections = ran.map_or_else(Vec::new, |ran| {
        let untried = |proof: &Proof| {
            proof
                .findings
                .objections
                .iter()
                .any(|found| found.kind == Kind::Untried)
        };
        if ran.proof.as_ref().is_some_and(untried) {
            return Vec::new();
        }
        gates::objections(&gates, &ran.outcomes, &state.baseline, &ran.pins)
    });
    let (standing, found) = closing::standing(state, (&open.task, ran));
    objections.extend(found);
    objections.extend(closing::unanswered(state, &open.task, claim));
    objections.extend(out_of_scope(state, &open.task));
    let outcomes = ran.map_or(&[][..], |ran| &ran.outcomes);
    if objections.is_empty() {
        // A reviewer is heard last, and only against the claim.
        objections = review::objections(state, open);
    }
    let asked = contest::of(state, (&open.task, ran), (standing, &objections));
    let mut verdict = claim.clone().proved(outcomes, &objections);
    verdict.contest = asked.map(Box::new);
    verdict.standing = verdict.complete().then_some(standing);
    let due = verdict.complete() && review::is_due(config, open);
    if due && spent(state, config, now).is_none() {
        return (Rule::Review, Step::Review);
    }
    if let Some(proof) = ran.and_then(|ran| ran.proof.as_ref()) {
        verdict.commit = Some(proof.commit.clone());
        verdict.special = Lines::of(proof.findings.special.clone());
        verdict.added = Lines::of(proof.findings.added.clone());
        verdict.idle = Lines::of(proof.findings.idle.clone());
    }
    verdict.review = Lines::of(review::lines(open, due));
    let rule = if verdict.complete() {
        proved
    } else {
        Rule::Refuted
    };
    (rule, Step::Judge(Box::new(verdict)))
}

/// What the task's scope objects to.
fn out_of_scope(state: &State, task: &str) -> Vec<Objection> {
    state
        .task(task)
        .map(|task| scope::objections(&task.spec, &task.touched))
        .unwrap_or_default()
}

/// The commands that prove this task: its own, then the person's, each once.
pub(super) fn gates_of(state: &State, config: &Config, task: &str) -> Vec<String> {
    let own = state
        .task(task)
        .map(|task| task.spec.gates.as_slice())
        .unwrap_or_default();
    let mut gates = own.to_vec();
    gates.extend(
        config
            .gates
            .iter()
            .filter(|gate| !own.contains(gate))
            .cloned(),
    );
    gates
}

/// Every gate of the run, while nobody has seen what it says before the work begins.
pub(super) fn unmeasured(state: &State, config: &Config) -> Option<Vec<String>> {
    let own = state
        .tasks
        .iter()
        .filter(|task| task.status != Status::Done)
        .flat_map(|task| &task.spec.gates);
    let all: BTreeSet<&String> = own.chain(&config.gates).collect();
    let unseen: Vec<_> = all
        .into_iter()
        .filter(|gate| !state.baseline_of.contains(*gate))
        .cloned()
        .collect();
    (!unseen.is_empty()).then_some(unseen)
}

fn usage_limit(
    state: &State,
    config: &Config,
    (open, outcome): (&Open, &Outcome),
    now: u64,
) -> Decision {
    let reset = outcome
        .resets_at
        .and_then(|seconds| u64::try_from(seconds).ok())
        .map_or(0, |seconds| seconds.saturating_mul(SECOND_MS));
    if config.on_limit == OnLimit::Exit {
        if open.resumed && reset <= now {
            return again(state, config, (open, Rule::Resumed), now);
        }
        return (
            Rule::LimitLeave,
            Step::Finish(Reason::UsageLimit(outcome.resets_at)),
        );
    }
    let probe = state
        .updated
        .saturating_add(doubled(PROBE_MS, open.retries, PROBE_MS_MAX));
    // The reset that the service states counts, but never less than a minute from the refusal; once
    // it is past, probes back off.
    let until = if reset > state.updated {
        reset.max(state.updated.saturating_add(PROBE_MS))
    } else {
        probe
    };
    let until = until.saturating_add(spread(state));
    wait_then_again(
        state,
        config,
        (open, Rule::LimitWait),
        (until, WaitCause::UsageLimit, now),
    )
}

/// How much later than others this run wakes: the same each time, so that a replay waits as long.
fn spread(state: &State) -> u64 {
    let id = state.run.as_ref().map_or("", |run| run.id.as_str());
    u64::from(crc32c::crc32c(id.as_bytes())) % SPREAD_MS
}

/// Waits until `until`, or as long as the wait under way says, then starts the next attempt.
fn wait_then_again(
    state: &State,
    config: &Config,
    (open, rule): (&Open, Rule),
    (until, cause, now): (u64, WaitCause, u64),
) -> Decision {
    let until = match state.waiting {
        Some((until, _)) => until,
        None => until,
    };
    // A pause that lies further ahead than any pause lasts: the clock was set back. A usage limit's
    // reset is a time of day, and is waited for whatever the clock did.
    let set_back = cause == WaitCause::Transient && until > now.saturating_add(RETRY_MS_MAX);
    if now < until && !set_back {
        (rule, Step::Wait { until, cause })
    } else {
        again(state, config, (open, rule), now)
    }
}

/// The next attempt of the open iteration, within the run's own bounds.
fn again(state: &State, config: &Config, (open, rule): (&Open, Rule), now: u64) -> Decision {
    if let Some((rule, reason)) = spent(state, config, now) {
        return (rule, Step::Finish(reason));
    }
    // Another attempt is another call; only the interval is for iterations alone.
    if let Some((until, cause)) = pace::call_rate(state, config, now) {
        return (Rule::CallRate, Step::Wait { until, cause });
    }
    if let Some(first) = leased::before(state, config, &open.task, now) {
        return first;
    }
    let step = Step::Start {
        iteration: open.iteration,
        attempt: open.attempt + 1,
        task: open.task.clone(),
        nudge: state
            .task(&open.task)
            .map_or(Nudge::None, |task| nudge(state, task, config)),
    };
    (rule, step)
}

/// The first attempt of the next iteration, or the end.
fn start(state: &State, config: &Config, now: u64) -> Decision {
    let finish = |rule, reason| (rule, Step::Finish(reason));
    if state.tasks.iter().all(|task| task.status == Status::Done) {
        return closing::next(state, config, spent(state, config, now).is_some());
    }
    if let Some((rule, reason)) = spent(state, config, now) {
        return finish(rule, reason);
    }
    if state.iterations >= config.max_iterations {
        return finish(Rule::MaxIterations, Reason::MaxIterations);
    }
    let Some(task) = state.ready_task(now) else {
        return leased::wait(state, now).unwrap_or_else(|| stuck(state));
    };
    if let Some(commands) = unmeasured(state, config) {
        return (Rule::Baseline, Step::Baseline(commands));
    }
    if let Some((until, cause)) = pace::next_start(state, config, now) {
        let rule = match cause {
            WaitCause::CallRate => Rule::CallRate,
            _ => Rule::Interval,
        };
        return (rule, Step::Wait { until, cause });
    }
    if let Some(first) = leased::before(state, config, &task.spec.id, now) {
        return first;
    }
    let step = Step::Start {
        iteration: state.iterations + 1,
        attempt: 1,
        task: task.spec.id.clone(),
        nudge: nudge(state, task, config),
    };
    (Rule::NextIteration, step)
}

/// The budget in money, tokens and time, if it is used up.
pub(super) fn spent(state: &State, config: &Config, now: u64) -> Option<(Rule, Reason)> {
    let started = state.run.as_ref().map_or(now, |run| run.started);
    if state.share(config, 1) == Share::Spent {
        return Some((Rule::Budget, Reason::BudgetSpent));
    }
    if config
        .usd_per_hour
        .is_some_and(|limit| state.hourly_usd(now) >= limit)
    {
        return Some((Rule::Velocity, Reason::BudgetSpent));
    }
    let over = config
        .max_duration_ms
        .is_some_and(|limit| now.saturating_sub(started) >= limit);
    over.then_some((Rule::Duration, Reason::MaxDuration))
}

/// The end of a run that has no task to work on.
pub(super) fn stuck(state: &State) -> Decision {
    let reason = nothing_ready(state);
    let rule = match reason {
        Reason::BreakerOpen(_) => Rule::BreakerOpen,
        _ => Rule::Blocked,
    };
    (rule, Step::Finish(reason))
}

/// Stands before the number of the question that a blocked task waits for.
pub(crate) const ASKS: &str = "; it waits for you: overnight approve ask-";

/// Why no task can be worked on.
pub(crate) fn nothing_ready(state: &State) -> Reason {
    let mut asking = state
        .tasks
        .iter()
        .filter_map(|task| Some(format!("{} needs: {}", task.spec.id, task.needs.as_ref()?)));
    if let Some(first) = asking.next() {
        let more = asking.count();
        let more = match more {
            0 => String::new(),
            more => format!(", and {more} more"),
        };
        return Reason::NeedsPerson(format!("{first}{more}"));
    }
    let contested = state.tasks.iter().find_map(|task| {
        let ask = task.contest.as_ref().and(task.asks.first())?;
        Some(format!(
            "{}: its tests were changed{ASKS}{ask}",
            task.spec.id
        ))
    });
    if let Some(contested) = contested {
        return Reason::NeedsPerson(contested);
    }
    let blocked = state
        .tasks
        .iter()
        .filter_map(|task| task.blocked.as_ref().map(|block| (task, block)));
    match blocked
        .clone()
        .find(|(_, block)| block.by_breaker)
        .or_else(|| blocked.clone().next_back())
    {
        Some((task, block)) => {
            let id = &task.spec.id;
            let mut text = format!("{id}: {}", block.told(id));
            if let Some(ask) = task.asks.first() {
                text += ASKS;
                text += &ask.to_string();
            }
            if block.by_breaker {
                Reason::BreakerOpen(text)
            } else {
                Reason::Blocked(text)
            }
        }
        None => Reason::Blocked(match state.steering.held.first() {
            Some(task) => format!("{task}: held by you: overnight tell --release {task}"),
            None => "every task left waits for one that is not there".to_owned(),
        }),
    }
}

/// The ladder before the breaker opens: a hint, another approach, a smaller piece; at its end, where that
/// is wanted, several approaches at once.
fn nudge(state: &State, task: &TaskState, config: &Config) -> Nudge {
    if forks::is_due(state, config, task) {
        return Nudge::Fork;
    }
    let by_failures = match task.failures {
        0 => Nudge::None,
        1 => Nudge::Hint,
        2 => Nudge::ChangeApproach,
        _ => Nudge::SmallerPiece,
    };
    let by_breaker = match task.breaker.advice(&config.breaker) {
        Advice::None => Nudge::None,
        Advice::Hint => Nudge::Hint,
        Advice::ChangeApproach => Nudge::ChangeApproach,
        Advice::SmallerPiece | Advice::Blocked => Nudge::SmallerPiece,
    };
    by_failures.max(by_breaker)
}

/// `base` doubled for each time after the first, up to `most`.
fn doubled(base: u64, times: u32, most: u64) -> u64 {
    base.saturating_mul(1 << times.saturating_sub(1).min(20))
        .min(most)
}

#[cfg(test)]
mod tests;
