//! The edge of every binary: parse arguments, run, print the outcome, choose the exit status.

use crate::failsafe;
use clap::Parser;
use clap::error::ErrorKind;
use overnight_base::code::Code;
use overnight_base::exit::Exit;
use overnight_base::fault::Fault;
use std::ffi::OsString;
use std::io::{ErrorKind as IoErrorKind, Write};
use std::process::ExitCode;

/// What a program was called with: its name, then its arguments.
pub type Words = Vec<OsString>;

/// Runs a program: its `main` is one call of this.
///
/// A usage error exits with 64 (clap's own 2 means "block" to Claude Code). A fault is printed as
/// one line on stderr, or, when `--json` is among the arguments, as a JSON object on stdout. What
/// stands behind `--` is another command's.
pub fn main<A: Parser>(arguments: Words, run: impl FnOnce(A) -> Result<Exit, Fault>) -> ExitCode {
    failsafe::end_on_panic();
    #[cfg(feature = "pages")]
    if let Some(folder) = crate::pages::asked(&arguments) {
        let written = crate::pages::write::<A>(&folder);
        return written.map_or(ExitCode::FAILURE, |()| ExitCode::SUCCESS);
    }
    let mut own = arguments.iter().take_while(|argument| *argument != "--");
    let json = own.any(|argument| argument == "--json");
    let outcome = match A::try_parse_from(arguments) {
        Ok(parsed) => run(parsed),
        Err(error)
            if matches!(
                error.kind(),
                ErrorKind::DisplayHelp | ErrorKind::DisplayVersion
            ) =>
        {
            print(&error.to_string()).map(|()| Exit::Yes)
        }
        Err(error) => Err(usage(&error)),
    };
    ended(outcome, json)
}

/// Runs a program that takes no argument and is started so often that the time to get ready for
/// arguments counts.
pub fn bare(run: impl FnOnce() -> Result<Exit, Fault>) -> ExitCode {
    failsafe::end_on_panic();
    ended(run(), false)
}

fn ended(outcome: Result<Exit, Fault>, json: bool) -> ExitCode {
    ExitCode::from(match outcome {
        Ok(exit) => exit.status(),
        Err(fault) => {
            report(&fault, json);
            fault.exit().status()
        }
    })
}

/// Prints text on stdout. A reader that went away (`| head`) is no error.
pub fn print(text: &str) -> Result<(), Fault> {
    let mut stdout = std::io::stdout().lock();
    match stdout
        .write_all(text.as_bytes())
        .and_then(|()| stdout.flush())
    {
        Err(error) if error.kind() != IoErrorKind::BrokenPipe => Err(Fault::new(
            Code::FileWrite,
            format!("cannot write to stdout: {error}"),
        )),
        _ => Ok(()),
    }
}

/// Prints one JSON value and a newline on stdout.
pub fn print_json(value: &serde_json::Value) -> Result<(), Fault> {
    print(&format!("{value}\n"))
}

/// Prints one line on stderr; a closed stderr is no error.
pub fn note(line: &str) {
    let _ = writeln!(std::io::stderr().lock(), "{line}");
}

/// Writes a line over the last one on stderr, which is a terminal; an empty one clears it.
pub fn rewrite(line: &str) {
    let _ = write!(std::io::stderr().lock(), "\r\u{1b}[K{line}");
}

/// Reports a fault: one line on stderr, or its JSON form on stdout.
pub fn report(fault: &Fault, json: bool) {
    if !(json && print_json(&fault.to_json()).is_ok()) {
        note(&fault.to_string());
    }
}

/// What clap says on several lines (what is missing, a tip) as one, without its usage block.
fn usage(error: &clap::Error) -> Fault {
    let text = error.render().to_string();
    let said = text
        .lines()
        .take_while(|line| !line.starts_with("Usage:") && !line.starts_with("For more"))
        .map(str::trim)
        .filter(|line| !line.is_empty());
    let reason = said.collect::<Vec<_>>().join(" ").replace(" tip: ", "; ");
    Fault::new(Code::InputInvalid, reason.trim_start_matches("error: "))
}
