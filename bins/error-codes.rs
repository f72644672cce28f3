//! `error-codes`: lists and explains the stable error codes.

use clap::{Parser, Subcommand};
use overnight_base::code::{self, Code};
use overnight_base::exit::Exit;
use overnight_base::fault::Fault;
use overnight_host::cli;
use overnight_host::cli::Words;
use std::process::ExitCode;

/// Lists and explains the error codes that Overnight's programs print
#[derive(Parser)]
#[command(name = "error-codes", version)]
struct Args {
    #[command(subcommand)]
    command: Command,
    /// Prints JSON
    #[arg(long, global = true)]
    json: bool,
}

#[derive(Subcommand)]
enum Command {
    /// Lists every code with its meaning
    List,
    /// Explains one code: meaning, remedy, exit status
    Explain {
        /// The code, for example E2004
        code: String,
    },
}

pub(super) fn main(words: Words) -> ExitCode {
    cli::main(words, |args: Args| {
        match (args.command, args.json) {
            (Command::List, false) => cli::print(&code::table())?,
            (Command::List, true) => cli::print_json(&code::all_to_json())?,
            (Command::Explain { code }, false) => cli::print(&code::explanation(find(&code)?))?,
            (Command::Explain { code }, true) => cli::print_json(&code::to_json(find(&code)?))?,
        }
        Ok(Exit::Yes)
    })
}

fn find(id: &str) -> Result<Code, Fault> {
    let unknown = || Fault::new(Code::InputInvalid, format!("{id:?} is no error code"));
    Code::parse(id).ok_or_else(|| unknown().hint("error-codes list shows them all"))
}
