//! Rotation: logs are compressed after three days, deleted after as many as are set, and bounded in all.

mod agents;

use super::{FOLDER, open_folder};
use crate::state::Place;
use crate::{config, files};
use flate2::Compression;
use flate2::write::GzEncoder;
use overnight_base::fault::Fault;
use overnight_filter::rotate::{self, Bounds, COMPRESSED, Entry};
use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags};
use std::fs::File;
use std::os::fd::OwnedFd;

/// What a rotation did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Rotated {
    /// Logs compressed.
    pub compressed: usize,
    /// Logs deleted.
    pub deleted: usize,
}

/// Rotates the project's logs and what its runs keep of their agents. Only regular files with names
/// of ours are touched, never through a link, never one that is still written: a log is locked
/// while it is, a run holds its journal's lock. Two sessions may do it at once; killed at any point
/// it loses nothing: a log goes only once its compressed form is whole and durable.
pub fn rotate(place: &Place, now_ms: u64) -> Result<Rotated, Fault> {
    let bounds = bounds(place);
    let mut done = agents::rotate(place, now_ms, bounds);
    let path = place.top.join(FOLDER);
    if !path.exists() {
        return Ok(done);
    }
    let folder = open_folder(&path)?;
    let plan = rotate::plan(&entries(&folder), now_ms, bounds);
    for name in &plan.delete {
        done.deleted += usize::from(delete(&folder, name));
    }
    for name in &plan.compress {
        done.compressed += usize::from(compress(&folder, name).is_ok());
    }
    Ok(done)
}

/// Deletes the oldest logs beyond the quota, and those that are too old; compresses none.
pub fn keep_quota(place: &Place, now_ms: u64) -> Result<(), Fault> {
    let folder = open_folder(&place.top.join(FOLDER))?;
    for name in rotate::plan(&entries(&folder), now_ms, bounds(place)).delete {
        delete(&folder, &name);
    }
    Ok(())
}

fn bounds(place: &Place) -> Bounds {
    Bounds::of(&config::load(Some(place)).settings.logs)
}

fn entries(folder: &OwnedFd) -> Vec<Entry> {
    let entry = |name: String| {
        let begun_ms = rotate::begun_ms(&name)?;
        let about = rustix::fs::statat(folder, &name, AtFlags::SYMLINK_NOFOLLOW).ok()?;
        let regular = FileType::from_raw_mode(about.st_mode) == FileType::RegularFile;
        regular.then(|| Entry {
            name,
            begun_ms,
            bytes: u64::try_from(about.st_size).unwrap_or(0),
        })
    };
    names(folder).into_iter().filter_map(entry).collect()
}

/// The names in a folder that are text.
fn names(folder: &OwnedFd) -> Vec<String> {
    let Ok(listing) = Dir::read_from(folder) else {
        return Vec::new();
    };
    listing
        .filter_map(Result::ok)
        .filter_map(|found| found.file_name().to_str().ok().map(str::to_owned))
        .collect()
}

/// Opens a log for us alone; `None` when it is gone, no regular file, or still written.
fn open_alone(folder: &OwnedFd, name: &str) -> Option<File> {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let file = File::from(rustix::fs::openat(folder, name, flags, Mode::empty()).ok()?);
    let regular = file.metadata().is_ok_and(|about| about.is_file());
    (regular && file.try_lock().is_ok()).then_some(file)
}

fn delete(folder: &OwnedFd, name: &str) -> bool {
    open_alone(folder, name).is_some()
        && rustix::fs::unlinkat(folder, name, AtFlags::empty()).is_ok()
}

fn compress(folder: &OwnedFd, name: &str) -> std::io::Result<()> {
    let Some(mut log) = open_alone(folder, name) else {
        return Err(std::io::ErrorKind::WouldBlock.into());
    };
    // The name of the unfinished form is always the same: what a killed rotation left is replaced.
    let (temporary, compressed) = (
        format!(".{name}{COMPRESSED}.tmp"),
        format!("{name}{COMPRESSED}"),
    );
    let _ = rustix::fs::unlinkat(folder, &temporary, AtFlags::empty());
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let target = File::from(rustix::fs::openat(
        folder,
        &temporary,
        flags,
        files::private(),
    )?);
    let mut encoder = GzEncoder::new(target, Compression::default());
    std::io::copy(&mut log, &mut encoder)?;
    encoder.finish()?.sync_all()?;
    rustix::fs::renameat(folder, &temporary, folder, &compressed)?;
    rustix::fs::fsync(folder)?;
    rustix::fs::unlinkat(folder, name, AtFlags::empty())?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::logs::Log;
    use std::io::Read;

    const DAY_MS: u64 = 86_400_000;

    fn place(top: &std::path::Path) -> Place {
        crate::state::locate(top).unwrap()
    }

    #[test]
    fn old_logs_are_compressed_then_deleted_and_foreign_things_stay() {
        let folder = tempfile::tempdir().unwrap();
        let place = place(folder.path());
        let logs = place.top.join(FOLDER);
        std::fs::create_dir(&logs).unwrap();
        let now_ms = crate::clock::wall_ms();
        let name = |age_days: u64| rotate::name("test", now_ms - age_days * DAY_MS, "0123abcd");
        let outside = folder.path().join("precious");
        std::fs::write(&outside, "precious").unwrap();
        for age in [1, 4, 8] {
            std::fs::write(logs.join(name(age)), "whole log\n").unwrap();
        }
        std::os::unix::fs::symlink(&outside, logs.join(name(9))).unwrap();
        files::named_pipe(&logs.join(name(10)));
        std::fs::create_dir(logs.join(name(11))).unwrap();
        std::fs::write(logs.join("server.log"), "theirs").unwrap();
        let done = rotate(&place, now_ms).unwrap();
        assert_eq!(
            done,
            Rotated {
                compressed: 1,
                deleted: 1
            }
        );
        let mut left: Vec<_> = std::fs::read_dir(&logs)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        left.sort();
        let mut expected = vec![
            name(1),
            format!("{}.gz", name(4)),
            name(9),
            name(10),
            name(11),
            "server.log".to_owned(),
        ];
        expected.sort();
        assert_eq!(left, expected);
        assert_eq!(std::fs::read(&outside).unwrap(), b"precious");
        let mut text = String::new();
        let packed = File::open(logs.join(format!("{}.gz", name(4)))).unwrap();
        flate2::read::GzDecoder::new(packed)
            .read_to_string(&mut text)
            .unwrap();
        assert_eq!(text, "whole log\n");
    }

    #[test]
    fn the_project_sets_how_much_logs_take() {
        let folder = tempfile::tempdir().unwrap();
        let place = place(folder.path());
        let logs = place.top.join(FOLDER);
        std::fs::create_dir(&logs).unwrap();
        std::fs::write(place.top.join("overnight.toml"), "[logs]\nquota_mb = 1\n").unwrap();
        let now_ms = crate::clock::wall_ms();
        let name = |age_s: u64| rotate::name("test", now_ms - age_s * 1_000, "0123abcd");
        for age in [30, 20, 10] {
            std::fs::write(logs.join(name(age)), vec![b'x'; 600_000]).unwrap();
        }
        keep_quota(&place, now_ms).unwrap();
        let left: Vec<_> = [30, 20, 10].map(|age| logs.join(name(age)).exists()).into();
        assert_eq!(left, [false, false, true]);
    }

    #[test]
    fn the_project_sets_how_long_logs_and_what_agents_printed_are_kept() {
        let folder = tempfile::tempdir().unwrap();
        let place = place(folder.path());
        let run = place.top.join("agent_logs/20261126-000000-0000");
        for made in [place.top.join(FOLDER), run.clone()] {
            std::fs::create_dir_all(made).unwrap();
        }
        std::fs::write(place.top.join("overnight.toml"), "[logs]\nkeep_days = 1\n").unwrap();
        let now_ms = crate::clock::wall_ms();
        let log = place
            .top
            .join(FOLDER)
            .join(rotate::name("test", now_ms, "0123abcd"));
        let printed = run.join("1.jsonl");
        for file in [&log, &printed] {
            std::fs::write(file, "x").unwrap();
        }
        assert_eq!(rotate(&place, now_ms + DAY_MS / 2).unwrap().deleted, 0);
        assert_eq!(rotate(&place, now_ms + 2 * DAY_MS).unwrap().deleted, 2);
        assert!(!log.exists() && !printed.exists());
    }

    #[test]
    fn a_log_that_is_still_written_stays() {
        let folder = tempfile::tempdir().unwrap();
        let place = place(folder.path());
        let mut log = Log::create(&place, &place.top, "test").unwrap();
        log.write(b"x").unwrap();
        let in_a_month = crate::clock::wall_ms() + 30 * DAY_MS;
        assert_eq!(rotate(&place, in_a_month).unwrap(), Rotated::default());
        drop(log);
        assert_eq!(rotate(&place, in_a_month).unwrap().deleted, 1);
    }

    #[test]
    fn what_a_killed_rotation_left_is_done_again() {
        let folder = tempfile::tempdir().unwrap();
        let place = place(folder.path());
        let logs = place.top.join(FOLDER);
        std::fs::create_dir(&logs).unwrap();
        let now_ms = crate::clock::wall_ms();
        let name = rotate::name("lint", now_ms - 4 * DAY_MS, "0123abcd");
        std::fs::write(logs.join(&name), "all of it").unwrap();
        std::fs::write(logs.join(format!(".{name}.gz.tmp")), "half").unwrap();
        assert_eq!(rotate(&place, now_ms).unwrap().compressed, 1);
        assert!(!logs.join(format!(".{name}.gz.tmp")).exists());
    }
}
