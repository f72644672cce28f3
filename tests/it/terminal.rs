//! Programs run on a terminal of their own, as a person would.

use rustix::io::{FdFlags, fcntl_setfd};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use std::fs::{File, OpenOptions};
use std::io::{Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::process::{Child, Command};

/// Runs the command with a terminal on stdin, stdout and stderr; gives its status and everything
/// that it printed.
pub(crate) fn run(command: &mut Command) -> (i32, String) {
    run_typing(command, "")
}

/// Starts the command with such a terminal; gives the end at which a person types and reads.
pub(crate) fn start(command: &mut Command) -> (Child, File) {
    let control = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    // The program must not hold the end that closes its terminal.
    fcntl_setfd(&control, FdFlags::CLOEXEC).unwrap();
    grantpt(&control).unwrap();
    unlockpt(&control).unwrap();
    let name = ptsname(&control, Vec::new())
        .unwrap()
        .into_string()
        .unwrap();
    let no_control = i32::try_from(OpenptFlags::NOCTTY.bits()).unwrap();
    let mut options = OpenOptions::new();
    options.read(true).write(true).custom_flags(no_control);
    let open = || options.open(&name).unwrap();
    let child = command
        .stdin(open())
        .stdout(open())
        .stderr(open())
        .spawn()
        .unwrap();
    // The terminal's last writer closing it reads as an error on Linux.
    command
        .stdin(std::process::Stdio::null())
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::null());
    (child, File::from(control))
}

/// The same with a person who types this at once.
pub(crate) fn run_typing(command: &mut Command, typed: &str) -> (i32, String) {
    let (mut child, mut reader) = start(command);
    let mut printed = Vec::new();
    reader.write_all(typed.as_bytes()).unwrap();
    let mut buffer = [0; 4096];
    while let Ok(count @ 1..) = reader.read(&mut buffer) {
        printed.extend_from_slice(&buffer[..count]);
    }
    let status = child.wait().unwrap().code().unwrap_or(-1);
    (
        status,
        String::from_utf8_lossy(&printed).replace("\r\n", "\n"),
    )
}
