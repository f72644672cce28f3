//! `command-guard check`.

use super::armed::Armed;
use assert_cmd::Command;

fn check() -> Command {
    let mut command = Command::new(assert_cmd::cargo::cargo_bin!("command-guard"));
    command.arg("check");
    command
}

#[test]
fn the_exit_status_says_allow_ask_or_deny() {
    for (command, status) in [("cargo test", 0), ("git reset --hard", 1), ("rm -rf ~", 2)] {
        check().args(["--json", command]).assert().code(status);
        check().write_stdin(command).assert().code(status);
    }
    check().args(["--mode", "loose", "ls"]).assert().code(64);
    check()
        .args(["--mode", "fast", "--cwd", "/srv/repo", "git reset --hard"])
        .assert()
        .code(0);
}

#[test]
fn every_line_gets_one_answer_malformed_ones_too() {
    let lines = "{\"cmd\":\"ls\"}\n{\"cmd\":7}\nnonsense\n{\"cmd\":\"rm -rf /\",\"cwd\":\"/srv/repo\"}\n{\"cmd\":\"ls\",\"cwd\":\"/nonexistent\"}\n";
    let output = check()
        .arg("--jsonl")
        .write_stdin(lines)
        .assert()
        .success()
        .get_output()
        .stdout
        .clone();
    let text = String::from_utf8(output).unwrap();
    let decisions: Vec<String> = text
        .lines()
        .map(|line| {
            serde_json::from_str::<serde_json::Value>(line).unwrap()["decision"]
                .as_str()
                .unwrap()
                .to_owned()
        })
        .collect();
    assert_eq!(decisions, ["allow", "deny", "deny", "deny", "allow"]);
}

#[test]
fn the_configuration_counts_as_it_does_for_the_hook() {
    let armed = Armed::new();
    armed.configure("[guard]\nmode = \"strict\"\ndeny = [\"make  deploy-*\"]\n");
    for (arguments, status) in [
        (vec!["cd x && make deploy-all"], 2),
        (vec!["nobody-knows-this-program"], 1),
        (vec!["--mode", "normal", "nobody-knows-this-program"], 0),
        (vec!["cargo test"], 0),
    ] {
        check()
            .env_remove("XDG_CONFIG_HOME")
            .env("HOME", armed.base.join("home"))
            .current_dir(&armed.root)
            .args(arguments)
            .assert()
            .code(status);
    }
}
