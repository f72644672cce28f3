//! The person's own folders: configuration and state outside every repository.

use crate::env;
use crate::state::Place;
use overnight_base::session::hex;
use overnight_base::vars::{self, Var};
use sha2::{Digest, Sha256};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// Our folder in each of them.
const OURS: &str = "overnight";

/// `$XDG_CONFIG_HOME/overnight`, by default `~/.config/overnight`; `None` without a home folder.
pub fn config() -> Option<PathBuf> {
    ours(&vars::CONFIG_HOME, ".config")
}

/// `$XDG_STATE_HOME/overnight`, by default `~/.local/state/overnight`; `None` without a home
/// folder.
pub fn state() -> Option<PathBuf> {
    ours(&vars::STATE_HOME, ".local/state")
}

/// Claude Code's own folder: `$CLAUDE_CONFIG_DIR`, by default `~/.claude`; `None` without a home.
pub fn client() -> Option<PathBuf> {
    let given = env::get_os(&vars::CLIENT_HOME).map(PathBuf::from);
    given.or_else(|| Some(PathBuf::from(env::get_os(&vars::HOME)?).join(".claude")))
}

/// A folder of the person's for what must not be in reach of a repository: `None` when there is
/// no such folder, or when the environment puts it inside the project, where the repository's own
/// files could pose as a person's answers.
pub fn outside(place: &Place, kind: &str) -> Option<PathBuf> {
    let base = state()?;
    let real = real(&base);
    let inside = real.starts_with(&place.top)
        || place
            .git_common
            .as_ref()
            .is_some_and(|git| real.starts_with(git));
    (!inside).then(|| base.join(kind))
}

/// A short name for a repository that its linked work trees share: from the path of the shared
/// git folder, else of the project.
pub fn repository_key(place: &Place) -> String {
    let path = place.git_common.as_ref().unwrap_or(&place.top);
    let mut key = hex(Sha256::digest(path.as_os_str().as_bytes()).as_slice());
    key.truncate(16);
    key
}

fn ours(var: &Var, default: &str) -> Option<PathBuf> {
    let given = env::get_os(var)
        .map(PathBuf::from)
        .filter(|path| path.is_absolute());
    let base = given.or_else(|| {
        let home = env::get_os(&vars::HOME).map(PathBuf::from);
        home.filter(|home| home.is_absolute())
            .map(|home| home.join(default))
    })?;
    Some(base.join(OURS))
}

/// The path with the links of its existing part resolved.
pub fn real(path: &Path) -> PathBuf {
    // Asked for first: how far what is missing leads is found out step by step.
    for existing in path.ancestors().filter(|path| path.exists()) {
        if let (Ok(real), Ok(rest)) = (existing.canonicalize(), path.strip_prefix(existing)) {
            // Joined with nothing, a file would end in a slash.
            return if rest.as_os_str().is_empty() {
                real
            } else {
                real.join(rest)
            };
        }
    }
    path.to_owned()
}
