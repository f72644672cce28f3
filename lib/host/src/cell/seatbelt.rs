//! The walls of macOS, which `sandbox-exec` takes upon itself and what it starts.

#![expect(
    clippy::needless_pass_by_value,
    clippy::unnecessary_wraps,
    clippy::unused_self,
    reason = "walls are built and taken in the same way on each system"
)]

use super::plan::{Plan, through};
use overnight_base::fault::Fault;
use overnight_run::cell::{Level, Limits, Parameter, Seatbelt};
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode};

/// The system's own program.
const SANDBOX: &str = "/usr/bin/sandbox-exec";
/// Where launchd makes sockets of agents of keys, in folders that begin so.
const LAUNCHD: (&str, &str) = ("/private/tmp", "com.apple.launchd.");
/// A container daemon's.
const DOCKER: &str = "/private/var/run/docker.sock";

/// A process within walls cannot take others upon itself.
pub(super) const STACK: bool = false;

/// A profile and its parameters.
#[derive(Debug)]
pub(super) struct Walls {
    profile: String,
    parameters: Vec<Parameter>,
}

/// That of macOS, where its program is.
pub(super) fn level() -> Level {
    if Path::new(SANDBOX).is_file() {
        Level::Seatbelt
    } else {
        Level::Landlock(0)
    }
}

/// What they would close is closed by the profile.
pub(super) fn has_namespaces() -> bool {
    true
}

/// This system has no call that sets another process's limits.
pub(super) fn keeps_limits() -> bool {
    true
}

/// The same.
pub(super) fn has_networks() -> bool {
    true
}

/// Nobody asks: the program of the system starts what lives within.
pub fn asked(_: &[OsString]) -> Option<ExitCode> {
    None
}

/// Those of agents of keys and of a container daemon.
pub(super) fn sockets() -> Vec<PathBuf> {
    let (folder, start) = LAUNCHD;
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let of_launchd = entries.filter(|entry| {
        let name = entry.file_name();
        name.to_str().is_some_and(|name| name.starts_with(start))
    });
    let of_launchd = of_launchd.map(|entry| entry.path());
    of_launchd.chain([PathBuf::from(DOCKER)]).collect()
}

impl Walls {
    /// Walls within which `grants` are written, and everything but `hidden` is read.
    pub(super) fn build(plan: Plan) -> Result<Self, Fault> {
        // Without it git deletes no reference; to pack them it would have to write another file.
        let lock = |git: &PathBuf| git.join("packed-refs.lock");
        let locks: Vec<PathBuf> = plan.space.locking.iter().map(lock).collect();
        let seatbelt = Seatbelt {
            grants: &[plan.grants, locks].concat(),
            hidden: &plan.hidden,
            covered: &plan.space.covered,
            kept: &plan.space.kept,
            offline: plan.space.offline,
            ports: plan.ports.as_deref(),
        };
        let (profile, parameters) = seatbelt.profile();
        Ok(Self {
            profile,
            parameters,
        })
    }

    /// Nobody takes these upon himself: the command is led through who does.
    pub(super) fn take(&self, command: Command) -> io::Result<Command> {
        self.lead(command, None).map(|(led, _)| led)
    }

    /// No thread takes these.
    pub(super) fn are_of_a_thread(&self) -> bool {
        false
    }

    /// The command, led through the system's program, which takes the walls upon itself.
    pub(super) fn lead(&self, command: Command, _: Option<Limits>) -> io::Result<(Command, bool)> {
        let mut led = Command::new(SANDBOX);
        for Parameter { name, path } in &self.parameters {
            let mut definition = OsString::from(name);
            definition.push("=");
            definition.push(path);
            led.arg("-D").arg(definition);
        }
        led.arg("-p").arg(OsStr::new(&self.profile));
        Ok((through(led, &command), true))
    }

    /// The command was led: it starts like any other.
    pub(super) fn spawn(&self, command: &mut Command) -> io::Result<Child> {
        command.spawn()
    }
}
