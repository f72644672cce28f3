//! Operations that an agent left open, in real repositories.

use super::*;

struct Repository(tempfile::TempDir);

impl Repository {
    /// Two branches that changed the same line of `f`, and one file each; `mine` is checked out.
    fn new() -> Self {
        let repository = Self(tempfile::tempdir().unwrap());
        repository.git(&["init", "-q", "-b", "line"]);
        repository.commit(&[("f", "base\n"), ("keep", "old\n")], "base");
        repository.git(&["switch", "-q", "-c", "mine"]);
        repository.commit(&[("f", "mine\n"), ("m", "m\n")], "mine");
        repository.git(&["switch", "-q", "line"]);
        repository.commit(&[("f", "theirs\n"), ("t", "t\n")], "theirs");
        repository.git(&["switch", "-q", "mine"]);
        repository
    }

    fn top(&self) -> PathBuf {
        self.0.path().canonicalize().unwrap()
    }

    fn try_git(&self, arguments: &[&str]) -> Output {
        let who = ["-c", "user.name=T", "-c", "user.email=t@example.invalid"];
        git::run(&self.top(), &[&who, arguments].concat()).unwrap()
    }

    fn git(&self, arguments: &[&str]) -> String {
        let done = self.try_git(arguments);
        assert!(done.ok(), "git {arguments:?}: {}", done.stderr);
        done.text()
    }

    fn commit(&self, files: &[(&str, &str)], message: &str) {
        for (name, text) in files {
            std::fs::write(self.top().join(name), text).unwrap();
        }
        self.git(&["add", "-A"]);
        self.git(&["commit", "-q", "-m", message]);
    }

    fn read(&self, name: &str) -> Option<String> {
        std::fs::read_to_string(self.top().join(name)).ok()
    }

    /// What is kept, after everything that settling promises was seen to hold.
    fn settle(&self) -> Option<String> {
        let kept = settle(&self.top(), "mine", "refs/overnight/lost/x/1").unwrap();
        self.git(&["add", "-A"]);
        assert_eq!(self.git(&["ls-files", "-u"]), "");
        let text = self.read("f").unwrap_or_default();
        assert!(!text.contains("<<<<"), "{text}");
        let status = self.git(&["status"]);
        assert!(!status.contains("You are"), "{status}");
        let marked = |name: &String| {
            self.git(&["show", &format!("{name}:f")])
                .contains("<<<<<<<")
        };
        assert!(kept.as_ref().is_none_or(marked));
        kept
    }
}

#[test]
fn a_merge_with_conflicts_is_ended_and_what_was_changed_beside_it_stays() {
    let repository = Repository::new();
    std::fs::write(repository.top().join("keep"), "new\n").unwrap();
    assert!(!repository.try_git(&["merge", "line"]).ok());
    std::fs::write(repository.top().join("later"), "x\n").unwrap();
    assert!(repository.settle().is_some());
    assert_eq!(repository.read("f").unwrap(), "mine\n");
    assert_eq!(repository.read("keep").unwrap(), "new\n");
    assert_eq!(repository.read("later").unwrap(), "x\n");
    assert_eq!(repository.read("t"), None, "half of a merge makes no sense");
}

#[test]
fn a_conflict_that_is_added_with_its_markers_is_a_merge_to_commit_and_to_scan() {
    let repository = Repository::new();
    assert!(!repository.try_git(&["merge", "line"]).ok());
    repository.git(&["add", "-A"]);
    assert_eq!(
        settle(&repository.top(), "mine", "refs/overnight/lost/x/1").unwrap(),
        None
    );
}

#[test]
fn a_stash_that_conflicts_is_ended_though_nothing_says_that_it_is_open() {
    let repository = Repository::new();
    std::fs::write(repository.top().join("f"), "uncommitted\n").unwrap();
    repository.git(&["stash", "-q"]);
    repository.commit(&[("f", "again\n")], "again");
    assert!(!repository.try_git(&["stash", "pop"]).ok());
    assert!(repository.settle().is_some());
    assert_eq!(repository.read("f").unwrap(), "again\n");
}

#[test]
fn a_rebase_and_a_cherry_pick_are_left_for_the_branch() {
    for operation in [["rebase", "line"], ["cherry-pick", "line"]] {
        let repository = Repository::new();
        let before = repository.git(&["rev-parse", "mine"]);
        assert!(!repository.try_git(&operation).ok());
        assert!(repository.settle().is_some(), "{operation:?}");
        assert_eq!(repository.git(&["rev-parse", "mine"]), before);
        assert_eq!(repository.git(&["symbolic-ref", "--short", "HEAD"]), "mine");
        assert_eq!(repository.read("f").unwrap(), "mine\n");
    }
}

#[test]
fn a_file_that_one_side_deleted_is_as_head_has_it() {
    let repository = Repository::new();
    repository.git(&["rm", "-q", "f"]);
    repository.git(&["commit", "-q", "-m", "gone"]);
    assert!(!repository.try_git(&["merge", "line"]).ok());
    settle(&repository.top(), "mine", "refs/overnight/lost/x/1")
        .unwrap()
        .unwrap();
    assert_eq!(repository.read("f"), None);
    assert_eq!(repository.git(&["status", "--porcelain"]), "");
}

#[test]
fn a_work_tree_without_its_git_file_gets_it_back_and_a_foreign_one_goes_aside() {
    let repository = Repository::new();
    let tree = repository.top().join("tree");
    repository.git(&["worktree", "add", "-q", "--detach", "tree"]);
    let common = repository.top().join(".git");
    let pointer = tree.join(".git");
    std::fs::remove_file(&pointer).unwrap();
    assert!(reconnect(&common, &tree).unwrap());
    std::fs::remove_file(&pointer).unwrap();
    git::read(&tree, &["init", "-q"]).unwrap();
    assert!(reconnect(&common, &tree).unwrap());
    assert!(repository.top().join("tree.git-0").is_dir());
    assert_eq!(
        git::read(&tree, &["rev-parse", "HEAD"]).unwrap(),
        repository.git(&["rev-parse", "mine"])
    );
    assert!(!reconnect(&common, &repository.top().join("other")).unwrap());
}

#[test]
fn a_work_tree_whose_folder_in_gits_books_is_gone_is_one_again_with_its_files() {
    let repository = Repository::new();
    let tree = repository.top().join("linked");
    let path = tree.to_string_lossy().into_owned();
    repository.git(&["worktree", "add", "-q", "-b", "work", &path]);
    std::fs::write(tree.join("new"), "new\n").unwrap();
    let common = repository.top().join(".git");
    for left in ["nothing", "a part"] {
        let folder = entry(&common, &tree.join(".git")).unwrap();
        let pointer = std::fs::read(folder.join("gitdir")).unwrap();
        std::fs::remove_dir_all(&folder).unwrap();
        if left == "a part" {
            std::fs::create_dir(&folder).unwrap();
            std::fs::write(folder.join("gitdir"), pointer).unwrap();
        }
        assert!(!reconnect(&common, &tree).unwrap());
        register(&common, &tree, "ref: refs/heads/work").unwrap();
        assert!(reconnect(&common, &tree).unwrap());
        git::read(&tree, &["reset", "--quiet"]).unwrap();
        let status = git::read(&tree, &["status", "--porcelain"]).unwrap();
        assert_eq!(status, "?? new", "{left}");
    }
}

#[test]
fn only_what_all_stands_on_its_branch_is_taken_as_secured_at_one_look() {
    let repository = Repository::new();
    let tip = repository.git(&["rev-parse", "mine"]);
    let looked = || secured(&repository.top(), "mine").unwrap();
    std::fs::write(repository.top().join("tasks.json"), "ours").unwrap();
    assert_eq!(looked(), Some(tip.clone()), "the list is not the agent's");
    assert_eq!(secured(&repository.top(), "line").unwrap(), None);
    for (file, text) in [("new", "n\n"), ("f", "changed\n")] {
        std::fs::write(repository.top().join(file), text).unwrap();
        assert_eq!(looked(), None, "{file}");
        repository.git(&["stash", "push", "-q", "-u", "--", file]);
    }
    repository.git(&["update-ref", "refs/heads/mine", "line"]);
    repository.git(&["read-tree", "line"]);
    assert_eq!(looked(), None, "it was moved from elsewhere");
    repository.git(&["update-ref", "refs/heads/mine", &tip]);
    repository.git(&["read-tree", "mine"]);
    assert_eq!(looked(), Some(tip));
    repository.git(&["merge", "-q", "--no-commit", "-s", "ours", "line"]);
    assert_eq!(looked(), None, "a merge is open");
    repository.git(&["merge", "--quit"]);
    repository.git(&["switch", "-q", "--detach"]);
    assert_eq!(looked(), None, "it is on no branch");
}
