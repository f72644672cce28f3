//! `progress/`: its four files read and written, one writer at a time.

use crate::files::{self, Content, FileLock};
use crate::state::Place;
use crate::{config, env, git};
use overnight_base::code::Code;
use overnight_base::fault::Fault;
use overnight_base::vars;
use overnight_run::progress::{self, Files, Language, Progress, Stamp, specialist};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// The folder in the work tree.
pub const FOLDER: &str = "progress";
/// The summary in it.
pub const SUMMARY: &str = "README.md";
/// More than this is no progress file: a history of ten thousand tasks is a tenth of it.
const FILE_BYTES_MAX: u64 = 8 << 20;
/// Writers hold the lock for some milliseconds; one that is stopped does not hold us up longer.
const WAIT_MAX: Duration = Duration::from_secs(10);

/// Reads the model; `None` where no progress was ever written.
pub fn load(place: &Place) -> Result<Option<Progress>, Fault> {
    let files = read(&folder(place)?)?;
    Ok((files != Files::default()).then(|| named(progress::parse(&files), place)))
}

/// The summary's text as it stands; `None` where there is none.
pub fn summary(place: &Place) -> Result<Option<String>, Fault> {
    let text = read_file(&folder(place)?.join(SUMMARY))?;
    Ok((!text.is_empty()).then_some(text))
}

/// Reads, changes and writes the files as one step: parallel writers wait for each other, a
/// reader sees each file whole, and what did not change is not written. Gives the new model.
pub fn update(place: &Place, change: impl FnOnce(&mut Progress)) -> Result<Progress, Fault> {
    let folder = folder(place)?;
    let lock = place.state.join("progress.lock");
    files::create_private_folder(&place.state)?;
    let _held = FileLock::acquire(&lock, WAIT_MAX)?.ok_or_else(|| {
        let reason = format!(
            "another process has been writing it for {} s",
            WAIT_MAX.as_secs()
        );
        Fault::new(Code::ProgressWrite, reason)
    })?;
    let before = read(&folder)?;
    let mut model = named(progress::parse(&before), place);
    change(&mut model);
    let language = match config::load(Some(place)).settings.progress.lang.as_str() {
        "ja" => Language::Japanese,
        _ => Language::English,
    };
    let after = progress::render(&model, &before, language);
    for ((name, old), (_, new)) in entries(&before).into_iter().zip(entries(&after)) {
        if old != new {
            let path = folder.join(name);
            files::write_atomic(&path, new.as_bytes(), files::SHARED).map_err(as_progress)?;
        }
    }
    Ok(model)
}

/// Says in the summary that a session ended just now, and changes nothing else. Where git holds it, it stays as
/// it is: a session that only looked around leaves `git status` clean.
pub fn sign(place: &Place, stamp: &Stamp) -> Result<(), Fault> {
    let path = folder(place)?.join(SUMMARY);
    let text = read_file(&path)?;
    let Some(signed) = progress::signed(&text, stamp) else {
        return Ok(());
    };
    let held = || git::read(&place.top, &["ls-files", "--", FOLDER]);
    if place.git_common.is_some() && !held()?.is_empty() {
        return Ok(());
    }
    files::write_atomic(&path, signed.as_bytes(), files::SHARED).map_err(as_progress)
}

/// Keeps the report of a specialist agent as a page below `reports/`; those of other agents are not
/// kept. `when` is local time as people read it.
pub fn keep_report(place: &Place, agent_type: &str, when: &str, report: &str) -> Result<(), Fault> {
    let Some(file) = specialist::file(agent_type) else {
        return Ok(());
    };
    // In a work tree of a run its agent's walls end there; whoever carries the run brings it over.
    let reports = reports(&place.top.join(FOLDER))?;
    let page = specialist::page(agent_type, when, report);
    files::write_atomic(&reports.join(file), page.as_bytes(), files::SHARED).map_err(as_progress)
}

/// The folder of the reports, made where it is missing.
fn reports(progress: &Path) -> Result<PathBuf, Fault> {
    let reports = progress.join("reports");
    for folder in [progress, &reports] {
        if folder.symlink_metadata().is_ok_and(|about| !about.is_dir()) {
            let reason = format!("{} is not a folder", folder.display());
            return Err(Fault::new(Code::InputPath, reason));
        }
    }
    files::create_folder(&reports)?;
    Ok(reports)
}

/// Brings what specialists reported in a run's own work tree to where the person reads it.
pub fn bring_reports(place: &Place) -> Result<(), Fault> {
    let (from, to) = (place.top.join(FOLDER), folder(place)?);
    for (_, file) in specialist::files().filter(|_| from != to) {
        let path = from.join("reports").join(&file);
        let text = read_file(&path)?;
        if !text.is_empty() {
            let page = reports(&to)?.join(&file);
            files::write_atomic(&page, text.as_bytes(), files::SHARED).map_err(as_progress)?;
            let _ = std::fs::remove_file(&path);
        }
    }
    Ok(())
}

/// The reports of specialists that were kept since a Unix time in milliseconds, one after the other.
pub fn reports_since(place: &Place, since_ms: u64) -> String {
    let newer = newer(place, since_ms);
    newer
        .filter_map(|(_, file)| read_file(&file).ok())
        .collect()
}

/// The specialist agents that reported since then.
pub fn reported_since(place: &Place, since_ms: u64) -> BTreeSet<&'static str> {
    newer(place, since_ms).map(|(agent, _)| agent).collect()
}

fn newer(place: &Place, since_ms: u64) -> impl Iterator<Item = (&'static str, PathBuf)> {
    let since = SystemTime::UNIX_EPOCH + Duration::from_millis(since_ms);
    let folder = folder(place).ok().map(|folder| folder.join("reports"));
    let files = folder.into_iter().flat_map(|folder| {
        specialist::files().map(move |(agent, file)| (agent, folder.join(file)))
    });
    files.filter(move |(_, file)| {
        let written = file.metadata().and_then(|about| about.modified());
        written.is_ok_and(|at| at >= since)
    })
}

/// Who is at work here: the run, else the first part of the client's session, else nobody known.
pub fn session_label() -> String {
    let session = || Some(env::get(&vars::SESSION_ID)?.split('-').next()?.to_owned());
    env::get(&vars::RUN)
        .or_else(session)
        .unwrap_or_else(|| "manual".to_owned())
}

fn entries(files: &Files) -> [(&'static str, &String); 4] {
    [
        ("completed.md", &files.completed),
        ("blocked.md", &files.blocked),
        ("next_actions.md", &files.next_actions),
        // Last: whoever sees a new summary finds the lists that belong to it.
        (SUMMARY, &files.readme),
    ]
}

/// The folder, unless a link leads elsewhere.
fn folder(place: &Place) -> Result<PathBuf, Fault> {
    let folder = place.progress_folder().join(FOLDER);
    match std::fs::symlink_metadata(&folder) {
        Ok(about) if !about.is_dir() => {
            let reason = format!("{} is not a folder", folder.display());
            Err(Fault::new(Code::InputPath, reason)
                .hint("move it away; the progress files live there"))
        }
        _ => Ok(folder),
    }
}

fn read(folder: &Path) -> Result<Files, Fault> {
    Ok(Files {
        readme: read_file(&folder.join(SUMMARY))?,
        completed: read_file(&folder.join("completed.md"))?,
        blocked: read_file(&folder.join("blocked.md"))?,
        next_actions: read_file(&folder.join("next_actions.md"))?,
    })
}

fn read_file(path: &Path) -> Result<String, Fault> {
    match files::read_bounded(path, FILE_BYTES_MAX)? {
        Content::Bytes(bytes) => Ok(String::from_utf8_lossy(&bytes).into_owned()),
        Content::Missing => Ok(String::new()),
        Content::Refused(what) => {
            let reason = format!("{} is {what}", path.display());
            Err(Fault::new(Code::InputPath, reason).hint("move it away; a new one will be written"))
        }
    }
}

/// A new project is called as its folder is.
fn named(mut model: Progress, place: &Place) -> Progress {
    if model.project.is_empty() {
        let name = place.home.file_name().unwrap_or_default().to_string_lossy();
        model.project = overnight_base::text::one_line(&name, progress::TITLE_CHARS_MAX);
    }
    model
}

fn as_progress(fault: Fault) -> Fault {
    Fault {
        code: Code::ProgressWrite,
        ..fault
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use overnight_run::progress::Stamp;

    fn place(folder: &Path) -> Place {
        crate::state::locate(folder).unwrap()
    }

    fn stamp() -> Stamp {
        Stamp {
            session: "1".into(),
            when: "2026-02-08 10:00:00".into(),
        }
    }

    #[test]
    fn parallel_writers_lose_no_line() {
        let folder = tempfile::tempdir().unwrap();
        let place = place(folder.path());
        std::thread::scope(|scope| {
            for writer in 0..4 {
                let place = &place;
                scope.spawn(move || {
                    for number in 0..5 {
                        let title = format!("task {writer}-{number}");
                        update(place, |progress| progress.finish(&title, &stamp())).unwrap();
                    }
                });
            }
        });
        assert_eq!(load(&place).unwrap().unwrap().done.len(), 20);
        let entries = std::fs::read_dir(place.top.join(FOLDER)).unwrap().count();
        assert_eq!(entries, 4, "no temporary file stays");
    }

    #[test]
    fn links_are_not_followed() {
        let folder = tempfile::tempdir().unwrap();
        let outside = tempfile::tempdir().unwrap();
        let place = place(folder.path());
        let link = place.top.join(FOLDER);
        std::os::unix::fs::symlink(outside.path(), &link).unwrap();
        let fault = update(&place, |progress| progress.plan("x", &stamp())).unwrap_err();
        assert_eq!(fault.code, Code::InputPath);
        std::fs::remove_file(&link).unwrap();
        std::fs::create_dir(&link).unwrap();
        std::os::unix::fs::symlink("/dev/zero", link.join(SUMMARY)).unwrap();
        assert_eq!(load(&place).unwrap_err().code, Code::InputPath);
        assert_eq!(std::fs::read_dir(outside.path()).unwrap().count(), 0);
    }

    #[test]
    fn an_unwritable_folder_is_a_structured_fault() {
        let folder = tempfile::tempdir().unwrap();
        let place = place(folder.path());
        let progress = place.top.join(FOLDER);
        std::fs::create_dir(&progress).unwrap();
        std::fs::create_dir(progress.join("completed.md")).unwrap();
        let fault = update(&place, |progress| progress.finish("x", &stamp())).unwrap_err();
        assert_eq!(fault.code, Code::InputPath, "{fault}");
    }
}
