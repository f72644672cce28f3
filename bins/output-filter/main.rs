//! `output-filter`: a long output becomes its digest and a log.

mod args;
mod hook;
mod keep;
mod pipe;
mod settings;
mod shell;
mod show;
mod stats;
mod wrapper;

use args::{Args, Mode};
use overnight_host::cli;
use overnight_host::cli::Words;
use std::process::ExitCode;

pub(super) fn main(words: Words) -> ExitCode {
    cli::main(words, |args: Args| match args.mode {
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
