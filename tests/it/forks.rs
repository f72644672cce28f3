//! A task that is stuck is tried in several ways at once; the gates choose.

use crate::night::{everything, on_main};
use assert_cmd::cargo::cargo_bin;
use predicates::prelude::PredicateBooleanExt;
use predicates::str::contains;
use std::process::Stdio;
use std::time::{Duration, Instant};

/// Does it right only in its second way, and in the third, with more lines.
const AGENT: &str = "command:p=$(cat); case $p in *'Yours is way 2'*) echo right > made ;; *'Yours is way 3'*) printf 'right\\n\\n\\n' > made ;; *'Yours is way 1'*) echo worse > made ;; *) echo wrong > made ;; esac; echo '<DONE>made</DONE>'";

#[test]
fn of_several_ways_the_gates_choose_and_the_others_stay_as_refs() {
    let project = on_main();
    let before = everything(&project);
    let gate = "grep -q right made";
    let run = [
        "run", "Make it", "--no-pr", "--forks", "3", "--gate", gate, "--agent", AGENT,
    ];
    project
        .overnight(&run)
        .success()
        .stderr(contains("3 agents try it").and(contains("way 1: not proved")));
    assert_eq!(everything(&project), before);
    let run = project.only_run();
    let forks = |number: u32| format!("refs/overnight/forks/{run}/main/{number}");
    for (number, made) in [(1, "worse\n"), (2, "right\n"), (3, "right\n\n\n")] {
        assert_eq!(
            project.git_out(&["show", &format!("{}:made", forks(number))]),
            made
        );
    }
    let branch = project.git_out(&["for-each-ref", "--format=%(refname)", "refs/heads/auto/"]);
    let branch = branch.trim();
    assert_eq!(
        project.git_out(&["show", &format!("{branch}:made")]),
        "right\n"
    );
    let nudges: Vec<_> = project
        .records("intent")
        .iter()
        .map(|intent| intent["nudge"].clone())
        .collect();
    assert_eq!(nudges, ["none", "hint", "fork"]);
    let outcome = project.records("outcome").remove(2);
    assert!(
        outcome["claim"]["summary"]
            .as_str()
            .unwrap()
            .starts_with("way 2 of 3: "),
        "{outcome}"
    );
    let trees = project.git_out(&["worktree", "list"]);
    let others = trees.lines().filter(|line| !line.contains("/rooms/"));
    assert_eq!(others.count(), 1, "{trees}");
    project.overnight(&["replay", &run]).success();
    assert_eq!(project.left_over(), Vec::<u32>::new());
}

#[test]
fn where_no_way_is_proved_the_task_is_given_up_with_what_each_failed_at() {
    let project = on_main();
    let agent = "command:date +%s%N > made; echo '<DONE>made</DONE>'";
    let gate = "grep -q right made || { echo not-right; false; }";
    let run = [
        "run", "Make it", "--no-pr", "--forks", "2", "--gate", gate, "--agent", agent,
    ];
    project.overnight(&run).code(1).stdout(contains("blocked"));
    let outcome = project.records("outcome").remove(2);
    let reasons = outcome["claim"]["reasons"].to_string();
    assert!(
        reasons.contains("way 1: ") && reasons.contains("way 2: "),
        "{reasons}"
    );
    let run = project.only_run();
    let refs = project.git_out(&["for-each-ref", &format!("refs/overnight/forks/{run}/")]);
    assert_eq!(refs.lines().count(), 2, "{refs}");
}

#[test]
fn killed_amid_its_forks_the_next_start_tries_them_again_and_loses_nothing() {
    let project = on_main();
    let before = everything(&project);
    let agent = format!(
        "command:p=$(cat); case $p in *'Yours is way 1'*) w=1 t=worse ;; *'Yours is way 2'*) w=2 t=right ;; *) w= t=wrong ;; esac
if [ -n \"$w\" ] && [ ! -e {0}.go ]; then echo $w > half; echo $w >> {0}; sleep 600; fi
echo $t > made; echo '<DONE>made</DONE>'",
        project.meeting("began").display()
    );
    let run = [
        "run",
        "Make it",
        "--no-pr",
        "--forks",
        "2",
        "--gate",
        "grep -q right made",
        "--agent",
        &agent,
    ];
    let mut command = project.command(cargo_bin!("overnight"));
    command
        .args(run)
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    let mut night = command.spawn().unwrap();
    let began = project.meeting("began");
    until("both ways", || {
        std::fs::read_to_string(&began).is_ok_and(|text| text.lines().count() == 2)
    });
    night.kill().unwrap();
    night.wait().unwrap();
    // Forks end with their driver.
    until("their end", || project.left_over().is_empty());
    std::fs::write(began.with_extension("go"), "").unwrap();
    project
        .overnight(&["resume", "--no-pr", "--agent", &agent])
        .success();
    assert_eq!(everything(&project), before);
    let run = project.only_run();
    let at = |name: &str| project.git_out(&["show", name]);
    for way in [1, 2] {
        let first = format!("refs/overnight/forks/{run}/main/{way}-1");
        assert_eq!(at(&format!("{first}:half")), format!("{way}\n"));
    }
    let branch = project.git_out(&["for-each-ref", "--format=%(refname)", "refs/heads/auto/"]);
    assert_eq!(branch.lines().count(), 1, "{branch}");
    assert_eq!(at(&format!("{}:made", branch.trim())), "right\n");
    let trees = project.git_out(&["worktree", "list"]);
    assert!(!trees.contains("fork-"), "{trees}");
    project.overnight(&["replay", &run]).success();
    assert_eq!(project.left_over(), Vec::<u32>::new());
}

fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let began = Instant::now();
    while !holds() {
        let waited = began.elapsed();
        assert!(waited < Duration::from_mins(1), "{what} does not come");
        std::thread::sleep(Duration::from_millis(10));
    }
}
