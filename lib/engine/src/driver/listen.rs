//! What a person says and changes while the run is under way.

use super::{Driver, Role, goal};
use crate::files::{self, Content};
use crate::journal::Journal;
use crate::pinned;
use crate::state::Place;
use crate::trust::Trust;
use crate::{messages, tasklist, wish};
use overnight_base::code::Code;
use overnight_base::fault::Fault;
use overnight_run::State;
use overnight_run::options::AGENT_PROMPT;
use overnight_run::steer::{GoalChanged, TasksChanged};
use overnight_run::task::TaskSpec;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// Where a session keeps what it saw last, beside the run's journal.
const SEEN: &str = "seen.json";
/// The goal and the list, with what JSON escapes.
const SEEN_BYTES_MAX: u64 = 16 << 20;

/// Files of the person's that the run goes by. In a run that works among them an agent could have changed
/// them, too: there a change holds once a person trusts it.
#[derive(Debug)]
pub(crate) struct Watched {
    place: Place,
    seen: Seen,
    /// Is the list, as it was seen last, the one that holds? Then it is read again when it is another one.
    holds: bool,
}

/// The files as they were looked at last.
#[derive(Debug, Serialize, Deserialize)]
struct Seen {
    /// The goal's file, where the goal is from there.
    goal: Option<String>,
    /// The task list.
    list: Vec<u8>,
}

impl Watched {
    /// What is watched for a run in this place.
    pub(crate) fn of(place: &Place, state: &State) -> Self {
        let goal = state.run.as_ref().map(|run| &run.goal);
        let written = goal::read(&place.home.join(AGENT_PROMPT.default)).ok();
        let seen = Seen {
            goal: written.filter(|text| Some(text) == goal),
            list: list_bytes(place),
        };
        Self::from(place, seen)
    }

    fn from(place: &Place, seen: Seen) -> Self {
        Self {
            place: place.clone(),
            seen,
            holds: false,
        }
    }

    /// The same for a process of a session, which goes on from what the one before it saw.
    pub(crate) fn resumed(place: &Place, folder: &Path, state: &State) -> Self {
        let kept = match files::read_bounded(&folder.join(SEEN), SEEN_BYTES_MAX) {
            Ok(Content::Bytes(bytes)) => serde_json::from_slice(&bytes).ok(),
            _ => None,
        };
        kept.map_or_else(|| Self::of(place, state), |seen| Self::from(place, seen))
    }

    /// Keeps what was seen for the session's next process; mostly that is kept already.
    pub(crate) fn keep(&self, folder: &Path) -> Result<(), Fault> {
        let path = folder.join(SEEN);
        let bytes = serde_json::to_vec(&self.seen)
            .map_err(|error| Fault::new(Code::Defect, error.to_string()))?;
        match files::read_bounded(&path, SEEN_BYTES_MAX)? {
            Content::Bytes(kept) if kept == bytes => Ok(()),
            _ => files::write_atomic(&path, &bytes, files::PRIVATE),
        }
    }

    /// Takes over what was changed since, into the run's journal; gives what the person is told.
    pub(crate) fn look(&mut self, journal: &mut Journal) -> Result<Vec<String>, Fault> {
        let goal = self.look_at_goal(journal)?;
        let list = self.look_at_list(journal)?;
        Ok(goal.into_iter().chain(list).collect())
    }

    fn look_at_goal(&mut self, journal: &mut Journal) -> Result<Option<String>, Fault> {
        const FILE: &str = AGENT_PROMPT.default;
        let Some(known) = &self.seen.goal else {
            return Ok(None);
        };
        // Somebody may be writing it; the goal that is known holds.
        let Ok(text) = goal::read(&self.place.home.join(FILE)) else {
            return Ok(None);
        };
        let is_new = text != *known;
        let holds = journal.state().run.as_ref().map(|run| &run.goal) == Some(&text);
        self.seen.goal = Some(text.clone());
        if holds {
            return Ok(None);
        }
        if self.is_persons(FILE, text.as_bytes()) {
            journal.append(GoalChanged { goal: text })?;
            let said = "the goal was changed; it holds from the next iteration on";
            return Ok(Some(said.to_owned()));
        }
        Ok(is_new.then(|| refused(FILE)))
    }

    fn look_at_list(&mut self, journal: &mut Journal) -> Result<Option<String>, Fault> {
        let now = list_bytes(&self.place);
        let is_new = now != self.seen.list;
        // One that does not hold yet does once a person trusts it.
        if now.is_empty() || (!is_new && (self.holds || !self.is_among())) {
            return Ok(None);
        }
        self.seen.list.clone_from(&now);
        self.holds = false;
        let listed = pinned::read_in(&self.place, &self.place.home);
        match listed.and_then(|listed| pinned::chosen(listed, &journal.state().config)) {
            Ok(listed) if differs(&listed, &pinned_in(journal.state())) => {
                if !self.is_persons(tasklist::FILE, &now) {
                    return Ok(is_new.then(|| refused(tasklist::FILE)));
                }
                let state = journal.state();
                let known = |id: &str| state.task(id).is_some_and(|task| task.spec.done);
                let done = |spec: TaskSpec| TaskSpec {
                    done: spec.done || known(&spec.id),
                    ..spec
                };
                let tasks = listed.into_iter().map(done).collect();
                journal.append(TasksChanged { tasks })?;
                self.holds = true;
                Ok(Some(
                    "the task list was changed; it holds from here on".to_owned(),
                ))
            }
            // The statuses are ours.
            Ok(_) => {
                self.holds = true;
                Ok(None)
            }
            Err(fault) => {
                Ok(is_new.then(|| format!("the changed task list is not taken over: {fault}")))
            }
        }
    }

    /// Does the run work among the person's files?
    fn is_among(&self) -> bool {
        self.place.home == self.place.top
    }

    /// Did a person, and no agent, write this?
    fn is_persons(&self, name: &str, content: &[u8]) -> bool {
        let trusted = |trust: Trust| trust.is_trusted(name, content);
        !self.is_among() || Trust::of(&self.place).is_ok_and(trusted)
    }
}

fn refused(name: &str) -> String {
    format!(
        "{name} was changed and is not taken over: an agent could have done it here. If it was you: overnight trust {name}"
    )
}

impl Driver {
    pub(super) fn watch(&self) -> Option<Watched> {
        let alone = matches!(self.role, Role::Alone);
        alone.then(|| Watched::of(&self.place, self.journal.state()))
    }

    /// Takes what a person said or changed since.
    pub(super) fn hear(&mut self) -> Result<(), Fault> {
        let inbox = self.inbox();
        let (journal, say) = (&mut self.journal, self.say);
        messages::hear(inbox, |told| {
            say(&format!("told: {}", told.text));
            journal.append(told).map(drop)
        })?;
        if matches!(self.role, Role::Member(_)) {
            return Ok(());
        }
        wish::hear(journal, &self.folder)?;
        if let Some(watched) = &mut self.watched {
            watched.look(journal)?.iter().for_each(|line| say(line));
        }
        Ok(())
    }

    /// Is the attempt under way to end, because a person said something that cannot wait?
    pub(super) fn is_urgent(&self) -> bool {
        messages::is_urgent(self.inbox())
    }

    /// Where what a person tells waits: a member finds what its driver passed on.
    fn inbox(&self) -> Option<PathBuf> {
        let run = self.journal.state().run.as_ref()?;
        let member = match self.role {
            Role::Alone => None,
            Role::Member(_) => Some(self.folder.file_name()?.to_str()?),
        };
        messages::inbox(&self.place, &run.id, member)
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
