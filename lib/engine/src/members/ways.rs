//! Ways to merge one file that need no model. What they make is only a candidate, to be proved.

use super::objects::{Blob, Conflict, Objects};
use crate::client::find_program;
use crate::git;
use globset::GlobSet;
use overnight_base::fault::Fault;
use overnight_run::queue::structure;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

/// A structural merge program, used where it is installed.
const MERGIRAF: &str = "mergiraf";
/// Longest time that it gets for one file.
const PROGRAM_LIMIT: Duration = Duration::from_secs(20);

/// What a command leaves of a file on a commit; `None` where it fails.
pub(super) type Write<'w> = dyn Fn(&str, &str, &Path) -> Result<Option<Vec<u8>>, Fault> + 'w;

/// The ways of one run.
pub(super) struct Ways<'w> {
    /// May lines that both sides only inserted be kept side by side?
    pub(super) union: bool,
    /// Files that only their tool may write, with its command.
    pub(super) tools: &'w [(GlobSet, String)],
    /// Runs such a command: commit, command, file.
    pub(super) write: &'w Write<'w>,
}

impl Ways<'_> {
    /// The command that writes a file anew, and what it begins with: the line's.
    pub(super) fn tool(&self, conflict: &Conflict) -> Option<(Blob, &str)> {
        let mut tools = self.tools.iter();
        let (_, command) = tools.find(|(files, _)| files.is_match(&conflict.path))?;
        let [_, line, work] = &conflict.stages;
        let begun = line
            .as_ref()
            .or(work.as_ref())
            .filter(|blob| is_file(blob))?;
        Some((begun.clone(), command))
    }

    /// The file as its tool writes it on this tree of two parents.
    pub(super) fn write(
        &self,
        objects: &Objects,
        (tree, parents): (&str, [&str; 2]),
        (path, tool): (&Path, &str),
    ) -> Result<Option<Blob>, Fault> {
        let commit = objects.commit(tree, &parents, "Merge but for what a tool writes\n")?;
        let Some(bytes) = (self.write)(&commit, tool, path)? else {
            return Ok(None);
        };
        let name = path.to_string_lossy();
        let entries = objects.entries(tree, &[&name])?;
        let mode = entries.into_iter().next().map(|(_, blob)| blob.mode);
        let oid = stored(objects, &bytes)?;
        Ok(mode.zip(oid).map(|(mode, oid)| Blob { mode, oid }))
    }

    /// The merged file and the way that made it; `None` where no way does.
    pub(super) fn resolve(
        &self,
        objects: &Objects,
        conflict: &Conflict,
    ) -> Result<Option<(Blob, &'static str)>, Fault> {
        let [Some(base), Some(ours), Some(theirs)] = &conflict.stages else {
            return Ok(None);
        };
        if ![base, ours, theirs].into_iter().all(is_file) || ours.mode != theirs.mode {
            return Ok(None);
        }
        let sides = [base, ours, theirs];
        let blob = |oid: String| Blob {
            mode: ours.mode.clone(),
            oid,
        };
        if let Some(oid) = structural(objects, conflict, sides)? {
            return Ok(Some((blob(oid), MERGIRAF)));
        }
        if self.union
            && inserts(objects, base, ours)?
            && inserts(objects, base, theirs)?
            && let Some(oid) = both(objects, sides)?
            && says_both(objects, conflict, sides, &oid)?
        {
            return Ok(Some((blob(oid), "union")));
        }
        Ok(None)
    }
}

fn is_file(blob: &Blob) -> bool {
    matches!(blob.mode.as_str(), "100644" | "100755")
}

fn stored(objects: &Objects, bytes: &[u8]) -> Result<Option<String>, Fault> {
    let mut store = git::command(&objects.top);
    store.args(["hash-object", "-w", "--stdin"]);
    let stored = git::output(&mut store, bytes)?;
    Ok(stored.ok().then(|| stored.text()))
}

/// Does one side only insert lines?
fn inserts(objects: &Objects, base: &Blob, side: &Blob) -> Result<bool, Fault> {
    let counted = git::read(
        &objects.top,
        &[
            "diff",
            "--no-ext-diff",
            "--no-textconv",
            "--numstat",
            &base.oid,
            &side.oid,
        ],
    )?;
    // Of a binary file git counts nothing: `-`.
    Ok(counted.split('\t').nth(1) == Some("0"))
}

/// The lines of both sides.
fn both(objects: &Objects, [base, ours, theirs]: [&Blob; 3]) -> Result<Option<String>, Fault> {
    let arguments = [
        "merge-file",
        "--quiet",
        "--object-id",
        "--union",
        &ours.oid,
        &base.oid,
        &theirs.oid,
    ];
    let done = git::run(&objects.top, &arguments)?;
    Ok(done.ok().then(|| done.text()))
}

/// A file of data must say what both sides say.
fn says_both(
    objects: &Objects,
    conflict: &Conflict,
    sides: [&Blob; 3],
    oid: &str,
) -> Result<bool, Fault> {
    let name = conflict.path.to_string_lossy();
    if !structure::is_read(&name) || structure::is_delicate(&name) {
        return Ok(!structure::is_delicate(&name));
    }
    let [base, ours, theirs] = sides.map(|side| objects.bytes(&side.oid));
    let merged = objects.bytes(oid)?;
    Ok(structure::says_both(
        &name,
        [&base?, &ours?, &theirs?],
        &merged,
    ))
}

/// What the structural merge program makes of it, when it is installed and makes something clean.
fn structural(
    objects: &Objects,
    conflict: &Conflict,
    sides: [&Blob; 3],
) -> Result<Option<String>, Fault> {
    let Some(program) = find_program(MERGIRAF) else {
        return Ok(None);
    };
    let folder = objects.index.with_extension("sides");
    std::fs::create_dir_all(&folder).map_err(|error| super::written(&folder, &error))?;
    let names = ["base", "ours", "theirs", "merged"].map(|name| folder.join(name));
    for (name, side) in names.iter().zip(sides) {
        let bytes = objects.bytes(&side.oid)?;
        std::fs::write(name, bytes).map_err(|error| super::written(name, &error))?;
    }
    let mut command = Command::new(program);
    command
        .arg("merge")
        .args(&names[..3])
        .arg("--output")
        .arg(&names[3]);
    command.arg("--path-name").arg(&conflict.path);
    command.current_dir(&folder).stdin(Stdio::null());
    let done = git::output_within(&mut command, &[], PROGRAM_LIMIT);
    let made = match done {
        Ok(done) if done.ok() => std::fs::read(&names[3]).ok(),
        // A program that does not work here is none.
        _ => None,
    };
    let _ = std::fs::remove_dir_all(&folder);
    let Some(bytes) = made else { return Ok(None) };
    stored(objects, &bytes)
}
