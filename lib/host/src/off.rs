//! Where a person switched the plugin off: in a session, in a project, everywhere. A run that is
//! under way goes on all the same: nobody sits there who could do without the guard.

use crate::state::{self, Place};
use crate::{env, files, homes};
use overnight_base::code::Code;
use overnight_base::fault::Fault;
use overnight_base::{session, vars};
use std::io::ErrorKind;
use std::path::Path;

/// What is switched.
#[derive(Debug, Clone, Copy)]
pub enum Scope<'a> {
    /// Every session of this person.
    Global,
    /// Sessions in the repository, in whichever work tree.
    Project,
    /// The client's session of this id.
    Session(&'a str),
}

/// The folder of the marks, out of reach of every repository.
const FOLDER: &str = "off";

/// Switches the plugin off or on; gives whether that changed anything.
pub fn switch(place: &Place, scope: Scope<'_>, off: bool) -> Result<bool, Fault> {
    let Some(folder) = homes::outside(place, FOLDER) else {
        let reason =
            "no folder of your own to keep that in: there is no home, or it is the project";
        // What was never off is on.
        return if off {
            Err(Fault::new(Code::FileWrite, reason))
        } else {
            Ok(false)
        };
    };
    let mark = folder.join(name(place, scope));
    if mark.exists() == off {
        return Ok(false);
    }
    if off {
        return files::write_atomic(&mark, b"", files::PRIVATE).map(|()| true);
    }
    match std::fs::remove_file(&mark) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(Fault::new(
            Code::FileWrite,
            format!("{}: {error}", mark.display()),
        )),
        _ => Ok(true),
    }
}

/// What an event of this session in this folder finds.
pub fn here(folder: &Path, session: Option<&str>) -> bool {
    // Nearly always nothing was ever switched, and nothing more is looked at.
    let ever = homes::state().is_some_and(|state| state.join(FOLDER).is_dir());
    ever && state::locate(folder).is_ok_and(|place| is_off(&place, session))
}

fn is_off(place: &Place, session: Option<&str>) -> bool {
    let armed = session.is_some_and(|session| place.session_file(session).is_file());
    if armed || env::get(&vars::RUN).is_some() {
        return false;
    }
    let Some(folder) = homes::outside(place, FOLDER) else {
        return false;
    };
    let scopes = [Scope::Global, Scope::Project];
    let scopes = scopes.into_iter().chain(session.map(Scope::Session));
    scopes
        .map(|scope| folder.join(name(place, scope)))
        .any(|mark| mark.exists())
}

fn name(place: &Place, scope: Scope<'_>) -> String {
    match scope {
        Scope::Global => "global".to_owned(),
        Scope::Project => format!("project-{}", homes::repository_key(place)),
        Scope::Session(id) => format!("session-{}", session::key(id)),
    }
}
