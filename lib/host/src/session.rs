//! Which run a client's session works on. One file a session, so that two sessions in one
//! repository never take each other's run.

use crate::cell;
use crate::env;
use crate::env_file;
use crate::files::{self, Content};
use crate::process::Identity;
use crate::state::Place;
use overnight_base::code::Code;
use overnight_base::fault::Fault;
use overnight_base::vars;
use serde::{Deserialize, Serialize};

/// The version of the file's format.
const VERSION: u32 = 1;
/// The file holds one short object.
const BYTES_MAX: u64 = 4096;

/// A run that is armed in a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Armed {
    v: u32,
    /// The run's id; checked before it becomes a path by whoever opens the run.
    pub run: String,
    /// The number under which the session drives the run: a driver that took over has a higher one.
    pub epoch: u64,
    /// The client that the session lives in, as far as it told its hooks: process id and start. Two
    /// clients may have resumed one session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    client: Option<(u32, u64)>,
}

impl Armed {
    /// A run, armed.
    pub fn new(run: impl Into<String>, epoch: u64) -> Self {
        Self {
            v: VERSION,
            run: run.into(),
            epoch,
            client: None,
        }
    }

    /// The same, in this client.
    #[must_use]
    pub fn within(self, client: Option<Identity>) -> Self {
        Self {
            client: client.map(|client| (client.pid, client.start)),
            ..self
        }
    }

    /// Has another client the session's run?
    pub fn is_with_another_client(&self) -> bool {
        let own = client().map(|client| (client.pid, client.start));
        self.client
            .zip(own)
            .is_some_and(|(theirs, own)| theirs != own)
    }
}

/// The client's process, as it tells its hooks.
pub fn client() -> Option<Identity> {
    let pid = env::get(&vars::CLAUDE_PID)?.parse().ok()?;
    Some(Identity::of(pid))
}

/// The run of this session; `None` when none is armed. A file that cannot be understood is a fault.
pub fn armed(place: &Place, session: &str) -> Result<Option<Armed>, Fault> {
    let path = place.session_file(session);
    let bytes = match files::read_bounded(&path, BYTES_MAX)? {
        Content::Bytes(bytes) => bytes,
        Content::Missing => return Ok(None),
        Content::Refused(what) => {
            return Err(Fault::new(
                Code::InputPath,
                format!("{} is {what}", path.display()),
            ));
        }
    };
    let armed: Armed = serde_json::from_slice(&bytes)
        .map_err(|error| Fault::new(Code::InputData, format!("{}: {error}", path.display())))?;
    if armed.v > VERSION {
        let reason = format!("{} is of version {}", path.display(), armed.v);
        return Err(Fault::new(Code::JournalVersion, reason));
    }
    Ok(Some(armed))
}

/// The run of this session, where this client has it: two clients may have resumed one session.
pub fn armed_here(place: &Place, session: &str) -> Result<Option<Armed>, Fault> {
    let armed = armed(place, session)?;
    Ok(armed.filter(|armed| !armed.is_with_another_client()))
}

/// Arms a run in this session.
pub fn arm(place: &Place, session: &str, armed: &Armed) -> Result<(), Fault> {
    let path = place.session_file(session);
    if let Some(folder) = path.parent() {
        files::create_private_folder(folder)?;
    }
    let bytes = serde_json::to_vec(armed)
        .map_err(|error| Fault::new(Code::Defect, format!("cannot write a session: {error}")))?;
    files::write_atomic(&path, &bytes, files::PRIVATE)?;
    env_file::mark(session, true);
    Ok(())
}

/// This session works on no run any more, and its shells live in no cell.
pub fn disarm(place: &Place, session: &str) -> Result<(), Fault> {
    cell::armed::end(session);
    env_file::mark(session, false);
    let path = place.session_file(session);
    match std::fs::remove_file(&path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(Fault::new(
            Code::FileWrite,
            format!("{}: {error}", path.display()),
        )),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_session_has_its_own_run_whatever_its_id() {
        let folder = tempfile::tempdir().unwrap();
        let place = crate::state::locate(folder.path()).unwrap();
        let (one, two) = (Armed::new("a", 1), Armed::new("b", 2));
        arm(&place, "../../one", &one).unwrap();
        arm(&place, "two", &two).unwrap();
        assert_eq!(armed(&place, "../../one").unwrap(), Some(one));
        assert_eq!(armed(&place, "two").unwrap(), Some(two));
        disarm(&place, "two").unwrap();
        disarm(&place, "two").unwrap();
        assert_eq!(armed(&place, "two").unwrap(), None);
        let files = std::fs::read_dir(place.state.join("sessions"))
            .unwrap()
            .count();
        assert_eq!(files, 1);
    }

    #[test]
    fn a_foreign_file_is_a_fault_not_a_run() {
        let folder = tempfile::tempdir().unwrap();
        let place = crate::state::locate(folder.path()).unwrap();
        let path = place.session_file("s");
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        for (text, code) in [
            ("{", Code::InputData),
            (r#"{"v":2,"run":"a","epoch":1}"#, Code::JournalVersion),
        ] {
            std::fs::write(&path, text).unwrap();
            assert_eq!(armed(&place, "s").unwrap_err().code, code);
        }
    }
}
