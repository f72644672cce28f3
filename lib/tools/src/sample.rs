//! What sampling tests needs from the world: lists, listers, changed files, kept records.

pub mod cache;
pub mod copy;
pub mod files;
pub mod kept;
pub mod lister;
pub mod runners;

use overnight_base::code::Code;
use overnight_base::fault::Fault;
use overnight_sample::ring::LIST_BYTES_MAX;
use std::io::{IsTerminal, Read};

/// Reads the list on stdin, up to its bound.
pub fn read_stdin() -> Result<Vec<u8>, Fault> {
    let stdin = std::io::stdin().lock();
    if stdin.is_terminal() {
        return Err(
            Fault::new(Code::SampleEmpty, "stdin is a terminal, not a list of ids")
                .hint("pipe a lister into it, name it behind --, or give --root DIR"),
        );
    }
    read_list(stdin)
}

/// Reads a list up to its bound; one byte more makes it a fault there.
pub fn read_list(source: impl Read) -> Result<Vec<u8>, Fault> {
    let mut bytes = Vec::new();
    source
        .take(LIST_BYTES_MAX as u64 + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| Fault::new(Code::FileRead, format!("cannot read the list: {error}")))?;
    Ok(bytes)
}
