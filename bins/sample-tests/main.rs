//! `sample-tests`: a tenth of the tests, the same for each agent, everything within ten turns.

mod draw;
mod options;
mod output;

use clap::Parser;
use options::{Listed, Options};
use overnight_host::cli;
use std::process::ExitCode;

/// Draws a deterministic sample of test ids: the same for each agent, everything within 1/rate turns
///
/// Ids come from stdin, from files below --root, or from a lister named behind `--`; the chosen ids
/// go to stdout in the order of the list, the plan to stderr.
#[derive(Parser)]
#[command(version)]
struct Args {
    #[command(flatten)]
    options: Options,
    #[command(flatten)]
    listed: Listed,
}

fn main() -> ExitCode {
    cli::main(|args: Args| draw::run(&args.options, &args.listed))
}
