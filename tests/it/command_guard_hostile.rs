//! Hostile events: whatever arrives, nothing dangerous is let through, and the
//! hook ends by itself with 0 or 2.

use super::armed::{Armed, assert_stopped, decision, run};
use super::project;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Stdio};

const DANGER: &str = "rm -rf ~";

#[test]
fn h02_to_h08_malformed_events_are_stopped() {
    let armed = Armed::new();
    let good = armed.event(DANGER).to_string();
    let input =
        |input: &str| format!(r#"{{"tool_name":"Bash","tool_input":{input}}}"#).into_bytes();
    let mut events: Vec<Vec<u8>> = vec![
        b"\xef\xbb\xbf\xef\xbb\xbf{}".to_vec(),
        format!("\u{feff}{good}").into_bytes(),
        format!("[{good}]").into_bytes(),
        format!("log line\n{good}").into_bytes(),
        format!("{}{good}", armed.event("ls")).into_bytes(),
        format!("{good}{}", armed.event("ls")).into_bytes(),
        good.as_bytes()[..good.len() - 1].to_vec(),
        good.encode_utf16().flat_map(u16::to_be_bytes).collect(),
        input(r#"{"command":"ls","command":"rm -rf ~"}"#),
        input(r#"{"command":"rm -rf ~","command":"ls"}"#),
        input(r#"{"command":"rm -rf ~","Command":"ls"}"#),
    ];
    for value in [
        "null",
        "7",
        "[\"rm -rf ~\"]",
        r#"{"a":1}"#,
        "\"\\ud800\"",
        "\"l\\u0000s\"",
        "true",
    ] {
        events.push(input(&format!(r#"{{"command":{value}}}"#)));
    }
    for value in [
        "null",
        "[]",
        "\"{}\"",
        "7",
        r#""{\"command\":\"rm -rf ~\"}""#,
    ] {
        events.push(input(value));
    }
    for tool in [
        r#""bash""#,
        r#""Bash ""#,
        r#"["Bash"]"#,
        "null",
        "7",
        r#""""#,
        r#""Frobnicate""#,
        "\"Ba\\u0073h\"",
    ] {
        events.push(
            format!(r#"{{"tool_name":{tool},"tool_input":{{"command":"rm -rf ~"}}}}"#).into_bytes(),
        );
    }
    events.push(br#"{"tool_input":{"command":"rm -rf ~"}}"#.to_vec());
    for event in events {
        assert_stopped(&armed.answer(&event), &String::from_utf8_lossy(&event));
    }
}

#[test]
fn h09_h11_h12_large_and_tangled_commands_are_stopped() {
    let armed = Armed::new();
    let commands = [
        format!("{}\n{DANGER}", "# ".repeat(500_000)),
        format!("{}{DANGER}", ":;".repeat(32 * 1024)),
        format!("{}{DANGER}", "true;".repeat(5_000)),
        format!("{}{DANGER}{}", "$(".repeat(200), ")".repeat(200)),
        format!("{}{DANGER}{}", "(".repeat(2_000), ")".repeat(2_000)),
        "(".repeat(10_000),
        "'\"\\".repeat(33_000),
        format!("rm{}-rf ~", " ".repeat(50_000)),
        format!("rm -{} ~", "rf".repeat(25_000)),
        format!("{DANGER} {}", "x".repeat(3 << 20)),
        format!("true; {DANGER} {}", "x".repeat(10 << 20)),
        // What takes the parser's or the expander's memory and time.
        format!("{}\n{DANGER}", "[".repeat(1_900_000)),
        format!("{}\n{DANGER}", "a=b ".repeat(475_000)),
        format!("{}\n{DANGER}", "[[ ".repeat(630_000)),
        format!("{}\n{DANGER}", "`".repeat(1_900_000)),
    ];
    for command in commands {
        let output = armed.answer(armed.event(&command).to_string().as_bytes());
        assert_stopped(&output, &command);
    }
    let large = armed.event(&"x".repeat(13 << 20)).to_string();
    let output = armed.answer(large.as_bytes());
    assert_eq!(
        (output.status.code(), decision(&output).as_deref()),
        (Some(2), Some("deny"))
    );
}

#[test]
fn h10_depth_elsewhere_changes_nothing() {
    let armed = Armed::new();
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    let event = |command: &str| {
        format!(
            r#"{{"x":{deep},"cwd":{},"tool_name":"Bash","tool_input":{{"y":{deep},"command":"{command}"}}}}"#,
            json!(armed.root)
        )
    };
    let plain = armed.answer(armed.event("true").to_string().as_bytes());
    let with_depth = armed.answer(event("true").as_bytes());
    assert_eq!(decision(&with_depth), decision(&plain));
    assert_stopped(&armed.answer(event(DANGER).as_bytes()), "depth");
}

#[test]
fn h13_an_unusable_folder_is_the_worst_one() {
    let armed = Armed::new();
    std::os::unix::fs::symlink("loop", armed.root.join("loop")).unwrap();
    let folders = [
        json!(null),
        json!(7),
        json!("/nonexistent"),
        json!(".."),
        json!(""),
        json!(armed.root.join("loop")),
        json!("a\u{0}b"),
        json!(["x"]),
        json!("x".repeat(100_000)),
    ];
    for folder in folders {
        for command in [DANGER, "rm -rf src", "rm -rf ./target"] {
            let mut event = armed.event(command);
            event["cwd"] = folder.clone();
            assert_stopped(
                &armed.answer(event.to_string().as_bytes()),
                &event.to_string(),
            );
        }
        let mut event = armed.event("");
        event["cwd"] = folder;
        event["tool_name"] = json!("Write");
        event["tool_input"] = json!({"file_path": "etc/passwd", "content": ""});
        assert_stopped(&armed.answer(event.to_string().as_bytes()), "Write");
    }
}

#[test]
fn h14_a_session_id_never_becomes_a_path() {
    let armed = Armed::new();
    let ids = [
        "../../../../../../pwned",
        "",
        ".",
        "..",
        "CON",
        "a\n\u{1b}[2J",
        "/tmp/pwned",
        &"x".repeat(100_000),
    ];
    for id in ids {
        let mut event = armed.event(DANGER);
        event["session_id"] = json!(id);
        let output = armed.answer(event.to_string().as_bytes());
        assert_stopped(&output, id);
        assert!(!output.stderr.contains(&0x1b) && !output.stdout.contains(&0x1b));
    }
    let mut top: Vec<_> = std::fs::read_dir(&armed.base)
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    top.sort();
    assert_eq!(top, ["home", "project"]);
    for entry in std::fs::read_dir(armed.root.join(".git/overnight/refusals")).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let stem = name.strip_suffix(".json").unwrap();
        assert!(stem == "CON" || stem.len() == 64, "{name}");
    }
}

#[test]
fn h15_silent_and_closed_pipes_block() {
    let armed = Armed::new();
    let mut silent = armed.hook();
    let mut child = silent
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let held = child.stdin.take().unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(2), "stdin never ends");
    let output = child.wait_with_output().unwrap();
    assert_eq!(decision(&output).as_deref(), Some("deny"), "{output:?}");
    drop(held);
    let program = assert_cmd::cargo::cargo_bin!("command-guard");
    for redirection in [
        "<&-",
        ">&-",
        ">/dev/full",
        ">/dev/null",
        "2>&-",
        "<&- >&- 2>&-",
    ] {
        let mut shell = armed.hook();
        let mut wrapped = Command::new("sh");
        wrapped.args([
            "-c",
            &format!("exec {} hook {redirection}", program.display()),
        ]);
        for (name, value) in shell.get_envs() {
            wrapped.env(name, value.unwrap());
        }
        shell.stdin(Stdio::null());
        let output = run(wrapped, armed.event(DANGER).to_string().as_bytes());
        let asked = redirection == "2>&-" && decision(&output).as_deref() == Some("ask");
        assert!(
            output.status.code() == Some(2) || asked,
            "{redirection}: {output:?}"
        );
    }
    let mut child = armed
        .hook()
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let _ = child
        .stdin
        .take()
        .unwrap()
        .write_all(armed.event(DANGER).to_string().as_bytes());
    assert_eq!(
        child.wait().unwrap().code(),
        Some(2),
        "nobody reads the answer"
    );
}

#[test]
fn what_cannot_be_looked_at_in_time_is_a_question() {
    let armed = Armed::new();
    let git = armed.base.join("git");
    std::fs::write(&git, "#!/bin/sh\nexec sleep 3\n").unwrap();
    std::fs::set_permissions(&git, std::fs::Permissions::from_mode(0o755)).unwrap();
    std::fs::write(armed.root.join("a.txt"), "work").unwrap();
    let mut hook = armed.hook();
    hook.env("PATH", format!("{}:/usr/bin:/bin", armed.base.display()));
    let output = run(hook, armed.event("rm a.txt").to_string().as_bytes());
    assert_eq!(decision(&output).as_deref(), Some("ask"), "{output:?}");
    assert!(String::from_utf8_lossy(&output.stdout).contains("in time"));
    assert_eq!(output.status.code(), Some(0));
}

#[test]
fn h16_signals_and_want_of_memory_end_with_two() {
    let armed = Armed::new();
    for signal in [
        Signal::TERM,
        Signal::INT,
        Signal::HUP,
        Signal::ABORT,
        Signal::QUIT,
    ] {
        let mut command = armed.hook();
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        // The handlers stand once the process waits for its event; until then the kernel's default holds.
        wait_until_it_reads(child.id());
        kill_process(Pid::from_child(&child), signal).unwrap();
        assert_eq!(child.wait().unwrap().code(), Some(2), "{signal:?}");
    }
    let program = assert_cmd::cargo::cargo_bin!("command-guard");
    let mut shell = Command::new("sh");
    shell.args([
        "-c",
        &format!("ulimit -v 60000; exec {} hook", program.display()),
    ]);
    shell.env_clear().env("HOME", armed.base.join("home"));
    assert_stopped(
        &run(shell, armed.event(DANGER).to_string().as_bytes()),
        "60 MB",
    );
}

/// Waits until every thread of the process sleeps in a system call: it reads its stdin.
fn wait_until_it_reads(process: u32) {
    for _ in 0..2_000 {
        let threads = std::fs::read_dir(format!("/proc/{process}/task")).map_or(0, Iterator::count);
        let state = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
        if threads >= 2
            && state
                .rsplit(')')
                .next()
                .is_some_and(|rest| rest.trim_start().starts_with('S'))
        {
            return;
        }
        std::thread::yield_now();
    }
}

#[test]
fn h17_h18_h21_a_poor_environment_loosens_nothing() {
    let armed = Armed::new();
    let stopped = |change: &dyn Fn(&mut Command)| {
        let mut command = armed.hook();
        change(&mut command);
        assert_stopped(
            &run(command, armed.event(DANGER).to_string().as_bytes()),
            "environment",
        );
    };
    stopped(&|command| {
        command.env_remove("HOME");
    });
    stopped(&|command| {
        command
            .env("HOME", "relative")
            .env("TMPDIR", "/nonexistent")
            .env("XDG_STATE_HOME", "/proc/1/x");
    });
    stopped(&|command| {
        command
            .env("TZ", "\u{1b}garbage/../..")
            .env("SOURCE_DATE_EPOCH", "-1")
            .env_remove("PATH");
    });
    for name in [
        "FLOW_GUARD",
        "GUARD_DISABLE",
        "DCG_BYPASS",
        "OVERNIGHT_GUARD",
        "COMMAND_GUARD",
    ] {
        stopped(&|command| {
            command
                .env(name, "off")
                .env("CLAUDE_PLUGIN_OPTION_GUARD", "off");
        });
    }
    let blocked = Armed::new();
    let state = blocked.base.join("home/.local");
    std::fs::write(state, "a file where a folder should be").unwrap();
    let output = blocked.answer(blocked.event(DANGER).to_string().as_bytes());
    assert_stopped(&output, "no place for questions");
}

#[test]
fn h19_h20_configuration_neither_blocks_the_hook_nor_loosens_it() {
    let armed = Armed::new();
    let file = armed.root.join("overnight.toml");
    let personal = armed.base.join("home/.config/overnight/config.toml");
    std::fs::create_dir_all(personal.parent().unwrap()).unwrap();
    for path in [&file, &personal] {
        let put: [&dyn Fn(&Path); 7] = [
            &|path| std::fs::write(path, "").unwrap(),
            &|path| std::fs::write(path, "[guard").unwrap(),
            &|path| std::fs::write(path, vec![b'x'; 10 << 20]).unwrap(),
            &|path| std::fs::create_dir(path).unwrap(),
            &|path| std::os::unix::fs::symlink("/dev/zero", path).unwrap(),
            &|path| project::named_pipe(path),
            &|path| {
                let text = "[guard]\nallow = [\"*\"]\ndisable = true\nmode = \"off\"\nattended = \"yes\"\n";
                std::fs::write(path, text).unwrap();
                std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o666)).unwrap();
            },
        ];
        for make in put {
            make(path);
            let output = armed.answer(armed.event(DANGER).to_string().as_bytes());
            assert_stopped(&output, "configuration");
            let _ = std::fs::remove_file(path);
            let _ = std::fs::remove_dir(path);
        }
    }
    std::fs::write(&file, "[guard]\ndeny = [\"Read secret\"]\n").unwrap();
    let mut event = armed.event("");
    event["tool_name"] = json!("Read");
    event["tool_input"] = json!({"file_path": "notes/x"});
    assert_eq!(
        decision(&armed.answer(event.to_string().as_bytes())).as_deref(),
        Some("allow")
    );
    std::fs::write(&file, "[guard]\ndeny = [\"Read notes\"]\n").unwrap();
    assert_eq!(
        decision(&armed.answer(event.to_string().as_bytes())).as_deref(),
        Some("deny")
    );
}

#[test]
fn x02_the_third_identical_block_says_something_else() {
    let armed = Armed::new();
    let event = json!({"session_id": "s1", "cwd": armed.root, "tool_name": "Write", "tool_input": {"file_path": ".git/config", "content": ""}});
    let reason = || {
        let output = armed.answer(event.to_string().as_bytes());
        let value: Value = serde_json::from_slice(&output.stdout).unwrap();
        value["hookSpecificOutput"]["permissionDecisionReason"]
            .as_str()
            .unwrap()
            .to_owned()
    };
    let first = reason();
    assert_eq!(first, reason());
    let third = reason();
    assert!(
        third.contains("Blocked 3x") && third.contains("blocked.md"),
        "{third}"
    );
}

#[test]
fn a_stop_at_the_permission_dialog_has_that_events_form() {
    let armed = Armed::new();
    let mut event = armed.event(DANGER);
    event["hook_event_name"] = json!("PermissionRequest");
    let output = armed.answer(event.to_string().as_bytes());
    let value: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(
        value["hookSpecificOutput"]["hookEventName"],
        "PermissionRequest"
    );
    assert_eq!(value["hookSpecificOutput"]["decision"]["behavior"], "deny");
    event["tool_name"] = json!("Edit");
    event["tool_input"] = json!({"file_path": "src/lib.rs"});
    let output = armed.answer(event.to_string().as_bytes());
    let value: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(value["hookSpecificOutput"]["decision"]["behavior"], "allow");
}

#[test]
fn outside_a_run_nothing_is_allowed_and_danger_is_still_stopped() {
    let armed = Armed::new();
    let free = |event: &Value| {
        let mut command = armed.hook();
        command
            .env_remove("OVERNIGHT_RUN_DIR")
            .env_remove("OVERNIGHT_EPOCH");
        run(command, event.to_string().as_bytes())
    };
    let mut event = armed.event("");
    event["tool_name"] = json!("Read");
    event["tool_input"] = json!({"file_path": "src/lib.rs"});
    let output = free(&event);
    assert_eq!((output.status.code(), output.stdout.len()), (Some(0), 0));
    assert_stopped(&free(&armed.event(DANGER)), DANGER);
    // A session that armed a run itself.
    let sessions = armed.root.join(".git/overnight/sessions");
    std::fs::create_dir_all(&sessions).unwrap();
    std::fs::write(sessions.join("s1.json"), "{}").unwrap();
    assert_eq!(decision(&free(&event)).as_deref(), Some("allow"));
}

#[test]
fn where_another_hook_may_rewrite_a_command_it_is_allowed_only_in_its_final_form() {
    let armed = Armed::new();
    let settings = armed.root.join(".claude/settings.json");
    std::fs::create_dir_all(settings.parent().unwrap()).unwrap();
    let hooks = json!({"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "rewrite"}]}]}});
    std::fs::write(settings, hooks.to_string()).unwrap();
    let output = armed.answer(armed.event("true").to_string().as_bytes());
    assert_ne!(decision(&output).as_deref(), Some("allow"));
}

#[test]
fn x04_a_flood_of_pushes_and_pull_requests_waits_for_a_person() {
    let armed = Armed::new();
    let said = |command: &str| decision(&armed.answer(armed.event(command).to_string().as_bytes()));
    for _ in 0..25 {
        assert_eq!(said("git push origin HEAD").as_deref(), Some("allow"));
        assert_eq!(
            said("gh pr create --draft -t x -b y").as_deref(),
            Some("allow")
        );
    }
    assert_eq!(
        said("git add -A && git push origin HEAD").as_deref(),
        Some("ask")
    );
    assert_eq!(
        said("gh pr create --draft -t x -b y").as_deref(),
        Some("ask")
    );
    assert_eq!(said("git commit -m 'push it'").as_deref(), Some("allow"));
}
