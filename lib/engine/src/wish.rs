//! A person's wish, left beside a journal that another process may be writing: by the Stop hook of a
//! session that runs a gate, or by a driver. Whoever writes the journal takes it in.

use crate::files::{self, Content};
use crate::journal::Journal;
use overnight_base::code::Code;
use overnight_base::fault::Fault;
use overnight_run::hold::Wish;
use overnight_run::pausing;
use std::io::ErrorKind;
use std::path::Path;

/// Its name in the run's folder. The newest counts.
const FILE: &str = "wish";
/// It is one word.
const BYTES_MAX: u64 = 64;

/// Leaves a wish.
pub(crate) fn leave(folder: &Path, wish: Wish) -> Result<(), Fault> {
    files::write_atomic(&folder.join(FILE), wish.word().as_bytes(), files::PRIVATE)
}

/// Takes a wish in, if there is one. It is journaled before it is removed: whoever dies in between
/// leaves it to be granted once more, which changes nothing.
pub(crate) fn hear(journal: &mut Journal, folder: &Path) -> Result<(), Fault> {
    let path = folder.join(FILE);
    let Content::Bytes(bytes) = files::read_bounded(&path, BYTES_MAX)? else {
        return Ok(());
    };
    let wish = Wish::of(&String::from_utf8_lossy(&bytes));
    if let Some(event) = wish.and_then(|wish| pausing::grant(journal.state(), wish)) {
        journal.append(event)?;
    }
    match std::fs::remove_file(&path) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(Fault::new(
            Code::FileWrite,
            format!("{}: {error}", path.display()),
        )),
        _ => Ok(()),
    }
}
