//! git's index file, read: which content each path has.
//!
//! `git add` writes one entry a path with the hash of its content; reading them here spares two more
//! git processes a snapshot, which cost more than everything else a hook does. Format: versions 2 to
//! 4 of git's `Documentation/gitformat-index`.

use std::collections::BTreeMap;

/// Bytes before the hash: two times, device, inode, mode, owner, group, size.
const STAT_BYTES: usize = 40;
/// Where in them the mode stands.
const MODE_AT: usize = 24;
/// Bit of the flags: two more bytes of them follow.
const EXTENDED: u16 = 0x4000;
/// Bits of the flags that hold the path's length, as far as it fits.
const LENGTH: u16 = 0x0fff;

/// Mode and content hash of every path. `None`: this is no index that we know.
pub(super) fn contents(bytes: &[u8]) -> Option<BTreeMap<Vec<u8>, Vec<u8>>> {
    // The hash's length is said nowhere in the file; with the wrong one no entry fits.
    [20, 32].into_iter().find_map(|hash| entries(bytes, hash))
}

fn entries(bytes: &[u8], hash: usize) -> Option<BTreeMap<Vec<u8>, Vec<u8>>> {
    let rest = bytes.strip_prefix(b"DIRC")?;
    let (version, rest) = number(rest)?;
    let (count, mut rest) = number(rest)?;
    if !(2..=4).contains(&version) {
        return None;
    }
    let mut all = BTreeMap::new();
    let mut path = Vec::new();
    for _ in 0..count {
        let entry = rest;
        let (stat, after) = entry.split_at_checked(STAT_BYTES)?;
        let (id, after) = after.split_at_checked(hash)?;
        let (flags, after) = after.split_first_chunk::<2>()?;
        let flags = u16::from_be_bytes(*flags);
        let extended = usize::from(flags & EXTENDED != 0) * 2;
        let mut after = after.get(extended..)?;
        if version == 4 {
            let (dropped, behind) = varint(after)?;
            path.truncate(path.len().checked_sub(dropped)?);
            after = behind;
        } else {
            path.clear();
        }
        let length = after.iter().position(|byte| *byte == 0)?;
        path.extend_from_slice(&after[..length]);
        if path.is_empty() || path.len().min(LENGTH.into()) != usize::from(flags & LENGTH) {
            return None;
        }
        let used = STAT_BYTES + hash + 2 + extended + path.len();
        rest = if version == 4 {
            after.get(length + 1..)?
        } else {
            // One to eight NULs up to a multiple of eight.
            entry.get((used / 8 + 1) * 8..)?
        };
        let content = [stat.get(MODE_AT..MODE_AT + 4)?, id].concat();
        all.insert(path.clone(), content);
    }
    // Extensions and a checksum follow.
    (rest.len() >= hash).then_some(all)
}

fn number(bytes: &[u8]) -> Option<(u32, &[u8])> {
    let (number, rest) = bytes.split_first_chunk::<4>()?;
    Some((u32::from_be_bytes(*number), rest))
}

/// git's offset encoding: seven bits a byte, one added for each further byte.
fn varint(mut bytes: &[u8]) -> Option<(usize, &[u8])> {
    let mut value = 0_usize;
    loop {
        let (byte, rest) = bytes.split_first()?;
        bytes = rest;
        value = value.checked_mul(128)? | usize::from(byte & 0x7f);
        if byte & 0x80 == 0 {
            return Some((value, bytes));
        }
        value = value.checked_add(1)?;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::git;
    use overnight_base::session::hex;
    use proptest::prelude::*;
    use std::path::Path;

    /// The index of a repository with some files, and what git itself says is in it.
    fn sample(top: &Path, settings: &[&str]) -> (Vec<u8>, Vec<String>) {
        let run = |arguments: &[&str]| git::read(top, arguments).unwrap();
        run(&[&["init", "-q"], settings].concat());
        std::fs::create_dir(top.join("deep")).unwrap();
        let long = format!("deep/{}", "l".repeat(200));
        for path in ["a", "ab", "deep/a", "deep/ab.txt", "日本", &long] {
            std::fs::write(top.join(path), path).unwrap();
        }
        run(&["add", "-A"]);
        run(&["update-index", "--skip-worktree", "ab"]);
        let listed = run(&["ls-files", "-s", "-z"]);
        let listed = listed.split_terminator('\0').map(str::to_owned).collect();
        (std::fs::read(top.join(".git/index")).unwrap(), listed)
    }

    fn as_git_lists(contents: &BTreeMap<Vec<u8>, Vec<u8>>) -> Vec<String> {
        let line = |(path, content): (&Vec<u8>, &Vec<u8>)| {
            let mode = u32::from_be_bytes(content[..4].try_into().unwrap());
            let id = hex(&content[4..]);
            format!("{mode:o} {id} 0\t{}", String::from_utf8_lossy(path))
        };
        contents.iter().map(line).collect()
    }

    #[test]
    fn every_version_and_both_hashes_are_read_as_git_reads_them() {
        for format in ["sha1", "sha256"] {
            for version in ["2", "3", "4"] {
                let folder = tempfile::tempdir().unwrap();
                let (_, listed) = sample(folder.path(), &["--object-format", format]);
                git::read(folder.path(), &["update-index", "--index-version", version]).unwrap();
                let bytes = std::fs::read(folder.path().join(".git/index")).unwrap();
                let contents = contents(&bytes).unwrap();
                assert_eq!(as_git_lists(&contents), listed, "{format} {version}");
            }
        }
    }

    #[test]
    fn a_cut_index_is_none() {
        let folder = tempfile::tempdir().unwrap();
        let (bytes, _) = sample(folder.path(), &[]);
        let end = bytes.windows(4).rposition(|four| four == b"TREE");
        for cut in 0..end.unwrap_or(bytes.len() - 20) {
            assert_eq!(contents(&bytes[..cut]), None, "cut at {cut}");
        }
    }

    proptest! {
        #[test]
        fn any_bytes_have_an_answer(rest in prop::collection::vec(any::<u8>(), 0..400), version in 1_u8..6) {
            let head = [b"DIRC".as_slice(), &[0, 0, 0, version, 0, 0, 0, 3]].concat();
            let _ = contents(&[head, rest].concat());
        }
    }
}
