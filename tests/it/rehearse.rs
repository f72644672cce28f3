//! The rehearsal's remedies, each as a person would paste it.

use crate::night::on_main;
use crate::project::Project;
use crate::terminal;
use assert_cmd::cargo::cargo_bin;
use serde_json::Value;
use std::os::unix::fs::PermissionsExt;

/// What is not as it should be: the check, what was found, the remedy.
fn findings(project: &Project) -> Vec<(String, String, String)> {
    findings_with(project, &[])
}

/// The same with more options.
fn findings_with(project: &Project, more: &[&str]) -> Vec<(String, String, String)> {
    let rehearse = ["rehearse", "--agent", "command:true", "--json"];
    let done = project.overnight(&[&rehearse[..], more].concat());
    let said: Value = serde_json::from_slice(&done.get_output().stdout).unwrap();
    let text = |finding: &Value, name: &str| finding[name].as_str().unwrap_or_default().to_owned();
    let all = said["findings"].as_array().unwrap().iter();
    let wrong = all.filter(|finding| finding["status"] != "good");
    wrong
        .map(|finding| ["check", "said", "fix"].map(|name| text(finding, name)))
        .map(|[check, said, fix]| (check, said, fix))
        .collect()
}

/// Pastes a remedy into a terminal, and says this where it asks.
fn paste(project: &Project, command: &str, typed: &str) {
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
    let (status, printed) = terminal::run_typing(&mut shell, typed);
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
        if command.ends_with(" gh") {
            install_gh(&project);
        } else {
            let there = remote.to_str().unwrap();
            if command.contains("URL") {
                project.git(&["init", "-q", "--bare", there]);
            }
            let typed = if command.starts_with("overnight approve") {
                "kubectl\n"
            } else {
                "y\n"
            };
            paste(&project, &command.replace("URL", there), typed);
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

/// The remedy of the finding that says this.
fn remedy(project: &Project, of: &str, more: &[&str]) -> String {
    let all = findings_with(project, more);
    let found = all.iter().find(|(_, said, _)| said.contains(of));
    let (.., fix) = found.unwrap_or_else(|| panic!("{of}: {all:#?}"));
    fix.clone()
}

/// Pastes a line where its remedy says that it belongs.
fn write_line(project: &Project, fix: &str) {
    let (place, line) = fix.split_once(": ").unwrap();
    let (table, file) = place
        .rsplit_once("below [")
        .and_then(|(_, place)| place.split_once("] in "))
        .unwrap_or_else(|| panic!("{fix}"));
    let path = project.path(file);
    let text = std::fs::read_to_string(&path).unwrap_or_default();
    let key = line.split(' ').next().unwrap();
    let rest: Vec<&str> = text
        .lines()
        .filter(|line| !line.starts_with(key) && *line != format!("[{table}]"))
        .collect();
    let text = format!("[{table}]\n{line}\n{}\n", rest.join("\n"));
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(&path, text).unwrap();
    project.overnight(&["trust", "overnight.toml"]);
}

#[test]
fn what_stands_in_a_file_is_left_out_by_the_line_that_is_printed() {
    let project = on_main();
    let flaky = format!(
        "f={}; [ -e $f ] && rm $f || {{ touch $f; false; }}",
        project.meeting("flip").display()
    );
    let settings = format!(
        "[run]\ngates = [\"test -e tracked\", {}, \"./gone.sh\"]\nsetup = [\"true\", \"exit 3\"]\n",
        serde_json::to_string(&flaky).unwrap()
    );
    std::fs::write(project.path("overnight.toml"), settings).unwrap();
    project.overnight(&["trust", "overnight.toml"]).success();
    for said in ["exits with 3", "passes and fails", "./gone.sh"] {
        let fix = remedy(&project, said, &[]);
        let line = fix
            .split_once("out: ")
            .map_or(fix.as_str(), |(_, line)| line);
        write_line(&project, line);
        let left = findings(&project);
        assert!(
            !left.iter().any(|(_, what, _)| what.contains(said)),
            "{line}: {left:#?}"
        );
    }
    let text = project.read("overnight.toml");
    assert!(text.contains("gates = [\"test -e tracked\"]"), "{text}");
    assert!(text.contains("setup = [\"true\"]"), "{text}");
}

#[test]
fn what_stands_in_the_task_list_is_left_out_by_the_line_that_is_printed() {
    let project = on_main();
    let list = r#"{"a": {"objective": "x", "definition_of_done": ["It is pretty", "./gone.sh", "$ test -e tracked"], "allowed_tools": []}}"#;
    std::fs::write(project.path("tasks.json"), list).unwrap();
    project.overnight(&["trust", "tasks.json"]).success();
    assert_eq!(
        remedy(&project, "./gone.sh", &[]),
        r#"at "a" in tasks.json: "definition_of_done": ["It is pretty","$ test -e tracked"]"#
    );
}

#[test]
fn a_script_that_may_not_be_started_may_be_once_the_remedy_was_pasted() {
    let project = on_main();
    std::fs::write(project.path("check.sh"), "#!/bin/sh\nexit 0\n").unwrap();
    project.git(&["add", "-A"]);
    project.git(&["commit", "-qm", "a script"]);
    let gate = ["--gate", "./check.sh"];
    paste(&project, &remedy(&project, "./check.sh", &gate), "y\n");
    let left = findings_with(&project, &gate);
    assert!(
        !left.iter().any(|(check, ..)| check == "gates"),
        "{left:#?}"
    );
}

#[test]
fn a_missing_program_is_installed_as_the_project_or_the_machine_does_it() {
    let project = on_main();
    let gate = ["--gate", "no-such-tool --check"];
    let fix = remedy(&project, "not there", &gate);
    assert!(fix.ends_with(" no-such-tool"), "{fix}");
    std::fs::write(project.path("package-lock.json"), "{}").unwrap();
    assert_eq!(
        remedy(&project, "not there", &gate),
        "below [run] in overnight.toml: setup = [\"npm ci\"]"
    );
}

#[test]
fn a_machine_that_sleeps_stays_awake_once_the_remedy_was_pasted() {
    if cfg!(target_os = "macos") {
        return;
    }
    let project = on_main();
    let bin = project.home().join("bin");
    std::fs::create_dir_all(&bin).unwrap();
    let script = "#!/bin/sh\ncase $1 in\nget) cat \"$HOME/sleeps\" 2>/dev/null || echo \"'suspend'\" ;;\nset) echo \"'$4'\" > \"$HOME/sleeps\" ;;\nesac\n";
    std::fs::write(bin.join("gsettings"), script).unwrap();
    std::fs::set_permissions(
        bin.join("gsettings"),
        std::fs::Permissions::from_mode(0o755),
    )
    .unwrap();
    // Each start says it, too, before the night begins, and once.
    let night = [
        "run",
        "Make it",
        "--no-pr",
        "--agent",
        "command:echo x > made; echo '<DONE>ok</DONE>'",
    ];
    let said = project
        .overnight(&night)
        .success()
        .get_output()
        .stderr
        .clone();
    let said = String::from_utf8(said).unwrap();
    let line = said
        .lines()
        .position(|line| line.starts_with("sleep: the machine sleeps"));
    let begun = said
        .lines()
        .position(|line| line.starts_with("iteration 1"));
    assert!(line.is_some() && line < begun, "{said}");
    assert_eq!(
        said.matches("sleep: the machine sleeps").count(),
        1,
        "{said}"
    );
    paste(
        &project,
        &remedy(&project, "the machine sleeps", &[]),
        "y\n",
    );
    let left = findings(&project);
    assert!(
        !left.iter().any(|(check, ..)| check == "sleep"),
        "{left:#?}"
    );
}

#[test]
fn a_start_says_that_a_gate_proves_nothing_that_a_remote_is_gone_and_that_nobody_is_logged_in() {
    let project = on_main();
    project.git(&["remote", "add", "origin", "/nowhere/at/all"]);
    install_gh(&project);
    let ci = "steps:\n  - run: kubectl apply -f test.yml\n";
    std::fs::create_dir_all(project.path(".github/workflows")).unwrap();
    std::fs::write(project.path(".github/workflows/ci.yml"), ci).unwrap();
    let agent = "command:echo x > made; echo '<DONE>ok</DONE>'";
    let night = [
        "run",
        "Make it",
        "--agent",
        agent,
        "--gate",
        "true",
        "--max-iterations",
        "1",
    ];
    let said = project.overnight(&night).get_output().stderr.clone();
    let said = String::from_utf8(said).unwrap();
    for what in [
        "remote: origin does not answer",
        "forge: gh is not logged in",
        "guard: 1 of the commands",
        "gate \"true\" stays green without any source",
    ] {
        assert_eq!(said.matches(what).count(), 1, "{what}: {said}");
        assert!(said.find(what) < said.find("iteration 1"), "{what}: {said}");
    }
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
    paste(&project, &fix, "kubectl\n");
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
