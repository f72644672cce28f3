//! Where a tool call would run.

use crate::env;
use crate::state::{self, Place};
use overnight_core::config::vars;
use overnight_core::guard::{Context, Facts, Mode};
use std::path::{Path, PathBuf};

/// The folder in which a call is judged when its own is unknown: there nothing is the project's,
/// and every relative path means the worst.
const NOWHERE: &str = "/";

/// The folder of a call and what lies around it.
#[derive(Debug, Clone)]
pub struct Scene {
    /// The working folder: absolute, links resolved.
    pub cwd: String,
    /// The project around it; `None` when the folder is unknown.
    pub place: Option<Place>,
    /// The top of the git work tree.
    pub root: Option<String>,
    /// The person's home folder.
    pub home: String,
    /// The branch that is checked out.
    pub branch: Option<String>,
}

impl Scene {
    /// Looks around `cwd`. A folder that is missing, relative or not UTF-8 is unknown.
    pub fn look(cwd: Option<&str>) -> Self {
        let folder = cwd
            .map(Path::new)
            .filter(|path| path.is_absolute())
            .and_then(|path| path.canonicalize().ok())
            .filter(|path| path.is_dir() && path.to_str().is_some());
        let place = folder
            .as_deref()
            .and_then(|folder| state::locate(folder).ok());
        let git_top = place.as_ref().filter(|place| place.git.is_some());
        Self {
            cwd: folder.as_deref().map_or_else(|| NOWHERE.to_owned(), text),
            root: git_top.map(|place| text(&place.top)),
            branch: place.as_ref().and_then(Place::branch),
            home: home(),
            place,
        }
    }

    /// Is a run armed in this session?
    pub fn armed(&self, session: Option<&str>) -> bool {
        let file = self.place.as_ref().zip(session);
        file.is_some_and(|(place, session)| place.session_file(session).is_file())
    }

    /// The circumstances for the judge.
    pub fn context<'a>(
        &'a self,
        mode: Mode,
        own_prefix: &'a str,
        facts: &'a dyn Facts,
    ) -> Context<'a> {
        Context {
            mode,
            cwd: &self.cwd,
            root: self.root.as_deref(),
            home: &self.home,
            branch: self.branch.as_deref(),
            own_prefix,
            disposable: false,
            ignored: Context::BUILD_FOLDERS,
            facts,
        }
    }
}

/// The person's home folder, links resolved; when it is unknown, a folder that cannot exist, so
/// that `~` is never taken for a part of the project.
fn home() -> String {
    env::get_os(&vars::HOME)
        .map(PathBuf::from)
        .filter(|home| home.is_absolute())
        .map_or_else(
            || "/nonexistent".to_owned(),
            |home| text(&home.canonicalize().unwrap_or(home)),
        )
}

fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}
