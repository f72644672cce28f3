//! What gates compare with, given another content: where they stay green, what they check takes its answers from
//! there.

use super::expectations::{ALONE_MAX, BUDGET};
use super::objects;
use super::prove::Trial;
use super::trial::counts;
use overnight_base::fault::Fault;
use overnight_judge::GateOutcome;
use overnight_judge::proof::{Edit, answers};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// Files that are changed at most.
const FILES_MAX: usize = 200;

/// Their right text, and another one.
type Texts = BTreeMap<String, (String, String)>;

impl Trial<'_> {
    /// Files of answers that the gates need and whose content they pass whatever it is. The room is left
    /// changed.
    pub(super) fn answered(
        &self,
        outcomes: &[GateOutcome],
        edits: &[Edit],
    ) -> Result<Vec<String>, Fault> {
        let listed = objects::files(&self.prover.place.top, self.claim.commit)?;
        let mut paths: Vec<String> = listed.into_keys().collect();
        paths.retain(|path| answers::is(path) && self.decides(path));
        if paths.is_empty() {
            return Ok(paths);
        }
        self.altered.set(true);
        self.stand()?;
        self.overlay(edits)?;
        let both = |path: String| {
            let text = self.bench.text(&path)?;
            let wrong = answers::wrong(&text)?;
            Some((path, (text, wrong)))
        };
        let texts: Texts = paths.into_iter().filter_map(both).take(FILES_MAX).collect();
        if texts.is_empty() {
            return Ok(Vec::new());
        }
        let took: u64 = outcomes.iter().map(|gate| gate.ms).sum();
        let until = Instant::now() + BUDGET.max(Duration::from_millis(2 * took));
        let every: Vec<&String> = texts.keys().collect();
        if self.is_green(&texts, &every)? {
            return self.needed(&every);
        }
        // One that is compared with hides one that is copied from.
        for path in every.iter().copied().take(ALONE_MAX) {
            if texts.len() == 1 || Instant::now() >= until {
                break;
            }
            if self.is_green(&texts, &[path])? {
                let found = self.needed(&[path])?;
                if !found.is_empty() {
                    return Ok(found);
                }
            }
        }
        Ok(Vec::new())
    }

    /// Are the gates green with these files wrong and the others right?
    fn is_green(&self, texts: &Texts, wrong: &[&String]) -> Result<bool, Fault> {
        for (path, (right, other)) in texts {
            let text = if wrong.contains(&path) { other } else { right };
            self.bench.room.write(path, text)?;
        }
        Ok(self.all_green())
    }

    /// Those of them, where the gates fail without them.
    fn needed(&self, paths: &[&String]) -> Result<Vec<String>, Fault> {
        for path in paths {
            self.bench.room.remove(path)?;
        }
        let green = self.all_green();
        let found = paths.iter().filter(|_| !green);
        Ok(found.map(|path| (*path).clone()).collect())
    }

    pub(super) fn all_green(&self) -> bool {
        let mut gates = self.claim.gates.iter();
        gates.all(|gate| counts(&self.bench.run_with_output(gate).0))
    }
}
