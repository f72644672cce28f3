//! What this clone remembers of leases. Of those that it works with itself: one small file and one lock
//! file each. Of all the others: one table, as they were listed last.

use crate::files::{self, Content};
use overnight_base::code::Code;
use overnight_base::fault::Fault;
use overnight_lease::{State, refname};
use overnight_tasks::TaskId;
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// A remembered state is a record and a few numbers.
const STATE_BYTES_MAX: u64 = 16 * 1024;
/// What the name of a remembered state ends with.
const STATE_SUFFIX: &str = ".json";
/// The table: one lease a line, its encoded name, a blank and its state, in the order of the names.
const TABLE: &str = "listed.txt";
/// A table that is larger is none: a hundred thousand leases.
const TABLE_BYTES_MAX: u64 = 128 << 20;
/// A line is seldom longer.
const LINE_BYTES: u64 = 1 << 10;

pub(super) fn lock_path(folder: &Path, task: &TaskId) -> PathBuf {
    folder.join(format!("{}.lock", refname::encode(task.as_str())))
}

fn state_path(folder: &Path, task: &TaskId) -> PathBuf {
    folder.join(format!("{}{STATE_SUFFIX}", refname::encode(task.as_str())))
}

/// The remembered state; nothing when there is none or it cannot be read.
pub(super) fn load(folder: &Path, task: &TaskId) -> Result<State, Fault> {
    match own(folder, task)? {
        Some(state) => Ok(state),
        None => listed(folder, task),
    }
}

/// The state in the lease's own file, which is newer than the table whatever that says.
pub(super) fn own(folder: &Path, task: &TaskId) -> Result<Option<State>, Fault> {
    let content = files::read_bounded(&state_path(folder, task), STATE_BYTES_MAX)?;
    Ok(match content {
        Content::Bytes(bytes) => Some(State::parse(&bytes)),
        Content::Missing | Content::Refused(_) => None,
    })
}

/// Remembers a state. The refs are the truth: what a loss of power takes here is asked again.
pub(super) fn save(folder: &Path, task: &TaskId, state: &State) -> Result<(), Fault> {
    let path = state_path(folder, task);
    files::replace(&path, state.to_json().as_bytes(), files::PRIVATE)
}

/// The leases that have a file of their own.
pub(super) fn own_tasks(folder: &Path) -> BTreeSet<TaskId> {
    let listing = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let task = |name: &str| refname::decode(name.strip_suffix(STATE_SUFFIX)?);
    listing
        .filter_map(|found| task(found.file_name().to_str()?))
        .collect()
}

/// The whole table.
pub(super) fn read(folder: &Path) -> Result<BTreeMap<TaskId, State>, Fault> {
    let bytes = bytes(folder)?;
    let lines = bytes.split(|byte| *byte == b'\n').filter_map(split);
    Ok(lines
        .filter_map(|(name, state)| {
            let task = refname::decode(std::str::from_utf8(name).ok()?)?;
            Some((task, State::parse(state)))
        })
        .collect())
}

/// Replaces the table.
pub(super) fn write(folder: &Path, table: &BTreeMap<TaskId, State>) -> Result<(), Fault> {
    let line = |(task, state): (&TaskId, &State)| {
        let name = refname::encode(task.as_str());
        (name, state.to_json())
    };
    let mut lines: Vec<(String, String)> = table.iter().map(line).collect();
    lines.sort();
    let mut text = String::new();
    for (name, state) in lines {
        text.extend([name.as_str(), " ", state.as_str(), "\n"]);
    }
    files::replace(&folder.join(TABLE), text.as_bytes(), files::PRIVATE)
}

/// A lease of the table. Whoever takes a lease asks for one: of a table of megabytes a few lines are read.
fn listed(folder: &Path, task: &TaskId) -> Result<State, Fault> {
    let path = folder.join(TABLE);
    let Some(file) = files::open_bounded(&path, TABLE_BYTES_MAX)? else {
        return Ok(State::default());
    };
    let name = refname::encode(task.as_str());
    let found = find(&file, name.as_bytes()).map_err(|error| {
        let reason = format!("{}: {error}", path.display());
        Fault::new(Code::FileRead, reason)
    })?;
    Ok(found.map_or_else(State::default, |state| State::parse(&state)))
}

fn bytes(folder: &Path) -> Result<Vec<u8>, Fault> {
    let content = files::read_bounded(&folder.join(TABLE), TABLE_BYTES_MAX)?;
    Ok(match content {
        Content::Bytes(bytes) => bytes,
        Content::Missing | Content::Refused(_) => Vec::new(),
    })
}

/// The state behind a name: the lines are halved until one is left.
fn find(table: &File, name: &[u8]) -> std::io::Result<Option<Vec<u8>>> {
    let (mut low, mut high) = (0, table.metadata()?.len());
    while low < high {
        let (begin, line) = line_within(table, (low, high))?;
        let Some((found, state)) = split(&line) else {
            return Ok(None);
        };
        match name.cmp(found) {
            Ordering::Equal => return Ok(Some(state.to_vec())),
            Ordering::Less => high = begin,
            Ordering::Greater => low = begin + line.len() as u64 + 1,
        }
    }
    Ok(None)
}

/// The line in the middle of these lines, and where it begins.
fn line_within(table: &File, (low, high): (u64, u64)) -> std::io::Result<(u64, Vec<u8>)> {
    let middle = low + (high - low) / 2;
    let mut around = LINE_BYTES;
    loop {
        let from = middle.saturating_sub(around).max(low);
        let to = middle.saturating_add(around).min(high);
        let mut piece = vec![0; usize::try_from(to - from).unwrap_or(0)];
        table.read_exact_at(&mut piece, from)?;
        let (before, after) = piece.split_at(usize::try_from(middle - from).unwrap_or(0));
        let begin = before.iter().rposition(|byte| *byte == b'\n');
        let begin = begin.map(|at| at + 1).or((from == low).then_some(0));
        let end = after.iter().position(|byte| *byte == b'\n');
        let end = end
            .map(|at| before.len() + at)
            .or((to == high).then_some(piece.len()));
        if let (Some(begin), Some(end)) = (begin, end) {
            return Ok((from + begin as u64, piece[begin..end].to_vec()));
        }
        around *= 4;
    }
}

fn split(line: &[u8]) -> Option<(&[u8], &[u8])> {
    let blank = line.iter().position(|byte| *byte == b' ')?;
    Some((&line[..blank], &line[blank + 1..]))
}

/// When the table was written, which is after everything that it was shown in.
pub(super) fn written(folder: &Path) -> Option<SystemTime> {
    std::fs::metadata(folder.join(TABLE)).ok()?.modified().ok()
}

/// Removes the files of a lease whose lock the caller holds, now that the table has its state.
pub(super) fn forget(folder: &Path, task: &TaskId) -> Result<(), Fault> {
    for path in [state_path(folder, task), lock_path(folder, task)] {
        std::fs::remove_file(&path)
            .map_err(|error| Fault::new(Code::FileWrite, format!("{}: {error}", path.display())))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_lease_of_a_table_is_found_and_no_other() {
        let folder = tempfile::tempdir().unwrap();
        let id = |at: u32| TaskId::parse(&format!("t{at}")).unwrap();
        let mut table = BTreeMap::new();
        for at in 0..300 {
            let mut state = State::default();
            state.observe_unmoved("boot", u64::from(at));
            table.insert(id(at), state);
            write(folder.path(), &table).unwrap();
            let found = load(folder.path(), &id(at)).unwrap();
            assert_eq!(found, table[&id(at)]);
            assert_eq!(load(folder.path(), &id(at + 1)).unwrap(), State::default());
        }
        for (task, state) in &table {
            assert_eq!(load(folder.path(), task).unwrap(), *state);
        }
        assert_eq!(read(folder.path()).unwrap(), table);
        save(folder.path(), &id(7), &State::default()).unwrap();
        assert_eq!(load(folder.path(), &id(7)).unwrap(), State::default());
    }
}
