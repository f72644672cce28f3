//! How something is started in a cell.

use super::{Cell, Watch, armed, watch};
use crate::random;
use overnight_base::code::Code;
use overnight_base::fault::Fault;
use overnight_run::cell::Limits;
use std::ffi::OsString;
use std::io::Write;
use std::process::{Child, Command, ExitStatus};

/// Before a line of the shell: it begins once a line comes in, and not at all where none does.
const HOLD: &str = "read -r _||exit;exec </dev/null;";

impl Cell {
    /// Starts a command within the walls; `own` holds whatever the cell sets, and `finish` says where
    /// its input and output are.
    pub fn spawn(
        &self,
        command: Command,
        own: &[(OsString, OsString)],
        finish: impl FnOnce(&mut Command),
    ) -> std::io::Result<(Child, Option<Watch>)> {
        let limits = self.marked();
        let (mut command, alone) = self.walls.lead(command, limits)?;
        self.prepare(&mut command, own, finish);
        let child = if alone {
            command.spawn()
        } else {
            self.walls.spawn(&mut command)
        }?;
        let watch = limits.map(|limits| Watch::begin(&child, limits));
        Ok((child, watch))
    }

    /// The same for a line that this shell runs, without any input. Where a thread takes the walls, the shell waits
    /// until its limits are put on it: a process that takes them upon itself and becomes the shell costs more than
    /// the walls.
    pub fn spawn_line(
        &self,
        (mut shell, line): (Command, &str),
        own: &[(OsString, OsString)],
        finish: impl FnOnce(&mut Command),
    ) -> std::io::Result<(Child, Option<Watch>)> {
        shell.arg("-c");
        let limits = self.marked().filter(|_| self.walls.are_of_a_thread());
        let Some(limits) = limits else {
            shell.arg(line);
            return self.spawn(shell, own, finish);
        };
        let (held, mut release) = std::io::pipe()?;
        shell.arg(format!("{HOLD}{line}"));
        self.prepare(&mut shell, own, finish);
        let child = self.walls.spawn(shell.stdin(held))?;
        let watch = Watch::begin(&child, limits);
        // One that has ended already is not there to be released.
        let _ = release.write_all(b"\n");
        Ok((child, Some(watch)))
    }

    /// The limits of one child, with a mark known to no other: what clears its environment and leaves its group is
    /// found by it.
    fn marked(&self) -> Option<Limits> {
        let mark = random::hex::<8>().unwrap_or_default();
        self.limits.map(|limits| limits.marked(&mark))
    }

    fn prepare(
        &self,
        command: &mut Command,
        own: &[(OsString, OsString)],
        finish: impl FnOnce(&mut Command),
    ) {
        self.dress(command);
        command.envs(own.iter().map(|(name, value)| (name, value)));
        finish(command);
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Stdio;

    #[test]
    fn a_held_line_begins_when_it_is_released_and_never_without() {
        let line = format!("{HOLD}echo begun; read -r more || echo nothing comes in");
        for (released, expected) in [(true, "begun\nnothing comes in\n"), (false, "")] {
            let (held, mut release) = std::io::pipe().unwrap();
            let mut shell = Command::new("/bin/sh");
            shell.args(["-c", &line]).stdin(held).stdout(Stdio::piped());
            let child = shell.spawn().unwrap();
            if released {
                release.write_all(b"\n").unwrap();
            }
            drop(release);
            let output = child.wait_with_output().unwrap();
            assert_eq!(String::from_utf8_lossy(&output.stdout), expected);
            assert_eq!(output.status.success(), released);
        }
    }
}
