//! The plugin as people get it: installed offline from a marketplace folder, updated, removed; and
//! what happens where its programs cannot run.

use super::api::{Api, Kind, Script, Turn};
use super::client::{Client, Finished};
use super::plugin::Plugin;
use super::terminal::Terminal;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Stdio;

/// A machine with the client, a marketplace folder whose path has spaces, and a repository.
struct Machine {
    api: Api,
    client: Client,
    plugin: Plugin,
    folder: tempfile::TempDir,
}

impl Machine {
    fn new(script: Script) -> Option<Self> {
        let api = Api::start(script);
        let machine = Self {
            client: Client::new(&api)?,
            api,
            plugin: Plugin::assemble("a market place"),
            folder: tempfile::tempdir().unwrap(),
        };
        let mut git = machine.client.dressed("git", machine.folder.path());
        assert!(git.args(["init", "-q"]).status().unwrap().success());
        machine.manage(&[
            "marketplace",
            "add",
            machine.plugin.market.to_str().unwrap(),
        ]);
        machine.manage(&["install", "overnight@overnight"]);
        Some(machine)
    }

    fn manage(&self, words: &[&str]) -> String {
        let mut command = self.client.command(self.folder.path());
        let done = self.client.finish(command.arg("plugin").args(words));
        assert!(done.status.success(), "{words:?} {done:#?}");
        done.stdout
    }

    fn print(&self, prompt: &str, more: &[&str]) -> std::process::Command {
        let mut command = self.client.print(self.folder.path(), prompt);
        command.arg("--include-hook-events").args(more);
        command
    }

    fn run(&self, prompt: &str, more: &[&str]) -> Finished {
        self.client.finish(&mut self.print(prompt, more))
    }

    fn at(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Takes the plugin's programs away, or puts in their place what is no program of this machine.
    fn break_programs(&self, missing: bool) {
        for program in std::fs::read_dir(self.plugin.folder.join("bin")).unwrap() {
            let program = program.unwrap().path();
            std::fs::remove_file(&program).unwrap();
            if missing {
                continue;
            }
            std::fs::write(&program, b"\x7fELF for another machine").unwrap();
            std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
        }
    }
}

/// How often the hooks of an event answered, and the outcomes.
pub(super) fn fired(done: &Finished, event: &str) -> Vec<String> {
    let lines = done.lines();
    let answers = lines
        .iter()
        .filter(|line| line["subtype"] == "hook_response" && line["hook_event"] == event);
    answers
        .map(|line| line["outcome"].as_str().unwrap_or_default().to_owned())
        .collect()
}

/// Every file below a folder with its size and permissions.
fn listing(folder: &Path) -> Vec<(PathBuf, u64, u32)> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_owned()];
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let about = std::fs::symlink_metadata(&path).unwrap();
            if about.is_dir() {
                open.push(path);
            } else {
                found.push((path, about.len(), about.permissions().mode()));
            }
        }
    }
    found.sort();
    found
}

fn make_read_only(folder: &Path) {
    for (path, _, mode) in listing(folder) {
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode & !0o222)).unwrap();
    }
}

#[test]
fn flow_headless_fires_every_hook_once_from_a_read_only_folder_with_spaces() {
    let script = Script::new().session(vec![
        Turn::bash("echo 6 times 7 is $((6*7))"),
        Turn::bash("ls no-such-file"),
        Turn::bash("touch made"),
        Turn::say("one pass made"),
    ]);
    let Some(machine) = Machine::new(script) else {
        return;
    };
    make_read_only(&machine.plugin.folder);
    let before = listing(&machine.plugin.folder);
    let done = machine.run(
        "/flow fix the bug in the parser",
        &["--allowedTools", "Bash(echo:*),Bash(ls:*)"],
    );
    assert_eq!(done.result()["result"], "one pass made", "{done:#?}");
    for (event, times) in [
        ("SessionStart", 2),
        ("UserPromptExpansion", 1),
        ("PreToolUse", 3),
        ("PermissionRequest", 1),
        ("PostToolUse", 1),
        ("PostToolUseFailure", 1),
        ("Stop", 1),
    ] {
        let outcomes = fired(&done, event);
        assert_eq!(outcomes, vec!["success"; times], "{event} {done:#?}");
    }
    assert!(
        !machine.api.of_kind(Kind::Main)[0]
            .first
            .starts_with("/flow")
    );
    assert_eq!(
        listing(&machine.plugin.folder),
        before,
        "nothing is written there"
    );
}

#[test]
fn flow_works_in_an_interactive_session_of_the_installed_plugin() {
    let script = Script::new().session(vec![Turn::say("asked for one pass")]);
    let Some(machine) = Machine::new(script) else {
        return;
    };
    let Some(terminal) = Terminal::start(&machine.client, machine.folder.path(), &[]) else {
        return;
    };
    terminal.wait("prompt", |screen| screen.contains('❯'));
    terminal.line("/flow write the missing docs");
    terminal.wait("answer", |screen| screen.contains("asked for one pass"));
    let requests = machine.api.of_kind(Kind::Main);
    assert!(
        requests
            .iter()
            .any(|request| request.first.contains("write the missing docs"))
    );
}

#[test]
fn an_update_under_a_running_session_costs_it_nothing() {
    let script = Script::new().session(vec![
        Turn::bash("echo x > started; until [ -e go ]; do sleep 0.05; done; echo first"),
        Turn::bash("echo second"),
        Turn::say("end"),
    ]);
    let Some(machine) = Machine::new(script) else {
        return;
    };
    let out = machine.at("stream.jsonl");
    let mut command = machine.print(
        "go",
        &["--permission-mode", "acceptEdits", "--allowedTools", "Bash"],
    );
    let mut session = command
        .stdout(std::fs::File::create(&out).unwrap())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    until(|| machine.at("started").exists());
    let manifest = machine.plugin.folder.join(".claude-plugin/plugin.json");
    let text = std::fs::read_to_string(&manifest).unwrap();
    let version = format!("\"version\": \"{}\"", env!("CARGO_PKG_VERSION"));
    assert!(text.contains(&version));
    std::fs::write(&manifest, text.replace(&version, "\"version\": \"99.0.0\"")).unwrap();
    machine.manage(&["marketplace", "update", "overnight"]);
    machine.manage(&["update", "overnight@overnight"]);
    assert!(machine.manage(&["list"]).contains("99.0.0"));
    std::fs::write(machine.at("go"), "").unwrap();
    let status = session.wait().unwrap();
    let done = Finished {
        status,
        stdout: std::fs::read_to_string(out).unwrap(),
        stderr: String::new(),
    };
    assert_eq!(done.result()["result"], "end", "{done:#?}");
    for event in ["PreToolUse", "PostToolUse"] {
        assert_eq!(fired(&done, event), ["success", "success"], "{done:#?}");
    }
}

pub(super) fn until(holds: impl Fn() -> bool) {
    let began = std::time::Instant::now();
    while !holds() {
        assert!(
            began.elapsed() < std::time::Duration::from_mins(2),
            "never came"
        );
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
}

#[test]
fn an_option_set_at_the_install_reaches_the_hooks_and_the_shells() {
    let script = Script::new().session(vec![
        Turn::bash("overnight doctor --config --json > settings.json; true"),
        Turn::say("end"),
    ]);
    let Some(machine) = Machine::new(script) else {
        return;
    };
    machine.manage(&["uninstall", "overnight@overnight"]);
    machine.manage(&[
        "install",
        "overnight@overnight",
        "--config",
        "max_output_lines=70",
    ]);
    let done = machine.run("go", &["--allowedTools", "Bash"]);
    let shown = std::fs::read_to_string(machine.at("settings.json"));
    let shown = shown.unwrap_or_else(|_| panic!("{done:#?}"));
    let shown: serde_json::Value = serde_json::from_str(&shown).unwrap();
    let rows = shown["settings"].as_array().unwrap();
    let row = rows
        .iter()
        .find(|row| row["key"] == "filter.max_lines")
        .unwrap();
    assert_eq!(row["value"], 70, "{row}");
}

#[test]
fn where_the_programs_cannot_run_only_the_guard_blocks_and_the_session_is_told_once_what_to_do() {
    for missing in [false, true] {
        only_the_guard_blocks(missing);
    }
}

fn only_the_guard_blocks(missing: bool) {
    let script = Script::new().session(vec![Turn::bash("echo hi"), Turn::say("went on")]);
    let Some(machine) = Machine::new(script) else {
        return;
    };
    machine.break_programs(missing);
    let done = machine.run("go", &["--allowedTools", "Bash"]);
    assert_eq!(done.result()["result"], "went on", "{done:#?}");
    let requests = machine.api.main_requests();
    let told: Vec<&str> = done
        .stdout
        .lines()
        .filter(|line| {
            line.contains("hook_response") && line.contains("built for another platform")
        })
        .collect();
    assert_eq!(told.len(), 1, "{done:#?}");
    let result = &requests[1].tool_result;
    assert!(
        result.contains("hook PreToolUse") && result.contains("blocking"),
        "{result}"
    );
}
