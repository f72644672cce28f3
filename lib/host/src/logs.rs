//! The folder of logs: whole outputs, private, bounded, out of git's sight.

pub mod last;
pub mod part;
pub mod rotation;

use crate::files::{self, Content};
use crate::state::Place;
use crate::{clock, random};
use overnight_base::code::Code;
use overnight_base::fault::Fault;
use overnight_base::text;
use overnight_filter::rotate;
use rustix::fs::{AtFlags, Mode, OFlags};
use std::fs::File;
use std::io::{Seek, SeekFrom, Write};
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

/// The folder's name, at the top of the project.
pub const FOLDER: &str = "logs";
/// The last run's figures, in that folder.
pub const LAST_RUN: &str = "last-run.json";
/// What filtering saved, in the machine state.
pub const STATS: &str = "filter-stats.jsonl";
/// What of the project is ours alone and must not be committed.
const EXCLUDED: &[&str] = &[
    "/logs/",
    "/agent_logs/",
    "/current_tasks/",
    "/.claude/worktrees/",
];
const EXCLUDE_BYTES_MAX: u64 = 1 << 20;
/// The random part makes a clash next to impossible; a planted file is passed by another name.
const TRIES: usize = 4;

/// A log that is being written. It is locked while it is, so that no rotation touches it.
#[derive(Debug)]
pub struct Log {
    file: File,
    folder: OwnedFd,
    name: String,
    /// The path as it is shown: escaped, relative where the reader is at the top of the project.
    pub shown: String,
}

impl Log {
    /// Begins a log of this kind (one of `filter::kind::ALL`). Nothing on the way to it may
    /// be a link: the folder is opened without following one, the file is new.
    pub fn create(place: &Place, reader_at: &Path, kind: &str) -> Result<Self, Fault> {
        let path = place.top.join(FOLDER);
        let folder = open_folder(&path)?;
        exclude(place);
        for _ in 0..TRIES {
            let name = rotate::name(kind, clock::wall_ms(), &random::hex::<4>()?);
            let flags =
                OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
            match rustix::fs::openat(&folder, &name, flags, files::private()) {
                Err(rustix::io::Errno::EXIST) => {}
                Err(error) => return Err(fault(&path.join(&name), &error.into())),
                Ok(descriptor) => {
                    let file = File::from(descriptor);
                    let _ = file.try_lock();
                    let shown = shown(&path.join(&name), &place.top, reader_at);
                    return Ok(Self {
                        file,
                        folder,
                        name,
                        shown,
                    });
                }
            }
        }
        Err(Fault::new(
            Code::LogWrite,
            format!("{}: no free name", path.display()),
        ))
    }

    /// Appends to it.
    pub fn write(&mut self, bytes: &[u8]) -> Result<(), Fault> {
        self.file
            .write_all(bytes)
            .map_err(|error| Fault::new(Code::LogWrite, format!("{}: {error}", self.shown)))
    }

    /// What stands in it behind so many bytes, to be read.
    pub fn after(&self, bytes: u64) -> std::io::Result<File> {
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let opened = rustix::fs::openat(&self.folder, &self.name, flags, Mode::empty())?;
        let mut file = File::from(opened);
        file.seek(SeekFrom::Start(bytes))?;
        Ok(file)
    }

    /// Removes it: half a log helps nobody and keeps a full disk full.
    pub fn discard(self) {
        let _ = rustix::fs::unlinkat(&self.folder, &self.name, AtFlags::empty());
    }
}

/// Opens the folder of logs, created with mode 0700; a link in its place is refused.
pub fn open_folder(path: &Path) -> Result<OwnedFd, Fault> {
    match rustix::fs::mkdir(path, Mode::from_raw_mode(0o700)) {
        Ok(()) | Err(rustix::io::Errno::EXIST) => {}
        Err(error) => return Err(fault(path, &error.into())),
    }
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    rustix::fs::open(path, flags, Mode::empty()).map_err(|error| match error {
        rustix::io::Errno::LOOP | rustix::io::Errno::NOTDIR => Fault::new(
            Code::LogWrite,
            format!(
                "{} is not a folder or a link stands in its place",
                path.display()
            ),
        ),
        error => fault(path, &error.into()),
    })
}

/// Writes a small file of the folder whole or not at all; it need not survive a power cut.
pub fn replace(place: &Place, name: &str, bytes: &[u8]) -> Result<(), Fault> {
    let path = place.top.join(FOLDER);
    let folder = open_folder(&path)?;
    exclude(place);
    let temporary = format!(".{name}.{}.tmp", random::hex::<4>()?);
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let written = rustix::fs::openat(&folder, &temporary, flags, files::private())
        .map_err(std::io::Error::from)
        .and_then(|descriptor| File::from(descriptor).write_all(bytes))
        .and_then(|()| Ok(rustix::fs::renameat(&folder, &temporary, &folder, name)?));
    written.map_err(|error| {
        let _ = rustix::fs::unlinkat(&folder, &temporary, AtFlags::empty());
        fault(&path.join(name), &error)
    })
}

/// Enters our folders into `.git/info/exclude`. Where that cannot be done nothing is lost but
/// comfort.
pub fn exclude(place: &Place) {
    let Some(common) = &place.git_common else {
        return;
    };
    let path = common.join("info/exclude");
    let known = match files::read_bounded(&path, EXCLUDE_BYTES_MAX) {
        Ok(Content::Bytes(known)) => known,
        Ok(Content::Missing) => Vec::new(),
        _ => return,
    };
    let is_known = |entry: &str| {
        known
            .split(|byte| *byte == b'\n')
            .any(|line| line == entry.as_bytes())
    };
    let mut missing = String::new();
    for entry in EXCLUDED.iter().filter(|entry| !is_known(entry)) {
        missing.push_str(entry);
        missing.push('\n');
    }
    if missing.is_empty() || files::create_folder(&common.join("info")).is_err() {
        return;
    }
    let start = if known.is_empty() || known.ends_with(b"\n") {
        ""
    } else {
        "\n"
    };
    let appended = std::fs::OpenOptions::new()
        .create(true)
        .append(true)
        .open(&path);
    // One write: two sessions at once may both add the lines, but never mix them.
    let _ = appended.and_then(|mut file| file.write_all(format!("{start}{missing}").as_bytes()));
}

fn shown(path: &Path, top: &Path, reader_at: &Path) -> String {
    const CHARS_MAX: usize = 500;
    let relative = if reader_at == top {
        path.strip_prefix(top).ok()
    } else {
        None
    };
    let path: PathBuf = relative.unwrap_or(path).to_owned();
    text::one_line(&path.to_string_lossy(), CHARS_MAX)
}

fn fault(path: &Path, error: &std::io::Error) -> Fault {
    Fault::new(Code::LogWrite, format!("{}: {error}", path.display()))
}
