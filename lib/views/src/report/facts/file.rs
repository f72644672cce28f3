//! A changed file, and why a person should look at it.

use serde::Serialize;

/// One file's change.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct FileChange {
    /// Its path.
    pub path: String,
    /// Lines added; 0 for a binary file.
    pub added: u64,
    /// Lines removed; 0 for a binary file.
    pub removed: u64,
    /// Does git not know it yet?
    pub untracked: bool,
}

impl FileChange {
    /// Why a person should look at it: what can weaken a proof or reach beyond the code, else its
    /// size.
    pub fn why(&self) -> &'static str {
        let path = self.path.to_ascii_lowercase();
        let name = path.rsplit('/').next().unwrap_or_default();
        let in_folder = |folder: &str| {
            path.starts_with(&format!("{folder}/")) || path.contains(&format!("/{folder}/"))
        };
        let is_test = ["test", "tests", "spec", "__tests__"]
            .iter()
            .any(|folder| in_folder(folder))
            || ["test_", "tests."]
                .iter()
                .any(|start| name.starts_with(start))
            || ["_test.", ".test.", ".spec.", "_spec."]
                .iter()
                .any(|part| name.contains(part));
        if path.starts_with("progress/") {
            "progress"
        } else if is_test && self.removed > self.added {
            "tests shrank"
        } else if in_folder(".github")
            || in_folder(".ci")
            || name.starts_with(".gitlab-ci")
            || name == "jenkinsfile"
        {
            "build service"
        } else if MANIFESTS.contains(&name) {
            "dependencies"
        } else if in_folder(".claude")
            || matches!(name, "tasks.json" | "agent_prompt.md" | "overnight.toml")
        {
            "the agent's own orders"
        } else if is_test {
            "tests"
        } else {
            "size"
        }
    }

    /// Its place in the list: what can weaken a proof first, what Overnight writes itself last.
    pub fn rank(&self) -> u8 {
        match self.why() {
            "progress" => 2,
            "tests" | "size" => 1,
            _ => 0,
        }
    }
}

/// Files that name what else is downloaded and run.
const MANIFESTS: [&str; 14] = [
    "cargo.toml",
    "cargo.lock",
    "build.rs",
    "package.json",
    "package-lock.json",
    "pyproject.toml",
    "requirements.txt",
    "setup.py",
    "go.mod",
    "go.sum",
    "gemfile",
    "pom.xml",
    "makefile",
    "dockerfile",
];
