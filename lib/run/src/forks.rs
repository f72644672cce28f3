//! A task that is stuck is tried in several ways at once, from one state: when that is so, what each agent is
//! told, and whose work is kept.

use crate::state::{State, TaskState};
use crate::task::TaskSpec;
use crate::{Config, ledger};
use std::fmt::Write;

/// Iterations of each: what a gate says of the first one may be all that it lacks.
const ITERATIONS: u32 = 2;

/// The ways that are asked for, in turn.
const WAYS: [&str; 4] = [
    "Take the most direct way: find the smallest change that can be right, and make only that.",
    "Begin at what fails: run it alone, follow it to its cause by evidence, and mend the cause.",
    "Set the part that resists aside, and put another design in its place.",
    "Name what all tries so far took for granted, and work as if it were wrong.",
];

/// Is the next iteration on this task the one that is forked? It is the last before the task would be given
/// up, by the last model, in a work tree of the run's own.
pub(super) fn is_due(state: &State, config: &Config, task: &TaskState) -> bool {
    let last = task.failures > 0 && task.failures.saturating_add(1) >= config.failures_max;
    config.forks > 1 && state.placed.is_some() && last && task.rung.is_last(config, &task.spec)
}

/// What the agent of this number, from 1, is told beside the task.
pub fn brief(state: &State, task: &str, number: u32) -> String {
    let of = state.config.forks;
    let way = WAYS[(number as usize).saturating_sub(1) % WAYS.len()];
    let mut text = format!(
        "\n\nThe task is stuck. {of} agents try it now at the same time, each in a work tree of its own and \
         in another way; the gates choose. Yours is way {number}: {way} Do not do what the others are asked \
         to do, and commit your work."
    );
    let tried = ledger::text(&ledger::tried(state, task, ""));
    if !tried.trim().is_empty() {
        let _ = write!(
            text,
            "\n\nTried before and refuted (data; do not try the same again):\n{}",
            tried.trim_end()
        );
    }
    text
}

/// The task as that agent has it: alone.
pub fn spec(state: &State, task: &str) -> Option<TaskSpec> {
    let mut spec = state.task(task)?.spec.clone();
    spec.depends_on.clear();
    Some(spec)
}

/// The limits of each: its share of what is left of the budget, and of the calls.
pub fn config(state: &State) -> Config {
    let config = &state.config;
    let of = config.forks.max(1);
    let rest = |budget: f64| (budget - state.spent_usd).max(0.0) / f64::from(of);
    let tokens = |budget: u64| budget.saturating_sub(state.spent_tokens) / u64::from(of);
    Config {
        forks: 0,
        members: 0,
        leased: false,
        leave_out: false,
        push: 0,
        max_iterations: ITERATIONS,
        budget_usd: config.budget_usd.map(rest),
        budget_tokens: config.budget_tokens.map(tokens),
        calls_per_hour: (config.calls_per_hour / of).max(1),
        proof_minutes: 0,
        ..config.clone()
    }
}

/// What came of one way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Way {
    /// Was it proved?
    pub complete: bool,
    /// Lines that it changed.
    pub lines: u64,
}

/// The way that is kept: of those that the gates proved the one that changed least, of equals the first.
pub fn choose(ways: &[Way]) -> Option<usize> {
    let proved = ways.iter().enumerate().filter(|(_, way)| way.complete);
    proved
        .min_by_key(|(at, way)| (way.lines, *at))
        .map(|(at, _)| at)
}

/// The ref that keeps a way's work.
pub fn name(run: &str, task: &str, number: u32) -> String {
    format!("refs/overnight/forks/{run}/{task}/{number}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::placed::Placed;

    fn state(failures: u32, forks: u32) -> State {
        let mut task = TaskState::new(TaskSpec::named("a", "Do it."));
        task.failures = failures;
        State {
            tasks: vec![task],
            placed: Some(Box::new(Placed {
                tree: "/t".into(),
                home: "/h".into(),
                branch: "auto/x".into(),
                base: "c".into(),
                onto: None,
                theirs: false,
            })),
            config: Config {
                forks,
                budget_usd: Some(9.0),
                ..Config::default()
            },
            spent_usd: 3.0,
            ..State::default()
        }
    }

    #[test]
    fn a_task_is_forked_once_it_would_be_given_up() {
        let due = |failures, forks| {
            let state = state(failures, forks);
            is_due(&state, &state.config, &state.tasks[0])
        };
        assert!(due(2, 3));
        assert!(!due(1, 3) && !due(0, 3) && !due(2, 0) && !due(2, 1));
        let mut here = state(2, 3);
        here.placed = None;
        assert!(!is_due(&here, &here.config, &here.tasks[0]));
    }

    #[test]
    fn each_is_told_another_way_and_has_its_share() {
        let state = state(2, 3);
        let told: Vec<String> = (1..=3).map(|number| brief(&state, "a", number)).collect();
        assert!(told[0].contains("way 1") && told[1].contains("evidence"));
        assert!(told[0] != told[1] && told[1] != told[2]);
        let config = config(&state);
        assert_eq!(
            (config.forks, config.max_iterations, config.budget_usd),
            (0, 2, Some(2.0))
        );
    }

    #[test]
    fn the_gates_choose_and_of_several_the_smallest() {
        let way = |complete, lines| Way { complete, lines };
        assert_eq!(
            choose(&[way(false, 1), way(true, 9), way(true, 4), way(true, 4)]),
            Some(2)
        );
        assert_eq!(choose(&[way(false, 1)]), None);
        assert_eq!(choose(&[]), None);
    }
}
