//! The journal of a night of 150 tasks and 300 iterations, made up: what agents need, what is blocked,
//! refuted, not begun, and what is proved. Shared by tests and benches by `#[path]`.

use overnight_judge::{Decision, GateOutcome, Source, Verdict};
use overnight_run::classify::Class;
use overnight_run::event::{
    Door, DriverStarted, Ended, Event, Finished, Intent, Judged, Outcome, RunStarted,
};
use overnight_run::journal::{self, Record, Stamp};
use overnight_run::step::{Nudge, Reason};
use overnight_run::task::TaskSpec;
use overnight_run::{Config, placed::Published};

pub(crate) const TASKS: u32 = 150;
pub(crate) const ITERATIONS: u32 = 300;
/// Tasks whose agents need something, then those that are blocked, refuted once, and not begun.
pub(crate) const NEEDS: u32 = 12;
const BLOCKED_UNTIL: u32 = 26;
const REFUTED_UNTIL: u32 = 36;
const NOT_BEGUN_UNTIL: u32 = 44;
const MINUTE_MS: u64 = 60_000;

pub(crate) const MESSAGE: &str =
    "error TS2345: Argument of type 'string' is not assignable to parameter of type 'Cents'.";

fn id(number: u32) -> String {
    const PARTS: [&str; 6] = ["prices", "receipts", "cart", "payment", "refunds", "search"];
    format!("{}-{number:03}", PARTS[number as usize % PARTS.len()])
}

/// The lines of its journal, which ends now.
pub(crate) fn journal(run: &str, now: u64) -> String {
    records(run, now).iter().map(journal::encode).collect()
}

/// Its records.
pub(crate) fn records(run: &str, now: u64) -> Vec<Record> {
    let mut events = start(run);
    let mut number = 0;
    for task in (0..NOT_BEGUN_UNTIL - 8).chain(NOT_BEGUN_UNTIL..TASKS) {
        for visit in 1..=visits(task) {
            number += 1;
            events.extend(iteration(number, task, visit));
        }
    }
    assert_eq!(number, ITERATIONS);
    let reason = Reason::MaxIterations;
    events.push(Finished { reason }.into());
    let published = Published {
        branch: "auto/whole-cents".to_owned(),
        remote: Some("origin".to_owned()),
        commit: "0f3a91c".to_owned(),
        url: Some("https://github.com/you/shop/pull/7".to_owned()),
        command: None,
        body: String::new(),
    };
    events.push(published.into());
    let all = events.len() as u64;
    let record = |(at, event)| Record {
        seq: at + 1,
        stamp: Stamp {
            t: now - (all - at) * MINUTE_MS / 2,
            mono: at * MINUTE_MS / 2,
            boot: "b".to_owned(),
        },
        event,
    };
    (0..).zip(events).map(record).collect()
}

/// How often a task was worked on: 300 times in all.
fn visits(task: u32) -> u32 {
    match task {
        0..NEEDS => 1,
        NEEDS..BLOCKED_UNTIL => 3,
        BLOCKED_UNTIL..REFUTED_UNTIL => 2,
        _ if task - NOT_BEGUN_UNTIL < 14 => 3,
        _ => 2,
    }
}

fn start(run: &str) -> Vec<Event> {
    let started = RunStarted {
        run: run.to_owned(),
        door: Door::Driver,
        goal: "# Move the shop to whole cents\n".to_owned(),
        top: "/p".to_owned(),
        head: None,
        branch: None,
        config: None,
    };
    let task = |number| TaskSpec {
        gates: vec![format!("npm test -- {}", id(number))],
        ..TaskSpec::named(
            &id(number),
            &format!("Let {} count in whole cents", id(number)),
        )
    };
    let driver = DriverStarted {
        epoch: 1,
        pid: 1,
        pid_start: 1,
        session: None,
        config: Config {
            max_iterations: ITERATIONS,
            ..Config::default()
        },
        tasks: (0..TASKS).map(task).collect(),
    };
    vec![started.into(), driver.into()]
}

fn gate(task: u32, visit: u32, passes: bool) -> GateOutcome {
    let error = format!("src/{}.ts({visit},5): {MESSAGE}\n", id(task));
    GateOutcome {
        command: format!("npm test -- {}", id(task)),
        exit: Some(if passes { 0 } else { 2 }),
        ms: 1_200,
        tail: if passes {
            "41 passed\n".to_owned()
        } else {
            error
        },
        ..GateOutcome::default()
    }
}

/// What its agent claims, and what comes of it.
fn verdicts(task: u32, visit: u32) -> (Verdict, Verdict) {
    let complete = task >= NOT_BEGUN_UNTIL && visit == visits(task);
    let gate = gate(task, visit, complete);
    let claim = Verdict {
        decision: Decision::Complete,
        source: Source::FileJson,
        failure: None,
        reasons: Vec::new(),
        summary: Some("it counts in cents now, and its tests pass".to_owned()),
        ..Verdict::nothing("")
    };
    if task < NEEDS {
        let needs = format!(
            "KEY_{task} of the payment service's test account is not set: a person must give the key"
        );
        let needs = Verdict {
            decision: Decision::Incomplete,
            summary: None,
            needs: Some(needs),
            ..claim
        };
        return (needs.clone(), needs);
    }
    let verdict = if complete {
        claim.clone().proved(&[gate], &[])
    } else {
        Verdict {
            decision: Decision::Incomplete,
            reasons: vec![format!("gate \"{}\" failed with exit 2", gate.command)],
            gates: vec![gate],
            ..claim.clone()
        }
    };
    (claim, verdict)
}

fn iteration(number: u32, task: u32, visit: u32) -> Vec<Event> {
    let (claim, verdict) = verdicts(task, visit);
    let intent = Intent {
        iteration: number,
        attempt: 1,
        task: id(task),
        check_id: format!("{number:016x}"),
        epoch: 1,
        nudge: Nudge::None,
        model: None,
        continues: None,
    };
    let outcome = Outcome {
        cost_usd: 0.21,
        duration_ms: 50_000,
        said: "The conversion is in one place; the receipts still hand over a string.".to_owned(),
        changed: 2,
        tree: format!("{number:040x}"),
        ..Outcome::of(Ended::Exited(0), Class::None, claim)
    };
    vec![intent.into(), outcome.into(), Judged::from(verdict).into()]
}
