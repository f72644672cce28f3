//! Where a project is and where its machine state lives, found without starting git: hooks ask
//! this on every call.

use crate::files::{self, Content};
use crate::git;
use overnight_base::code::Code;
use overnight_base::fault::Fault;
use overnight_base::session;
use std::path::{Component, Path, PathBuf};

/// Folder of the machine state inside the shared git folder.
const IN_GIT: &str = "overnight";
/// Folder of the machine state where there is no git repository.
const WITHOUT_GIT: &str = ".overnight";
/// In the git folder of a run's own work tree: the path of the person's.
pub const HOME: &str = "overnight-home";
/// There too: the task list is kept in git, so that the tree has its own.
pub const OWN_LIST: &str = "overnight-own-list";
/// There too: `progress/` is kept in git.
pub const OWN_PROGRESS: &str = "overnight-own-progress";
/// A `.git` file or `commondir` holds one path; more is not one.
const POINTER_BYTES_MAX: u64 = 4096;

/// A project as this machine sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The top of the work tree (or the folder itself without git).
    pub top: PathBuf,
    /// Where the person looks: the top of their own work tree. Another one than `top` only in a
    /// work tree that a run made for itself.
    pub home: PathBuf,
    /// The git folder that all linked work trees share; `None` without git.
    pub git_common: Option<PathBuf>,
    /// The git folder of this work tree alone (HEAD, index); the shared one unless it is linked.
    pub git: Option<PathBuf>,
    /// The machine state: runs, sessions, counters; shared by all work trees.
    pub state: PathBuf,
}

impl Place {
    /// The folder that holds the task list.
    pub fn list_folder(&self) -> &Path {
        self.owner(OWN_LIST)
    }

    /// The folder that holds `progress/`.
    pub fn progress_folder(&self) -> &Path {
        self.owner(OWN_PROGRESS)
    }

    /// The top that has what the mark is about.
    fn owner(&self, mark: &str) -> &Path {
        let own = self
            .git
            .as_ref()
            .is_some_and(|git| git.join(mark).is_file());
        if self.home == self.top || own {
            &self.top
        } else {
            &self.home
        }
    }

    /// The folder of one run. The id must have been validated.
    pub fn run_folder(&self, run: &str) -> PathBuf {
        self.runs().join(run)
    }

    /// The folder of all runs.
    pub fn runs(&self) -> PathBuf {
        self.state.join("runs")
    }

    /// The file that ties a client's session to its run; the id may be any text.
    pub fn session_file(&self, session: &str) -> PathBuf {
        let name = format!("{}.json", session::key(session));
        self.state.join("sessions").join(name)
    }

    /// The branch that is checked out; `None` without git, or when HEAD is detached or unreadable.
    pub fn branch(&self) -> Option<String> {
        // Where references are kept in tables, the file says this.
        const ELSEWHERE: &str = ".invalid";
        let head = pointer(&self.git.as_ref()?.join("HEAD")).ok()??;
        let name = head.strip_prefix("ref: refs/heads/")?;
        if name != ELSEWHERE {
            return Some(name.to_owned());
        }
        let named = git::read(&self.top, &["symbolic-ref", "--quiet", "HEAD"]).ok()?;
        named.strip_prefix("refs/heads/").map(str::to_owned)
    }
}

/// The project of the current folder.
pub fn here() -> Result<Place, Fault> {
    let folder = std::env::current_dir()
        .map_err(|error| Fault::new(Code::InputPath, format!("current folder: {error}")))?;
    locate(&folder)
}

/// Finds the project of `folder`: the nearest parent with a usable `.git`, else the nearest with
/// our own state folder, else `folder` itself.
pub fn locate(folder: &Path) -> Result<Place, Fault> {
    let folder = folder
        .canonicalize()
        .map_err(|error| Fault::new(Code::InputPath, format!("{}: {error}", folder.display())))?;
    around(&folder)
}

/// The same for a folder that is there, with no link in its path.
pub fn around(folder: &Path) -> Result<Place, Fault> {
    for top in folder.ancestors() {
        if let Some(git) = git_folder(top)? {
            // In the work tree itself it is whole; a pointer in it was put there by an agent.
            let linked = git != top.join(".git");
            let common = match pointer(&git.join("commondir"))?.filter(|_| linked) {
                Some(target) => tidy(&git.join(target)),
                None => git.clone(),
            };
            return Ok(Place {
                home: home(&git, &common)?.unwrap_or_else(|| top.to_owned()),
                top: top.to_owned(),
                state: common.join(IN_GIT),
                git_common: Some(common),
                git: Some(git),
            });
        }
    }
    let top = folder
        .ancestors()
        .find(|top| top.join(WITHOUT_GIT).is_dir())
        .unwrap_or(folder);
    Ok(Place {
        home: top.to_owned(),
        top: top.to_owned(),
        git_common: None,
        git: None,
        state: top.join(WITHOUT_GIT),
    })
}

/// The person's work tree, from one that a run made for itself.
fn home(git: &Path, common: &Path) -> Result<Option<PathBuf>, Fault> {
    if git == common {
        return Ok(None);
    }
    Ok(pointer(&git.join(HOME))?.map(PathBuf::from))
}

/// The git folder of a work tree's top, if this is one.
fn git_folder(top: &Path) -> Result<Option<PathBuf>, Fault> {
    let entry = top.join(".git");
    let Ok(about) = std::fs::metadata(&entry) else {
        return Ok(None);
    };
    let git = if about.is_dir() {
        entry
    } else {
        match pointer(&entry)?
            .as_deref()
            .and_then(|text| text.strip_prefix("gitdir: "))
        {
            Some(target) => top.join(target),
            None => return Ok(None),
        }
    };
    Ok(git.join("HEAD").exists().then(|| tidy(&git)))
}

/// The one line of a pointer file; `None` where there is none.
pub(crate) fn pointer(path: &Path) -> Result<Option<String>, Fault> {
    Ok(match files::read_bounded(path, POINTER_BYTES_MAX)? {
        Content::Bytes(bytes) => String::from_utf8(bytes)
            .ok()
            .map(|text| text.trim_end().to_owned()),
        Content::Missing | Content::Refused(_) => None,
    })
}

/// Sets a mark in the git folder of a linked work tree, or takes it away.
pub fn mark(own: &Place, name: &str, set: bool) -> Result<(), Fault> {
    let Some(git) = &own.git else {
        return Ok(());
    };
    let path = git.join(name);
    if set {
        return files::replace(&path, b"", files::PRIVATE);
    }
    match std::fs::remove_file(&path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(Fault::new(
            Code::FileWrite,
            format!("{}: {error}", path.display()),
        )),
        _ => Ok(()),
    }
}

/// Resolves `.` and `..` by text: `commondir` is `../..` as a rule.
fn tidy(path: &Path) -> PathBuf {
    let mut clean = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                clean.pop();
            }
            other => clean.push(other),
        }
    }
    clean
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::git;

    fn repository() -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap().join("repo");
        std::fs::create_dir(&root).unwrap();
        git::read(&root, &["init", "-q"]).unwrap();
        (folder, root)
    }

    #[test]
    fn a_subfolder_and_a_linked_work_tree_share_the_state_of_their_repository() {
        let (_keep, root) = repository();
        let author = [
            "-c",
            "user.name=t",
            "-c",
            "user.email=t@t",
            "commit",
            "-q",
            "--allow-empty",
            "-m",
            "x",
        ];
        git::read(&root, &author).unwrap();
        git::read(&root, &["worktree", "add", "-q", "../linked"]).unwrap();
        std::fs::create_dir(root.join("sub")).unwrap();
        let linked = root.with_file_name("linked");
        let state = root.join(".git/overnight");
        for (from, top) in [(root.join("sub"), &root), (linked.clone(), &linked)] {
            let place = locate(&from).unwrap();
            assert_eq!((&place.top, &place.state), (top, &state), "{from:?}");
        }
        assert_eq!(locate(&linked).unwrap().branch().as_deref(), Some("linked"));
    }

    #[test]
    fn without_git_the_state_is_beside_the_project() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        std::fs::create_dir(root.join("sub")).unwrap();
        assert_eq!(
            locate(&root.join("sub")).unwrap().state,
            root.join("sub/.overnight")
        );
        std::fs::create_dir(root.join(".overnight")).unwrap();
        assert_eq!(
            locate(&root.join("sub")).unwrap().state,
            root.join(".overnight")
        );
    }

    #[test]
    fn the_branch_is_known_where_references_are_kept_in_tables() {
        let (_keep, root) = repository();
        let init = [
            "init",
            "-q",
            "--ref-format=reftable",
            "-b",
            "auto/x",
            "tables",
        ];
        // A git that does not know them yet makes none.
        if git::read(&root, &init).is_ok() {
            let place = locate(&root.join("tables")).unwrap();
            assert_eq!(place.branch().as_deref(), Some("auto/x"));
        }
    }
}
