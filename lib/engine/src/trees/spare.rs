//! Files of work trees from one night to the next: a tree that holds nothing of its own leaves git's books,
//! and its files, with the index that knows them, wait for the next work tree of this repository.

use super::folder;
use crate::files;
use crate::furnish;
use crate::git;
use crate::state::{self, Place};
use crate::unfinished;
use overnight_base::fault::Fault;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The folder of spare files beside those of runs.
const SPARE: &str = "spare";
/// Spare files at most.
const SPARE_MAX: usize = 16;
/// Files that nobody wanted for this long go.
const AGE_MAX: Duration = Duration::from_hours(14 * 24);
/// Files are kept while this part of the disk is free, or this many bytes.
const FREE_PART: u64 = 10;
const FREE_BYTES: u64 = 10 << 30;

/// A place for the files of a work tree.
struct Shelf {
    files: PathBuf,
    index: PathBuf,
}

impl Shelf {
    fn of(root: &Path, number: usize) -> Self {
        Self {
            files: root.join(number.to_string()),
            index: root.join(format!("{number}.index")),
        }
    }

    fn is_free(&self) -> bool {
        self.files.symlink_metadata().is_err()
    }

    fn clear(&self) {
        let _ = std::fs::remove_file(&self.index);
        let _ = std::fs::remove_dir_all(&self.files);
    }
}

fn shelves(place: &Place) -> Result<Vec<Shelf>, Fault> {
    let root = folder(place, SPARE)?;
    Ok((1..=SPARE_MAX)
        .map(|number| Shelf::of(&root, number))
        .collect())
}

/// Makes a work tree at a commit of spare files, if there are any; they are yet to be brought to that
/// commit. The caller holds the lock and has noted that the tree is not whole.
pub(super) fn take(place: &Place, tree: &Path, commit: &str) -> Result<bool, Fault> {
    let Some(common) = &place.git_common else {
        return Ok(false);
    };
    for shelf in shelves(place)? {
        // Files without an index are what somebody was stopped at.
        if !shelf.index.is_file() || shelf.files.join(".git").symlink_metadata().is_ok() {
            shelf.clear();
            continue;
        }
        // Whoever moves them has them.
        if std::fs::rename(&shelf.files, tree).is_err() {
            continue;
        }
        unfinished::register(common, tree, commit)?;
        if let Some(books) = state::locate(tree)?.git {
            let _ = std::fs::rename(&shelf.index, books.join("index"));
        }
        return Ok(true);
    }
    Ok(false)
}

/// Puts the files of a clean work tree aside, with its index, and takes it out of git's books; `false`
/// where it is not one whose files git knows by that index alone. The caller has noted that it is not whole.
pub(super) fn put(place: &Place, tree: &Path) -> Result<bool, Fault> {
    sweep(place)?;
    let free = shelves(place)?.into_iter().find(Shelf::is_free);
    let (Some(shelf), Some(books)) = (free, state::locate(tree)?.git) else {
        return Ok(false);
    };
    let index = books.join("index");
    let linked = Some(&books) != place.git_common.as_ref() && index.is_file();
    if !linked || tree.join(".gitmodules").exists() || !has_room(tree) || !is_plain(tree)? {
        return Ok(false);
    }
    // What is ignored was somebody's of that night.
    let cleaned = git::output(git::tame(tree).args(["clean", "-ffdxq"]), &[])?;
    if !cleaned.ok() {
        return Ok(false);
    }
    if let Some(root) = shelf.files.parent() {
        files::create_private_folder(root)?;
    }
    let moved = std::fs::rename(&index, &shelf.index)
        .and_then(|()| std::fs::remove_file(tree.join(".git")))
        .and_then(|()| std::fs::rename(tree, &shelf.files))
        .and_then(|()| std::fs::remove_dir_all(&books));
    if moved.is_err() {
        return Ok(false);
    }
    furnish::forget(tree);
    Ok(true)
}

/// Does the index tell of each file what it is? Of one that git was told to leave alone it does not.
fn is_plain(tree: &Path) -> Result<bool, Fault> {
    let listed = git::run(tree, &["ls-files", "-v", "-z"])?;
    let mut entries = listed.stdout.split(|byte| *byte == 0);
    Ok(listed.ok() && entries.all(|entry| entry.is_empty() || entry.starts_with(b"H ")))
}

fn has_room(tree: &Path) -> bool {
    rustix::fs::statvfs(tree).is_ok_and(|disk| {
        let wanted = (disk.f_blocks / FREE_PART).saturating_mul(disk.f_frsize);
        disk.f_bavail.saturating_mul(disk.f_frsize) >= wanted.min(FREE_BYTES)
    })
}

/// Removes what nobody wanted for long.
fn sweep(place: &Place) -> Result<(), Fault> {
    for shelf in shelves(place)? {
        let written = std::fs::metadata(&shelf.files).and_then(|about| about.modified());
        let age = written.ok().and_then(|time| time.elapsed().ok());
        if age.is_some_and(|age| age >= AGE_MAX) {
            shelf.clear();
        }
    }
    Ok(())
}
