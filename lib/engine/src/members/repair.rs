//! Where an agent puts right what could not be merged: the line's tip, with what does not conflict.

use super::objects::{Conflict, Objects, shown};
use super::{Crew, candidate, written};
use crate::git;
use crate::state;
use crate::trees;
use overnight_base::code::Code;
use overnight_base::fault::Fault;
use overnight_run::queue::Repair;
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// The folder in the work tree's own git folder where the conflict is written down.
const FOLDER: &str = "overnight";
/// Files of a conflict that are written down.
const FILES_MAX: usize = 50;
/// Bytes of one of them, or of the change.
const BYTES_MAX: usize = 4 << 20;

impl Crew {
    /// Checks the branch out where the repair begins; gives the line's commit below it.
    pub(super) fn begin_repair(
        &self,
        repair: &Repair,
        (tree, branch, base): (&Path, &str, &str),
    ) -> Result<String, Fault> {
        let objects = self.objects();
        let full = format!("refs/heads/{branch}");
        let found = trees::tip(tree, &full)?;
        let work = repair.tip.clone().or_else(|| found.clone());
        let work = work.unwrap_or_else(|| base.to_owned());
        // A repair that was interrupted goes on where it was.
        let under_way = found.as_ref().filter(|found| **found != work);
        if let Some(found) = under_way
            && trees::holds(tree, found, base)?
            && trees::holds(tree, found, &work)?
        {
            trees::switch(tree, branch, base)?;
            return Ok(base.to_owned());
        }
        let work = under_way.map_or(work, Clone::clone);
        let (start, conflicts) = candidate::repair(&objects, base, &work, &repair.task)?;
        write_down(&objects, tree, (base, &work), &conflicts)?;
        git::read(
            tree,
            &["checkout", "--quiet", "--force", "--detach", &start],
        )?;
        git::read(tree, &["clean", "--quiet", "-ffd"])?;
        git::read(tree, &["update-ref", "--no-deref", &full, &start])?;
        trees::switch(tree, branch, base)?;
        Ok(base.to_owned())
    }
}

/// The change and the sides of what conflicts, as files that belong to no commit.
fn write_down(
    objects: &Objects,
    tree: &Path,
    (base, work): (&str, &str),
    conflicts: &[Conflict],
) -> Result<(), Fault> {
    let folder = folder(tree)?;
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).map_err(|error| written(&folder, &error))?;
    let put = |name: &str, bytes: &[u8]| {
        let path = folder.join(name);
        let bytes = &bytes[..bytes.len().min(BYTES_MAX)];
        std::fs::write(&path, bytes).map_err(|error| written(&path, &error))
    };
    let range = format!("{base}...{work}");
    let change = git::run(
        tree,
        &["diff", "--no-ext-diff", "--no-textconv", "--binary", &range],
    )?;
    put("change.patch", &change.stdout)?;
    let mut names = String::new();
    for (at, conflict) in conflicts.iter().take(FILES_MAX).enumerate() {
        let number = at + 1;
        let _ = writeln!(names, "{number} {}", shown(&conflict.path));
        for (side, blob) in ["base", "merged", "work"].iter().zip(&conflict.stages) {
            // A submodule has no file.
            if let Some(blob) = blob.as_ref().filter(|blob| blob.mode != "160000") {
                put(&format!("{number}.{side}"), &objects.bytes(&blob.oid)?)?;
            }
        }
    }
    put("files.txt", names.as_bytes())
}

fn folder(tree: &Path) -> Result<PathBuf, Fault> {
    let folder = state::locate(tree)?.git.map(|git| git.join(FOLDER));
    folder.ok_or_else(|| {
        let reason = format!("{} is no work tree", tree.display());
        Fault::new(Code::GitFailed, reason)
    })
}
