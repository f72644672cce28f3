//! A journal that is read while it grows: only what is new, and nothing while it stays as it is.

use crate::journal;
use overnight_base::code::Code;
use overnight_base::fault::Fault;
use overnight_run::journal::{Record, each_after};
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// A reader's place in a journal.
#[derive(Debug)]
pub(crate) struct Follower {
    path: PathBuf,
    /// Bytes of the whole records read so far: what stands there never changes.
    offset: u64,
    /// The number of the last record read.
    last: u64,
    /// Length and time of the file when it was last read.
    stamp: Option<(u64, SystemTime)>,
    /// Bytes behind the last whole record.
    pub(crate) torn_bytes: u64,
}

impl Follower {
    /// The beginning of the journal in this folder.
    pub(crate) fn new(folder: &Path) -> Self {
        Self {
            path: folder.join(journal::FILE),
            offset: 0,
            last: 0,
            stamp: None,
            torn_bytes: 0,
        }
    }

    /// The records that came since the last call.
    pub(crate) fn news(&mut self) -> Result<Vec<Record>, Fault> {
        let fault = |error: std::io::Error| {
            Fault::new(
                Code::RunUnknown,
                format!("{}: {error}", self.path.display()),
            )
        };
        let about = std::fs::metadata(&self.path).map_err(fault)?;
        let stamp = about.modified().ok().map(|time| (about.len(), time));
        if stamp.is_some() && stamp == self.stamp {
            return Ok(Vec::new());
        }
        let mut file = File::open(&self.path).map_err(fault)?;
        file.seek(SeekFrom::Start(self.offset)).map_err(fault)?;
        let mut bytes = Vec::new();
        file.take(journal::BYTES_MAX)
            .read_to_end(&mut bytes)
            .map_err(fault)?;
        let mut records = Vec::new();
        let whole = each_after(&bytes, self.last, &mut |record| records.push(record))?;
        self.offset += whole as u64;
        self.last += records.len() as u64;
        self.torn_bytes = (bytes.len() - whole) as u64;
        self.stamp = stamp;
        Ok(records)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::journal::Journal;
    use overnight_run::event::Interrupted;
    use std::io::Write;
    use std::time::Duration;

    #[test]
    fn only_what_is_new_is_read_and_a_torn_end_is_told() {
        let folder = tempfile::tempdir().unwrap();
        let mut journal = Journal::open(folder.path(), Duration::from_secs(5)).unwrap();
        let mut follower = Follower::new(folder.path());
        let mut seen = Vec::new();
        for signal in 1..=3 {
            journal.append(Interrupted { signal }).unwrap();
            seen.extend(
                follower
                    .news()
                    .unwrap()
                    .into_iter()
                    .map(|record| record.seq),
            );
            assert!(follower.news().unwrap().is_empty());
        }
        assert_eq!(seen, [1, 2, 3]);
        let path = folder.path().join(journal::FILE);
        let mut file = std::fs::OpenOptions::new().append(true).open(path).unwrap();
        file.write_all(b"{\"v\":1").unwrap();
        assert!(follower.news().unwrap().is_empty());
        assert_eq!(follower.torn_bytes, 6);
        drop((file, journal));
        let mut journal = Journal::open(folder.path(), Duration::from_secs(5)).unwrap();
        journal.append(Interrupted { signal: 9 }).unwrap();
        let numbers: Vec<u64> = follower
            .news()
            .unwrap()
            .iter()
            .map(|record| record.seq)
            .collect();
        assert_eq!((numbers, follower.torn_bytes), (vec![4, 5], 0));
    }
}
