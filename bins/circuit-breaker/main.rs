//! `circuit-breaker`: records iterations, classifies failures, says whether to go on.

mod classify;
mod record;

use clap::{Parser, Subcommand};
use overnight_host::cli;
use overnight_host::cli::Words;
use std::process::ExitCode;

/// Stops a loop that gets nowhere, and says what went wrong. Exits with 0 when the next iteration
/// may start, with 1 when the breaker is open
#[derive(Parser)]
#[command(name = "circuit-breaker", version)]
struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Records one iteration and says whether the next may start
    Record(record::Record),
    /// Says what went wrong, from what a client left behind; prints one JSON object
    Classify(classify::Args),
    /// Says whether the next iteration may start
    Status(record::Target),
    /// Closes the breaker
    Reset(record::Target),
}

pub(super) fn main(words: Words) -> ExitCode {
    cli::main(words, |args: Args| match args.command {
        Command::Record(args) => record::record(&args),
        Command::Classify(args) => classify::run(&args),
        Command::Status(args) => record::status(&args),
        Command::Reset(args) => record::reset(&args),
    })
}
