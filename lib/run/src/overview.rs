//! A run's state as its progress files show it.

use super::hold::Pause;
use super::next::{ASKS, nothing_ready};
use super::state::{State, TaskState};
use super::step::Reason;
use super::task::{SINGLE, Status};
use crate::progress::{Phase, Snapshot, Standing, TaskLine};
use jiff::Timestamp;
use overnight_judge::Verdict;

/// What people read about this run now.
pub fn snapshot(state: &State) -> Snapshot {
    let running = state
        .open
        .as_ref()
        .map_or(state.iterations, |open| open.iteration);
    Snapshot {
        phase: Phase::Implementation,
        iteration: (running, state.config.max_iterations),
        result: result(state),
        tasks: state.tasks.iter().map(|task| line(state, task)).collect(),
    }
}

/// How it ended, how far it came, and where its work was offered.
fn result(state: &State) -> Option<String> {
    let ended = ended(state)?;
    let done = state.count(Status::Done);
    let url = state
        .published
        .as_ref()
        .and_then(|published| published.url.as_deref());
    let request = url.map_or(String::new(), |url| format!("; pull request {url}"));
    Some(format!(
        "{ended}; {done} of {} tasks done{request}",
        state.tasks.len()
    ))
}

fn line(state: &State, task: &TaskState) -> TaskLine {
    let first = |text: &str| {
        text.lines()
            .map(str::trim)
            .find(|line| !line.is_empty())
            .map(|line| line.trim_start_matches('#').trim().to_owned())
    };
    let goal = state.run.as_ref().and_then(|run| first(&run.goal));
    let title = if task.spec.id == SINGLE {
        goal.unwrap_or_else(|| SINGLE.to_owned())
    } else {
        let objective = first(&task.spec.objective).unwrap_or_default();
        format!("{}: {objective}", task.spec.id)
    };
    let standing = match (task.status, &task.blocked) {
        (Status::Todo, _) => Standing::Next,
        (Status::Doing, _) => Standing::Doing,
        (Status::Done, _) => Standing::Done,
        (Status::Blocked, block) => {
            let last = state.last_on(&task.spec.id).map(|last| &last.verdict);
            let tried = last.and_then(|verdict| {
                let reason = verdict.reasons.first()?;
                let mut refuted = verdict.gates.iter().filter(|gate| !gate.passed());
                let message = refuted.find_map(|gate| gate.lines.first());
                let message = message.map_or(String::new(), |line| format!(": {line}"));
                Some(format!("{reason}{message}"))
            });
            let reason = block
                .as_ref()
                .map(|block| block.reason.clone())
                .unwrap_or_default();
            Standing::Blocked(
                tried.map_or(reason.clone(), |tried| format!("{reason}; last: {tried}")),
            )
        }
    };
    TaskLine { title, standing }
}

/// Why the run ended, if it did, in one line for a person: of one whose tasks are all done, by what
/// shows it.
pub fn ended(state: &State) -> Option<String> {
    state.finished.as_ref()?;
    Some(match end_now(state) {
        Some(Reason::AllDone) => format!("completed: {}", all_done(state)),
        Some(reason) => sentence(&reason),
        None if state.finished == Some(Reason::AllDone) => "stopped: you sent work back".to_owned(),
        None => "stopped: you answered what it waited for".to_owned(),
    })
}

/// Why it ended, as it stands now: a person may have answered since what held a task. `None` where it
/// did not end, or everything that held it is answered.
pub fn end_now(state: &State) -> Option<Reason> {
    let reason = state.finished.as_ref()?;
    if *reason == Reason::AllDone {
        let mut open = state
            .tasks
            .iter()
            .filter(|task| task.status != Status::Done);
        let back = open.any(|task| state.steering.was_sent_back(&task.spec.id));
        return Some(reason.clone()).filter(|_| !back);
    }
    let (Reason::NeedsPerson(said) | Reason::Blocked(said) | Reason::BreakerOpen(said)) = reason
    else {
        return Some(reason.clone());
    };
    // It begins with the task that it is about.
    let is_about = |task: &&TaskState| {
        let rest = said.strip_prefix(task.spec.id.as_str());
        rest.is_some_and(|rest| rest.starts_with(": ") || rest.starts_with(" needs: "))
    };
    let told = |task: &&TaskState| {
        let id = task.spec.id.as_str();
        said.contains(ASKS) || state.steering.was_told(id)
    };
    let held = state.tasks.iter().find(is_about).filter(told);
    match held {
        None => Some(reason.clone()),
        Some(task) if task.status == Status::Blocked && asks_still(task, said) => {
            Some(reason.clone())
        }
        Some(_) if state.count(Status::Blocked) > 0 => Some(nothing_ready(state)),
        Some(_) => None,
    }
}

/// Does the task still ask for what the reason says that it waits for?
fn asks_still(task: &TaskState, said: &str) -> bool {
    let asked = said.split_once(ASKS).map(|(_, ask)| ask);
    asked.is_none_or(|ask| task.asks.iter().any(|open| ask == open.to_string()))
}

/// Why a run is paused. One that nobody paused was left by a session that is gone.
pub fn paused(state: &State) -> &'static str {
    state.paused.unwrap_or(Pause::SessionEnded).sentence()
}

/// Every task is done; a task that no gate checked is done by its agent's word alone.
pub fn all_done(state: &State) -> String {
    let unproved = |task: &&TaskState| {
        let last = state.last_on(&task.spec.id);
        last.is_some_and(|last| is_by_word(&last.verdict))
    };
    let unproved = state.tasks.iter().filter(unproved).count();
    let known = |task: &&TaskState| state.last_on(&task.spec.id).is_some();
    let before = state.tasks.len() - state.tasks.iter().filter(known).count();
    match unproved {
        0 if before > 0 => format!("every task is done, {before} of them not by this run"),
        0 => "every task is proved done".to_owned(),
        n if n == state.tasks.len() => {
            "every task is done by the agent's word alone, no gate checked it".to_owned()
        }
        n => format!("every task is done, {n} of them by the agent's word alone"),
    }
}

/// Does nothing but the agent's word show a task done that this verdict says is done?
pub fn is_by_word(verdict: &Verdict) -> bool {
    verdict.gates.is_empty()
}

/// Why a run ended, in one line for a person.
pub fn sentence(reason: &Reason) -> String {
    match reason {
        Reason::AllDone => "completed: every task is done".to_owned(),
        Reason::MaxIterations => "stopped: the iterations are used up".to_owned(),
        Reason::Blocked(why) => format!("blocked: {why}"),
        Reason::BreakerOpen(why) => format!("stopped by the circuit breaker: {why}"),
        Reason::BudgetSpent => "stopped: the budget is spent".to_owned(),
        Reason::MaxDuration => "stopped: the longest time of the run passed".to_owned(),
        Reason::UsageLimit(Some(reset)) => {
            let reset = Timestamp::from_second(*reset).unwrap_or(Timestamp::MAX);
            let when = reset.strftime("%Y-%m-%d %H:%M UTC");
            format!("stopped at the usage limit, which resets at {when}")
        }
        Reason::UsageLimit(None) => "stopped at the usage limit".to_owned(),
        Reason::NeedsPerson(what) => format!("needs you: {what}"),
        Reason::Interrupted(signal) => format!("interrupted by signal {signal}"),
        Reason::SessionEnded => "stopped: its session ended".to_owned(),
        Reason::Stopped => "stopped: you stopped it".to_owned(),
    }
}
