//! A work tree without git, as a list of its files.

use super::OWN;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// Files looked at; a larger folder is hashed by its first ones.
const FILES_MAX: usize = 200_000;

/// Each file with its size and time, NUL behind both.
pub(super) fn of(top: &Path) -> Vec<u8> {
    let own = |entry: &walkdir::DirEntry| {
        entry.depth() == 1
            && OWN
                .iter()
                .chain(&[".overnight"])
                .any(|own| entry.file_name() == *own)
    };
    let walk = walkdir::WalkDir::new(top).sort_by_file_name().into_iter();
    let mut listing = Vec::new();
    for entry in walk
        .filter_entry(|entry| !own(entry))
        .flatten()
        .take(FILES_MAX)
    {
        let path = entry.path().strip_prefix(top);
        let file = entry.metadata().ok().filter(std::fs::Metadata::is_file);
        if let (Ok(path), Some(about)) = (path, file) {
            let content = format!("{} {}.{}", about.len(), about.mtime(), about.mtime_nsec());
            for part in [path.as_os_str().as_bytes(), content.as_bytes()] {
                listing.extend_from_slice(part);
                listing.push(0);
            }
        }
    }
    listing
}
