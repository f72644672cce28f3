//! The paths that walls leave open. A shell of a session builds all of its walls, so this walks from folder to
//! folder, by what is open already, and asks the kernel no more than it must.

use super::plan::Plan;
use landlock::{
    ABI, AccessFs, BitFlags, PathBeneath, RulesetCreated, RulesetCreatedAttr, RulesetError,
};
use overnight_run::cell::{Beside, Way};
use rustix::fs::{AtFlags, FileType, Mode, OFlags, RawDir};
use std::ffi::{CStr, OsStr};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// As many entries of a folder at once as fit; on the stack of each folder on the way.
const ENTRIES_BYTES: usize = 8 << 10;
const FOLDER: OFlags = OFlags::DIRECTORY.union(OFlags::CLOEXEC);

/// Opens what the plan says: to be read what is not hidden, to be written what is granted, or else what is not
/// closed. No path may lead over a link: one opens nothing that its target does not. No descriptor stays: by one
/// what lives within would come to the person's mounts.
pub(super) fn all(rules: &mut RulesetCreated, plan: &Plan) -> Result<(), RulesetError> {
    let (reads, writes) = (Way::to(&plan.hidden), plan.closed.as_deref().map(Way::to));
    Walk { rules }.begin(&reads, writes.as_ref())?;
    let granted = Way::to(&plan.grants);
    for target in &plan.grants {
        // What is below another grant is open with it, unless it lies in what is hidden there.
        let around = target.parent().and_then(|folder| granted.around(folder));
        if around > reads.around(target) {
            continue;
        }
        let access = if reads.holds(target) {
            write()
        } else {
            write() | AccessFs::ReadFile
        };
        one(rules, target, access)?;
    }
    Ok(())
}

/// Opens `path` and what is below it; what is not there needs no rule. Of rights on a file the library
/// leaves out what only folders have.
pub(super) fn one(
    rules: &mut RulesetCreated,
    path: &Path,
    access: BitFlags<AccessFs>,
) -> Result<(), RulesetError> {
    match rustix::fs::open(path, OFlags::PATH | OFlags::CLOEXEC, Mode::empty()) {
        Ok(file) => rules.add_rule(PathBeneath::new(file, access)).map(drop),
        Err(_) => Ok(()),
    }
}

fn write() -> BitFlags<AccessFs> {
    AccessFs::from_write(ABI::V5)
}

/// On the way to what is closed.
struct Walk<'r> {
    rules: &'r mut RulesetCreated,
}

/// The way to what may not be read, and to what may not be written: none where that is settled.
type Ways<'w, 'h> = (Option<&'w Way<'h>>, Option<&'w Way<'h>>);

impl Walk<'_> {
    fn begin(&mut self, reads: &Way<'_>, writes: Option<&Way<'_>>) -> Result<(), RulesetError> {
        let Ok(root) = rustix::fs::open("/", FOLDER, Mode::empty()) else {
            return Ok(());
        };
        let (read, reads) = settled(Some(reads.itself()));
        let (write, writes) = settled(writes.map(Way::itself));
        self.add(root.as_fd(), read, write)?;
        self.folder(root.as_fd(), (reads, writes))
    }

    fn folder(&mut self, folder: BorrowedFd<'_>, ways: Ways<'_, '_>) -> Result<(), RulesetError> {
        if ways.0.is_none() && ways.1.is_none() {
            return Ok(());
        }
        let mut space = [MaybeUninit::uninit(); ENTRIES_BYTES];
        let mut entries = RawDir::new(folder, &mut space);
        while let Some(Ok(entry)) = entries.next() {
            let name = entry.file_name();
            if name == c"." || name == c".." {
                continue;
            }
            let kind = match entry.file_type() {
                FileType::Unknown => kind(folder, name),
                known => known,
            };
            if kind != FileType::Symlink {
                self.entry(folder, (name, kind), ways)?;
            }
        }
        Ok(())
    }

    fn entry(
        &mut self,
        folder: BorrowedFd<'_>,
        (name, kind): (&CStr, FileType),
        ways: Ways<'_, '_>,
    ) -> Result<(), RulesetError> {
        let text = OsStr::from_bytes(name.to_bytes());
        let (read, reads) = settled(ways.0.map(|way| way.beside(text)));
        let (write, writes) = settled(ways.1.map(|way| way.beside(text)));
        let goes_on = kind == FileType::Directory && (reads.is_some() || writes.is_some());
        let open =
            |flags| rustix::fs::openat(folder, name, flags | OFlags::NOFOLLOW, Mode::empty());
        let bare = OFlags::PATH | OFlags::CLOEXEC;
        let file = if goes_on {
            // One that may be entered and not listed.
            open(FOLDER).or_else(|_| open(bare)).ok()
        } else {
            (read || write).then(|| open(bare).ok()).flatten()
        };
        if let Some(file) = file {
            self.add(file.as_fd(), read, write)?;
            if goes_on {
                self.folder(file.as_fd(), (reads, writes))?;
            }
        }
        Ok(())
    }

    fn add(&mut self, file: BorrowedFd<'_>, read: bool, written: bool) -> Result<(), RulesetError> {
        let mut access = BitFlags::EMPTY;
        if read {
            access |= AccessFs::ReadFile;
        }
        if written {
            access |= write();
        }
        if access.is_empty() {
            return Ok(());
        }
        let rule = PathBeneath::new(file, access);
        (&mut *self.rules).add_rule(rule).map(drop)
    }
}

/// Is it opened here, and what is left to do below?
fn settled<'w, 'h>(beside: Option<Beside<'w, 'h>>) -> (bool, Option<&'w Way<'h>>) {
    match beside {
        Some(Beside::Open) => (true, None),
        Some(Beside::On(way)) => (false, Some(way)),
        Some(Beside::Closed) | None => (false, None),
    }
}

/// Some file systems do not say it beside the name.
fn kind(folder: BorrowedFd<'_>, name: &CStr) -> FileType {
    rustix::fs::statat(folder, name, AtFlags::SYMLINK_NOFOLLOW).map_or(FileType::Unknown, |about| {
        FileType::from_raw_mode(about.st_mode)
    })
}
