//! The guard as a hook in an armed run, and what it answers.

use overnight_base::vars;
use overnight_host::env;
use serde_json::{Value, json};
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

/// A repository with an armed run and a home folder: the circumstances in which "allow" is said.
pub(super) struct Armed {
    _keep: tempfile::TempDir,
    pub(super) base: PathBuf,
    pub(super) root: PathBuf,
}

impl Armed {
    pub(super) fn new() -> Self {
        let keep = tempfile::tempdir().unwrap();
        let base = keep.path().canonicalize().unwrap();
        let root = base.join("project");
        let run = root.join(".git/overnight/runs/r1");
        std::fs::create_dir_all(&run).unwrap();
        std::fs::create_dir(base.join("home")).unwrap();
        std::fs::write(run.join("epoch"), "1").unwrap();
        std::fs::write(root.join(".git/HEAD"), "ref: refs/heads/auto/t1\n").unwrap();
        Self {
            _keep: keep,
            base,
            root,
        }
    }

    /// The person's configuration.
    pub(super) fn configure(&self, text: &str) {
        let file = self.base.join("home/.config/overnight/config.toml");
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, text).unwrap();
    }

    pub(super) fn hook(&self) -> Command {
        let mut command = Command::new(assert_cmd::cargo::cargo_bin!("command-guard"));
        command
            .arg("hook")
            .env_clear()
            .env("PATH", env::get_os(&vars::PATH).unwrap())
            .env("HOME", self.base.join("home"))
            .env(
                "OVERNIGHT_RUN_DIR",
                self.root.join(".git/overnight/runs/r1"),
            )
            .env("OVERNIGHT_EPOCH", "1");
        command
    }

    pub(super) fn event(&self, command: &str) -> Value {
        json!({"session_id": "s1", "cwd": self.root, "hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": command}})
    }

    pub(super) fn answer(&self, event: &[u8]) -> Output {
        run(self.hook(), event)
    }
}

pub(super) fn run(mut command: Command, event: &[u8]) -> Output {
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let event = event.to_vec();
    // A guard that has seen enough closes the pipe.
    let writer = std::thread::spawn(move || stdin.write_all(&event).is_ok());
    let output = child.wait_with_output().unwrap();
    let _ = writer.join();
    output
}

pub(super) fn decision(output: &Output) -> Option<String> {
    let value: Value = serde_json::from_slice(&output.stdout).ok()?;
    Some(
        value["hookSpecificOutput"]["permissionDecision"]
            .as_str()?
            .to_owned(),
    )
}

/// Denied with status 2, or a question with status 0; one valid document, a short clean reason.
#[track_caller]
pub(super) fn assert_stopped(output: &Output, what: &str) {
    let said = decision(output);
    match (output.status.code(), said.as_deref()) {
        (Some(2), Some("deny") | None) | (Some(0), Some("ask")) => {}
        other => panic!(
            "{what:.200}: {other:?} {}",
            String::from_utf8_lossy(&output.stdout)
        ),
    }
    if let Ok(value) = serde_json::from_slice::<Value>(&output.stdout) {
        let reason = value["hookSpecificOutput"]["permissionDecisionReason"]
            .as_str()
            .unwrap();
        assert!(
            reason.len() <= 600 && !reason.chars().any(char::is_control),
            "{reason}"
        );
    }
}
