//! Bringing work together when something comes in between.

use super::{TOGETHER, project, statuses};
use crate::project::Project;
use serde_json::Value;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

const AGENT: &str = "command:mkdir -p out; echo x > out/$OVERNIGHT_TASK; echo '<DONE>ok</DONE>'";

/// A bare copy of the project that is its `origin`.
fn with_remote(project: &Project) -> PathBuf {
    let remote = project.path("../remote.git");
    let name = remote.to_str().unwrap();
    project.git(&["clone", "-q", "--bare", ".", name]);
    project.git(&["remote", "add", "origin", name]);
    remote
}

fn script(path: &Path, text: &str) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
}

/// The first parents of the line at `remote`, newest first: their subjects.
fn line(project: &Project, remote: &Path) -> Vec<String> {
    let git_dir = format!("--git-dir={}", remote.display());
    let log = ["log", "--first-parent", "--format=%s", "auto/test"];
    let log = project.git_out(&[&[git_dir.as_str()], &log[..]].concat());
    log.lines().map(str::to_owned).collect()
}

#[test]
fn branches_that_are_good_alone_and_red_together_go_back_to_an_agent_once() {
    let project = project(&[("a", &[]), ("b", &[])]);
    let agent = format!(
        "command:{TOGETHER} mkdir -p out; echo x > out/$OVERNIGHT_TASK; \
         [ -z \"$(ls out | sed -n 2p)\" ] || {{ cat > $HOME/.cache/told; touch both.ok; }}; echo '<DONE>ok</DONE>'"
    );
    let gate = "[ $OVERNIGHT_PORT -ge 20000 ] || exit 1; [ -e both.ok ] || [ $(ls out 2>/dev/null | wc -l) -lt 2 ]";
    project
        .run(&["--members", "2", "--gate", gate, "--agent", &agent])
        .success();
    assert!(project.path("both.ok").exists());
    let told = project.read("../home/.cache/told");
    assert!(told.contains("the merged work does not hold"), "{told}");
    assert!(statuses(&project).values().all(|status| status == "done"));
    project
        .overnight(&["replay", &project.only_run()])
        .success();
}

#[test]
fn a_branch_that_another_member_moved_is_put_back_before_anything_is_committed_on_it() {
    let project = project(&[("a", &[]), ("b", &[])]);
    let wait = |for_what: &str| {
        format!(
            "for i in $(seq 100); do [ -e $HOME/.cache/{for_what} ] && break; sleep 0.1; done; "
        )
    };
    let agent = format!(
        "command:mkdir -p out; echo x > out/$OVERNIGHT_TASK; git add -A; git commit -qm x; \
         case $OVERNIGHT_TASK in \
         a) {}git update-ref refs/heads/$(git branch --show-current | sed s/a$/b/) HEAD; touch $HOME/.cache/moved;; \
         b) touch $HOME/.cache/begun; {}echo more > out/more;; esac; echo '<DONE>ok</DONE>'",
        wait("begun"),
        wait("moved")
    );
    project
        .run(&["--members", "2", "--agent", &agent])
        .success();
    assert!(project.path("../home/.cache/moved").exists());
    let files = project.git_out(&["ls-tree", "-r", "--name-only", "auto/test", "out"]);
    assert_eq!(files, "out/a\nout/b\nout/more\n");
}

#[test]
fn a_member_that_begins_where_its_gates_were_just_run_does_not_run_them_again() {
    let project = project(&[("a", &[]), ("b", &["a"])]);
    project
        .run(&[
            "--members",
            "1",
            "--gate",
            "date +%s%N; cat out/*",
            "--agent",
            AGENT,
        ])
        .success();
    let run = project.journal(&project.only_run());
    let said = |journal: PathBuf, event: &str, of: &dyn Fn(&Value) -> Value| {
        let text = std::fs::read_to_string(journal).unwrap();
        let line = text.lines().find(|line| line.contains(event)).unwrap();
        let outcomes = of(&serde_json::from_str(line).unwrap());
        let command = |gate: &Value| gate["command"].as_str().unwrap().to_owned();
        let mut outcomes = outcomes.as_array().unwrap().iter();
        outcomes
            .find(|gate| command(gate).starts_with("date"))
            .unwrap()["tail"]
            .clone()
    };
    let told = |journal| said(journal, "\"baseline\"", &|event| event["outcomes"].clone());
    let merged = |event: &Value| event["answer"]["merged"]["gates"].clone();
    let member = |task: &str| {
        run.with_file_name("members")
            .join(task)
            .join("journal.jsonl")
    };
    assert_eq!(told(run.clone()), told(member("a")));
    assert_ne!(told(run.clone()), told(member("b")), "the line has moved");
    assert_eq!(
        said(run.clone(), "\"merge_ended\"", &merged),
        told(member("b")),
        "the queue has just run it there"
    );
}

#[test]
fn a_push_that_another_driver_beats_is_made_again_on_its_result() {
    let project = project(&[("a", &[])]);
    let remote = with_remote(&project);
    // At our first push somebody else's merge is there an instant before.
    script(
        &remote.join("hooks/update"),
        "#!/bin/sh\n[ $1 = refs/heads/auto/test ] && [ ! -e raced ] || exit 0\ntouch raced\n\
         c=$(git -c user.name=f -c user.email=f@f commit-tree -p $2 -m faster $2^{tree}) || exit 1\n\
         git update-ref refs/heads/auto/test $c $2\n",
    );
    project
        .run(&["--members", "1", "--no-pr", "--agent", AGENT])
        .success();
    assert!(remote.join("raced").exists());
    let line = line(&project, &remote);
    assert!(line[0].starts_with("Merge a"), "{line:?}");
    assert_eq!(line[1], "faster", "{line:?}");
}

#[test]
fn a_branch_that_went_another_way_than_the_line_is_joined_with_it() {
    let project = project(&[("a", &[])]);
    let remote = with_remote(&project);
    let other = project.path("../other");
    let name = other.to_str().unwrap();
    project.git(&["clone", "-q", remote.to_str().unwrap(), name]);
    std::fs::write(other.join("theirs.txt"), "x").unwrap();
    project.git(&["-C", name, "add", "-A"]);
    project.git(&["-C", name, "commit", "-q", "-m", "theirs"]);
    project.git(&["-C", name, "push", "-q", "origin", "auto/test"]);
    std::fs::write(project.path("mine.txt"), "x").unwrap();
    project.git(&["add", "mine.txt"]);
    project.git(&["commit", "-q", "-m", "mine"]);
    project
        .run(&["--members", "1", "--no-pr", "--agent", AGENT])
        .success();
    for file in ["mine.txt", "theirs.txt", "out/a"] {
        assert!(project.path(file).exists(), "{file}");
    }
    let line = line(&project, &remote);
    assert!(
        line.contains(&"theirs".to_owned()),
        "never forced: {line:?}"
    );
    let git_dir = format!("--git-dir={}", remote.display());
    assert_eq!(
        project.git_out(&[&git_dir, "rev-parse", "auto/test"]),
        project.git_out(&["rev-parse", "auto/test"])
    );
}

/// A git that kills the driver at its nth call once the agent has done its work: before the real
/// one for odd n, after it for even n.
const WRAPPER: &str = "#!/bin/sh\n\
    if [ -e $HOME/.cache/armed ]; then\n\
      n=$(($(cat $HOME/.cache/calls 2>/dev/null || echo 0) + 1)); echo $n > $HOME/.cache/calls\n\
      if [ $n = $(cat $HOME/.cache/fatal) ]; then\n\
        rm -f $HOME/.cache/armed\n\
        if [ $((n % 2)) = 0 ]; then /usr/bin/git \"$@\"; fi\n\
        kill -9 $(cat $HOME/.cache/driver); exit 1\n\
      fi\n\
    fi\n\
    exec /usr/bin/git \"$@\"\n";

/// One kill; `false` when the run ended before its nth call.
fn killed_at(n: usize) -> bool {
    let project = project(&[("a", &[]), ("b", &["a"])]);
    let remote = with_remote(&project);
    script(&project.home().join("bin/git"), WRAPPER);
    let home = |name: &str| project.meeting(name);
    std::fs::write(home("fatal"), n.to_string()).unwrap();
    let agent = "command:mkdir -p out; echo x > out/$OVERNIGHT_TASK; \
        if [ $OVERNIGHT_TASK = a ] && [ ! -e $HOME/.cache/once ]; then until [ -s $HOME/.cache/driver ]; do sleep 0.01; done; touch $HOME/.cache/once $HOME/.cache/armed; fi; \
        echo '<DONE>ok</DONE>'";
    let mut driver = project.start(&["--members", "1", "--no-pr", "--agent", agent]);
    std::fs::write(home("driver.new"), driver.id().to_string()).unwrap();
    std::fs::rename(home("driver.new"), home("driver")).unwrap();
    let ended = driver.wait().unwrap();
    let reached = home("once").exists() && !home("armed").exists();
    assert!(reached || ended.success(), "{n}: {ended:?}");
    std::fs::remove_file(project.home().join("bin/git")).unwrap();
    if reached {
        project.overnight(&["resume"]).success();
    }
    let merged = line(&project, &remote);
    let count = |task: &str| merged.iter().filter(|line| line.starts_with(task)).count();
    assert_eq!(
        (count("Merge a:"), count("Merge b:")),
        (1, 1),
        "{n}: {merged:?}"
    );
    assert!(
        statuses(&project).values().all(|status| status == "done"),
        "{n}"
    );
    assert_eq!(project.left_over(), Vec::<u32>::new(), "{n}");
    project.git_out(&["fsck", "--no-dangling"]);
    let run = project.only_run();
    project.overnight(&["replay", &run]).success();
    reached
}

#[test]
fn a_driver_that_is_killed_at_any_step_of_a_merge_merges_once_all_the_same() {
    const STRIDE: usize = 60;
    let most = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for first in [1, 30] {
            let most = &most;
            scope.spawn(move || {
                let steps = (first..).step_by(STRIDE).take_while(|n| killed_at(*n));
                most.fetch_add(steps.count(), Ordering::SeqCst);
            });
        }
    });
    let steps = most.into_inner();
    assert!(steps >= 4, "only {steps} steps: a merge has more");
}

#[test]
fn work_of_a_driver_that_died_stays_and_is_told_when_another_one_did_the_task() {
    let project = project(&[("a", &[])]);
    let remote = with_remote(&project);
    let other = project.path("../other");
    project.git(&[
        "clone",
        "-q",
        remote.to_str().unwrap(),
        other.to_str().unwrap(),
    ]);
    project
        .overnight_in(&other, &["trust", "tasks.json"])
        .success();
    let agent = "command:echo half > half.txt; [ -e $HOME/.cache/go ] || { echo x > $HOME/.cache/began; sleep 600; }; mkdir -p out; echo x > out/a; echo '<DONE>ok</DONE>'";
    let arguments = ["--members", "1", "--no-pr", "--agent", agent];
    let mut driver = project.start(&arguments);
    project.wait_for("../home/.cache/began");
    driver.kill().unwrap();
    driver.wait().unwrap();
    std::fs::write(project.meeting("go"), "").unwrap();
    // Its process has ended: another clone on this machine takes the task at once.
    project.run_in(&other, &arguments).success();
    let resumed = project.overnight(&["resume"]).success();
    let output = resumed.get_output();
    let said = [&output.stdout[..], &output.stderr[..]].concat();
    let said = String::from_utf8(said).unwrap();
    let branch = format!("auto/{}/a", project.only_run());
    assert!(
        said.contains("kept, not merged") && said.contains(&branch),
        "{said}"
    );
    assert_eq!(
        project.git_out(&["show", &format!("{branch}:half.txt")]),
        "half\n"
    );
    assert_eq!(
        line(&project, &remote)
            .iter()
            .filter(|line| line.starts_with("Merge a:"))
            .count(),
        1
    );
}

/// What a night of two members says of the hunks of its change; task `c` claims what is not there.
fn tried(tasks: &[(&str, &[&str])]) -> Value {
    let project = project(tasks);
    let agent = "command:[ $OVERNIGHT_TASK = c ] || { mkdir -p out; echo 1 > out/$OVERNIGHT_TASK; echo 1 > $OVERNIGHT_TASK.conf; }; echo '<DONE>ok</DONE>'";
    let _ended = project.run(&["--agent", agent, "--members", "2", "--remote", "none"]);
    let shown = project.overnight(&["status", "--json"]);
    let json: Value = serde_json::from_slice(&shown.get_output().stdout).unwrap();
    json["night"]["hunks"].clone()
}

#[test]
fn a_part_of_what_members_changed_that_no_gate_misses_is_named() {
    let expected = serde_json::json!({"of": 4, "tried": 4, "unnoticed": ["a.conf:1", "b.conf:1"]});
    assert_eq!(tried(&[("a", &[]), ("b", &[])]), expected);
    // Also where something else could not be done.
    assert_eq!(tried(&[("a", &[]), ("b", &[]), ("c", &[])]), expected);
}
