//! A claim's new tests, run on dusk's sources: some must fail there, and those that pass are named.

use super::notes::{self, Note};
use super::objects;
use super::prove::{Trial, stand};
use super::trial::{Bench, counts};
use overnight_base::code::Code;
use overnight_base::fault::Fault;
use overnight_base::session::hex;
use overnight_judge::proof::fresh::{Added, idle};
use overnight_judge::proof::overlay::{self, Difference};
use overnight_judge::proof::{Edit, hollow, inline, manifest, narrow, protect};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;

/// What the claim's tests said of dusk's sources.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct Fresh {
    /// Was a gate red?
    pub(super) red: bool,
    /// The new tests that pass there.
    pub(super) idle: Vec<String>,
}

/// Is it a new file of tests?
pub(super) fn is_added(file: &Difference) -> bool {
    !file.before && file.after && narrow::is_test(&file.path)
}

impl Trial<'_> {
    /// The new files of tests that stand in no commit that the run proved before.
    pub(super) fn added(&self) -> Result<Vec<String>, Fault> {
        let added = self.differences.iter().filter(|file| is_added(file));
        let added: Vec<String> = added.map(|file| file.path.clone()).collect();
        let Some(proved) = self.claim.proved.filter(|_| !added.is_empty()) else {
            return Ok(added);
        };
        let known = objects::files(&self.bench.room.top, proved)?;
        let new = added.into_iter().filter(|path| !known.contains_key(path));
        Ok(new.collect())
    }

    /// The gates with the claim's tests on dusk's sources; where that tells nothing, new files with their own tests
    /// with nothing else in them.
    pub(super) fn fresh(&self) -> Result<Fresh, Fault> {
        let mut fresh = self.known()?;
        fresh.red = fresh.red || self.is_red_emptied()?;
        Ok(fresh)
    }

    /// The gates with the claim's tests on dusk's sources. The same tests are tried once in a run.
    fn known(&self) -> Result<Fresh, Fault> {
        let note = Note::of(self.prover.run, notes::FRESH, self.prover.notes);
        let mut known: BTreeMap<String, Fresh> =
            serde_json::from_slice(&note.read()).unwrap_or_default();
        let (tests, inline) = self.of_tests();
        let key = self.key(&tests, &inline)?;
        if let Some(fresh) = known.get(&key) {
            return Ok(fresh.clone());
        }
        let fresh = self.tried(&tests, inline)?;
        known.insert(key, fresh.clone());
        let json = serde_json::to_vec(&known);
        let json = json.map_err(|error| Fault::new(Code::Defect, error.to_string()))?;
        note.write(&json)?;
        Ok(fresh)
    }

    /// The files of tests that the claim has in another way, and the sources that may hold tests.
    fn of_tests(&self) -> (Vec<String>, Vec<&String>) {
        let test = |difference: &&Difference| {
            let path = &difference.path;
            difference.after
                && (protect::kind(path) == Some(protect::Kind::Test)
                    || self.rules.may_change.is_match(path))
        };
        let tests = self.differences.iter().filter(test);
        let tests: Vec<String> = tests.map(|difference| difference.path.clone()).collect();
        let inline = self.differences.iter().filter(|difference| {
            overlay::has_inline(&difference.path) && difference.before && difference.after
        });
        let inline: Vec<&String> = inline
            .map(|difference| &difference.path)
            .filter(|path| !tests.contains(path))
            .collect();
        (tests, inline)
    }

    /// What the answer depends on: dusk's sources are the same in all of a run.
    fn key(&self, tests: &[String], inline: &[&String]) -> Result<String, Fault> {
        let listed = objects::files(&self.bench.room.top, self.claim.commit)?;
        let mut digest = Sha256::new();
        let paths = tests.iter().chain(inline.iter().copied());
        let contents = paths.flat_map(|path| [path, listed.get(path).unwrap_or(path)]);
        for part in self.claim.gates.iter().chain(contents) {
            digest = digest.chain_update(part).chain_update([0]);
        }
        Ok(hex(&digest.finalize()[..16]))
    }

    fn tried(&self, tests: &[String], inline: Vec<&String>) -> Result<Fresh, Fault> {
        let (bench, claim) = (self.bench, self.claim);
        if tests.is_empty() && inline.is_empty() {
            return Ok(Fresh::default());
        }
        let files: Vec<String> = tests
            .iter()
            .filter(|path| narrow::is_test(path))
            .cloned()
            .collect();
        let alone = self.passing_alone(&files)?;
        self.altered.set(true);
        stand(bench, self.store, &self.prover.dusk.commit)?;
        bench.room.restore(claim.commit, tests)?;
        let mut spliced = Vec::new();
        for path in inline {
            // The other way round: the claim's tests in dusk's source.
            let edit = Edit::Inline(path.clone());
            if bench.matters(claim.commit, &edit) {
                bench.overlay(claim.commit, &[edit])?;
                spliced.push(path);
            }
        }
        if tests.is_empty() && spliced.is_empty() {
            return Ok(Fresh::default());
        }
        // Tests within sources are in no file that a runner could take.
        let alone = if spliced.is_empty() {
            alone
        } else {
            Vec::new()
        };
        let ran = if let Some(red) = self.red_alone(&alone) {
            vec![red]
        } else {
            let gates = claim.gates.iter();
            gates.map(|gate| bench.run_with_output(gate)).collect()
        };
        let added: Vec<Added> = files
            .iter()
            .chain(spliced)
            .filter_map(|path| self.new_tests(bench, path))
            .collect();
        Ok(Fresh {
            red: ran.iter().any(|(gate, _)| !counts(gate)),
            idle: idle(&added, &ran),
        })
    }

    /// Are the gates green with nothing in what the claim wrote? Then its new tests see no more of it than its name.
    pub(super) fn is_hollow(&self) -> Result<bool, Fault> {
        let dusks = &self.prover.dusk.gates;
        if dusks
            .iter()
            .any(|gate| !gate.passed && self.claim.gates.contains(&gate.command))
        {
            return Ok(false);
        }
        self.altered.set(true);
        self.stand()?;
        let dusk = &self.prover.dusk.commit;
        let works = self.differences.iter().filter(|file| {
            let path = &file.path;
            file.after
                && !self.decides(path)
                && protect::kind(path).is_none()
                && !manifest::is(path)
        });
        let mut emptied = Vec::new();
        for file in works {
            let path = &file.path;
            let before = objects::file(&self.bench.room.top, dusk, path).filter(|_| file.before);
            let Some(text) = self.bench.text(path) else {
                continue;
            };
            // New tests beside what they test see its constants and types, too, which stay.
            let known = before.as_deref().unwrap_or_default();
            if protect::ending(path) == "rs" && Added::of(path, &text, known).is_any() {
                return Ok(false);
            }
            let empty = hollow::emptied(path, before.as_deref(), &text);
            emptied.extend(empty.map(|empty| (path, empty)));
        }
        if emptied.is_empty() {
            return Ok(false);
        }
        let alone = self.passing_alone(&self.added()?)?;
        self.write(&emptied)?;
        Ok(self.red_alone(&alone).is_none() && self.all_green())
    }

    /// Is a gate red with nothing in the functions of new files that hold new tests of their own? On dusk's sources
    /// such tests cannot be tried. What only moved there stays.
    fn is_red_emptied(&self) -> Result<bool, Fault> {
        let new = |file: &&Difference| {
            let path = &file.path;
            !file.before && file.after && protect::kind(path).is_none()
        };
        let new: Vec<_> = self.differences.iter().filter(new).collect();
        if !new.iter().any(|file| overlay::has_inline(&file.path)) {
            return Ok(false);
        }
        self.stand()?;
        let dusk = &self.prover.dusk.commit;
        let before = self.differences.iter().filter(|file| file.before);
        let before = before.filter_map(|f| objects::file(&self.bench.room.top, dusk, &f.path));
        let before = before.collect::<Vec<_>>().join("\n");
        let emptied = new.iter().filter_map(|file| {
            let path = &file.path;
            let text = self.bench.text(path)?;
            let tested = inline::is_tested(path, &text) && Added::of(path, &text, &before).is_any();
            Some((
                path,
                hollow::emptied(path, Some(&before), &text).filter(|_| tested)?,
            ))
        });
        let emptied: Vec<_> = emptied.collect();
        self.write(&emptied)?;
        Ok(!emptied.is_empty() && !self.all_green())
    }

    fn write(&self, texts: &[(&String, String)]) -> Result<(), Fault> {
        for (path, text) in texts {
            self.altered.set(true);
            self.bench.room.write(path, text)?;
        }
        Ok(())
    }

    /// The tests that a file in the room has beyond dusk's, if it has some or is new.
    fn new_tests(&self, bench: &Bench<'_>, path: &str) -> Option<Added> {
        let before = objects::file(&bench.room.top, &self.prover.dusk.commit, path);
        let added = Added::of(
            path,
            &bench.text(path)?,
            before.as_deref().unwrap_or_default(),
        );
        (before.is_none() || added.is_any()).then_some(added)
    }
}
