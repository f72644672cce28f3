//! The person's folder of ours: it is of all projects, and work trees in it may hold work.

use super::{Removal, Trace, quoted};
use crate::files::{self, Content};
use crate::state::Place;
use crate::{git, homes};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

const WHAT: &str = "trust, approvals, work trees of runs, what is switched off";
/// A file that only says where git keeps the books of a work tree.
const POINTER_BYTES_MAX: u64 = 16 << 10;
/// Folders down to one: of a repository, a run, its own, a project.
const DEPTH: usize = 4;

/// A work tree of a run, or a room where claims are proved.
struct Tree {
    path: PathBuf,
    /// Where its repository keeps the books of it.
    books: PathBuf,
    /// Do agents work in it?
    is_worked_in: bool,
}

/// It goes as a whole where nothing in it is another project's or work; else what is this project's goes.
pub(super) fn find(place: &Place, state: PathBuf) -> Vec<Trace> {
    if !state.is_dir() {
        return Vec::new();
    }
    let common = place.git_common.as_deref().unwrap_or(&place.top);
    let common = homes::real(common);
    let (own, others): (Vec<Tree>, Vec<Tree>) = trees(&state)
        .into_iter()
        .partition(|tree| tree.books.starts_with(&common));
    let (work, idle): (Vec<Tree>, Vec<Tree>) = own
        .into_iter()
        .partition(|tree| tree.is_worked_in && holds_work(&tree.path));
    let projects: BTreeSet<PathBuf> = others
        .iter()
        .filter_map(|tree| project(&tree.books))
        .collect();
    if work.is_empty() && projects.is_empty() {
        return vec![ours(state, WHAT)];
    }
    let key = homes::repository_key(place);
    let whole = ["worktrees", "rooms"].map(|kind| state.join(kind).join(&key));
    let whole = whole
        .into_iter()
        .filter(|folder| folder.is_dir() && !work.iter().any(|tree| tree.path.starts_with(folder)));
    let mut gone: Vec<PathBuf> = whole.collect();
    let single: Vec<PathBuf> = { idle }
        .into_iter()
        .map(|tree| tree.path)
        .filter(|path| !gone.iter().any(|folder| path.starts_with(folder)))
        .collect();
    gone.extend(single);
    let ours_alone = |path| ours(path, "work trees and rooms of runs of this project");
    let mut found: Vec<Trace> = gone.into_iter().map(ours_alone).collect();
    found.extend(work.iter().map(|tree| {
        let path = quoted(&tree.path);
        let command = format!("git -C {path} status    # look, then: rm -r {path}");
        persons(&tree.path, "work of a run that no branch has", command)
    }));
    found.push(if projects.is_empty() {
        persons(&state, WHAT, format!("rm -r {}", quoted(&state)))
    } else {
        let there = projects
            .iter()
            .map(|top| format!("(cd {} && overnight uninstall)", quoted(top)));
        let there: Vec<String> = there.collect();
        let what =
            "trust, approvals, work trees of other projects, too; it goes with the last of them";
        persons(&state, what, there.join("; "))
    });
    found
}

fn ours(path: PathBuf, what: &str) -> Trace {
    Trace {
        what: format!("{}: {what}", path.display()),
        command: format!("rm -r {}", quoted(&path)),
        removal: Removal::Folder(path),
    }
}

fn persons(path: &Path, what: &str, command: String) -> Trace {
    Trace {
        what: format!("{}: {what}", path.display()),
        command,
        removal: Removal::ByPerson,
    }
}

/// Those whose repository is still there: of another nothing could be had.
fn trees(state: &Path) -> Vec<Tree> {
    let mut found = Vec::new();
    for kind in ["worktrees", "rooms"] {
        below(&state.join(kind), DEPTH, &mut |path, books| {
            found.push(Tree {
                path,
                books,
                is_worked_in: kind == "worktrees",
            });
        });
    }
    found
}

/// Tells of each work tree in the folder; into one it does not look.
fn below(folder: &Path, depth: usize, tell: &mut impl FnMut(PathBuf, PathBuf)) {
    for path in folders(folder) {
        if let Some(books) = books(&path) {
            tell(path, books);
        } else if depth > 1 {
            below(&path, depth - 1, tell);
        }
    }
}

fn folders(path: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(path).into_iter().flatten().flatten();
    let folders = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
    folders.map(|entry| entry.path()).collect()
}

fn books(tree: &Path) -> Option<PathBuf> {
    let read = files::read_bounded(&tree.join(".git"), POINTER_BYTES_MAX);
    let Ok(Content::Bytes(bytes)) = read else {
        return None;
    };
    let text = String::from_utf8(bytes).ok()?;
    let named = PathBuf::from(text.strip_prefix("gitdir: ")?.trim_end());
    named.is_dir().then(|| homes::real(&named))
}

/// The project of `PROJECT/.git/worktrees/NAME`.
fn project(books: &Path) -> Option<PathBuf> {
    Some(books.parent()?.parent()?.parent()?.to_owned())
}

/// Something is uncommitted there, or committed on no branch; also where git does not say.
fn holds_work(tree: &Path) -> bool {
    let says = |words: &[&str]| git::read(tree, words).ok();
    let is_clean = says(&["status", "--porcelain"]).is_some_and(|text| text.is_empty());
    let kept = ["for-each-ref", "--contains", "HEAD", "--count=1"];
    let is_kept = says(&kept).is_some_and(|text| !text.is_empty());
    !(is_clean && is_kept)
}
