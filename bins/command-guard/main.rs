//! `command-guard`: allow what is proven safe, ask for the rest, deny what is forbidden.

mod hook;

use clap::{Parser, Subcommand};
use overnight_host::cli;
use std::process::ExitCode;

/// Judges what an agent is about to run
#[derive(Parser)]
#[command(version)]
struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Answers Claude Code before a tool runs: one event as JSON on stdin, one answer on stdout
    Hook,
}

fn main() -> ExitCode {
    cli::main(|args: Args| match args.command {
        Command::Hook => Ok(hook::run()),
    })
}
