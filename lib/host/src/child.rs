//! How a wrapper ends: as its child did.

use crate::{cli, relay};
use overnight_base::code::Code;
use overnight_base::exit::Exit;
use overnight_base::fault::Fault;
use std::ffi::OsStr;
use std::io::ErrorKind;
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;

/// The status to end with after a child: its own, or death by the signal that ended it.
pub fn end_as(status: ExitStatus) -> Exit {
    if let Some(signal) = status.signal() {
        relay::die_by(signal);
        return Exit::Signal(u8::try_from(signal).unwrap_or(0));
    }
    Exit::Child(number(status))
}

/// The child's status as a shell shows it: its own, or 128 and the signal.
pub fn number(status: ExitStatus) -> u8 {
    let number = status
        .code()
        .or_else(|| status.signal().map(|signal| 128 + signal));
    u8::try_from(number.unwrap_or(255)).unwrap_or(255)
}

/// Says that a command could not be started. The status is the one that POSIX gives to utilities
/// that start others: 127 when it is not there, 126 when it cannot be run.
pub fn not_started(program: &OsStr, error: &std::io::Error) -> Exit {
    let reason = format!("{:?}: {error}", program.to_string_lossy());
    cli::note(&Fault::new(Code::CommandStart, reason).to_string());
    Exit::Child(match error.kind() {
        ErrorKind::NotFound => 127,
        _ => 126,
    })
}

/// The fault of a command line that names no command.
pub fn no_command() -> Fault {
    Fault::new(Code::InputInvalid, "no command given")
}
