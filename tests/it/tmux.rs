//! A terminal that a test can look at and type into: tmux on a socket of its own.

use crate::project::Project;
use crate::support;
use std::path::PathBuf;
use std::process::{Command, Output};
use std::time::{Duration, Instant};

/// How long something may take to appear; a busy machine included.
const WAIT_MAX: Duration = Duration::from_mins(1);

/// A terminal; ends when dropped.
pub(crate) struct Tmux<'a> {
    project: &'a Project,
    socket: PathBuf,
}

impl<'a> Tmux<'a> {
    /// A terminal of 80 by 24 cells that runs this shell script in the project; `None` without
    /// tmux (the test is reported as skipped).
    pub(crate) fn start(project: &'a Project, script: &str) -> Option<Self> {
        if let Err(error) = Command::new("tmux").arg("-V").output() {
            support::skip(format!("tmux cannot be started: {error}"));
            return None;
        }
        let socket = project.path(".git/tmux");
        let terminal = Self { project, socket };
        let size = ["-x", "80", "-y", "24"];
        let top = project.path("");
        let mut words = vec!["new-session", "-d", "-c", top.to_str().unwrap()];
        words.extend(size);
        words.extend(["sh", "-c", script]);
        let started = terminal.tmux(&words);
        assert!(started.status.success(), "{started:?}");
        Some(terminal)
    }

    /// Presses a key by its tmux name: `Enter`, `Down`, `q`.
    pub(crate) fn press(&self, key: &str) {
        self.tmux(&["send-keys", key]);
    }

    pub(crate) fn resize(&self, width: u16, height: u16) {
        let (width, height) = (width.to_string(), height.to_string());
        self.tmux(&["resize-window", "-x", &width, "-y", &height]);
    }

    /// The process id of the program that the script runs now.
    pub(crate) fn child(&self) -> String {
        let script = self.tell("#{pane_pid}");
        let found = self.project.command("pgrep").args(["-P", &script]).output();
        String::from_utf8(found.unwrap().stdout)
            .unwrap()
            .trim()
            .to_owned()
    }

    /// What tmux says about the pane, for example `#{pane_title}`.
    pub(crate) fn tell(&self, format: &str) -> String {
        let said = self.tmux(&["display-message", "-p", format]);
        String::from_utf8_lossy(&said.stdout).trim_end().to_owned()
    }

    /// What somebody put into the clipboard.
    pub(crate) fn clipboard(&self) -> String {
        String::from_utf8_lossy(&self.tmux(&["show-buffer"]).stdout).into_owned()
    }

    /// Waits until the screen fits; fails the test with the screen's text after a while.
    #[track_caller]
    pub(crate) fn wait(&self, what: &str, fits: impl Fn(&str) -> bool) -> String {
        let deadline = Instant::now() + WAIT_MAX;
        loop {
            let output = self.tmux(&["capture-pane", "-p"]);
            let screen = String::from_utf8_lossy(&output.stdout).into_owned();
            if fits(&screen) {
                return screen;
            }
            assert!(
                Instant::now() < deadline,
                "no {what} on the screen:\n{screen}"
            );
            std::thread::sleep(Duration::from_millis(30));
        }
    }

    fn tmux(&self, words: &[&str]) -> Output {
        let mut command = self.project.command("tmux");
        command
            .args(["-f", "/dev/null", "-u", "-S"])
            .arg(&self.socket);
        command
            .env("LC_ALL", "C.UTF-8")
            .args(words)
            .output()
            .unwrap()
    }
}

impl Drop for Tmux<'_> {
    fn drop(&mut self) {
        self.tmux(&["kill-server"]);
    }
}
