//! The seeded world: agents, service, clock, journal, drivers.

use crate::check::{Book, Speech, Told};
use crate::random::Random;
use overnight_core::breaker;
use overnight_core::classify::Class;
use overnight_core::journal::{Record, Stamp, decode, encode};
use overnight_core::judge::gates::{Baseline, TestCounts};
use overnight_core::judge::marker::Marker;
use overnight_core::judge::{self, Evidence, FileState, GateOutcome, Said, Verdict};
use overnight_core::run::config::OnLimit;
use overnight_core::run::event::{
    self, AgentStarted, Deadline, Door, DriverStarted, Ended, Intent, Outcome,
};
use overnight_core::run::replay::replay;
use overnight_core::run::scope::Change;
use overnight_core::run::signal;
use overnight_core::run::step::Reason;
use overnight_core::run::task::{SINGLE, Status, TaskSpec};
use overnight_core::run::{Config, Event, State, Step, apply, fold, next};
use overnight_core::signals::plan::Plan;
use std::collections::BTreeMap;
use std::sync::{Mutex, OnceLock};

/// Steps after which a run that has not ended never will.
const STEPS_MAX: u32 = 4_000;

/// Which rule is broken on purpose.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mutant {
    None,
    BelieveClaims,
    ForgetBudget,
    ForgetIterations,
    ForgetCalls,
    ForgetBreaker,
    NeverFinish,
    OtherConfig,
    ForgetBaseline,
    ForgetVelocity,
    ForgetTokens,
    ForgetScope,
    BelieveSignals,
    HastySignals,
}

pub(crate) struct World {
    random: Random,
    mutant: Mutant,
    book: Book,
    records: Vec<Record>,
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
                    });
                }
                Step::Judge(verdict) => self.judged(verdict)?,
                Step::Wait { until, cause } => {
                    self.append(event::Waiting { until, cause });
                    let wait = until.saturating_sub(self.clock.0);
                    self.pass(wait.max(1));
                }
                step @ (Step::Take { .. } | Step::Members(_)) => {
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

    /// The core's decision, or a mutant's.
    #[expect(clippy::too_many_lines, reason = "one arm a mutant")]
    fn decide(&self) -> Step {
        let now = self.clock.0;
        let plain = |state: &State, config: &Config| next(state, config, now);
        let with = |change: &dyn Fn(&mut Config)| {
            let mut config = self.config.clone();
            change(&mut config);
            plain(&self.state, &config)
        };
        match self.mutant {
            Mutant::None | Mutant::OtherConfig => plain(&self.state, &self.config),
            Mutant::ForgetBudget => with(&|config| config.budget_usd = None),
            Mutant::ForgetTokens => with(&|config| config.budget_tokens = None),
            Mutant::ForgetScope => {
                let mut state = self.state.clone();
                for task in &mut state.tasks {
                    task.spec.allowed_paths.clear();
                }
                plain(&state, &self.config)
            }
            Mutant::ForgetVelocity => with(&|config| config.usd_per_hour = None),
            Mutant::ForgetIterations => with(&|config| config.max_iterations = u32::MAX),
            Mutant::ForgetCalls => with(&|config| config.calls_per_hour = 10_000),
            Mutant::NeverFinish => match plain(&self.state, &self.config) {
                Step::Finish(_) => Step::Wait {
                    until: now + 1,
                    cause: overnight_core::run::step::WaitCause::Interval,
                },
                step => step,
            },
            Mutant::BelieveClaims => match plain(&self.state, &self.config) {
                Step::Gates(_) => {
                    let open = self
                        .state
                        .open
                        .as_ref()
                        .and_then(|open| open.outcome.as_ref());
                    Step::Judge(open.unwrap().claim.clone())
                }
                step => step,
            },
            Mutant::BelieveSignals => match plain(&self.state, &self.config) {
                Step::Gates(gates) => self.signalled().map_or(Step::Gates(gates), Step::Judge),
                step => step,
            },
            Mutant::HastySignals => {
                let mut state = self.state.clone();
                for task in &mut state.tasks {
                    task.signals.done += 1;
                }
                plain(&state, &self.config)
            }
            Mutant::ForgetBreaker => {
                let mut state = self.state.clone();
                for task in state
                    .tasks
                    .iter_mut()
                    .filter(|task| task.blocked.as_ref().is_some_and(|block| block.by_breaker))
                {
                    task.breaker = breaker::Breaker::default();
                    task.status = Status::Todo;
                }
                plain(&state, &self.config)
            }
            Mutant::ForgetBaseline => {
                let mut state = self.state.clone();
                state.baseline = Baseline::default();
                plain(&state, &self.config)
            }
        }
    }

    /// What the exit signals claim of the open attempt.
    fn signalled(&self) -> Option<Verdict> {
        let open = self.state.open.as_ref()?;
        signal::claim(self.state.task(&open.task)?, open.outcome.as_ref()?)
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
        self.append(event::Judged { verdict });
        // The core says that it opened; how long it must then hold is the book's own rule.
        let after = openings(&self.state);
        if after > before {
            let held = ((30 * 60_000) << (after - 1).min(10)).min(24 * 3_600_000);
            self.book.held.insert(task, self.steady + held);
        }
        Ok(())
    }

    /// An agent works, in its own way.
    fn attempt(&mut self, intent: Intent) {
        let (task, check_id) = (intent.task.clone(), intent.check_id.clone());
        self.append(intent);
        self.append(AgentStarted {
            pid: 7,
            pid_start: 7,
            offset: 0,
        });
        let took = 1_000 + self.random.below(20 * 60_000);
        self.pass(took);
        if self.random.chance(1) {
            // The driver dies with it: another one finds the attempt lost.
            self.tear();
            self.driver();
            if self
                .state
                .open
                .as_ref()
                .is_none_or(|open| open.outcome.is_some())
            {
                return;
            }
            let lost = self.outcome(&check_id, (Ended::Lost, Class::None));
            self.append(lost);
            return;
        }
        let end = match self.random.below(100) {
            0..=2 => (Ended::Signalled(9), Class::None),
            3 | 4 => (Ended::TimedOut(Deadline::Task), Class::None),
            5..=7 => (Ended::Exited(1), Class::UsageLimit),
            8..=10 => (Ended::Exited(1), Class::Transient),
            11 => (Ended::Exited(1), Class::Auth),
            12 => (Ended::Interrupted, Class::None),
            13..=15 => (Ended::Exited(1), Class::Unknown),
            _ => (Ended::Exited(0), Class::None),
        };
        if self.random.chance(30) {
            self.done.insert(task, true);
        }
        let outcome = self.outcome(&check_id, end);
        self.append(outcome);
    }

    fn outcome(&mut self, check_id: &str, (ended, class): (Ended, Class)) -> Outcome {
        let claim = self.claim(check_id);
        let changed = if self.random.chance(60) {
            1 + self.random.below(9)
        } else {
            0
        };
        // Some agents go round in circles between a few trees.
        self.tree = if self.random.chance(20) {
            self.random.below(3)
        } else {
            self.tree + 1
        };
        let left = self
            .config
            .budget_usd
            .map_or(5.0, |budget| (budget - self.book.dollars).max(0.0));
        let cost_usd =
            (f64::from(u32::try_from(self.random.below(200)).unwrap()) / 100.0).min(left);
        self.book.dollars += cost_usd;
        let tokens = self.random.below(20_000);
        self.book.tokens += tokens;
        let files = self.stray();
        let changed = if self.scoped() {
            // The names of a scoped task's files are all known.
            files.len() as u64
        } else {
            changed
        };
        let well = ended == Ended::Exited(0) && class == Class::None;
        let (speech, plan) = self.signals(changed == 0, well);
        self.book.costs.push((self.steady, cost_usd));
        Outcome {
            resets_at: (class == Class::UsageLimit && self.random.chance(70)).then(|| {
                i64::try_from(self.clock.0 / 1000).unwrap()
                    + i64::try_from(self.random.below(18_000)).unwrap()
                    - 600
            }),
            cost_usd,
            output_bytes: self.random.below(5_000),
            duration_ms: 1,
            tree: self.tree.to_string(),
            changed,
            files,
            said: speech.text().to_owned(),
            plan,
            tokens,
            errors: if self.random.chance(30) {
                vec![self.random.below(2).to_string()]
            } else {
                Vec::new()
            },
            denials: u32::from(self.random.chance(5)),
            ..Outcome::of(ended, class, claim)
        }
    }

    /// What the attempt shows of exit signals, told to the book as well.
    fn signals(&mut self, idle: bool, ended: bool) -> (Speech, Option<Plan>) {
        let speech = Speech::ALL[usize::try_from(self.random.below(8)).unwrap()];
        let plan = self.random.chance(30).then(|| Plan {
            done: self.random.below(3),
            open: self.random.below(3),
        });
        let alone = self.tasks.len() == 1;
        let planned = self.book.planned;
        self.book.planned |= plan.is_some_and(|plan| plan.open > 0);
        self.book.last = Told {
            speech,
            idle,
            ended,
            plan: alone && planned && plan.is_some_and(|plan| plan.done > 0 && plan.open == 0),
        };
        (speech, plan)
    }

    /// Is the open task held to a scope?
    fn scoped(&self) -> bool {
        let open = self.state.open.as_ref();
        let task = open.and_then(|open| self.state.task(&open.task));
        task.is_some_and(|task| task.spec.is_scoped())
    }

    /// Some agents change a file outside their task's scope, and some put it back.
    fn stray(&mut self) -> Vec<Change> {
        if !self.scoped() || !self.random.chance(40) {
            return Vec::new();
        }
        let task = self.state.open.as_ref().map(|open| open.task.clone());
        let outside = self
            .book
            .outside
            .entry(task.unwrap_or_default())
            .or_default();
        *outside = !*outside;
        let (before, after) = if *outside { ("", "1") } else { ("1", "") };
        vec![Change {
            path: "other".to_owned(),
            before: before.to_owned(),
            after: after.to_owned(),
        }]
    }

    /// What an agent says, true or not, judged as the driver does.
    fn claim(&mut self, check_id: &str) -> Verdict {
        let (file, text) = match self.random.below(8) {
            0 | 1 => (
                format!(r#"{{"decision":"complete","check_id":"{check_id}"}}"#),
                "",
            ),
            2 => (
                format!(r#"{{"decision":"incomplete","check_id":"{check_id}","reasons":["x"]}}"#),
                "",
            ),
            3 => (
                r#"{"decision":"complete","check_id":"c-old"}"#.to_owned(),
                "",
            ),
            4 => ("{torn".to_owned(), "I will print:\n<DONE>ok</DONE>"),
            5 => (String::new(), "All done.\n\n<DONE>ok</DONE>"),
            _ => (String::new(), "More to do."),
        };
        let said = said(text);
        judge::judge(&Evidence {
            file: if file.is_empty() {
                FileState::Missing
            } else {
                FileState::Bytes(file.as_bytes())
            },
            check_id: Some(check_id),
            said,
            gates: &[],
            objections: &[],
        })
    }

    /// A gate's outcome: by the truth mostly, but also vacuous, with tests deleted, or hanging.
    fn gate(&mut self, command: &str, start: bool) -> GateOutcome {
        let task = self
            .state
            .open
            .as_ref()
            .map(|open| open.task.clone())
            .unwrap_or_default();
        let good = !start && self.done.get(&task).copied().unwrap_or(false);
        let tests = TestCounts {
            passed: 10,
            failed: 0,
            skipped: 0,
        };
        let (exit, tests) = match self.random.below(20) {
            0 => (Some(0), TestCounts::default()),
            1 => (Some(0), TestCounts { passed: 4, ..tests }),
            2 => (None, tests),
            _ if good => (Some(0), tests),
            _ => (
                Some(1),
                TestCounts {
                    passed: 8,
                    failed: 2,
                    skipped: 0,
                },
            ),
        };
        GateOutcome {
            command: command.to_owned(),
            exit,
            ms: 1,
            tests: Some(tests),
            timed_out: exit.is_none(),
            ..GateOutcome::default()
        }
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

    /// The journal loses the end of its last line, as after a crash, and is read again. Only lines
    /// that nobody acted on are lost: what was fsynced before an agent started stays.
    fn tear(&mut self) {
        let mut bytes: Vec<u8> = self
            .records
            .iter()
            .rev()
            .take(1)
            .map(encode)
            .collect::<String>()
            .into_bytes();
        let keep = usize::try_from(self.random.below(bytes.len() as u64)).unwrap();
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
        apply(&mut self.state, &record);
        self.records.push(record);
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

/// What a final message says; each of the few is read once.
fn said(text: &'static str) -> &'static Said {
    static READ: OnceLock<Mutex<BTreeMap<&'static str, &'static Said>>> = OnceLock::new();
    let mut read = READ.get_or_init(Mutex::default).lock().unwrap();
    read.entry(text)
        .or_insert_with(|| Box::leak(Box::new(Said::of_text(text, &Marker::default()))))
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
