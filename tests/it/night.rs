//! A night of its own: the run works on a branch and in a work tree of its own, and leaves the
//! person's as it is.

use crate::project::Project;
use assert_cmd::cargo::cargo_bin;
use predicates::prelude::PredicateBooleanExt;
use predicates::str::contains;
use std::collections::BTreeMap;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

/// An agent that leaves its work uncommitted.
const LEAVES: &str = "command:echo work > made.txt; echo '<DONE>made</DONE>'";

/// A project whose person stands on `main`.
pub(crate) fn on_main() -> Project {
    let project = Project::new();
    project.git(&["switch", "-q", "-c", "main"]);
    project.git(&["branch", "-q", "-D", "auto/test"]);
    std::fs::write(project.path("tracked"), "1\n").unwrap();
    project.git(&["add", "-A"]);
    project.git(&["commit", "-qm", "tracked"]);
    project
}

/// The branches of the runs.
fn branches(project: &Project) -> Vec<String> {
    let listed = project.git_out(&[
        "for-each-ref",
        "--format=%(refname:short)",
        "refs/heads/auto/",
    ]);
    listed.lines().map(str::to_owned).collect()
}

/// Everything that is the person's: files with their content and mode, index, HEAD and stash. What
/// Overnight shows them is left out.
pub(crate) fn everything(project: &Project) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut all = BTreeMap::new();
    walk(&project.path(""), &mut all);
    for name in [
        "index",
        "HEAD",
        "refs/stash",
        "MERGE_HEAD",
        "config",
        "config.worktree",
        "info/sparse-checkout",
        "modules/library/index",
        "modules/library/HEAD",
        "modules/library/config",
    ] {
        let path = project.path(".git").join(name);
        all.insert(path.clone(), std::fs::read(&path).unwrap_or_default());
    }
    all
}

fn walk(folder: &Path, all: &mut BTreeMap<PathBuf, Vec<u8>>) {
    for entry in std::fs::read_dir(folder).unwrap().flatten() {
        let (path, name) = (entry.path(), entry.file_name());
        if [".git", "agent_logs", "logs", "progress", "current_tasks"]
            .iter()
            .any(|ours| name == *ours)
        {
            continue;
        }
        let about = path.symlink_metadata().unwrap();
        let mut seen = about.permissions().mode().to_be_bytes().to_vec();
        if about.is_symlink() {
            seen.extend(
                std::fs::read_link(&path)
                    .unwrap()
                    .as_os_str()
                    .as_encoded_bytes(),
            );
        } else if about.is_dir() {
            walk(&path, all);
        } else {
            seen.extend(std::fs::read(&path).unwrap());
        }
        all.insert(path, seen);
    }
}

/// A remote, and a `gh` that keeps the requests it is asked for as files.
pub(crate) fn forge(project: &Project) {
    project.git(&["init", "-q", "--bare", ".git/remote.git"]);
    let remote = project.path(".git/remote.git");
    project.git(&["remote", "add", "origin", remote.to_str().unwrap()]);
    project.git(&["push", "-q", "origin", "main"]);
    let bin = project.home().join("bin");
    std::fs::create_dir_all(&bin).unwrap();
    let folder = project.home().join("requests");
    std::fs::create_dir_all(&folder).unwrap();
    let script = format!(
        r#"#!/bin/sh
cd {}
echo "$*" >> calls
while [ $# -gt 0 ]; do
  case $1 in
    create|edit|list|view) verb=$1 ;;
    --head) head=$2 ;;
    --base) echo "$2" > base ;;
    --body-file) cp "$2" body ;;
  esac
  shift
done
case $verb in
  list) [ ! -e url ] && echo '[]' || echo "[{{\"url\":\"$(cat url)\"}}]" ;;
  create) [ ! -e url ] || {{ echo "a pull request already exists: $(cat url)" >&2; exit 1; }}
    echo "$head" > head; echo https://example.invalid/pr/1 | tee url ;;
  edit) echo edited ;;
  view) echo "{{\"state\":\"$(cat state 2>/dev/null || echo OPEN)\"}}" ;;
esac
"#,
        folder.display()
    );
    std::fs::write(bin.join("gh"), script).unwrap();
    std::fs::set_permissions(bin.join("gh"), std::fs::Permissions::from_mode(0o755)).unwrap();
}

pub(crate) fn request(project: &Project, name: &str) -> String {
    std::fs::read_to_string(project.home().join("requests").join(name)).unwrap_or_default()
}

#[test]
fn a_strangers_night_ends_in_a_pull_request_and_leaves_main_alone() {
    let project = on_main();
    forge(&project);
    let main = project.git_out(&["rev-parse", "main"]);
    let before = everything(&project);
    let agent = "command:echo $OVERNIGHT_ITERATION > made.txt; echo '<DONE>made</DONE>'";
    let gate = "grep -q 2 made.txt || { echo expected-two; false; }";
    project
        .overnight(&["run", "Make it: a & b", "--agent", agent, "--gate", gate])
        .success()
        .stderr(contains(
            "pull request (draft): https://example.invalid/pr/1",
        ));
    assert_eq!(everything(&project), before);
    assert_eq!(project.git_out(&["rev-parse", "main"]), main);
    let run = project.only_run();
    let branch = format!("auto/make-it-a-b-{run}");
    assert_eq!(branches(&project), [branch.as_str()]);
    assert_eq!(request(&project, "head").trim(), branch);
    assert_eq!(request(&project, "base").trim(), "main");
    let body = request(&project, "body");
    assert!(
        body.contains("Make it") && body.contains("expected-two"),
        "{body}"
    );
    let clone = project.home().join("clone");
    let remote = project.path(".git/remote.git");
    let (remote, path) = (remote.to_str().unwrap(), clone.to_str().unwrap());
    project.git(&["clone", "-q", "-b", &branch, remote, path]);
    assert_eq!(
        std::fs::read_to_string(clone.join("made.txt")).unwrap(),
        "2\n"
    );
    let log = project.git_out(&["log", "--format=%(trailers)", &format!("main..{branch}")]);
    assert!(log.contains(&format!("Overnight-Run: {run}")), "{log}");
    // The tree is given back, so that the branch can be checked out.
    assert!(!project.git_out(&["worktree", "list"]).contains(&branch));
    assert_eq!(
        project.records("published")[0]["url"],
        "https://example.invalid/pr/1"
    );
    assert!(project.path("progress/README.md").is_file());
    // The receipt says where its commit was offered, here and on the remote.
    project
        .overnight(&["verify", &branch])
        .success()
        .stdout(contains("offered in https://example.invalid/pr/1"));
    let notes = ["ls-remote", "origin", "refs/notes/overnight"];
    let here = project.git_out(&["rev-parse", "refs/notes/overnight"]);
    assert!(project.git_out(&notes).starts_with(here.trim()));
}

type Soil = fn(&Project);

/// Ways in which a tree is dirty.
const DIRT: [(&str, Soil); 9] = [
    ("unstaged", |p| {
        std::fs::write(p.path("tracked"), "mine").unwrap();
    }),
    ("staged", |p| {
        std::fs::write(p.path("staged"), "1").unwrap();
        p.git(&["add", "staged"]);
        std::fs::write(p.path("staged"), "2").unwrap();
    }),
    ("deleted", |p| {
        std::fs::remove_file(p.path("tracked")).unwrap();
    }),
    ("untracked", |p| {
        std::fs::write(p.path("made.txt"), "mine").unwrap();
    }),
    ("odd names", |p| {
        for name in ["a\nb", " lead", "-dash", "ü", "q\"uote"] {
            std::fs::write(p.path(name), "x").unwrap();
        }
    }),
    ("links", |p| {
        symlink("/nowhere", p.path("dangling")).unwrap();
        symlink(".", p.path("loop")).unwrap();
    }),
    ("stash", |p| {
        std::fs::write(p.path("tracked"), "stashed").unwrap();
        p.git(&["stash", "-q"]);
    }),
    ("conflict", |p| {
        p.git(&["switch", "-q", "-c", "side"]);
        std::fs::write(p.path("tracked"), "side").unwrap();
        p.git(&["commit", "-qam", "side"]);
        p.git(&["switch", "-q", "-"]);
        std::fs::write(p.path("tracked"), "other").unwrap();
        p.git(&["commit", "-qam", "other"]);
        let merged = p
            .command("git")
            .args(["merge", "-q", "side"])
            .output()
            .unwrap();
        assert!(!merged.status.success());
    }),
    ("ignored", |p| {
        std::fs::write(p.path(".git/info/exclude"), "secret\n/progress/\n").unwrap();
        std::fs::write(p.path("secret"), "x").unwrap();
    }),
];

#[test]
fn a_dirty_tree_of_any_kind_is_the_same_afterwards() {
    for (name, soil) in DIRT {
        for branch in ["main", "auto/mine"] {
            let project = on_main();
            project.git(&["switch", "-q", "-C", branch]);
            soil(&project);
            let before = everything(&project);
            let tip = project.git_out(&["rev-parse", "HEAD"]);
            let run = ["run", "Make it", "--agent", LEAVES, "--no-pr"];
            project.overnight(&run).success();
            let mut after = everything(&project);
            let head = project.path(".git/HEAD");
            if after[&head] != before[&head] {
                // The branch that was checked out moved on: what is here stays what it was.
                assert_eq!(
                    (branch, project.git_out(&["rev-parse", "HEAD"])),
                    ("auto/mine", tip)
                );
                after.insert(head.clone(), before[&head].clone());
            }
            let made = project.path("made.txt");
            if name == "stash" || name == "ignored" {
                // Nothing uncommitted is there: a branch of the night's that is checked out follows.
                after.remove(&made);
                after.insert(
                    project.path(".git/index"),
                    before[&project.path(".git/index")].clone(),
                );
            }
            assert_eq!(after, before, "{name} on {branch}");
            let own = if branch == "main" {
                branches(&project).remove(0)
            } else {
                branch.to_owned()
            };
            assert_eq!(
                project.git_out(&["show", &format!("{own}:made.txt")]),
                "work\n",
                "{name}"
            );
        }
    }
}

#[test]
fn uncommitted_work_comes_along_when_it_is_asked_for() {
    let project = on_main();
    std::fs::write(project.path("AGENT_PROMPT.md"), "mine").unwrap();
    std::fs::write(project.path("new"), "mine").unwrap();
    let before = everything(&project);
    let run = ["run", "Make it", "--agent", LEAVES, "--with-changes"];
    project.overnight(&run).success();
    assert_eq!(everything(&project), before);
    let branch = branches(&project).remove(0);
    assert_eq!(project.git_out(&["show", &format!("{branch}:new")]), "mine");
    let without = ["run", "Again", "--agent", LEAVES];
    project
        .overnight(&without)
        .success()
        .stderr(contains("2 uncommitted files stay here, untouched"));
}

#[test]
fn two_nights_at_once_keep_to_themselves_and_have_to_be_named() {
    let project = on_main();
    let began = project.meeting("began");
    let waits = format!(
        "command:echo $OVERNIGHT_RUN > made.txt; echo x >> {0}; while [ ! -e {0}.go ]; do sleep 0.02; done; echo '<DONE>ok</DONE>'",
        began.display()
    );
    let start = |goal: &str| {
        let mut command = project.command(cargo_bin!("overnight"));
        command.args(["run", goal, "--agent", &waits]);
        command
            .stderr(std::process::Stdio::null())
            .stdout(std::process::Stdio::null());
        command.spawn().unwrap()
    };
    let mut nights = [start("One"), start("Two")];
    while std::fs::read_to_string(&began).unwrap_or_default().len() < 4 {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    project
        .overnight(&["status"])
        .success()
        .stdout(contains("One").and(contains("Two")));
    project
        .overnight(&["stop"])
        .code(64)
        .stderr(contains("2 runs are under way"));
    std::fs::write(began.with_extension("go"), "").unwrap();
    for night in &mut nights {
        assert!(night.wait().unwrap().success());
    }
    let mut made: Vec<String> = branches(&project)
        .iter()
        .map(|branch| {
            project
                .git_out(&["show", &format!("{branch}:made.txt")])
                .trim()
                .to_owned()
        })
        .collect();
    let mut runs = project.runs();
    made.sort();
    runs.sort();
    assert_eq!(made, runs);
}

#[test]
fn a_night_that_was_killed_ends_with_one_branch_and_one_request() {
    let project = on_main();
    forge(&project);
    let before = everything(&project);
    let began = project.meeting("began");
    let agent = format!(
        "command:echo $OVERNIGHT_ATTEMPT > made.txt; echo x > {0}; [ $OVERNIGHT_ATTEMPT -gt 1 ] || sleep 600; echo '<DONE>ok</DONE>'",
        began.display()
    );
    let mut command = project.command(cargo_bin!("overnight"));
    command.args(["run", "Make it", "--agent", &agent]);
    command
        .stderr(std::process::Stdio::null())
        .stdout(std::process::Stdio::null());
    let mut night = command.spawn().unwrap();
    while !began.exists() {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    night.kill().unwrap();
    night.wait().unwrap();
    // Somebody removed the tree, too.
    let listed = project.git_out(&["worktree", "list", "--porcelain"]);
    let tree = listed
        .split("worktree ")
        .nth(2)
        .unwrap()
        .lines()
        .next()
        .unwrap();
    std::fs::remove_dir_all(tree).unwrap();
    for what in ["draft", "updated"] {
        project
            .overnight(&["resume", "--agent", &agent])
            .success()
            .stderr(contains(format!(
                "pull request ({what}): https://example.invalid/pr/1"
            )));
    }
    assert_eq!(branches(&project).len(), 1);
    assert_eq!(request(&project, "calls").matches("pr create").count(), 1);
    assert_eq!(everything(&project), before);
}

#[test]
fn in_the_morning_nothing_of_overnights_is_uncommitted_wherever_progress_lies() {
    let own = "# プロジェクト進捗: shop\n\n## 自分のメモ\n- keep this\n";
    for (tracked, here) in [(false, false), (false, true), (true, false), (true, true)] {
        let project = on_main();
        if tracked {
            std::fs::create_dir(project.path("progress")).unwrap();
            std::fs::write(project.path("progress/README.md"), own).unwrap();
            project.git(&["add", "progress"]);
            project.git(&["commit", "-qm", "progress"]);
        }
        project.git(&["switch", "-q", "-c", "auto/mine"]);
        let agent = "command:echo work > made.txt; git add made.txt; git commit -qm made; echo '<DONE>made</DONE>'";
        let run = ["run", "Make it", "--agent", agent, "--no-pr", "--here"];
        project
            .overnight(&run[..if here { 6 } else { 5 }])
            .success();
        let status = project.git_out(&["status", "--porcelain"]);
        assert_eq!(status, "", "tracked: {tracked}, here: {here}");
        let shown = if tracked {
            project.git_out(&["show", "auto/mine:progress/README.md"])
        } else {
            project.read("progress/README.md")
        };
        let language = if tracked {
            "- 結果: 完了"
        } else {
            "- Result: Done"
        };
        assert!(shown.contains(language), "{shown}");
        assert_eq!(shown.contains("- keep this"), tracked, "{shown}");
    }
}

#[test]
fn each_iteration_is_a_snapshot_with_untracked_files() {
    let project = on_main();
    let agent = "command:echo $OVERNIGHT_ITERATION > new.txt; [ $OVERNIGHT_ITERATION = 1 ] || echo '<DONE>ok</DONE>'";
    project
        .overnight(&["run", "Make it", "--agent", agent])
        .success();
    let run = project.only_run();
    for (number, text) in [(1, "1\n"), (2, "2\n")] {
        let name = format!("refs/overnight/snapshots/{run}/{number}:new.txt");
        assert_eq!(project.git_out(&["show", &name]), text);
    }
}

#[test]
fn here_works_in_place_and_keeps_what_was_there() {
    let project = on_main();
    std::fs::write(project.path("mine.txt"), "mine").unwrap();
    let run = ["run", "Make it", "--here", "--agent", LEAVES];
    project
        .overnight(&run)
        .success()
        .stderr(contains("is kept as refs/overnight/snapshots/"));
    assert_eq!(project.read("made.txt"), "work\n");
    let kept = format!("refs/overnight/snapshots/{}/before", project.only_run());
    assert_eq!(
        project.git_out(&["show", &format!("{kept}:mine.txt")]),
        "mine"
    );
    assert_eq!(branches(&project), [""; 0]);
}

#[test]
fn a_branch_is_pushed_meanwhile_where_that_is_set() {
    let project = on_main();
    forge(&project);
    std::fs::write(project.path("overnight.toml"), "[run]\npush = 1\n").unwrap();
    let remote = project.path(".git/remote.git");
    let pushed = format!(
        "command:git -C {} branch --list 'auto/*' >> {}; date +%N > made.txt",
        remote.display(),
        project.meeting("seen").display()
    );
    let run = [
        "run",
        "Make it",
        "--agent",
        &pushed,
        "--max-iterations",
        "2",
    ];
    project.overnight(&run).code(1);
    let seen = std::fs::read_to_string(project.meeting("seen")).unwrap();
    assert_eq!(seen.lines().count(), 1, "{seen}");
}

#[test]
fn what_a_merge_left_unmerged_is_kept_aside_and_never_committed_with_its_markers() {
    let project = on_main();
    project.git(&["switch", "-q", "-c", "other"]);
    std::fs::write(project.path("tracked"), "theirs\n").unwrap();
    project.git(&["commit", "-qam", "theirs"]);
    project.git(&["switch", "-q", "main"]);
    std::fs::write(project.path("tracked"), "ours\n").unwrap();
    project.git(&["commit", "-qam", "ours"]);
    let agent = "command:git merge -q other; echo work > made.txt; echo '<DONE>merged</DONE>'";
    for gate in [None, Some("test -f made.txt")] {
        let mut words = vec!["run", "goal", "--no-pr", "--agent", agent];
        words.extend(gate.iter().flat_map(|gate| ["--gate", gate]));
        project.overnight(&words).success();
        let branch = branches(&project).pop().unwrap();
        let at = |path: &str| project.git_out(&["show", &format!("{branch}:{path}")]);
        assert_eq!(at("tracked").trim(), "ours", "{gate:?}");
        assert_eq!(at("made.txt").trim(), "work", "{gate:?}");
        let kept = project.git_out(&["for-each-ref", "refs/overnight/lost/"]);
        assert!(!kept.is_empty(), "{gate:?}");
        project.git(&["branch", "-q", "-D", &branch]);
    }
}
