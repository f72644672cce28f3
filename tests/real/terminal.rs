//! A terminal for interactive tests: tmux on a socket of its own.

use super::client::Client;
use super::support;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// How long something may take to appear; a busy machine included.
const WAIT_MAX: Duration = Duration::from_secs(90);

/// Each terminal has a server of its own.
static COUNT: AtomicUsize = AtomicUsize::new(0);

/// A terminal in which the client runs; ends when dropped.
pub struct Terminal {
    socket: PathBuf,
    environment: Vec<(String, String)>,
}

impl Terminal {
    /// Starts the client with these arguments in this folder; `None` without tmux (the test is
    /// reported as skipped).
    pub fn start(client: &Client, folder: &Path, arguments: &[&str]) -> Option<Self> {
        Self::with(client, folder, arguments, &[])
    }

    /// The same with these variables in the client's environment.
    pub fn with(
        client: &Client,
        folder: &Path,
        arguments: &[&str],
        variables: &[(&str, &str)],
    ) -> Option<Self> {
        if let Err(error) = Command::new("tmux").arg("-V").output() {
            support::skip(format!("tmux cannot be started: {error}"));
            return None;
        }
        client.trust(folder);
        let own = variables
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        let terminal = Self {
            socket: client
                .home
                .join(format!("tmux-{}", COUNT.fetch_add(1, Ordering::SeqCst))),
            environment: client.environment().into_iter().chain(own).collect(),
        };
        let claude = client.bin.join("claude");
        let mut words = vec!["new-session", "-d", "-x", "180", "-y", "50"];
        words.extend(["-c", folder.to_str().unwrap(), claude.to_str().unwrap()]);
        words.extend(arguments);
        let started = terminal.tmux(&words);
        assert!(started.status.success(), "{started:?}");
        Some(terminal)
    }

    /// Keeps everything that the client writes to the terminal from now on, byte for byte; gives the
    /// file.
    pub fn record(&self) -> PathBuf {
        let file = self.socket.with_extension("written");
        let command = format!("cat >> '{}'", file.display());
        self.tmux(&["pipe-pane", "-o", &command]);
        file
    }

    /// Types a text without the final Enter.
    pub fn keys(&self, text: &str) {
        self.tmux(&["send-keys", "-l", text]);
    }

    /// Presses a key by its tmux name: `Enter`, `Escape`, `C-c`.
    pub fn press(&self, key: &str) {
        self.tmux(&["send-keys", key]);
    }

    /// Types a line and sends it as soon as the input shows it.
    #[track_caller]
    pub fn line(&self, text: &str) {
        self.keys(text);
        // The client takes an Enter that comes with the text for a pasted newline.
        self.wait("the typed line", |screen| screen.contains(text));
        self.press("Enter");
    }

    /// What the screen shows, with some lines that scrolled away.
    pub fn screen(&self) -> String {
        let output = self.tmux(&["capture-pane", "-p", "-J", "-S", "-300"]);
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    /// Waits until the screen fits; fails the test with the screen's text after a while.
    #[track_caller]
    pub fn wait(&self, what: &str, fits: impl Fn(&str) -> bool) -> String {
        let deadline = Instant::now() + WAIT_MAX;
        loop {
            let screen = self.screen();
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

    /// Waits until something outside the screen holds.
    #[track_caller]
    pub fn until(&self, what: &str, holds: impl Fn() -> bool) {
        self.wait(what, |_| holds());
    }

    fn tmux(&self, words: &[&str]) -> Output {
        Command::new("tmux")
            .env_clear()
            .envs(self.environment.iter().cloned())
            .args(["-f", "/dev/null", "-u", "-S"])
            .arg(&self.socket)
            .args(words)
            .output()
            .unwrap()
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        self.tmux(&["kill-server"]);
    }
}
