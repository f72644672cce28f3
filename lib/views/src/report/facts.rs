//! What a report says that the journal does not know: values from outside.

mod file;

use super::words::count;
use crate::summary::Ending;
use serde::Serialize;

pub use file::FileChange;

/// What git says about the run's branch.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Changes {
    /// The commit that the run began on.
    pub since: String,
    /// The branch that is checked out.
    pub branch: Option<String>,
    /// The subjects of the commits since the run's start, newest first, with their short names.
    pub commits: Vec<String>,
    /// The same by the task that they are of, in the order of their first commit.
    pub by_task: Vec<OfTask>,
    /// Commits since the start; more than are listed above, perhaps.
    pub commits_count: u64,
    /// Changed files, with lines added and removed: those that can weaken a proof first, then by
    /// the size of the change.
    pub files: Vec<FileChange>,
    /// Files in all.
    pub files_count: u64,
    /// Files with changes that no commit holds, untracked ones included; bounded as the files are.
    pub uncommitted: Vec<FileChange>,
    /// Those in all.
    pub uncommitted_count: u64,
    /// The command that brings the pull request up to date, where its branch has commits since.
    pub push: Option<String>,
}

/// The commits of one task.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct OfTask {
    /// The task; `None`: of no iteration of the run.
    pub task: Option<String>,
    /// Their subjects with their short names, oldest first.
    pub commits: Vec<String>,
}

impl Changes {
    /// That the pull request is behind its branch, of a run that is over.
    pub(crate) fn behind(&self, ending: Ending) -> Option<String> {
        let push = self.push.as_ref().filter(|_| ending != Ending::Running)?;
        Some(format!(
            "the pull request is without the newest commits: {push}"
        ))
    }

    /// `2 commits`; of a run that is over and made none, what follows from it.
    pub fn commits_words(&self, ending: Ending) -> String {
        let is_over = matches!(ending, Ending::Done | Ending::Stopped | Ending::NeedsYou);
        if self.commits_count == 0 && is_over {
            "no commit, so no pull request".to_owned()
        } else {
            count(self.commits_count, "commit")
        }
    }

    /// The command that shows what the run changed.
    pub fn review(&self) -> Option<String> {
        let since = &self.since;
        // The branch may be checked out nowhere; a name that a shell could misread is not typed.
        let plain = |name: &&str| {
            name.bytes()
                .all(|b| b.is_ascii_alphanumeric() || b"-_./".contains(&b))
        };
        let tip = self.branch.as_deref().filter(plain).unwrap_or("HEAD");
        (self.commits_count > 0).then(|| format!("git diff {since}..{tip}"))
    }
}

/// The figures of another run, to compare with.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Past {
    /// Its id.
    pub run: String,
    /// Iterations judged.
    pub iterations: u32,
    /// Dollars.
    pub cost_usd: f64,
    /// Milliseconds from its first record to its last.
    pub lasted_ms: u64,
    /// Was every task proved done?
    pub done: bool,
}

/// Everything from outside.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Facts {
    /// What git says; `None` without git or without a starting commit.
    pub changes: Option<Changes>,
    /// The runs before this one, oldest first, at most ten.
    pub past: Vec<Past>,
    /// Does the report lie in the run's log folder? Then what agents printed has an address.
    #[serde(skip)]
    pub beside_logs: bool,
}

impl Facts {
    /// The command that shows what the run changed.
    pub fn review(&self) -> Option<String> {
        self.changes.as_ref()?.review()
    }
}
