//! What the client puts in front of the shell commands of a session: nothing, unless a run or the person's
//! settings need it.
//!
//! A hook writes to the file that its environment names, and the client reads such files again after hooks of
//! a session's start and of a watched file. So the session's start asks the client to watch for one file;
//! arming a run makes it, and the hook of that event writes what leads the shells.

use crate::agent::own_words;
use crate::files::{self, Content};
use crate::{config, env, homes};
use overnight_base::code::Code;
use overnight_base::fault::Fault;
use overnight_base::vars;
use overnight_filter::env_file::{Change, holds, install, remove};
use overnight_filter::reexec::{env_guard_of, env_options, env_options_alone};
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// A larger file is none that the client or a hook made.
const BYTES_MAX: u64 = 1 << 20;

/// Where no run is ever armed.
const NOWHERE: &str = "/nonexistent/armed";

/// There while a run is armed in the session; the client watches for it (hooks.json names it too).
const MARK: &str = "overnight-run";

/// How long the client may take to see the mark. It looks whether a new file still grows, which takes it half
/// a second.
const SEEN_WAIT_MAX: Duration = Duration::from_secs(3);

/// Brings what stands in front of this session's shell commands to what is wanted: one guard that leads
/// them through the output filter, and into the cell that stands in the file `armed`, or nothing. Without the
/// client's file nothing is done.
pub fn settle(armed: Option<&Path>, wanted: bool) -> Result<(), Fault> {
    let Some(own) = env::get_os(&vars::CLAUDE_ENV_FILE).map(PathBuf::from) else {
        return Ok(());
    };
    // Two guards would lead each to the other.
    for other in scripts(own.parent()).filter(|other| *other != own) {
        take_out(&other)?;
    }
    let words = own_words("output-filter")?;
    let words: Option<Vec<&str>> = words.iter().map(|word| word.to_str()).collect();
    let options = config::plugin_options();
    match words.filter(|_| wanted) {
        Some(words) => {
            let options = env_options(&options);
            let armed = armed.and_then(Path::to_str).unwrap_or(NOWHERE);
            let guard = format!("{options}{}", env_guard_of(&words, armed));
            apply(&own, install(&text(&own)?, &guard))
        }
        // What was set at the install is known to hooks only.
        None if !options.is_empty() => {
            apply(&own, install(&text(&own)?, &env_options_alone(&options)))
        }
        None => take_out(&own),
    }
}

/// The file that the client is to watch for, beside the one that this hook may write.
pub fn watched() -> Option<PathBuf> {
    let own = env::get_os(&vars::CLAUDE_ENV_FILE).map(PathBuf::from)?;
    own.parent()
        .filter(|folder| folder.is_dir())
        .map(|folder| folder.join(MARK))
}

/// A run is armed in this session, or none any more: the client sees it by its mark.
pub(crate) fn mark(session: &str, armed: bool) {
    let Some(mark) = folder(session).map(|folder| folder.join(MARK)) else {
        return;
    };
    // Without it the shells are led nowhere, which is told (see `cell::armed`).
    let _ = if armed {
        files::replace(&mark, b"", files::PRIVATE)
    } else {
        let _ = std::fs::remove_file(&mark);
        Ok(())
    };
}

/// Waits until the client leads the shells of this session, where it will.
pub fn wait_until_led(session: &str) {
    let Some(folder) = folder(session).filter(|folder| folder.join(MARK).is_file()) else {
        return;
    };
    let began = Instant::now();
    let is_led =
        || scripts(Some(&folder)).any(|script| text(&script).is_ok_and(|text| holds(&text)));
    while !is_led() && began.elapsed() < SEEN_WAIT_MAX {
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// Where the client keeps what hooks write for this session.
fn folder(session: &str) -> Option<PathBuf> {
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '-';
    let valid = !session.is_empty() && session.chars().all(plain);
    let folder = homes::client()?.join("session-env").join(session);
    (valid && folder.is_dir()).then_some(folder)
}

/// The files of hooks in this folder.
fn scripts(folder: Option<&Path>) -> impl Iterator<Item = PathBuf> {
    let entries = folder.and_then(|folder| std::fs::read_dir(folder).ok());
    let paths = entries
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.path());
    paths.filter(|path| path.extension().is_some_and(|end| end == "sh"))
}

fn take_out(path: &Path) -> Result<(), Fault> {
    apply(path, remove(&text(path)?))
}

fn text(path: &Path) -> Result<String, Fault> {
    match files::read_bounded(path, BYTES_MAX)? {
        Content::Bytes(bytes) => Ok(String::from_utf8_lossy(&bytes).into_owned()),
        Content::Missing => Ok(String::new()),
        Content::Refused(what) => Err(Fault::new(
            Code::InputPath,
            format!("{} is {what}", path.display()),
        )),
    }
}

fn apply(path: &Path, change: Change) -> Result<(), Fault> {
    match change {
        Change::Nothing => Ok(()),
        Change::Append(text) => std::fs::OpenOptions::new()
            .create(true)
            .append(true)
            .mode(files::PRIVATE)
            .open(path)
            .and_then(|mut file| file.write_all(text.as_bytes()))
            .map_err(|error| Fault::new(Code::FileWrite, format!("{}: {error}", path.display()))),
        Change::Rewrite(text) => files::replace(path, text.as_bytes(), files::PRIVATE),
    }
}
