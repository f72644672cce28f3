//! Journals of long nights, made up; shared by tests and benches by `#[path]`.

use overnight_judge::{Decision, GateOutcome, TestCounts, Verdict};
use overnight_run::Config;
use overnight_run::classify::Class;
use overnight_run::event::{
    Deadline, Door, DriverStarted, Ended, Event, Finished, Gates, Intent, Judged, Outcome,
    RunStarted, Waiting,
};
use overnight_run::journal::{self, Record, Stamp};
use overnight_run::step::{Nudge, Reason, WaitCause};
use overnight_run::task::TaskSpec;

const MINUTE_MS: u64 = 60_000;
/// Five records an iteration: intent, outcome, gates, judgement, and a wait.
pub(crate) const EVENTS_EACH: u32 = 5;

/// What a night is about: the goal, the tasks by turns, and what their failures say.
#[derive(Clone, Copy)]
pub(crate) struct Night<'a> {
    pub(crate) run: &'a str,
    pub(crate) goal: &'a str,
    pub(crate) tasks: &'a [&'a str],
    pub(crate) reason: &'a str,
    pub(crate) iterations: u32,
    pub(crate) ended: bool,
    /// Process id, start and boot of its driver.
    pub(crate) driver: (u32, u64, &'a str),
}

/// The lines of its journal, which ends now.
pub(crate) fn journal(night: &Night, now: u64) -> String {
    let mut events = start(night);
    for number in 1..=night.iterations {
        iteration(&mut events, night, number);
    }
    if night.ended {
        events.push(
            Finished {
                reason: Reason::Blocked(night.reason.to_owned()),
            }
            .into(),
        );
    }
    let all = events.len() as u64;
    let line = |(at, event): (u64, Event)| {
        let t = now - (all - at) * MINUTE_MS;
        let stamp = Stamp {
            t,
            mono: at * MINUTE_MS,
            boot: night.driver.2.to_owned(),
        };
        journal::encode(&Record {
            seq: at + 1,
            stamp,
            event,
        })
    };
    (0..).zip(events).map(line).collect()
}

fn start(night: &Night) -> Vec<Event> {
    let run = RunStarted {
        run: night.run.to_owned(),
        door: Door::Driver,
        goal: night.goal.to_owned(),
        top: "/p".to_owned(),
        head: None,
        branch: None,
        config: None,
    };
    let task = |name: &&str| TaskSpec {
        gates: vec![format!("make test-{name}")],
        checklist: vec![night.reason.to_owned()],
        ..TaskSpec::named(name, night.reason)
    };
    let driver = DriverStarted {
        epoch: 1,
        pid: night.driver.0,
        pid_start: night.driver.1,
        session: None,
        config: Config {
            max_iterations: night.iterations,
            ..Config::default()
        },
        tasks: night.tasks.iter().map(task).collect(),
    };
    vec![run.into(), driver.into()]
}

fn iteration(events: &mut Vec<Event>, night: &Night, number: u32) {
    let task = night.tasks[number as usize % night.tasks.len()];
    let complete = number.is_multiple_of(7);
    let ended = if number.is_multiple_of(11) {
        Ended::TimedOut(Deadline::Task)
    } else {
        Ended::Exited(0)
    };
    let limited = number.is_multiple_of(50);
    let gate = GateOutcome {
        command: format!("make test-{task}"),
        exit: Some(i32::from(!complete)),
        ms: 1_200,
        tests: Some(TestCounts::of(40, u64::from(!complete), 0)),
        ..GateOutcome::default()
    };
    let decision = if complete {
        Decision::Complete
    } else {
        Decision::Incomplete
    };
    let verdict = Verdict {
        decision,
        gates: vec![gate.clone()],
        ..Verdict::nothing(&format!("{} ({number})", night.reason))
    };
    let outcome = outcome(night, number, &ended, limited);
    let intent = Intent {
        iteration: number,
        attempt: 1,
        task: task.to_owned(),
        check_id: format!("{number:016x}"),
        epoch: 1,
        nudge: Nudge::None,
        model: None,
        continues: None,
    };
    let cause = if limited {
        WaitCause::UsageLimit
    } else {
        WaitCause::Interval
    };
    let wait = Waiting {
        until: 1_795_200_000_000,
        cause,
    };
    let gates = Gates {
        outcomes: vec![gate],
        pins: std::collections::BTreeMap::new(),
        proof: None,
    };
    events.extend([
        intent.into(),
        outcome.into(),
        gates.into(),
        Judged::from(verdict).into(),
        wait.into(),
    ]);
}

fn outcome(night: &Night, number: u32, ended: &Ended, limited: bool) -> Outcome {
    let fields = serde_json::json!({
        "ended": ended, "class": Class::None, "claim": Verdict::nothing(night.reason), "cost_usd": 0.21, "output_bytes": 9_000,
        "resets_at": limited.then_some(1_795_200_000), "duration_ms": 50_000, "tree": format!("{number:040x}"), "changed": number % 4, "said": night.reason,
    });
    serde_json::from_value(fields).unwrap()
}
