//! Where a name stands, read where git keeps it in a file of its own: a git process costs a hundred times as much.

use crate::state::{self, Place};

/// The object that `HEAD` or a branch leads to. `None`: git is to be asked, which keeps many names in one file,
/// or in tables.
pub fn loose(place: &Place, name: &str) -> Option<String> {
    let folder = if name == "HEAD" {
        &place.git
    } else {
        &place.git_common
    };
    let text = state::pointer(&folder.as_ref()?.join(name)).ok()??;
    if let Some(branch) = text.strip_prefix("ref: ").filter(|_| name == "HEAD") {
        let is_branch = branch.starts_with("refs/heads/") && !branch.contains("..");
        return is_branch.then(|| loose(place, branch))?;
    }
    let is_id = matches!(text.len(), 40 | 64) && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_id.then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::git::read;

    #[test]
    fn a_name_is_read_as_git_reads_it_or_left_to_git() {
        let folder = tempfile::tempdir().unwrap();
        let top = folder.path().canonicalize().unwrap();
        let author = ["-c", "user.name=t", "-c", "user.email=t@t"];
        let git = |arguments: &[&str]| read(&top, &[&author[..], arguments].concat()).unwrap();
        git(&["init", "-q", "-b", "auto/x"]);
        let place = state::locate(&top).unwrap();
        assert_eq!(loose(&place, "HEAD"), None, "nothing is committed yet");
        git(&["commit", "-q", "--allow-empty", "-m", "one"]);
        let one = git(&["rev-parse", "HEAD"]);
        let tree = top.join("tree");
        git(&["worktree", "add", "-q", "-b", "b", &tree.to_string_lossy()]);
        git(&["commit", "-q", "--allow-empty", "-m", "two"]);
        let two = git(&["rev-parse", "HEAD"]);
        let linked = state::locate(&tree).unwrap();
        for (place, name, commit) in [
            (&place, "HEAD", &two),
            (&place, "refs/heads/b", &one),
            (&linked, "HEAD", &one),
            (&linked, "refs/heads/auto/x", &two),
        ] {
            assert_eq!(loose(place, name).as_ref(), Some(commit), "{name}");
        }
        git(&["pack-refs", "--all"]);
        for name in ["HEAD", "refs/heads/b", "refs/heads/none"] {
            assert_eq!(loose(&place, name), None, "{name}");
        }
        git(&["switch", "-q", "--detach"]);
        assert_eq!(loose(&place, "HEAD"), Some(two));
        let head = place.git.as_ref().unwrap().join("HEAD");
        for said in ["ref: refs/heads/../../HEAD", "ref: HEAD", "z", ""] {
            std::fs::write(&head, said).unwrap();
            assert_eq!(loose(&place, "HEAD"), None, "{said}");
        }
    }
}
