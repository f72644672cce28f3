//! A system whose kernel gives no walls to who has no privileges.

use super::plan::Plan;
use overnight_base::code::Code;
use overnight_base::fault::Fault;
use overnight_run::cell::{Level, Limits};
use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use std::process::{Child, Command, ExitCode};

/// Never made here.
#[derive(Debug)]
pub(super) enum Walls {}

/// None.
pub(super) const STACK: bool = false;

/// None.
pub(super) fn level() -> Level {
    Level::Landlock(0)
}

/// None.
pub(super) fn has_namespaces() -> bool {
    false
}

/// No.
pub(super) fn keeps_limits() -> bool {
    false
}

/// None.
pub(super) fn has_networks() -> bool {
    false
}

/// Nobody asks.
pub fn asked(_: &[OsString]) -> Option<ExitCode> {
    None
}

/// None that would have to be covered.
pub(super) fn sockets() -> Vec<PathBuf> {
    Vec::new()
}

impl Walls {
    /// There are none.
    #[expect(
        clippy::needless_pass_by_value,
        reason = "where walls are made, it goes into them"
    )]
    pub(super) fn build(plan: Plan) -> Result<Self, Fault> {
        Err(Fault::new(
            Code::CellMissing,
            Level::Landlock(plan.abi).to_string(),
        ))
    }

    /// Nobody has walls to take upon himself.
    pub(super) fn take(&self, _: Command) -> io::Result<Command> {
        match *self {}
    }

    /// No thread takes any.
    pub(super) fn are_of_a_thread(&self) -> bool {
        match *self {}
    }

    /// Nobody has walls to lead through.
    pub(super) fn lead(&self, _: Command, _: Option<Limits>) -> io::Result<(Command, bool)> {
        match *self {}
    }

    /// Nobody has walls to start anything in.
    pub(super) fn spawn(&self, _: &mut Command) -> io::Result<Child> {
        match *self {}
    }
}
