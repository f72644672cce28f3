//! What a session brought over the network: one path a line, appended by the guard's hook.

use crate::files::{self, Content};
use crate::state::Place;
use overnight_base::session;
use std::io::Write;
use std::path::PathBuf;

/// Bytes of a ledger at most; what a session fetches beyond is no longer told apart.
const LEDGER_BYTES_MAX: u64 = 1 << 20;

/// The files and folders that came over the network in this session.
pub fn read(place: &Place, session: &str) -> Vec<PathBuf> {
    match files::read_bounded(&file(place, session), LEDGER_BYTES_MAX) {
        Ok(Content::Bytes(bytes)) => String::from_utf8_lossy(&bytes)
            .lines()
            .map(PathBuf::from)
            .collect(),
        _ => Vec::new(),
    }
}

/// Notes further ones. Where that fails the next command is judged without them: the guard in front
/// of this one allowed the download.
pub fn note(place: &Place, session: &str, paths: &[String]) {
    let path = file(place, session);
    let plain = paths.iter().filter(|path| !path.contains('\n'));
    let lines: String = plain.flat_map(|path| [path.as_str(), "\n"]).collect();
    let folder = path.parent().map(files::create_private_folder);
    if lines.is_empty() || !matches!(folder, Some(Ok(()))) {
        return;
    }
    let opened = std::fs::File::options()
        .append(true)
        .create(true)
        .open(path);
    let _ = opened.and_then(|mut file| file.write_all(lines.as_bytes()));
}

fn file(place: &Place, session: &str) -> PathBuf {
    let name = format!("{}.txt", session::key(session));
    place.state.join("fetched").join(name)
}
