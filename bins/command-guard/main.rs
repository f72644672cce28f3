//! `command-guard`: allow what is proven safe, ask for the rest, deny what is forbidden.

mod check;
mod hook;

use clap::{Parser, Subcommand};
use overnight_host::cli;
use overnight_host::cli::Words;
use std::process::ExitCode;

/// Judges what an agent is about to run
#[derive(Parser)]
#[command(name = "command-guard", version)]
struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Answers Claude Code before a tool runs: one event as JSON on stdin, one answer on stdout
    Hook,
    /// Says what the guard thinks of a command: exit 0 allow, 1 ask, 2 deny
    Check(check::Check),
}

pub(super) fn main(words: Words) -> ExitCode {
    // Before each tool call of every session.
    if matches!(words.as_slice(), [_, only] if only == "hook") {
        return cli::bare(|| Ok(hook::run()));
    }
    cli::main(words, |args: Args| match args.command {
        Command::Hook => Ok(hook::run()),
        Command::Check(check) => check::run(&check),
    })
}
