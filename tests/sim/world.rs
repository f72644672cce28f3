//! The seeded world: clock, journal, drivers; its agents and mutants have files of their own.

mod agent;
mod mutant;

use crate::check::Book;
use crate::random::Random;
pub(crate) use mutant::Mutant;
use overnight_judge::Verdict;
use overnight_run::classify::Class;
use overnight_run::config::OnLimit;
use overnight_run::event::{self, Door, DriverStarted, Ended, Intent};
use overnight_run::journal::{Record, Stamp, decode, encode};
use overnight_run::replay::replay;
use overnight_run::step::Reason;
use overnight_run::task::{SINGLE, Status, TaskSpec};
use overnight_run::{Config, Event, State, Step, apply, fold};
use std::collections::BTreeMap;

/// Steps after which a run that has not ended never will.
const STEPS_MAX: u32 = 4_000;

pub(crate) struct World {
    random: Random,
    mutant: Mutant,
    book: Book,
    records: Vec<Record>,
    /// How many of them the disk keeps when the power goes.
    synced: usize,
    /// The check ids of agents that were started: what a crash cannot undo.
    started: Vec<String>,
    /// What a crash took that it must not take.
    lost: Option<String>,
    state: State,
    config: Config,
    tasks: Vec<TaskSpec>,
    /// Wall clock, boot clock, boot.
    clock: (u64, u64, u64),
    /// Steady time that the book goes by.
    steady: u64,
    epoch: u64,
    iterations: u64,
    /// Is the work of a task really done?
    done: BTreeMap<String, bool>,
    tree: u64,
}

impl World {
    pub(crate) fn new(seed: u64, mutant: Mutant) -> Self {
        let mut random = Random::new(seed);
        let config = Config {
            max_iterations: 1 + u32::try_from(random.below(24)).unwrap(),
            budget_usd: random
                .chance(40)
                .then(|| 1.0 + f64::from(u32::try_from(random.below(20)).unwrap())),
            budget_tokens: random.chance(20).then(|| 5_000 + random.below(100_000)),
            calls_per_hour: if random.chance(30) {
                1 + u32::try_from(random.below(6)).unwrap()
            } else {
                100
            },
            max_duration_ms: random.chance(20).then(|| 60_000 * (1 + random.below(600))),
            on_limit: if random.chance(20) {
                OnLimit::Exit
            } else {
                OnLimit::Wait
            },
            usd_per_hour: random
                .chance(20)
                .then(|| 1.0 + f64::from(u32::try_from(random.below(9)).unwrap())),
            interval_ms: if random.chance(10) { 60_000 } else { 0 },
            gates: if random.chance(20) {
                vec!["shared".to_owned()]
            } else {
                Vec::new()
            },
            failures_max: if random.chance(40) { 9 } else { 3 },
            ..Config::default()
        };
        let tasks: Vec<TaskSpec> = (0..=random.below(4))
            .map(|number| task(&mut random, number))
            .collect();
        let mut tasks = tasks;
        if let [only] = &mut tasks[..] {
            SINGLE.clone_into(&mut only.id);
        }
        let mut book = Book::default();
        for task in &tasks {
            let gates = task.gates.iter().chain(&config.gates).cloned().collect();
            book.gates.insert(task.id.clone(), gates);
        }
        Self {
            clock: (1_795_186_800_000 + random.below(1 << 30), 1_000, 1),
            random,
            mutant,
            book,
            records: Vec::new(),
            synced: 0,
            started: Vec::new(),
            lost: None,
            state: State::default(),
            config,
            tasks,
            steady: 1_000,
            epoch: 0,
            iterations: 0,
            done: BTreeMap::new(),
            tree: 0,
        }
    }

    /// The journal of the whole run.
    pub(crate) fn journal(mut self) -> String {
        let _ = self.play();
        self.records.iter().map(encode).collect()
    }

    /// The records of the whole run.
    pub(crate) fn records(mut self) -> Vec<Record> {
        let _ = self.play();
        self.records
    }

    /// Plays the run to its end; gives the iterations it took, or the invariant that broke.
    pub(crate) fn run(mut self) -> Result<u64, String> {
        self.play()?;
        self.replays()?;
        Ok(self.iterations)
    }

    fn play(&mut self) -> Result<(), String> {
        let started = event::RunStarted {
            run: "sim".into(),
            door: Door::Driver,
            goal: "g".into(),
            top: "/w".into(),
            head: None,
            branch: None,
            config: None,
        };
        self.append(started);
        self.driver();
        for resumes in 0..4 {
            let reason = self.drive()?;
            let settled = matches!(
                reason,
                Reason::AllDone | Reason::BudgetSpent | Reason::MaxIterations | Reason::MaxDuration
            );
            if settled || resumes == 3 {
                break;
            }
            // A person resumes it after a while, sooner or later than the breaker would like.
            let pause = self.random.below(3 * 3_600_000);
            self.pass(pause);
            self.driver();
        }
        Ok(())
    }

    /// Steps until the run ends.
    #[expect(clippy::too_many_lines, reason = "one arm a kind of step")]
    fn drive(&mut self) -> Result<Reason, String> {
        for _ in 0..STEPS_MAX {
            if self.random.chance(1) {
                self.disturb();
            }
            if let Some(lost) = self.lost.take() {
                return Err(lost);
            }
            match self.decide() {
                Step::Start {
                    iteration,
                    attempt,
                    task,
                    nudge,
                } => {
                    self.book
                        .start(&self.config, iteration, &task, self.steady)?;
                    self.attempt(Intent {
                        iteration,
                        attempt,
                        task,
                        check_id: format!("c{}", self.records.len()),
                        epoch: self.epoch,
                        nudge,
                        model: None,
                        continues: None,
                    });
                }
                Step::Baseline(commands) => {
                    let outcomes: Vec<_> = commands
                        .iter()
                        .map(|command| self.gate(command, true))
                        .collect();
                    for gate in &outcomes {
                        if let Some(tests) = gate.tests {
                            self.book.baseline.insert(gate.command.clone(), tests);
                        }
                    }
                    self.append(event::Measured {
                        outcomes,
                        pins: BTreeMap::new(),
                        dusk: None,
                    });
                }
                Step::Review => self.append(overnight_run::review::Reviewed::default()),
                Step::Hunk(_) => self.append(overnight_run::hunks::Hunk::default()),
                Step::Close(commands) => {
                    let outcomes = commands
                        .iter()
                        .map(|command| self.gate(command, false))
                        .collect();
                    self.append(event::Closing {
                        outcomes,
                        commit: String::new(),
                        broke: BTreeMap::new(),
                    });
                }
                Step::Gates(commands) => {
                    let outcomes: Vec<_> = commands
                        .iter()
                        .map(|command| self.gate(command, false))
                        .collect();
                    self.book.proof.clone_from(&outcomes);
                    self.append(event::Gates {
                        outcomes,
                        pins: BTreeMap::new(),
                        proof: None,
                    });
                }
                Step::Judge(verdict) => self.judged(*verdict)?,
                Step::Wait { until, cause } => {
                    self.append(event::Waiting { until, cause });
                    let wait = until.saturating_sub(self.clock.0);
                    self.pass(wait.max(1));
                }
                step @ (Step::Take { .. } | Step::Hold | Step::Members(_)) => {
                    return Err(format!("a run alone: {step:?}"));
                }
                Step::Finish(reason) => {
                    if reason == Reason::AllDone
                        && !self
                            .state
                            .tasks
                            .iter()
                            .all(|task| task.status == Status::Done)
                    {
                        return Err("all done, and yet a task is open".into());
                    }
                    self.append(event::Finished {
                        reason: reason.clone(),
                    });
                    return Ok(reason);
                }
            }
        }
        Err(format!("the run does not end within {STEPS_MAX} steps"))
    }

    fn judged(&mut self, verdict: Verdict) -> Result<(), String> {
        let task = self
            .state
            .open
            .as_ref()
            .map(|open| open.task.clone())
            .unwrap_or_default();
        let open = self.state.open.as_ref();
        let claimed = open
            .and_then(|open| open.outcome.as_ref())
            .is_some_and(|outcome| outcome.claim.complete());
        self.book.signal(&task);
        if verdict.complete() {
            self.book.complete(&task, claimed)?;
        }
        self.book.proof.clear();
        self.iterations += 1;
        let openings = |state: &State| state.task(&task).map_or(0, |task| task.breaker.openings);
        let before = openings(&self.state);
        self.append(event::Judged::from(verdict));
        // The core says that it opened; how long it must then hold is the book's own rule.
        let after = openings(&self.state);
        if after > before {
            let held = ((30 * 60_000) << (after - 1).min(10)).min(24 * 3_600_000);
            self.book.held.insert(task, self.steady + held);
        }
        Ok(())
    }

    /// Between two steps: a signal, a jump of the clock, a reboot, a torn journal.
    fn disturb(&mut self) {
        match self.random.below(4) {
            0 => {
                self.append(event::Interrupted { signal: 15 });
                self.driver();
            }
            1 => {
                self.book.jumped = true;
                let jump = self.random.below(7_200_000);
                self.clock.0 = if self.random.chance(50) {
                    self.clock.0 + jump
                } else {
                    self.clock.0 - jump
                };
            }
            2 => {
                // A reboot takes a while on the wall clock and starts the boot clock anew.
                self.clock = (self.clock.0 + 60_000, 10, self.clock.2 + 1);
                self.steady += 60_000;
                self.driver();
            }
            _ => {
                self.tear();
                self.driver();
            }
        }
    }

    /// The power goes: the journal loses what was not synced, and of the line that was being written the
    /// end, and is read again. An agent that was started stays started.
    fn tear(&mut self) {
        let unsynced = self.records.len() - self.synced;
        if unsynced > 0 {
            let kept = match self.mutant {
                Mutant::ForgetFolder => 0,
                _ => self.random.below(unsynced as u64 + 1),
            };
            self.records
                .truncate(self.synced + usize::try_from(kept).unwrap());
            self.state = fold(&self.records);
            let known = |id: &String| {
                self.records.iter().any(|record| match &record.event {
                    Event::Intent(intent) => intent.check_id == *id,
                    _ => false,
                })
            };
            self.lost = match self.started.iter().find(|id| !known(id)) {
                _ if self.records.is_empty() => Some("the run is lost".into()),
                Some(id) => Some(format!("agent {id} was started, and its intent is lost")),
                None => None,
            };
        }
        let mut bytes: Vec<u8> = self
            .records
            .iter()
            .rev()
            .take(1)
            .map(encode)
            .collect::<String>()
            .into_bytes();
        let keep = usize::try_from(self.random.below(bytes.len().max(1) as u64)).unwrap();
        bytes.truncate(keep);
        assert!(decode(&bytes).is_ok_and(|decoded| decoded.records.is_empty()));
        self.append(event::Torn { bytes: keep as u64 });
        self.state = fold(&self.records);
    }

    fn driver(&mut self) {
        self.epoch += 1;
        let tasks = self.tasks.clone();
        self.append(DriverStarted {
            epoch: self.epoch,
            pid: 1,
            pid_start: 1,
            session: None,
            config: self.config.clone(),
            tasks,
        });
        if self
            .state
            .open
            .as_ref()
            .is_some_and(|open| open.outcome.is_none())
        {
            let check_id = self
                .state
                .open
                .as_ref()
                .map(|open| open.check_id.clone())
                .unwrap_or_default();
            let lost = self.outcome(&check_id, (Ended::Lost, Class::None));
            self.append(lost);
        }
    }

    fn append(&mut self, event: impl Into<Event>) {
        let (t, mono, boot) = self.clock;
        let record = Record {
            seq: self.records.len() as u64 + 1,
            stamp: Stamp {
                t,
                mono,
                boot: boot.to_string(),
            },
            event: event.into(),
        };
        apply(&mut self.state, record.clone());
        self.records.push(record);
        match self.mutant {
            // Neither the journal's content, nor its folder's entry, is ever made durable.
            Mutant::ForgetSync | Mutant::ForgetFolder => {}
            _ => self.synced = self.records.len(),
        }
    }

    fn pass(&mut self, ms: u64) {
        self.clock.0 += ms;
        self.clock.1 += ms;
        self.steady += ms;
    }

    /// The journal, folded anew, gives the same state and the same decisions.
    fn replays(&self) -> Result<(), String> {
        if fold(&self.records) != self.state {
            return Err("replay gives another state".into());
        }
        let other = self.mutant == Mutant::OtherConfig;
        let decisions = replay(&self.records, |config| Config {
            max_iterations: if other { 1 } else { config.max_iterations },
            ..config
        });
        match decisions.iter().find(|decision| !decision.same()) {
            None => Ok(()),
            Some(decided) => Err(format!(
                "replay differs at {}: {:?}, now {:?}",
                decided.seq, decided.recorded, decided.now
            )),
        }
    }
}

fn task(random: &mut Random, number: u64) -> TaskSpec {
    let mut task = TaskSpec::named(&format!("t{number}"), "o");
    task.gates = (0..random.below(3))
        .map(|gate| format!("gate {number}.{gate}"))
        .collect();
    if random.chance(20) {
        task.allowed_paths.push("src/**".to_owned());
    }
    if number > 0 && random.chance(30) {
        task.depends_on.push(format!("t{}", number - 1));
    }
    task
}
