//! The output filter in the real client: what the model gets of a long run, and that the shell,
//! the person's rules and what runs in the background stay as they were.

use super::api::{Kind, Script, Turn};
use super::stage::Stage;
use super::support;
use super::terminal::Terminal;
use serde_json::json;
use std::path::Path;
use std::process::Command;

/// 50,000 lines of a test run in which one test fails, if it is to.
const RUN: &str = r#"awk -v fails="$1" 'BEGIN {
  print "running 50000 tests"
  for (i = 0; i < 50000; i++)
    printf "test cases::case_%d ... %s\n", i, (fails && i == 31337) ? "FAILED" : "ok"
  printf "\ntest result: %s. %d passed; %d failed; 0 ignored; 0 measured\n",
    fails ? "FAILED" : "ok", 50000 - fails, fails
}'
[ "$1" = 0 ] || exit 3
"#;
/// Serves until it is told to end, and writes to the output that it got.
const SERVER: &str = "echo serving; i=0; while [ ! -e stop ] && [ $i -lt 1200 ]; do sleep 0.1; i=$((i+1)); echo tick; done\n";
const START: &str = "./server.sh & echo $! > pid; echo started\n";
const ALIVE: &str = "kill -0 $(cat pid) && echo it is alive\n";
/// The person's rules: these commands, as typed.
const ALLOWED: &str = "Bash(./run.sh:*),Bash(cd:*),Bash(pwd),Bash(./start.sh),Bash(./server.sh),Bash(./alive.sh),Bash(touch:*),Agent";
const DENIED: &str = "Bash(touch denied:*)";

/// A stage with those programs in it.
fn stage(script: Script) -> Option<Stage> {
    let stage = Stage::new(script)?;
    for (name, text) in [
        ("run.sh", RUN),
        ("server.sh", SERVER),
        ("start.sh", START),
        ("alive.sh", ALIVE),
    ] {
        std::fs::write(stage.at(name), format!("#!/bin/sh\n{text}")).unwrap();
        let made = Command::new("chmod")
            .arg("755")
            .arg(stage.at(name))
            .status();
        assert!(made.unwrap().success());
    }
    std::fs::create_dir(stage.at("sub")).unwrap();
    let config = stage.client.home.join(".config/overnight");
    std::fs::create_dir_all(&config).unwrap();
    std::fs::write(config.join("config.toml"), "[filter]\nattended = \"on\"\n").unwrap();
    Some(stage)
}

impl Stage {
    /// Headless, in this shell; what the model was told after each call.
    #[track_caller]
    fn headless(&self, shell: &str) -> Vec<String> {
        let mut command = self.client.print(self.folder.path(), "go");
        command
            .env("SHELL", shell)
            .arg("--plugin-dir")
            .arg(&self.plugin.folder)
            .args(["--allowedTools", ALLOWED, "--disallowedTools", DENIED]);
        let done = self.client.finish(&mut command);
        assert!(done.status.success(), "{done:#?}");
        assert_eq!(done.result()["result"], "end", "{done:#?}");
        self.results(Kind::Main)
    }

    fn results(&self, kind: Kind) -> Vec<String> {
        let requests = self.api.of_kind(kind).into_iter();
        let results = requests.map(|request| request.tool_result);
        results.filter(|result| !result.is_empty()).collect()
    }
}

/// The digest of the failing run, whole, with its exit status and its log.
#[track_caller]
fn is_failing_digest(result: &str, folder: &Path) {
    assert!(result.contains("Exit code 3"), "{result}");
    assert!(result.contains("FAILED (exit 3)"), "{result}");
    assert!(result.contains("cases::case_31337"), "{result}");
    assert!(
        result.contains("1 failed") && result.contains("49999 passed"),
        "{result}"
    );
    is_short_and_logged(result, folder);
}

#[track_caller]
fn is_short_and_logged(result: &str, folder: &Path) {
    assert!(
        result.lines().count() <= 52 && result.len() < 9_000,
        "{result}"
    );
    let at = result.find("logs/").expect("the log is named");
    let name: String = result[at..]
        .chars()
        .take_while(|letter| !letter.is_whitespace())
        .collect();
    let log = std::fs::read_to_string(folder.join(name)).unwrap();
    assert_eq!(log.lines().count(), 50_003);
}

fn shells() -> Vec<&'static str> {
    let there = |shell: &&str| {
        let there = Path::new(shell).exists();
        if !there {
            support::skip(format!("{shell} is not installed"));
        }
        there
    };
    ["/bin/bash", "/usr/bin/zsh"]
        .into_iter()
        .filter(there)
        .collect()
}

#[test]
fn long_runs_are_digested_and_the_shell_stays_as_it_was() {
    for shell in shells() {
        let turns = vec![
            Turn::bash("./run.sh 0"),
            Turn::bash("./run.sh 1"),
            Turn::bash("cd sub"),
            Turn::bash("pwd"),
            // The client keeps the folder of a command that succeeded only.
            Turn::bash("cd .. && ./run.sh 0"),
            Turn::bash("pwd"),
            Turn::bash("touch denied"),
            Turn::bash("chmod 600 run.sh"),
            Turn::say("end"),
        ];
        let Some(stage) = stage(Script::new().session(turns)) else {
            return;
        };
        let results = stage.headless(shell);
        let folder = stage.folder.path();
        assert_eq!(results.len(), 8, "{results:#?}");
        assert!(
            results[0].contains("50000 passed"),
            "{shell} {}",
            results[0]
        );
        assert!(!results[0].contains("FAILED"), "{}", results[0]);
        is_short_and_logged(&results[0], folder);
        is_failing_digest(&results[1], folder);
        assert!(results[3].contains("/sub"), "{shell} {results:#?}");
        is_short_and_logged(&results[4], folder);
        assert!(!results[5].contains("/sub"), "{shell} {results:#?}");
        assert!(!folder.join("denied").exists(), "{results:#?}");
        assert!(
            results[6].contains("denied") && results[7].contains("requires approval"),
            "{results:#?}"
        );
    }
}

#[test]
fn a_server_in_the_background_goes_on_and_holds_nobody_up() {
    for shell in shells() {
        let kept = json!({"command": "./server.sh", "run_in_background": true});
        let turns = vec![
            Turn::bash("./start.sh"),
            Turn::bash("./run.sh 1"),
            Turn::bash("./alive.sh"),
            Turn::tool("Bash", kept),
            Turn::bash("./run.sh 0"),
            Turn::bash("touch stop"),
            Turn::say("end"),
        ];
        let Some(stage) = stage(Script::new().session(turns)) else {
            return;
        };
        let results = stage.headless(shell);
        assert!(results[0].contains("started"), "{shell} {results:#?}");
        is_failing_digest(&results[1], stage.folder.path());
        assert!(results[2].contains("it is alive"), "{shell} {results:#?}");
        assert!(results[3].contains("background"), "{shell} {results:#?}");
        assert!(results[4].contains("50000 passed"), "{shell} {results:#?}");
    }
}

#[test]
fn a_subagents_runs_are_digested_too() {
    let agent = json!({"description": "sub", "prompt": "run it", "subagent_type": "general-purpose", "run_in_background": false});
    let script = Script::new()
        .session(vec![Turn::tool("Agent", agent), Turn::say("end")])
        .subagent(vec![Turn::bash("./run.sh 1"), Turn::say("it fails")]);
    let Some(stage) = stage(script) else {
        return;
    };
    stage.headless("/bin/bash");
    let results = stage.results(Kind::Subagent);
    assert_eq!(results.len(), 1, "{results:#?}");
    is_failing_digest(&results[0], stage.folder.path());
}

#[test]
fn in_a_terminal_too() {
    for shell in shells() {
        let kept = json!({"command": "./server.sh", "run_in_background": true});
        let agent = json!({"description": "sub", "prompt": "run it", "subagent_type": "general-purpose", "run_in_background": false});
        let script = Script::new()
            .session(vec![
                Turn::bash("./run.sh 0"),
                Turn::bash("./run.sh 1"),
                Turn::bash("cd sub"),
                Turn::bash("pwd"),
                Turn::bash("cd .. && ./start.sh"),
                Turn::bash("./alive.sh"),
                Turn::tool("Bash", kept),
                Turn::bash("touch denied"),
                Turn::tool("Agent", agent),
                Turn::bash("touch stop"),
                Turn::say("all is said"),
            ])
            .subagent(vec![Turn::bash("./run.sh 1"), Turn::say("it fails")]);
        let Some(stage) = stage(script) else {
            return;
        };
        let folder = stage.folder.path();
        let plugin = stage.plugin.folder.to_str().unwrap();
        // Auto mode would ask a server about each call.
        let rules = [
            "--permission-mode",
            "default",
            "--allowedTools",
            ALLOWED,
            "--disallowedTools",
            DENIED,
        ];
        let arguments = [&["--plugin-dir", plugin][..], &rules].concat();
        let variables = [("SHELL", shell)];
        let Some(terminal) = Terminal::with(&stage.client, folder, &arguments, &variables) else {
            return;
        };
        terminal.wait("the input", |screen| screen.contains('❯'));
        terminal.line("go");
        terminal.wait("the end", |screen| screen.contains("all is said"));
        let results = stage.results(Kind::Main);
        assert!(results[0].contains("50000 passed"), "{shell} {results:#?}");
        is_short_and_logged(&results[0], folder);
        is_failing_digest(&results[1], folder);
        assert!(results[3].contains("/sub"), "{shell} {results:#?}");
        assert!(results[4].contains("started"), "{shell} {results:#?}");
        assert!(results[5].contains("it is alive"), "{shell} {results:#?}");
        assert!(results[6].contains("background"), "{shell} {results:#?}");
        assert!(!folder.join("denied").exists(), "{shell} {results:#?}");
        assert!(results[7].contains("denied"), "{shell} {results:#?}");
        // In a terminal a subagent goes on by itself.
        let below = || stage.results(Kind::Subagent);
        terminal.until("the subagent's run", || !below().is_empty());
        let below = below();
        is_failing_digest(&below[0], folder);
    }
}
