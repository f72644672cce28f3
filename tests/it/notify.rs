//! Notifications: once, in quiet hours not at all, and by the person's own configuration only.

use crate::project::Project;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

const REFUTED: &str = r#"command:printf '{"decision":"complete","check_id":"%s"}' "$OVERNIGHT_CHECK_ID" > "$OVERNIGHT_DECISION_FILE"; date +%N > w"#;

/// Puts a program into the project's tools that writes its arguments and its input to `seen`.
fn stand_in(project: &Project, name: &str) {
    let tools = project.path(".git/tools");
    std::fs::create_dir_all(&tools).unwrap();
    let file = tools.join(name);
    let seen = tools.join(format!("{name}.seen"));
    let script = format!(
        "#!/bin/sh\n{{ printf '[%s]' \"$@\"; echo; cat; echo; }} > '{0}.part'\nmv '{0}.part' '{0}'\n",
        seen.display()
    );
    std::fs::write(&file, script).unwrap();
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o755)).unwrap();
}

/// What the stand-in got: it is not waited for by the run, so this waits.
fn seen(project: &Project, name: &str) -> String {
    project.wait_for(&format!(".git/tools/{name}.seen"));
    project.read(&format!(".git/tools/{name}.seen"))
}

/// A blocked night, with the stand-ins on the path.
fn night(project: &Project, config: &str) {
    night_of(project, config, "false");
}

/// The same with this gate.
fn night_of(project: &Project, config: &str, gate: &str) {
    let folder = project.home().join(".config/overnight");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("config.toml"), config).unwrap();
    let tools = project.path(".git/tools");
    let path = format!("{}:/usr/local/bin:/usr/bin:/bin", tools.display());
    let mut command = project.command(assert_cmd::cargo::cargo_bin!("overnight"));
    command.args(["run", "--agent", REFUTED, "--gate", gate]);
    command.env("PATH", path);
    assert_cmd::Command::from_std(command).assert().code(1);
}

#[test]
fn a_blocked_run_is_told_on_the_desktop_and_to_the_persons_command_and_address() {
    let project = Project::new();
    for name in ["notify-send", "tell-me", "curl"] {
        stand_in(&project, name);
    }
    let config = "[notify]\ncommand = [\"tell-me\", \"a b; $(false)\"]\nwebhook = \"https://example.invalid/secret\"\n";
    night(&project, config);
    let run = project.only_run();
    let desktop = seen(&project, "notify-send");
    assert!(
        desktop.starts_with(
            "[--app-name=Overnight][--urgency][critical][--][Overnight: blocked][blocked: "
        ),
        "{desktop}"
    );
    let told = seen(&project, "tell-me");
    let (arguments, body) = told.split_once('\n').unwrap();
    assert_eq!(arguments, "[a b; $(false)]");
    let body: serde_json::Value = serde_json::from_str(body).unwrap();
    assert_eq!(
        (&body["kind"], &body["run"]),
        (&"blocked".into(), &run.into())
    );
    let posted = seen(&project, "curl");
    let (arguments, config) = posted.split_once('\n').unwrap();
    assert!(
        !arguments.contains("secret"),
        "others see arguments: {arguments}"
    );
    assert!(
        config.starts_with("url = \"https://example.invalid/secret\"\n"),
        "{config}"
    );
}

#[test]
fn a_repository_commands_nothing() {
    let project = Project::new();
    let file = project.path("overnight.toml");
    std::fs::write(file, "[notify]\ncommand = [\"tell-me\"]\n").unwrap();
    project
        .run(&["--agent", REFUTED])
        .code(78)
        .stderr(predicates::str::contains("notify.command"));
    assert_eq!(project.runs(), [""; 0]);
}

#[test]
fn two_nights_that_end_alike_are_told_both() {
    let project = Project::new();
    stand_in(&project, "notify-send");
    for _ in 0..2 {
        night(&project, "");
        seen(&project, "notify-send");
        std::fs::remove_file(project.path(".git/tools/notify-send.seen")).unwrap();
    }
}

#[test]
fn a_notice_says_which_project_how_far_what_failed_and_what_it_cost() {
    let project = Project::new();
    stand_in(&project, "tell-me");
    let config = "[notify]\ndesktop = false\ncommand = [\"tell-me\"]\n";
    let gate = "echo 'src/a.ts(3,5): error TS2345: Argument of type string'; exit 2";
    night_of(&project, config, gate);
    let told = seen(&project, "tell-me");
    let body: serde_json::Value = serde_json::from_str(told.split_once('\n').unwrap().1).unwrap();
    assert_eq!(
        (&body["project"], &body["total"]),
        (&"project".into(), &1.into())
    );
    assert_eq!(body["done"], 0);
    assert!(body["cost_usd"].is_number(), "{body}");
    assert!(body["needs"].to_string().contains("TS2345"), "{body}");
    assert!(
        body["sentence"]
            .as_str()
            .unwrap()
            .starts_with("Not finished"),
        "{body}"
    );
}

#[test]
fn each_channel_is_tried_and_what_came_back_is_said() {
    let project = Project::new();
    stand_in(&project, "tell-me");
    project.person(
        "[notify]\ndesktop = false\ncommand = [\"tell-me\"]\nntfy = \"http://127.0.0.1:9/secret-topic\"\n",
    );
    let tools = project.path(".git/tools");
    let mut command = project.command(assert_cmd::cargo::cargo_bin!("overnight"));
    command.args(["notify", "--test"]);
    command.env(
        "PATH",
        format!("{}:/usr/local/bin:/usr/bin:/bin", tools.display()),
    );
    let told = assert_cmd::Command::from_std(command).assert().code(1);
    let out = String::from_utf8_lossy(&told.get_output().stdout).into_owned();
    assert!(out.contains("command   sent"), "{out}");
    assert!(
        out.contains("ntfy      failed: nobody answers there"),
        "{out}"
    );
    assert!(!out.contains("secret-topic"), "{out}");
    assert!(seen(&project, "tell-me").contains("this is a test"));
}

#[test]
fn in_quiet_hours_nothing_is_told_until_they_end() {
    let project = Project::new();
    stand_in(&project, "tell-me");
    let minute = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap()
        .as_secs()
        / 60
        % 1_440;
    let at = |offset: u64| {
        let minute = (minute + offset) % 1_440;
        format!("{:02}:{:02}", minute / 60, minute % 60)
    };
    let quiet = format!("quiet = \"{}-{}\"\n", at(1_380), at(120));
    night(
        &project,
        &format!("[notify]\ncommand = [\"tell-me\", \"quiet\"]\n{quiet}"),
    );
    assert!(!project.path(".git/overnight/told.json").exists());
    let waits = waiting(&project);
    assert_eq!(waits.len(), 1, "one process waits for their end");
    night(&project, "[notify]\ncommand = [\"tell-me\", \"loud\"]\n");
    assert!(seen(&project, "tell-me").starts_with("[loud]"));
    // It was told by then: nobody waits any longer.
    let deadline = Instant::now() + Duration::from_mins(1);
    while !waiting(&project).is_empty() {
        assert!(Instant::now() < deadline, "still alive: {waits:?}");
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// The processes that wait for the end of the project's quiet hours.
fn waiting(project: &Project) -> Vec<String> {
    let top = project.path("").canonicalize().unwrap();
    let processes = std::fs::read_dir("/proc").unwrap().flatten();
    let waits = |process: &std::path::PathBuf| {
        let command = std::fs::read(process.join("cmdline")).unwrap_or_default();
        String::from_utf8_lossy(&command).contains("--held-until=")
            && std::fs::read_link(process.join("cwd")).is_ok_and(|folder| folder == top)
    };
    let waiting = processes.map(|entry| entry.path()).filter(waits);
    waiting.map(|path| path.display().to_string()).collect()
}

/// A server on this machine that takes one request.
#[test]
fn an_address_gets_the_notice_as_json() {
    if !Path::new("/usr/bin/curl").exists() {
        crate::support::skip("there is no curl");
        return;
    }
    let server = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = server.local_addr().unwrap();
    let taken = std::thread::spawn(move || take(&server));
    let project = Project::new();
    night(
        &project,
        &format!("[notify]\ndesktop = false\nwebhook = \"http://{address}/x\"\n"),
    );
    let request = taken.join().unwrap();
    assert!(request.starts_with("POST /x HTTP/1.1"), "{request}");
    assert!(request.contains("application/json"), "{request}");
    assert!(request.contains("\"kind\":\"blocked\""), "{request}");
}

fn take(server: &std::net::TcpListener) -> String {
    use std::io::{Read, Write};
    let (mut connection, _) = server.accept().unwrap();
    connection
        .set_read_timeout(Some(Duration::from_secs(20)))
        .unwrap();
    let mut request = Vec::new();
    let mut buffer = [0; 4096];
    let began = Instant::now();
    while began.elapsed() < Duration::from_secs(20) {
        let count = connection.read(&mut buffer).unwrap();
        request.extend_from_slice(&buffer[..count]);
        let text = String::from_utf8_lossy(&request);
        if count == 0 || text.contains("\"commands\":[") && text.ends_with('}') {
            break;
        }
    }
    connection
        .write_all(b"HTTP/1.1 204 No Content\r\n\r\n")
        .unwrap();
    String::from_utf8_lossy(&request).into_owned()
}
