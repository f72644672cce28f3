//! A run at a glance, kept beside its journal so that the status line need not read the journal. It
//! can be lost without loss: the journal gives it again.

use crate::files::{self, Content};
use crate::journal;
use overnight_base::fault::Fault;
use overnight_run::{State, apply};
use overnight_views::status::Glance;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

/// Its name in the folder of a journal.
const FILE: &str = "glance.json";
/// Its size at most: some hundred bytes, and as much for each member at work.
const BYTES_MAX: u64 = 1 << 20;
/// So much behind the journal's last known record may be a torn end; more is read anew.
const TORN_BYTES_MAX: u64 = 1 << 16;

/// Keeps that of a journal's state; it is of no weight when it cannot be kept.
pub(crate) fn keep(folder: &Path, glance: &Glance) {
    if let Ok(bytes) = serde_json::to_vec(glance) {
        let _ = files::replace(&folder.join(FILE), &bytes, files::PRIVATE);
    }
}

/// That of the journal in this folder as it stands now: the one that is kept, if it is of the whole
/// journal, else by reading the journal; then that one is kept.
pub fn of(folder: &Path) -> Result<Glance, Fault> {
    if let Some(kept) = kept(folder) {
        return Ok(kept);
    }
    let mut state = State::default();
    let (whole, _) = journal::visit_whole(folder, |record| apply(&mut state, record))?;
    let glance = Glance::of(&state, whole);
    keep(folder, &glance);
    Ok(glance)
}

/// Whoever read the whole journal keeps what the next one would read it for, where nothing is kept.
pub fn remember(folder: &Path, state: &State, whole: u64) {
    if kept(folder).is_none() {
        keep(folder, &Glance::of(state, whole));
    }
}

/// The one that is kept, if it holds.
fn kept(folder: &Path) -> Option<Glance> {
    let Ok(Content::Bytes(bytes)) = files::read_bounded(&folder.join(FILE), BYTES_MAX) else {
        return None;
    };
    let glance = Glance::read(&bytes)?;
    let mut file = File::open(folder.join(journal::FILE)).ok()?;
    let length = file.metadata().ok()?.len();
    let mut behind = Vec::new();
    if length > glance.bytes {
        file.seek(SeekFrom::Start(glance.bytes)).ok()?;
        file.take(TORN_BYTES_MAX).read_to_end(&mut behind).ok()?;
    }
    glance.holds(length, &behind).then_some(glance)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::journal::Journal;
    use overnight_run::event::Waiting;
    use overnight_run::step::WaitCause;
    use std::io::Write;
    use std::time::Duration;

    const WAIT_MAX: Duration = Duration::from_secs(5);

    fn waiting(until: u64) -> Waiting {
        Waiting {
            until,
            cause: WaitCause::Interval,
        }
    }

    /// What reading the whole journal gives, with nothing kept.
    fn anew(folder: &Path) -> Glance {
        let _ = std::fs::remove_file(folder.join(FILE));
        of(folder).unwrap()
    }

    #[test]
    fn each_record_leaves_what_reading_the_journal_anew_gives() {
        let folder = tempfile::tempdir().unwrap();
        let mut journal = Journal::open(folder.path(), WAIT_MAX).unwrap();
        for until in 1..4 {
            journal.append(waiting(until)).unwrap();
            let kept = kept(folder.path()).unwrap();
            assert_eq!(kept, anew(folder.path()));
            assert!(kept.vitals.waits);
        }
    }

    #[test]
    fn one_that_is_behind_its_journal_is_not_believed_and_a_torn_end_changes_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let mut journal = Journal::open(folder.path(), WAIT_MAX).unwrap();
        journal.append(waiting(1)).unwrap();
        let old = std::fs::read(folder.path().join(FILE)).unwrap();
        journal.append(waiting(2)).unwrap();
        drop(journal);
        std::fs::write(folder.path().join(FILE), old).unwrap();
        assert_eq!(kept(folder.path()), None);
        let now = of(folder.path()).unwrap();
        assert_eq!(kept(folder.path()), Some(now.clone()), "kept for the next");
        let path = folder.path().join(journal::FILE);
        let mut file = std::fs::OpenOptions::new().append(true).open(path).unwrap();
        file.write_all(b"{\"v\":1,\"se").unwrap();
        assert_eq!(kept(folder.path()), Some(now.clone()));
        assert_eq!(anew(folder.path()), now);
    }
}
