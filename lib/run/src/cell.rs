//! The walls of a cell, as a policy: what code that an agent brings along may write, and what it may
//! not read. The kernel keeps them; `host::cell` builds them.

mod cache;
mod client;
mod hide;
mod level;
mod limits;
mod network;
mod push;
mod reach;
mod refusal;
mod seatbelt;
mod socket;

pub use cache::{CACHES, Cache, caches};
pub use client::{closed, login, login_variables};
pub use hide::{hidden, hidden_variables, is_of_system};
pub use level::{ABI_LEAST, Gives, Level};
pub use limits::{Limits, Used, met};
pub use network::{NETWORKS, Network};
pub use push::{Push, configured, is_pushed};
pub use reach::{Beside, Way};
pub use refusal::{REFUSED_MAX, notice, refusals};
pub use seatbelt::{Parameter, Seatbelt};
pub use socket::{covered, leads_to};

use overnight_base::section;
use overnight_base::value::{Kind, Typed, Value};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// Whether a run works in a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// Or it does not begin.
    On,
    /// Where the kernel gives one.
    Auto,
    /// It works without.
    Off,
}

/// The words of `--cell`, the strictest first.
pub const MODES: Kind = Kind::Choice(&["on", "auto", "off"]);

impl Typed for Mode {
    fn typed(value: Option<Value>) -> Self {
        match value {
            Some(Value::Text(word)) if word == "on" => Self::On,
            Some(Value::Text(word)) if word == "auto" => Self::Auto,
            _ => Self::Off,
        }
    }
}

const PATHS_MAX: usize = 100;
const PATH: &str = "a path that begins with / or ~/";
const SHOWN: &str = "a path that begins with / or ~/, or a variable as $NAME";

section! {
    /// What the agent and the gates of a run reach.
    cell: Cell {
        /// Folders and files that may be written, beside the work tree and the caches of tools.
        write: Vec<String> = "", Kind::List(PATHS_MAX, PATH, is_path), Never;
        /// Folders and files that may not be read, beside the known places of credentials.
        hide: Vec<String> = "", Kind::List(PATHS_MAX, PATH, is_path), Adds;
        /// Credentials that may be read all the same, by path, or by variable as `$NAME`.
        show: Vec<String> = "", Kind::List(PATHS_MAX, SHOWN, is_shown), Never;
        /// Sockets that may be talked to, such as a container daemon's: who answers there acts with your rights.
        sockets: Vec<String> = "", Kind::List(PATHS_MAX, PATH, is_path), Never;
        /// What the agent's code reaches of the network: all, loopback alone, or these TCP ports and loopback. Of Claude Code it holds what its Bash tool runs.
        network: Network = "open", NETWORKS, Less;
        /// Processes of one agent or gate at most, their threads not counted.
        processes: u64 = "2000", Kind::Count(20, 1_000_000), Less;
        /// Memory of one agent or gate in GiB at most, all of its processes together; unset: four fifths of the machine's.
        memory_gb: Option<u64> = "", Kind::Count(1, 1 << 20), Less;
        /// The largest file in GiB that is written.
        file_gb: u64 = "100", Kind::Count(1, 1 << 20), Less;
    }
}

fn is_path(text: &str) -> bool {
    let plain = !text.chars().any(char::is_control) && !text.split('/').any(|part| part == "..");
    plain && (text.starts_with('/') || text.starts_with("~/")) && text.len() > 1
}

fn is_shown(text: &str) -> bool {
    let name = |name: &str| {
        let letter = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
        !name.is_empty() && name.bytes().all(letter)
    };
    is_path(text) || text.strip_prefix('$').is_some_and(name)
}

/// A setting's path, with the person's home for `~`; `None` without one.
pub fn expand(text: &str, home: Option<&Path>) -> Option<PathBuf> {
    match text.strip_prefix("~/") {
        Some(rest) => Some(home?.join(rest)),
        None => Some(PathBuf::from(text)),
    }
}

/// Something that may be written, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grant {
    /// The folder, with all that is below it, or the file.
    pub path: PathBuf,
    /// In a few words.
    pub why: &'static str,
}

impl Grant {
    /// A grant.
    pub fn new(path: impl Into<PathBuf>, why: &'static str) -> Self {
        Self {
            path: path.into(),
            why,
        }
    }
}

/// What of git's data a commit in this work tree needs: `own` is the tree's own git folder, `common`
/// the one that all trees share. Never its configuration, hooks or `info`, nor other trees.
pub fn git(own: &Path, common: &Path) -> Vec<Grant> {
    let why = "commits";
    let shared = ["objects", "refs", "reftable", "logs"];
    let shared = shared.map(|name| Grant::new(common.join(name), why));
    let mut grants = Vec::from(shared);
    if own != common {
        grants.push(Grant::new(own, "index and HEAD of the work tree"));
    }
    grants
}

/// What lies in the work tree and is not written all the same: what git is told there (its configuration
/// and hooks start programs of whoever uses git next), other work trees, and our own records. `common`
/// is git's folder, `state` that of our records.
pub fn kept(top: &Path, common: Option<&Path>, state: &Path) -> Vec<PathBuf> {
    const OF_GIT: &[&str] = &[
        "config",
        "config.worktree",
        "hooks",
        "info",
        "worktrees",
        "modules",
    ];
    let git = common.filter(|git| git.starts_with(top));
    let git = git
        .into_iter()
        .flat_map(|git| OF_GIT.iter().map(|name| git.join(name)));
    let own = Some(state.to_owned()).filter(|state| state.starts_with(top));
    git.chain(own).collect()
}

/// Devices that every program may use. Root may write to disks, so for root it is these alone; where a home or
/// project lies in the folder for shared memory (`lived_in`), that folder is none of them.
pub fn devices(root: bool, lived_in: bool) -> Vec<Grant> {
    const SHARED: &str = "shm";
    const EVERYBODYS: &[&str] = &[
        "null", "zero", "full", "random", "urandom", "tty", "ptmx", "pts", SHARED,
    ];
    let why = "devices";
    let mut grants = Vec::new();
    if root || lived_in {
        let names = EVERYBODYS
            .iter()
            .filter(|name| !lived_in || **name != SHARED);
        grants.extend(names.map(|name| Grant::new(Path::new("/dev").join(name), why)));
    } else {
        grants.push(Grant::new("/dev", why));
    }
    if !root {
        // User namespaces of browsers and sandboxes are set up below /proc.
        grants.push(Grant::new("/proc", "own processes"));
    }
    grants
}

/// What an agent is told of its cell.
pub const BRIEF: &str = "
# Where you work
You work in a cell: the kernel refuses writes outside of your work tree and of $TMPDIR (\"Permission \
denied\", also for /tmp, your home and git's configuration: `git -c NAME=VALUE` sets one value for a command), \
and credentials cannot be read. That is meant so; do not look for a way around it. For temporary files use \
$TMPDIR or mktemp. There are no credentials: commit, and your driver pushes at the end; a \
`git push` of your own branch is noted, and your driver carries it out after this iteration. It also \
opens the pull request.
";

/// The same for an agent in a session: each call of its Bash tool has walls of its own.
pub const BRIEF_IN_SESSION: &str = "
# Where you work
Your shells work in a cell: the kernel refuses writes outside of the work tree and of $TMPDIR, /tmp and the \
home folder among them (\"Permission denied\", \"Read-only file system\"), and to git's configuration (`git -c \
NAME=VALUE` sets one value for a command), and credentials cannot be read. That is meant so; \
do not look for a way around it. For temporary files use $TMPDIR or mktemp. A process that an earlier call \
left running cannot be ended with kill: end it in the same call, or run it in the background with the Bash tool, which has a tool that ends it. Commit; a `git push` of your own branch is noted, and \
carried out when you stop.
";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_name_paths_from_the_root_or_home_and_variables_where_they_are_shown() {
        for (text, path, shown) in [
            ("/opt/cache", true, true),
            ("~/.npmrc", true, true),
            ("$NPM_TOKEN", false, true),
            ("$", false, false),
            ("$A B", false, false),
            ("relative", false, false),
            ("/", false, false),
            ("~/../other", false, false),
            ("/a\nb", false, false),
        ] {
            assert_eq!((is_path(text), is_shown(text)), (path, shown), "{text:?}");
        }
        assert_eq!(expand("~/x", Some(Path::new("/h"))), Some("/h/x".into()));
        assert_eq!(expand("~/x", None), None);
    }

    #[test]
    fn shared_memory_is_written_unless_somebody_lives_there() {
        let writes = |root, lived_in, path: &str| {
            let grants = devices(root, lived_in);
            grants
                .iter()
                .any(|grant| Path::new(path).starts_with(&grant.path))
        };
        for root in [true, false] {
            assert!(writes(root, false, "/dev/shm/x") && !writes(root, true, "/dev/shm/home"));
            assert!(writes(root, true, "/dev/null"));
        }
        assert!(!writes(true, false, "/dev/sda"));
    }

    #[test]
    fn of_a_git_folder_in_the_work_tree_configuration_hooks_and_records_stay() {
        let (top, git) = (Path::new("/p"), Path::new("/p/.git"));
        let inside = kept(top, Some(git), &git.join("overnight"));
        for name in ["config", "hooks", "info", "worktrees", "overnight"] {
            assert!(inside.contains(&git.join(name)), "{name}");
        }
        assert_eq!(
            kept(Path::new("/t"), Some(git), &git.join("overnight")),
            [""; 0].map(PathBuf::from)
        );
        assert_eq!(
            kept(top, None, &top.join(".overnight")),
            [top.join(".overnight")]
        );
    }

    #[test]
    fn a_linked_work_tree_writes_what_commits_need_and_neither_configuration_nor_hooks() {
        let common = Path::new("/p/.git");
        let own = common.join("worktrees/t");
        let grants = git(&own, common);
        let reaches = |path: &str| {
            grants
                .iter()
                .any(|grant| Path::new(path).starts_with(&grant.path))
        };
        for path in [
            "objects/ab/x",
            "refs/heads/auto/x",
            "logs/HEAD",
            "worktrees/t/index.lock",
        ] {
            assert!(reaches(&format!("/p/.git/{path}")), "{path}");
        }
        for path in [
            "config",
            "hooks/pre-commit",
            "info/attributes",
            "worktrees/u/HEAD",
            "overnight/runs",
        ] {
            assert!(!reaches(&format!("/p/.git/{path}")), "{path}");
        }
    }
}
