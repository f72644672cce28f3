//! Where a task stands, in the words that every view uses.

use super::Look;
use overnight_judge::Verdict;
use overnight_judge::proof::Standing as Rests;
use overnight_run::State;
use overnight_run::overview::rests_on;
use overnight_run::state::TaskState;
use overnight_run::task::Status;
use serde::Serialize;

/// Where a task stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Standing {
    /// It waits for a person's answer.
    NeedsYou,
    /// Its last claim was refuted by a gate.
    Refuted,
    /// Given up until a person helps.
    Blocked,
    /// An iteration worked on it, and more is to do.
    Unfinished,
    /// An agent is at work on it.
    AtWork,
    /// It waits for other tasks.
    Waiting,
    /// Nobody worked on it.
    NotBegun,
    /// Done by the agent's word: no gate looked.
    ByWord,
    /// Done, and its gates passed where the agent works, which it may have bent.
    InPlace,
    /// Done, its gates passed, and no gate was red before.
    KeptGreen,
    /// Done, and its gates show it.
    Proved,
    /// It was done before the run began.
    DoneBefore,
}

impl Standing {
    /// Its words for a person.
    pub fn words(self) -> &'static str {
        match self {
            Self::NeedsYou => "needs you",
            Self::Refuted => "refuted",
            Self::Blocked => "blocked",
            Self::Unfinished => "not finished",
            Self::AtWork => "at work",
            Self::Waiting => "waiting",
            Self::NotBegun => "not begun",
            Self::ByWord => "done by the agent's word",
            Self::InPlace => Rests::InPlace.words(),
            Self::KeptGreen => "kept green",
            Self::Proved => "proved",
            Self::DoneBefore => "done before",
        }
    }

    /// Is the task done?
    pub fn is_done(self) -> bool {
        self >= Self::ByWord
    }

    /// Its name as in the JSON form.
    pub fn name(self) -> &'static str {
        match self {
            Self::NeedsYou => "needs_you",
            Self::Refuted => "refuted",
            Self::Blocked => "blocked",
            Self::Unfinished => "unfinished",
            Self::AtWork => "at_work",
            Self::Waiting => "waiting",
            Self::NotBegun => "not_begun",
            Self::ByWord => "by_word",
            Self::InPlace => "in_place",
            Self::KeptGreen => "kept_green",
            Self::Proved => "proved",
            Self::DoneBefore => "done_before",
        }
    }
}

/// How a done task's last verdict shows it.
pub fn of_done(verdict: Option<&Verdict>) -> Standing {
    match verdict {
        None => Standing::DoneBefore,
        Some(verdict) => match rests_on(verdict) {
            Rests::Word => Standing::ByWord,
            Rests::KeptGreen => Standing::KeptGreen,
            Rests::InPlace => Standing::InPlace,
            Rests::Proved => Standing::Proved,
        },
    }
}

/// Where a task stands.
pub(super) fn of(look: &Look, task: &TaskState) -> Standing {
    let (state, running) = (look.state, look.running);
    let verdict = state.last_on(&task.spec.id).map(|last| &last.verdict);
    let refuted = verdict.is_some_and(|verdict| verdict.gates.iter().any(|gate| !gate.passed()));
    let open = state.open.as_ref().map(|open| open.task.as_str());
    let with_member = |id: &str| {
        state
            .members
            .at_work
            .iter()
            .any(|assignment| assignment.task == id)
    };
    let at_work = running && (open == Some(task.spec.id.as_str()) || with_member(&task.spec.id));
    match task.status {
        Status::Done if state.members.elsewhere.contains_key(&task.spec.id) => Standing::DoneBefore,
        Status::Done => of_done(verdict),
        _ if look.asks(task).is_some() || task.needs.is_some() => Standing::NeedsYou,
        _ if at_work => Standing::AtWork,
        _ if refuted => Standing::Refuted,
        Status::Blocked => Standing::Blocked,
        Status::Doing => Standing::Unfinished,
        Status::Todo if !waits_for(state, task).is_empty() => Standing::Waiting,
        Status::Todo if verdict.is_some() => Standing::Unfinished,
        Status::Todo => Standing::NotBegun,
    }
}

/// The tasks that this one waits for.
pub(super) fn waits_for(state: &State, task: &TaskState) -> Vec<String> {
    let open = |id: &&String| {
        state
            .task(id)
            .is_none_or(|other| other.status != Status::Done)
    };
    task.spec.depends_on.iter().filter(open).cloned().collect()
}
