//! What the guard must know about the world: whose call it is and where it would run.

mod disk;
pub mod repeats;
mod scene;
pub mod tally;

pub use disk::Disk;
pub use scene::{MEMBER_MARK, Scene};

use crate::env;
use crate::files::{self, Content};
use crate::{config, rewriters, state};
use overnight_core::config::vars;
use overnight_core::guard::epoch::{Claim, Standing, standing};
use std::path::Path;

/// Bytes of an epoch file at most; more is no number.
const EPOCH_BYTES_MAX: u64 = 32;
/// Name of the file in a run's folder that holds the current epoch as decimal text.
pub const EPOCH_FILE: &str = "epoch";

/// Whose tool call this is, by the environment that the driver gave its agent.
pub fn caller() -> Standing {
    let run_dir = env::get(&vars::RUN_DIR);
    let epoch = env::get(&vars::EPOCH);
    let current = run_dir
        .as_deref()
        .and_then(|folder| small_text(&Path::new(folder).join(EPOCH_FILE), EPOCH_BYTES_MAX));
    standing(&Claim {
        run_dir: run_dir.as_deref(),
        epoch: epoch.as_deref(),
        current: current.as_deref(),
    })
}

/// Would the client open a dialog for a question? It says 0 where nobody can answer.
pub fn dialog_opens() -> bool {
    env::get(&vars::SESSION_ATTENDED).is_some_and(|value| value != "0")
}

/// What a person should know about the guard in the project around `folder`: configuration that is
/// ignored, and hooks of others that may rewrite commands.
pub fn warnings(folder: &Path) -> Vec<String> {
    let place = state::locate(folder).ok();
    let top = place.as_ref().map(|place| place.top.as_path());
    let wrong = config::load(place.as_ref()).wrong;
    let mut warnings: Vec<String> = wrong
        .iter()
        .map(|wrong| format!("overnight: {}", wrong.fault))
        .collect();
    let foreign = rewriters::before_bash(top);
    if let Some(first) = foreign.first() {
        warnings.push(format!(
            "overnight: {} other hook(s) see commands before they run and may rewrite them, for example {:?} from {}: the guard allows commands only in their final form",
            foreign.len(),
            first.command,
            first.source,
        ));
    }
    warnings
}

/// A small text file; `None` when it is missing, unreadable, too large or not text.
fn small_text(path: &Path, bytes_max: u64) -> Option<String> {
    match files::read_bounded(path, bytes_max) {
        Ok(Content::Bytes(bytes)) => String::from_utf8(bytes).ok(),
        _ => None,
    }
}
