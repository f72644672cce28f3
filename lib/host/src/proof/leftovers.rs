//! What an agent left uncommitted becomes a commit before anything is proved: what is pushed is then
//! what was proved.

use super::objects;
use crate::state::Place;
use overnight_base::fault::Fault;
use std::path::Path;

/// Whose leftovers they are.
#[derive(Debug, Clone, Copy)]
pub struct Trailers<'a> {
    /// The run.
    pub run: &'a str,
    /// The iteration that ended.
    pub iteration: u32,
}

impl Trailers<'_> {
    fn message(self) -> String {
        format!(
            "Keep what the agent left uncommitted\n\nOvernight-Run: {}\nOvernight-Iteration: {}\nOvernight-Note: left uncommitted by the agent",
            self.run, self.iteration
        )
    }
}

/// Commits what the work tree holds beyond its commit, ignored files and our own left out, without
/// hooks, signatures, or filters that are not the person's. On a branch of the run's own
/// (`on_branch`) the branch moves there; else the commit stands by itself. Gives the commit that holds
/// everything. `scratch` is a folder of ours.
pub fn commit(
    place: &Place,
    (scratch, on_branch): (&Path, bool),
    who: Trailers<'_>,
) -> Result<String, Fault> {
    let top = &place.top;
    let filters = objects::without_filters(top);
    let tree = objects::tree(top, &scratch.join("leftovers.index"), &filters)?;
    let head = objects::head(top)?;
    if let Some((commit, own)) = &head
        && *own == tree
    {
        return Ok(commit.clone());
    }
    let parent = head.as_ref().map(|(commit, _)| commit.as_str());
    let made = objects::commit(top, &tree, parent.as_slice(), &who.message())?;
    if on_branch {
        let old = parent.unwrap_or("0000000000000000000000000000000000000000");
        objects::read_at(
            top,
            &[
                "update-ref",
                "-m",
                "overnight: leftovers",
                "HEAD",
                &made,
                old,
            ],
        )?;
        // The index is brought to the commit without a look at the files, which would run filters of
        // the repository; what a merge left unresolved in it is in the commit as it stood.
        objects::read_at(top, &["read-tree", "--reset", "HEAD"])?;
    }
    Ok(made)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{git, state};

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
        let who = Trailers {
            run: "r1",
            iteration: 3,
        };
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
}
