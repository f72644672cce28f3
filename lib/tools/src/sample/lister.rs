//! Runs a lister and sees when it fails.

use super::cache::{self, Listing};
use overnight_base::code::Code;
use overnight_base::fault::Fault;
use overnight_host::clock;
use std::ffi::OsString;
use std::io::ErrorKind;
use std::path::Path;
use std::process::{Command, Stdio};

/// The lister's output: kept from an earlier run when no file of the project has changed since
/// (and `cached` allows it), else from running it now.
pub fn list(command: &[OsString], folder: &Path, cached: bool) -> Result<Listing, Fault> {
    let kept = if cached {
        cache::Slot::of(command, folder)?
    } else {
        None
    };
    if let Some(listing) = kept.as_ref().and_then(cache::Slot::read) {
        return Ok(listing);
    }
    let listing = run(command, folder)?;
    if let Some(slot) = kept {
        slot.write(&listing);
    }
    Ok(listing)
}

fn run(command: &[OsString], folder: &Path) -> Result<Listing, Fault> {
    let Some((program, arguments)) = command.split_first() else {
        return Err(Fault::new(Code::InputInvalid, "no lister is named"));
    };
    let shown = program.to_string_lossy();
    let started = clock::mono_ms();
    let mut child = Command::new(program)
        .args(arguments)
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|error| {
            let why = match error.kind() {
                ErrorKind::NotFound => "is not on the PATH".to_owned(),
                _ => error.to_string(),
            };
            Fault::new(Code::SampleLister, format!("{shown} {why}"))
        })?;
    let bytes = match child.stdout.take() {
        Some(stdout) => super::read_list(stdout),
        None => Ok(Vec::new()),
    };
    let status = child
        .wait()
        .map_err(|error| Fault::new(Code::SampleLister, format!("{shown}: {error}")))?;
    if !status.success() {
        let reason = format!("{shown} ended with {status}");
        return Err(Fault::new(Code::SampleLister, reason).with("status", status.code()));
    }
    Ok(Listing {
        bytes: bytes?,
        millis: clock::mono_ms().saturating_sub(started),
        fresh: true,
    })
}
