//! What the guard must know about the world: whose call it is and where it would run.

mod call_site;
mod disk;
pub mod ledger;
pub mod repeats;
pub mod tally;

pub use call_site::{CallSite, MEMBER_MARK};
pub use disk::Disk;

use crate::cell::armed;
use crate::env;
use crate::files::{self, Content};
use crate::state::Place;
use crate::{config, rewriters, session, state};
use overnight_base::code::Code;
use overnight_base::fault::Fault;
use overnight_base::vars;
use overnight_guard::epoch::{Claim, Standing, of_session, standing, with_another_client};
use overnight_run::id;
use std::path::{Path, PathBuf};

/// Bytes of an epoch file at most; more is no number.
const EPOCH_BYTES_MAX: u64 = 32;
/// Name of the file in a run's folder that holds the current epoch as decimal text.
pub const EPOCH_FILE: &str = "epoch";
/// Name of the file in the state folder that holds the port of the desk that is open.
pub const DESK_FILE: &str = "desk.port";

/// Name of the file in a run's folder that holds the tools which the task at work allows.
const TOOLS_FILE: &str = "tools.json";
/// Bytes of that file at most.
const TOOLS_BYTES_MAX: u64 = 1 << 20;
/// Who does a task in a session; the conversation itself only hands it out, and is the person's between.
const WORKER: &str = "overnight:flow-worker";

/// Writes down what the task at work in this run allows; without a list there is no file.
pub fn permit(run_folder: &Path, tools: &[String]) -> Result<(), Fault> {
    let file = run_folder.join(TOOLS_FILE);
    if tools.is_empty() {
        return match std::fs::remove_file(&file) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(Fault::new(
                Code::FileWrite,
                format!("{}: {error}", file.display()),
            )),
            _ => Ok(()),
        };
    }
    let text = serde_json::to_vec(tools)
        .map_err(|error| Fault::new(Code::Defect, format!("cannot write tools: {error}")))?;
    files::write_atomic(&file, &text, files::PRIVATE)
}

/// The tools that the task allows for which this call is made; empty: all.
pub fn permitted(place: Option<&Place>, session: Option<&str>, agent: Option<&str>) -> Vec<String> {
    let in_session = || {
        let (place, session) = place.zip(session).filter(|_| agent == Some(WORKER))?;
        let armed = session::armed(place, session).ok()??;
        id::is_valid(&armed.run).then(|| place.run_folder(&armed.run))
    };
    let folder = env::get(&vars::RUN_DIR)
        .map(PathBuf::from)
        .or_else(in_session);
    let text = folder.and_then(|folder| small_text(&folder.join(TOOLS_FILE), TOOLS_BYTES_MAX));
    text.and_then(|text| serde_json::from_str(&text).ok())
        .unwrap_or_default()
}

/// Whose tool call this is, by the environment that the driver gave its agent.
fn caller() -> Standing {
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

/// Whose tool call this is: a driver's agent's, or one in this session, where a run may be armed.
pub fn caller_in(place: Option<&Place>, session: Option<&str>) -> Standing {
    let free = caller();
    let Some((place, session)) = place.zip(session).filter(|_| free == Standing::Free) else {
        return free;
    };
    let Ok(Some(armed)) = session::armed(place, session) else {
        return free;
    };
    if armed.is_with_another_client() {
        return with_another_client();
    }
    let file = place.run_folder(&armed.run).join(EPOCH_FILE);
    let valid = id::is_valid(&armed.run);
    let current = valid.then(|| small_text(&file, EPOCH_BYTES_MAX)).flatten();
    of_session(armed.epoch, current.as_deref())
}

/// Would the client open a dialog for a question? It says 0 where nobody can answer.
pub fn dialog_opens() -> bool {
    env::get(&vars::SESSION_ATTENDED).is_some_and(|value| value != "0")
}

/// Does this process live in a cell?
pub fn walled() -> bool {
    env::get(&vars::CELL).is_some()
}

/// Does a call run in a cell? In a session in which a run is armed those of shells do.
pub fn runs_walled(session: Option<&str>, in_shell: bool) -> bool {
    walled() || in_shell && session.is_some_and(armed::is_seen)
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

/// The port at which a person's desk answers now, if one is open.
pub fn desk_port(place: &Place) -> Option<u16> {
    let text = small_text(&place.state.join(DESK_FILE), 16)?;
    text.trim().parse().ok()
}

/// A small text file; `None` when it is missing, unreadable, too large or not text.
fn small_text(path: &Path, bytes_max: u64) -> Option<String> {
    match files::read_bounded(path, bytes_max) {
        Ok(Content::Bytes(bytes)) => String::from_utf8(bytes).ok(),
        _ => None,
    }
}
