//! What the gates showed when the run began: a member that begins at that commit need not run them again.

use crate::journal;
use overnight_judge::GateOutcome;
use overnight_judge::proof::weigh::DuskGate;
use overnight_run::event::{Event, Measured};
use std::path::{Path, PathBuf};

/// What each of a member's gates showed, in their order.
pub(super) struct Begun {
    pub(super) outcomes: Vec<GateOutcome>,
    pub(super) gates: Vec<DuskGate>,
}

/// The folder of the run that the member with this folder works for.
pub(super) fn run_of(folder: &Path) -> Option<PathBuf> {
    let members = folder.parent().filter(|above| above.ends_with("members"))?;
    members.parent().map(Path::to_owned)
}

/// What the run of this member's folder saw of the gates at the commit; `None` where it did not see all of
/// them, or where some changed files.
pub(super) fn seen(folder: &Path, commit: &str, commands: &[String]) -> Option<Begun> {
    let records = journal::read(&run_of(folder)?).ok()?;
    let measured: Vec<Measured> = records
        .into_iter()
        .filter_map(|record| match record.event {
            Event::Measured(measured) => Some(measured),
            _ => None,
        })
        .collect();
    let mut begun = Begun {
        outcomes: Vec::new(),
        gates: Vec::new(),
    };
    for command in commands {
        let (outcome, gate) = measured.iter().rev().find_map(|measured| {
            let dusk = measured.dusk.as_ref()?;
            let known = dusk.commit == commit && dusk.rewritten.is_empty();
            let mut outcomes = measured.outcomes.iter().filter(|_| known);
            let outcome = outcomes.find(|outcome| outcome.command == *command)?;
            Some((outcome.clone(), dusk.gate(command)?.clone()))
        })?;
        begun.outcomes.push(outcome);
        begun.gates.push(gate);
    }
    Some(begun)
}
