//! A question answered by a button of ntfy, at a service on this machine.

use crate::project::Project;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::PermissionsExt;
use std::sync::{Arc, Condvar, Mutex};

const SECRET: &str = "0123456789abcdef0123456789abcdef";

/// What was posted: the buttons, and what each question's text says.
#[derive(Default)]
struct Posted {
    buttons: Vec<Vec<Value>>,
    texts: Vec<String>,
}

type Seen = Arc<(Mutex<Posted>, Condvar)>;

/// A service with one topic: whoever reads the topic of the answers gets the first approval, pressed, as
/// soon as there is one.
fn service() -> (String, Seen) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let seen = Seen::default();
    let served = Arc::clone(&seen);
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let served = Arc::clone(&served);
            std::thread::spawn(move || serve(stream, &served));
        }
    });
    (address, seen)
}

fn serve(stream: TcpStream, (posted, bell): &(Mutex<Posted>, Condvar)) {
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    let (mut first, mut actions, mut length) = (String::new(), None, 0);
    reader.read_line(&mut first).unwrap();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).unwrap();
        let line = line.trim_end();
        if line.is_empty() {
            break;
        }
        let (name, value) = line.split_once(": ").unwrap();
        match name.to_lowercase().as_str() {
            "actions" => actions = Some(serde_json::from_str(value).unwrap()),
            "content-length" => length = value.parse().unwrap(),
            _ => {}
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).unwrap();
    let mut posted = posted.lock().unwrap();
    let answer = if first.starts_with("POST") {
        posted.buttons.push(actions.unwrap());
        posted.texts.push(String::from_utf8(body).unwrap());
        bell.notify_all();
        String::new()
    } else {
        posted = bell
            .wait_while(posted, |posted| posted.buttons.is_empty())
            .unwrap();
        let code = &posted.buttons[0][0]["body"];
        format!("{}\n", json!({"event": "message", "message": code}))
    };
    let mut stream = stream;
    let length = answer.len();
    let _ = write!(
        stream,
        "HTTP/1.1 200 OK\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{answer}"
    );
}

fn switch_on(project: &Project, address: &str, mode: u32) {
    let folder = project.home().join(".config/overnight");
    std::fs::create_dir_all(&folder).unwrap();
    let file = folder.join("answers.toml");
    let text = format!("ntfy = \"{address}/questions\"\nsecret = \"{SECRET}\"\n");
    std::fs::write(&file, text).unwrap();
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(mode)).unwrap();
}

#[test]
fn a_button_answers_its_question_once_and_the_agent_cannot_press_it() {
    if !overnight_host::cell::level().keeps_files() {
        crate::support::skip("the kernel gives no cell");
        return;
    }
    let project = Project::new();
    let (address, seen) = service();
    switch_on(&project, &address, 0o600);
    let ask = r#"printf '{"session_id":"s","cwd":"%s","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"git push origin HEAD:main"}}' "$PWD" | command-guard hook"#;
    let agent = format!(
        "command:cat $HOME/.config/overnight/answers.toml > stolen 2>&1; until {ask} | grep -q '\"allow\"'; do sleep 0.2; done; {ask} > again; echo '<DONE>ok</DONE>'"
    );
    project.run(&["--agent", &agent, "--no-pr"]).success();
    let posted = seen.0.lock().unwrap();
    assert!(
        posted.texts[0].contains("git push origin HEAD:main"),
        "{:?}",
        posted.texts
    );
    let again = project.read("again");
    assert!(!again.contains("\"allow\""), "a press counts once: {again}");
    assert!(!project.read("stolen").contains(SECRET));
    // Neither the secret nor what a button sends stands in what the run keeps.
    let run = project.only_run();
    let code = posted.buttons[0][0]["body"].as_str().unwrap();
    for kept in [
        project.read(&format!(".git/overnight/runs/{run}/journal.jsonl")),
        project.read("progress/blocked.md"),
        project.read(&format!("agent_logs/{run}/report.html")),
    ] {
        assert!(!kept.contains(SECRET) && !kept.contains(code));
    }
}

#[test]
fn a_file_that_others_may_read_switches_nothing_on_and_the_person_is_told() {
    if !overnight_host::cell::level().keeps_files() {
        crate::support::skip("the kernel gives no cell");
        return;
    }
    let project = Project::new();
    switch_on(&project, "http://127.0.0.1:1", 0o644);
    project
        .run(&["--agent", "command:echo '<DONE>ok</DONE>'", "--no-pr"])
        .success()
        .stderr(predicates::str::contains("chmod 600"));
}
