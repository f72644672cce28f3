//! Ways to merge one file that need no model. What they make is only a candidate, to be proved.

use super::objects::{Blob, Conflict, Objects};
use crate::client::find_program;
use crate::git;
use overnight_base::fault::Fault;
use overnight_run::queue::structure;
use std::process::{Command, Stdio};
use std::time::Duration;

/// A structural merge program, used where it is installed.
const MERGIRAF: &str = "mergiraf";
/// Longest time that it gets for one file.
const PROGRAM_LIMIT: Duration = Duration::from_secs(20);

/// The merged file and the way that made it; `None` where no way does.
pub(super) fn resolve(
    objects: &Objects,
    conflict: &Conflict,
    union: bool,
) -> Result<Option<(Blob, &'static str)>, Fault> {
    let [Some(base), Some(ours), Some(theirs)] = &conflict.stages else {
        return Ok(None);
    };
    let is_file = |blob: &Blob| matches!(blob.mode.as_str(), "100644" | "100755");
    if ![base, ours, theirs].into_iter().all(is_file) || ours.mode != theirs.mode {
        return Ok(None);
    }
    let sides = [base, ours, theirs];
    if let Some(oid) = structural(objects, conflict, sides)? {
        let mode = ours.mode.clone();
        return Ok(Some((Blob { mode, oid }, MERGIRAF)));
    }
    if union
        && inserts(objects, base, ours)?
        && inserts(objects, base, theirs)?
        && let Some(oid) = both(objects, sides)?
        && parses(objects, conflict, sides, &oid)?
    {
        let mode = ours.mode.clone();
        return Ok(Some((Blob { mode, oid }, "union")));
    }
    Ok(None)
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

/// A file that has a structure must still have one, if its sides do.
fn parses(
    objects: &Objects,
    conflict: &Conflict,
    sides: [&Blob; 3],
    oid: &str,
) -> Result<bool, Fault> {
    let name = conflict.path.to_string_lossy();
    if !structure::is_checked(&name) {
        return Ok(!structure::is_delicate(&name));
    }
    for side in sides {
        if !structure::parses(&name, &objects.bytes(&side.oid)?) {
            return Ok(false);
        }
    }
    Ok(structure::parses(&name, &objects.bytes(oid)?))
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
    let mut store = git::command(&objects.top);
    store.args(["hash-object", "-w", "--stdin"]);
    let stored = git::output(&mut store, &bytes)?;
    Ok(stored.ok().then(|| stored.text()))
}
