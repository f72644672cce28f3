//! `overnight`: the driver, and what a person asks about its runs.

use clap::Parser;
use overnight_host::{cell, cli};
use std::process::ExitCode;

mod approve;
mod asks;
mod command;
mod completions;
mod demo;
mod doctor;
mod fleet;
mod help;
mod init;
mod join;
mod links;
mod logs;
mod member;
mod notify;
mod options;
mod pause;
mod plan;
mod play;
mod programs;
mod rehearse;
mod replay;
mod report;
mod resume;
mod review;
mod run;
mod stats;
mod status;
mod statusline;
mod stop;
mod switch;
mod tasks;
mod tell;
mod trace;
mod trust;
mod undo;
mod verify;
mod watch;
mod why;

/// Leaves Claude Code at work alone, and tells in the morning what happened
#[derive(Parser)]
#[command(name = "overnight", version, help_template = help::template())]
struct Args {
    #[command(subcommand)]
    command: command::Command,
}

/// What every name of the program starts with: answers the words that it was called with.
pub fn main() -> ExitCode {
    let words: cli::Words = std::env::args_os().collect();
    if let Some(status) = cell::asked(&words) {
        return status;
    }
    programs::start(words).unwrap_or_else(|words| cli::main(words, |args: Args| args.command.run()))
}
