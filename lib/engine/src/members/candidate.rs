//! A candidate: a finished branch merged onto a commit, in the object store.

use super::line;
use super::objects::{Change, Changes, Conflict, Merged, Objects, shown};
use super::ways::Ways;
use crate::git;
use crate::worktree::OWN;
use overnight_base::code::Code;
use overnight_base::fault::Fault;
use overnight_run::queue::{markers, paths};
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// Conflicting files that are named.
const FILES_MAX: usize = 50;
/// The mode of a submodule's commit in a tree.
const GITLINK: &str = "160000";
/// Paths of a change that are recorded.
const CHANGED_MAX: usize = 2_000;

/// How a merge onto a commit went.
pub(super) enum Made {
    /// It stands, and is yet to be proved; how it was made if not by git alone.
    Candidate { commit: String, way: String },
    /// Both sides changed the same.
    Conflict { why: String, paths: Vec<String> },
    /// What it brings must not be on the line.
    Doubtful(String),
}

/// One finished branch that is to be merged.
pub(super) struct Wanted<'w> {
    /// Its commit.
    pub(super) tip: &'w str,
    /// The message of the merge.
    pub(super) message: &'w str,
    /// How files that conflict may be merged.
    pub(super) ways: &'w Ways<'w>,
}

/// Merges a branch onto `base`.
pub(super) fn make(objects: &Objects, base: &str, wanted: &Wanted<'_>) -> Result<Made, Fault> {
    let tip = objects.commit_of(wanted.tip)?;
    let mut plain = objects.merge(base, &tip, &[])?;
    if plain.conflicts.is_empty() {
        let made = committed(objects, (base, &tip), (&plain.tree, wanted.message))?;
        // Hardly ever does an agent touch what Overnight writes: that is seen in what came out.
        if !made.changes.touches(&OWN) {
            return Ok(finished(made, String::new()));
        }
    }
    let washed = washed(objects, base, &tip)?.tip;
    if washed != tip {
        plain = objects.merge(base, &washed, &[])?;
    }
    let (tree, way) = match merged(objects, (base, &washed), plain, wanted.ways)? {
        Ok(merged) => merged,
        Err(conflicts) => return Ok(conflict(&conflicts)),
    };
    let mut message = wanted.message.to_owned();
    if !way.is_empty() {
        let _ = writeln!(message, "{}: {way}", line::WAY);
    }
    let made = committed(objects, (base, &washed), (&tree, &message))?;
    Ok(finished(made, way))
}

/// A commit.
struct Committed {
    commit: String,
    /// What it changes of the line below it.
    changes: Changes,
    /// Why it must not be there.
    doubt: Option<String>,
}

/// The merge's commit, made while it is looked at what it changes.
fn committed(
    objects: &Objects,
    (base, tip): (&str, &str),
    (tree, message): (&str, &str),
) -> Result<Committed, Fault> {
    std::thread::scope(|scope| {
        let looked = scope.spawn(|| -> Result<_, Fault> {
            let changes = objects.changes(base, tree)?;
            let doubt = doubtful(objects, tree, &changes)?;
            Ok((changes, doubt))
        });
        let commit = objects.commit(tree, &[base, tip], message)?;
        let lost = |_| Err(Fault::new(Code::Defect, "a look at a merge was lost"));
        let (changes, doubt) = looked.join().unwrap_or_else(lost)?;
        Ok(Committed {
            commit,
            changes,
            doubt,
        })
    })
}

fn finished(made: Committed, way: String) -> Made {
    let commit = made.commit;
    made.doubt
        .map_or(Made::Candidate { commit, way }, Made::Doubtful)
}

type Tree = (String, String);

/// Plain, then without regard to line ends, then by ways that need no model.
fn merged(
    objects: &Objects,
    (base, tip): (&str, &str),
    plain: Merged,
    ways: &Ways<'_>,
) -> Result<Result<Tree, Vec<Conflict>>, Fault> {
    if plain.conflicts.is_empty() {
        return Ok(Ok((plain.tree, String::new())));
    }
    let second = objects.merge(base, tip, &["-X", "ignore-cr-at-eol"])?;
    if second.conflicts.is_empty() {
        return Ok(Ok((second.tree, "line ends left aside".to_owned())));
    }
    let mut changes: Vec<Change> = Vec::new();
    let mut said = Vec::new();
    let mut written = Vec::new();
    for conflict in &plain.conflicts {
        let made = match ways.tool(conflict) {
            Some((begun, tool)) => {
                written.push((&conflict.path, tool));
                Some((begun, tool))
            }
            None => ways.resolve(objects, conflict)?,
        };
        let Some((blob, way)) = made else {
            return Ok(Err(plain.conflicts));
        };
        said.push(format!("{} by {way}", shown(&conflict.path)));
        changes.push((conflict.path.clone(), Some(blob)));
    }
    let mut tree = objects.changed(&plain.tree, &changes)?;
    for (path, tool) in written {
        match ways.write(objects, (&tree, [base, tip]), (path, tool))? {
            Some(blob) => tree = objects.changed(&tree, &[(path.clone(), Some(blob))])?,
            None => return Ok(Err(plain.conflicts)),
        }
    }
    Ok(Ok((tree, said.join(", "))))
}

fn conflict(conflicts: &[Conflict]) -> Made {
    let paths: Vec<String> = conflicts
        .iter()
        .map(|conflict| shown(&conflict.path))
        .collect();
    let mut why = format!("conflicts with merged work in {} file(s):", paths.len());
    for path in paths.iter().take(FILES_MAX) {
        let _ = write!(why, "\n{path}");
    }
    Made::Conflict { why, paths }
}

/// A branch that may be merged.
pub(super) struct Washed {
    pub(super) tip: String,
    /// Does the line hold all of it?
    pub(super) nothing: bool,
}

/// The branch with what Overnight writes as the line has it: none of that is ever merged.
pub(super) fn washed(objects: &Objects, base: &str, tip: &str) -> Result<Washed, Fault> {
    const MESSAGE: &str = "Leave what Overnight writes as the line has it";
    // Where the two have several common ancestors, git gives one.
    let below = git::read(&objects.top, &["merge-base", base, tip])?;
    let diff = ["diff-tree", "-r", "--name-only", "--no-renames", "-z"];
    let diff = [&diff[..], &[below.as_str(), tip, "--"], &OWN[..]].concat();
    let touched = objects.paths(&diff)?;
    if touched.is_empty() {
        let tip = objects.commit_of(tip)?;
        let nothing = below == tip;
        return Ok(Washed { tip, nothing });
    }
    let mut changes: Vec<Change> = touched.into_iter().map(|path| (path, None)).collect();
    let kept = objects.entries(tip, &OWN)?;
    changes.extend(kept.into_iter().map(|(path, _)| (path, None)));
    let theirs = objects.entries(base, &OWN)?;
    changes.extend(theirs.into_iter().map(|(path, blob)| (path, Some(blob))));
    let tree = objects.changed(&objects.tree_of(tip)?, &changes)?;
    let tip = objects.commit(&tree, &[tip], MESSAGE)?;
    Ok(Washed {
        tip,
        nothing: false,
    })
}

/// What must not come onto the line whatever the gates say of it.
fn doubtful(objects: &Objects, tree: &str, changes: &Changes) -> Result<Option<String>, Fault> {
    let marked = markers::added(&changes.patch);
    if !marked.is_empty() {
        return Ok(Some(format!(
            "conflict markers are left in {}",
            marked.join(", ")
        )));
    }
    let added = changes.added();
    // Of most changes that is all.
    if added.is_empty() {
        return Ok(None);
    }
    let all = objects.entries(tree, &[])?;
    let links = all
        .iter()
        .filter(|(path, blob)| blob.mode == GITLINK && added.contains(&path));
    let links: Vec<&PathBuf> = links.map(|(path, _)| path).collect();
    let named = if links.is_empty() {
        Vec::new()
    } else {
        objects.submodules(tree)?
    };
    if let Some(path) = links.into_iter().find(|path| !named.contains(path)) {
        let path = shown(path);
        return Ok(Some(format!(
            "{path} is a repository of its own that no .gitmodules names: a clone would have nothing of it"
        )));
    }
    let text = |path: &PathBuf| path.to_string_lossy().into_owned();
    let added: Vec<String> = added.into_iter().map(text).collect();
    let all: Vec<String> = all.iter().map(|(path, _)| text(path)).collect();
    Ok(paths::doubtful(&added, &all))
}

/// The paths that a branch changes since it left the line; `None` where they are too many.
pub(super) fn changes(objects: &Objects, base: &str, tip: &str) -> Option<Vec<String>> {
    let since = [
        "diff-tree",
        "-r",
        "--merge-base",
        "--name-only",
        "--no-renames",
        "-z",
    ];
    let paths = objects.paths(&[&since[..], &[base, tip]].concat()).ok()?;
    (paths.len() <= CHANGED_MAX).then(|| paths.iter().map(|path| shown(path)).collect())
}

/// What brings everything that conflicts to what the line has.
fn lines_side(objects: &Objects, merged: &Merged, sides: &[&str]) -> Result<Vec<Change>, Fault> {
    let listed = objects.paths(&["ls-tree", "-r", "-z", "--name-only", &merged.tree])?;
    let belongs = |path: &Path| {
        let name = path.to_string_lossy().into_owned();
        paths::set_aside(&name, sides).map(PathBuf::from)
    };
    // What git sets aside of a file and a folder of the same name is in neither side.
    let aside = listed.iter().filter(|path| belongs(path).is_some());
    let mut changes: Vec<Change> = aside.map(|path| (path.clone(), None)).collect();
    let mut kept: Vec<Change> = Vec::new();
    for conflict in &merged.conflicts {
        let [_, line, _] = &conflict.stages;
        match belongs(&conflict.path) {
            // The line's file takes the place of the branch's folder.
            Some(place) if line.is_some() => {
                let below = listed.iter().filter(|path| path.starts_with(&place));
                changes.extend(below.map(|path| (path.clone(), None)));
                kept.push((place, line.clone()));
            }
            Some(_) => {}
            None => kept.push((conflict.path.clone(), line.clone())),
        }
    }
    changes.extend(kept);
    Ok(changes)
}

/// Where a repair begins: the line's tip with everything of the branch that does not conflict. Of
/// what conflicts it has the line's side.
pub(super) fn repair(
    objects: &Objects,
    base: &str,
    tip: &str,
    task: &str,
) -> Result<(String, Vec<Conflict>), Fault> {
    let Washed { tip, nothing } = washed(objects, base, tip)?;
    if nothing {
        return Ok((base.to_owned(), Vec::new()));
    }
    let merged = objects.merge(base, &tip, &[])?;
    let tree = if merged.conflicts.is_empty() {
        merged.tree
    } else {
        objects.changed(&merged.tree, &lines_side(objects, &merged, &[base, &tip])?)?
    };
    let message = format!("Bring {task} to what the others merged\n");
    let commit = objects.commit(&tree, &[base, &tip], &message)?;
    Ok((commit, merged.conflicts))
}

#[cfg(test)]
mod tests;
