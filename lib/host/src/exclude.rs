//! What Overnight writes into a work tree is kept out of `git status` and of commits.

use crate::files::{self, Content};
use crate::state::Place;
use crate::worktree::OWN;
use overnight_base::code::Code;
use overnight_base::fault::Fault;
use std::io::Write;
use std::path::PathBuf;

/// Our folders, and the one in which the client keeps the work trees of its agents.
const OURS: [&str; 4] = [
    "/logs/",
    "/agent_logs/",
    "/current_tasks/",
    "/.claude/worktrees/",
];
/// The file has a line a pattern; more is no such file.
const BYTES_MAX: u64 = 1 << 20;

/// Adds the missing lines to `.git/info/exclude`, which all work trees of a repository share.
pub fn ensure(place: &Place) -> Result<(), Fault> {
    add(place, &OURS)
}

/// Keeps `progress/` out too, where a run shows it beside work that is not its own.
pub fn progress(place: &Place) -> Result<(), Fault> {
    add(place, &["/progress/"])
}

/// What Overnight writes, as pathspecs that leave it out.
pub fn own_paths() -> impl Iterator<Item = String> {
    OWN.iter().map(|own| format!(":(top,exclude){own}"))
}

/// Our lines in this repository's list.
fn is_ours(line: &str) -> bool {
    OURS.contains(&line) || line == "/progress/"
}

/// Is one of our lines there?
pub fn has_ours(place: &Place) -> bool {
    known(place).is_ok_and(|known| known.is_some_and(|(_, text)| text.lines().any(is_ours)))
}

/// Takes our lines out again.
pub fn take_back(place: &Place) -> Result<(), Fault> {
    let Some((path, text)) = known(place)? else {
        return Ok(());
    };
    let rest = text
        .split_inclusive('\n')
        .filter(|line| !is_ours(line.trim_end()));
    files::replace(&path, rest.collect::<String>().as_bytes(), files::SHARED)
}

/// The list and what it holds.
fn known(place: &Place) -> Result<Option<(PathBuf, String)>, Fault> {
    let Some(common) = &place.git_common else {
        return Ok(None);
    };
    let path = common.join("info/exclude");
    Ok(match files::read_bounded(&path, BYTES_MAX)? {
        Content::Bytes(bytes) => Some((path, String::from_utf8_lossy(&bytes).into_owned())),
        Content::Missing => Some((path, String::new())),
        Content::Refused(_) => None,
    })
}

fn add(place: &Place, lines: &[&str]) -> Result<(), Fault> {
    let Some((path, known)) = known(place)? else {
        return Ok(());
    };
    let missing = lines
        .iter()
        .filter(|line| !known.lines().any(|known| known == **line));
    let lines: String = missing.flat_map(|line| [*line, "\n"]).collect();
    if lines.is_empty() {
        return Ok(());
    }
    let start = if known.is_empty() || known.ends_with('\n') {
        ""
    } else {
        "\n"
    };
    if let Some(folder) = path.parent() {
        files::create_folder(folder)?;
    }
    std::fs::OpenOptions::new()
        .create(true)
        .append(true)
        .open(&path)
        .and_then(|mut file| file.write_all(format!("{start}{lines}").as_bytes()))
        .map_err(|error| Fault::new(Code::FileWrite, format!("{}: {error}", path.display())))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::git;

    #[test]
    fn our_folders_are_excluded_once() {
        let folder = tempfile::tempdir().unwrap();
        git::read(folder.path(), &["init", "-q"]).unwrap();
        let place = crate::state::locate(folder.path()).unwrap();
        let exclude = folder.path().join(".git/info/exclude");
        std::fs::write(&exclude, "own").unwrap();
        ensure(&place).unwrap();
        ensure(&place).unwrap();
        let text = std::fs::read_to_string(&exclude).unwrap();
        assert_eq!(
            text,
            "own\n/logs/\n/agent_logs/\n/current_tasks/\n/.claude/worktrees/\n"
        );
    }
}
