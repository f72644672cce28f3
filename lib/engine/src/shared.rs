//! A task list that several runs of one repository share: two sessions, a session and a driver.
//! Each task is taken by lease before a run works on it, in the repository's own refs: no remote is
//! asked, and nothing is pushed. Where git holds the list, each work tree has its own copy of it; what was
//! done meanwhile is then known from the other runs' journals. (Members, who share a list over a remote, have leases there.)

mod beside;
mod keep;

use crate::leases::{Acquired, Leases, Options};
use crate::state::Place;
use crate::tasklist::{self, ListFile};
use crate::{clock, owner};
use overnight_base::fault::Fault;
use overnight_lease::backoff::{self, Asked};
use overnight_run::State;
use overnight_run::leased::{Answer, Taken};
use overnight_run::members::NO_REMOTE;
use overnight_tasks::{Status, TaskId};

/// Time to live, in seconds, of a lease that lives with a process of this machine: its end is
/// noticed at once, and until then nobody else is to go on with what it does.
const WITH_PROCESS_TTL_S: u64 = 24 * 3_600;

/// The leases of one run on the tasks of a shared list.
#[derive(Debug)]
pub(crate) struct Share {
    leases: Leases,
    list: ListFile,
    place: Place,
    run: String,
    ttl_s: u64,
}

/// Does a run that works here share its tasks with others? They come from a list in a repository.
pub(crate) fn is_shared(place: &Place) -> bool {
    place.git_common.is_some() && place.list_folder().join(tasklist::FILE).exists()
}

impl Share {
    /// The leases of a run. They live with the process `pid`, where that is known.
    pub(crate) fn of(place: &Place, state: &State, pid: Option<u32>) -> Result<Self, Fault> {
        let run = state.run.as_ref().map(|run| run.id.clone());
        let run = run.unwrap_or_default();
        let pid = pid.filter(|pid| owner::describe(*pid).is_some());
        let options = Options {
            agent: Some(format!("overnight-{run}")),
            remote: Some(NO_REMOTE.to_owned()),
            pid,
        };
        let set = state.config.lease_ttl_s;
        Ok(Self {
            leases: Leases::open(&place.top, &options)?,
            list: ListFile::of(place, None),
            place: place.clone(),
            run,
            ttl_s: pid.map_or(set, |_| set.max(WITH_PROCESS_TTL_S)),
        })
    }

    /// Asks for a task. Whatever goes wrong is an answer: somebody else may have it.
    pub(crate) fn take(&self, state: &State, task: &str) -> Taken {
        let answer = self
            .ask(state, task)
            .unwrap_or_else(|fault| Err(fault.reason));
        Taken {
            task: task.to_owned(),
            answer: answer.unwrap_or_else(|by| Answer::Held {
                by,
                until: self.again_at(state, task),
            }),
        }
    }

    /// The inner error is who has it.
    fn ask(&self, state: &State, task: &str) -> Result<Result<Answer, String>, Fault> {
        let id = task_id(task)?;
        let token = match self.leases.acquire(&id, self.ttl_s)? {
            Acquired::Granted(grant) => grant.record.token,
            Acquired::Held(holder) => return Ok(Err(holder.agent)),
        };
        // Whoever had it before has written into the list what came of it.
        let answer = match self.leases.held_beside(&id) {
            Ok(None) if self.is_done(&id) || beside::has_done(&self.place, state, task) => {
                Ok(Ok(Answer::Done))
            }
            Ok(None) => return Ok(Ok(Answer::Granted { token })),
            Ok(Some(holder)) => Ok(Err(holder.agent)),
            Err(fault) => Err(fault),
        };
        self.leases.release(&id, token)?;
        answer
    }

    fn is_done(&self, id: &TaskId) -> bool {
        self.list.read().is_ok_and(|list| {
            let task = list.tasks.iter().find(|task| task.id == *id);
            task.is_some_and(|task| task.status == Status::Done)
        })
    }

    fn again_at(&self, state: &State, task: &str) -> u64 {
        let asked = Asked {
            times: state.leased.times(task),
            held: state.leased.count_elsewhere(),
            ttl_s: self.ttl_s,
        };
        let seed = format!("{} {task}", self.run);
        backoff::again_at(asked, &seed, clock::wall_ms())
    }
}

fn task_id(task: &str) -> Result<TaskId, Fault> {
    use overnight_base::code::Code;
    TaskId::parse(task).map_err(|reason| Fault::new(Code::InputInvalid, reason))
}
