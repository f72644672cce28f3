//! A claim is tried.

use super::expectations::Expectations;
use super::ignored::Store;
use super::own::Own;
use super::room::Room;
use super::setup::{self, SetUp};
use super::trial::Bench;
use super::{begun, built, dusk, fresh, notes, objects, outside, programs, special};
use crate::cell::Cells;
use crate::state::Place;
use crate::submodules;
use globset::GlobSet;
use overnight_base::fault::Fault;
use overnight_judge::GateOutcome;
use overnight_judge::gates::Baseline;
use overnight_judge::proof::contest::Changed;
use overnight_judge::proof::order::{TrialInput, TrialState, TrialStep};
use overnight_judge::proof::overlay::{Difference, Rules};
use overnight_judge::proof::{Dusk, Edit, Proof, inline, overlay, protect, scripts};
use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::time::Duration;

/// Proves claims of one run.
#[derive(Debug, Clone, Copy)]
pub struct Prover<'a> {
    /// The project.
    pub place: &'a Place,
    /// The tree that the room stands for: the person's, whose paths may be in the environment.
    pub home: &'a Path,
    /// The folder of the run's journal, with what was noted at dusk.
    pub run: &'a Path,
    /// What was noted at dusk.
    pub dusk: &'a Dusk,
    /// What gates said at dusk.
    pub baseline: &'a Baseline,
    /// Longest time of one gate.
    pub limit: Duration,
    /// Unix time in milliseconds of the run's start.
    pub since: u64,
    /// The cells that gates run in.
    pub cells: Option<&'a Cells>,
    /// Globs of files that decide beside the conventions.
    pub protect: &'a GlobSet,
    /// What makes ignored files that gates need.
    pub setup: SetUp<'a>,
    /// What the journal tells of the notes of the run's earlier proofs.
    pub notes: &'a BTreeMap<String, String>,
}

/// What is claimed.
#[derive(Debug, Clone, Copy)]
pub struct Claim<'a> {
    /// The commit.
    pub commit: &'a str,
    /// The commands that must hold.
    pub gates: &'a [String],
    /// Globs of files that decide and that the task may change.
    pub may_change: &'a GlobSet,
    /// Whether each gate passed when it ran last: one that flips is run once more.
    pub before: &'a BTreeMap<String, bool>,
    /// What was asked for.
    pub words: &'a str,
    /// The commit that the run proved last.
    pub proved: Option<&'a str>,
    /// Did a claim of this task go back because of what it changed of the tests?
    pub contested: bool,
    /// Changed tests that count all the same.
    pub granted: &'a [Changed],
}

impl Prover<'_> {
    /// Tries a claim; gives what the gates said on the commit as it is, and what was found beside that.
    pub fn prove(&self, claim: Claim<'_>) -> Result<(Vec<GateOutcome>, Proof), Fault> {
        self.try_commit(claim, false)
    }

    /// Tries a merge onto a line that was proved, which is dusk here.
    pub fn try_merge(&self, claim: Claim<'_>) -> Result<(Vec<GateOutcome>, Proof), Fault> {
        self.try_commit(claim, true)
    }

    fn try_commit(
        &self,
        claim: Claim<'_>,
        merge: bool,
    ) -> Result<(Vec<GateOutcome>, Proof), Fault> {
        let room = Room::enter(self.place, claim.commit)?;
        let store = Store::noted(self.home, &dusk::store(self.place, self.run))?;
        let bench = self.bench(&room)?;
        let differences = objects::differences(&self.place.top, &self.dusk.commit, claim.commit)?;
        let programs = dusk::changed_programs(self.run, self.home);
        let asked = TrialInput {
            dusk: self.dusk,
            gates: claim.gates,
            programs: &programs,
            contested: claim.contested,
            tests: differences
                .iter()
                .filter(|file| fresh::is_added(file))
                .count(),
            changed: !differences.is_empty(),
            merge,
        };
        stand(&bench, &store, claim.commit)?;
        let trial = Trial {
            prover: self,
            bench: &bench,
            store: &store,
            claim,
            differences: &differences,
            rules: self.rules(&room, (claim, &differences))?,
            altered: Cell::new(false),
            wrote: Cell::new(false),
            merge,
            wrong: RefCell::new(None),
        };
        let mut tried = TrialState::default();
        let mut edits = Vec::new();
        while let Some(step) = tried.next(&asked) {
            trial.take(step, (&mut tried, &mut edits))?;
        }
        if merge && !trial.wrote.get() {
            let whose = (self.place, self.run);
            let commits = (self.dusk.commit.as_str(), claim.commit);
            begun::note(whose, commits, (&tried, &edits));
        }
        tried.hear(self.baseline);
        let findings = tried.findings(&asked, self.baseline);
        let mut outcomes = tried.claim.unwrap_or_default();
        // What failed with dusk's tests is what the next iteration must read; a person reads both sides.
        let failed = tried.dusk.into_iter().flatten();
        for failed in failed.filter(|gate| !gate.passed() && !claim.contested) {
            if let Some(gate) = outcomes
                .iter_mut()
                .find(|gate| gate.command == failed.command)
            {
                *gate = failed;
            }
        }
        Ok((
            outcomes,
            Proof {
                commit: claim.commit.to_owned(),
                findings,
                notes: notes::tell(self.run),
            },
        ))
    }

    pub(super) fn bench<'b>(&'b self, room: &'b Room) -> Result<Bench<'b>, Fault> {
        Ok(Bench {
            room,
            from: self.home,
            limit: self.limit,
            fault_limit: Cell::new(self.limit),
            cells: self.cells,
            own: Own::make(room, Some(&self.run.join(dusk::FOLDER)), self.cells)?,
            setup: self.setup,
        })
    }

    /// Runs gates on a commit as it is; for the end of a run.
    pub fn hold(&self, commit: &str, gates: &[String]) -> Result<Vec<GateOutcome>, Fault> {
        let room = Room::enter(self.place, commit)?;
        let store = Store::noted(self.home, &dusk::store(self.place, self.run))?;
        let bench = self.bench(&room)?;
        stand(&bench, &store, commit)?;
        Ok(bench.run(gates, &BTreeMap::new()))
    }

    /// Which files decide.
    fn rules(
        &self,
        room: &Room,
        (claim, differences): (Claim<'_>, &[Difference]),
    ) -> Result<Rules, Fault> {
        let python = differences
            .iter()
            .any(|difference| !difference.before && protect::ending(&difference.path) == "py");
        let mut rules = Rules {
            named: self.dusk.named.iter().cloned().collect(),
            protect: self.protect.clone(),
            may_change: claim.may_change.clone(),
            mixed: self.mixed(differences),
            built: built::look(room, self.dusk, (claim, differences))?
                .into_iter()
                .chain(programs::shadowing(differences))
                .collect(),
            taken: if python {
                programs::modules()
            } else {
                [].into()
            },
            roots: if python {
                overlay::roots(objects::files(&self.place.top, &self.dusk.commit)?.keys())
            } else {
                [].into()
            },
            links: BTreeSet::new(),
        };
        let after = differences.iter().filter(|one| one.after);
        let leads = |path: &&String| {
            let target = room.link(path);
            target.is_some_and(|target| rules.decides_at(&target))
        };
        rules.links = after.map(|one| &one.path).filter(leads).cloned().collect();
        Ok(rules)
    }

    /// The changed tests of the claim that count all the same.
    pub(super) fn granted(&self, claim: Claim<'_>) -> Result<Vec<String>, Fault> {
        if claim.granted.is_empty() {
            return Ok(Vec::new());
        }
        let listed = objects::files(&self.place.top, claim.commit)?;
        let content = |path: &String| listed.get(path).map_or("", String::as_str);
        let same = claim.granted.iter();
        let same = same.filter(|changed| content(&changed.path) == changed.content);
        Ok(same.map(|changed| changed.path.clone()).collect())
    }

    /// Both sides of what the claim changed of what decides; it stands in the room.
    fn contested(
        &self,
        bench: &Bench<'_>,
        claim: Claim<'_>,
        edits: &[Edit],
    ) -> Result<Vec<Changed>, Fault> {
        let listed = objects::files(&self.place.top, claim.commit)?;
        let both = |edit: &Edit| {
            let path = edit.path();
            let before = objects::file(&self.place.top, &self.dusk.commit, path);
            let sides = (
                before.unwrap_or_default(),
                bench.text(path).unwrap_or_default(),
            );
            let content = listed.get(path).map_or("", String::as_str);
            Changed::of(path, content, (&sides.0, &sides.1))
        };
        Ok(edits.iter().map(both).collect())
    }

    /// The named files that hold both what is worked on and its tests.
    fn mixed(&self, differences: &[Difference]) -> BTreeSet<String> {
        let named = |difference: &&Difference| self.dusk.named.contains(&difference.path);
        let paths = differences.iter().filter(named).map(|one| &one.path);
        let mixed = |path: &&String| {
            objects::file(&self.place.top, &self.dusk.commit, path)
                .is_some_and(|text| inline::is_mixed(path, &text))
        };
        paths.filter(mixed).cloned().collect()
    }
}

/// The steps of one claim's trial, carried out.
pub(super) struct Trial<'t> {
    pub(super) prover: &'t Prover<'t>,
    pub(super) bench: &'t Bench<'t>,
    pub(super) store: &'t Store,
    pub(super) claim: Claim<'t>,
    pub(super) differences: &'t [Difference],
    pub(super) rules: Rules,
    /// Must the room be brought to the claimed commit before the next run?
    pub(super) altered: Cell<bool>,
    /// Did gates change tracked files while they ran on the claimed commit?
    wrote: Cell<bool>,
    /// Is it a merge onto a line that was proved?
    pub(super) merge: bool,
    /// Wrong expectations that gates have not told of, once canaries were tried with them.
    pub(super) wrong: RefCell<Option<Expectations>>,
}

impl Trial<'_> {
    /// Brings the room to the claimed commit, if it is not there.
    pub(super) fn stand(&self) -> Result<(), Fault> {
        if self.altered.take() {
            stand(self.bench, self.store, self.claim.commit)?;
        }
        Ok(())
    }

    /// Carries out one step; the claimed commit stands in the room before it runs anything. Steps that may
    /// have nothing to run bring it there themselves.
    fn take(
        &self,
        step: TrialStep,
        (tried, edits): (&mut TrialState, &mut Vec<Edit>),
    ) -> Result<(), Fault> {
        let (bench, claim) = (self.bench, self.claim);
        if !matches!(step, TrialStep::Ends(_) | TrialStep::Expectations) {
            self.stand()?;
        }
        match step {
            TrialStep::Claim => {
                let since = bench.room.moment()?;
                let outcomes = bench.run(claim.gates, claim.before);
                bench.bound(&outcomes);
                tried.claim = Some(outcomes);
                // A gate that writes to what decides must not have what it wrote in what is tried next.
                let listed = objects::files(&bench.room.top, claim.commit)?;
                let mut changed = bench.room.written(listed.into_keys(), since);
                self.altered.set(!changed.is_empty());
                self.wrote.set(!changed.is_empty());
                let same = |path: &String| self.differences.iter().all(|one| one.path != *path);
                changed.retain(|path| same(path) && self.must_stay(path));
                tried.rewritten = changed;
            }
            TrialStep::Look => {
                *edits = self.weighed(self.edits()?)?;
                self.stand()?;
                tried.edits = Some(edits.iter().map(|edit| edit.path().to_owned()).collect());
                let changed = (self.differences, &self.rules);
                tried.special = special::look(bench, self.prover.dusk, claim, changed)?;
                tried.special.extend(self.silenced()?);
                self.stand()?;
                tried.added = self.added()?;
            }
            TrialStep::Dusk => {
                self.overlay(edits)?;
                let since = bench.room.moment()?;
                let outcomes = bench.run(claim.gates, &BTreeMap::new());
                let restored = edits.iter().filter_map(|edit| match edit {
                    Edit::Restore(path) if self.must_stay(path) => Some(path.clone()),
                    _ => None,
                });
                tried.rewritten.extend(bench.room.written(restored, since));
                if !outcomes.iter().all(GateOutcome::passed) {
                    stand(bench, self.store, claim.commit)?;
                    tried.contested = self.prover.contested(bench, claim, edits)?;
                }
                tried.dusk = Some(outcomes);
            }
            TrialStep::Fresh => {
                let fresh = self.fresh()?;
                tried.fresh_red = Some(fresh.red);
                tried.idle = fresh.idle;
                tried.hollow = fresh.red && self.is_hollow()?;
            }
            step => {
                let edits: &[Edit] = if tried.with_dusks() { edits } else { &[] };
                self.can_fail(step, (tried, edits))?;
            }
        }
        Ok(())
    }

    /// A step that tells whether the gates can fail, with these edits in the claimed tree.
    fn can_fail(
        &self,
        step: TrialStep,
        (tried, edits): (&mut TrialState, &[Edit]),
    ) -> Result<(), Fault> {
        match step {
            TrialStep::Outside => {
                let of = (self.claim, self.differences, edits);
                let missed = outside::look(self.prover, self.bench, of)?;
                self.altered.set(missed.is_some());
                tried.outside = Some(missed.unwrap_or_default());
            }
            TrialStep::Canaries => tried.canaries = Some(self.canaries(edits)?),
            TrialStep::Ends(gates) => tried.ends = Some(self.ends(&gates, edits)?),
            TrialStep::Blank(gates) => tried.blanks = Some(self.blanks(&gates, edits)?),
            _ => {
                let outcomes = tried.claim.as_deref().unwrap_or_default();
                tried.unfailing = Some(self.unfailing(outcomes, edits)?);
            }
        }
        Ok(())
    }

    /// Does it decide, and do gates have no reason to write it as they do what they compare with?
    fn must_stay(&self, path: &str) -> bool {
        self.rules.decides(path, false) && !scripts::is_data(path)
    }

    pub(super) fn overlay(&self, edits: &[Edit]) -> Result<(), Fault> {
        self.altered.set(true);
        self.bench.overlay(&self.prover.dusk.commit, edits)
    }

    /// What makes the claimed tree one with dusk's version of what decides.
    fn edits(&self) -> Result<Vec<Edit>, Fault> {
        let granted = self.prover.granted(self.claim)?;
        let all = overlay(self.differences, &self.rules);
        let edits = all
            .into_iter()
            .filter(|edit| self.bench.matters(&self.prover.dusk.commit, edit))
            .filter(|edit| !granted.iter().any(|path| path == edit.path()));
        Ok(edits.collect())
    }

    pub(super) fn decides(&self, path: &str) -> bool {
        self.rules.decides(path, false) || self.rules.may_change.is_match(path)
    }
}

/// Makes the room the clean check-out of a commit, with dusk's ignored files and what set-up makes.
pub(super) fn stand(bench: &Bench<'_>, store: &Store, commit: &str) -> Result<(), Fault> {
    let made = setup::made(bench, store, commit)?;
    let store = made.as_ref().unwrap_or(store);
    bench.room.check_out(commit, &store.roots)?;
    store.provide(&bench.room.top, &bench.room.provided)?;
    submodules::provide(bench.from, &bench.room.top)
}
