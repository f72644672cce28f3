//! The rehearsal's remedies, each as a person would paste it.

use crate::night::on_main;
use crate::project::Project;
use crate::terminal;
use assert_cmd::cargo::cargo_bin;
use serde_json::Value;
use std::os::unix::fs::PermissionsExt;

/// What is not as it should be: the check, what was found, the remedy.
fn findings(project: &Project) -> Vec<(String, String, String)> {
    let done = project.overnight(&["rehearse", "--agent", "command:true", "--json"]);
    let said: Value = serde_json::from_slice(&done.get_output().stdout).unwrap();
    let text = |finding: &Value, name: &str| finding[name].as_str().unwrap_or_default().to_owned();
    let all = said["findings"].as_array().unwrap().iter();
    let wrong = all.filter(|finding| finding["status"] != "good");
    wrong
        .map(|finding| ["check", "said", "fix"].map(|name| text(finding, name)))
        .map(|[check, said, fix]| (check, said, fix))
        .collect()
}

/// Pastes a remedy into a terminal, and says yes where it asks.
fn paste(project: &Project, command: &str) {
    let bins = cargo_bin!("overnight")
        .parent()
        .unwrap()
        .display()
        .to_string();
    let home = project.home().join("bin").display().to_string();
    let mut shell = project.command("sh");
    shell.args(["-c", command]);
    shell.env(
        "PATH",
        format!("{bins}:{home}:/usr/local/bin:/usr/bin:/bin"),
    );
    let (status, printed) = terminal::run_typing(&mut shell, "y\n");
    assert_eq!(status, 0, "{command}: {printed}");
}

/// A forge's program that knows nobody until they log in.
fn install_gh(project: &Project) {
    let bin = project.home().join("bin");
    std::fs::create_dir_all(&bin).unwrap();
    let script = "#!/bin/sh\ncase \"$1 $2\" in\n'auth login') touch \"$HOME/in\" ;;\n'auth status') test -e \"$HOME/in\" ;;\nesac\n";
    std::fs::write(bin.join("gh"), script).unwrap();
    std::fs::set_permissions(bin.join("gh"), std::fs::Permissions::from_mode(0o755)).unwrap();
}

/// What the machine is like, no command of the test's changes.
const OF_THE_MACHINE: [&str; 5] = ["cell", "disk", "memory", "power", "sleep"];

#[test]
fn from_an_empty_folder_every_remedy_works_as_it_is_pasted() {
    let common = ["forge", "git", "guard", "remote", "tree"];
    let list =
        r#"{"a": {"objective": "x", "definition_of_done": ["$ test -e ok"], "allowed_tools": []}}"#;
    for (list, more) in [(Some(list), "tasks"), (None, "gates")] {
        let mut expected = [&common[..], &[more]].concat();
        expected.sort_unstable();
        assert_eq!(made_ready(list), expected);
    }
}

/// Pastes remedies until nothing is in the way; gives the checks that there were some for.
fn made_ready(list: Option<&str>) -> Vec<String> {
    let project = Project::without_git();
    std::fs::write(project.path("Makefile"), "test:\n\ttest -e ok\n").unwrap();
    if let Some(list) = list {
        std::fs::write(project.path("tasks.json"), list).unwrap();
    }
    std::fs::create_dir_all(project.path(".github/workflows")).unwrap();
    let ci = "steps:\n  - run: kubectl apply -f test.yml\n";
    std::fs::write(project.path(".github/workflows/ci.yml"), ci).unwrap();
    let remote = project.home().join("remote.git");
    let mut pasted = Vec::new();
    while let Some((check, said, fix)) = findings(&project)
        .into_iter()
        .find(|(check, ..)| !OF_THE_MACHINE.contains(&check.as_str()))
    {
        assert!(pasted.len() < 20, "{check}: {said}: {fix}: {pasted:#?}");
        let command = fix.rsplit_once(": ").map_or(fix.as_str(), |(_, last)| last);
        if command.starts_with("install gh") {
            install_gh(&project);
        } else {
            let there = remote.to_str().unwrap();
            if command.contains("URL") {
                project.git(&["init", "-q", "--bare", there]);
            }
            paste(&project, &command.replace("URL", there));
        }
        assert!(
            !findings(&project).contains(&(check.clone(), said, fix.clone())),
            "{check}: {fix} changes nothing"
        );
        pasted.push(check);
    }
    pasted.sort();
    pasted.dedup();
    pasted
}

#[test]
fn what_was_approved_beforehand_runs_once_in_the_night() {
    const CALL: &str = "kubectl apply -f test.yml";
    let project = on_main();
    std::fs::create_dir_all(project.path(".github/workflows")).unwrap();
    let ci = format!("steps:\n  - run: {CALL}\n");
    std::fs::write(project.path(".github/workflows/ci.yml"), ci).unwrap();
    project.git(&["add", "-A"]);
    project.git(&["commit", "-qm", "ci"]);
    let (_, said, fix) = findings(&project)
        .into_iter()
        .find(|(check, ..)| check == "guard")
        .unwrap();
    assert!(said.contains(CALL), "{said}");
    paste(&project, &fix);
    let said = project.meeting("said");
    let agent = format!(
        r#"command:ask() {{ printf '{{"session_id":"s","cwd":"%s","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{{"command":"{CALL}"}}}}' "$PWD" | {guard} hook >> {said}; echo >> {said}; }}; ask; ask; echo x > made; echo '<DONE>ok</DONE>'"#,
        guard = cargo_bin!("command-guard").display(),
        said = said.display(),
    );
    project
        .overnight(&["run", "Make it", "--no-pr", "--agent", &agent])
        .success();
    let said = std::fs::read_to_string(said).unwrap();
    let decisions: Vec<String> = said
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok())
        .map(|answer| answer["hookSpecificOutput"]["permissionDecision"].to_string())
        .collect();
    assert_eq!(decisions.len(), 2, "{said}");
    assert_eq!(decisions[0], "\"allow\"", "{said}");
    assert_ne!(decisions[1], "\"allow\"", "{said}");
}
