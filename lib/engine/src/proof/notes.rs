//! What the proofs of a run note for its later ones. An agent without a cell can write these files: each is
//! believed as it was when the journal last told of it.

use super::dusk;
use crate::files;
use overnight_base::fault::Fault;
use overnight_base::session::hex;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// What new tests said on dusk's sources.
pub(super) const FRESH: &str = "fresh.json";
/// Which assertions gates told of.
pub(super) const SETTLED: &str = "settled.json";

/// One of them.
#[derive(Debug)]
pub(super) struct Note {
    path: PathBuf,
    /// What identifies its content.
    known: Option<String>,
}

impl Note {
    /// That of this name in a run's folder; `told` is what the journal tells of all of them.
    pub(super) fn of(run: &Path, name: &str, told: &BTreeMap<String, String>) -> Self {
        Self {
            path: run.join(dusk::FOLDER).join(name),
            known: told.get(name).cloned(),
        }
    }

    /// Its content; nothing where it is not what the journal tells of.
    pub(super) fn read(&self) -> Vec<u8> {
        let bytes = std::fs::read(&self.path).unwrap_or_default();
        if self.known.as_deref() == Some(identity(&bytes).as_str()) {
            bytes
        } else {
            Vec::new()
        }
    }

    /// Writes it.
    pub(super) fn write(&self, bytes: &[u8]) -> Result<(), Fault> {
        files::replace(&self.path, bytes, files::PRIVATE)
    }
}

/// What identifies the content of a run's notes, for its journal.
pub(super) fn tell(run: &Path) -> BTreeMap<String, String> {
    let content = |name: &str| std::fs::read(run.join(dusk::FOLDER).join(name)).ok();
    [FRESH, SETTLED]
        .into_iter()
        .filter_map(|name| Some((name.to_owned(), identity(&content(name)?))))
        .collect()
}

fn identity(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes)[..16])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_note_is_believed_as_the_journal_tells_of_it() {
        let run = tempfile::tempdir().unwrap();
        std::fs::create_dir(run.path().join(dusk::FOLDER)).unwrap();
        let untold = BTreeMap::new();
        Note::of(run.path(), FRESH, &untold).write(b"1").unwrap();
        assert_eq!(Note::of(run.path(), FRESH, &untold).read(), b"");
        let told = tell(run.path());
        let note = Note::of(run.path(), FRESH, &told);
        assert_eq!(note.read(), b"1");
        note.write(b"of an agent").unwrap();
        assert_eq!(note.read(), b"");
    }
}
