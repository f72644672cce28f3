//! `output-filter`: a long output becomes its digest and a log.

mod hook;
mod keep;
mod pipe;
mod settings;
mod shell;
mod show;
mod stats;
mod wrapper;

use clap::{Parser, Subcommand};
use overnight_host::cli;
use std::ffi::OsString;
use std::process::ExitCode;

/// Makes long output short: the result, every failing test, and a log with all of it
///
/// As a pipe: CMD | output-filter. As a wrapper, which keeps the exit status: output-filter -- CMD.
#[derive(Parser)]
#[command(version, args_conflicts_with_subcommands = true)]
struct Args {
    #[command(subcommand)]
    mode: Option<Mode>,
    /// The tool's name, to be shown; the output itself decides how it is read
    #[arg(long)]
    tool: Option<String>,
    /// Prints one JSON object instead of text
    #[arg(long)]
    json: bool,
    /// Shows what was saved so far
    #[arg(long)]
    stats: bool,
    /// The command to run
    #[arg(last = true)]
    command: Vec<OsString>,
}

#[derive(Subcommand)]
enum Mode {
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

fn main() -> ExitCode {
    cli::main(|args: Args| match args.mode {
        Some(Mode::Shell(args)) => Ok(shell::run(&args)),
        Some(Mode::Hook) => hook::run(),
        Some(Mode::Show(args)) => show::run(&args),
        Some(Mode::Stats(args)) => stats::run(args.json),
        Some(Mode::Keep { task }) => keep::run(&task),
        None if args.stats => stats::run(args.json),
        None if args.command.is_empty() => pipe::run(args.tool, args.json),
        None => wrapper::run(&args.command, args.tool, args.json),
    })
}
