//! Files that only their tool may write, such as lock files: written by the person's command in a room.

use super::Prover;
use super::dusk;
use super::ignored::Store;
use super::room::Room;
use crate::files::{self, Content};
use crate::submodules;
use overnight_base::fault::Fault;
use std::path::Path;

/// A larger file is none that a merge writes.
const BYTES_MAX: u64 = 64 << 20;

impl Prover<'_> {
    /// What a command leaves of a file on a commit, without set-up, which reads such files; `None` where it
    /// fails or leaves no file.
    pub(crate) fn written(
        &self,
        commit: &str,
        command: &str,
        path: &Path,
    ) -> Result<Option<Vec<u8>>, Fault> {
        let room = Room::enter(self.place, commit)?;
        let store = Store::noted(self.home, &dusk::store(self.place, self.run))?;
        let bench = self.bench(&room)?;
        room.check_out(commit, &store.roots)?;
        store.provide(&room.top, &room.provided)?;
        submodules::provide(self.home, &room.top)?;
        if !bench.run_with_output(command).0.passed() {
            return Ok(None);
        }
        Ok(
            match files::read_bounded(&room.top.join(path), BYTES_MAX)? {
                Content::Bytes(bytes) => Some(bytes),
                Content::Missing | Content::Refused(_) => None,
            },
        )
    }
}
