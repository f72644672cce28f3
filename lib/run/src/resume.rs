//! The command that goes on with a run. A limit that is used up is raised in it: without that the
//! run would end again before it began.

use crate::{Config, Reason, State};
use overnight_base::duration;
use std::fmt::Write;
use std::time::Duration;

/// What goes on with this run when it is pasted.
pub fn command(state: &State) -> String {
    let run = state.run.as_ref().map_or("", |run| run.id.as_str());
    let mut command = format!("overnight resume {run}");
    if let Some(more) = more_iterations(state) {
        let _ = write!(command, " --max-iterations {more}");
    }
    if state.finished == Some(Reason::BudgetSpent) {
        let config = &state.config;
        if let Some(budget) = config.budget_usd {
            let _ = write!(command, " --budget-usd {:.2}", state.spent().usd + budget);
        }
        if let Some(budget) = config.budget_tokens {
            let more = state.spent().tokens.saturating_add(budget);
            let _ = write!(command, " --budget-tokens {more}");
        }
    }
    if let Some(more) = more_time(state) {
        let more = duration::show(more);
        let _ = write!(command, " --max-duration {more}");
    }
    command
}

/// What lets a run go on whose driver or session may live: where it is only paused, a word to them is enough,
/// and a second driver would be refused.
pub fn wake(state: &State, alive: bool) -> String {
    let run = state.run.as_ref().map_or("", |run| run.id.as_str());
    match (&state.paused, &state.session) {
        (Some(_), Some(_)) if alive => "/flow resume".to_owned(),
        (Some(_), None) if alive => format!("overnight resume {run}"),
        _ => command(state),
    }
}

/// The longest time with which a run whose time passed can go on: as much again as it had, from now on
/// where it ended.
fn more_time(state: &State) -> Option<Duration> {
    let limit = state.config.max_duration_ms?;
    if state.finished != Some(Reason::MaxDuration) {
        return None;
    }
    let began = state.run.as_ref()?.started;
    let passed = state.ended?.saturating_sub(began).max(limit);
    // Whole minutes read better, and none is lost.
    let minutes = passed.saturating_add(limit).div_ceil(60_000);
    Some(Duration::from_mins(minutes))
}

/// Iterations at most with which it can go on, where those that it had are used up. A member has its
/// own for each task.
pub fn more_iterations(state: &State) -> Option<u32> {
    let config = &state.config;
    let used_up = config.members == 0 && state.iterations >= config.max_iterations;
    used_up.then(|| {
        state
            .iterations
            .saturating_add(Config::default().max_iterations)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::{Door, RunStarted};
    use crate::fold::fold;
    use crate::hold::Pause;
    use crate::journal::{Record, Stamp};

    fn state(iterations: u32, finished: Option<Reason>) -> State {
        State {
            iterations,
            finished,
            spent_usd: 5.04,
            config: Config {
                budget_usd: Some(5.0),
                ..Config::default()
            },
            ..State::default()
        }
    }

    #[test]
    fn a_used_up_limit_is_raised() {
        assert_eq!(command(&state(3, None)), "overnight resume ");
        assert_eq!(
            command(&state(10, Some(Reason::MaxIterations))),
            "overnight resume  --max-iterations 20"
        );
        assert_eq!(
            command(&state(3, Some(Reason::BudgetSpent))),
            "overnight resume  --budget-usd 10.04"
        );
    }

    #[test]
    fn what_is_only_paused_is_woken_by_whoever_works_on_it() {
        let paused = |session: Option<&str>| State {
            paused: Some(Pause::Prompt),
            session: session.map(str::to_owned),
            ..state(3, None)
        };
        assert_eq!(wake(&paused(Some("s")), true), "/flow resume");
        assert_eq!(wake(&paused(None), true), "overnight resume ");
        let taken_up = "overnight resume ";
        assert_eq!(wake(&paused(Some("s")), false), taken_up);
        assert_eq!(wake(&state(3, None), true), taken_up);
    }

    #[test]
    fn a_run_that_no_driver_came_to_work_on_has_the_limits_it_was_begun_with() {
        let limits = Config {
            gates: vec!["cargo test".to_owned()],
            ..Config::default()
        };
        let begun = |config: Option<Config>| {
            let event = RunStarted {
                run: "r".to_owned(),
                door: Door::Driver,
                goal: String::new(),
                top: String::new(),
                head: None,
                branch: None,
                config,
            };
            fold([&Record {
                seq: 1,
                stamp: Stamp::default(),
                event: event.into(),
            }])
        };
        let state = begun(Some(limits.clone()));
        assert_eq!((state.configured, state.config), (true, limits));
        assert!(!begun(None).configured, "as journals of before have it");
    }
}
