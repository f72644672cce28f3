//! A driver and its queue: records answers, begins batches, ends them, dies and comes back.

use super::batch::Batch;
use super::line::Work;
use super::{Mutant, World, name, number};
use overnight_run::event::{Door, DriverStarted, Event, RunStarted};
use overnight_run::journal::{Record, Stamp};
use overnight_run::members::event::{
    Answer, Assigned, Elsewhere, End, LineProved, LineSeen, Looked, MemberEnded, Merging, Refuted,
};
use overnight_run::members::{Step as Members, again_at};
use overnight_run::task::{Status, TaskSpec};
use overnight_run::{Config, Reason, State, Step, apply, fold, next};
use std::collections::{BTreeMap, BTreeSet};

/// A member at work.
struct Stint {
    task: usize,
    member: u32,
    ends: u64,
    work: Work,
}

/// What a queue is at.
enum Job {
    Batch(Batch),
    LastProof { ends: u64 },
}

pub(super) struct Driver {
    records: Vec<Record>,
    pub(super) state: State,
    /// How wrong its clock is, in milliseconds.
    ahead: u64,
    members: Vec<Stint>,
    job: Option<Job>,
    /// Answers that are not recorded yet.
    pub(super) unsaid: Vec<Event>,
    /// Commits of agents: they outlive drivers.
    pub(super) tips: BTreeMap<String, Work>,
    pub(super) reason: Option<Reason>,
}

impl Driver {
    pub(super) fn new(number: usize, world: &mut World) -> Self {
        let mut driver = Self {
            records: Vec::new(),
            state: State::default(),
            ahead: world.random.below(1_200_000),
            members: Vec::new(),
            job: None,
            unsaid: Vec::new(),
            tips: BTreeMap::new(),
            reason: None,
        };
        let started = RunStarted {
            run: format!("r{number}"),
            door: Door::Driver,
            goal: "g".into(),
            top: "/p".into(),
            head: None,
            branch: Some("auto/x".into()),
            config: None,
        };
        driver.push(world.time, started.into());
        driver.drive(world.time, world.tasks.len());
        driver
    }

    fn drive(&mut self, time: u64, tasks: usize) {
        let tasks = (0..tasks).map(|task| TaskSpec::named(&name(task), "do it"));
        let started = DriverStarted {
            epoch: 1,
            pid: 1,
            pid_start: 1,
            session: None,
            config: Config {
                members: 3,
                remote: Some("origin".into()),
                ..Config::default()
            },
            tasks: tasks.collect(),
        };
        self.push(time, started.into());
    }

    pub(super) fn now(&self, time: u64) -> u64 {
        time + self.ahead
    }

    fn push(&mut self, time: u64, event: Event) {
        let record = Record {
            seq: self.records.len() as u64 + 1,
            stamp: Stamp {
                t: self.now(time),
                mono: time - super::T0,
                boot: "b".into(),
            },
            event,
        };
        apply(&mut self.state, record.clone());
        self.records.push(record);
    }
}

impl World {
    fn push(&mut self, driver: usize, event: impl Into<Event>) {
        let time = self.time;
        self.drivers[driver].push(time, event.into());
    }

    /// Nobody renews the lease of a task at which none of its members works and that waits for no merge.
    fn expire(&mut self, at: usize) {
        let driver = &self.drivers[at];
        let queue = &driver.state.members.queue;
        let renewed = |task: usize| {
            let works = driver.members.iter().any(|stint| stint.task == task);
            works
                || queue
                    .entries
                    .iter()
                    .any(|entry| number(&entry.task) == task)
        };
        self.leases
            .retain(|task, holder| *holder != at || renewed(*task));
    }

    /// One step of a driver.
    pub(super) fn step(&mut self, at: usize) -> Result<(), String> {
        if self.happens(|world| &mut world.kills, 1) {
            self.kill(at);
            return Ok(());
        }
        if self.random.chance(1) {
            // Its clock is put right, or wrong.
            self.drivers[at].ahead = self.random.below(1_200_000);
        }
        self.expire(at);
        if let Some(event) = self.drivers[at].unsaid.pop() {
            self.push(at, event);
            return Ok(());
        }
        self.reap(at);
        self.take_in(at)?;
        if !self.drivers[at].unsaid.is_empty() {
            return Ok(());
        }
        let driver = &self.drivers[at];
        let now = driver.now(self.time);
        let step = next(&driver.state, &driver.state.config, now);
        self.carry(at, step)
    }

    fn carry(&mut self, at: usize, step: Step) -> Result<(), String> {
        match step {
            Step::Members(Members::Look) => {
                self.watch(at);
                let done = self.elsewhere(at);
                self.push(at, Looked { done });
            }
            Step::Members(Members::Assigned {
                task,
                member,
                round,
                share,
            }) => {
                let answer = self.ask(at, number(&task), member, round);
                let given = Assigned {
                    task,
                    member,
                    round,
                    share,
                    answer,
                };
                self.push(at, given);
            }
            Step::Members(Members::Merge { tasks }) => {
                self.watch(at);
                self.push(
                    at,
                    Merging {
                        tasks: tasks.clone(),
                    },
                );
                let batch = self.begin(at, tasks);
                self.drivers[at].job = Some(Job::Batch(batch));
            }
            Step::Members(Members::Prove) if self.drivers[at].job.is_none() => {
                self.watch(at);
                let ends = self.time + self.random.below(20_000);
                self.drivers[at].job = Some(Job::LastProof { ends });
            }
            Step::Members(Members::Prove | Members::Attend { .. }) => {}
            Step::Finish(reason) => {
                self.leases.retain(|_, holder| *holder != at);
                self.drivers[at].reason = Some(reason);
            }
            step => return Err(format!("no step of a queue: {step:?}")),
        }
        Ok(())
    }

    /// The driver dies with its members, and another one takes the run up.
    fn kill(&mut self, at: usize) {
        self.turn = self.turn.filter(|holder| *holder != at);
        let count = self.tasks.len();
        let driver = &mut self.drivers[at];
        driver.job = None;
        driver.unsaid.clear();
        driver.state = fold(&driver.records);
        driver.drive(self.time, count);
        for stint in std::mem::take(&mut driver.members) {
            let end = if stint.ends <= self.time {
                End::Done
            } else {
                End::Interrupted
            };
            self.end(at, stint, end);
        }
    }

    /// Gives a task to a member, if its lease can be had.
    fn ask(&mut self, at: usize, task: usize, member: u32, round: u32) -> Answer {
        let now = self.drivers[at].now(self.time);
        let holder = self
            .leases
            .get(&task)
            .copied()
            .filter(|holder| *holder != at);
        if let Some(holder) = holder.filter(|_| !self.random.chance(2)) {
            return Answer::Held {
                by: format!("r{holder}"),
                until: again_at(0, now),
            };
        }
        self.leases.insert(task, at);
        let done = self.elsewhere(at);
        if done.iter().any(|elsewhere| elsewhere.task == name(task)) {
            self.leases.remove(&task);
            return Answer::Done { tasks: done };
        }
        let base = self.line.tip();
        let stint = Stint {
            task,
            member,
            ends: self.time + self.random.below(30_000),
            work: self.work(task, round, base),
        };
        self.token += 1;
        self.drivers[at].members.push(stint);
        Answer::Granted {
            token: self.token,
            branch: format!("auto/{task}"),
            work_tree: "/w".into(),
            base: self.line.id(base),
        }
    }

    fn reap(&mut self, at: usize) {
        let time = self.time;
        let members = std::mem::take(&mut self.drivers[at].members);
        let (ended, left): (Vec<_>, Vec<_>) =
            members.into_iter().partition(|stint| stint.ends <= time);
        self.drivers[at].members = left;
        for stint in ended {
            let end = if self.leases.get(&stint.task) == Some(&at) {
                End::Done
            } else {
                End::LeaseLost {
                    kept: String::new(),
                }
            };
            self.end(at, stint, end);
        }
    }

    fn end(&mut self, at: usize, stint: Stint, end: End) {
        let tip = format!("w{}-{}", self.drivers[at].records.len(), stint.task);
        let ended = MemberEnded {
            task: name(stint.task),
            member: stint.member,
            end,
            spent: overnight_run::budget::Amount::default(),
            iterations: 1,
            said: String::new(),
            verdict: None,
            tip: Some(tip.clone()),
            changed: Some(vec![stint.work.path.to_owned()]),
        };
        self.drivers[at].tips.insert(tip, stint.work);
        self.push(at, ended);
    }

    /// The tasks that the line holds and the driver does not know of.
    fn elsewhere(&self, at: usize) -> Vec<Elsewhere> {
        if self.mutant == Mutant::BelieveJournal {
            return Vec::new();
        }
        let state = &self.drivers[at].state;
        let open = (0..self.tasks.len()).filter(|task| {
            let known = state.task(&name(*task)).unwrap();
            known.status != Status::Done
        });
        let found = open.filter_map(|task| {
            let commit = self.line.brought(task)?;
            let task = name(task);
            (!state.members.queue.refuted.contains(&commit)).then_some(Elsewhere {
                task,
                commit,
                ..Elsewhere::default()
            })
        });
        found.collect()
    }

    /// Looks where the line stands; what a person undid is open again.
    fn watch(&mut self, at: usize) {
        let tip = self.line.tip();
        let (commit, state) = (self.line.id(tip), &self.drivers[at].state);
        if state.members.queue.line.as_ref() == Some(&commit) {
            return;
        }
        let marks = self.line.marks(tip);
        let merged = state.members.merged.iter();
        let gone = merged.filter(|merged| !marks.contains(&number(&merged.task)));
        let refuted = gone.map(|merged| Refuted {
            task: merged.task.clone(),
            why: "gone".into(),
        });
        let refuted = refuted.collect();
        self.push(at, LineSeen { commit, refuted });
    }

    /// What has come of the job, if it has ended.
    fn take_in(&mut self, at: usize) -> Result<(), String> {
        let time = self.time;
        match self.drivers[at].job.take() {
            Some(Job::Batch(batch)) if batch.ends <= time => self.finish(at, batch),
            Some(Job::LastProof { ends }) if ends <= time => self.prove(at),
            job => {
                self.drivers[at].job = job;
                Ok(())
            }
        }
    }

    /// Every gate of what is done, once more on the line.
    fn prove(&mut self, at: usize) -> Result<(), String> {
        let tip = self.line.tip();
        let merged = self.drivers[at].state.members.merged.iter();
        let done: Vec<usize> = merged.map(|merged| number(&merged.task)).collect();
        let marks = self.line.marks(tip);
        let tree = self.line.tree(tip).clone();
        let mut red = self.red(&tree, &done);
        red.extend(done.iter().filter(|task| !marks.contains(task)));
        if self.mutant == Mutant::SkipLastProof {
            red.clear();
        }
        if red.is_empty() && done.iter().any(|task| !tree.holds(*task)) {
            return Err("proved, though a gate fails on the line".to_owned());
        }
        let unique: BTreeSet<usize> = red.into_iter().collect();
        let refuted = unique.into_iter().map(|task| Refuted {
            task: name(task),
            why: "its gate fails".into(),
        });
        let proved = LineProved {
            commit: self.line.id(tip),
            refuted: refuted.collect(),
            red: None,
        };
        self.push(at, proved);
        Ok(())
    }
}
