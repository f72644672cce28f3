//! `with-timeout`: runs a command with a deadline; its whole process group ends with it.

use clap::Parser;
use overnight_base::code::Code;
use overnight_base::duration;
use overnight_base::fault::Fault;
use overnight_host::cli::Words;
use overnight_host::{child, cli, deadline};
use std::ffi::OsString;
use std::process::{Command, ExitCode};
use std::time::Duration;

/// Runs a command with a deadline: at its end the whole process group gets TERM, then KILL
///
/// Exits with 124 when the deadline passed, else as the command did.
#[derive(Parser)]
#[command(name = "with-timeout", version)]
struct Args {
    /// How long the group may take after TERM before it gets KILL
    #[arg(long, value_parser = duration::parse, default_value = "5s")]
    grace: Duration,
    /// How long the command may run: 90s, 30m, 1h or bare seconds; 0 is no deadline
    #[arg(value_parser = duration::parse)]
    duration: Duration,
    /// The command and its arguments
    #[arg(required = true, trailing_var_arg = true, allow_hyphen_values = true)]
    command: Vec<OsString>,
}

pub(super) fn main(words: Words) -> ExitCode {
    cli::main(words, |args: Args| {
        let (program, arguments) = args.command.split_first().ok_or_else(child::no_command)?;
        let deadline = (!args.duration.is_zero()).then_some(args.duration);
        let mut command = Command::new(program);
        command.args(arguments);
        match deadline::run(&mut command, deadline, args.grace) {
            Err(error) => Ok(child::not_started(program, &error)),
            Ok(ended) if ended.timed_out => Err(late(program, args.duration)),
            Ok(ended) => Ok(child::end_as(ended.status)),
        }
    })
}

fn late(program: &OsString, deadline: Duration) -> Fault {
    let name = program.to_string_lossy();
    let limit = duration::show(deadline);
    Fault::new(
        Code::CommandTimeout,
        format!("{name:?} ran longer than {limit}"),
    )
}
