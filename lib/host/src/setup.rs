//! `overnight init`: writes what the repository's own files suggest, and overwrites nothing.

use crate::config::PROJECT_FILE;
use crate::files::{self, Content};
use crate::state::Place;
use crate::trust::Trust;
use overnight_base::fault::Fault;
use overnight_run::options::AGENT_PROMPT;
use overnight_views::init::{self, Manifest, Proposal};

/// A manifest larger than this is not read.
const FILE_BYTES_MAX: u64 = 1 << 20;

/// What the repository's files suggest.
pub fn look(place: &Place) -> Proposal {
    let workflows = [".github/workflows".to_owned()];
    let mut paths: Vec<String> = init::READ.iter().map(|name| (*name).to_owned()).collect();
    paths.push(".gitlab-ci.yml".to_owned());
    for folder in workflows {
        let entries = std::fs::read_dir(place.top.join(&folder))
            .into_iter()
            .flatten()
            .flatten();
        let mut names: Vec<String> = entries
            .filter_map(|entry| entry.file_name().into_string().ok())
            .map(|name| format!("{folder}/{name}"))
            .filter(|path| init::is_ci(path))
            .collect();
        names.sort();
        paths.extend(names);
    }
    let read = |path: String| match files::read_bounded(&place.top.join(&path), FILE_BYTES_MAX) {
        Ok(Content::Bytes(bytes)) => Some((path, String::from_utf8_lossy(&bytes).into_owned())),
        _ => None,
    };
    let texts: Vec<(String, String)> = paths.into_iter().filter_map(read).collect();
    let manifests: Vec<Manifest> = texts
        .iter()
        .map(|(path, text)| Manifest { path, text })
        .collect();
    init::propose(&manifests, &|path| place.top.join(path).exists())
}

/// Writes the project's files where they are not there; gives the names of those that were written.
/// The commands that the person has just confirmed are trusted.
pub fn write(place: &Place, proposal: &Proposal) -> Result<Vec<&'static str>, Fault> {
    let config = init::config(proposal);
    let mut written = Vec::new();
    for (name, text) in [
        (PROJECT_FILE, config.as_str()),
        (AGENT_PROMPT.default, init::GOAL),
    ] {
        let path = place.top.join(name);
        if path.symlink_metadata().is_err() {
            files::write_atomic(&path, text.as_bytes(), files::SHARED)?;
            written.push(name);
        }
    }
    if written.contains(&PROJECT_FILE) {
        Trust::of(place)?.add(PROJECT_FILE, config.as_bytes())?;
    }
    Ok(written)
}
