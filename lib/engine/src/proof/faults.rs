//! Faults that a gate must notice: failing tests and wrong expectations, at once where that tells both.

use super::dusk;
use super::expectations::Expectations;
use super::notes::{self, Note};
use super::objects;
use super::prove::{Prover, Trial, stand};
use overnight_base::fault::Fault;
use overnight_judge::GateOutcome;
use overnight_judge::proof::canary;
use overnight_judge::proof::weigh::Sighting;
use overnight_judge::proof::{Edit, protect, script_end, spoken};
use std::collections::BTreeMap;

/// Scripts that are read at most to see how they take errors.
const SCRIPTS_MAX: usize = 100;

impl Trial<'_> {
    /// What each gate shows of canaries, with these edits in the claimed tree.
    pub(super) fn canaries(&self, edits: &[Edit]) -> Result<Vec<(String, Sighting)>, Fault> {
        self.overlay(edits)?;
        let paths = self.planted(edits)?;
        let plants = self.bench.plants(&paths, &BTreeMap::new())?;
        if plants.is_empty() {
            return Ok(Vec::new());
        }
        let mut seen = if self.merge {
            Vec::new()
        } else {
            self.at_once(&paths)?
        };
        let dusk = self.prover.dusk;
        seen.retain(|(gate, now)| dusk.tells_apart(gate, now));
        let left = |gate: &&String| !seen.iter().any(|(told, _)| told == *gate);
        let mut left: Vec<String> = self.claim.gates.iter().filter(left).cloned().collect();
        // Before a gate is refused it is looked at once more.
        for last in [false, true] {
            if left.is_empty() {
                break;
            }
            self.stand()?;
            self.overlay(edits)?;
            let sight = || self.bench.sight(&left, &plants);
            let now = if last {
                self.bench.patiently(sight)?.0
            } else {
                sight()?.0
            };
            let (doubted, clear): (Vec<_>, Vec<_>) = now
                .into_iter()
                .partition(|(gate, now)| !last && dusk.is_doubted(gate, now));
            left = doubted.into_iter().map(|(gate, _)| gate).collect();
            seen.extend(clear);
        }
        Ok(seen)
    }

    /// The same with wrong expectations beside the canaries; those that no gate told of are left for later.
    fn at_once(&self, paths: &[String]) -> Result<Vec<(String, Sighting)>, Fault> {
        let bench = self.bench;
        let mut wrong = self.expectations()?;
        let texts = wrong.texts();
        let plants = bench.plants(paths, &texts)?;
        for (path, text) in &texts {
            bench.room.write(path, text)?;
        }
        let (seen, printed) = bench.sight(self.claim.gates, &plants)?;
        wrong.settle(&printed, &plants)?;
        self.wrong.replace(Some(wrong));
        Ok(seen)
    }

    /// Those of the files that stand in the room.
    fn expectations(&self) -> Result<Expectations, Fault> {
        let Prover {
            dusk,
            run,
            notes: told,
            ..
        } = self.prover;
        let found = Expectations::read(self.bench, self.claim.commit, dusk)?;
        Ok(found.remembering(Note::of(run, notes::SETTLED, told), self.claim.gates))
    }

    /// The files that canaries are planted in.
    fn planted(&self, edits: &[Edit]) -> Result<Vec<String>, Fault> {
        let listed = objects::files(&self.prover.place.top, self.claim.commit)?;
        let back = |path: &String| edits.iter().any(|edit| edit.path() == path);
        // The files that showed canaries at dusk come first: what they show is compared.
        let gates = self.prover.dusk.gates.iter();
        let shown = gates
            .filter_map(|gate| gate.canary.as_ref())
            .flat_map(|canary| canary.seen.keys());
        let mut paths: Vec<String> = shown
            .filter(|path| listed.contains_key(*path) || back(path))
            .cloned()
            .collect();
        paths.sort();
        paths.dedup();
        if paths.is_empty() {
            let all = listed.keys();
            paths = canary::choose(all.filter(|path| dusk::is_planted(path) || self.decides(path)));
        }
        Ok(paths)
    }

    /// Is each of these gates that is one script red when that fails at its end?
    pub(super) fn ends(
        &self,
        gates: &[String],
        edits: &[Edit],
    ) -> Result<Vec<(String, bool)>, Fault> {
        let mut found = Vec::new();
        for gate in gates {
            let reached = self.reaches_statements(gate, edits)?;
            found.extend(reached.map(|reached| (gate.clone(), reached)));
            let script = script_end::script(gate);
            let failing = script.map_or_else(|| spoken::failing(gate), |_| Vec::new());
            if script.is_none() && failing.is_empty() {
                continue;
            }
            self.stand()?;
            self.overlay(edits)?;
            let Some(path) = script else {
                let red = self.bench.red(&failing);
                found.extend(red.into_iter().map(|(_, red)| (gate.clone(), red)));
                continue;
            };
            let Some(text) = self.bench.text(path) else {
                continue;
            };
            for failing in script_end::failing(path, &text, self.errors_end()?) {
                self.stand()?;
                self.overlay(edits)?;
                self.bench.room.write(path, &failing)?;
                found.extend(self.bench.red(std::slice::from_ref(gate)));
            }
        }
        Ok(found)
    }

    /// Do the statements that decide still run to their end, where they did at dusk? A client that reads the work
    /// before them may be ended by it.
    fn reaches_statements(&self, gate: &str, edits: &[Edit]) -> Result<Option<bool>, Fault> {
        let named = self.prover.dusk.named.iter();
        let deciding: Vec<&String> = named
            .filter(|path| protect::ending(path) == "sql" && self.decides(path))
            .collect();
        let (claimed, dusk) = (self.claim.commit, self.prover.dusk.commit.as_str());
        for commit in [claimed, dusk].iter().filter(|_| !deciding.is_empty()) {
            self.altered.set(true);
            stand(self.bench, self.store, commit)?;
            if *commit == claimed {
                self.overlay(edits)?;
            }
            for path in &deciding {
                if let Some(text) = self.bench.text(path) {
                    let text = format!("{}\n{}\n", text.trim_end(), script_end::STATEMENT.0);
                    self.bench.room.write(path, &text)?;
                }
            }
            let (outcome, printed) = self.bench.run_with_output(gate);
            let told = printed.contains(script_end::STATEMENT.1);
            if told || *commit == claimed && !outcome.passed() {
                return Ok(Some(*commit == claimed));
            }
        }
        Ok(None)
    }

    /// Did no script of the project have errors pass on when the run began?
    fn errors_end(&self) -> Result<bool, Fault> {
        let (top, commit) = (&self.prover.place.top, &self.prover.dusk.commit);
        let mut scripts = objects::files(top, commit)?.into_keys();
        let passes = |path: &String| {
            objects::file(top, commit, path)
                .is_some_and(|text| script_end::sets_errors(&text, true))
        };
        let shell = |path: &String| matches!(protect::ending(path), "sh" | "bash");
        Ok(!scripts
            .by_ref()
            .filter(shell)
            .take(SCRIPTS_MAX)
            .any(|path| passes(&path)))
    }

    /// Assertions that hold whatever they expect: dusk's first, then those of new tests.
    pub(super) fn unfailing(
        &self,
        outcomes: &[GateOutcome],
        edits: &[Edit],
    ) -> Result<Vec<String>, Fault> {
        let (bench, prover) = (self.bench, self.prover);
        let added = |edit: &&Edit| match edit {
            Edit::Remove(path) => protect::kind(path) == Some(protect::Kind::Test),
            _ => false,
        };
        let added: Vec<&str> = edits.iter().filter(added).map(Edit::path).collect();
        let gates = (self.claim.gates, outcomes);
        let known = self.wrong.take();
        if known.as_ref().is_none_or(|known| !known.is_settled()) {
            self.stand()?;
            self.overlay(edits)?;
            let known = match known {
                Some(known) => known,
                None => self.expectations()?,
            };
            let found = known.unfailing(bench, prover.dusk, gates)?;
            if !found.is_empty() {
                return Ok(found);
            }
        }
        if !added.is_empty() {
            self.stand()?;
            self.altered.set(true);
            let mut new = self.expectations()?.only(&added);
            let files: Vec<String> = added.iter().map(|path| (*path).to_owned()).collect();
            new.try_alone(self.bench, &self.by_themselves(&files)?)?;
            let found = new.unfailing(bench, prover.dusk, gates)?;
            if !found.is_empty() {
                return Ok(found);
            }
        }
        let spoken = self.spoken(edits)?;
        if !spoken.is_empty() {
            return Ok(spoken);
        }
        self.answered(outcomes, edits)
    }

    /// Gates on whose own command line an assertion holds whatever it expects.
    fn spoken(&self, edits: &[Edit]) -> Result<Vec<String>, Fault> {
        let mut standing = false;
        for gate in self.claim.gates {
            for (wrong, forced) in spoken::wrong(gate) {
                if !standing {
                    self.altered.set(true);
                    self.stand()?;
                    self.overlay(edits)?;
                    standing = true;
                }
                if self.bench.passes(&wrong) && !self.bench.passes(&forced) {
                    return Ok(vec![format!("gate {gate:?}")]);
                }
            }
        }
        Ok(Vec::new())
    }
}
