//! A hunk of the change is taken back, and the gates run without it.

use super::dusk;
use super::ignored::Store;
use super::objects;
use super::prove::{Prover, stand};
use super::room::Room;
use super::trial::counts;
use overnight_base::fault::Fault;
use overnight_judge::proof::{hunks, manifest, protect};
use overnight_run::hunks::Hunk;
use std::collections::BTreeMap;
use std::time::Instant;

/// Hunks of a change that are tried.
const HUNKS_MAX: usize = 200;

impl Prover<'_> {
    /// Tries the first hunk of a commit's change since dusk that was not tried yet.
    pub fn try_hunk(
        &self,
        commit: &str,
        gates: &[String],
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
        stand(&bench, &store, commit)?;
        let noticed = match bench.text(&hunk.path) {
            Some(text) => {
                room.write(&hunk.path, &hunk.taken_back(&text))?;
                gates
                    .iter()
                    .any(|gate| !counts(&bench.run_with_output(gate).0))
            }
            None => true,
        };
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
