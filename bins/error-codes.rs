//! `error-codes`: lists and explains the stable error codes.

use clap::{Parser, Subcommand};
use overnight_core::code::Code;
use overnight_core::exit::Exit;
use overnight_core::fault::Fault;
use overnight_host::cli;
use serde_json::json;
use std::process::ExitCode;

/// Lists and explains the error codes that Overnight's programs print
#[derive(Parser)]
#[command(version)]
struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Lists every code with its meaning
    List {
        /// Prints a JSON array
        #[arg(long)]
        json: bool,
    },
    /// Explains one code: meaning, remedy, exit status
    Explain {
        /// The code, for example E2004
        code: String,
        /// Prints a JSON object
        #[arg(long)]
        json: bool,
    },
}

fn main() -> ExitCode {
    cli::main(|args: Args| match args.command {
        Command::List { json } => list(json),
        Command::Explain { code, json } => explain(&code, json),
    })
}

fn list(json: bool) -> Result<Exit, Fault> {
    if json {
        cli::print_json(&Code::ALL.iter().copied().map(describe).collect())?;
    } else {
        let lines = Code::ALL
            .iter()
            .map(|code| format!("{}  {:<24} {}\n", code.id(), code.name(), code.meaning()));
        cli::print(&lines.collect::<String>())?;
    }
    Ok(Exit::Yes)
}

fn explain(id: &str, json: bool) -> Result<Exit, Fault> {
    let code = Code::parse(id).ok_or_else(|| {
        Fault::new(Code::InputInvalid, format!("{id:?} is no error code"))
            .hint("error-codes list shows them all")
    })?;
    if json {
        cli::print_json(&describe(code))?;
    } else {
        let (id, name, exit) = (code.id(), code.name(), code.exit().status());
        cli::print(&format!(
            "{id}: {name}\n\n{}\nWhat to do: {}.\nExit status: {exit}\n",
            code.meaning(),
            code.hint()
        ))?;
    }
    Ok(Exit::Yes)
}

fn describe(code: Code) -> serde_json::Value {
    json!({"code": code.id(), "name": code.name(), "meaning": code.meaning(), "hint": code.hint(), "exit": code.exit().status()})
}
