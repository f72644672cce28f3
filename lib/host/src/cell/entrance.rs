//! How something is started in a cell.

use super::{Cell, Watch, armed, watch};
use crate::random;
use overnight_base::code::Code;
use overnight_base::fault::Fault;
use std::ffi::OsString;
use std::process::{Child, Command, ExitStatus};

impl Cell {
    /// Starts a command within the walls; `own` holds whatever the cell sets, and `finish` says where
    /// its input and output are.
    pub fn spawn(
        &self,
        command: Command,
        own: &[(OsString, OsString)],
        finish: impl FnOnce(&mut Command),
    ) -> std::io::Result<(Child, Option<Watch>)> {
        // Known to no other: what clears its environment and leaves its group is found by it.
        let mark = random::hex::<8>().unwrap_or_default();
        let limits = self.limits.map(|limits| limits.marked(&mark));
        let (mut command, alone) = self.walls.lead(command, limits)?;
        self.dress(&mut command);
        command.envs(own.iter().map(|(name, value)| (name, value)));
        finish(&mut command);
        let child = if alone {
            command.spawn()
        } else {
            self.walls.spawn(&mut command)
        }?;
        let watch = limits.map(|limits| Watch::begin(&child, limits));
        Ok((child, watch))
    }

    /// Takes the walls upon this thread for good, and gives the command to start: what this thread starts,
    /// that among it, lives within them.
    pub fn enter(&self, mut command: Command) -> Result<Command, Fault> {
        self.dress(&mut command);
        let missing = |error: std::io::Error| Fault::new(Code::CellMissing, error.to_string());
        // Within the walls of root there is no writing to /proc.
        if let Some(limits) = self.limits {
            watch::limit_this(limits);
        }
        self.walls.take(command).map_err(missing)
    }

    /// Looks after a child that was started behind these walls, where it has limits of its own.
    pub fn watch(&self, child: &Child) -> Option<Watch> {
        self.limits.map(|limits| Watch::begin(child, limits))
    }

    /// The limit that ended the child, if one did; the session's hook is told too.
    pub fn passed(&self, watch: Option<&Watch>, status: ExitStatus) -> Option<String> {
        let limit = watch?.passed(Some(status))?;
        if let Some(run_folder) = &self.run_folder {
            armed::pass(run_folder, &limit);
        }
        Some(limit)
    }

    fn dress(&self, command: &mut Command) {
        for name in &self.gone {
            command.env_remove(name);
        }
        command.envs(self.environment.iter().map(|(name, value)| (name, value)));
        command.envs(configured(&self.git));
    }
}

/// Git's configuration as variables, beside what the environment has.
fn configured(pairs: &[[String; 2]]) -> Vec<(OsString, OsString)> {
    const COUNT: &str = "GIT_CONFIG_COUNT";
    if pairs.is_empty() {
        return Vec::new();
    }
    let known = std::env::vars().find(|(name, _)| name == COUNT);
    let before = known.and_then(|(_, count)| count.parse().ok()).unwrap_or(0);
    let mut all = vec![(COUNT.into(), (before + pairs.len()).to_string().into())];
    for (number, [key, value]) in (before..).zip(pairs) {
        all.push((format!("GIT_CONFIG_KEY_{number}").into(), key.into()));
        all.push((format!("GIT_CONFIG_VALUE_{number}").into(), value.into()));
    }
    all
}
