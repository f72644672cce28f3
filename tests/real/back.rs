//! A night that is sent back from the desk comes back proved, through both doors.

use super::api::{Api, Kind, Request, Script, Turn};
use super::client::Client;
use super::plugin::Plugin;
use super::pty;
use super::session::delegate;
use super::stage::Stage;
use assert_cmd::cargo::cargo_bin;
use rustix::termios::{Winsize, tcsetwinsize};
use serde_json::{Value, json};
use std::io::{Read, Write};
use std::path::Path;
use std::process::Command;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

const COMMENT: &str = "name both greetings";
const GATE: &str = "test -s made.txt";
/// How long the desk may take to show something; a busy machine included.
const WAIT_MAX: Duration = Duration::from_mins(2);

/// What the agent does: the second greeting comes only once the person's words stand in its prompt.
fn work(prompt: &str) -> &'static str {
    if prompt.contains(COMMENT) {
        "echo good night >> made.txt"
    } else {
        "echo good evening > made.txt"
    }
}

fn out(client: &Client, folder: &Path, arguments: &[&str]) -> Value {
    let mut overnight = client.dressed(cargo_bin!("overnight"), folder);
    let done = client.finish(overnight.args(arguments));
    serde_json::from_str(&done.stdout).unwrap_or_else(|_| panic!("{done:#?}"))
}

/// Where the only task stands, after how many tries.
fn stands(client: &Client, folder: &Path) -> (String, u64) {
    let night = out(client, folder, &["status", "--json"])["night"].take();
    let task = &night["tasks"][0];
    (
        task["standing"].as_str().unwrap().to_owned(),
        task["tries"].as_u64().unwrap(),
    )
}

/// Was something sent back in the project's runs?
fn was_sent_back(top: &Path) -> bool {
    let runs = std::fs::read_dir(top.join(".git/overnight/runs")).unwrap();
    let journals = runs.map(|run| run.unwrap().path().join("journal.jsonl"));
    let texts = journals.map(|journal| std::fs::read_to_string(journal).unwrap_or_default());
    texts.into_iter().any(|text| text.contains("\"sent_back\""))
}

/// A person at the desk sends the only task back with a comment and leaves.
fn send_back(mut command: Command, top: &Path) {
    let (mut child, keys) = pty::start(command.env("TERM", "xterm-256color"));
    let size = Winsize {
        ws_row: 40,
        ws_col: 120,
        ws_xpixel: 0,
        ws_ypixel: 0,
    };
    tcsetwinsize(&keys, size).unwrap();
    let screen = Arc::new(Mutex::new(String::new()));
    let (mut reader, shared) = (keys.try_clone().unwrap(), Arc::clone(&screen));
    std::thread::spawn(move || {
        let mut bytes = [0; 4096];
        while let Ok(count @ 1..) = reader.read(&mut bytes) {
            let text = String::from_utf8_lossy(&bytes[..count]);
            shared.lock().unwrap().push_str(&text);
        }
    });
    let shown = || screen.lock().unwrap().clone();
    let deadline = Instant::now() + WAIT_MAX;
    let wait = |what: &dyn Fn() -> bool| {
        while !what() {
            assert!(Instant::now() < deadline, "{}", shown());
            std::thread::sleep(Duration::from_millis(10));
        }
    };
    let press = |typed: &str| (&keys).write_all(typed.as_bytes()).unwrap();
    wait(&|| shown().contains("DESK"));
    press("b");
    // Only what differs is drawn: of the place to type, the cursor for certain.
    wait(&|| shown().contains('_'));
    press(&format!("{COMMENT}\r"));
    wait(&|| was_sent_back(top));
    press("q");
    let status = child.wait().unwrap();
    assert!(status.success(), "{status:?}: {}", shown());
}

#[test]
fn a_drivers_night_sent_back_from_the_desk_comes_back_proved() {
    let agent = |at: usize, request: &Request| match at {
        0 => Turn::bash(work(&request.first)),
        _ => Turn::say("They are greeted.\n<DONE>greeted</DONE>"),
    };
    let api = Api::start(Script::new().answer(Kind::Main, agent));
    let plugin = Plugin::assemble("market");
    let overnight = plugin.folder.join("bin/overnight");
    let Some(client) = Client::new(&api) else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let top = folder.path().canonicalize().unwrap();
    std::fs::write(top.join("AGENT_PROMPT.md"), "# Greet\n").unwrap();
    let author = ["-c", "user.name=T", "-c", "user.email=t@example.invalid"];
    for arguments in [
        &["init", "-q"][..],
        &["add", "-A"],
        &["commit", "-qm", "start"],
    ] {
        let mut git = client.dressed("git", &top);
        assert!(git.args(author).args(arguments).status().unwrap().success());
    }
    let run = ["run", "--json", "--agent", "claude", "--gate", GATE];
    let done = client.finish(client.dressed(&overnight, &top).args(run));
    assert!(done.status.success(), "{done:#?}");
    assert_eq!(stands(&client, &top), ("proved".to_owned(), 1));
    let mut desk = client.dressed(&overnight, &top);
    desk.args(["review", "--now"]);
    send_back(desk, &top);
    assert_eq!(stands(&client, &top), ("proved".to_owned(), 2));
    let branch = out(&client, &top, &["status", "--json"])["night"]["work"]["branch"].take();
    let made = format!("{}:made.txt", branch.as_str().unwrap());
    let mut show = client.dressed("git", &top);
    let made = client.finish(show.args(["show", &made])).stdout;
    assert_eq!(made, "good evening\ngood night\n");
}

#[test]
fn a_sessions_night_sent_back_from_the_desk_comes_back_proved() {
    let worker = |at: usize, request: &Request| {
        let file = request.first.split_whitespace().nth(1).unwrap();
        match at {
            0 => Turn::tool("Read", json!({"file_path": file})),
            1 => Turn::bash(work(&std::fs::read_to_string(file).unwrap())),
            _ => Turn::say("they are greeted"),
        }
    };
    let script = Script::new()
        .answer(
            Kind::Main,
            delegate("They are greeted.\n<DONE>greeted</DONE>"),
        )
        .answer(Kind::Subagent, worker);
    let Some(stage) = Stage::new(script) else {
        return;
    };
    let tasks = json!({"greet": {"objective": "greet", "definition_of_done": [format!("$ {GATE}")], "allowed_tools": [], "status": "todo"}});
    std::fs::write(stage.at("tasks.json"), tasks.to_string()).unwrap();
    let (client, top) = (&stage.client, stage.folder.path());
    let overnight = |arguments: &[&str]| {
        let mut command = client.dressed(cargo_bin!("overnight"), top);
        command.args(arguments);
        command
    };
    assert!(client.finish(&mut overnight(&["trust"])).status.success());
    let allowed = "Bash(echo:*)";
    let flow = |typed: &str| client.finish(stage.flow(typed).arg(allowed));
    let done = flow("/flow do the tasks --autonomous");
    assert_eq!(stands(client, top), ("proved".to_owned(), 1), "{done:#?}");
    send_back(overnight(&["review"]), top);
    // Another session takes it up.
    let again = flow("/flow resume");
    assert_eq!(stands(client, top), ("proved".to_owned(), 2), "{again:#?}");
    assert_eq!(stage.read("made.txt"), "good evening\ngood night\n");
}
