//! Which remote holds the truth, read from git's configuration file without starting git.

use crate::files::{self, Content};
use crate::git;
use overnight_base::code::Code;
use overnight_base::fault::Fault;
use std::path::Path;

/// A configuration file that is larger is not looked into; git is asked instead.
const CONFIG_BYTES_MAX: u64 = 1024 * 1024;
/// The remote that is used when none is named.
const DEFAULT: &str = "origin";
/// The word for "this repository alone".
const NONE: &str = "none";

/// The remote to use; `None` for this repository alone.
pub(super) fn choose(
    common: &Path,
    top: &Path,
    named: Option<&str>,
) -> Result<Option<String>, Fault> {
    match named {
        Some(NONE) => Ok(None),
        Some(name) => {
            check(name)?;
            Ok(Some(name.to_owned()))
        }
        None => Ok(has_default(common, top)?.then(|| DEFAULT.to_owned())),
    }
}

/// A remote's name, or an address, that git cannot take for an option or for a command to run
/// (tests/cases/hostile.md T05).
fn check(name: &str) -> Result<(), Fault> {
    let foreign = name.starts_with(['-', '+', ':'])
        || name.contains("::")
        || name.is_empty()
        || name.len() > 1_024
        || name
            .chars()
            .any(|c| c.is_whitespace() || overnight_base::text::is_unshowable(c));
    if foreign {
        let reason = format!("{name:?} is no name of a remote");
        return Err(Fault::new(Code::InputInvalid, reason)
            .hint("give the name of a remote of this repository, or none"));
    }
    Ok(())
}

fn has_default(common: &Path, top: &Path) -> Result<bool, Fault> {
    let text = match files::read_bounded(&common.join("config"), CONFIG_BYTES_MAX)? {
        Content::Bytes(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
        Content::Missing | Content::Refused(_) => String::new(),
    };
    if sections(&text).any(|section| section == format!("remote \"{DEFAULT}\"")) {
        return Ok(true);
    }
    let complete =
        !text.is_empty() && !sections(&text).any(|section| section.starts_with("include"));
    if complete {
        return Ok(false);
    }
    let key = format!("remote.{DEFAULT}.url");
    Ok(git::run(top, &["config", "--get", &key])?.ok())
}

/// The length of object ids: is this a repository of SHA-256 objects?
pub(super) fn is_sha256(common: &Path) -> Result<bool, Fault> {
    let content = files::read_bounded(&common.join("config"), CONFIG_BYTES_MAX)?;
    let Content::Bytes(bytes) = content else {
        return Ok(false);
    };
    let text = String::from_utf8_lossy(&bytes).to_ascii_lowercase();
    Ok(text.lines().any(|line| {
        let mut parts = line.splitn(2, '=').map(str::trim);
        parts.next() == Some("objectformat") && parts.next() == Some("sha256")
    }))
}

/// The names of the sections: `remote "origin"`.
fn sections(config: &str) -> impl Iterator<Item = &str> {
    config.lines().filter_map(|line| {
        let (name, _) = line.trim_start().strip_prefix('[')?.split_once(']')?;
        Some(name)
    })
}
