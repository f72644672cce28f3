//! What an iteration needs whichever door it comes through: its prompt, the claim it leaves, the
//! gates that prove it, and the progress that people read.

use crate::files::{self, Content};
use crate::state::Place;
use crate::tasklist::ListFile;
use crate::{clock, gates, progress, random};
use overnight_core::code::Code;
use overnight_core::fault::Fault;
use overnight_core::judge::{self, Evidence, FileState, GateOutcome, Said, Verdict};
use overnight_core::progress::Stamp;
use overnight_core::prompt;
use overnight_core::run::State;
use overnight_core::run::event::Intent;
use overnight_core::run::progress::snapshot;
use overnight_core::run::state::Open;
use overnight_core::run::step::Nudge;
use overnight_core::run::task::Status;
use overnight_core::signals::plan::{self, Plan};
use overnight_core::tasks;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The start that the core decided, with a nonce of its own; in a fresh client session.
pub(crate) fn intent(
    state: &State,
    (iteration, attempt): (u32, u32),
    task: String,
    nudge: Nudge,
) -> Result<Intent, Fault> {
    Ok(Intent {
        iteration,
        attempt,
        task,
        check_id: random::hex::<8>()?,
        epoch: state.epoch,
        nudge,
        continues: None,
    })
}

/// Where the agents of a run declare what they claim.
pub(crate) fn decision_file(run_folder: &Path) -> PathBuf {
    run_folder.join("decision.json")
}

/// The prompt of the iteration that the intent begins. `decision_file` is named in it for an agent
/// whose environment does not name it.
pub(crate) fn prompt(
    state: &State,
    intent: &Intent,
    progress: &str,
    decision_file: Option<&Path>,
) -> String {
    let Some((run, task)) = state.run.as_ref().zip(state.task(&intent.task)) else {
        return String::new();
    };
    let mut gates = task.spec.gates.clone();
    gates.extend(state.config.gates.iter().cloned());
    prompt::build(&prompt::Brief {
        goal: &run.goal,
        task,
        iteration: (intent.iteration, state.config.max_iterations),
        last: state.last_on(&intent.task),
        nudge: intent.nudge,
        progress,
        check_id: &intent.check_id,
        decision_file: decision_file.and_then(Path::to_str),
        gates: &gates,
    })
}

/// The boxes of the project's plan file, where there is one that can be read.
pub(crate) fn plan(place: &Place) -> Option<Plan> {
    plan::PLACES.iter().find_map(|name| {
        match files::read_bounded(&place.top.join(name), plan::BYTES_MAX) {
            Ok(Content::Bytes(bytes)) => Some(plan::read(&String::from_utf8_lossy(&bytes))),
            _ => None,
        }
    })
}

/// What the project's summary tells the next iteration; empty where there is none.
pub(crate) fn progress_so_far(place: &Place) -> String {
    progress::summary(place).ok().flatten().unwrap_or_default()
}

/// Runs gates within the iteration's time; gives what they said and the content of the scripts
/// that they name.
pub(crate) fn run_gates(
    place: &Place,
    state: &State,
    commands: &[String],
) -> (Vec<GateOutcome>, BTreeMap<String, String>) {
    let limit = Duration::from_millis(state.config.task_timeout_ms);
    // What each gate said the last time: a result that flips is run once more.
    let before: BTreeMap<String, bool> = state
        .history
        .iter()
        .flat_map(|iteration| &iteration.verdict.gates)
        .map(|gate| (gate.command.clone(), gate.passed()))
        .collect();
    let outcomes = gates::run_all_guarded(&place.top, commands, limit, &before);
    (outcomes, gates::pins(&place.top, &every_gate(state)))
}

/// The gates of all tasks and the person's own: a script counts as changed whoever's gate it is.
pub(crate) fn every_gate(state: &State) -> Vec<String> {
    let own = state.tasks.iter().flat_map(|task| &task.spec.gates);
    own.chain(&state.config.gates).cloned().collect()
}

/// Brings `progress/` and the task list's statuses up to date with the run.
pub(crate) fn write_progress(place: &Place, state: &State) -> Result<(), Fault> {
    write_statuses(place, state)?;
    let run = state.run.as_ref();
    let stamp = Stamp {
        session: run.map(|run| run.id.clone()).unwrap_or_default(),
        when: clock::local_text(clock::wall_ms()),
    };
    let view = snapshot(state);
    progress::update(place, |model| model.apply(&view, &stamp)).map(drop)
}

/// Writes where the run's tasks stand into the task list, if they come from one and changed.
fn write_statuses(place: &Place, state: &State) -> Result<(), Fault> {
    let file = ListFile::of(place, None);
    let Some(bytes) = file.bytes()? else {
        return Ok(());
    };
    let Ok(list) = tasks::parse(&bytes) else {
        // A list that a person is just rewriting is left alone.
        return Ok(());
    };
    for status in tasks::Status::ALL {
        let changed = |task: &&tasks::Task| {
            task.status != status && listed_status(state, task.id.as_str()) == Some(status)
        };
        let ids: Vec<_> = list
            .tasks
            .iter()
            .filter(changed)
            .map(|task| task.id.clone())
            .collect();
        if !ids.is_empty() {
            file.set_status(&ids, status)?;
        }
    }
    Ok(())
}

/// The status of a task in the words of the task list; `None` for one that is not the run's to tell of.
fn listed_status(state: &State, id: &str) -> Option<tasks::Status> {
    Some(match state.task(id)?.status {
        // Another run of the list may be at work on it.
        Status::Todo if state.config.leased => return None,
        Status::Todo => tasks::Status::Todo,
        Status::Doing => tasks::Status::Doing,
        Status::Done => tasks::Status::Done,
        Status::Blocked => tasks::Status::Blocked,
    })
}

/// Moves a decision file of an earlier attempt aside: only a fresh one can be this attempt's.
pub(crate) fn set_aside(decision: &Path, open: &Open) -> Result<(), Fault> {
    let (iteration, attempt) = (open.iteration, open.attempt);
    let aside = decision.with_file_name(format!("decision-before-{iteration}-{attempt}.json"));
    match std::fs::rename(decision, &aside) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(Fault::new(
            Code::FileWrite,
            format!("{}: {error}", decision.display()),
        )),
        _ => Ok(()),
    }
}

/// What the attempt claims: by its decision file first, then by its last message.
pub(crate) fn claim(decision: &Path, check_id: &str, said: &Said) -> Result<Verdict, Fault> {
    let file = files::read_bounded(decision, judge::file::BYTES_MAX)?;
    Ok(judge::judge(&Evidence {
        file: match &file {
            Content::Bytes(bytes) => FileState::Bytes(bytes),
            Content::Missing => FileState::Missing,
            Content::Refused(what) => FileState::Refused(what),
        },
        check_id: Some(check_id),
        said,
        gates: &[],
        objections: &[],
    }))
}
