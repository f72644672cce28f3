//! The folder for what is made in a cell in passing.

use crate::{files, homes, random};
use overnight_base::code::Code;
use overnight_base::fault::Fault;
use std::path::{Path, PathBuf};

/// One; it goes with its owner, unless it lasts.
#[derive(Debug)]
pub(super) struct Temporary {
    /// Where it is.
    pub(super) path: PathBuf,
    lasts: bool,
}

impl Temporary {
    /// A new one. Its path is short: sockets have a path of at most 107 bytes.
    pub(super) fn new() -> Result<Self, Fault> {
        use std::os::unix::fs::DirBuilderExt;
        let name = format!("overnight-{}", random::hex::<4>()?);
        let path = homes::real(&std::env::temp_dir()).join(name);
        let made = std::fs::DirBuilder::new().mode(0o700).create(&path);
        made.map_err(|error| Fault::new(Code::FileWrite, format!("{}: {error}", path.display())))?;
        Ok(Self { path, lasts: false })
    }

    /// One that stays when its owner goes: that of before, or a new one.
    pub(super) fn lasting(before: Option<&Path>) -> Result<Self, Fault> {
        let mut folder = match before {
            Some(path) => {
                // A night is longer than some clean-ups of /tmp.
                files::create_private_folder(path)?;
                let path = path.to_owned();
                Self { path, lasts: true }
            }
            None => Self::new()?,
        };
        folder.lasts = true;
        Ok(folder)
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        if !self.lasts {
            let _ = std::fs::remove_dir_all(&self.path);
        }
    }
}
