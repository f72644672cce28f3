//! Gates, run in a room in one state or another of its files.

use super::objects::{self, TEXT_BYTES_MAX};
use super::own::Own;
use super::room::Room;
use super::setup::SetUp;
use crate::cell::Cells;
use crate::gates;
use crate::random;
use overnight_base::fault::Fault;
use overnight_judge::GateOutcome;
use overnight_judge::proof::canary::{self, Plant};
use overnight_judge::proof::weigh::Sighting;
use overnight_judge::proof::{Edit, inline, manifest, protect};
use std::cell::Cell;
use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

/// A gate with a fault in it may take so many times as long as without, and this: it may have to build anew.
const FAULT_TIMES: u64 = 8;
const FAULT_LIMIT: Duration = Duration::from_secs(20);

/// What every trial of one proof shares.
pub(super) struct Bench<'a> {
    pub(super) room: &'a Room,
    /// The project that the room stands for.
    pub(super) from: &'a Path,
    pub(super) limit: Duration,
    /// The same of one with a fault in it, which may make it wait for ever.
    pub(super) fault_limit: Cell<Duration>,
    /// The cells that gates run in.
    pub(super) cells: Option<&'a Cells>,
    /// What gates have for themselves.
    pub(super) own: Own,
    /// What makes ignored files that they need.
    pub(super) setup: SetUp<'a>,
}

impl Bench<'_> {
    pub(super) fn gates(&self) -> gates::Room<'_> {
        gates::Room {
            top: &self.room.top,
            from: Some(self.from),
            cells: self.cells,
            own: &self.own.variables,
        }
    }

    /// Each gate once more where its result flipped since `before`.
    pub(super) fn run(
        &self,
        commands: &[String],
        before: &BTreeMap<String, bool>,
    ) -> Vec<GateOutcome> {
        gates::run_all_guarded(self.gates(), commands, self.limit, before)
    }

    /// One gate, with the end of what it printed.
    pub(super) fn run_with_output(&self, command: &str) -> (GateOutcome, String) {
        gates::run_with_output(self.gates(), command, self.fault_limit.get())
    }

    /// From now on a gate that takes far longer than it did here hangs by what was done to it.
    pub(super) fn bound(&self, outcomes: &[GateOutcome]) {
        let slowest = outcomes.iter().map(|gate| gate.ms).max().unwrap_or(0);
        let bound = FAULT_LIMIT + Duration::from_millis(slowest.saturating_mul(FAULT_TIMES));
        self.fault_limit.set(bound.min(self.limit));
    }

    /// A look for which gates have all of their time.
    pub(super) fn patiently<T>(&self, look: impl FnOnce() -> T) -> T {
        let bound = self.fault_limit.replace(self.limit);
        let seen = look();
        self.fault_limit.set(bound);
        seen
    }

    /// Does this command pass, and run a test if it counts tests?
    pub(super) fn passes(&self, command: &str) -> bool {
        counts(&self.run_with_output(command).0)
    }

    /// Does each gate turn red? Nothing is run twice.
    pub(super) fn red(&self, commands: &[String]) -> Vec<(String, bool)> {
        let outcomes = gates::run_all(self.gates(), commands, self.fault_limit.get());
        outcomes
            .into_iter()
            .map(|gate| (gate.command.clone(), !counts(&gate)))
            .collect()
    }

    /// Tells what each gate shows of these canaries, and the end of what all of them printed. The files are
    /// left planted.
    pub(super) fn sight(
        &self,
        commands: &[String],
        plants: &[Plant],
    ) -> Result<(Vec<(String, Sighting)>, String), Fault> {
        for plant in plants {
            self.room.write(&plant.path, &plant.text)?;
        }
        let mut all = String::new();
        let sight = |command: &String| {
            let (outcome, printed) = self.run_with_output(command);
            let red = !counts(&outcome);
            let seen = canary::seen(&printed, plants);
            all.push_str(&printed);
            (command.clone(), Sighting { red, seen })
        };
        Ok((commands.iter().map(sight).collect(), all))
    }

    /// Canaries for these files, as they stand in the room or as `texts` has them. Nothing is written.
    pub(super) fn plants(
        &self,
        paths: &[String],
        texts: &BTreeMap<String, String>,
    ) -> Result<Vec<Plant>, Fault> {
        // Twelve digits: none is the beginning of another.
        let start = 100_000_000_000 + u64::from(u32::from_be_bytes(random::bytes::<4>()?)) * 100;
        let plant = |(number, path): (u64, &String)| {
            let text = texts.get(path).cloned().or_else(|| self.text(path))?;
            canary::plant(path, &text, number)
        };
        let numbers = (start..).step_by(10);
        Ok(numbers.zip(paths).filter_map(plant).collect())
    }

    /// The text of a file in the room.
    pub(super) fn text(&self, path: &str) -> Option<String> {
        let path = self.room.top.join(path);
        let about = path.symlink_metadata().ok()?;
        let small = usize::try_from(about.len()).is_ok_and(|length| length <= TEXT_BYTES_MAX);
        (about.is_file() && small)
            .then(|| std::fs::read_to_string(path).ok())
            .flatten()
    }

    /// Puts dusk's version of what decides into the claimed tree.
    pub(super) fn overlay(&self, dusk: &str, edits: &[Edit]) -> Result<(), Fault> {
        let mut back = Vec::new();
        for edit in edits {
            let path = edit.path();
            let before = || objects::file(&self.room.top, dusk, path);
            match edit {
                Edit::Restore(_) => back.push(path.to_owned()),
                Edit::Remove(_) => self.room.remove(path)?,
                Edit::Manifest(_) => {
                    let before = before();
                    match manifest::merge(
                        path,
                        before.as_deref(),
                        &self.text(path).unwrap_or_default(),
                    ) {
                        Some(merged) => self.room.write(path, &merged)?,
                        None if before.is_some() => back.push(path.to_owned()),
                        None => self.room.remove(path)?,
                    }
                }
                Edit::Inline(_) => {
                    if let Some(spliced) = self.spliced(dusk, path) {
                        self.room.write(path, &spliced)?;
                    }
                }
            }
        }
        self.room.restore(dusk, &back)
    }

    fn spliced(&self, dusk: &str, path: &str) -> Option<String> {
        inline::with_dusks(
            path,
            &objects::file(&self.room.top, dusk, path)?,
            &self.text(path)?,
        )
    }

    /// Does this edit change anything? Manifests and sources may hold dusk's tests as they were.
    pub(super) fn matters(&self, dusk: &str, edit: &Edit) -> bool {
        let path = edit.path();
        match edit {
            Edit::Restore(_) | Edit::Remove(_) => true,
            Edit::Inline(_) => self.spliced(dusk, path).is_some(),
            Edit::Manifest(_) => {
                let (before, now) = (
                    objects::file(&self.room.top, dusk, path),
                    self.text(path).unwrap_or_default(),
                );
                let merged = manifest::merge(path, before.as_deref(), &now);
                let alone = manifest::merge(path, Some(&now), &now);
                merged.is_none() || merged != alone
            }
        }
    }

    /// Empties every file of the tree that decides nothing: sources, and what else is worked on.
    pub(super) fn blank<'p>(
        &self,
        paths: impl IntoIterator<Item = &'p String>,
        keeps: &dyn Fn(&str) -> bool,
        gone: bool,
    ) -> Result<(), Fault> {
        for path in paths {
            if stays(path, keeps) {
                continue;
            }
            if gone {
                self.room.remove(path)?;
            } else {
                self.room.write(path, "")?;
            }
        }
        Ok(())
    }
}

/// Does the file decide, so that it stays when the sources go?
pub(super) fn stays(path: &str, keeps: &dyn Fn(&str) -> bool) -> bool {
    protect::kind(path).is_some() || manifest::is(path) || keeps(path)
}

/// Did the gate pass, and run a test if it counts tests?
pub(super) fn counts(gate: &GateOutcome) -> bool {
    gate.passed()
        && gate
            .tests
            .is_none_or(|tests| tests.failures() == 0 && tests.ran() != Some(0))
}
