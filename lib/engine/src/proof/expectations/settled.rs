//! What a run's proofs know of assertions, by the content of their file and the gates that were run: what
//! was tried by itself once need not be again.

use super::super::notes::Note;
use overnight_base::code::Code;
use overnight_base::fault::Fault;
use overnight_base::session::hex;
use overnight_judge::proof::expect::Site;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, BTreeSet};

/// The assertions of one file, by their first lines.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
struct Known {
    /// Gates told of them with all of them wrong; they must each time.
    at_once: BTreeSet<usize>,
    /// Gates told of them when what stood before them in the same test was right, or failed by them alone.
    alone: BTreeSet<usize>,
}

/// What is known, and where it is noted.
#[derive(Debug, Default)]
pub(super) struct Settled {
    note: Option<Note>,
    /// By path, what the file holds.
    contents: BTreeMap<String, String>,
    /// By content.
    before: BTreeMap<String, Known>,
    now: BTreeMap<String, Known>,
}

impl Settled {
    /// Reads what was noted for files of these texts.
    pub(super) fn open(note: Note, gates: &[String], texts: &BTreeMap<String, String>) -> Self {
        let bytes = note.read();
        let content = |(path, text): (&String, &String)| {
            let mut digest = Sha256::new();
            for part in gates.iter().chain([path, text]) {
                digest = digest.chain_update(part).chain_update([0]);
            }
            (path.clone(), hex(&digest.finalize()[..16]))
        };
        Self {
            note: Some(note),
            contents: texts.iter().map(content).collect(),
            before: serde_json::from_slice(&bytes).unwrap_or_default(),
            now: BTreeMap::new(),
        }
    }

    /// Those of these files alone are looked at.
    pub(super) fn only(&mut self, paths: &[&str]) {
        self.contents
            .retain(|path, _| paths.contains(&path.as_str()));
    }

    fn before(&self, path: &str) -> Option<&Known> {
        self.before.get(self.contents.get(path)?)
    }

    /// Was the file looked at to its end without a word of this one? It may not be reached.
    pub(super) fn is_silent(&self, site: &Site) -> bool {
        let line = site.lines.0;
        self.before(&site.path)
            .is_some_and(|known| !known.at_once.contains(&line) && !known.alone.contains(&line))
    }

    /// Was it told of before only by itself?
    pub(super) fn is_known_alone(&self, site: &Site) -> bool {
        self.before(&site.path)
            .is_some_and(|known| known.alone.contains(&site.lines.0))
    }

    /// A gate told of it: with all others wrong, or by itself.
    pub(super) fn told(&mut self, site: &Site, at_once: bool) {
        let Some(content) = self.contents.get(&site.path) else {
            return;
        };
        let known = self.now.entry(content.clone()).or_default();
        let lines = if at_once {
            &mut known.at_once
        } else {
            &mut known.alone
        };
        lines.insert(site.lines.0);
    }

    /// Do these gates tell of assertions at all? What they say nothing of is tried each time where not.
    pub(super) fn tells(&self) -> bool {
        self.now.values().any(|known| !known.at_once.is_empty())
    }

    /// Notes what was found: these files were looked at to the end.
    pub(super) fn save(&mut self) -> Result<(), Fault> {
        let Some(note) = self.note.as_ref().filter(|_| self.tells()) else {
            return Ok(());
        };
        for content in self.contents.values() {
            let (known, now) = (
                self.before.entry(content.clone()).or_default(),
                self.now.remove(content).unwrap_or_default(),
            );
            known.at_once.extend(now.at_once);
            known.alone.extend(now.alone);
        }
        let json = serde_json::to_vec(&self.before);
        let json = json.map_err(|error| Fault::new(Code::Defect, error.to_string()))?;
        note.write(&json)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::proof::notes::{SETTLED, tell};
    use overnight_judge::proof::expect;
    use std::path::Path;

    fn note(run: &Path) -> Note {
        std::fs::create_dir_all(run.join("dusk")).unwrap();
        Note::of(run, SETTLED, &tell(run))
    }

    #[test]
    fn what_was_looked_at_is_known_for_the_same_file_and_gates_alone() {
        let folder = tempfile::tempdir().unwrap();
        let text = "assert f(1) == 1\nassert f(2) == 2\nassert f(3) == 3\n".to_owned();
        let sites = expect::sites("t.py", &text);
        let texts = BTreeMap::from([("t.py".to_owned(), text.clone())]);
        let gate = ["g".to_owned()];
        let mut first = Settled::open(note(folder.path()), &gate, &texts);
        assert!(!sites.iter().any(|site| first.is_silent(site)));
        first.told(&sites[0], true);
        first.told(&sites[1], false);
        first.save().unwrap();
        let again = Settled::open(note(folder.path()), &gate, &texts);
        let known = |settled: &Settled| {
            let of = |site| (settled.is_known_alone(site), settled.is_silent(site));
            sites.iter().map(of).collect::<Vec<_>>()
        };
        // The first must be told of each time, the second need not, and the third fails outright.
        assert_eq!(
            known(&again),
            [(false, false), (true, false), (false, true)]
        );
        let other_texts = BTreeMap::from([("t.py".to_owned(), text + "\n")]);
        for (gate, texts) in [("h", &texts), ("g", &other_texts)] {
            let other = Settled::open(note(folder.path()), &[gate.to_owned()], texts);
            assert_eq!(known(&other), [(false, false); 3]);
        }
    }

    #[test]
    fn gates_that_tell_of_no_assertion_leave_nothing_known() {
        let folder = tempfile::tempdir().unwrap();
        let text = "assert f(1) == 1\n".to_owned();
        let sites = expect::sites("t.py", &text);
        let texts = BTreeMap::from([("t.py".to_owned(), text)]);
        let mut first = Settled::open(note(folder.path()), &[], &texts);
        first.told(&sites[0], false);
        first.save().unwrap();
        assert!(!Settled::open(note(folder.path()), &[], &texts).is_known_alone(&sites[0]));
    }
}
