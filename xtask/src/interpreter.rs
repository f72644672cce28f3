//! Which `python3` the tests start.

use std::ffi::{OsStr, OsString};
use std::io::Result;
use std::path::Path;
use std::process::{Command, Stdio};

/// Where a system keeps its own.
const SYSTEM: &str = "/usr/bin/python3";
const FOLDER: &str = "target/interpreter";

/// The search path with the system's `python3` in front, where it is there and can make an environment: a version
/// manager's script and what its interpreter loads take up to ten times as long to start, and all tests together
/// start thousands.
pub(crate) fn path(root: &Path) -> Result<Option<OsString>> {
    let (system, others) = (Path::new(SYSTEM), std::env::var_os("PATH"));
    let Some(others) = others.filter(|_| makes_environments(system)) else {
        return Ok(None);
    };
    let folder = root.join(FOLDER);
    std::fs::create_dir_all(&folder)?;
    let link = folder.join("python3");
    if !link.is_symlink() {
        std::os::unix::fs::symlink(system, link)?;
    }
    Ok(in_front(&folder, &others))
}

fn makes_environments(interpreter: &Path) -> bool {
    let mut asked = Command::new(interpreter);
    asked.args(["-c", "import ensurepip, venv"]);
    asked.stdout(Stdio::null()).stderr(Stdio::null());
    asked.status().is_ok_and(|status| status.success())
}

fn in_front(folder: &Path, others: &OsStr) -> Option<OsString> {
    let others = std::env::split_paths(others);
    std::env::join_paths([folder.to_owned()].into_iter().chain(others)).ok()
}

#[cfg(test)]
mod tests {
    use super::in_front;
    use std::ffi::OsStr;
    use std::path::Path;

    #[test]
    fn the_link_stands_first_and_nothing_goes() {
        let path = in_front(Path::new("/t/own"), OsStr::new("/shims:/usr/bin"));
        assert_eq!(path, Some("/t/own:/shims:/usr/bin".into()));
    }
}
