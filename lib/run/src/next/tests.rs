mod review;

use super::*;
use crate::event::{Door, DriverStarted, Event, Finished, Intent, Judged, RunStarted};
use crate::fold;
use crate::journal::{Record, Stamp};
use crate::task::TaskSpec;

const START: u64 = 1_795_186_800_000;

fn driver(epoch: u64, config: Config) -> Event {
    let driver = DriverStarted {
        epoch,
        pid: 7,
        pid_start: 1,
        session: None,
        config,
        tasks: vec![TaskSpec::named("main", "")],
    };
    driver.into()
}

/// A run whose first attempt has begun.
fn begun(config: Config) -> Vec<Event> {
    let run = RunStarted {
        run: "20261120-150000-0af3".to_owned(),
        door: Door::Driver,
        goal: "count".to_owned(),
        top: "/p".to_owned(),
        head: None,
        branch: None,
        config: None,
    };
    let intent = Intent {
        iteration: 1,
        attempt: 1,
        task: "main".to_owned(),
        check_id: "c".to_owned(),
        epoch: 1,
        nudge: Nudge::None,
        model: None,
        continues: None,
    };
    vec![run.into(), driver(1, config), intent.into()]
}

/// A run whose first attempt was refused by the service, ended, and resumed by a person.
fn resumed(class: Class, resets_at: Option<i64>) -> State {
    let config = Config {
        on_limit: OnLimit::Exit,
        ..Config::default()
    };
    let outcome = Outcome {
        resets_at,
        ..Outcome::of(Ended::Exited(1), class, Verdict::nothing("refused"))
    };
    let mut events = begun(config.clone());
    events.push(outcome.into());
    let Step::Finish(reason) = next(&folded(&events), &config, START + 4_000) else {
        panic!("{class:?} does not end the run");
    };
    events.extend([Finished { reason }.into(), driver(2, config)]);
    folded(&events)
}

fn folded(events: &[Event]) -> State {
    let record = |(at, event): (u64, &Event)| Record {
        seq: at + 1,
        stamp: Stamp {
            t: START + at * 1_000,
            mono: at * 1_000,
            boot: "b".to_owned(),
        },
        event: event.clone(),
    };
    let records: Vec<Record> = (0..).zip(events).map(record).collect();
    fold(&records)
}

#[test]
fn what_a_person_saw_to_is_tried_again_when_the_run_is_resumed() {
    let now = START + 10_000;
    let seconds = |at: u64| i64::try_from(at / 1_000).ok();
    for (class, resets_at, goes_on) in [
        (Class::Auth, None, true),
        (Class::Billing, None, true),
        (Class::UsageLimit, None, true),
        (Class::UsageLimit, seconds(now - 1_000), true),
        (Class::UsageLimit, seconds(now + 60_000), false),
    ] {
        let state = resumed(class, resets_at);
        let step = next(&state, &state.config, now);
        let starts = matches!(
            step,
            Step::Start {
                iteration: 1,
                attempt: 2,
                ..
            }
        );
        assert_eq!(starts, goes_on, "{class:?} {resets_at:?}: {step:?}");
        let ends = matches!(step, Step::Finish(Reason::UsageLimit(_)));
        assert_eq!(ends, !goes_on, "{class:?} {resets_at:?}: {step:?}");
    }
}

/// A run between two iterations that may make so many calls an hour, with these events after it.
fn between(calls_per_hour: u32, more: Vec<Event>) -> State {
    let config = Config {
        calls_per_hour,
        ..Config::default()
    };
    let verdict = Verdict::nothing("more to do");
    let outcome = Outcome::of(Ended::Exited(0), Class::None, verdict.clone());
    let mut events = begun(config);
    events.extend([outcome.into(), Judged::from(verdict).into()]);
    events.extend(more);
    folded(&events)
}

#[test]
fn a_clock_that_was_set_back_holds_a_start_for_an_hour_at_most() {
    let early = START - 10 * (60 * MINUTE_MS);
    let free = between(100, Vec::new());
    let step = next(&free, &free.config, early);
    assert!(matches!(step, Step::Start { .. }), "{step:?}");
    let rated = between(1, Vec::new());
    let Step::Wait { until, cause } = next(&rated, &rated.config, early) else {
        panic!("one call an hour");
    };
    assert_eq!(
        (until, cause),
        (early + (60 * MINUTE_MS), WaitCause::CallRate)
    );
    let waited = between(1, vec![crate::event::Waiting { until, cause }.into()]);
    let step = next(&waited, &waited.config, until);
    assert!(matches!(step, Step::Start { .. }), "{step:?}");
}

#[test]
fn a_service_that_stays_away_is_asked_nine_times_and_then_counts_as_a_failed_iteration() {
    let config = Config::default();
    let away = |times: u32| {
        let mut state = folded(&begun(config.clone()));
        let outcome = Outcome::of(
            Ended::Exited(1),
            Class::Transient,
            Verdict::nothing("overloaded"),
        );
        let open = state.open.as_mut().unwrap();
        (open.retries, open.outcome) = (times, Some(outcome));
        state
    };
    let mut pauses = Vec::new();
    for times in 1..=8 {
        let state = away(times);
        match next(&state, &config, state.updated) {
            Step::Wait { until, cause } => {
                assert_eq!(cause, WaitCause::Transient);
                pauses.push(until - state.updated);
            }
            step => panic!("after {times}: {step:?}"),
        }
    }
    assert!(pauses.is_sorted(), "{pauses:?}");
    let state = away(9);
    let step = next(&state, &config, state.updated);
    assert!(matches!(step, Step::Judge(_)), "{step:?}");
}

#[test]
fn an_approval_lets_a_task_begin_whose_breaker_is_open() {
    use crate::breaker;
    use crate::event::Answered;
    use crate::state::Block;
    use crate::task::Status;
    let mut state = between(100, Vec::new());
    let task = &mut state.tasks[0];
    task.asks = vec![4];
    task.status = Status::Blocked;
    task.blocked = Some(Block {
        reason: "no progress".to_owned(),
        by_breaker: true,
        ..Block::default()
    });
    task.breaker.state = breaker::State::Open;
    for (approved, begins) in [(false, false), (true, true)] {
        let answer = Answered { ask: 4, approved };
        let mut answered = state.clone();
        let stamp = Stamp {
            t: START + 9_000,
            mono: 9_000,
            boot: "b".to_owned(),
        };
        let record = Record {
            seq: 9,
            stamp,
            event: answer.into(),
        };
        fold::apply(&mut answered, record);
        let task = &answered.tasks[0];
        assert_eq!(task.status == Status::Todo, begins, "{:?}", task.status);
        let breaker = task.breaker.state;
        assert_eq!(breaker == breaker::State::Closed, begins, "{breaker:?}");
    }
}

#[test]
fn a_driver_that_finds_nothing_to_do_makes_the_night_no_longer() {
    let config = Config::default();
    let end = || {
        Event::from(Finished {
            reason: Reason::AllDone,
        })
    };
    let mut events = begun(config.clone());
    events.push(end());
    let night = folded(&events).ended;
    events.extend([driver(2, config.clone()), end()]);
    assert_eq!(folded(&events).ended, night);
    let nothing = Verdict::nothing("more is left");
    let outcome = Outcome::of(Ended::Exited(0), Class::None, nothing.clone());
    let judged = Judged::from(nothing);
    events.extend([driver(3, config), outcome.into(), judged.into(), end()]);
    assert!(folded(&events).ended > night);
}
