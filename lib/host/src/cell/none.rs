//! A system whose kernel gives no walls to who has no privileges.

use overnight_base::code::Code;
use overnight_base::fault::Fault;
use overnight_run::cell::{Grant, Level};
use std::io;
use std::path::PathBuf;
use std::process::{Child, Command};

/// Never made here.
#[derive(Debug)]
pub(super) enum Walls {}

/// None.
pub(super) fn version() -> u32 {
    0
}

/// Nothing that could be walled in.
pub(super) fn children(_: &std::path::Path) -> Vec<PathBuf> {
    Vec::new()
}

impl Walls {
    /// There are none.
    pub(super) fn build(level: Level, _: &[Grant], _: &[PathBuf]) -> Result<Self, Fault> {
        Err(Fault::new(Code::CellMissing, level.to_string()))
    }

    /// Nobody has walls to take upon himself.
    pub(super) fn enter(&self) -> io::Result<()> {
        match *self {}
    }

    /// Nobody has walls to start anything in.
    pub(super) fn spawn(&self, _: &mut Command) -> io::Result<Child> {
        match *self {}
    }
}
