//! What a person says and changes while the run is under way.

use super::{Driver, Role, goal};
use crate::files::{self, Content};
use crate::pinned;
use crate::{tasklist, told, wish};
use overnight_base::fault::Fault;
use overnight_run::options::AGENT_PROMPT;
use overnight_run::steer::{GoalChanged, TasksChanged};
use overnight_run::task::TaskSpec;
use std::path::PathBuf;

/// Files of the person's that the run goes by.
#[derive(Debug)]
pub(super) struct Watched {
    /// The goal's file, where the goal is from there, and what it holds.
    goal: Option<(PathBuf, String)>,
    /// The bytes of the task list as they were looked at last.
    list: Vec<u8>,
}

impl Driver {
    /// What is watched: the person's own files, in a run that does not work among them. What an agent
    /// could have changed is not taken over.
    pub(super) fn watch(&self) -> Option<Watched> {
        let apart = self.place.home != self.place.top && matches!(self.role, Role::Alone);
        apart.then(|| {
            let path = self.place.home.join(AGENT_PROMPT.default);
            let goal = self
                .journal
                .state()
                .run
                .as_ref()
                .map(|run| run.goal.clone());
            let written = goal::read(&path)
                .ok()
                .filter(|text| Some(text) == goal.as_ref());
            Watched {
                goal: written.map(|text| (path, text)),
                list: self.list_bytes(),
            }
        })
    }

    /// Takes what a person said or changed since.
    pub(super) fn hear(&mut self) -> Result<(), Fault> {
        let Some(run) = self.journal.state().run.as_ref().map(|run| run.id.clone()) else {
            return Ok(());
        };
        let (journal, say) = (&mut self.journal, self.say);
        told::hear(&self.place, &run, |told| {
            say(&format!("told: {}", told.text));
            journal.append(told).map(drop)
        })?;
        wish::hear(journal, &self.folder)?;
        if let Some(mut watched) = self.watched.take() {
            let heard = self
                .look_at_goal(&mut watched)
                .and_then(|()| self.look_at_list(&mut watched));
            self.watched = Some(watched);
            heard?;
        }
        Ok(())
    }

    /// Is the attempt under way to end, because a person said something that cannot wait?
    pub(super) fn is_urgent(&self) -> bool {
        let run = self.journal.state().run.as_ref();
        matches!(self.role, Role::Alone)
            && run.is_some_and(|run| told::is_urgent(&self.place, &run.id))
    }

    fn look_at_goal(&mut self, watched: &mut Watched) -> Result<(), Fault> {
        let Some((path, known)) = &mut watched.goal else {
            return Ok(());
        };
        match goal::read(path) {
            Ok(text) if text == *known => {}
            Ok(text) => {
                known.clone_from(&text);
                (self.say)("the goal was changed; it holds from the next iteration on");
                self.journal.append(GoalChanged { goal: text })?;
            }
            // Somebody may be writing it; the goal that is known holds.
            Err(_) => {}
        }
        Ok(())
    }

    fn look_at_list(&mut self, watched: &mut Watched) -> Result<(), Fault> {
        let now = self.list_bytes();
        if now == watched.list || now.is_empty() {
            return Ok(());
        }
        watched.list = now;
        match pinned::read_in(&self.place, &self.place.home) {
            Ok(listed) if differs(&listed, &self.pinned()) => {
                (self.say)("the task list was changed; it holds from here on");
                let known = |id: &str| {
                    self.journal
                        .state()
                        .task(id)
                        .is_some_and(|task| task.spec.done)
                };
                let done = |spec: TaskSpec| TaskSpec {
                    done: spec.done || known(&spec.id),
                    ..spec
                };
                let tasks = listed.into_iter().map(done).collect();
                self.journal.append(TasksChanged { tasks })?;
            }
            // The statuses are ours.
            Ok(_) => {}
            Err(fault) => (self.say)(&format!("the changed task list is not taken over: {fault}")),
        }
        Ok(())
    }

    fn pinned(&self) -> Vec<TaskSpec> {
        let state = self.journal.state();
        state.tasks.iter().map(|task| task.spec.clone()).collect()
    }

    fn list_bytes(&self) -> Vec<u8> {
        let path = self.place.home.join(tasklist::FILE);
        match files::read_bounded(&path, overnight_tasks::LIST_BYTES_MAX) {
            Ok(Content::Bytes(bytes)) => bytes,
            _ => Vec::new(),
        }
    }
}

/// Do the lists differ in more than what is done or given up?
fn differs(one: &[TaskSpec], other: &[TaskSpec]) -> bool {
    let plain = |specs: &[TaskSpec]| -> Vec<TaskSpec> {
        let plain = specs.iter().cloned().map(|spec| TaskSpec {
            done: false,
            ended: false,
            ..spec
        });
        plain.collect()
    };
    plain(one) != plain(other)
}
