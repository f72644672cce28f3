//! `task-lock`: what scripts rely on, and exclusion under faults.

mod contract;
mod faults;
mod history;
mod http;
mod kills;
mod lists;
mod remotes;
mod sweep;

use assert_cmd::Command;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A remote and its clones, none of which reads the person's git configuration.
struct Field {
    folder: tempfile::TempDir,
}

impl Field {
    /// An empty bare repository `remote.git`.
    fn new() -> Self {
        let field = Self {
            folder: tempfile::tempdir().unwrap(),
        };
        git(
            field.folder.path(),
            &["init", "-q", "--bare", "-b", "main", "remote.git"],
        );
        field
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn file_url(&self) -> String {
        format!("file://{}", self.path("remote.git").display())
    }

    /// A clone with one commit on its branch.
    fn clone(&self, name: &str, url: &str) -> PathBuf {
        git(self.folder.path(), &["init", "-q", "-b", "work", name]);
        let clone = self.path(name);
        git(&clone, &["remote", "add", "origin", url]);
        git(&clone, &["commit", "-q", "--allow-empty", "-m", "start"]);
        clone
    }
}

fn git(folder: &Path, arguments: &[&str]) -> String {
    let output = std::process::Command::new("git")
        .args(arguments)
        .current_dir(folder)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .envs([("GIT_AUTHOR_NAME", "t"), ("GIT_AUTHOR_EMAIL", "t@t")])
        .envs([("GIT_COMMITTER_NAME", "t"), ("GIT_COMMITTER_EMAIL", "t@t")])
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "git {arguments:?}: {said}");
    String::from_utf8_lossy(&output.stdout)
        .trim_end()
        .to_owned()
}

fn task_lock(clone: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(assert_cmd::cargo::cargo_bin!("task-lock"));
    command
        .current_dir(clone)
        .args(arguments)
        .timeout(Duration::from_mins(1));
    for name in [
        "AGENT_ID",
        "OVERNIGHT_AGENT_ID",
        "OVERNIGHT_OWNER_PID",
        "CLAUDE_CODE_SESSION_ID",
    ] {
        command.env_remove(name);
    }
    command.env("GIT_CONFIG_GLOBAL", "/dev/null");
    command
}

/// Runs it with `--json`; gives the exit status and what it printed.
fn json(clone: &Path, arguments: &[&str]) -> (i32, Value) {
    let output = task_lock(clone, arguments).arg("--json").output().unwrap();
    let value = serde_json::from_slice(&output.stdout).unwrap_or(Value::Null);
    (output.status.code().unwrap(), value)
}

fn token(value: &Value) -> String {
    value["token"].as_u64().unwrap().to_string()
}

/// Acquires and gives the token.
fn acquired(clone: &Path, arguments: &[&str]) -> String {
    let mut all = vec!["acquire"];
    all.extend(arguments);
    let (status, value) = json(clone, &all);
    assert_eq!(status, 0, "{value}");
    token(&value)
}

fn status(clone: &Path, arguments: &[&str]) -> i32 {
    json(clone, arguments).0
}
