//! What a work tree of ours needs beside what git has: the ignored files of the person's tree as they
//! stood when the run began, submodules, and what the set-up command makes.

use crate::cell::Cells;
use crate::files::{self, Content};
use crate::gates;
use crate::git;
use crate::proof::dusk;
use crate::proof::ignored::{self, Store};
use crate::state::Place;
use crate::submodules;
use overnight_base::code::Code;
use overnight_base::fault::Fault;
use overnight_base::session::hex;
use overnight_run::setup;
use sha2::{Digest, Sha256};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A lock file larger than this is told from another by its length.
const LOCK_BYTES_MAX: u64 = 64 << 20;
/// A note of ours is one line.
const NOTE_BYTES_MAX: u64 = 4 << 10;

/// Gives a run's work tree what dusk had, once. `run` is the folder of the run's journal.
pub(crate) fn furnish(place: &Place, run: &Path, tree: &Path) -> Result<(), Fault> {
    let note = beside(tree, "given");
    if !note.is_file() {
        Store::noted(&place.home, &dusk::store(place, run))?.give(tree)?;
        submodules::provide(&place.home, tree)?;
        files::replace(&note, b"", files::PRIVATE)?;
    }
    Ok(())
}

/// Gives a work tree what the person's has now.
pub(crate) fn as_now(place: &Place, tree: &Path) -> Result<(), Fault> {
    ignored::give(&place.home, tree)?;
    submodules::provide(&place.home, tree)
}

/// A work tree that is made anew, or gone, was given nothing.
pub(crate) fn forget(tree: &Path) {
    for what in ["given", "set-up"] {
        let _ = std::fs::remove_file(beside(tree, what));
    }
}

/// A note about a work tree, out of the reach of who works in it.
fn beside(tree: &Path, what: &str) -> PathBuf {
    let name = tree.file_name().unwrap_or_default().to_string_lossy();
    tree.with_file_name(format!("{name}.{what}"))
}

/// A work tree that is set up.
pub(crate) struct Tree<'a> {
    pub(crate) top: &'a Path,
    /// The tree that it stands for.
    pub(crate) from: &'a Path,
    /// The commit that is the person's own work.
    pub(crate) begun: Option<&'a str>,
    pub(crate) cells: Option<&'a Cells>,
    pub(crate) limit: Duration,
}

impl Tree<'_> {
    /// Runs the commands where they did not run yet with the lock files as they are; says whether they
    /// ran. On the person's own work they may use the person's credentials, behind an agent they run in
    /// the cell.
    pub(crate) fn set_up(&self, commands: &[String]) -> Result<bool, Fault> {
        if commands.is_empty() {
            return Ok(false);
        }
        let note = beside(self.top, "set-up");
        let key = self.key(commands)?;
        let known = match files::read_bounded(&note, NOTE_BYTES_MAX)? {
            Content::Bytes(bytes) => Some(bytes),
            Content::Missing | Content::Refused(_) => None,
        };
        if known.as_deref() == Some(key.as_bytes()) {
            return Ok(false);
        }
        let head = git::read(self.top, &["rev-parse", "--verify", "HEAD"])?;
        let persons = known.is_none() && self.begun == Some(head.as_str());
        // From here on it ran: whatever comes of it, an agent may have worked here the next time.
        files::replace(&note, b"-", files::PRIVATE)?;
        let room = gates::Room {
            from: Some(self.from),
            ..gates::Room::place(self.top).within(self.cells.filter(|_| !persons))
        };
        run(room, commands, self.limit)?;
        files::replace(&note, self.key(commands)?.as_bytes(), files::PRIVATE)?;
        Ok(true)
    }

    /// What set-up depends on, as it is in the work tree.
    fn key(&self, commands: &[String]) -> Result<String, Fault> {
        let list = [
            "ls-files",
            "-z",
            "--cached",
            "--others",
            "--exclude-standard",
        ];
        let mut listed = git::tame(self.top);
        listed.args(list);
        let listed = git::output(&mut listed, &[])?;
        let listed = String::from_utf8_lossy(&listed.stdout).into_owned();
        let mut locks = Vec::new();
        for path in listed.split('\0').filter(|path| setup::is_lock(path)) {
            let content = match files::read_bounded(&self.top.join(path), LOCK_BYTES_MAX)? {
                Content::Bytes(bytes) => hex(&Sha256::digest(&bytes)),
                Content::Missing => continue,
                Content::Refused(_) => std::fs::symlink_metadata(self.top.join(path))
                    .map_or_else(|_| String::new(), |about| about.len().to_string()),
            };
            locks.push((path, content));
        }
        let locks = locks
            .iter()
            .map(|(path, content)| (*path, content.as_str()));
        Ok(setup::key(commands, locks))
    }
}

/// Runs set-up commands in order; the first that fails is a fault that tells its lines.
pub(crate) fn run(
    room: gates::Room<'_>,
    commands: &[String],
    limit: Duration,
) -> Result<(), Fault> {
    for command in commands {
        let outcome = gates::run(room, command, limit);
        if outcome.timed_out || outcome.exit != Some(0) {
            let exit = outcome.exit.filter(|_| !outcome.timed_out);
            let lines = if outcome.lines.is_empty() {
                outcome.tail
            } else {
                outcome.lines.join("\n")
            };
            let reason = setup::failed(command, exit, &lines);
            return Err(Fault::new(Code::SetUpFailed, reason));
        }
    }
    Ok(())
}
