//! Writing a commit as git does, without starting git: a lease's latency is that of the processes
//! that it starts.

use crate::random;
use flate2::Compression;
use flate2::write::ZlibEncoder;
use overnight_base::session::hex;
use sha1::Sha1;
use sha2::{Digest, Sha256};
use std::fs::{DirBuilder, OpenOptions};
use std::io::{Error, ErrorKind, Result, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

/// Git's own permission bits of objects: nobody changes one.
const MODE: u32 = 0o444;

/// Writes a commit object with an empty tree below `objects`; gives its id.
pub(super) fn write_commit(objects: &Path, sha256: bool, commit: &str) -> Result<String> {
    // Git knows the empty tree without having it; only its `fsck` misses it.
    write(objects, sha256, ("tree", ""))?;
    write(objects, sha256, ("commit", commit))
}

/// Writes an object, whole or not at all; gives its id. One that is there already stays.
fn write(objects: &Path, sha256: bool, (kind, content): (&str, &str)) -> Result<String> {
    let text = format!("{kind} {}\0{content}", content.len());
    let id = if sha256 {
        hex(&Sha256::digest(text.as_bytes()))
    } else {
        hex(&Sha1::digest(text.as_bytes()))
    };
    let folder = objects.join(&id[..2]);
    let path = folder.join(&id[2..]);
    if path.exists() {
        return Ok(id);
    }
    match DirBuilder::new().create(&folder) {
        Err(error) if error.kind() != ErrorKind::AlreadyExists => return Err(error),
        _ => {}
    }
    let nonce = random::hex::<8>().map_err(|fault| Error::other(fault.reason))?;
    // So named, a left-over one is removed by git's own tidying.
    let temporary = folder.join(format!("tmp_obj_{nonce}"));
    let write = || {
        let file = OpenOptions::new()
            .create_new(true)
            .write(true)
            .mode(MODE)
            .open(&temporary)?;
        let mut packed = ZlibEncoder::new(file, Compression::fast());
        packed.write_all(text.as_bytes())?;
        packed.finish()?;
        std::fs::rename(&temporary, &path)
    };
    write().inspect_err(|_| {
        let _ = std::fs::remove_file(&temporary);
    })?;
    Ok(id)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::git;

    #[test]
    fn git_reads_what_was_written_under_the_id_that_it_gives_itself() {
        for format in ["sha1", "sha256"] {
            let folder = tempfile::tempdir().unwrap();
            let option = format!("--object-format={format}");
            git::read(folder.path(), &["init", "-q", &option]).unwrap();
            let empty = ["hash-object", "-t", "tree", "/dev/null"];
            let tree = git::read(folder.path(), &empty).unwrap();
            let who = "t <t@t> 0 +0000";
            let commit = format!("tree {tree}\nauthor {who}\ncommitter {who}\n\n{{}}\n");
            let objects = folder.path().join(".git/objects");
            let mut tip = String::new();
            for _ in 0..2 {
                let id = write_commit(&objects, format == "sha256", &commit).unwrap();
                let mut command = git::command(folder.path());
                command.args(["hash-object", "-t", "commit", "--stdin"]);
                let named = git::output(&mut command, commit.as_bytes()).unwrap().text();
                assert_eq!(id, named);
                let read = git::read(folder.path(), &["cat-file", "commit", &id]).unwrap();
                assert_eq!(format!("{read}\n"), commit);
                tip = id;
            }
            git::read(folder.path(), &["update-ref", "refs/heads/x", &tip]).unwrap();
            let sound = ["fsck", "--strict", "--no-dangling"];
            assert_eq!(git::read(folder.path(), &sound).unwrap(), "");
        }
    }
}
