//! A hunk of the change is taken back, and the gates run without it.

use super::dusk;
use super::ignored::Store;
use super::objects;
use super::prove::{Prover, stand};
use super::room::Room;
use super::trial::Bench;
use overnight_base::fault::Fault;
use overnight_judge::GateOutcome;
use overnight_judge::proof::{hunks, manifest, narrow, protect};
use overnight_run::hunks::Hunk;
use overnight_sample::hash::Key;
use overnight_sample::rate::Rate;
use overnight_sample::ring::{List, Ring};
use overnight_views::summary::work::is_own;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

/// Of the project's test files so many are a sample.
const SAMPLE: u64 = 10;
/// Hunks of a change that are tried.
const HUNKS_MAX: usize = 200;

/// The final commit in the room, and the hunk that it is tried without.
struct Without<'w> {
    bench: &'w Bench<'w>,
    hunk: &'w hunks::Hunk,
}

impl Without<'_> {
    /// Does a gate miss the hunk? First only the test files run that touch its file by name, then a sample of
    /// all of them, then the gates as they are.
    fn is_noticed(
        &self,
        gates: &[String],
        listed: &BTreeMap<String, String>,
    ) -> Result<bool, Fault> {
        let (bench, hunk) = (self.bench, self.hunk);
        let Some(text) = bench.text(&hunk.path) else {
            return Ok(true);
        };
        let without = hunk.taken_back(&text);
        bench.room.write(&hunk.path, &without)?;
        let tests: Vec<&String> = listed.keys().filter(|path| narrow::is_test(path)).collect();
        let touching = narrow::touching(&hunk.path, listed.keys(), |path| bench.text(path));
        let is_path = |path: &str| narrow::stands_in(listed, path);
        let mut tried = BTreeSet::new();
        for files in [touching, sampled(&tests)?] {
            let few = files.len() < tests.len();
            let small = gates
                .iter()
                .filter_map(|gate| narrow::narrowed(gate, &files, is_path));
            for command in small.filter(|_| few) {
                if gates.contains(&command)
                    || !tried.insert(command.clone())
                    || bench.passes(&command)
                {
                    continue;
                }
                // It must say no of the hunk, and not of itself.
                bench.room.write(&hunk.path, &text)?;
                let alone = bench.passes(&command);
                bench.room.write(&hunk.path, &without)?;
                if alone {
                    return Ok(true);
                }
            }
        }
        Ok(!gates.iter().all(|gate| bench.passes(gate)))
    }
}

/// A sample of the test files, the same each time.
fn sampled(tests: &[&String]) -> Result<Vec<String>, Fault> {
    let text = tests
        .iter()
        .flat_map(|path| [path.as_str(), "\n"])
        .collect::<String>();
    let list = List::new(text.as_bytes(), b'\n')?;
    let ring = Ring::new(&list, &Key::new("hunks"))?;
    let size = Rate::one_of(SAMPLE).size(ring.len());
    Ok((0..size).map(|at| ring.id(at).to_owned()).collect())
}

impl Prover<'_> {
    /// Tries the first hunk of a commit's change since dusk that was not tried yet; `ran` says how long gates took.
    pub fn try_hunk(
        &self,
        commit: &str,
        (gates, ran): (&[String], &[GateOutcome]),
        tried: &BTreeMap<String, bool>,
    ) -> Result<Hunk, Fault> {
        let began = Instant::now();
        let all = self.hunks(commit)?;
        let of = all.len() as u64;
        let Some(hunk) = all.iter().find(|hunk| !tried.contains_key(&hunk.place())) else {
            return Ok(Hunk {
                of,
                ..Hunk::default()
            });
        };
        let room = Room::enter(self.place, commit)?;
        let store = Store::noted(self.home, &dusk::store(self.place, self.run))?;
        let bench = self.bench(&room)?;
        bench.bound(ran);
        stand(&bench, &store, commit)?;
        let listed = objects::files(&self.place.top, commit)?;
        let noticed = Without {
            bench: &bench,
            hunk,
        }
        .is_noticed(gates, &listed)?;
        Ok(Hunk {
            place: Some(hunk.place()),
            noticed,
            of,
            ms: u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX),
        })
    }

    /// The hunks of sources.
    fn hunks(&self, commit: &str) -> Result<Vec<hunks::Hunk>, Fault> {
        let arguments = [
            "-c",
            "core.quotePath=false",
            "diff",
            "-U0",
            "--no-color",
            "--no-renames",
            "--no-ext-diff",
            "--no-textconv",
            &self.dusk.commit,
            commit,
            "--",
        ];
        let difference = objects::read_at(&self.place.top, &arguments)?;
        let works = |path: &&str| {
            protect::kind(path).is_none()
                && !is_own(path)
                && !manifest::is(path)
                && !self.dusk.named.iter().any(|named| named == path)
                && !self.protect.is_match(path)
        };
        let mut found = Vec::new();
        for file in difference.split("diff --git ").skip(1) {
            let path = file.lines().find_map(|line| line.strip_prefix("+++ b/"));
            if let Some(path) = path.map(|path| path.trim_end_matches('\t')).filter(works) {
                found.extend(hunks::of(path, file));
            }
        }
        found.truncate(HUNKS_MAX);
        Ok(found)
    }
}
