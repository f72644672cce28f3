//! Lists of tests kept for as long as no file of the project changes.

use super::files::walk;
use overnight_base::fault::Fault;
use overnight_host::files::{Content, PRIVATE, read_bounded, write_atomic};
use overnight_host::state;
use overnight_sample::ring::hex;
use sha2::{Digest, Sha256};
use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// Projects with more are not looked through: listing is then likely to be the cheaper part.
const FILES_MAX: usize = 50_000;
/// Bytes of all files together that are read for one fingerprint.
const BYTES_MAX: u64 = 512 << 20;
/// Longest list that is kept.
const LIST_MAX: u64 = 64 << 20;
/// First word of a kept list: its format.
const FORMAT: &str = "overnight-list-1";

/// What a lister printed.
#[derive(Debug)]
pub struct Listing {
    /// Its stdout.
    pub bytes: Vec<u8>,
    /// Milliseconds it took when it ran.
    pub millis: u64,
    /// Did it run just now?
    pub fresh: bool,
}

impl Listing {
    /// Nanoseconds that it cost just now: a kept list costs none.
    pub fn nanos(&self) -> u64 {
        if self.fresh {
            self.millis.saturating_mul(1_000_000)
        } else {
            0
        }
    }
}

/// Where the list of one lister in one folder is kept, and for which state of the files.
#[derive(Debug)]
pub struct Slot {
    path: PathBuf,
    files: String,
}

impl Slot {
    /// The slot of a command; `None` when the project is too large to fingerprint.
    pub fn of(command: &[OsString], folder: &Path) -> Result<Option<Self>, Fault> {
        let place = state::locate(folder)?;
        let Some(files) = fingerprint(&place.top)? else {
            return Ok(None);
        };
        let mut hash = Sha256::new();
        for word in command {
            hash.update(word.as_bytes());
            hash.update([0]);
        }
        let inside = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
        let inside = inside.strip_prefix(&place.top).unwrap_or(&inside);
        hash.update(inside.as_os_str().as_bytes());
        let name = hex(&hash.finalize()[..8]);
        Ok(Some(Self {
            path: place.state.join("tests/lists").join(name),
            files,
        }))
    }

    /// The kept list, if it is of the same files.
    pub fn read(&self) -> Option<Listing> {
        let Ok(Content::Bytes(mut bytes)) = read_bounded(&self.path, LIST_MAX) else {
            return None;
        };
        let head_end = bytes.iter().position(|byte| *byte == b'\n')?;
        let head = std::str::from_utf8(&bytes[..head_end]).ok()?;
        let (head, millis) = head.rsplit_once(' ')?;
        let millis = millis.parse().ok()?;
        if head != format!("{FORMAT} {}", self.files) {
            return None;
        }
        bytes.drain(..=head_end);
        Some(Listing {
            bytes,
            millis,
            fresh: false,
        })
    }

    /// Keeps a list. A cache that cannot be written is no cache, and no error.
    pub fn write(&self, listing: &Listing) {
        let mut bytes = format!("{FORMAT} {} {}\n", self.files, listing.millis).into_bytes();
        bytes.extend_from_slice(&listing.bytes);
        if bytes.len() as u64 <= LIST_MAX {
            let _ = write_atomic(&self.path, &bytes, PRIVATE);
        }
    }
}

/// SHA-256 over the paths and contents of all files below `top` that git does not ignore.
fn fingerprint(top: &Path) -> Result<Option<String>, Fault> {
    let files = walk(top)?;
    if files.len() > FILES_MAX {
        return Ok(None);
    }
    let mut hash = Sha256::new();
    let mut left = BYTES_MAX;
    for file in files {
        let path = file.strip_prefix(top).unwrap_or(&file);
        let Content::Bytes(bytes) = read_bounded(&file, left)? else {
            return Ok(None);
        };
        let length = bytes.len() as u64;
        left -= length.min(left);
        hash.update((path.as_os_str().len() as u64).to_be_bytes());
        hash.update(path.as_os_str().as_bytes());
        hash.update(length.to_be_bytes());
        hash.update(&bytes);
    }
    Ok(Some(hex(&hash.finalize())))
}
