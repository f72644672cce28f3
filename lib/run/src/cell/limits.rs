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
/// What a limit that was kept without ending the agent is told with.
const KEPT: &str = ", refused to what it started";
/// How shells and languages say that the kernel would not write a larger file (SIGXFSZ, EFBIG).
const LARGER: &[&str] = &[
    "File size limit exceeded",
    "[Errno 27]",
    "os error 27)",
    "EFBIG",
];
/// How programs do, after the name of the file.
const TOO_LARGE_FILE: &str = "ile too large";
/// How they say that it would not begin another task (EAGAIN).
const NO_TASK: &[&str] = &[
    "fork: Resource temporarily unavailable",
    "fork: retry: Resource temporarily unavailable",
    "Cannot fork",
    "can't start new thread",
    "pthread_create failed",
    "failed to create new OS thread",
    "unable to create native thread",
];

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

    /// The limit that the kernel kept without ending the agent, by the words of who met it; `tasks`: it counts
    /// those of this user.
    pub fn told(&self, text: &str, tasks: bool) -> Option<String> {
        let mut lines = text.split('\n').flat_map(|line| line.split("\\n"));
        let says = |line: &str, words: &[&str]| words.iter().any(|word| line.contains(word));
        lines.find_map(|line| {
            if says(line, LARGER) || names_large_file(line) {
                return Some(format!("{}{KEPT}", self.file_limit()));
            }
            (tasks && says(line, NO_TASK)).then(|| {
                let most = self.processes;
                format!("more tasks than cell.processes = {most} allows{KEPT}")
            })
        })
    }

    fn file_limit(&self) -> String {
        format!("a file of more than cell.file_gb = {}", self.file / GIB)
    }

    /// Whether this end, by a signal or as a shell tells of one, is that of who wrote too large a file.
    pub fn ended(&self, code: Option<i32>, signal: Option<i32>) -> Option<String> {
        let large = signal == Some(TOO_LARGE) || code == Some(BY_SIGNAL + TOO_LARGE);
        large.then(|| self.file_limit())
    }
}

/// How an agent met this limit, in words: where the kernel kept it, nobody was ended.
pub fn met(limit: &str) -> &'static str {
    if limit.ends_with(KEPT) {
        "met a limit"
    } else {
        "was ended by a limit"
    }
}

/// Does a program say so of a file: `dd: error writing 'x': File too large`, `write x: file too large`? What a
/// project says of uploads names none.
fn names_large_file(line: &str) -> bool {
    let line = line.trim_end().trim_end_matches(['"', '\'', '}']);
    let Some((before, at_end)) = line.rsplit_once(": ") else {
        return false;
    };
    at_end.len() == TOO_LARGE_FILE.len() + 1
        && at_end.ends_with(TOO_LARGE_FILE)
        && (before.contains(": ") || before.starts_with("write "))
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

    #[test]
    fn a_limit_that_a_child_met_is_known_by_the_words_of_programs() {
        let limits = Limits::of(&Cell::default(), 10 * GIB);
        for line in [
            "sh: line 1: 7 File size limit exceeded dd if=/dev/zero of=x",
            "OSError: [Errno 27] File too large",
            "dd: error writing 'x': File too large",
            "write big.bin: file too large",
            "Error: EFBIG: file too large, write",
            r#"{"content":"ok\ntar: x: Cannot write: File too large"}"#,
            "called `Result::unwrap()` on an `Err` value: Os { code: 27 } (os error 27)",
        ] {
            let said = limits.told(line, false).unwrap();
            assert!(said.contains("cell.file_gb = 100"), "{line}");
            assert!(
                Limits::is_named(&said) && met(&said) == "met a limit",
                "{said}"
            );
        }
        for line in [
            "413: File too large",
            "MulterError: File too large",
            "a file too large for the mail: see the limits",
        ] {
            assert_eq!(limits.told(line, true), None, "{line}");
        }
        let thread = "RuntimeError: can't start new thread";
        assert_eq!(limits.told(thread, false), None);
        let said = limits.told(thread, true).unwrap();
        assert!(Limits::is_named(&said) && said.contains("cell.processes = 2000"));
        assert_eq!(
            met(&limits.ended(Some(153), None).unwrap()),
            "was ended by a limit"
        );
    }
}
