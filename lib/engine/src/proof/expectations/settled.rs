//! Assertions that gates told of in a run's proofs: in the same test file they need not be tried by
//! themselves again, where one before them in the same test ended it.

use crate::files;
use overnight_base::code::Code;
use overnight_base::fault::Fault;
use overnight_base::session::hex;
use overnight_judge::proof::expect::Site;
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// What is known, and where it is noted.
#[derive(Debug, Default)]
pub(super) struct Settled {
    note: Option<PathBuf>,
    /// By path, what the file holds.
    contents: BTreeMap<String, String>,
    /// By content, the first lines of assertions.
    before: BTreeMap<String, BTreeSet<usize>>,
    now: BTreeMap<String, BTreeSet<usize>>,
}

impl Settled {
    /// Reads what was noted in the run's folder for dusk, for files of these texts.
    pub(super) fn open(dusk: &Path, texts: &BTreeMap<String, String>) -> Self {
        let note = dusk.join("settled.json");
        let bytes = std::fs::read(&note).unwrap_or_default();
        let content = |(path, text): (&String, &String)| {
            let digest = Sha256::new().chain_update(path).chain_update([0]);
            let digest = digest.chain_update(text).finalize();
            (path.clone(), hex(&digest[..16]))
        };
        Self {
            note: Some(note),
            contents: texts.iter().map(content).collect(),
            before: serde_json::from_slice(&bytes).unwrap_or_default(),
            now: BTreeMap::new(),
        }
    }

    /// Is this assertion still to be tried, after a gate told of it or did not?
    pub(super) fn is_open(&mut self, site: &Site, told: bool) -> bool {
        let Some(content) = self.contents.get(&site.path) else {
            return !told;
        };
        let line = site.lines.0;
        if told {
            self.now.entry(content.clone()).or_default().insert(line);
        }
        let known = self.before.get(content);
        !told && !known.is_some_and(|lines| lines.contains(&line))
    }

    /// Notes what was found.
    pub(super) fn save(&mut self) -> Result<(), Fault> {
        let Some(note) = self.note.as_ref().filter(|_| !self.now.is_empty()) else {
            return Ok(());
        };
        for (content, lines) in std::mem::take(&mut self.now) {
            self.before.entry(content).or_default().extend(lines);
        }
        let json = serde_json::to_vec(&self.before);
        let json = json.map_err(|error| Fault::new(Code::Defect, error.to_string()))?;
        files::replace(note, &json, files::PRIVATE)
    }
}
