//! The guard's decisions in a run, a byte each, beside its journal.

use crate::env;
use crate::files::{self, Content};
use crate::session;
use crate::state::Place;
use overnight_base::vars;
use overnight_guard::tally::{Tally, sign};
use overnight_shell::Decision;
use rustix::fs::OFlags;
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Component, Path, PathBuf};

/// Its name in the folder of a journal.
pub(crate) const FILE: &str = "guard.tally";
/// A run with more tool calls than this is counted as having none.
const BYTES_MAX: u64 = 16 << 20;

/// Counts a decision for the run that the call belongs to, by the environment of its agent or by its
/// session; for none where it belongs to none. Nobody is hindered by what cannot be counted.
pub fn note(place: &Place, session: Option<&str>, decision: Decision) {
    let Some(folder) = driven(place).or_else(|| armed(place, session?)) else {
        return;
    };
    let opened = std::fs::OpenOptions::new()
        .create(true)
        .append(true)
        .mode(files::PRIVATE)
        .custom_flags(OFlags::NOFOLLOW.bits().cast_signed())
        .open(folder.join(FILE));
    if let Ok(mut file) = opened {
        let _ = file.write_all(&[sign(decision)]);
    }
}

/// The decisions in the run, or of the member, with a journal in this folder.
pub fn of(folder: &Path) -> Tally {
    match files::read_bounded(&folder.join(FILE), BYTES_MAX) {
        Ok(Content::Bytes(signs)) => Tally::of(&signs),
        _ => Tally::default(),
    }
}

/// The folder that a driver named, if it is a run's of this project.
fn driven(place: &Place) -> Option<PathBuf> {
    let folder = PathBuf::from(env::get_os(&vars::RUN_DIR)?);
    let plain = |part| !matches!(part, Component::ParentDir);
    let ours = folder.starts_with(place.runs()) && folder.components().all(plain);
    ours.then_some(folder)
}

/// The folder of the run that is armed in a session.
fn armed(place: &Place, session: &str) -> Option<PathBuf> {
    let armed = session::armed(place, session).ok()??;
    crate::runs::folder(place, &armed.run).ok()
}
