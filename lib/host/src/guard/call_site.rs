//! Where a tool call would run.

use crate::env;
use crate::homes;
use crate::state::{self, Place};
use overnight_base::vars::{self, Var};
use overnight_guard::area::Grounds;
use overnight_guard::setup::Setup;
use overnight_shell::{Context, Facts, Losses};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// The folder in which a call is judged when its own is unknown: there nothing is the project's,
/// and every relative path means the worst.
const NOWHERE: &str = "/";
/// The file in the git folder of a linked work tree that makes it a member's: everything in such
/// a tree is the agent's own and may be discarded. Whoever makes the tree writes it; an agent
/// cannot, because git's folder is out of its reach.
pub const MEMBER_MARK: &str = "overnight-member";

/// The folder of a call and what lies around it.
#[derive(Debug, Clone)]
pub struct CallSite {
    /// The working folder: absolute, links resolved.
    pub cwd: String,
    /// The project around it; `None` when the folder is unknown.
    pub place: Option<Place>,
    root: Option<String>,
    home: String,
    branch: Option<String>,
    disposable: bool,
    ours: Vec<String>,
}

impl CallSite {
    /// Looks around `cwd`. A folder that is missing, relative or not UTF-8 is unknown.
    pub fn look(cwd: Option<&str>) -> Self {
        let folder = cwd
            .map(Path::new)
            .filter(|path| path.is_absolute())
            .and_then(|path| path.canonicalize().ok())
            .filter(|path| path.is_dir() && path.to_str().is_some());
        let place = folder
            .as_deref()
            .and_then(|folder| state::around(folder).ok());
        let git_top = place.as_ref().filter(|place| place.git.is_some());
        Self {
            cwd: folder.as_deref().map_or_else(|| NOWHERE.to_owned(), text),
            root: git_top.map(|place| text(&place.top)),
            branch: place.as_ref().and_then(Place::branch),
            disposable: git_top.is_some_and(is_members),
            home: home(),
            ours: [
                place.as_ref().map(|place| place.state.clone()),
                homes::state(),
                homes::config(),
            ]
            .iter()
            .flatten()
            .flat_map(|path| [text(path), text(&homes::real(path))])
            .collect(),
            place,
        }
    }

    /// The top of the project.
    pub fn top(&self) -> Option<&Path> {
        self.place.as_ref().map(|place| place.top.as_path())
    }

    /// The top of the git work tree.
    pub fn root(&self) -> Option<&str> {
        self.root.as_deref()
    }

    /// Is a run armed in this session?
    pub fn armed(&self, session: Option<&str>) -> bool {
        let file = self.place.as_ref().zip(session);
        file.is_some_and(|(place, session)| place.session_file(session).is_file())
    }

    /// When the run that this session works for began: when its folder, or the session's own file,
    /// was made. `None` outside a run.
    pub fn began(&self, session: Option<&str>) -> Option<SystemTime> {
        let armed = self
            .place
            .as_ref()
            .zip(session)
            .map(|(place, session)| place.session_file(session));
        let file = folder(&vars::RUN_DIR).or(armed)?;
        std::fs::metadata(file).ok()?.created().ok()
    }

    /// The circumstances for the judge, as in a run without a cell.
    pub fn context<'a>(&'a self, setup: &'a Setup, facts: &'a dyn Facts) -> Context<'a> {
        Context {
            mode: setup.mode,
            attended: false,
            walled: false,
            losses: Losses::ByMode,
            cwd: &self.cwd,
            root: self.root.as_deref(),
            home: &self.home,
            branch: self.branch.as_deref(),
            own_prefix: &setup.own_prefix,
            disposable: self.disposable,
            ours: &self.ours,
            ignored: Context::BUILD_FOLDERS,
            facts,
        }
    }

    /// Where the guard's and the client's own things lie.
    pub fn grounds(&self, unattended: bool) -> Grounds {
        let place = self.place.as_ref();
        let runs = place.map(Place::runs);
        // Only below our own state: else the variable would open any file.
        let decision = folder(&vars::DECISION_FILE)
            .filter(|file| runs.as_ref().is_some_and(|runs| file.starts_with(runs)));
        Grounds {
            project: place
                .map(|place| text(&place.top))
                .filter(|_| self.cwd != NOWHERE),
            git_common: place
                .and_then(|place| place.git_common.as_deref())
                .map(text),
            ours: self.ours.clone(),
            plugin: folder(&vars::PLUGIN_ROOT).as_deref().map(text),
            temporary: folder(&vars::TMPDIR)
                .as_deref()
                .map(text)
                .into_iter()
                .collect(),
            decision_file: decision.as_deref().map(text),
            unattended,
        }
    }
}

/// Is this a linked work tree that was made for a member? Its git folder must be one of the
/// shared one's, point back to it, and carry the mark.
fn is_members(place: &Place) -> bool {
    let (Some(git), Some(common)) = (&place.git, &place.git_common) else {
        return false;
    };
    let points_back = state::pointer(&git.join("gitdir"))
        .ok()
        .flatten()
        .and_then(|target| PathBuf::from(target).canonicalize().ok())
        .is_some_and(|target| target == place.top.join(".git"));
    git.parent() == Some(common.join("worktrees").as_path())
        && points_back
        && git.join(MEMBER_MARK).is_file()
}

/// An absolute folder from the environment, links resolved where it exists.
fn folder(var: &Var) -> Option<PathBuf> {
    env::get_os(var)
        .map(PathBuf::from)
        .filter(|path| path.is_absolute())
        .map(|path| path.canonicalize().unwrap_or(path))
}

/// The person's home folder, links resolved; when it is unknown, a folder that cannot exist, so
/// that `~` is never taken for a part of the project.
fn home() -> String {
    folder(&vars::HOME).map_or_else(|| "/nonexistent".to_owned(), |home| text(&home))
}

fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::git;

    #[test]
    fn only_a_marked_linked_work_tree_is_a_members() {
        let keep = tempfile::tempdir().unwrap();
        let root = keep.path().canonicalize().unwrap().join("repo");
        std::fs::create_dir(&root).unwrap();
        git::read(&root, &["init", "-q"]).unwrap();
        let commit = [
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
        git::read(&root, &commit).unwrap();
        git::read(&root, &["worktree", "add", "-q", "../linked"]).unwrap();
        let linked = root.with_file_name("linked");
        let disposable = |folder: &Path| CallSite::look(folder.to_str()).disposable;
        assert!(!disposable(&linked));
        let mark = |at: PathBuf| std::fs::write(at.join(MEMBER_MARK), "").unwrap();
        mark(root.join(".git"));
        mark(linked.clone());
        assert!(!disposable(&root) && !disposable(&linked));
        mark(root.join(".git/worktrees/linked"));
        assert!(disposable(&linked));
        assert!(!disposable(&root));
        let moved = root.with_file_name("moved");
        std::fs::rename(&linked, &moved).unwrap();
        assert!(!disposable(&moved), "its git files point elsewhere");
    }

    #[test]
    fn an_unknown_folder_is_judged_as_the_root_of_everything() {
        for cwd in [
            None,
            Some("relative"),
            Some("/nonexistent/x"),
            Some("/dev/null"),
            Some(""),
        ] {
            let call_site = CallSite::look(cwd);
            assert_eq!(
                (call_site.cwd.as_str(), call_site.root()),
                ("/", None),
                "{cwd:?}"
            );
            assert_eq!(call_site.grounds(true).project, None);
        }
    }
}
