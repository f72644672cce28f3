//! What runs keep of their agents: `agent_logs/<run>/7.jsonl`, `7.stderr`, `7.prompt.md`; of a member one folder
//! deeper.

use super::{Rotated, compress, delete, names, open_alone};
use crate::state::Place;
use crate::{files, journal};
use overnight_filter::rotate::{self, Bounds, COMPRESSED, Entry};
use overnight_views::report::html;
use rustix::fs::{AtFlags, FileType, Mode, OFlags};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::OwnedFd;

/// The folder's name, at the top of the project.
const FOLDER: &str = "agent_logs";
/// A run's page, and how large one may be.
const PAGE: &str = "report.html";
const PAGE_BYTES_MAX: u64 = 8_000_000;

/// Rotates them by the same rules as logs; their age is the time since they were last written.
pub(super) fn rotate(place: &Place, now_ms: u64, bounds: Bounds) -> Rotated {
    let mut done = Rotated::default();
    let Some(folder) = open_plain(rustix::fs::CWD, place.home.join(FOLDER)) else {
        return done;
    };
    let runs = names(&folder)
        .into_iter()
        .filter(|run| !run.starts_with('.'));
    let entries: Vec<Entry> = runs.flat_map(|run| of_run(&folder, &run)).collect();
    let plan = rotate::plan(&entries, now_ms, bounds);
    let deleted = plan.delete.iter().map(|path| (path, true));
    let mut moved: BTreeMap<&str, Vec<(&str, bool)>> = BTreeMap::new();
    for (path, deletes) in deleted.chain(plan.compress.iter().map(|path| (path, false))) {
        let Some((run, name)) = path.split_once('/') else {
            continue;
        };
        let Some((inside, _held)) = take(place, &folder, run) else {
            continue;
        };
        if carry_out(&inside, name, deletes) {
            done.deleted += usize::from(deletes);
            done.compressed += usize::from(!deletes);
            // It goes with its last file.
            let _ = rustix::fs::unlinkat(&folder, run, AtFlags::REMOVEDIR);
            moved.entry(run).or_default().push((name, deletes));
        }
    }
    for (run, logs) in moved {
        // A page that cannot be written keeps its links; the command beside each finds the log.
        let inside = open_plain(&folder, run);
        let _ = inside.map(|inside| relink(&inside, &logs));
    }
    done
}

/// Deletes or compresses a log of a run; `name` may lead into a member's folder.
fn carry_out(run: &OwnedFd, name: &str, deletes: bool) -> bool {
    let one = |folder: &OwnedFd, name: &str| {
        if deletes {
            delete(folder, name)
        } else {
            compress(folder, name).is_ok()
        }
    };
    let Some((member, log)) = name.split_once('/') else {
        return one(run, name);
    };
    let went = open_plain(run, member).is_some_and(|inside| one(&inside, log));
    let _ = rustix::fs::unlinkat(run, member, AtFlags::REMOVEDIR);
    went
}

/// Lets the links of the run's page lead to where its logs are now.
fn relink(run: &OwnedFd, logs: &[(&str, bool)]) -> std::io::Result<()> {
    let Some(page) = open_alone(run, PAGE) else {
        return Ok(());
    };
    let mut text = String::new();
    (&page).take(PAGE_BYTES_MAX).read_to_string(&mut text)?;
    if page.metadata()?.len() > PAGE_BYTES_MAX {
        return Ok(());
    }
    let before = text.clone();
    for (name, deleted) in logs {
        let packed = format!("{name}{COMPRESSED}");
        let now = (!deleted).then_some(packed.as_str());
        text = html::relinked(&text, name, now);
    }
    if text == before {
        return Ok(());
    }
    let temporary = format!(".{PAGE}.tmp");
    let _ = rustix::fs::unlinkat(run, &temporary, AtFlags::empty());
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let new = rustix::fs::openat(run, &temporary, flags, files::private())?;
    let mut new = File::from(new);
    new.write_all(text.as_bytes())?;
    new.sync_all()?;
    rustix::fs::renameat(run, &temporary, run, PAGE)?;
    Ok(())
}

fn of_run(folder: &OwnedFd, run: &str) -> Vec<Entry> {
    let Some(inside) = open_plain(folder, run) else {
        return Vec::new();
    };
    let names = names(&inside);
    let members = names.iter().filter(|name| !name.starts_with('.'));
    let members = members.filter_map(|name| {
        let of_member = open_plain(&inside, name)?;
        Some(entries(&of_member, &format!("{run}/{name}")))
    });
    let mut all: Vec<Entry> = members.flatten().collect();
    all.extend(entries(&inside, run));
    all
}

/// The logs that lie in this folder itself, under its path.
fn entries(folder: &OwnedFd, path: &str) -> Vec<Entry> {
    let entry = |name: String| {
        let about = rustix::fs::statat(folder, &name, AtFlags::SYMLINK_NOFOLLOW).ok()?;
        let regular = FileType::from_raw_mode(about.st_mode) == FileType::RegularFile;
        (regular && rotate::is_agent_log(&name)).then(|| Entry {
            name: format!("{path}/{name}"),
            begun_ms: u64::try_from(about.st_mtime).unwrap_or(0) * 1_000,
            bytes: u64::try_from(about.st_size).unwrap_or(0),
        })
    };
    names(folder).into_iter().filter_map(entry).collect()
}

/// The run's folder and, where it has a journal, that journal's lock; `None` while the run goes on.
fn take(place: &Place, folder: &OwnedFd, run: &str) -> Option<(OwnedFd, Option<File>)> {
    let inside = open_plain(folder, run)?;
    let lock = File::open(place.run_folder(run).join(journal::LOCK)).ok();
    match &lock {
        Some(lock) if lock.try_lock().is_err() => None,
        _ => Some((inside, lock)),
    }
}

fn open_plain(at: impl std::os::fd::AsFd, path: impl rustix::path::Arg) -> Option<OwnedFd> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    rustix::fs::openat(at, path, flags, Mode::empty()).ok()
}

#[cfg(test)]
mod tests {
    use super::super::bounds;
    use super::*;
    use crate::files::FileLock;
    use std::time::Duration;

    #[test]
    fn old_ones_go_but_none_of_a_run_that_goes_on() {
        let folder = tempfile::tempdir().unwrap();
        let place = crate::state::locate(folder.path()).unwrap();
        let write = |path: &str| {
            let path = place.top.join(FOLDER).join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, "{}\n").unwrap();
        };
        for path in [
            "r1/1.jsonl",
            "r1/1.stderr",
            "r1/api/1.jsonl",
            "r1/api/member.log",
            "r2/1.jsonl",
            "r2/notes.txt",
        ] {
            write(path);
        }
        let page = place.top.join(FOLDER).join("r2/report.html");
        std::fs::write(&page, "<a href=\"1.jsonl\">log</a>").unwrap();
        std::os::unix::fs::symlink("r1", place.top.join(FOLDER).join("r3")).unwrap();
        let there = |path: &str| place.top.join(FOLDER).join(path).exists();
        let now_ms = crate::clock::wall_ms();
        assert_eq!(rotate(&place, now_ms, bounds(&place)), Rotated::default());

        let lock = place.run_folder("r1").join(journal::LOCK);
        let held = FileLock::acquire(&lock, Duration::ZERO).unwrap().unwrap();
        let in_four_days = now_ms + 4 * 86_400_000;
        assert_eq!(rotate(&place, in_four_days, bounds(&place)).compressed, 1);
        assert!(there("r2/1.jsonl.gz") && there("r1/1.jsonl"));
        let shown = || std::fs::read_to_string(&page).unwrap();
        assert_eq!(shown(), "<a href=\"1.jsonl.gz\">log</a>");
        drop(held);
        assert_eq!(rotate(&place, in_four_days, bounds(&place)).compressed, 4);
        assert!(there("r1/api/1.jsonl.gz"));

        let in_a_month = now_ms + 30 * 86_400_000;
        assert_eq!(rotate(&place, in_a_month, bounds(&place)).deleted, 5);
        assert!(!there("r1") && there("r2/notes.txt"));
        assert!(!shown().contains("href"), "{}", shown());
    }
}
