//! A project of its own for each test: a repository, a HOME, an environment without surprises.

use assert_cmd::assert::Assert;
use assert_cmd::cargo::cargo_bin;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// Makes a named pipe, by the program: rustix does not offer the call on macOS.
pub(crate) fn named_pipe(path: &Path) {
    let made = Command::new("mkfifo").arg(path).status();
    assert!(made.is_ok_and(|status| status.success()));
}

pub(crate) struct Project {
    _folder: TempDir,
    top: PathBuf,
    home: PathBuf,
}

impl Project {
    /// A git repository with a goal and one commit.
    pub(crate) fn new() -> Self {
        Self::without_git().started()
    }

    /// The same on a disk, where homes are: the folder for shared memory is a place of its own in a cell.
    pub(crate) fn on_disk() -> Self {
        Self::at(tempfile::tempdir_in("/var/tmp").unwrap()).started()
    }

    fn started(self) -> Self {
        self.git(&["init", "-q", "-b", "auto/test"]);
        self.git(&["add", "-A"]);
        self.git(&["commit", "-q", "-m", "start"]);
        self
    }

    /// A folder with a goal.
    pub(crate) fn without_git() -> Self {
        Self::at(tempfile::tempdir().unwrap())
    }

    fn at(folder: TempDir) -> Self {
        let root = folder.path().canonicalize().unwrap();
        let (top, home) = (root.join("project"), root.join("home"));
        // A cache that is there is writable in a cell: test and agent meet in it.
        std::fs::create_dir_all(home.join(".cache")).unwrap();
        std::fs::create_dir_all(&top).unwrap();
        std::fs::write(top.join("AGENT_PROMPT.md"), "# The goal\n").unwrap();
        Self {
            _folder: folder,
            top,
            home,
        }
    }

    pub(crate) fn home(&self) -> &Path {
        &self.home
    }

    /// Where an agent in a cell and its test meet.
    pub(crate) fn meeting(&self, name: &str) -> PathBuf {
        self.home.join(".cache").join(name)
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.top.join(name)
    }

    /// Puts a client on the PATH: a shell script that prints what the real one would.
    pub(crate) fn client(&self, script: &str) {
        let bin = self.home.join("bin");
        std::fs::create_dir_all(&bin).unwrap();
        let path = bin.join("claude");
        let known = "case $1 in\n--version) echo '2.1.329 (Claude Code)'; exit ;;\nauth) echo '{\"loggedIn\": true}'; exit ;;\nesac";
        std::fs::write(&path, format!("#!/bin/sh\n{known}\n{script}\n")).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    }

    /// The fields of all records of this event in the only run's journal.
    pub(crate) fn records(&self, event: &str) -> Vec<serde_json::Value> {
        let text = std::fs::read_to_string(self.journal(&self.only_run())).unwrap_or_default();
        let records = text
            .lines()
            // A driver may be writing the last line just now; then it is not there yet.
            .filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok());
        records.filter(|record| record["event"] == event).collect()
    }

    pub(crate) fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    /// Writes the person's own configuration.
    pub(crate) fn person(&self, text: &str) {
        let folder = self.home.join(".config/overnight");
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("config.toml"), text).unwrap();
    }

    /// A command with an environment of this project only.
    pub(crate) fn command(&self, program: impl AsRef<std::ffi::OsStr>) -> Command {
        let mut command = Command::new(program);
        command
            .current_dir(&self.top)
            .env_clear()
            .env("HOME", &self.home)
            .env(
                "PATH",
                format!("{}/bin:/usr/local/bin:/usr/bin:/bin", self.home.display()),
            )
            .env("TZ", "UTC")
            .env("GIT_CONFIG_SYSTEM", "/dev/null")
            .envs(["AUTHOR", "COMMITTER"].map(|who| (format!("GIT_{who}_NAME"), "Test")))
            .envs(
                ["AUTHOR", "COMMITTER"]
                    .map(|who| (format!("GIT_{who}_EMAIL"), "test@example.invalid")),
            );
        command
    }

    pub(crate) fn git(&self, arguments: &[&str]) {
        let status = self
            .command("git")
            .args(arguments)
            .stdout(Stdio::null())
            .status()
            .unwrap();
        assert!(status.success(), "git {arguments:?}");
    }

    /// What a git command prints.
    pub(crate) fn git_out(&self, arguments: &[&str]) -> String {
        let output = self.command("git").args(arguments).output().unwrap();
        assert!(output.status.success(), "git {arguments:?}: {output:?}");
        String::from_utf8(output.stdout).unwrap()
    }

    pub(crate) fn overnight(&self, arguments: &[&str]) -> Assert {
        self.overnight_in(&self.top, arguments)
    }

    pub(crate) fn overnight_in(&self, folder: &Path, arguments: &[&str]) -> Assert {
        let mut command = self.command(cargo_bin!("overnight"));
        command.args(arguments).current_dir(folder);
        assert_cmd::Command::from_std(command).assert()
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> Assert {
        self.run_in(&self.top, arguments)
    }

    /// A run in the project's own work tree, where a test can look over the agent's shoulder.
    pub(crate) fn run_in(&self, folder: &Path, arguments: &[&str]) -> Assert {
        self.overnight_in(folder, &[&["run", "--here"], arguments].concat())
    }

    /// Starts a run and does not wait for it.
    pub(crate) fn start(&self, arguments: &[&str]) -> Child {
        let mut command = self.command(cargo_bin!("overnight"));
        command
            .args(["run", "--here"])
            .args(arguments)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        command.spawn().unwrap()
    }

    pub(crate) fn signal(&self, child: &Child, name: &str) {
        let status = self
            .command("kill")
            .args([&format!("-{name}"), &child.id().to_string()])
            .status()
            .unwrap();
        assert!(status.success());
    }

    /// Waits until a file of the project is there and not empty.
    pub(crate) fn wait_for(&self, name: &str) {
        let began = Instant::now();
        while std::fs::metadata(self.path(name)).map_or(0, |about| about.len()) == 0 {
            assert!(
                began.elapsed() < Duration::from_secs(20),
                "{name} does not come"
            );
            std::thread::sleep(Duration::from_millis(2));
        }
    }

    pub(crate) fn runs(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.path(".git/overnight/runs"))
            .into_iter()
            .flatten()
            .flatten();
        entries
            .map(|entry| entry.file_name().into_string().unwrap())
            .collect()
    }

    pub(crate) fn only_run(&self) -> String {
        let mut runs = self.runs();
        assert_eq!(runs.len(), 1);
        runs.remove(0)
    }

    pub(crate) fn journal(&self, run: &str) -> PathBuf {
        self.path(&format!(".git/overnight/runs/{run}/journal.jsonl"))
    }

    /// How many iterations of the only run were judged.
    pub(crate) fn iterations(&self) -> usize {
        let events = journal_events(&self.journal(&self.only_run()));
        events.iter().filter(|event| *event == "judged").count()
    }

    /// Living processes that an agent of this project's runs started.
    pub(crate) fn left_over(&self) -> Vec<u32> {
        let marks: Vec<String> = self
            .runs()
            .iter()
            .map(|run| format!("OVERNIGHT_RUN={run}"))
            .collect();
        let processes = std::fs::read_dir("/proc").unwrap().flatten();
        processes
            .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
            .filter(|pid| {
                let environ = std::fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
                environ
                    .split(|byte| *byte == 0)
                    .any(|variable| marks.iter().any(|mark| mark.as_bytes() == variable))
            })
            .collect()
    }
}

/// The names of a journal's events, in order.
pub(crate) fn journal_events(path: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(path).unwrap();
    let name = |line: &str| {
        let record: serde_json::Value = serde_json::from_str(line).unwrap();
        record["event"].as_str().unwrap().to_owned()
    };
    text.lines().map(name).collect()
}
