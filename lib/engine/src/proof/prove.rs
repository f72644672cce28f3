//! A claim is tried.

use super::expectations::Expectations;
use super::ignored::Store;
use super::own::Own;
use super::room::Room;
use super::trial::Bench;
use super::{dusk, objects, outside, programs, special};
use crate::cell::Cells;
use crate::state::Place;
use crate::submodules;
use globset::GlobSet;
use overnight_base::fault::Fault;
use overnight_judge::GateOutcome;
use overnight_judge::gates::Baseline;
use overnight_judge::proof::contest::Changed;
use overnight_judge::proof::overlay::{Difference, Rules};
use overnight_judge::proof::weigh::{Sighting, Trials};
use overnight_judge::proof::{Dusk, Edit, Proof, canary, inline, overlay, protect, weigh};
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
    /// Did a claim of this task go back because of what it changed of the tests?
    pub contested: bool,
    /// Changed tests that count all the same.
    pub granted: &'a [Changed],
}

/// What the trials gave.
#[derive(Debug, Default)]
struct Found {
    dusk: Option<Vec<GateOutcome>>,
    edits: Vec<String>,
    contested: Vec<Changed>,
    canaries: Vec<(String, Sighting)>,
    blanks: Vec<(String, bool)>,
    unfailing: Vec<String>,
    special: Vec<String>,
    outside: Vec<String>,
    fresh_red: bool,
}

impl Prover<'_> {
    /// Tries a claim; gives what the gates said on the commit as it is, and what was found beside that.
    pub fn prove(&self, claim: Claim<'_>) -> Result<(Vec<GateOutcome>, Proof), Fault> {
        let room = Room::enter(self.place, claim.commit)?;
        let store = Store::open(&dusk::store(self.place, self.run));
        let bench = self.bench(&room)?;
        let differences = objects::differences(&self.place.top, &self.dusk.commit, claim.commit)?;
        let programs = dusk::changed_programs(self.run, self.home);
        stand(&bench, &store, claim.commit)?;
        let mut outcomes = bench.run(claim.gates, claim.before);
        let mut found = Found::default();
        if outcomes.iter().all(GateOutcome::passed) && programs.is_empty() {
            found = self.look_closer(&bench, &store, (claim, &differences))?;
            if claim.contested || found.dusk.iter().flatten().all(GateOutcome::passed) {
                stand(&bench, &store, claim.commit)?;
                found.unfailing = Expectations::read(&bench, claim.commit, self.dusk)?.unfailing(
                    &bench,
                    (&store, claim.commit, self.dusk),
                    (claim.gates, &outcomes),
                )?;
            }
        }
        let findings = weigh(
            self.dusk,
            self.baseline,
            &Trials {
                changed: Some(!differences.is_empty()),
                claim: &outcomes,
                dusk: found.dusk.as_deref(),
                edits: &found.edits,
                contested: &found.contested,
                canaries: &found.canaries,
                blanks: &found.blanks,
                unfailing: &found.unfailing,
                special: &found.special,
                outside: &found.outside,
                fresh_red: found.fresh_red,
                programs: &programs,
            },
        );
        // What failed with dusk's tests is what the next iteration must read; a person reads both sides.
        let failed = found.dusk.into_iter().flatten();
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
            },
        ))
    }

    pub(super) fn bench<'b>(&'b self, room: &'b Room) -> Result<Bench<'b>, Fault> {
        Ok(Bench {
            room,
            from: self.home,
            limit: self.limit,
            cells: self.cells,
            own: Own::make(room, Some(&self.run.join(dusk::FOLDER)), self.cells)?,
        })
    }

    /// Runs gates on a commit as it is; for the end of a run.
    pub fn hold(&self, commit: &str, gates: &[String]) -> Result<Vec<GateOutcome>, Fault> {
        let room = Room::enter(self.place, commit)?;
        let store = Store::open(&dusk::store(self.place, self.run));
        let bench = self.bench(&room)?;
        stand(&bench, &store, commit)?;
        Ok(bench.run(gates, &BTreeMap::new()))
    }

    /// The gates pass on the commit: do they with dusk's tests, can they still fail, were they red?
    fn look_closer(
        &self,
        bench: &Bench<'_>,
        store: &Store,
        (claim, differences): (Claim<'_>, &[Difference]),
    ) -> Result<Found, Fault> {
        let python = differences
            .iter()
            .any(|difference| !difference.before && protect::ending(&difference.path) == "py");
        let rules = Rules {
            named: self.dusk.named.iter().cloned().collect(),
            protect: self.protect.clone(),
            may_change: claim.may_change.clone(),
            mixed: self.mixed(differences),
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
        };
        let all = overlay(differences, &rules);
        let granted = self.granted(claim)?;
        let edits: Vec<Edit> = all
            .into_iter()
            .filter(|edit| bench.matters(&self.dusk.commit, edit))
            .filter(|edit| !granted.iter().any(|path| path == edit.path()))
            .collect();
        let mut found = Found {
            edits: edits.iter().map(|edit| edit.path().to_owned()).collect(),
            special: special::look(bench, self.dusk, claim, (differences, &rules))?,
            ..Found::default()
        };
        found.outside = outside::look(self, (bench, store), (claim, differences))?;
        if !edits.is_empty() {
            bench.overlay(&self.dusk.commit, &edits)?;
            let outcomes = bench.run(claim.gates, &BTreeMap::new());
            let failed = !outcomes.iter().all(GateOutcome::passed);
            found.dusk = Some(outcomes);
            stand(bench, store, claim.commit)?;
            if failed {
                found.contested = self.contested(bench, claim, &edits)?;
                if !claim.contested {
                    return Ok(found);
                }
            }
        }
        self.see_canaries(bench, store, (claim, &rules, &mut found))?;
        let red = |command: &String| self.dusk.gate(command).is_some_and(|gate| !gate.passed);
        if !claim.gates.iter().any(red) {
            found.fresh_red = self.fresh(bench, store, (claim, differences, &rules))?;
        }
        Ok(found)
    }

    /// The changed tests of the claim that count all the same.
    fn granted(&self, claim: Claim<'_>) -> Result<Vec<String>, Fault> {
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

    fn see_canaries(
        &self,
        bench: &Bench<'_>,
        store: &Store,
        (claim, rules, found): (Claim<'_>, &Rules, &mut Found),
    ) -> Result<(), Fault> {
        let listed = objects::files(&self.place.top, claim.commit)?;
        let decides = |path: &str| rules.decides(path, false) || rules.may_change.is_match(path);
        // The files that showed canaries at dusk come first: what they show is compared.
        let shown = self
            .dusk
            .gates
            .iter()
            .filter_map(|gate| gate.canary.as_ref())
            .flat_map(|canary| canary.seen.keys());
        let mut plants: Vec<String> = shown
            .filter(|path| listed.contains_key(*path))
            .cloned()
            .collect();
        plants.sort();
        plants.dedup();
        let more = canary::choose(
            listed
                .keys()
                .filter(|path| dusk::is_planted(path) || decides(path)),
        );
        if plants.is_empty() {
            plants = more;
        }
        found.canaries = bench.canaries(claim.gates, &plants)?;
        if !plants.is_empty() {
            stand(bench, store, claim.commit)?;
        }
        let unknown = |(command, now): &&(String, Sighting)| {
            !now.red && self.dusk.gate(command).is_none_or(|gate| !gate.passed)
        };
        let unknown: Vec<String> = found
            .canaries
            .iter()
            .filter(unknown)
            .map(|(command, _)| command.clone())
            .collect();
        if !unknown.is_empty() {
            bench.blank(listed.keys(), &decides, true)?;
            found.blanks = bench.red(&unknown);
            stand(bench, store, claim.commit)?;
        }
        Ok(())
    }

    /// Is a gate red with the claim's tests on dusk's sources?
    fn fresh(
        &self,
        bench: &Bench<'_>,
        store: &Store,
        (claim, differences, rules): (Claim<'_>, &[Difference], &Rules),
    ) -> Result<bool, Fault> {
        let test = |difference: &&Difference| {
            let path = &difference.path;
            difference.after
                && (protect::kind(path) == Some(protect::Kind::Test)
                    || rules.may_change.is_match(path))
        };
        let tests: Vec<String> = differences
            .iter()
            .filter(test)
            .map(|difference| difference.path.clone())
            .collect();
        let inline: Vec<&Difference> = differences
            .iter()
            .filter(|difference| {
                overlay::has_inline(&difference.path) && difference.before && difference.after
            })
            .collect();
        if tests.is_empty() && inline.is_empty() {
            return Ok(false);
        }
        stand(bench, store, &self.dusk.commit)?;
        bench.room.restore(claim.commit, &tests)?;
        let mut spliced = false;
        for difference in inline
            .iter()
            .filter(|difference| !tests.contains(&difference.path))
        {
            // The other way round: the claim's tests in dusk's source.
            let edit = Edit::Inline(difference.path.clone());
            if bench.matters(claim.commit, &edit) {
                bench.overlay(claim.commit, &[edit])?;
                spliced = true;
            }
        }
        if tests.is_empty() && !spliced {
            return Ok(false);
        }
        Ok(bench.red(claim.gates).iter().any(|(_, red)| *red))
    }
}

/// Makes the room the clean check-out of a commit, with dusk's ignored files.
pub(super) fn stand(bench: &Bench<'_>, store: &Store, commit: &str) -> Result<(), Fault> {
    bench.room.check_out(commit, &store.roots)?;
    store.provide(&bench.room.top, &bench.room.provided)?;
    submodules::provide(bench.from, &bench.room.top)
}
