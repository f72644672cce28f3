//! `overnight doctor` on a machine with the real client.

use super::api::{Api, Script};
use super::client::Client;
use super::plugin::Plugin;
use serde_json::{Value, json};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

struct Machine {
    client: Client,
    plugin: Plugin,
    folder: tempfile::TempDir,
}

impl Machine {
    /// The plugin installed, and a repository with a remote.
    fn new(api: &Api) -> Option<Self> {
        let machine = Self {
            client: Client::new(api)?,
            plugin: Plugin::assemble("market"),
            folder: tempfile::tempdir().unwrap(),
        };
        for words in [
            vec!["init", "-q", "--bare", "remote.git"],
            vec!["init", "-q", "project"],
            vec!["-C", "project", "remote", "add", "origin", "../remote.git"],
        ] {
            let mut git = machine.client.dressed("git", machine.folder.path());
            assert!(git.args(words).status().unwrap().success());
        }
        let git = "[user]\nname = Test\nemail = test@example.invalid\n";
        std::fs::write(machine.client.home.join(".gitconfig"), git).unwrap();
        machine.claude(&[
            "marketplace",
            "add",
            machine.plugin.market.to_str().unwrap(),
        ]);
        machine.claude(&["install", "overnight@overnight"]);
        Some(machine)
    }

    fn claude(&self, words: &[&str]) {
        let mut command = self.client.command(self.folder.path());
        let done = self.client.finish(command.arg("plugin").args(words));
        assert!(done.status.success(), "{words:?} {done:#?}");
    }

    /// Exit status, and status and words of each finding by its check.
    fn doctor(&self) -> (Option<i32>, Vec<(String, String, String)>) {
        let program = self.plugin.folder.join("bin/overnight");
        let mut command = self.client.dressed(program, &self.project());
        let done = self.client.finish(command.args(["doctor", "--json"]));
        let value: Value =
            serde_json::from_str(&done.stdout).unwrap_or_else(|_| panic!("{done:#?}"));
        let text =
            |finding: &Value, key: &str| finding[key].as_str().unwrap_or_default().to_owned();
        let findings = value["findings"].as_array().unwrap().iter();
        let findings = findings
            .map(|finding| {
                assert_eq!(
                    finding["fix"].is_null(),
                    finding["status"] == "good",
                    "{finding}"
                );
                (
                    text(finding, "check"),
                    text(finding, "status"),
                    text(finding, "said"),
                )
            })
            .collect();
        (done.status.code(), findings)
    }

    fn project(&self) -> std::path::PathBuf {
        self.folder.path().join("project")
    }

    fn settings(&self, value: &Value) {
        let file = self.project().join(".claude/settings.json");
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, value.to_string()).unwrap();
    }

    /// Puts another file in the place of one of the plugin's programs.
    fn replace(&self, name: &str, content: &[u8]) {
        let program = self.plugin.folder.join("bin").join(name);
        std::fs::remove_file(&program).unwrap();
        std::fs::write(&program, content).unwrap();
        executable(&program);
    }
}

fn executable(path: &Path) {
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
}

fn of<'a>(findings: &'a [(String, String, String)], check: &str) -> (&'a str, &'a str) {
    let found = findings.iter().find(|(name, ..)| name == check);
    let (_, status, said) = found.unwrap_or_else(|| panic!("{check}: {findings:#?}"));
    (status, said)
}

#[test]
fn on_a_machine_where_all_is_well_every_check_is_good_and_hooks_are_seen_to_fire() {
    let api = Api::start(Script::new());
    let Some(machine) = Machine::new(&api) else {
        return;
    };
    let (exit, findings) = machine.doctor();
    assert_eq!(exit, Some(0), "{findings:#?}");
    for check in [
        "client",
        "plugin",
        "binaries",
        "hooks",
        "env file",
        "other hooks",
        "permissions",
        "git",
        "remote",
        "tasks",
        "folders",
        "settings",
    ] {
        assert_eq!(of(&findings, check).0, "good", "{findings:#?}");
    }
    // Nobody answered the client's own question about this folder.
    assert_eq!(of(&findings, "trust").0, "warning");
    assert!(api.main_requests().is_empty(), "no model was asked");
}

#[test]
fn what_is_broken_is_named_with_its_remedy() {
    let api = Api::start(Script::new());
    let Some(machine) = Machine::new(&api) else {
        return;
    };
    let other = json!({"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "rewriter"}]}]}});
    machine.settings(&other);
    std::fs::write(
        machine.project().join("overnight.toml"),
        "[run]\nmax_iteration = 1\n",
    )
    .unwrap();
    let tasks =
        r#"{"a": {"objective": "x", "definition_of_done": ["make check"], "allowed_tools": []}}"#;
    std::fs::write(machine.project().join("tasks.json"), tasks).unwrap();
    std::fs::remove_dir_all(machine.folder.path().join("remote.git")).unwrap();
    machine.replace("session-end", b"\x7fELF of another machine");
    let (exit, findings) = machine.doctor();
    assert_eq!(exit, Some(1));
    for (check, status, said) in [
        ("other hooks", "warning", "rewriter"),
        ("settings", "broken", "run.max_iteration is unknown"),
        ("tasks", "broken", "make check"),
        ("remote", "broken", "origin does not answer"),
        (
            "binaries",
            "broken",
            "session-end cannot be started on this machine",
        ),
    ] {
        let found = of(&findings, check);
        assert_eq!(found.0, status, "{findings:#?}");
        assert!(found.1.contains(said), "{findings:#?}");
    }

    machine.settings(&json!({"disableAllHooks": true}));
    assert!(
        of(&machine.doctor().1, "hooks")
            .1
            .contains("disableAllHooks")
    );
    machine.settings(&json!({"permissions": {"deny": ["Bash"]}}));
    assert_eq!(of(&machine.doctor().1, "permissions").0, "broken");
    machine.settings(&json!({}));
    std::fs::write(machine.plugin.folder.join("hooks/hooks.json"), "{}").unwrap();
    let link = machine.plugin.folder.join("bin/session-start");
    std::fs::remove_file(&link).unwrap();
    std::os::unix::fs::symlink("gone", &link).unwrap();
    let (_, findings) = machine.doctor();
    assert_eq!(of(&findings, "hooks").0, "broken");
    assert!(
        of(&findings, "binaries")
            .1
            .contains("session-start is missing")
    );
}
