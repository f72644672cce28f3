//! Where a command would run, and what the file system says about the paths that it names.

use super::Mode;
use super::wanted::Wanted;

/// What stands at a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Entry {
    /// Nobody looked, or looking failed: judged like a file that holds work.
    Unknown,
    /// Nothing.
    Missing,
    /// A regular file.
    File,
    /// A folder.
    Folder,
    /// A symbolic link with this target as written in it.
    Link(String),
    /// A device, pipe or socket.
    Other,
}

/// Questions to the file system and to git. All paths are absolute and without `..`. Asked only
/// when the answer changes the verdict, because each answer of git costs milliseconds.
pub trait Facts {
    /// What stands at the path, without following a link at its end.
    fn entry(&self, path: &str) -> Entry;
    /// The names of symbolic links right in the folder, some hundred at most.
    fn links(&self, _folder: &str) -> Vec<String> {
        Vec::new()
    }
    /// The names of files right in the folder that changed since the run or the session began; some hundred are looked at.
    fn fresh(&self, _folder: &str) -> Vec<String> {
        Vec::new()
    }
    /// The paths of such files below the folder, for which `wanted` says yes; some thousand entries are looked at, and
    /// none of what packages and builds put there.
    fn fresh_below(&self, _folder: &str, _wanted: &dyn Fn(&str) -> bool) -> Vec<String> {
        Vec::new()
    }
    /// The text of a file; `None`: it is none, is longer than a script ever is, or cannot be read.
    fn text(&self, _path: &str) -> Option<String> {
        None
    }
    /// Is the file what it was in the commit that the run began with? `None`: unknown.
    fn vouched(&self, _path: &str) -> Option<bool> {
        None
    }
    /// The text of the file in that commit.
    fn before(&self, _path: &str) -> Option<String> {
        None
    }
    /// Was it made, with all below it, after the run or the session began?
    fn own(&self, _path: &str) -> bool {
        false
    }
    /// Did it come over the network in this session, itself or in an archive or a clone?
    fn fetched(&self, _path: &str) -> bool {
        false
    }
    /// Does a person's desk answer at this port of this machine?
    fn is_desk(&self, _port: u16) -> bool {
        false
    }
    /// Tells beforehand what git will be asked, so that it is asked once for all of it.
    fn learn(&self, _wanted: &Wanted) {}
    /// Does git ignore the path? `None`: unknown.
    fn ignored(&self, path: &str) -> Option<bool>;
    /// Is everything at and below the path tracked and unchanged since the last commit, so that
    /// git brings it back? `None`: unknown.
    fn recoverable(&self, path: &str) -> Option<bool>;
}

/// No file system at hand: every answer is unknown.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoFacts;

impl Facts for NoFacts {
    fn entry(&self, _path: &str) -> Entry {
        Entry::Unknown
    }

    fn ignored(&self, _path: &str) -> Option<bool> {
        None
    }

    fn recoverable(&self, _path: &str) -> Option<bool> {
        None
    }
}

/// What is said of losses that a copy of the work tree brings back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Losses {
    /// What the mode, the cell and the kind of the work tree say.
    ByMode,
    /// Deleted files are copied first: they may go.
    Kept,
    /// Deleted files are a question, in a cell too.
    Asked,
}

/// The circumstances of a tool call.
#[derive(Clone, Copy)]
pub struct Context<'a> {
    /// How much of the boundary is let through.
    pub mode: Mode,
    /// Does a person sit at this session? Then only what is grave counts.
    pub attended: bool,
    /// Does the command run in a cell, where the kernel keeps what is outside of the work tree?
    pub walled: bool,
    /// What is said of deleted files.
    pub losses: Losses,
    /// The working folder: absolute, without `..`.
    pub cwd: &'a str,
    /// The top of the work tree that `cwd` is in; `None` outside a repository.
    pub root: Option<&'a str>,
    /// The person's home folder.
    pub home: &'a str,
    /// The branch that is checked out; `None` when unknown or detached.
    pub branch: Option<&'a str>,
    /// Branches that start with this belong to the agent: it may push them. With the slash.
    pub own_prefix: &'a str,
    /// Is this a disposable linked work tree of a member, where discarding is safe? To be verified
    /// by its git files, not by its name.
    pub disposable: bool,
    /// Folders of our own state, configuration and approvals, wherever they lie: absolute.
    pub ours: &'a [String],
    /// Names of folders that hold regenerable, git-ignored output, used where `facts` do not know.
    pub ignored: &'a [&'a str],
    /// The file system and git.
    pub facts: &'a dyn Facts,
}

impl<'a> Context<'a> {
    /// Build folders that git usually ignores.
    pub const BUILD_FOLDERS: &'static [&'static str] = &["target", "node_modules", "dist", "build"];

    /// A repository at `root` on the agent's own branch, with nothing known of its files.
    pub fn repository(root: &'a str, home: &'a str) -> Self {
        Self {
            mode: Mode::Normal,
            attended: false,
            walled: false,
            losses: Losses::ByMode,
            cwd: root,
            root: Some(root),
            home,
            branch: Some("auto/task-1"),
            own_prefix: "auto/",
            disposable: false,
            ours: &[],
            ignored: Self::BUILD_FOLDERS,
            facts: &NoFacts,
        }
    }
}
