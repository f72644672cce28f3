//! What tells one clone from another.

use crate::files::{self, Content};
use crate::random;
use overnight_base::code::Code;
use overnight_base::fault::Fault;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// The clone's own name, made once. It is bound to the folder that it stands in: a copy of the
/// clone is another clone.
pub(super) fn name(root: &Path) -> Result<String, Fault> {
    const BYTES_MAX: u64 = 256;
    files::create_private_folder(root)?;
    let path = root.join("instance");
    let about = std::fs::metadata(root).map_err(|error| failed(root, &error))?;
    let bound = format!(" {}:{}\n", about.dev(), about.ino());
    let read = || -> Result<Option<String>, Fault> {
        Ok(match files::read_bounded(&path, BYTES_MAX)? {
            Content::Bytes(bytes) => String::from_utf8(bytes)
                .ok()
                .and_then(|text| text.strip_suffix(&bound).map(str::to_owned)),
            Content::Missing | Content::Refused(_) => None,
        })
    };
    if let Some(name) = read()? {
        return Ok(name);
    }
    let Some(_lock) = files::FileLock::acquire(&root.join("instance.lock"), super::WAIT_MAX)?
    else {
        return Err(Fault::new(
            Code::LockWait,
            "the clone is being named by another process",
        ));
    };
    if let Some(name) = read()? {
        return Ok(name);
    }
    let name = random::hex::<16>()?;
    files::replace(&path, format!("{name}{bound}").as_bytes(), files::PRIVATE)?;
    Ok(name)
}

fn failed(path: &Path, error: &std::io::Error) -> Fault {
    Fault::new(Code::FileRead, format!("{}: {error}", path.display()))
}
