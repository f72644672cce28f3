//! Gates with the sources gone: one that stays green proves nothing.

use super::objects;
use super::prove::{Trial, stand};
use super::trial::stays;
use overnight_base::fault::Fault;
use overnight_judge::proof::overlay::Difference;
use overnight_judge::proof::{Edit, blank, manifest, protect};
use overnight_run::setup;
use std::collections::BTreeMap;

impl Trial<'_> {
    /// Is each of these gates red with the sources gone, or at least with nothing in them? One that looks
    /// for what must not be there is green then by its nature, as it is with dusk's: it is left out. Where
    /// nothing but what decides was changed, as the task may, there is no other work to miss.
    pub(super) fn blanks(
        &self,
        gates: &[String],
        edits: &[Edit],
    ) -> Result<Vec<(String, bool)>, Fault> {
        let changed = |path: &str| self.differences.iter().any(|one| one.path == path);
        // What a gate only names is the work, where it was changed.
        let kept =
            |path: &str| self.decides(path) && (protect::kind(path).is_some() || !changed(path));
        if self.differences.iter().all(|one| kept(&one.path)) || self.leaves_dusks(edits, &kept)? {
            return Ok(Vec::new());
        }
        let mut found = Vec::new();
        let mut left = gates.to_vec();
        left.retain(|gate| !blank::forbids(gate));
        for (commit, gone, manifests) in [
            (self.claim.commit, true, false),
            (self.claim.commit, false, false),
            // What a manifest says may be all of the work.
            (self.claim.commit, true, true),
            (self.prover.dusk.commit.as_str(), true, false),
        ] {
            if left.is_empty() {
                break;
            }
            let listed = objects::files(&self.prover.place.top, commit)?;
            self.altered.set(true);
            stand(self.bench, self.store, commit)?;
            if commit == self.claim.commit {
                self.overlay(edits)?;
            }
            self.bench.blank(listed.keys(), &kept, gone)?;
            if manifests && !self.with_dusks_manifests()? {
                continue;
            }
            let (red, green): (Vec<_>, Vec<_>) =
                self.bench.red(&left).into_iter().partition(|(_, red)| *red);
            left = green.into_iter().map(|(gate, _)| gate).collect();
            if commit == self.claim.commit {
                found.extend(red);
            } else {
                found.extend(red.into_iter().map(|(gate, _)| (gate, false)));
            }
        }
        Ok(found)
    }

    /// Is what stands in the room with the sources gone what would stand there of dusk's commit, too? So it is with
    /// most claims, and with most merges: the gates of everything that has landed are not tried again at each.
    fn leaves_dusks(&self, edits: &[Edit], kept: &dyn Fn(&str) -> bool) -> Result<bool, Fault> {
        let top = &self.prover.place.top;
        let claimed = objects::files(top, self.claim.commit)?;
        let dusk = objects::files(top, &self.prover.dusk.commit)?;
        let commands = self.prover.setup.commands;
        let prepared = |files: &BTreeMap<String, String>| {
            let files = files.iter();
            setup::key(
                commands,
                files.map(|(path, about)| (path.as_str(), about.as_str())),
            )
        };
        let stays = |path: &str| stays(path, kept);
        Ok(
            (commands.is_empty() || prepared(&claimed) == prepared(&dusk))
                && blank::is_dusks(&claimed, &dusk, edits, &stays),
        )
    }

    /// Puts dusk's manifests in place of those that the claim changed, if it did.
    fn with_dusks_manifests(&self) -> Result<bool, Fault> {
        let changed = self
            .differences
            .iter()
            .filter(|one| manifest::is(&one.path));
        let (old, new): (Vec<&Difference>, Vec<&Difference>) = changed.partition(|one| one.before);
        for file in &new {
            self.bench.room.remove(&file.path)?;
        }
        let old: Vec<String> = old.into_iter().map(|file| file.path.clone()).collect();
        self.bench.room.restore(&self.prover.dusk.commit, &old)?;
        Ok(!old.is_empty() || !new.is_empty())
    }
}
