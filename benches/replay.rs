//! How long `overnight replay` takes for 100,000 events: `cargo bench --bench replay`. Best of five,
//! beside `cat` of the same journal, in one run. With a program's path as its argument it measures
//! that one: `benches/replay.sh` builds no more than it needs.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    missing_docs,
    reason = "a benchmark that cannot go on stops; it prints for a person"
)]

use overnight_judge::{GateOutcome, Verdict};
use overnight_run::classify::Class;
use overnight_run::event::{
    self, AgentStarted, Door, DriverStarted, Ended, Event, Intent, Outcome,
};
use overnight_run::journal::{self, Record, Stamp};
use overnight_run::step::Step;
use overnight_run::task::TaskSpec;
use overnight_run::{Config, State, apply, next};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const EVENTS: usize = 100_000;
const ROUNDS: usize = 5;

fn main() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("journal.jsonl");
    let text: String = night().iter().map(journal::encode).collect();
    std::fs::write(&path, &text).unwrap();
    println!("{EVENTS} events, {} MB", text.len() >> 20);
    let given = std::env::args()
        .skip(1)
        .find(|argument| !argument.starts_with("--"));
    let overnight = given.map_or_else(
        || assert_cmd::cargo::cargo_bin!("overnight").to_owned(),
        PathBuf::from,
    );
    let cat = best(|| Command::new("cat"), &path);
    let replay = best(
        || {
            let mut command = Command::new(&overnight);
            command.args(["replay", "--events"]);
            command
        },
        &path,
    );
    println!("cat {cat:?}, replay {replay:?}");
}

fn best(program: impl Fn() -> Command, path: &Path) -> Duration {
    let once = |_| {
        let began = Instant::now();
        let status = program().arg(path).stdout(Stdio::null()).status().unwrap();
        assert!(status.success());
        began.elapsed()
    };
    (0..ROUNDS).map(once).min().unwrap()
}

/// A journal under construction.
#[derive(Default)]
struct Night {
    records: Vec<Record>,
    state: State,
    now: u64,
}

impl Night {
    fn add(&mut self, event: impl Into<Event>) {
        let record = Record {
            seq: self.records.len() as u64 + 1,
            stamp: Stamp {
                t: self.now,
                mono: self.now,
                boot: "b".to_owned(),
            },
            event: event.into(),
        };
        apply(&mut self.state, record.clone());
        self.records.push(record);
    }

    fn begin(&mut self) {
        let mut task = TaskSpec::named("main", "");
        task.gates = vec!["make test".to_owned()];
        self.add(event::RunStarted {
            run: "20261120-150000-0af3".to_owned(),
            door: Door::Driver,
            goal: "g".repeat(200),
            top: "/w".to_owned(),
            head: None,
            branch: None,
            config: None,
        });
        self.add(DriverStarted {
            epoch: 1,
            pid: 1,
            pid_start: 1,
            session: None,
            config: Config {
                max_iterations: u32::MAX,
                failures_max: u32::MAX,
                calls_per_hour: 10_000,
                ..Config::default()
            },
            tasks: vec![task],
        });
    }

    fn step(&mut self) {
        let pins = std::collections::BTreeMap::new();
        let outcomes = vec![gate()];
        match next(&self.state, &self.state.config, self.now) {
            Step::Start {
                iteration,
                attempt,
                task,
                nudge,
            } => {
                self.add(Intent {
                    iteration,
                    attempt,
                    task,
                    check_id: "0011223344556677".to_owned(),
                    epoch: 1,
                    nudge,
                    model: None,
                    continues: None,
                });
                self.add(AgentStarted {
                    pid: 7,
                    pid_start: 7,
                    offset: 0,
                });
                self.add(outcome(iteration));
            }
            Step::Baseline(_) => self.add(event::Measured {
                outcomes,
                pins,
                dusk: None,
            }),
            Step::Gates(_) => self.add(event::Gates {
                outcomes,
                pins,
                proof: None,
            }),
            Step::Judge(verdict) => self.add(event::Judged::from(*verdict)),
            Step::Wait { until, cause } => self.add(event::Waiting { until, cause }),
            step @ (Step::Take { .. }
            | Step::Hold
            | Step::Members(_)
            | Step::Close(_)
            | Step::Hunk(_)
            | Step::Review) => {
                panic!("a run alone: {step:?}")
            }
            Step::Finish(reason) => panic!("{reason:?}"),
        }
    }
}

/// A run whose one task is claimed and refuted by its gate, iteration after iteration.
fn night() -> Vec<Record> {
    let mut night = Night {
        now: 1_795_186_800_000,
        ..Night::default()
    };
    night.begin();
    while night.records.len() < EVENTS {
        night.now += 60_000;
        night.step();
    }
    night.records
}

fn gate() -> GateOutcome {
    GateOutcome {
        command: "make test".to_owned(),
        exit: Some(1),
        ms: 900,
        tail: "one test failed\n".repeat(10),
        ..GateOutcome::default()
    }
}

fn outcome(iteration: u32) -> Outcome {
    let mut claim = Verdict::nothing("x");
    claim.decision = overnight_judge::Decision::Complete;
    claim.reasons.clear();
    Outcome {
        cost_usd: 0.1,
        tokens: 1_000,
        session: Some(iteration.to_string()),
        output_bytes: 5_000,
        tree: format!("{iteration:040x}"),
        changed: 1,
        said: "words ".repeat(30),
        ..Outcome::of(Ended::Exited(0), Class::None, claim)
    }
}
