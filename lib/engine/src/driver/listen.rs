//! What a person says and changes while the run is under way.

use super::{Driver, Role, goal};
use crate::files::{self, Content};
use crate::journal::Journal;
use crate::pinned;
use crate::state::Place;
use crate::{tasklist, told, wish};
use overnight_base::fault::Fault;
use overnight_run::State;
use overnight_run::options::AGENT_PROMPT;
use overnight_run::steer::{GoalChanged, TasksChanged};
use overnight_run::task::TaskSpec;
use std::path::PathBuf;

/// Files of the person's that the run goes by: their own, in a run that does not work among them. What
/// an agent could have changed is not taken over.
#[derive(Debug)]
pub(crate) struct Watched {
    place: Place,
    /// The goal's file, where the goal is from there, and what it holds.
    goal: Option<(PathBuf, String)>,
    /// The bytes of the task list as they were looked at last.
    list: Vec<u8>,
}

impl Watched {
    /// What is watched for a run in this place; nothing where it works among the person's files.
    pub(crate) fn of(place: &Place, state: &State) -> Option<Self> {
        if place.home == place.top {
            return None;
        }
        let path = place.home.join(AGENT_PROMPT.default);
        let goal = state.run.as_ref().map(|run| &run.goal);
        let written = goal::read(&path).ok().filter(|text| Some(text) == goal);
        Some(Self {
            goal: written.map(|text| (path, text)),
            list: list_bytes(place),
            place: place.clone(),
        })
    }

    /// Takes over what was changed since, into the run's journal.
    pub(crate) fn look(&mut self, journal: &mut Journal, say: fn(&str)) -> Result<(), Fault> {
        self.look_at_goal(journal, say)?;
        self.look_at_list(journal, say)
    }

    fn look_at_goal(&mut self, journal: &mut Journal, say: fn(&str)) -> Result<(), Fault> {
        let Some((path, known)) = &mut self.goal else {
            return Ok(());
        };
        match goal::read(path) {
            Ok(text) if text == *known => {}
            Ok(text) => {
                known.clone_from(&text);
                say("the goal was changed; it holds from the next iteration on");
                journal.append(GoalChanged { goal: text })?;
            }
            // Somebody may be writing it; the goal that is known holds.
            Err(_) => {}
        }
        Ok(())
    }

    fn look_at_list(&mut self, journal: &mut Journal, say: fn(&str)) -> Result<(), Fault> {
        let now = list_bytes(&self.place);
        if now == self.list || now.is_empty() {
            return Ok(());
        }
        self.list = now;
        let listed = pinned::read_in(&self.place, &self.place.home);
        match listed.and_then(|listed| pinned::chosen(listed, &journal.state().config)) {
            Ok(listed) if differs(&listed, &pinned_in(journal.state())) => {
                say("the task list was changed; it holds from here on");
                let state = journal.state();
                let known = |id: &str| state.task(id).is_some_and(|task| task.spec.done);
                let done = |spec: TaskSpec| TaskSpec {
                    done: spec.done || known(&spec.id),
                    ..spec
                };
                let tasks = listed.into_iter().map(done).collect();
                journal.append(TasksChanged { tasks })?;
            }
            // The statuses are ours.
            Ok(_) => {}
            Err(fault) => say(&format!("the changed task list is not taken over: {fault}")),
        }
        Ok(())
    }
}

impl Driver {
    pub(super) fn watch(&self) -> Option<Watched> {
        let alone = matches!(self.role, Role::Alone);
        alone
            .then(|| Watched::of(&self.place, self.journal.state()))
            .flatten()
    }

    /// Takes what a person said or changed since.
    pub(super) fn hear(&mut self) -> Result<(), Fault> {
        let inbox = self.inbox();
        let (journal, say) = (&mut self.journal, self.say);
        told::hear(inbox, |told| {
            say(&format!("told: {}", told.text));
            journal.append(told).map(drop)
        })?;
        if matches!(self.role, Role::Member(_)) {
            return Ok(());
        }
        wish::hear(journal, &self.folder)?;
        match &mut self.watched {
            Some(watched) => watched.look(journal, say),
            None => Ok(()),
        }
    }

    /// Is the attempt under way to end, because a person said something that cannot wait?
    pub(super) fn is_urgent(&self) -> bool {
        told::is_urgent(self.inbox())
    }

    /// Where what a person tells waits: a member finds what its driver passed on.
    fn inbox(&self) -> Option<PathBuf> {
        let run = self.journal.state().run.as_ref()?;
        let member = match self.role {
            Role::Alone => None,
            Role::Member(_) => Some(self.folder.file_name()?.to_str()?),
        };
        told::inbox(&self.place, &run.id, member)
    }
}

fn pinned_in(state: &State) -> Vec<TaskSpec> {
    state.tasks.iter().map(|task| task.spec.clone()).collect()
}

fn list_bytes(place: &Place) -> Vec<u8> {
    match files::read_bounded(
        &place.home.join(tasklist::FILE),
        overnight_tasks::LIST_BYTES_MAX,
    ) {
        Ok(Content::Bytes(bytes)) => bytes,
        _ => Vec::new(),
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
