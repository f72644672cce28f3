//! `kill -9` of the driver after each step of branch, commit, push and pull request: whoever goes on ends
//! with one branch and one request.

use crate::night::{everything, forge, on_main, request};
use crate::project::Project;
use std::fmt::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// Commands of git and of the forge that change something: a kill before one of them is a kill after
/// the one before it.
const STEPS: &str =
    "update-ref|worktree|commit|commit-tree|switch|merge|read-tree|push|create|edit";
const AGENT: &str = "command:echo work > made.txt; echo '<DONE>made</DONE>'";

/// Puts a program before the real one on the PATH that counts the steps, and kills who started it after
/// the step whose number stands in `kill`.
fn wrap(project: &Project, name: &str, real: &Path) {
    let folder = project.home().join("steps");
    std::fs::create_dir_all(&folder).unwrap();
    let script = format!(
        r#"#!/bin/sh
{real} "$@"
status=$?
for word in "$@"; do
  case $word in
    {STEPS})
      echo "{name} $*" >> {folder}/list
      [ "$(wc -l < {folder}/list)" != "$(cat {folder}/kill 2>/dev/null)" ] ||
        ! ps -o comm= -p $PPID | grep -q overnight || kill -9 $PPID
      break ;;
    -*|*=*|/*) ;;
    *) [ {name} = gh ] || break ;;
  esac
done
exit $status
"#,
        real = real.display(),
        folder = folder.display(),
    );
    let path = project.home().join("bin").join(name);
    std::fs::write(&path, script).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
}

/// A project with a forge, in which the driver is killed after the step of this number.
fn project(kill_after: Option<usize>) -> Project {
    let project = on_main();
    forge(&project);
    let bin = project.home().join("bin");
    let forge = bin.join("real-gh");
    std::fs::rename(bin.join("gh"), &forge).unwrap();
    wrap(&project, "gh", &forge);
    wrap(&project, "git", &git());
    if let Some(step) = kill_after {
        std::fs::write(project.home().join("steps/kill"), step.to_string()).unwrap();
    }
    project
}

fn git() -> PathBuf {
    let found = ["/usr/local/bin/git", "/usr/bin/git", "/bin/git"];
    found
        .map(PathBuf::from)
        .into_iter()
        .find(|path| path.exists())
        .unwrap()
}

fn steps(project: &Project) -> Vec<String> {
    let list = std::fs::read_to_string(project.home().join("steps/list")).unwrap_or_default();
    list.lines().map(str::to_owned).collect()
}

/// What is left of the whole night, whoever was killed on the way.
fn left(project: &Project) -> String {
    let mut text = String::new();
    for name in ["refs/heads/", "refs/remotes/"] {
        let refs = project.git_out(&["for-each-ref", "--format=%(refname)", name]);
        writeln!(text, "{name}: {}", refs.lines().count()).unwrap();
    }
    let branch = request(project, "head");
    let made = project.git_out(&["show", &format!("refs/heads/{}:made.txt", branch.trim())]);
    let pushed = project.git_out(&["ls-remote", "--heads", "origin", branch.trim()]);
    let here = project.git_out(&["rev-parse", &format!("refs/heads/{}", branch.trim())]);
    let same = pushed.starts_with(here.trim());
    let requests = request(project, "calls")
        .lines()
        .filter(|call| call.contains("pr create"))
        .count();
    let trees = project.git_out(&["worktree", "list"]).lines().count();
    write!(
        text,
        "made: {made}pushed: {same}, asked: {}, trees: {trees}",
        requests.min(1)
    )
    .unwrap();
    text
}

#[test]
fn killed_after_any_step_the_next_start_ends_with_one_branch_and_one_request() {
    let whole = project(None);
    let run = ["run", "Make it", "--agent", AGENT];
    whole.overnight(&run).success();
    let (all, expected) = (steps(&whole), left(&whole));
    assert!(all.iter().any(|step| step.contains("push")), "{all:?}");
    assert!(all.iter().any(|step| step.contains("create")), "{all:?}");
    let numbers: Vec<usize> = (1..=all.len()).collect();
    let (one, other) = numbers.split_at(numbers.len() / 2);
    std::thread::scope(|scope| {
        for half in [one, other] {
            let (all, expected) = (&all, &expected);
            scope.spawn(move || {
                for step in half {
                    killed_after(*step, &all[step - 1], expected);
                }
            });
        }
    });
}

#[test]
fn killed_while_another_night_brings_the_request_up_to_date_there_is_still_one() {
    const MORE: &str = "command:echo work >> made.txt; echo '<DONE>made</DONE>'";
    let again = ["run", "Make more", "--agent", MORE];
    // A night on the branch that is checked out, after one that opened a request.
    let second = || {
        let project = project(None);
        project.git(&["switch", "-q", "-c", "auto/mine"]);
        let first = ["run", "Make it", "--agent", MORE];
        project.overnight(&first).success();
        std::fs::remove_file(project.home().join("steps/list")).unwrap();
        project
    };
    let whole = second();
    whole.overnight(&again).success();
    let (all, expected) = (steps(&whole), left(&whole));
    assert!(all.iter().any(|step| step.contains("pr edit")), "{all:?}");
    // Up to there a night that begins on another branch is tried above.
    let pushed = all.iter().position(|step| step.contains(" push "));
    for step in pushed.unwrap() + 1..=all.len() {
        let project = second();
        std::fs::write(project.home().join("steps/kill"), step.to_string()).unwrap();
        project.overnight(&again);
        let name = &all[step - 1];
        let reached = steps(&project).len() >= step;
        assert!(reached, "step {step} ({name}) was not reached");
        project.overnight(&["resume", "--agent", MORE]).success();
        assert_eq!(left(&project), expected, "killed after step {step}: {name}");
        let calls = request(&project, "calls");
        assert_eq!(calls.matches("pr create").count(), 1, "{name}: {calls}");
    }
}

fn killed_after(step: usize, name: &str, expected: &str) {
    let project = project(Some(step));
    let before = everything(&project);
    let run = ["run", "Make it", "--agent", AGENT];
    // Killed, or, where a process of its own took the step, told of it.
    project.overnight(&run);
    let reached = steps(&project).len() >= step;
    assert!(reached, "step {step} ({name}) was not reached");
    project.overnight(&["resume", "--agent", AGENT]).success();
    assert_eq!(left(&project), expected, "killed after step {step}: {name}");
    assert_eq!(
        everything(&project),
        before,
        "killed after step {step}: {name}"
    );
}
