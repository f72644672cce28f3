//! What gates showed in the proof room on a commit where a member may begin: when the run began, or when the
//! queue proved what it landed. The member need not run them again.

use super::{dusk, objects};
use crate::state::Place;
use crate::{files, journal};
use overnight_judge::GateOutcome;
use overnight_judge::proof::Edit;
use overnight_judge::proof::order::TrialState;
use overnight_judge::proof::weigh::DuskGate;
use overnight_run::event::{Event, Measured};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The file of what the queue proved last, in the run's folder for dusk.
const NOTE: &str = "proved.json";
/// Trees that are remembered: a member begins at the newest line, or at one that was it a moment ago.
const TREES_MAX: usize = 4;

/// What is known of one gate.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Begun {
    pub(super) outcome: GateOutcome,
    pub(super) gate: DuskGate,
    /// Is it also known whether the gate can fail there?
    pub(super) tried: bool,
}

/// What was proved of a tree.
#[derive(Debug, Serialize, Deserialize)]
struct Proved {
    tree: String,
    gates: Vec<Begun>,
}

/// The folder of the run that the member with this folder works for.
pub(super) fn run_of(folder: &Path) -> Option<PathBuf> {
    let members = folder.parent().filter(|above| above.ends_with("members"))?;
    members.parent().map(Path::to_owned)
}

/// What the run of this member's folder saw of these gates at the commit, by their commands.
pub(super) fn seen(
    (place, folder): (&Place, &Path),
    commit: &str,
    commands: &[String],
) -> BTreeMap<String, Begun> {
    run_of(folder).map_or_else(BTreeMap::new, |run| {
        let mut known = of_run((place, &run), commit);
        known.retain(|command, _| commands.contains(command));
        known
    })
}

/// What a run saw of its gates at the commit; of those that changed files while they ran, nothing.
fn of_run((place, run): (&Place, &Path), commit: &str) -> BTreeMap<String, Begun> {
    let by_command = |begun: Begun| (begun.outcome.command.clone(), begun);
    let mut known: BTreeMap<String, Begun> = BTreeMap::new();
    for measured in measured_at(run, commit) {
        let Some(dusk) = measured.dusk.filter(|dusk| dusk.rewritten.is_empty()) else {
            continue;
        };
        let begun = |outcome: GateOutcome| {
            let gate = dusk.gate(&outcome.command)?.clone();
            Some(Begun {
                outcome,
                gate,
                tried: true,
            })
        };
        let seen = measured.outcomes.into_iter().filter_map(begun);
        known.extend(seen.map(by_command));
    }
    let proved = read(run);
    if !proved.is_empty()
        && let Ok(tree) = objects::tree_of(&place.top, commit)
    {
        let here = proved.into_iter().filter(|proved| proved.tree == tree);
        known.extend(here.flat_map(|proved| proved.gates).map(by_command));
    }
    known
}

/// What the run measured at the commit, oldest first.
fn measured_at(run: &Path, commit: &str) -> Vec<Measured> {
    let records = journal::read(run).unwrap_or_default();
    let measured = records.into_iter().filter_map(|record| match record.event {
        Event::Measured(measured) => Some(measured),
        _ => None,
    });
    let here = |measured: &Measured| {
        measured
            .dusk
            .as_ref()
            .is_some_and(|dusk| dusk.commit == commit)
    };
    measured.filter(here).collect()
}

fn read(run: &Path) -> Vec<Proved> {
    let bytes = std::fs::read(run.join(dusk::FOLDER).join(NOTE)).unwrap_or_default();
    serde_json::from_slice(&bytes).unwrap_or_default()
}

/// Notes what the trial of a merge onto `base` showed of a commit on which all its gates pass. That it cannot be
/// written costs time and nothing else.
pub(super) fn note(
    (place, run): (&Place, &Path),
    (base, commit): (&str, &str),
    (tried, edits): (&TrialState, &[Edit]),
) {
    let outcomes = tried.claim.as_deref().unwrap_or_default();
    if outcomes.is_empty() || !outcomes.iter().all(GateOutcome::passed) {
        return;
    }
    let Ok(tree) = objects::tree_of(&place.top, commit) else {
        return;
    };
    let below = of_run((place, run), base);
    let begun = |outcome: &GateOutcome| begun(outcome, (tried, edits), below.get(&outcome.command));
    let gates = outcomes.iter().map(begun).collect();
    let mut all = read(run);
    all.retain(|proved| proved.tree != tree);
    all.push(Proved { tree, gates });
    let old = all.len().saturating_sub(TREES_MAX);
    if let Ok(json) = serde_json::to_vec(&all[old..]) {
        let _ = files::replace(&run.join(dusk::FOLDER).join(NOTE), &json, files::PRIVATE);
    }
}

/// What is known of a gate that passed on the commit as it is.
fn begun(
    outcome: &GateOutcome,
    (tried, edits): (&TrialState, &[Edit]),
    below: Option<&Begun>,
) -> Begun {
    let of = |(command, _): &&(String, _)| *command == outcome.command;
    let canary = tried.canaries.iter().flatten().find(of);
    let canary = canary.map(|(_, now)| now.clone());
    // Canaries are planted in the line's version of what decides: it counts where that is the commit's, too.
    let as_it_is = |path: &String| edits.iter().all(|edit| edit.path() != path);
    let canary = canary
        .filter(|now| edits.is_empty() || !now.seen.is_empty() && now.seen.keys().all(as_it_is));
    let blank = tried.blanks.iter().flatten();
    let blank = blank
        .clone()
        .find(|(command, _)| *command == outcome.command);
    // What was not tried there is without its sources what it was below.
    let blank = blank.map(|(_, red)| *red).filter(|_| edits.is_empty());
    let below = below.filter(|_| edits.is_empty());
    let blank_red = blank.or_else(|| below.and_then(|below| below.gate.blank_red));
    Begun {
        outcome: outcome.clone(),
        tried: canary.as_ref().is_some_and(|canary| canary.red) || blank_red.is_some(),
        gate: DuskGate {
            command: outcome.command.clone(),
            passed: true,
            canary,
            blank_red,
            failed_at: Vec::new(),
        },
    }
}

/// The commands of which nothing is known.
pub(super) fn unseen(commands: &[String], known: &BTreeMap<String, Begun>) -> Vec<String> {
    let unseen = commands
        .iter()
        .filter(|command| !known.contains_key(*command));
    unseen.cloned().collect()
}

/// Is everything known of each of the commands?
pub(super) fn is_enough(commands: &[String], known: &BTreeMap<String, Begun>) -> bool {
    let tried = |command: &String| known.get(command).is_some_and(|begun| begun.tried);
    !commands.is_empty() && commands.iter().all(tried)
}

/// What each of the commands showed, in their order, of what was known and what ran now; and of which it is known
/// whether they can fail.
pub(super) fn together(
    commands: &[String],
    known: &BTreeMap<String, Begun>,
    ran: Vec<GateOutcome>,
) -> (Vec<GateOutcome>, BTreeMap<String, DuskGate>) {
    let mut ran = ran.into_iter();
    let (mut outcomes, mut tried) = (Vec::new(), BTreeMap::new());
    for command in commands {
        let Some(begun) = known.get(command) else {
            outcomes.extend(ran.next());
            continue;
        };
        outcomes.push(begun.outcome.clone());
        if begun.tried {
            tried.insert(command.clone(), begun.gate.clone());
        }
    }
    (outcomes, tried)
}
