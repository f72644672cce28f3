//! Agent teams, through the client's hooks: a created task takes its lease, a completed one is
//! judged as everywhere, an idle teammate gets the next task of the list.

mod trial;

use crate::cell::Cells;
use crate::leases::{Acquired, Entry, Leases};
use crate::pinned;
use crate::state::Place;
use crate::tasklist::ListFile;
use crate::{cli, config, env, gates, hook};
use overnight_base::fault::Fault;
use overnight_base::hook::{Event, block, message};
use overnight_base::vars;
use overnight_judge::gates::{Baseline, objections};
use overnight_judge::marker::Marker;
use overnight_judge::{Evidence, FileState, Message, Verdict};
use overnight_run::team;
use overnight_tasks::{Status, TaskId, TaskList};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;
use trial::Trial;

/// That a task is completed is the claim; it stands for the marker of other doors.
const CLAIM: &str = "<DONE>completed in the team</DONE>";

/// Answers `TaskCreated`, `TaskCompleted` and `TeammateIdle`. Says nothing where teams are not
/// switched on (the client asks about every session's own to-do list too) and to an agent whose
/// driver holds its lease.
pub fn answer(place: &Place, event: &Event) -> Result<Option<Value>, Fault> {
    let on =
        env::get(&vars::AGENT_TEAMS).is_some_and(|value| !matches!(value.as_str(), "0" | "false"));
    if !on || env::get(&vars::RUN).is_some() {
        return Ok(None);
    }
    let subject = event.text("task_subject").unwrap_or_default();
    match event.name() {
        "TaskCreated" => created(place, event, subject),
        "TaskCompleted" => completed(place, event, subject),
        "TeammateIdle" => idle(place, event),
        _ => Ok(None),
    }
}

/// The list, where there is one that can be read. (Its commands need trust, its names do not.)
fn list(place: &Place) -> Option<TaskList> {
    let bytes = ListFile::of(place, None).bytes().ok()??;
    overnight_tasks::parse(&bytes).ok()
}

fn leases(place: &Place, event: &Event) -> Result<Option<Leases>, Fault> {
    if place.git_common.is_none() {
        return Ok(None);
    }
    Leases::for_session(&hook::folder(event), hook::session(event)?).map(Some)
}

fn created(place: &Place, event: &Event, subject: &str) -> Result<Option<Value>, Fault> {
    let list = list(place);
    let listed = list.as_ref().and_then(|list| team::named(list, subject));
    let Some(id) = listed.map_or_else(|| team::lease_name(subject), |task| Some(task.id.clone()))
    else {
        return Ok(None);
    };
    let Some(leases) = leases(place, event)? else {
        return Ok(None);
    };
    let ttl_s = config::load(Some(place)).settings.lock.ttl.as_secs();
    let is_ours = |entry: &Entry| entry.mine && entry.state == "held" && entry.task == id;
    let had = listed.is_some() && leases.known()?.iter().any(is_ours);
    Ok(match leases.acquire(&id, ttl_s)? {
        Acquired::Granted(_) => {
            if listed.is_some() {
                ListFile::of(place, None).set_status(std::slice::from_ref(&id), Status::Doing)?;
                if let Some(trial) = trial(place, &id).ok().flatten() {
                    // A task that is created once more is in the middle of its work.
                    trial.begin(!had)?;
                }
            }
            None
        }
        Acquired::Held(holder) => {
            let by = holder
                .fault(overnight_base::code::Code::LockConflict, &id)
                .reason;
            // Words of a person's own may mean something else elsewhere.
            Some(match listed {
                Some(task) => block(&team::held(&task.id, &by)),
                None => message(&format!("overnight: {by}"), None),
            })
        }
    })
}

fn completed(place: &Place, event: &Event, subject: &str) -> Result<Option<Value>, Fault> {
    let list = list(place);
    let listed = list.as_ref().and_then(|list| team::named(list, subject));
    let description = event.text("task_description").unwrap_or_default();
    let trial = match listed {
        // Commands of the list run only when a person trusted them; else nothing is proved.
        Some(task) => match trial(place, &task.id) {
            Ok(trial) => trial,
            Err(fault) => {
                let verdict = Verdict::nothing(&fault.to_string());
                return Ok(Some(block(&team::sent_back(subject, &verdict))));
            }
        },
        None => None,
    };
    let verdict = match &trial {
        Some(trial) => trial.judge(claim(description)?)?,
        None => unlisted(place, claim(description)?)?,
    };
    if !verdict.complete() {
        return Ok(Some(block(&team::sent_back(subject, &verdict))));
    }
    let id = listed.map_or_else(|| team::lease_name(subject), |task| Some(task.id.clone()));
    if let Some(task) = listed {
        ListFile::of(place, None).set_status(std::slice::from_ref(&task.id), Status::Done)?;
    }
    if let Some(trial) = trial {
        trial.forget()?;
    }
    if let Some((id, leases)) = id.zip(leases(place, event)?) {
        give_back(&leases, &id)?;
    }
    Ok(None)
}

/// The trial of a task of the list; `None` where the list has changed meanwhile.
fn trial<'p>(place: &'p Place, id: &TaskId) -> Result<Option<Trial<'p>>, Fault> {
    let specs = pinned::read(place)?;
    let spec = specs.into_iter().find(|spec| spec.id == id.as_str());
    spec.map(|spec| Trial::of(place, spec)).transpose()
}

/// That the task is done, with the answers to its checklist, which stand in its description.
fn claim(description: &str) -> Result<Verdict, Fault> {
    let marker = Marker::new("DONE")?;
    let judge = |said: &str| {
        overnight_judge::judge(&Evidence {
            file: FileState::NotAsked,
            check_id: None,
            said: &Message::of_text(said, &marker),
            gates: &[],
            objections: &[],
        })
    };
    Ok(Verdict {
        answers: judge(description).answers,
        ..judge(CLAIM)
    })
}

/// The claim of a task that is on no list, with the project's gates.
fn unlisted(place: &Place, claim: Verdict) -> Result<Verdict, Fault> {
    let config = config::load(Some(place)).strict(|_| true)?.run_config();
    let limit = Duration::from_millis(config.task_timeout_ms);
    let cells = Cells::as_set(place, cli::note)?;
    let room = gates::Room::place(&place.top).within(cells.as_ref());
    let outcomes = gates::run_all(room, &config.gates, limit);
    let objections = objections(
        &config.gates,
        &outcomes,
        &Baseline::default(),
        &BTreeMap::new(),
    );
    Ok(claim.proved(&outcomes, &objections))
}

fn give_back(leases: &Leases, id: &TaskId) -> Result<(), Fault> {
    let known = leases.known()?;
    let own = known
        .into_iter()
        .find(|entry| entry.mine && entry.task == *id);
    if let Some(record) = own.and_then(|entry| entry.record) {
        leases.release(id, record.token)?;
    }
    Ok(())
}

/// The first task that can be worked on and that nobody holds, leased.
fn idle(place: &Place, event: &Event) -> Result<Option<Value>, Fault> {
    let (Some(list), Some(leases)) = (list(place), leases(place, event)?) else {
        return Ok(None);
    };
    let held = leases
        .known()?
        .into_iter()
        .filter(|entry| entry.state == "held");
    let mut taken: BTreeSet<TaskId> = held.map(|entry| entry.task).collect();
    let ttl_s = config::load(Some(place)).settings.lock.ttl.as_secs();
    while let Some(task) = overnight_tasks::next_ready(&list, &taken) {
        if let Acquired::Granted(_) = leases.acquire(&task.id, ttl_s)? {
            ListFile::of(place, None).set_status(std::slice::from_ref(&task.id), Status::Doing)?;
            // Dusk is when the task is created.
            if let Some(trial) = trial(place, &task.id).ok().flatten() {
                trial.forget()?;
            }
            return Ok(Some(block(&team::assign(task))));
        }
        taken.insert(task.id.clone());
    }
    Ok(None)
}
