//! `overnight`: the driver, and what a person asks about its runs.

use clap::{Parser, Subcommand};
use overnight_host::cli;
use std::process::ExitCode;

mod play;
mod replay;
mod run;

/// Leaves Claude Code at work alone, and tells in the morning what happened
#[derive(Parser)]
#[command(version)]
struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Run(run::Args),
    Replay(replay::Args),
    ScriptedAgent(play::Args),
}

fn main() -> ExitCode {
    cli::main(|args: Args| match args.command {
        Command::Run(args) => run::run(&args),
        Command::Replay(args) => replay::run(&args),
        Command::ScriptedAgent(args) => play::run(&args),
    })
}
