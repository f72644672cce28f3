//! A command whose output is kept in a file while it goes on to stdout.

use overnight_base::code::Code;
use overnight_base::fault::Fault;
use std::ffi::{OsStr, OsString};
use std::fs::OpenOptions;
use std::io::{Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};

/// Bytes that are kept: a hundred thousand tests print less.
const KEPT_MAX: u64 = 64 << 20;

/// Runs the command to its end and appends its output to `file`, up to its bound. The inner error
/// is that of a command that could not be started.
pub fn run(
    program: &OsStr,
    arguments: &[OsString],
    file: &Path,
) -> Result<Result<ExitStatus, std::io::Error>, Fault> {
    let fault =
        |error: std::io::Error| Fault::new(Code::FileWrite, format!("{}: {error}", file.display()));
    let mut kept = OpenOptions::new()
        .create(true)
        .append(true)
        .mode(0o600)
        .open(file)
        .map_err(fault)?;
    let spawned = Command::new(program)
        .args(arguments)
        .stdout(Stdio::piped())
        .spawn();
    let mut child = match spawned {
        Ok(child) => child,
        Err(error) => return Ok(Err(error)),
    };
    if let Some(mut output) = child.stdout.take() {
        let mut left = KEPT_MAX;
        let mut out = std::io::stdout().lock();
        let mut buffer = vec![0; 64 << 10];
        // Whoever reads our stdout may be gone; the command must not notice, so it is read on.
        while let Ok(count @ 1..) = output.read(&mut buffer) {
            let _ = out.write_all(&buffer[..count]).and_then(|()| out.flush());
            if left >= count as u64 && kept.write_all(&buffer[..count]).is_ok() {
                left -= count as u64;
            } else {
                left = 0;
            }
        }
    }
    Ok(child.wait())
}
