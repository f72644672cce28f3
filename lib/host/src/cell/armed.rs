//! The walls of a session in which a run is armed: the hooks, outside, write down what each shell of its
//! Bash tool takes upon itself. What is written down is out of reach of what lives within.

use super::plan::Plan;
use super::spool::Spool;
use super::temporary::Temporary;
use super::{Cell, Cells, INSIDE, Kept, Who, level, of_an_agent, walls, watch};
use crate::files::{self, Content};
use crate::state::Place;
use crate::{config, homes, process, state};
use overnight_base::code::Code;
use overnight_base::fault::Fault;
use overnight_base::session::key;
use overnight_base::vars;
use overnight_run::cell::{self as policy, Gives, Limits, Mode};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// The folder of these files, among what is the person's own.
const FOLDER: &str = "cells";
/// They hold paths: two for each cache and socket.
const BYTES_MAX: u64 = 4 << 20;
/// Beside the file, while the person talks in the middle of the run.
const HELD: &str = "held";
/// Beside it, once a shell took the walls upon itself.
const SEEN: &str = "seen";
/// In the run's folder: the paths that were refused since the last look.
const REFUSED: &str = "refused";
/// There too: that a shell took no walls upon itself.
const UNLED: &str = "unled";
/// Among what the code in the cell writes: the limits that it passed.
const LIMITED: &str = "limited";
/// More than this of either since the last look is told shorter.
const NOTED_BYTES_MAX: u64 = 64 << 10;
/// What the shells left running has this long to end.
const GRACE: Duration = Duration::from_secs(2);
/// What a session that never came back left is swept away after this.
const FORGOTTEN: Duration = Duration::from_hours(24 * 30);

/// What is written down.
#[derive(Debug, Serialize, Deserialize)]
pub struct Armed {
    run_folder: PathBuf,
    temporary: PathBuf,
    plan: Plan,
    environment: Vec<(OsString, OsString)>,
    gone: Vec<String>,
    git: Vec<[String; 2]>,
    limits: Limits,
    pushes: Option<Spool>,
    kept: Kept,
}

/// The file of this session: there while its shells live in a cell.
pub fn file(session: &str) -> Option<PathBuf> {
    Some(
        homes::state()?
            .join(FOLDER)
            .join(format!("{}.json", key(session))),
    )
}

/// Do shells of this session live in a cell, as one of them has shown?
pub fn is_seen(session: &str) -> bool {
    file(session).is_some_and(|file| file.exists() && beside(&file, SEEN).exists())
}

/// From now on this session's shells live in a cell, as it is set for this run, or it is said why not. What
/// they had before they keep.
pub fn begin(
    place: &Place,
    session: &str,
    (run_folder, mode): (&Path, Mode),
    say: fn(&str),
) -> Result<Option<Gives>, Fault> {
    let begun = Armed::begin(place, session, (run_folder, mode), say);
    if !matches!(begun, Ok(Some(_))) {
        end(session);
    }
    begun
}

/// The person talks in the middle of the run: meanwhile the session's shells are their own.
pub fn hold(session: &str) {
    if let Some(file) = file(session) {
        let _ = std::fs::rename(&file, beside(&file, HELD));
    }
}

/// They said go on.
pub fn release(session: &str) {
    if let Some(file) = file(session) {
        let _ = std::fs::rename(beside(&file, HELD), &file);
    }
}

/// The session works on no run any more: what its shells had is taken away.
pub fn end(session: &str) {
    let Some(file) = file(session) else {
        return;
    };
    for path in [&beside(&file, HELD), &file] {
        remove(path);
    }
    let _ = std::fs::remove_file(beside(&file, SEEN));
}

/// What the session's shells left behind of an iteration.
#[derive(Debug, Default)]
pub struct Left {
    /// What was put back that they had changed.
    pub restored: Vec<PathBuf>,
    /// The paths that the walls refused.
    pub walled: BTreeSet<String>,
    /// The limit of the cell that one of them passed.
    pub limited: Option<String>,
    /// Did one of them live in no cell? The client has begun before it was told to lead them there.
    pub unled: bool,
}

/// Looks after the session's shells: what they left running is ended, what they pushed is carried out by
/// `push`, what they bent is put back.
pub fn look(
    session: &str,
    push: impl Fn(&str) -> Result<(), Fault>,
    say: fn(&str),
) -> Result<Left, Fault> {
    let Some(file) = file(session) else {
        return Ok(Left::default());
    };
    let Some(mut armed) = read(&file)? else {
        return Ok(Left::default());
    };
    // Nobody else has this folder for temporary files in their environment.
    let temporary = armed.temporary.display().to_string();
    let limited = |process| watch::is_limited_to(armed.limits.file, process);
    let running = process::left_by((vars::TMPDIR.name, &temporary), limited);
    process::end_all(&running, GRACE);
    let restored = armed.kept.restore();
    if let Some(pushes) = &mut armed.pushes {
        pushes
            .carry_out(push)
            .unwrap_or_else(|fault| say(&fault.to_string()));
        write(&file, &armed)?;
    }
    let walled = taken(&armed.run_folder.join(REFUSED));
    let limited = taken(&armed.run_folder.join(INSIDE).join(LIMITED));
    let limited = limited.into_iter().find(|text| Limits::is_named(text));
    let unled = !taken(&armed.run_folder.join(UNLED)).is_empty();
    Ok(Left {
        unled,
        restored,
        walled: walled.into_iter().take(policy::REFUSED_MAX).collect(),
        limited,
    })
}

/// Notes what the walls refused, by what a call of the Bash tool printed; and that there were none.
pub fn note(session: &str, folder: &Path, printed: impl FnOnce() -> String) -> Result<(), Fault> {
    let Some(file) = file(session).filter(|file| file.exists()) else {
        return Ok(());
    };
    let Some(armed) = read(&file)? else {
        return Ok(());
    };
    if !beside(&file, SEEN).exists() {
        return append(&armed.run_folder.join(UNLED), "a shell\n");
    }
    let plan = &armed.plan;
    let open = |path: &Path| {
        let under = |all: &[PathBuf]| all.iter().any(|one| path.starts_with(one));
        under(&plan.grants) && !under(&plan.hidden) && !under(&plan.space.kept)
    };
    let printed = printed();
    if let Some(limit) = armed.limits.told(&printed, watch::counts_tasks()) {
        pass(&armed.run_folder, &limit);
    }
    let top = state::locate(folder).map_or_else(|_| folder.to_owned(), |place| place.top);
    let refused = policy::refusals(&printed, &top, &open);
    if refused.is_empty() {
        return Ok(());
    }
    let mut lines: Vec<String> = refused.into_iter().collect();
    lines.push(String::new());
    append(&armed.run_folder.join(REFUSED), &lines.join("\n"))
}

/// A shell of the session passed a limit; told from within its walls.
pub(super) fn pass(run_folder: &Path, limit: &str) {
    let _ = append(
        &run_folder.join(INSIDE).join(LIMITED),
        &format!("{limit}\n"),
    );
}

/// What a shell takes upon itself; `cwd` is a file beside that it has to write.
pub(super) fn wall(file: &Path, cwd: Option<PathBuf>) -> Result<Option<Cell>, Fault> {
    let Some(mut armed) = read(file)? else {
        return Ok(None);
    };
    if let Some(path) = cwd {
        if let Some(writable) = &mut armed.plan.space.writable {
            writable.push(path.clone());
        }
        armed.plan.grants.push(path);
    }
    let cell = Cell {
        walls: walls::Walls::build(armed.plan)?,
        environment: armed.environment,
        gone: armed.gone,
        git: armed.git,
        limits: Some(armed.limits),
        run_folder: Some(armed.run_folder),
    };
    let seen = beside(file, SEEN);
    if !seen.exists() {
        files::replace(&seen, b"", files::PRIVATE)?;
    }
    Ok(Some(cell))
}

impl Cells {
    /// What is written down for the shells of a client in this place.
    fn armed(
        &self,
        place: &Place,
        run_folder: &Path,
        pushes: Option<Spool>,
    ) -> Result<Armed, Fault> {
        let grants = of_an_agent(place, run_folder)?;
        let mut plan = self.plan(Who::Agent, &place.top, grants)?;
        let mut gone = self.gone.clone();
        if let Some(folder) = homes::client().map(|folder| homes::real(&folder)) {
            plan.hidden
                .extend(policy::login(&self.settings, &folder, self.home.as_deref()));
            gone.extend(
                policy::login_variables(&self.settings)
                    .into_iter()
                    .map(str::to_owned),
            );
        }
        if plan.space.writable.is_some() {
            // Each shell builds these walls: what hides beside hundreds of others is covered instead.
            let all = std::mem::take(&mut plan.hidden).into_iter();
            let (system, others): (Vec<_>, Vec<_>) =
                all.partition(|path| policy::is_of_system(path, self.home.as_deref()));
            plan.hidden = others;
            plan.space.covered.extend(system);
        }
        let mut environment = self.environment.clone();
        environment.push((vars::CELL.name.into(), "shell".into()));
        Ok(Armed {
            run_folder: run_folder.to_owned(),
            temporary: self.temporary.path.clone(),
            plan,
            environment,
            gone,
            git: policy::configured(pushes.as_ref().map(|spool| &spool.lead)),
            limits: self.limits().marked(&self.temporary.path.to_string_lossy()),
            pushes,
            kept: Kept::of(place),
        })
    }
}

impl Armed {
    fn begin(
        place: &Place,
        session: &str,
        (run_folder, mode): (&Path, Mode),
        say: fn(&str),
    ) -> Result<Option<Gives>, Fault> {
        if mode == Mode::Off {
            return Ok(None);
        }
        let missing = |reason: &str| Fault::new(Code::CellMissing, reason);
        let level = level();
        if !level.keeps_files() {
            return Err(missing(&level.to_string()));
        }
        let outside = homes::outside(place, FOLDER).and_then(|_| file(session));
        let file = outside.ok_or_else(|| missing("your home is missing, or inside the project"))?;
        let before = read(&file)?.or(read(&beside(&file, HELD))?);
        let settings = config::load(Some(place)).settings.cell;
        let known = before.as_ref().map(|before| before.temporary.as_path());
        let temporary = || Temporary::lasting(known);
        let Some(cells) = Cells::with((mode, &settings), place, temporary, say)? else {
            return Ok(None);
        };
        let pushes = match before {
            // What is in it is the agent's by now: it is made once.
            Some(before) => before.pushes,
            None => Spool::make(&cells.temporary.path, place)?,
        };
        let armed = cells.armed(place, run_folder, pushes)?;
        write(&file, &armed)?;
        let _ = std::fs::remove_file(beside(&file, HELD));
        sweep(&file);
        Ok(Some(cells.gives))
    }
}

fn beside(file: &Path, what: &str) -> PathBuf {
    file.with_extension(what)
}

fn read(file: &Path) -> Result<Option<Armed>, Fault> {
    let wrong = |what: String| {
        let reason = format!("{}: {what}", file.display());
        Fault::new(Code::CellMissing, reason)
    };
    match files::read_bounded(file, BYTES_MAX)? {
        Content::Bytes(bytes) => serde_json::from_slice(&bytes)
            .map(Some)
            .map_err(|error| wrong(error.to_string())),
        Content::Missing => Ok(None),
        Content::Refused(what) => Err(wrong(what.to_string())),
    }
}

fn write(file: &Path, armed: &Armed) -> Result<(), Fault> {
    if let Some(folder) = file.parent() {
        files::create_private_folder(folder)?;
    }
    let bytes = serde_json::to_vec(armed).map_err(|error| {
        Fault::new(
            Code::CellMissing,
            format!("it cannot be written down: {error}"),
        )
    })?;
    files::replace(file, &bytes, files::PRIVATE)
}

/// Takes away a file and the folder of temporary files that it names.
fn remove(file: &Path) {
    if let Ok(Some(armed)) = read(file) {
        let _ = std::fs::remove_dir_all(&armed.temporary);
    }
    let _ = std::fs::remove_file(file);
}

/// Takes away what sessions left that never came back.
fn sweep(own: &Path) {
    let folder = own.parent().unwrap_or(own);
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let written = entry.metadata().and_then(|about| about.modified());
        let age = written.map(|at| SystemTime::now().duration_since(at).unwrap_or_default());
        if age.is_ok_and(|age| age > FORGOTTEN) {
            remove(&entry.path());
        }
    }
}

fn append(file: &Path, text: &str) -> Result<(), Fault> {
    let wrong =
        |error: std::io::Error| Fault::new(Code::FileWrite, format!("{}: {error}", file.display()));
    let mut file = files::open_log(file)?;
    file.write_all(text.as_bytes()).map_err(wrong)
}

/// The lines of a file, which goes; what of it the code in the cell can write is data.
fn taken(file: &Path) -> BTreeSet<String> {
    let read = files::read_bounded(file, NOTED_BYTES_MAX);
    let _ = std::fs::remove_file(file);
    match read {
        Ok(Content::Bytes(bytes)) => String::from_utf8_lossy(&bytes)
            .lines()
            .map(str::to_owned)
            .collect(),
        _ => BTreeSet::new(),
    }
}
