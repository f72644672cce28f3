//! What walls are made of, whoever makes them.

use overnight_run::cell::Limits;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use std::process::Command;

/// What walls are made of.
#[derive(Debug, Default, Clone, Serialize, Deserialize)]
pub(super) struct Plan {
    /// The version of Landlock; 0: none.
    pub(super) abi: u32,
    /// What may be written.
    pub(super) grants: Vec<PathBuf>,
    /// What may not be read.
    pub(super) hidden: Vec<PathBuf>,
    /// What may not be written where everything else may; `None`: what is not granted is not written.
    #[serde(default)]
    pub(super) closed: Option<Vec<PathBuf>>,
    /// The TCP ports that may be connected to, from and to; `None`: all. A list of every one of them would
    /// not fit into a variable.
    pub(super) ports: Option<Vec<(u16, u16)>>,
    /// The view of the machine.
    pub(super) space: Space,
    /// Does it hold somebody who makes namespaces for what it starts?
    pub(super) nests: bool,
    /// Do others beside it live behind the wall that keeps signals?
    #[serde(default)]
    pub(super) shares_signals: bool,
    /// What it may take of the machine, where it takes these limits upon itself.
    #[serde(default)]
    pub(super) limits: Option<Limits>,
}

/// A view of the machine.
#[derive(Debug, Default, Clone, Serialize, Deserialize)]
pub(super) struct Space {
    /// What may be written; the rest is mounted read-only. `None`: mounts stay as they are.
    pub(super) writable: Option<Vec<PathBuf>>,
    /// What of it stays as it is, but for other parts of it that are below.
    #[serde(default)]
    pub(super) kept: Vec<PathBuf>,
    /// Where it writes for itself alone.
    #[serde(default)]
    pub(super) scratch: Option<Scratch>,
    /// Git's folder of a linked work tree, where references may be locked that nobody packs.
    #[serde(default)]
    pub(super) locking: Option<PathBuf>,
    /// Folders that are empty in it, and sockets that nobody answers.
    pub(super) covered: Vec<PathBuf>,
    /// Has it shared memory and terminals of its own?
    #[serde(default)]
    pub(super) devices: bool,
    /// Has it no network but loopback?
    pub(super) offline: bool,
}

/// A folder of everybody's, as `/tmp` is, for oneself: what is in it is seen, and what is written there goes
/// with the view.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Scratch {
    /// Where it is.
    pub(super) folder: PathBuf,
    /// What of it is everybody's all the same: read there, and not written.
    pub(super) closed: Vec<PathBuf>,
}

/// The command, led through another one that takes its words behind its own.
pub(super) fn through(mut leader: Command, command: &Command) -> Command {
    leader.arg(command.get_program()).args(command.get_args());
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => leader.env(name, value),
            None => leader.env_remove(name),
        };
    }
    if let Some(folder) = command.get_current_dir() {
        leader.current_dir(folder);
    }
    leader
}
