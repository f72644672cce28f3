//! A driver that outlives the terminal it was started from.

use crate::agent::own_program;
use crate::files;
use overnight_core::code::Code;
use overnight_core::fault::Fault;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::process::{Command, Stdio};

/// Starts this program with these arguments in the background; what it says goes to `log`. Gives
/// its process id.
pub fn driver(arguments: &[String], log: &Path) -> Result<u32, Fault> {
    let fault =
        |error: std::io::Error| Fault::new(Code::FileWrite, format!("{}: {error}", log.display()));
    if let Some(folder) = log.parent() {
        files::create_private_folder(folder)?;
    }
    let out = std::fs::OpenOptions::new()
        .create(true)
        .append(true)
        .mode(files::PRIVATE)
        .open(log)
        .map_err(fault)?;
    let err = out.try_clone().map_err(fault)?;
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
