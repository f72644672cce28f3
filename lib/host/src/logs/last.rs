//! What `logs/last-run.json` says of the last test run that went through the filter. The folder is
//! the agent's too: what is read is data that may be anything.

use super::{FOLDER, LAST_RUN};
use crate::files::{self, Content};
use crate::state::Place;
use overnight_sample::last::Failing;
use serde::Deserialize;

/// A file that the filter wrote is far smaller.
const BYTES_MAX: u64 = 16 << 20;
/// The hash as the filter writes it: 64 bits in hexadecimal.
const HASH_CHARS: usize = 16;

/// The last test run.
#[derive(Debug, Deserialize)]
pub struct LastRun {
    /// When it ended, in Unix milliseconds.
    pub at: u64,
    /// The hash of the sorted names of the tests that failed.
    failing_hash: Option<String>,
    /// Those tests.
    #[serde(rename = "failures")]
    pub failing: Vec<Failing>,
}

impl LastRun {
    /// The project's last run. `None` without one, and for a file that the filter did not write.
    pub fn read(place: &Place) -> Option<Self> {
        let path = place.top.join(FOLDER).join(LAST_RUN);
        match files::read_bounded(&path, BYTES_MAX) {
            Ok(Content::Bytes(bytes)) => serde_json::from_slice(&bytes).ok(),
            _ => None,
        }
    }

    /// The hash of the tests that failed in the last run, if it ended after `since` (Unix
    /// milliseconds).
    pub fn failing_set(place: &Place, since: u64) -> Option<String> {
        let last = Self::read(place).filter(|last| last.at >= since)?;
        last.failing_hash.filter(|hash| {
            hash.len() == HASH_CHARS && hash.bytes().all(|byte| byte.is_ascii_hexdigit())
        })
    }
}
