//! A driver that outlives the terminal it was started from.

use crate::agent::own_program;
use crate::files;
use overnight_base::code::Code;
use overnight_base::fault::Fault;
use std::path::Path;
use std::process::{Command, Stdio};

/// Starts this program with these arguments in the background; what it says goes to `log`. Gives
/// its process id.
pub fn driver(arguments: &[String], log: &Path) -> Result<u32, Fault> {
    let out = files::open_log(log)?;
    let err = out
        .try_clone()
        .map_err(|error| Fault::new(Code::FileWrite, format!("{}: {error}", log.display())))?;
    let child = Command::new(own_program()?)
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(out)
        .stderr(err)
        .spawn();
    child.map(|child| child.id()).map_err(|error| {
        Fault::new(
            Code::CommandStart,
            format!("cannot start the driver: {error}"),
        )
    })
}

/// Gives this process a session of its own, so that closing the terminal does not end it. It has
/// one already when this fails.
pub fn leave_terminal() {
    let _ = rustix::process::setsid();
}
