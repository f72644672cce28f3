//! `overnight run` from outside: what a run does to its repository, its journal and its children.

use crate::project::{Project, journal_events};
use predicates::prelude::PredicateBooleanExt;
use predicates::str::contains;
use std::time::{Duration, Instant};

#[test]
fn a_run_ends_when_the_marker_is_meant_and_leaves_progress_journal_and_logs() {
    let project = Project::new();
    let agent = "command:echo $OVERNIGHT_ITERATION > work; [ $OVERNIGHT_ITERATION -lt 3 ] || echo '<DONE>ok</DONE>'";
    project
        .run(&["--agent", agent])
        .success()
        .stdout(contains("completed"));
    let run = project.only_run();
    let events = journal_events(&project.journal(&run));
    assert_eq!(events.iter().filter(|event| *event == "judged").count(), 3);
    assert!(project.path("progress/README.md").is_file());
    let done = project.read("progress/completed.md");
    assert!(done.contains("\n  - Summary: ok"), "{done}");
    assert!(project.path(&format!("agent_logs/{run}/3.jsonl")).is_file());
    project
        .overnight(&["replay", &run])
        .success()
        .stdout(contains("all as recorded"));
}

#[test]
fn without_a_number_it_stops_at_ten_iterations() {
    let project = Project::new();
    project
        .run(&["--agent", "command:date +%N >> work"])
        .code(1)
        .stdout(contains("iterations are used up"));
    assert_eq!(project.iterations(), 10);
}

#[test]
fn a_task_that_used_up_the_iterations_ends_in_error_and_is_not_begun_by_itself() {
    let project = Project::new();
    let list =
        r#"{"a": {"objective": "do a", "definition_of_done": ["true"], "allowed_tools": []}}"#;
    std::fs::write(project.path("tasks.json"), list).unwrap();
    // The list is goal enough.
    std::fs::remove_file(project.path("AGENT_PROMPT.md")).unwrap();
    project.overnight(&["trust", "tasks.json"]).success();
    let agent = ["--agent", "command:date +%N > n", "--max-iterations", "1"];
    project.run(&agent).code(1);
    assert!(project.read("tasks.json").contains("\"error\""));
    // Nobody works on it any more.
    let readme = project.read("progress/README.md");
    let (_, under_way) = readme.split_once("## In progress\n").unwrap();
    assert!(
        under_way.starts_with("\n## Next Actions\n1. a: do a"),
        "{readme}"
    );
    assert!(
        project
            .read("progress/next_actions.md")
            .contains("1. a: do a")
    );
    project.run(&agent).code(1);
    assert_eq!(project.runs().len(), 2);
    let begun = |run: &String| {
        let journal = std::fs::read_to_string(project.journal(run)).unwrap();
        journal.contains("\"event\":\"intent\"")
    };
    assert_eq!(project.runs().iter().filter(|run| begun(run)).count(), 1);
    assert!(project.read("tasks.json").contains("\"error\""));
}

#[test]
fn tasks_have_their_turns_and_none_eats_all_iterations() {
    let project = Project::new();
    let task = |id: &str| {
        format!(
            r#""{id}": {{"objective": "do {id}", "definition_of_done": ["true"], "allowed_tools": []}}"#
        )
    };
    std::fs::write(
        project.path("tasks.json"),
        format!("{{{}, {}}}", task("a"), task("b")),
    )
    .unwrap();
    project.overnight(&["trust", "tasks.json"]).success();
    let agent = "command:date +%N > n; cp tasks.json seen.$OVERNIGHT_ITERATION";
    project
        .run(&["--agent", agent, "--max-iterations", "7"])
        .code(1);
    let intents = project.records("intent");
    let turns: String = intents
        .iter()
        .map(|intent| intent["task"].as_str().unwrap())
        .collect();
    assert_eq!(turns, "aaabbba");
    let seen: serde_json::Value = serde_json::from_str(&project.read("seen.5")).unwrap();
    assert_eq!(
        (&seen["a"]["status"], &seen["b"]["status"]),
        (&"todo".into(), &"doing".into()),
        "one is being done at a time"
    );
    project
        .overnight(&["replay", &project.only_run()])
        .success();
}

#[test]
fn a_claim_that_a_gate_refutes_three_times_is_blocked_and_told_to_the_next_iteration() {
    let project = Project::new();
    let agent = "command:cat > prompt.$OVERNIGHT_ITERATION; echo '<DONE>surely</DONE>'";
    project
        .run(&[
            "--agent",
            agent,
            "--gate",
            "printf told-; echo you-so; exit 3",
        ])
        .code(1)
        .stdout(contains("blocked"));
    assert_eq!(project.iterations(), 3);
    assert!(
        project.read("prompt.2").contains("told-you-so"),
        "{}",
        project.read("prompt.2")
    );
    assert!(
        project
            .read("progress/blocked.md")
            .contains("3 failures in a row")
    );
}

#[test]
fn an_agent_that_hangs_is_ended_at_its_deadline_with_everything_it_started() {
    let project = Project::new();
    let agent = "command:if [ $OVERNIGHT_ITERATION = 1 ]; then setsid sleep 600 & sleep 600; fi; echo '<DONE>ok</DONE>'";
    project
        .run(&["--agent", agent, "--task-timeout", "300ms"])
        .success();
    assert_eq!(project.left_over(), Vec::<u32>::new());
    assert_eq!(project.iterations(), 2);
}

#[test]
fn an_agent_killed_from_outside_is_a_lost_attempt_of_the_same_iteration() {
    let project = Project::new();
    let agent = "command:[ $OVERNIGHT_ATTEMPT = 2 ] || kill -9 $$; echo '<DONE>ok</DONE>'";
    project.run(&["--agent", agent]).success();
    assert_eq!(project.iterations(), 1);
}

#[test]
fn a_signal_ends_the_agents_group_and_is_journaled_and_the_run_goes_on_later() {
    for (signal, status) in [("INT", 130), ("TERM", 143), ("HUP", 129)] {
        let project = Project::new();
        let agent = "command:echo x >> began; [ $OVERNIGHT_ATTEMPT = 2 ] || (trap '' TERM; sleep 600; true); echo '<DONE>ok</DONE>'";
        let mut driver = project.start(&["--agent", agent]);
        project.wait_for("began");
        let asked = Instant::now();
        project.signal(&driver, signal);
        assert_eq!(driver.wait().unwrap().code(), Some(status));
        assert!(
            asked.elapsed() < Duration::from_secs(2),
            "{:?}",
            asked.elapsed()
        );
        assert_eq!(project.left_over(), Vec::<u32>::new());
        let run = project.only_run();
        assert!(journal_events(&project.journal(&run)).contains(&"interrupted".to_owned()));
        project.run(&["--agent", agent, "--resume", &run]).success();
        assert_eq!(project.iterations(), 1);
    }
}

#[test]
fn a_second_signal_ends_the_driver_at_once() {
    let project = Project::new();
    let agent = "command:echo x > began; trap '' TERM; sleep 600; sleep 600";
    let mut driver = project.start(&["--agent", agent]);
    project.wait_for("began");
    let asked = Instant::now();
    // Signals that come together are one to the kernel: the second is sent until it is seen.
    let code = loop {
        project.signal(&driver, "INT");
        std::thread::sleep(Duration::from_millis(5));
        if let Some(status) = driver.try_wait().unwrap() {
            break status.code();
        }
    };
    assert_eq!(code, Some(130));
    assert!(
        asked.elapsed() < Duration::from_secs(1),
        "{:?}",
        asked.elapsed()
    );
    // What the driver could not end any more, its next start does.
    let run = project.only_run();
    project
        .run(&[
            "--agent",
            "command:echo '<DONE>ok</DONE>'",
            "--resume",
            &run,
        ])
        .success();
    assert_eq!(project.left_over(), Vec::<u32>::new());
}

#[test]
fn an_agent_that_outlives_its_killed_driver_is_ended_by_the_next_start() {
    let project = Project::new();
    let agent = "command:echo x >> began; [ $OVERNIGHT_ATTEMPT = 2 ] || { setsid sleep 600 & sleep 600; }; echo '<DONE>ok</DONE>'";
    let mut driver = project.start(&["--agent", agent]);
    project.wait_for("began");
    driver.kill().unwrap();
    driver.wait().unwrap();
    assert!(!project.left_over().is_empty(), "the orphan lives");
    let run = project.only_run();
    project.run(&["--agent", agent, "--resume", &run]).success();
    assert_eq!(project.left_over(), Vec::<u32>::new());
    assert_eq!(project.iterations(), 1);
}

#[test]
fn two_drivers_of_one_run_are_not_possible() {
    let project = Project::new();
    let agent = "command:echo x > began; sleep 600";
    let mut driver = project.start(&["--agent", agent]);
    project.wait_for("began");
    let run = project.only_run();
    project
        .run(&["--agent", agent, "--resume", &run])
        .code(75)
        .stderr(contains("ERROR [E3005]"));
    project.signal(&driver, "TERM");
    driver.wait().unwrap();
}

#[test]
fn it_works_from_a_subfolder_and_in_a_linked_work_tree() {
    let project = Project::new();
    project.git(&["worktree", "add", "-q", "linked"]);
    std::fs::create_dir_all(project.path("linked/sub/deep")).unwrap();
    std::fs::write(project.path("linked/AGENT_PROMPT.md"), "goal").unwrap();
    let agent = "command:pwd > where; echo '<DONE>ok</DONE>'";
    let sub = project.path("linked/sub/deep");
    project.run_in(&sub, &["--agent", agent]).success();
    assert!(
        project.path("linked/where").is_file()
            && project.path("linked/progress/README.md").is_file()
    );
    assert!(
        project.path(".git/overnight/runs").is_dir(),
        "the state is the repository's"
    );
}

#[test]
fn it_works_without_a_git_repository() {
    let project = Project::without_git();
    project
        .run(&[
            "--agent",
            "command:echo x >> f; [ $OVERNIGHT_ITERATION = 4 ] && echo '<DONE>ok</DONE>'; true",
        ])
        .success();
    assert!(project.path(".overnight/runs").is_dir());
}

#[test]
fn wrong_beginnings_are_structured_errors() {
    let project = Project::new();
    let done = "command:echo '<DONE>ok</DONE>'";
    for (arguments, status, code) in [
        (vec!["--max-iterations", "-1"], 64, "E4001"),
        (
            vec!["--max-iterations", "99999999999999999999"],
            64,
            "E4001",
        ),
        (vec!["--budget-usd", "NaN"], 64, "E4001"),
        (vec!["--task-timeout", "soon"], 64, "E4001"),
        (vec!["--agent", "telepathy"], 64, "E4001"),
        (vec!["--agent", "scripted:/nowhere.json"], 66, "E4002"),
        (
            vec!["--agent", done, "--agent-prompt", "none.md"],
            66,
            "E4002",
        ),
        (vec!["--agent", done, "--resume", "../../etc"], 66, "E3006"),
    ] {
        project
            .run(&arguments)
            .code(status)
            .stderr(contains(format!("ERROR [{code}]")));
    }
    std::fs::write(project.path("AGENT_PROMPT.md"), " \n").unwrap();
    project
        .run(&["--agent", done])
        .code(65)
        .stderr(contains("the goal is empty"));
    project
        .run(&["--agent", "claude"])
        .code(69)
        .stderr(contains("ERROR [E9003]").and(contains("claude")));
}

#[test]
fn a_place_that_cannot_be_written_loses_nothing() {
    let project = Project::new();
    std::fs::write(project.path(".git/overnight"), "a person's file").unwrap();
    project
        .run(&["--agent", "command:true"])
        .code(73)
        .stderr(contains("ERROR [E9009]"));
    assert_eq!(project.read(".git/overnight"), "a person's file");
}

#[test]
fn a_journal_of_a_newer_version_is_refused_and_left_as_it_is() {
    let project = Project::new();
    project
        .run(&["--agent", "command:true", "--max-iterations", "1"])
        .code(1);
    let run = project.only_run();
    let journal = project.journal(&run);
    let body = r#"{"v":2,"seq":99,"t":0,"mono":0,"boot":"","event":"dreamt"}"#;
    let line = format!(
        "{},\"crc\":\"{:08x}\"}}\n",
        &body[..body.len() - 1],
        crc32c::crc32c(body.as_bytes())
    );
    let text = std::fs::read_to_string(&journal).unwrap() + &line;
    std::fs::write(&journal, &text).unwrap();
    project
        .run(&["--agent", "command:true", "--resume", &run])
        .code(78)
        .stderr(contains("ERROR [E3004]"));
    assert_eq!(std::fs::read_to_string(&journal).unwrap(), text);
}

#[test]
fn the_demo_shows_a_night_and_touches_nothing_of_the_persons() {
    let project = Project::new();
    let demo = project.path("demo");
    let folder = demo.to_str().unwrap();
    let night = project.overnight(&["demo", "--dir", folder, "--tour"]);
    let night = night.success();
    let output = night.get_output();
    let shown =
        String::from_utf8_lossy(&[&output.stdout[..], &output.stderr].concat()).into_owned();
    for part in [
        "Ten in the evening",
        "slug is merged",
        "price is merged",
        "3 of 4 tasks done (3 proved)",
        "TAX_KEY is not set: a person must give the key",
        "no pull request yet: gh pr create --draft",
        "Seven in the morning",
        "as the receipt says",
    ] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    // Who emptied a test was sent back, and what reaches the remote has the test as it was.
    let shop = demo.join("shop");
    let git = |words: &[&str]| {
        let done = std::process::Command::new("git")
            .current_dir(&shop)
            .args(words)
            .output();
        String::from_utf8(done.unwrap().stdout).unwrap()
    };
    let branch = git(&[
        "for-each-ref",
        "--format=%(refname)",
        "refs/remotes/origin/auto",
    ]);
    let test = git(&["show", &format!("{}:tests/slug.sh", branch.trim())]);
    assert!(test.contains("expected hello-world"), "{branch}: {test}");
    assert_eq!(git(&["status", "--porcelain"]), "");
    if overnight_host::cell::level().keeps_files() {
        let report = std::fs::read_dir(shop.join("agent_logs"))
            .unwrap()
            .next()
            .unwrap()
            .unwrap();
        let report = std::fs::read_to_string(report.path().join("report.md")).unwrap();
        assert!(report.contains(".ssh/id\\_ed25519 (1)"), "{report}");
        let reached = shown.split("reached for a key").nth(1).unwrap();
        assert!(reached.contains("id_ed25519: Permission denied"), "{shown}");
        assert!(!demo.join("home/.bashrc").exists());
    }
    assert!(!project.home().join(".local/state/overnight").exists());
    let again = project.overnight(&["demo", "--dir", folder]);
    again.code(64).stderr(contains("not empty"));
}

#[test]
fn a_stopped_run_is_resumed_with_the_agent_that_it_had() {
    let project = Project::new();
    let agent =
        "command:echo x >> began; [ $OVERNIGHT_ATTEMPT = 2 ] || sleep 600; echo '<DONE>ok</DONE>'";
    let mut driver = project.start(&["--agent", agent]);
    project.wait_for("began");
    project
        .overnight(&["stop"])
        .success()
        .stdout(contains("is stopped"));
    assert_eq!(driver.wait().unwrap().code(), Some(143));
    project
        .overnight(&["stop"])
        .code(1)
        .stdout(contains("no driver works"));
    project
        .overnight(&["resume"])
        .success()
        .stdout(contains("completed"));
    assert_eq!(project.iterations(), 1);
}

#[test]
fn completions_name_the_subcommands() {
    Project::without_git()
        .overnight(&["completions", "bash"])
        .success()
        .stdout(contains("approve"));
}

#[test]
fn the_same_failing_tests_in_five_iterations_are_the_same_error() {
    let project = Project::new();
    let filter = assert_cmd::cargo::cargo_bin!("output-filter");
    // Each run prints another message, and the agent says nothing of it.
    let tests = "for i in $(seq 60); do echo \"test ok_$i ... ok\"; done; echo 'test adds ... FAILED'; date +%N; echo 'test result: FAILED. 60 passed; 1 failed; 0 ignored'; exit 101";
    std::fs::write(project.path("tests.sh"), tests).unwrap();
    let agent = format!(
        "command:date +%N > work; '{}' -- sh tests.sh > /dev/null; echo working on it",
        filter.display()
    );
    project.run(&["--agent", &agent]).code(3);
    let run = project.only_run();
    project
        .overnight(&["why", &run])
        .success()
        .stdout(contains("the same error in too many iterations"));
    let events = journal_events(&project.journal(&run));
    let outcomes = events.iter().filter(|event| *event == "outcome").count();
    assert_eq!(outcomes, 5, "{events:?}");
    let last = std::fs::read_to_string(project.path("logs/last-run.json")).unwrap();
    assert!(last.contains("\"failing\":[\"adds\"]"), "{last}");
}
