//! A scripted API, the client that talks to it, the plugin, and a repository to work in.

use super::api::{Api, Script};
use super::client::Client;
use super::plugin::Plugin;
use super::terminal::Terminal;
use std::path::PathBuf;

/// All four; removed when dropped.
pub struct Stage {
    pub api: Api,
    pub client: Client,
    pub plugin: Plugin,
    pub folder: tempfile::TempDir,
}

impl Stage {
    /// `None` where the client cannot be had: the test is reported as skipped.
    pub fn new(script: Script) -> Option<Self> {
        let api = Api::start(script);
        let client = Client::new(&api)?;
        let folder = tempfile::tempdir().unwrap();
        let git = client
            .dressed("git", folder.path())
            .args(["init", "-q"])
            .status();
        assert!(git.unwrap().success());
        Some(Self {
            api,
            client,
            plugin: Plugin::assemble("market"),
            folder,
        })
    }

    /// The client in a terminal, with the plugin, in a mode in which a run needs nobody; `None` without
    /// tmux.
    pub fn terminal(&self) -> Option<Terminal> {
        let plugin = self.plugin.folder.to_str().unwrap();
        let mode = ["--permission-mode", "acceptEdits"];
        let arguments = [
            &["--plugin-dir", plugin],
            &mode[..],
            &["--allowedTools", "Agent"],
        ]
        .concat();
        let terminal = Terminal::start(&self.client, self.folder.path(), &arguments)?;
        terminal.wait("prompt", |screen| screen.contains('❯'));
        Some(terminal)
    }

    /// A path in the repository.
    pub fn at(&self, path: &str) -> PathBuf {
        self.folder.path().join(path)
    }

    /// A file of the repository; empty when it is not there.
    pub fn read(&self, path: &str) -> String {
        std::fs::read_to_string(self.at(path)).unwrap_or_default()
    }
}
