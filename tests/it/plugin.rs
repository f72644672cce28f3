//! The plugin's files agree with the binaries and with what Claude Code honours.

use overnight_base::programs::{NAMES, of_event};
use serde_json::Value;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn json(path: &str) -> Value {
    serde_json::from_slice(&std::fs::read(root().join(path)).unwrap()).unwrap()
}

#[test]
fn each_event_starts_the_program_in_exec_form_and_only_the_guard_blocks() {
    let hooks = json("hooks/hooks.json");
    for (event, groups) in hooks["hooks"].as_object().unwrap() {
        for hook in groups
            .as_array()
            .unwrap()
            .iter()
            .flat_map(|group| group["hooks"].as_array().unwrap())
        {
            if hook["command"] == "/bin/sh" {
                assert_eq!(event, "SessionStart", "no shell in the path of a tool call");
                assert_eq!(hook["args"][0], "${CLAUDE_PLUGIN_ROOT}/hooks/check.sh");
                continue;
            }
            assert_eq!(hook["command"], "${CLAUDE_PLUGIN_ROOT}/bin/overnight");
            // Without them a shell would start.
            assert_eq!(hook["args"], serde_json::json!(["hook", event]));
            assert!(
                hook.get("if").is_none(),
                "{event}: `if` misses wrapped commands"
            );
            let answerer = of_event(event).expect(event);
            assert_eq!(
                hook["onFailure"] == "block",
                answerer[0] == "command-guard",
                "{event}: only a guard that fails blocks"
            );
        }
    }
}

#[test]
fn an_event_that_nobody_answers_is_told_with_those_that_are_answered() {
    for words in [&["hook"][..], &["hook", "Nothing"], &["hook", "Stop", "x"]] {
        let program = assert_cmd::cargo::cargo_bin!("overnight");
        let done = Command::new(program).args(words).output().unwrap();
        let said = String::from_utf8(done.stderr).unwrap();
        assert_eq!(done.status.code(), Some(64), "{said}");
        assert!(
            said.contains("E4001") && said.contains("SessionStart"),
            "{said}"
        );
    }
}

#[test]
fn programs_that_are_missing_foreign_or_not_executable_are_told_once_with_what_to_do() {
    let foreign: &[u8] = b"\x7fELF for another machine";
    for (what, content, mode) in [
        ("missing", None, 0o755),
        ("foreign", Some(foreign), 0o755),
        ("without the right to run", Some(&b"#!/bin/sh\n"[..]), 0o644),
        ("in order", Some(&b"#!/bin/sh\n"[..]), 0o755),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let plugin = folder.path().join("a plug'in");
        std::fs::create_dir_all(plugin.join("hooks")).unwrap();
        std::fs::create_dir_all(plugin.join("bin")).unwrap();
        std::fs::copy(root().join("hooks/check.sh"), plugin.join("hooks/check.sh")).unwrap();
        let program = plugin.join("bin/overnight");
        if let Some(content) = content {
            std::fs::write(&program, content).unwrap();
            std::fs::set_permissions(&program, std::fs::Permissions::from_mode(mode)).unwrap();
        }
        let done = Command::new("/bin/sh")
            .arg(plugin.join("hooks/check.sh"))
            .output()
            .unwrap();
        assert!(
            done.status.success(),
            "{what}: a session starts all the same"
        );
        if what == "in order" {
            assert!(done.stdout.is_empty(), "{done:?}");
            continue;
        }
        let answer: Value = serde_json::from_slice(&done.stdout).unwrap();
        let said = answer["systemMessage"].as_str().unwrap();
        assert!(
            said.contains("claude plugin disable overnight@overnight"),
            "{what}: {said}"
        );
    }
}

#[test]
fn commands_have_a_name_a_hint_and_no_line_that_a_shell_runs() {
    for entry in std::fs::read_dir(root().join("commands")).unwrap() {
        let path = entry.unwrap().path();
        let text = std::fs::read_to_string(&path).unwrap();
        let head = text.split("---\n").nth(1).unwrap();
        let stem = path.file_stem().unwrap().to_str().unwrap();
        let has = |start: &str| head.lines().any(|line| line.starts_with(start));
        // Without a name, `-p "/flow …"` reaches the model as plain text.
        assert!(has(&format!("name: {stem}")), "{stem}");
        assert!(has("argument-hint: ") && has("description: "), "{stem}");
        assert!(
            has("disable-model-invocation: true"),
            "{stem} costs nothing until typed"
        );
        // Whole tools are for nobody; the guard judges what a wrapper of ours would run.
        assert!(stem == "flow" || has("allowed-tools: Bash("), "{stem}");
        assert!(!text.contains("!`") && !text.contains("```!"), "{stem}");
    }
}

#[test]
fn names_and_descriptions_are_at_most_two_hundred_tokens_as_the_client_counts_them() {
    // `claude plugin details` has a line for each counted, commands with the plugin's name.
    let mut lines = Vec::new();
    for (folder, before) in [("agents", ""), ("commands", "overnight:")] {
        for entry in std::fs::read_dir(root().join(folder)).unwrap() {
            let path = entry.unwrap().path();
            let text = std::fs::read_to_string(&path).unwrap();
            let mut head = text.lines().take_while(|line| !line.starts_with("tools: "));
            let said = head.find_map(|line| line.strip_prefix("description: "));
            let name = path.file_stem().unwrap().to_str().unwrap();
            lines.push(format!("{before}{name} {}", said.unwrap()));
        }
    }
    let characters = lines.join("\n").len();
    assert!(characters <= 4 * 200, "{characters}: {lines:#?}");
}

#[test]
fn the_manifest_has_the_version_of_the_package() {
    let manifest = json(".claude-plugin/plugin.json");
    assert_eq!(manifest["version"], env!("CARGO_PKG_VERSION"));
    assert_eq!(manifest["name"], "overnight");
}

#[test]
fn every_program_says_its_own_name_with_its_version_and_how_it_is_used() {
    let overnight = assert_cmd::cargo::cargo_bin!("overnight");
    for name in NAMES.into_iter().chain(["overnight"]) {
        let said = |program: &Path, words: &[&str]| {
            let done = Command::new(program).args(words).output().unwrap();
            assert!(done.status.success() && done.stderr.is_empty(), "{name}");
            String::from_utf8(done.stdout).unwrap()
        };
        let link = overnight.with_file_name(name);
        let version = concat!(env!("CARGO_PKG_VERSION"), "\n");
        assert_eq!(said(&link, &["--version"]), format!("{name} {version}"));
        let help = said(&link, &["--help"]);
        assert!(help.contains(&format!("Usage: {name}")), "{name}");
        if name != "overnight" {
            assert_eq!(said(overnight, &[name, "--help"]), help);
        }
    }
}

#[test]
fn links_are_laid_into_a_folder_and_taken_away_and_what_is_not_ours_stays() {
    let folder = tempfile::tempdir().unwrap();
    let bin = folder.path().join("new/bin");
    let links = |more: &[&str]| {
        let mut command = Command::new(assert_cmd::cargo::cargo_bin!("overnight"));
        let done = command.arg("install-links").arg(&bin).args(more).output();
        done.unwrap()
    };
    assert!(links(&[]).status.success());
    let asked = Command::new(bin.join("error-codes"))
        .args(["explain", "E2004"])
        .output();
    assert!(asked.unwrap().status.success());
    // An update lies elsewhere; the earlier one is gone.
    std::fs::remove_file(bin.join("task-lock")).unwrap();
    std::os::unix::fs::symlink("/gone/overnight", bin.join("task-lock")).unwrap();
    std::fs::remove_file(bin.join("stop-gate")).unwrap();
    std::fs::write(bin.join("stop-gate"), "theirs").unwrap();
    let again = links(&[]);
    assert_eq!(again.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&again.stderr).contains("left alone: stop-gate"));
    assert!(bin.join("task-lock").exists());
    assert_eq!(links(&["--remove"]).status.code(), Some(1));
    let left: Vec<_> = std::fs::read_dir(&bin).unwrap().collect();
    assert_eq!(left.len(), 1, "{left:?}");
}
