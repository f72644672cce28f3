//! What the command line of `output-filter` says.

use super::{shell, show, stats};
use clap::{Parser, Subcommand};
use std::ffi::OsString;

/// Makes long output short: the result, every failing test, and a log with all of it
///
/// As a pipe: CMD | output-filter. As a wrapper, which keeps the exit status: output-filter -- CMD.
#[derive(Parser)]
#[command(
    name = "output-filter",
    version,
    args_conflicts_with_subcommands = true
)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) mode: Option<Mode>,
    /// The tool's name, to be shown; the output itself decides how it is read
    #[arg(long)]
    pub(crate) tool: Option<String>,
    /// Prints one JSON object instead of text
    #[arg(long)]
    pub(crate) json: bool,
    /// The same as `stats`, for scripts that say it so
    #[arg(long, hide = true)]
    pub(crate) stats: bool,
    /// The command to run
    #[arg(last = true)]
    pub(crate) command: Vec<OsString>,
}

#[derive(Subcommand)]
pub(crate) enum Mode {
    /// Runs the command string of a client's shell
    Shell(shell::Args),
    /// Answers Claude Code's `PostToolUse` and `PostToolUseFailure` events
    Hook,
    /// Shows parts of a log
    Show(show::Args),
    /// Shows what was saved so far
    Stats(stats::Args),
    /// Reads a command's output; started by the filter itself
    #[command(hide = true)]
    Keep { task: String },
}
