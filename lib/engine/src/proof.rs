//! The proof room: a claim is tried in a clean work tree of exactly the claimed commit, with the files
//! that decide as they stood when the run began. `overnight_judge::proof` decides what that means.

mod alone;
mod answers;
mod begun;
mod bisect;
mod blanks;
mod built;
mod demands;
pub mod dusk;
mod expectations;
mod faults;
mod fresh;
mod hunks;
pub mod ignored;
pub mod leftovers;
mod notes;
mod objects;
mod outside;
mod own;
pub mod programs;
mod prove;
mod reading;
pub mod receipt;
mod room;
pub mod setup;
mod special;
mod trial;
mod written;

pub use prove::{Claim, Prover};
pub(crate) use reading::{Reading, change};

use crate::homes;
use crate::state::Place;
use overnight_base::session::hex;
use sha2::{Digest, Sha256};
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

/// Where rooms and dusk's ignored files are: outside the project, since runners and interpreters look
/// for configuration upwards, and outside the git folder, which test runners pass over.
pub(crate) fn folder(place: &Place) -> PathBuf {
    homes::outside(place, "rooms").map_or_else(
        || {
            // No home outside the project: the folder for temporary files is one.
            let key = hex(&Sha256::digest(place.state.as_os_str().as_bytes())[..8]);
            std::env::temp_dir().join(format!("overnight-rooms-{key}"))
        },
        |rooms| rooms.join(homes::repository_key(place)),
    )
}
