//! `overnight`: the driver, and what a person asks about its runs.

use clap::{Parser, Subcommand};
use overnight_host::cli;
use std::process::ExitCode;

mod approve;
mod asks;
mod completions;
mod demo;
mod plan;
mod play;
mod replay;
mod resume;
mod run;
mod stop;
mod tasks;
mod trust;

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
    Demo(demo::Args),
    Resume(resume::Args),
    Stop(stop::Args),
    Replay(replay::Args),
    Asks(asks::Args),
    Approve(approve::Approve),
    Deny(approve::Deny),
    Plan(plan::Args),
    Tasks(tasks::Args),
    Trust(trust::Args),
    Completions(completions::Args),
    ScriptedAgent(play::Args),
}

fn main() -> ExitCode {
    cli::main(|args: Args| match args.command {
        Command::Run(args) => run::run(&args),
        Command::Demo(args) => demo::run(&args),
        Command::Resume(args) => resume::run(args),
        Command::Stop(args) => stop::run(&args),
        Command::Replay(args) => replay::run(&args),
        Command::Asks(args) => asks::run(&args),
        Command::Approve(args) => approve::approve(&args),
        Command::Deny(args) => approve::deny(&args),
        Command::Plan(args) => plan::run(&args),
        Command::Tasks(args) => tasks::run(&args),
        Command::Trust(args) => trust::run(&args),
        Command::Completions(args) => completions::run::<Args>(&args),
        Command::ScriptedAgent(args) => play::run(&args),
    })
}
