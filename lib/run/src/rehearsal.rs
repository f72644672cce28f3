//! A run in tests: records as a driver writes them, and what the machine says comes next.

use super::event::{Door, DriverStarted, Event, RunStarted};
use super::task::TaskSpec;
use super::{Config, State, Step, fold, next};
use crate::journal::{Record, Stamp};

/// When it begins, in Unix milliseconds.
pub(super) const T0: u64 = 1_795_000_000_000;

/// A task with these dependencies.
pub(super) fn spec(id: &str, needs: &[&str]) -> TaskSpec {
    TaskSpec {
        depends_on: needs.iter().map(|id| (*id).to_owned()).collect(),
        ..TaskSpec::named(id, "do it")
    }
}

/// A world around the pure machine: answers its steps as a test wants.
pub(super) struct World {
    pub(super) records: Vec<Record>,
    pub(super) now: u64,
}

impl World {
    /// A run that a driver has just begun.
    pub(super) fn new(door: Door, config: Config, tasks: Vec<TaskSpec>) -> Self {
        let mut world = Self {
            records: Vec::new(),
            now: T0,
        };
        world.push(RunStarted {
            run: "r".into(),
            door,
            goal: "g".into(),
            top: "/p".into(),
            head: None,
            branch: Some("auto/x".into()),
            config: None,
        });
        world.drive(config, tasks);
        world
    }

    /// A driver begins, the first or another one.
    pub(super) fn drive(&mut self, config: Config, tasks: Vec<TaskSpec>) {
        self.push(DriverStarted {
            epoch: 1,
            pid: 1,
            pid_start: 1,
            session: None,
            config,
            tasks,
        });
    }

    pub(super) fn push(&mut self, event: impl Into<Event>) {
        self.records.push(Record {
            seq: self.records.len() as u64 + 1,
            stamp: Stamp {
                t: self.now,
                mono: self.now - T0,
                boot: "b".into(),
            },
            event: event.into(),
        });
    }

    pub(super) fn state(&self) -> State {
        fold(&self.records)
    }

    pub(super) fn next(&self) -> Step {
        let state = self.state();
        next(&state, &state.config, self.now)
    }
}
