//! Paths of the project in what is copied out of it: they come to mean the copy.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// Longest file whose text is looked at: larger ones are data.
const BYTES_MAX: usize = 256 << 10;

/// The bytes with each mention of the folder `from` turned into `to`; `None` where there is none.
pub fn text(bytes: &[u8], from: &[u8], to: &[u8]) -> Option<Vec<u8>> {
    let find = memchr::memmem::Finder::new(from);
    let mut moved = Vec::new();
    let mut last = 0;
    for at in find.find_iter(bytes) {
        let end = at + from.len();
        // `/p/project-2` is another folder than `/p/project`.
        let whole = bytes
            .get(end)
            .is_none_or(|next| !(next.is_ascii_alphanumeric() || b"-_.".contains(next)));
        if whole {
            moved.extend_from_slice(&bytes[last..at]);
            moved.extend_from_slice(to);
            last = end;
        }
    }
    (last > 0).then(|| {
        moved.extend_from_slice(&bytes[last..]);
        moved
    })
}

/// Is this a file in which tools keep the path of the project: configuration of an environment, a
/// script with an interpreter, the trace of an installation in place?
pub fn holds_paths(path: &Path, length: u64) -> bool {
    let name = path.file_name().and_then(OsStr::to_str).unwrap_or_default();
    let folder = path
        .parent()
        .and_then(Path::file_name)
        .and_then(OsStr::to_str)
        .unwrap_or_default();
    let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
    let alone = path.components().count() == 1;
    usize::try_from(length).is_ok_and(|length| length <= BYTES_MAX)
        && (alone
            || matches!(folder, "bin" | ".bin" | "Scripts" | ".bundle")
            || matches!(ending, "pth" | "egg-link" | "cfg")
            || name == "direct_url.json"
            || name.starts_with("__editable__"))
}

/// A link's target with the project turned into the copy; as it is where it leads elsewhere.
pub fn link(target: &Path, from: &Path, to: &Path) -> PathBuf {
    match target.strip_prefix(from) {
        Ok(rest) if target.is_absolute() => to.join(rest),
        _ => target.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_project_itself_is_meant() {
        let moved = |bytes: &str| {
            text(bytes.as_bytes(), b"/p/a", b"/r").map(|bytes| String::from_utf8(bytes).unwrap())
        };
        assert_eq!(
            moved("#!/p/a/.venv/bin/python\n").as_deref(),
            Some("#!/r/.venv/bin/python\n")
        );
        assert_eq!(moved("/p/a:/p/a-2:/p/a").as_deref(), Some("/r:/p/a-2:/r"));
        assert_eq!(moved("/p/ab"), None);
        assert_eq!(
            link(Path::new("/p/a/x"), Path::new("/p/a"), Path::new("/r")),
            Path::new("/r/x")
        );
        assert_eq!(
            link(
                Path::new("/usr/bin/python3"),
                Path::new("/p/a"),
                Path::new("/r")
            ),
            Path::new("/usr/bin/python3")
        );
    }
}
