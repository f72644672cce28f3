//! What one agent or gate may take of the machine.

use super::Cell;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// The signal of who writes beyond the size of a file (SIGXFSZ), on Linux and macOS alike.
const TOO_LARGE: i32 = 25;
/// What a shell adds to the signal that ended its command.
const BY_SIGNAL: i32 = 128;
const GIB: u64 = 1 << 30;
/// As many bytes may be added to the size of a file.
const MARKS: u64 = 1 << 24;

/// How much of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// Processes.
    pub processes: u64,
    /// Bytes of memory of all of them.
    pub memory: u64,
    /// Bytes of a file.
    pub file: u64,
}

/// What is taken.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Used {
    /// Processes.
    pub processes: u64,
    /// Bytes of memory.
    pub memory: u64,
}

impl Limits {
    /// As set; `machine` is what memory there is.
    pub fn of(settings: &Cell, machine: u64) -> Self {
        let gib = |count: u64| count.saturating_mul(GIB);
        Self {
            processes: settings.processes,
            memory: settings.memory_gb.map_or(machine / 5 * 4, gib),
            file: gib(settings.file_gb),
        }
    }

    /// With a size of files that nobody else's processes have, by less than anybody minds: what is started with it
    /// is known by it, also where it clears its environment. `whose` is told by no other.
    #[must_use]
    pub fn marked(self, whose: &str) -> Self {
        let mut hash = [0; 8];
        hash.copy_from_slice(&Sha256::digest(whose)[..8]);
        let mark = 1 + u64::from_le_bytes(hash) % MARKS;
        Self {
            file: self.file.saturating_add(mark),
            ..self
        }
    }

    /// Which one is passed, in words.
    pub fn passed(&self, used: Used) -> Option<String> {
        if used.processes > self.processes {
            return Some(format!(
                "{} processes, more than cell.processes = {}",
                used.processes, self.processes
            ));
        }
        let shown = |bytes: u64| format!("{}.{} GiB", bytes / GIB, bytes % GIB * 10 / GIB);
        (used.memory > self.memory).then(|| {
            format!(
                "{} of memory, more than the {} of cell.memory_gb",
                shown(used.memory),
                shown(self.memory)
            )
        })
    }

    /// Is this what [`Self::passed`] or [`Self::ended`] says? It may come from within a cell, as data.
    pub fn is_named(text: &str) -> bool {
        const BYTES_MAX: usize = 120;
        let names = ["cell.processes = ", "of cell.memory_gb", "cell.file_gb = "];
        text.len() <= BYTES_MAX
            && names.iter().any(|name| text.contains(name))
            && text
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || " .,_=".contains(c))
    }

    /// Whether this end, by a signal or as a shell tells of one, is that of who wrote too large a file.
    pub fn ended(&self, code: Option<i32>, signal: Option<i32>) -> Option<String> {
        let large = signal == Some(TOO_LARGE) || code == Some(BY_SIGNAL + TOO_LARGE);
        large.then(|| format!("a file of more than cell.file_gb = {}", self.file / GIB))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_limit_that_is_passed_is_named() {
        let limits = Limits::of(&Cell::default(), 10 * GIB);
        assert_eq!(limits.memory, 8 * GIB);
        let marked = limits.marked("/tmp/overnight-1");
        assert_ne!(marked.file, limits.marked("/tmp/overnight-2").file);
        assert_eq!(marked.file / GIB, limits.file / GIB);
        let used = |processes, memory| Used { processes, memory };
        assert_eq!(limits.passed(used(2000, 8 * GIB)), None);
        assert!(!Limits::is_named("<b>cell.processes = 3</b>") && !Limits::is_named("no limit"));
        let said = limits.passed(used(2001, 0)).unwrap();
        assert!(Limits::is_named(&said));
        assert_eq!(said, "2001 processes, more than cell.processes = 2000");
        let said = limits.passed(used(1, 8 * GIB + GIB / 2)).unwrap();
        assert_eq!(
            said,
            "8.5 GiB of memory, more than the 8.0 GiB of cell.memory_gb"
        );
        assert!(
            Limits::is_named(&said) && Limits::is_named(&limits.ended(None, Some(25)).unwrap())
        );
        assert!(limits.ended(Some(153), None).is_some() && limits.ended(None, Some(25)).is_some());
        assert_eq!(limits.ended(Some(1), None), None);
    }
}
