//! A run's state in a person's words.

use super::hold::Pause;
use super::next::{ASKS, nothing_ready};
use super::state::{State, TaskState};
use super::step::Reason;
use super::task::Status;
use overnight_judge::Verdict;
use overnight_judge::proof::Standing as Rests;

/// Why the run ended, if it did, in one line for a person: of one whose tasks are all done, by what
/// shows it.
pub fn ended(state: &State) -> Option<String> {
    state.finished.as_ref()?;
    Some(match end_now(state) {
        Some(Reason::AllDone) => format!("completed: {}", all_done(state)),
        Some(Reason::Blocked(last)) if given_up(state) > 1 => {
            let tasks = given_up(state);
            format!("blocked: {tasks} tasks were given up, one of them {last}")
        }
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
        let back = open.any(|task| state.steering.opened_again(&task.spec.id).is_some());
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

fn given_up(state: &State) -> usize {
    let tasks = state.tasks.iter();
    tasks.filter(|task| task.is_given_up()).count()
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

/// Every task is done, and what shows it.
pub fn all_done(state: &State) -> String {
    let mut counts = [0; 5];
    for task in &state.tasks {
        let shown = state
            .last_on(&task.spec.id)
            .map(|last| rests_on(&last.verdict));
        counts[match shown {
            Some(Rests::Proved) => 0,
            Some(Rests::KeptGreen) => 1,
            Some(Rests::InPlace) => 2,
            Some(Rests::Word) => 3,
            None => 4,
        }] += 1;
    }
    if counts[0] == state.tasks.len() {
        return "every task is proved done".to_owned();
    }
    let told = [
        Rests::Proved.words(),
        Rests::KeptGreen.words(),
        Rests::InPlace.words(),
        "by the agent's word alone",
        "not by this run",
    ];
    if counts[3] == state.tasks.len() {
        return "every task is done by the agent's word alone, no gate checked it".to_owned();
    }
    let told = told.iter().zip(counts).filter(|(_, count)| *count > 0);
    let told: Vec<String> = told
        .map(|(word, count)| format!("{count} {word}"))
        .collect();
    format!("every task is done: {}", told.join(", "))
}

/// What shows a task done whose verdict says that it is: without a gate, its agent's word.
pub fn rests_on(verdict: &Verdict) -> Rests {
    if verdict.gates.is_empty() {
        return Rests::Word;
    }
    // Older journals do not tell; their gates decided.
    verdict.standing.unwrap_or(Rests::Proved)
}

/// What sends a driver this signal, as a person knows it (`signal(7)`: these numbers are POSIX's).
pub fn stopped_by(signal: i32) -> String {
    match signal {
        1 => "stopped: its terminal was closed".to_owned(),
        2 => "stopped: you interrupted it (Ctrl-C)".to_owned(),
        15 => "stopped: by `overnight stop`, or the machine went down".to_owned(),
        _ => format!("stopped by signal {signal}"),
    }
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
        // When it resets is told where the reader's clock is known.
        Reason::UsageLimit(_) => "stopped at the usage limit".to_owned(),
        Reason::NeedsPerson(what) => format!("needs you: {what}"),
        Reason::Interrupted(signal) => stopped_by(*signal),
        Reason::SessionEnded => "stopped: its session ended".to_owned(),
        Reason::Stopped => "stopped: you stopped it".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_signal_is_told_by_what_sends_it() {
        let told = |signal| sentence(&Reason::Interrupted(signal));
        assert!(told(15).contains("`overnight stop`"));
        assert!(told(2).contains("Ctrl-C") && told(1).contains("terminal"));
        assert_eq!(told(10), "stopped by signal 10");
    }
}
