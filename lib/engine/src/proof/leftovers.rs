//! What an agent left uncommitted becomes a commit before anything is proved: what is pushed is then
//! what was proved.

use super::objects;
use crate::files::FileLock;
use crate::state::Place;
use crate::{git, homes, trees, unfinished};
use overnight_base::fault::Fault;
use std::path::Path;
use std::time::Duration;

/// How often the branch may be moved by others meanwhile.
const MOVES_MAX: u32 = 20;
/// How long another one of this clone is waited for.
const WAIT: Duration = Duration::from_mins(1);

/// Commits what the work tree holds beyond its commit, ignored files and our own left out, without
/// hooks, signatures, or filters that are not the person's. On a branch of the run's own
/// (`on_branch`) the branch moves there; else the commit stands by itself. Gives the commit that holds
/// everything. `scratch` is a folder of ours.
pub fn commit(
    place: &Place,
    (scratch, on_branch): (&Path, bool),
    message: &str,
) -> Result<String, Fault> {
    let top = &place.top;
    let filters = git::without_filters(top);
    // Sessions may share a tree: one of them commits at a time.
    let _lock = FileLock::acquire(&place.state.join("leftovers.lock"), WAIT)?;
    if on_branch {
        end_unfinished(place)?;
    }
    let mut moved = 0;
    loop {
        let head = objects::head(top)?;
        let tree = objects::tree(place, &scratch.join("leftovers.index"), &filters)?;
        if let Some((commit, own)) = &head
            && *own == tree
        {
            return Ok(commit.clone());
        }
        let parent = head.as_ref().map(|(commit, _)| commit.as_str());
        let made = objects::commit(top, &tree, parent.as_slice(), message)?;
        if !on_branch {
            return Ok(made);
        }
        match advance(top, &made, parent) {
            Ok(()) => return Ok(made),
            // Some other git commits in this tree too: what is left then is looked at again.
            Err(_) if moved < MOVES_MAX && head != objects::head(top)? => moved += 1,
            Err(fault) => return Err(fault),
        }
    }
}

/// What a merge, rebase or stash left unmerged is not committed with its markers: in a work tree of
/// ours it is kept under a ref of its own, and its files are as the branch has them.
fn end_unfinished(place: &Place) -> Result<(), Fault> {
    let ours = homes::outside(place, "worktrees").and_then(|folder| folder.canonicalize().ok());
    let ours = ours.is_some_and(|folder| place.top.starts_with(folder));
    // A tree of ours lies in its run's folder.
    let run = place.top.parent().and_then(Path::file_name);
    let Some(run) = run.filter(|_| ours) else {
        return Ok(());
    };
    let side = format!("refs/overnight/lost/{}", run.display());
    let branch = place.branch().unwrap_or_default();
    if trees::is_members(place) {
        // Upon a commit of somebody else's, what is left would undo that one's work.
        trees::put_back(&place.top, &branch, &side)?;
    }
    unfinished::settle(&place.top, &branch, &side).map(drop)
}

/// Brings the branch from its old commit to the new one, and the index with it.
fn advance(top: &Path, made: &str, parent: Option<&str>) -> Result<(), Fault> {
    // Nothing: it must not be there.
    let old = parent.unwrap_or("");
    let update = [
        "update-ref",
        "-m",
        "overnight: leftovers",
        "HEAD",
        made,
        old,
    ];
    objects::read_at(top, &update)?;
    // What a merge left unresolved in the index is in the commit as it stood. Git looks at files here,
    // too.
    let mut read = objects::command(top);
    read.args(git::without_filters(top).iter().flat_map(|off| ["-c", off]));
    // Read as a full one, a sparse check-out's index would not follow.
    read.args(["-c", "core.sparseCheckout=true"]);
    read.args(["read-tree", "--reset", "HEAD"]);
    objects::read(read).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state;

    #[test]
    fn leftovers_are_committed_with_trailers_past_hooks_and_filters() {
        let folder = tempfile::tempdir().unwrap();
        let top = folder.path().canonicalize().unwrap();
        let git = |arguments: &[&str]| git::read(&top, arguments).unwrap();
        git(&["init", "-q", "-b", "auto/x"]);
        std::fs::write(top.join(".gitattributes"), "*.txt filter=evil\n").unwrap();
        git(&["config", "filter.evil.clean", "touch ran; cat"]);
        git(&["config", "filter.evil.required", "true"]);
        std::fs::write(top.join(".git/hooks/pre-commit"), "#!/bin/sh\nexit 1\n").unwrap();
        std::fs::write(top.join("a.txt"), "a\n").unwrap();
        std::fs::create_dir(top.join("progress")).unwrap();
        std::fs::write(top.join("progress/README.md"), "ours\n").unwrap();
        let scratch = tempfile::tempdir().unwrap();
        let place = state::locate(&top).unwrap();
        let who = "what\n\nOvernight-Iteration: 3";
        let made = commit(&place, (scratch.path(), true), who).unwrap();
        assert_eq!(git(&["rev-parse", "HEAD"]), made);
        assert_eq!(
            git(&[
                "log",
                "-1",
                "--format=%(trailers:key=Overnight-Iteration,valueonly)"
            ])
            .trim(),
            "3"
        );
        assert_eq!(
            git(&["ls-tree", "-r", "--name-only", "HEAD"]),
            ".gitattributes\na.txt"
        );
        assert!(!top.join("ran").exists());
        assert_eq!(
            commit(&place, (scratch.path(), true), who).unwrap(),
            made,
            "nothing is left"
        );
        std::fs::write(top.join("b"), "b\n").unwrap();
        let apart = commit(&place, (scratch.path(), false), who).unwrap();
        assert_eq!(git(&["rev-parse", "HEAD"]), made);
        assert_eq!(git(&["rev-parse", &format!("{apart}^")]), made);
    }

    #[test]
    fn leftovers_outside_of_a_sparse_check_out_are_committed_and_what_is_not_there_stays() {
        let folder = tempfile::tempdir().unwrap();
        let top = folder.path().canonicalize().unwrap();
        let author = ["-c", "user.name=t", "-c", "user.email=t@t"];
        let git = |arguments: &[&str]| git::read(&top, &[&author[..], arguments].concat()).unwrap();
        git(&["init", "-q", "-b", "auto/x"]);
        for path in ["in/a", "out/b", "out/c"] {
            std::fs::create_dir_all(top.join(path).parent().unwrap()).unwrap();
            std::fs::write(top.join(path), "old\n").unwrap();
        }
        git(&["add", "-A"]);
        git(&["commit", "-q", "-m", "all"]);
        git(&["sparse-checkout", "set", "--cone", "in"]);
        std::fs::create_dir_all(top.join("out")).unwrap();
        for path in ["in/a", "out/b", "out/new"] {
            std::fs::write(top.join(path), "new\n").unwrap();
        }
        let scratch = tempfile::tempdir().unwrap();
        let place = state::locate(&top).unwrap();
        let made = commit(&place, (scratch.path(), true), "left").unwrap();
        let at = |path: &str| git(&["show", &format!("{made}:{path}")]);
        assert_eq!(
            ["in/a", "out/b", "out/c", "out/new"].map(at),
            ["new", "new", "old", "new"]
        );
        assert_eq!(git(&["status", "--porcelain"]), "");
        assert_eq!(
            commit(&place, (scratch.path(), true), "left").unwrap(),
            made
        );
    }
}
