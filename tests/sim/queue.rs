//! The merge queue in a seeded world: drivers that share one line, agents that lie and break each other's
//! work, gates that flicker, disks that are full, a person who resets the line or breaks it, leases that are
//! lost, clocks that are wrong, kills between any two steps. Who is tried next and what an answer means is
//! decided by `run`; the repository, the leases and the gates are the world's, so that it knows the truth.

mod batch;
mod driver;
mod line;

use crate::random::Random;
use driver::Driver;
use line::{Line, Work};
use overnight_run::task::Status;
use std::collections::{BTreeMap, BTreeSet};

/// Steps after which a world that has not ended never will.
const STEPS_MAX: u32 = 60_000;
const T0: u64 = 1_795_186_800_000;

/// A rule that is broken on purpose.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mutant {
    None,
    /// Claims land without their own gates.
    BelieveClaims,
    /// The gates of what landed before are not run.
    ForgetLanded,
    /// The first of a red batch is blamed.
    BlameFirst,
    /// A gate that is red on the line already is held against the newcomer.
    BlameNewcomer,
    /// A red gate is not run once more.
    BelieveFlickers,
    /// The line is moved wherever it stands.
    ForgetSwap,
    /// That the line moved counts as a conflict.
    CountMoves,
    /// Who is put right reserves no paths.
    ReserveNothing,
    /// What a dead driver landed is not looked for on the line.
    BelieveJournal,
    /// Faults of the world do not count.
    RetryForever,
    /// The gates are not run once more at the end.
    SkipLastProof,
}

/// What a task is like, and what its agents do.
#[derive(Debug, Clone)]
struct Task {
    path: &'static str,
    /// Its agents do what is asked for and break nothing.
    honest: bool,
    /// Whose gate its work breaks, unless that one's work knows of it.
    breaks: Option<usize>,
}

pub(crate) struct World {
    random: Random,
    mutant: Mutant,
    time: u64,
    tasks: Vec<Task>,
    line: Line,
    /// By task, which driver has its lease.
    leases: BTreeMap<usize, usize>,
    /// The driver whose queue has its turn.
    turn: Option<usize>,
    drivers: Vec<Driver>,
    /// How much may still go wrong: every world ends.
    kills: u32,
    flickers: u32,
    faults: u32,
    acts: u32,
    /// A disk that stays full.
    full: bool,
    token: u64,
    /// Tasks that a person's act may have opened again.
    touched: BTreeSet<usize>,
}

impl World {
    pub(crate) fn new(seed: u64, mutant: Mutant) -> Self {
        let mut random = Random::new(seed);
        let count = 2 + usize::try_from(random.below(7)).unwrap();
        let tasks = (0..count).map(|_| {
            let honest = random.chance(60);
            let other = usize::try_from(random.below(count as u64)).unwrap();
            Task {
                path: ["x", "y", "z"][usize::try_from(random.below(3)).unwrap()],
                honest,
                breaks: (!honest && random.chance(60)).then_some(other),
            }
        });
        let tasks: Vec<Task> = tasks.collect();
        let queues = if random.chance(50) { 2 } else { 1 };
        let mut world = Self {
            mutant,
            time: T0,
            line: Line::new(),
            leases: BTreeMap::new(),
            turn: None,
            drivers: Vec::new(),
            kills: u32::try_from(random.below(4)).unwrap(),
            flickers: u32::try_from(random.below(4)).unwrap(),
            faults: u32::try_from(random.below(4)).unwrap(),
            acts: if queues == 1 {
                u32::try_from(random.below(3)).unwrap()
            } else {
                0
            },
            full: random.chance(4),
            token: 0,
            touched: BTreeSet::new(),
            tasks,
            random,
        };
        for number in 0..queues {
            let driver = Driver::new(number, &mut world);
            world.drivers.push(driver);
        }
        world
    }

    /// Plays until every driver has ended; gives how many tasks landed, or the invariant that broke.
    pub(crate) fn run(mut self) -> Result<usize, String> {
        for _ in 0..STEPS_MAX {
            let open: Vec<usize> = (0..self.drivers.len())
                .filter(|number| self.drivers[*number].reason.is_none())
                .collect();
            if open.is_empty() {
                return self.ended();
            }
            self.time += self.random.below(4_000);
            let chosen = usize::try_from(self.random.below(open.len() as u64)).unwrap();
            self.act_of_person();
            self.step(open[chosen])?;
        }
        Err("somebody waits for ever".to_owned())
    }

    /// A person resets the line by its last commit, or commits what breaks a task's gate.
    fn act_of_person(&mut self) {
        if self.acts == 0 || !self.random.chance(1) {
            return;
        }
        self.acts -= 1;
        if self.random.chance(50) {
            self.touched.extend(self.line.reset());
        } else if let Some(task) = self.line.break_one(&mut self.random) {
            self.touched.insert(task);
        }
    }

    /// Does it happen? Each kind of trouble has its share of a world.
    fn happens(&mut self, trouble: fn(&mut Self) -> &mut u32, per_cent: u64) -> bool {
        let chance = self.random.chance(per_cent);
        let left = trouble(self);
        if chance && *left > 0 {
            *left -= 1;
            return true;
        }
        false
    }

    /// The work of an agent that was given a task where the line stood at `base`.
    fn work(&mut self, task: usize, round: u32, base: usize) -> Work {
        let about = self.tasks[task].clone();
        let wrong = !about.honest && self.random.chance(30);
        // An agent that is told what it breaks mostly mends it.
        let mends = round > 0 && self.random.chance(60);
        Work {
            task,
            path: about.path,
            knows: self.line.known_at(base),
            wrong,
            breaks: about.breaks.filter(|_| !mends),
        }
    }

    /// What must hold of a commit that a queue has just put on the line.
    fn check_landed(&self, base: usize) -> Result<(), String> {
        let tip = self.line.tip();
        let before = self.line.marks(base);
        let called = self.line.marks(tip).into_iter();
        let good_before = |task: usize| !before.contains(&task) || self.line.holds(base, task);
        let broken: Vec<usize> = called
            .filter(|task| !self.line.holds(tip, *task) && good_before(*task))
            .collect();
        if broken.is_empty() {
            Ok(())
        } else {
            Err(format!(
                "the line calls {broken:?} done and their gates fail there"
            ))
        }
    }

    fn ended(&self) -> Result<usize, String> {
        let landed = self.line.marks(self.line.tip());
        for driver in &self.drivers {
            let chances = &driver.state.members.queue.chances;
            for (task, about) in self.tasks.iter().enumerate() {
                let known = driver.state.task(&name(task)).unwrap();
                let told = chances.get(&name(task)).copied().unwrap_or_default();
                if known.status == Status::Done
                    && self.touched.is_empty()
                    && !landed.contains(&task)
                {
                    return Err(format!("the work of {task} is lost"));
                }
                if !about.honest {
                    continue;
                }
                if known.status == Status::Blocked && !self.full {
                    let why = &known.blocked.as_ref().unwrap().reason;
                    return Err(format!("the honest {task} is blocked: {why}"));
                }
                if told.reopened > 0 && !self.touched.contains(&task) {
                    return Err(format!("{task} was opened again though it held"));
                }
                // A work that breaks others' may be there first.
                let stands_alone = self.tasks.iter().all(|other| other.breaks != Some(task));
                if told.red > 0 && stands_alone && self.touched.is_empty() {
                    return Err(format!("the honest {task} was blamed"));
                }
                if self.drivers.len() == 1 && told.conflict > 1 && self.touched.is_empty() {
                    return Err(format!("{task} was put right {} times", told.conflict));
                }
            }
        }
        self.line.brought_once()?;
        Ok(landed.len())
    }
}

fn name(task: usize) -> String {
    format!("t{task}")
}

fn number(name: &str) -> usize {
    name[1..].parse().unwrap()
}

fn gate(task: usize) -> String {
    format!("gate {task}")
}
