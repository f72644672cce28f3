//! `sample-tests`: a tenth of the tests, the same for each agent, everything within ten turns.

mod draw;
mod options;
mod output;
mod pytest;
mod run;
mod tee;

use clap::{Parser, Subcommand};
use options::{Listed, Options};
use overnight_host::cli;
use overnight_host::cli::Words;
use std::process::ExitCode;

/// Draws a deterministic sample of test ids: the same for each agent, everything within 1/rate turns
///
/// Ids come from stdin, from files below --root, or from a lister named behind `--`; the chosen ids
/// go to stdout in the order of the list, the plan to stderr.
#[derive(Parser)]
#[command(name = "sample-tests", version, args_conflicts_with_subcommands = true)]
struct Args {
    #[command(subcommand)]
    command: Option<Verb>,
    #[command(flatten)]
    options: Options,
    #[command(flatten)]
    listed: Listed,
}

#[derive(Subcommand)]
enum Verb {
    Run(Box<run::Run>),
    #[command(hide = true)]
    Tee(tee::Tee),
}

pub(super) fn main(words: Words) -> ExitCode {
    cli::main(words, |args: Args| match args.command {
        Some(Verb::Run(arguments)) => run::run(&arguments),
        Some(Verb::Tee(arguments)) => tee::run(&arguments),
        None => draw::run(&args.options, &args.listed),
    })
}
