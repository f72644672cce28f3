//! `completion-check`: is the task done? Judges claims, declares them, reads exit signals.

mod declare;
mod judge;
mod signals;

use clap::{Parser, Subcommand};
use overnight_host::cli;
use overnight_host::cli::Words;
use std::process::ExitCode;

/// Judges whether a task is done: decision file first, then the marker in the final message, then
/// the gates. Exits with 0 for complete, 1 for incomplete
#[derive(Parser)]
#[command(name = "completion-check", version)]
struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Judges a decision file, a final message and gates; prints one JSON object
    Judge(judge::Args),
    /// Writes the decision file, with the check id and path that the driver set
    Declare(declare::Args),
    /// Judges exit signals: plan file, task list, loop records, verification; prints one JSON object
    Signals(signals::Args),
}

pub(super) fn main(words: Words) -> ExitCode {
    cli::main(words, |args: Args| match args.command {
        Command::Judge(args) => judge::run(&args),
        Command::Declare(args) => declare::run(&args),
        Command::Signals(args) => signals::run(&args),
    })
}
