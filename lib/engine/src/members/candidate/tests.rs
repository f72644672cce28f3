//! Candidates and beginnings of repairs in real repositories.

use super::*;
use crate::git;
use crate::round::globs;
use crate::trees;

struct Repository(tempfile::TempDir);

impl Repository {
    /// What both sides begin with stands on `line` and `work`.
    fn new(files: &[(&str, &str)]) -> Self {
        Self::of_kind("--object-format=sha1", files)
    }

    fn of_kind(kind: &str, files: &[(&str, &str)]) -> Self {
        let repository = Self(tempfile::tempdir().unwrap());
        repository.git(&["init", "-q", "-b", "line", kind]);
        repository.git(&["config", "user.name", "T"]);
        repository.git(&["config", "user.email", "t@example.invalid"]);
        repository.commit("line", files);
        repository.git(&["branch", "work"]);
        repository
    }

    fn git(&self, arguments: &[&str]) -> String {
        git::read(self.0.path(), arguments).unwrap()
    }

    fn commit(&self, branch: &str, files: &[(&str, &str)]) -> String {
        if self.git(&["symbolic-ref", "--short", "HEAD"]) != branch {
            self.git(&["switch", "-q", branch]);
        }
        for (name, text) in files {
            let path = self.0.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        self.git(&["add", "-A"]);
        self.git(&["commit", "-q", "--allow-empty", "-m", branch]);
        self.git(&["rev-parse", "HEAD"])
    }

    fn objects(&self) -> Objects {
        Objects {
            top: self.0.path().to_owned(),
            index: self.0.path().join(".git/queue-index"),
        }
    }

    fn make(&self, base: &str, tip: &str, union: bool) -> Made {
        self.make_with(base, tip, (union, &[]))
    }

    fn make_with(
        &self,
        base: &str,
        tip: &str,
        (union, tools): (bool, &[(globset::GlobSet, String)]),
    ) -> Made {
        let message = "Merge";
        let ways = &Ways {
            union,
            tools,
            write: &|commit, command, path| {
                let path = path.to_string_lossy();
                let begun = self.show(commit, &path);
                Ok((command != "fails").then(|| format!("{begun} then {command}").into_bytes()))
            },
        };
        let wanted = Wanted { tip, message, ways };
        make(&self.objects(), base, &wanted).unwrap()
    }

    fn show(&self, commit: &str, path: &str) -> String {
        self.git(&["show", &format!("{commit}:{path}")])
    }
}

#[test]
fn lines_that_both_sides_insert_are_kept_unless_that_is_switched_off_or_breaks_the_file() {
    let repository = Repository::new(&[("log", "# Log\n"), ("p.json", "{\n}\n")]);
    let base = repository.commit("line", &[("log", "# Log\na\n")]);
    let tip = repository.commit("work", &[("log", "# Log\nb\n")]);
    let Made::Candidate { commit, way } = repository.make(&base, &tip, true) else {
        panic!("no candidate");
    };
    assert_eq!(
        (repository.show(&commit, "log").as_str(), way.as_str()),
        ("# Log\na\nb", "log by union")
    );
    let Made::Conflict { paths, .. } = repository.make(&base, &tip, false) else {
        panic!("union is off");
    };
    assert_eq!(paths, ["log"]);
    let base = repository.commit("line", &[("p.json", "{\n\"a\": 1\n}\n")]);
    let tip = repository.commit(
        "work",
        &[("log", "# Log\n"), ("p.json", "{\n\"b\": 1\n}\n")],
    );
    assert!(matches!(
        repository.make(&base, &tip, true),
        Made::Conflict { .. }
    ));
}

#[test]
fn a_lock_file_is_written_by_its_tool_from_the_lines_or_goes_to_an_agent() {
    let repository = Repository::new(&[("web/x.lock", "1")]);
    let base = repository.commit("line", &[("web/x.lock", "line")]);
    let tip = repository.commit("work", &[("web/x.lock", "work")]);
    let tool = |command: &str| [(globs(&["**/*.lock".to_owned()]), command.to_owned())];
    let made = repository.make_with(&base, &tip, (false, &tool("lock")));
    let Made::Candidate { commit, way } = made else {
        panic!("no candidate");
    };
    assert_eq!(repository.show(&commit, "web/x.lock"), "line then lock");
    assert_eq!(way, "web/x.lock by lock");
    for tools in [&tool("fails")[..], &[]] {
        let made = repository.make_with(&base, &tip, (true, tools));
        assert!(matches!(made, Made::Conflict { .. }));
    }
}

#[test]
fn what_overnight_writes_stays_as_the_line_has_it() {
    let repository = Repository::new(&[("tasks.json", "{}\n"), ("x", "1\n")]);
    let base = repository.commit("line", &[("tasks.json", "{\"line\": 1}\n")]);
    let ours = [
        ("tasks.json", "{\"agent\": 1}\n"),
        ("progress/README.md", "x\n"),
        ("x", "2\n"),
    ];
    let tip = repository.commit("work", &ours);
    let Made::Candidate { commit, .. } = repository.make(&base, &tip, true) else {
        panic!("no candidate");
    };
    assert_eq!(repository.show(&commit, "tasks.json"), "{\"line\": 1}");
    let listed = repository.git(&["ls-tree", "-r", "--name-only", &commit]);
    assert_eq!(listed, "tasks.json\nx");
    assert_eq!(repository.show(&commit, "x"), "2");
}

#[test]
fn markers_are_refused_whatever_attributes_say_of_them() {
    let repository = Repository::new(&[(".gitattributes", "* -diff\n")]);
    let base = repository.commit("line", &[("y", "1\n")]);
    let tip = repository.commit("work", &[("x", "<<<<<<< a\n=======\n>>>>>>> b\n")]);
    let Made::Doubtful(why) = repository.make(&base, &tip, true) else {
        panic!("markers on the line");
    };
    assert!(why.contains("conflict markers are left in x"), "{why}");
    let tip = repository.commit("work", &[("x", "Heading\n=======\n")]);
    assert!(matches!(
        repository.make(&base, &tip, true),
        Made::Candidate { .. }
    ));
}

#[test]
fn a_repair_begins_with_the_lines_side_of_what_conflicts_and_all_of_the_rest() {
    let repository = Repository::new(&[("f", "base\n")]);
    let base = repository.commit("line", &[("f", "line\n"), ("d", "file\n")]);
    let tip = repository.commit(
        "work",
        &[("f", "work\n"), ("d/below", "x\n"), ("new", "x\n")],
    );
    let (start, conflicts) = repair(&repository.objects(), &base, &tip, "t").unwrap();
    assert_eq!(conflicts.len(), 2);
    let listed = repository.git(&["ls-tree", "-r", "--name-only", &start]);
    assert_eq!(listed, "d\nf\nnew");
    assert_eq!(repository.show(&start, "f"), "line");
    assert!(matches!(
        repository.make(&base, &start, true),
        Made::Candidate { .. }
    ));
}

#[test]
fn a_history_of_its_own_comes_to_follow_the_line() {
    let repository = Repository::new(&[("f", "base\n")]);
    let line = repository.git(&["rev-parse", "line"]);
    repository.git(&["switch", "-q", "--orphan", "alone"]);
    let tip = repository.commit("alone", &[("f", "work\n")]);
    repository.git(&["branch", "-qf", "work", &tip]);
    let grafted = trees::graft(repository.0.path(), ("work", &tip), &line).unwrap();
    assert_eq!(repository.git(&["rev-parse", "work"]), grafted);
    let Made::Candidate { commit, .. } = repository.make(&line, &grafted, true) else {
        panic!("no candidate");
    };
    assert_eq!(repository.show(&commit, "f"), "work");
}

#[test]
fn a_repository_within_that_no_gitmodules_names_is_refused() {
    let repository = Repository::new(&[("f", "1\n")]);
    let line = repository.git(&["rev-parse", "line"]);
    repository.git(&["switch", "-q", "work"]);
    let entry = format!("160000,{line},sub");
    repository.git(&["update-index", "--add", "--cacheinfo", &entry]);
    repository.git(&["commit", "-q", "-m", "work"]);
    let Made::Doubtful(why) = repository.make(&line, "work", true) else {
        panic!("a clone would have nothing of it");
    };
    assert!(why.contains("sub is a repository of its own"), "{why}");
    let named = "[submodule \"s\"]\n\tpath = sub\n\turl = ../s\n";
    std::fs::write(repository.0.path().join(".gitmodules"), named).unwrap();
    repository.git(&["add", ".gitmodules"]);
    repository.git(&["commit", "-q", "-m", "named"]);
    assert!(matches!(
        repository.make(&line, "work", true),
        Made::Candidate { .. }
    ));
}

#[test]
fn a_branch_that_its_agent_deleted_is_put_back() {
    let repository = Repository::new(&[("f", "base\n")]);
    let tip = repository.commit("work", &[("f", "work\n")]);
    let top = repository.0.path();
    repository.git(&["update-ref", "-d", "refs/heads/work"]);
    let secured = trees::secure(top, "work", "refs/overnight/lost/t/1").unwrap();
    assert_eq!(secured.tip, tip);
}

#[test]
fn object_names_may_be_longer() {
    let repository = Repository::of_kind("--object-format=sha256", &[("f", "1\n")]);
    let base = repository.commit("line", &[("g", "2\n")]);
    let tip = repository.commit("work", &[("h", "3\n"), ("progress/README.md", "forged\n")]);
    let washed = washed(&repository.objects(), &base, &tip).unwrap();
    let listed = repository.git(&["ls-tree", "-r", "--name-only", &washed.tip]);
    assert_eq!(listed, "f\nh");
}
