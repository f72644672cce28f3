//! The journal on disk: appended under a lock, made durable, mended at its torn end.

use crate::clock;
use crate::files::{self, FileLock};
use crate::glance;
use overnight_base::code::Code;
use overnight_base::fault::Fault;
use overnight_run::event::{Event, Torn};
use overnight_run::journal::{self, Record, Stamp};
use overnight_run::{State, apply};
use overnight_views::status::Glance;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Name of the journal in a run's folder.
pub const FILE: &str = "journal.jsonl";
/// Name of the lock that its one writer holds.
pub const LOCK: &str = "journal.lock";
/// A journal larger than this is not read: 100,000 events are about 60 MB.
pub const BYTES_MAX: u64 = 1 << 30;
/// How much of it a reader has in memory at a time.
const CHUNK: u64 = 1 << 20;

/// A run's journal, open for its only writer.
#[derive(Debug)]
pub struct Journal {
    file: File,
    path: PathBuf,
    boot: String,
    state: State,
    seq: u64,
    bytes: u64,
    /// How much of it is known to be on the disk.
    synced: u64,
    _lock: FileLock,
}

impl Journal {
    /// Opens or creates the journal of a run's folder. A torn end is cut off and noted. Another
    /// writer that keeps it for longer than `wait_max` is a fault ([`Code::RunBusy`]).
    pub fn open(folder: &Path, wait_max: Duration) -> Result<Self, Fault> {
        let parent = folder.parent().filter(|_| !folder.exists());
        files::create_private_folder(folder)?;
        if let Some(parent) = parent {
            // A run whose folder a loss of power takes away took its records with it.
            files::sync_folder(parent).map_err(|error| write_fault(parent, &error))?;
        }
        let lock = FileLock::acquire(&folder.join(LOCK), wait_max)?.ok_or_else(|| {
            Fault::new(
                Code::RunBusy,
                format!("another process writes to {}", folder.display()),
            )
        })?;
        let path = folder.join(FILE);
        let new = !path.exists();
        let mut file = std::fs::OpenOptions::new()
            .create(true)
            .truncate(false)
            .read(true)
            .write(true)
            .mode(files::PRIVATE)
            .open(&path)
            .map_err(|error| write_fault(&path, &error))?;
        if new {
            files::sync_folder(folder).map_err(|error| write_fault(&path, &error))?;
        }
        let bytes = read_all(&mut file, &path)?;
        let mut state = State::default();
        let mut seq = 0;
        let whole = journal::each(&bytes, |record| {
            seq = record.seq;
            apply(&mut state, record);
        })?;
        let mut opened = Self {
            file,
            path,
            boot: clock::boot_id()?,
            state,
            seq,
            bytes: whole as u64,
            synced: whole as u64,
            _lock: lock,
        };
        opened.mend(bytes.len(), whole)?;
        Ok(opened)
    }

    /// The fold of everything written so far.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// Appends an event and makes it durable before it returns; gives its Unix time in milliseconds.
    pub fn append(&mut self, event: impl Into<Event>) -> Result<u64, Fault> {
        self.append_at(event, clock::wall_ms())
    }

    /// Like [`Self::append`], stamped with the time at which the event was decided, so that a
    /// replay decides at the same time.
    pub fn append_at(&mut self, event: impl Into<Event>, wall_ms: u64) -> Result<u64, Fault> {
        self.write_at(event, wall_ms)?;
        self.sync()?;
        Ok(wall_ms)
    }

    /// Like [`Self::append_at`], but durable only after [`Self::sync`]: several records, one wait for
    /// the disk. Nobody may be told of it before, and nothing outside may be done by it.
    pub fn write_at(&mut self, event: impl Into<Event>, wall_ms: u64) -> Result<(), Fault> {
        let record = Record {
            seq: self.seq + 1,
            stamp: Stamp {
                t: wall_ms,
                mono: clock::mono_ms(),
                boot: self.boot.clone(),
            },
            event: event.into(),
        };
        let line = journal::encode(&record);
        if let Err(error) = self.file.write_all(line.as_bytes()) {
            // Half a line (full disk) must not stand before the next one.
            let _ = self.cut();
            return Err(write_fault(&self.path, &error));
        }
        self.seq += 1;
        self.bytes += line.len() as u64;
        apply(&mut self.state, record);
        Ok(())
    }

    /// Says beside it what the attempt under way costs so far, which no record holds yet.
    pub fn costs(&self, open_usd: f64) {
        if let Some(folder) = self.path.parent() {
            let mut glance = Glance::of(&self.state, self.bytes);
            glance.open_usd = open_usd;
            glance::keep(folder, &glance);
        }
    }

    /// Makes everything written so far durable before it returns.
    pub fn sync(&mut self) -> Result<(), Fault> {
        if self.synced < self.bytes {
            let synced = files::sync_file(&self.file, &self.path);
            synced.map_err(|error| write_fault(&self.path, &error))?;
            self.synced = self.bytes;
            if let Some(folder) = self.path.parent() {
                glance::keep(folder, &Glance::of(&self.state, self.bytes));
            }
        }
        Ok(())
    }

    /// Cuts a torn end off and notes how much it was.
    fn mend(&mut self, length: usize, whole: usize) -> Result<(), Fault> {
        self.cut()
            .map_err(|error| write_fault(&self.path, &error))?;
        if length > whole {
            self.append(Torn {
                bytes: (length - whole) as u64,
            })?;
        }
        Ok(())
    }

    /// Cuts the file behind the last whole record and goes there.
    fn cut(&mut self) -> std::io::Result<()> {
        self.file.set_len(self.bytes)?;
        self.file.seek(SeekFrom::Start(self.bytes))?;
        Ok(())
    }
}

/// The records of a run's journal, for readers: no lock, a torn end is left out.
pub fn read(folder: &Path) -> Result<Vec<Record>, Fault> {
    let mut records = Vec::new();
    visit(folder, |record| records.push(record))?;
    Ok(records)
}

/// The records one after the other, none of them kept: there may be a hundred thousand. Gives the
/// length of the torn end in bytes.
pub fn visit(folder: &Path, take: impl FnMut(Record)) -> Result<u64, Fault> {
    visit_file(&folder.join(FILE), take)
}

/// Like [`visit`], for a journal that lies anywhere.
pub fn visit_file(path: &Path, mut take: impl FnMut(Record)) -> Result<u64, Fault> {
    lengths(path, &mut take).map(|(_, torn)| torn)
}

/// Like [`visit`]; gives the length of the whole records in bytes, and that of the torn end.
pub fn visit_whole(folder: &Path, mut take: impl FnMut(Record)) -> Result<(u64, u64), Fault> {
    lengths(&folder.join(FILE), &mut take)
}

/// The length of the whole records in bytes, and that of the torn end.
fn lengths(path: &Path, take: &mut dyn FnMut(Record)) -> Result<(u64, u64), Fault> {
    let fault =
        |error: std::io::Error| Fault::new(Code::FileRead, format!("{}: {error}", path.display()));
    let file = File::open(path)
        .map_err(|error| Fault::new(Code::RunUnknown, format!("{}: {error}", path.display())))?;
    let length = file.metadata().map_err(fault)?.len();
    if length > BYTES_MAX {
        return Err(too_large(path));
    }
    let mut bytes = Vec::new();
    let (mut whole, mut count) = (0, 0);
    loop {
        let read = (&file).take(CHUNK).read_to_end(&mut bytes).map_err(fault)?;
        let mut more = 0;
        let done = journal::each_after(&bytes, count, &mut |record| {
            more += 1;
            take(record);
        })?;
        count += more;
        whole += done as u64;
        bytes.drain(..done);
        // The end, or a line that is not whole: nothing behind it counts.
        if read == 0 || bytes.contains(&b'\n') {
            return Ok((whole, length.max(whole + bytes.len() as u64) - whole));
        }
    }
}

fn read_all(file: &mut File, path: &Path) -> Result<Vec<u8>, Fault> {
    let length = file.metadata().map_or(0, |about| about.len());
    // With room for all of it, or the whole text is copied again and again while it grows.
    let room = usize::try_from(length.min(BYTES_MAX)).unwrap_or(0) + 1;
    let mut bytes = Vec::with_capacity(room);
    let read = file.take(BYTES_MAX + 1).read_to_end(&mut bytes);
    read.map_err(|error| Fault::new(Code::FileRead, format!("{}: {error}", path.display())))?;
    if bytes.len() as u64 > BYTES_MAX {
        return Err(too_large(path));
    }
    Ok(bytes)
}

fn too_large(path: &Path) -> Fault {
    let reason = format!("{} is larger than 1 GiB", path.display());
    Fault::new(Code::JournalCorrupt, reason)
}

fn write_fault(path: &Path, error: &std::io::Error) -> Fault {
    Fault::new(Code::JournalWrite, format!("{}: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use overnight_run::event::Interrupted;

    /// A child that another test is just starting holds a copy of the lock until its `exec`.
    const WAIT_MAX: Duration = Duration::from_secs(5);

    fn signals(folder: &Path) -> Vec<i32> {
        let events = read(folder).unwrap().into_iter().map(|record| record.event);
        events
            .filter_map(|event| match event {
                Event::Interrupted(event) => Some(event.signal),
                _ => None,
            })
            .collect()
    }

    #[test]
    fn a_record_is_durable_before_it_is_told_and_so_is_a_new_run_s_folder() {
        let runs = tempfile::tempdir().unwrap();
        let folder = runs.path().join("run");
        files::synced::take();
        let mut journal = Journal::open(&folder, WAIT_MAX).unwrap();
        assert_eq!(files::synced::take(), [runs.path(), &folder]);
        journal.append(Interrupted { signal: 1 }).unwrap();
        assert_eq!(files::synced::take(), [folder.join(FILE)]);
        journal.write_at(Interrupted { signal: 2 }, 1).unwrap();
        assert!(files::synced::take().is_empty());
        journal.sync().unwrap();
        assert_eq!(files::synced::take(), [folder.join(FILE)]);
    }

    #[test]
    fn after_a_cut_at_any_byte_appending_goes_on_behind_the_whole_prefix() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(FILE);
        let mut journal = Journal::open(folder.path(), WAIT_MAX).unwrap();
        for signal in 0..3 {
            journal.append(Interrupted { signal }).unwrap();
        }
        drop(journal);
        let whole = std::fs::read(&path).unwrap();
        for cut in 0..=whole.len() {
            std::fs::write(&path, &whole[..cut]).unwrap();
            let before = signals(folder.path());
            let mut journal = Journal::open(folder.path(), WAIT_MAX).unwrap();
            journal.append(Interrupted { signal: 9 }).unwrap();
            drop(journal);
            assert_eq!(
                signals(folder.path()),
                [before, vec![9]].concat(),
                "cut at {cut}"
            );
        }
    }

    #[test]
    fn a_second_writer_is_told_that_the_run_is_busy() {
        let folder = tempfile::tempdir().unwrap();
        let _first = Journal::open(folder.path(), WAIT_MAX).unwrap();
        let second = Journal::open(folder.path(), Duration::from_millis(1));
        assert_eq!(second.unwrap_err().code, Code::RunBusy);
    }
}
