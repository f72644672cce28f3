//! The queue of what happens, the network, and the remote that compares and swaps.

use super::{
    Agent, Answer, Doing, Due, Event, Figures, HORIZON, MINUTE, Machine, Mutant, Oid, Request,
    Size, T0, TIMEOUT, World, bits, is_set, set,
};
use crate::random::Random;
use overnight_lease::judge::is_live;
use overnight_lease::record::Phase;
use overnight_lease::{Me, Now, Owner, Record, Standing};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};
use std::rc::Rc;

impl World {
    pub(crate) fn new(seed: u64, size: Size, mutant: Mutant) -> Self {
        let mut random = Random::new(seed);
        let machines = size.agents.div_ceil(size.per_machine);
        let machines = (0..machines)
            .map(|_| Machine {
                boot: 1,
                offset: i64::try_from(random.below(1_200_001)).unwrap() - 600_000,
                booted: -i64::try_from(random.below(90 * 24 * 60 * MINUTE)).unwrap(),
                drift: i64::try_from(random.below(401)).unwrap() - 200,
                cut_until: 0,
            })
            .collect();
        let mut world = Self {
            agents: (0..size.agents).map(|at| Agent::new(at, size)).collect(),
            done: bits(size.tasks),
            left: size.tasks,
            size,
            mutant,
            machines,
            random,
            now: 0,
            queue: BinaryHeap::new(),
            sequence: 0,
            refs: BTreeMap::new(),
            orphaned: BTreeMap::new(),
            second: (0, 0),
            figures: Figures::default(),
        };
        for agent in 0..size.agents {
            world.name(agent);
            let wait = world.random.below(MINUTE);
            world.later(agent, wait, Event::Act);
        }
        world
    }

    /// Runs to the last task; what was broken, if anything.
    pub(crate) fn run(mut self) -> Result<Figures, String> {
        while self.left > 0 {
            let Some(Reverse(due)) = self.queue.pop() else {
                return Err("nothing happens any more".to_owned());
            };
            let (at, agent, life, event) = (due.at, due.agent, due.life, due.event);
            if at > HORIZON {
                return Err(format!("stuck: {} tasks are left", self.left));
            }
            self.now = at;
            let lives = self.agents[agent].life == life;
            match event {
                // What is on its way reaches the remote whether its sender lives or not.
                Event::Arrive(request) => self.arrive(agent, request, lives)?,
                Event::Reply(answer) if lives => self.reply(agent, answer),
                Event::Act if lives => self.act(agent),
                Event::Die if lives => self.die(agent),
                Event::Rise if lives => {
                    self.agents[agent].alive = true;
                    self.act(agent);
                }
                _ => {}
            }
        }
        self.figures.minutes = self.now / MINUTE;
        Ok(self.figures)
    }

    pub(super) fn later(&mut self, agent: usize, wait: u64, event: Event) {
        self.sequence += 1;
        let life = self.agents[agent].life;
        self.queue.push(Reverse(Due {
            at: self.now + wait,
            sequence: self.sequence,
            agent,
            life,
            event,
        }));
    }

    pub(super) fn send(&mut self, agent: usize, request: Request) {
        let machine = self.agents[agent].machine;
        if self.machines[machine].cut_until <= self.now && self.random.below(4_000) == 0 {
            // The machine is cut off for up to an hour.
            self.machines[machine].cut_until = self.now + self.random.below(60 * MINUTE);
        }
        let cut = self.machines[machine].cut_until > self.now;
        if cut || self.random.below(200) == 0 {
            self.figures.lost += 1;
            return self.later(agent, TIMEOUT, Event::Reply(Answer::Silence));
        }
        let wait = 20 + self.random.below(180);
        self.later(agent, wait, Event::Arrive(request));
    }

    pub(super) fn arrive(
        &mut self,
        agent: usize,
        request: Request,
        lives: bool,
    ) -> Result<(), String> {
        let second = self.now / 1_000;
        self.second = match self.second {
            (same, count) if same == second => (same, count + 1),
            _ => (second, 1),
        };
        self.figures.busiest = self.figures.busiest.max(self.second.1);
        let answer = match request {
            Request::Push {
                task,
                expected,
                oid,
                record,
                done,
            } => {
                self.figures.pushes += 1;
                self.push(agent, (task, expected, oid), record, done)?
            }
            Request::Read { task, known } => {
                self.figures.reads += 1;
                let stands = self.refs.get(&task).map(|(oid, _)| *oid);
                if known.is_some() && stands == known {
                    Answer::Unmoved
                } else {
                    Answer::Standing(self.standing(task))
                }
            }
            Request::Line => {
                self.figures.reads += 1;
                Answer::Line
            }
        };
        // Git times out on its side of a lost answer; a push that is dead by then was made all the same.
        let lost = self.random.below(200) == 0;
        self.figures.lost += u64::from(lost);
        let (wait, answer) = if lost {
            (TIMEOUT, Answer::Silence)
        } else {
            (20 + self.random.below(180), answer)
        };
        if lives {
            self.later(agent, wait, Event::Reply(answer));
        }
        Ok(())
    }

    pub(super) fn standing(&self, task: usize) -> Standing {
        self.refs
            .get(&task)
            .map_or(Standing::Absent, |(oid, record)| {
                let (oid, record) = (oid.to_string(), record.clone());
                Standing::Record { oid, record }
            })
    }

    pub(super) fn push(
        &mut self,
        agent: usize,
        (task, expected, oid): (usize, Option<Oid>, Oid),
        record: Box<Record>,
        done: bool,
    ) -> Result<Answer, String> {
        let before = self.refs.get(&task);
        let stands = before.map(|(oid, _)| *oid);
        if stands == Some(oid) {
            return Ok(Answer::Moved);
        }
        if stands != expected {
            if done && self.mutant == Mutant::Unfenced {
                self.finish(task)?;
                return Ok(Answer::Moved);
            }
            self.figures.stale_refused += u64::from(done);
            return Ok(Answer::Stale);
        }
        let old = before.map_or(0, |(_, record)| record.token);
        let changes_hands = before.is_none_or(|(_, old)| {
            let same = old.token == record.token && old.instance == record.instance;
            old.state == Phase::Free || !same
        });
        if changes_hands && record.state == Phase::Held {
            if record.token <= old {
                return Err(format!("the token of task {task} does not grow"));
            }
            self.nobody_else_holds(agent, task)?;
        }
        if done {
            self.finish(task)?;
        }
        self.refs.insert(task, (oid, record));
        Ok(Answer::Moved)
    }

    fn finish(&mut self, task: usize) -> Result<(), String> {
        if is_set(&self.done, task) {
            return Err(format!("task {task} is done twice"));
        }
        set(&mut self.done, task);
        self.left -= 1;
        Ok(())
    }

    /// Whoever believes to hold the task knows by its own clock that it does not any more.
    pub(super) fn nobody_else_holds(&self, agent: usize, task: usize) -> Result<(), String> {
        for (other, state) in self.agents.iter().enumerate() {
            let Some(record) = &state.holds else { continue };
            let believes = other != agent
                && state.task == task
                && state.alive
                && is_live(record, &self.me(other), self.clock(state.machine));
            if believes {
                return Err(format!("task {task} has two holders: {other} and {agent}"));
            }
        }
        Ok(())
    }

    pub(super) fn clock(&self, machine: usize) -> Now {
        let machine = &self.machines[machine];
        let wall = i64::try_from(T0 + self.now).unwrap() + machine.offset;
        let since = i64::try_from(self.now).unwrap() - machine.booted;
        let mono = since + since * machine.drift / 1_000_000;
        Now {
            wall_ms: u64::try_from(wall).unwrap(),
            mono_ms: u64::try_from(mono).unwrap(),
        }
    }

    pub(super) fn me(&self, agent: usize) -> Rc<Me> {
        self.agents[agent].me.clone()
    }

    /// Who an agent is from now on: in this life, on its machine's present boot.
    pub(super) fn name(&mut self, agent: usize) {
        let (machine, life) = (self.agents[agent].machine, self.agents[agent].life);
        self.agents[agent].me = Rc::new(Me {
            agent: format!("a{agent}"),
            instance: format!("i{agent}"),
            host: format!("h{machine}"),
            boot: format!("b{machine}-{}", self.machines[machine].boot),
            owner: Some(Owner {
                pid: u32::try_from(agent).unwrap() + 2,
                start: life.to_string(),
                space: format!("h{machine}"),
            }),
        });
    }

    /// The process ends without a word; one time in ten its machine starts anew, with all on it.
    pub(super) fn die(&mut self, agent: usize) {
        let machine = self.agents[agent].machine;
        let reboots = self.random.chance(10);
        if reboots {
            let now = i64::try_from(self.now).unwrap();
            self.machines[machine].boot += 1;
            self.machines[machine].booted = now;
        }
        for other in 0..self.size.agents {
            let shares = self.agents[other].machine == machine;
            let dies = other == agent || (reboots && shares);
            if reboots && shares {
                self.name(other);
            }
            if !dies || !self.agents[other].alive {
                continue;
            }
            self.figures.deaths += 1;
            let now = self.now;
            let state = &mut self.agents[other];
            if state.holds.take().is_some() && !is_set(&self.done, state.task) {
                self.orphaned.entry(state.task).or_insert(now);
            }
            (state.alive, state.phase) = (false, Doing::Idle);
            (state.reckless, state.finished) = (false, false);
            state.life += 1;
            self.name(other);
            let wait = self.random.below(10 * MINUTE);
            self.later(other, wait, Event::Rise);
        }
    }
}
