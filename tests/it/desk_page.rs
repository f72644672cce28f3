//! The desk as a page: who gets in, what is refused, what a person does there.

mod colleagues;

use crate::project::Project;
use crate::terminal;
use assert_cmd::cargo::cargo_bin;
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::fs::File;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::process::Child;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// `parse` is done; `push` asks for what only a person may allow, and was done by then.
const AGENT: &str = r#"command:
case "$OVERNIGHT_TASK" in
push) printf '{"session_id":"s","cwd":"%s","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"git push origin HEAD:main"}}' "$PWD" | command-guard hook > /dev/null ;;
*) cat "$HOME/.cache/text" > parsed; git add parsed; git commit -qm 'Parse it'; printf -- '- [x] 1: seen\n<DONE>it parses</DONE>\n' ;;
esac"#;

/// A desk with its page, on a terminal of its own.
struct Desk<'a> {
    project: &'a Project,
    child: Child,
    keys: File,
    screen: Arc<Mutex<String>>,
    port: u16,
    token: String,
}

/// An answer of the page: status, head, body.
struct Answer(u16, String, Value);

impl<'a> Desk<'a> {
    fn open(project: &'a Project, arguments: &[&str]) -> Self {
        let mut command = project.command(cargo_bin!("overnight"));
        command.args(["review", "--web"]).args(arguments);
        let (child, keys) = terminal::start(&mut command);
        let screen = Arc::new(Mutex::new(String::new()));
        let (mut reader, shared) = (keys.try_clone().unwrap(), Arc::clone(&screen));
        std::thread::spawn(move || {
            let mut bytes = [0; 4096];
            while let Ok(count @ 1..) = reader.read(&mut bytes) {
                shared
                    .lock()
                    .unwrap()
                    .push_str(&String::from_utf8_lossy(&bytes[..count]));
            }
        });
        let mut desk = Self {
            project,
            child,
            keys,
            screen,
            port: 0,
            token: String::new(),
        };
        let shown = desk.wait("Ctrl-C ends it");
        let (_, address) = shown.split_once("http://127.0.0.1:").unwrap();
        let (port, rest) = address.split_once("/#").unwrap();
        desk.port = port.parse().unwrap();
        let token = rest.split_whitespace().next().unwrap();
        token.clone_into(&mut desk.token);
        desk
    }

    #[track_caller]
    fn wait(&self, text: &str) -> String {
        let deadline = Instant::now() + Duration::from_mins(1);
        loop {
            let screen = self.screen.lock().unwrap().clone();
            if screen.contains(text) {
                return screen;
            }
            assert!(Instant::now() < deadline, "no {text:?} in {screen}");
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    fn ask(&self, line: &str, headers: &[(&str, &str)], body: &str) -> Answer {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        let mut head = format!(
            "{line} HTTP/1.1\r\nConnection: close\r\nContent-Length: {}\r\n",
            body.len()
        );
        if !headers.iter().any(|(name, _)| *name == "Host") {
            let _ = write!(head, "Host: 127.0.0.1:{}\r\n", self.port);
        }
        for (name, value) in headers {
            let _ = write!(head, "{name}: {value}\r\n");
        }
        stream
            .write_all(format!("{head}\r\n{body}").as_bytes())
            .unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        Answer(
            status,
            head.to_owned(),
            serde_json::from_str(body).unwrap_or_default(),
        )
    }

    fn origin(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// The cookie and the key for the token.
    fn enter(&self) -> (String, String) {
        let bearer = format!("Bearer {}", self.token);
        let headers = [("Origin", self.origin()), ("Authorization", bearer)];
        let headers = headers
            .each_ref()
            .map(|(name, value)| (*name, value.as_str()));
        let Answer(status, head, body) = self.ask("POST /session", &headers, "");
        assert_eq!(status, 200, "{head}");
        let cookie = head
            .lines()
            .find_map(|line| line.strip_prefix("Set-Cookie: "))
            .unwrap();
        assert!(cookie.contains("; HttpOnly; SameSite=Strict"), "{cookie}");
        let cookie = cookie.split(';').next().unwrap().to_owned();
        (cookie, body["key"].as_str().unwrap().to_owned())
    }

    fn sheet(&self, (cookie, key): &(String, String)) -> Value {
        let Answer(status, _, body) =
            self.ask("GET /desk", &[("Cookie", cookie), ("X-Desk-Key", key)], "");
        assert_eq!(status, 200, "{body}");
        body
    }

    fn wish(&self, (cookie, key): &(String, String), body: &Value) -> Answer {
        let origin = self.origin();
        let headers = [
            ("Cookie", cookie.as_str()),
            ("X-Desk-Key", key),
            ("Origin", &origin),
            ("Content-Type", "application/json"),
        ];
        self.ask("POST /wish", &headers, &body.to_string())
    }

    /// Ends it as a person does.
    fn leave(mut self) -> i32 {
        self.project.signal(&self.child, "INT");
        self.child.wait().unwrap().code().unwrap()
    }
}

impl Drop for Desk<'_> {
    /// A test that failed leaves no process.
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn night(project: &Project) -> String {
    night_with(project, &["--no-pr"])
}

fn night_with(project: &Project, arguments: &[&str]) -> String {
    let task = |status: &str| json!({"objective": "x", "definition_of_done": ["It works."], "allowed_tools": [], "status": status});
    let tasks = json!({"_thought": "two", "parse": task("todo"), "push": task("todo")});
    std::fs::write(project.path("tasks.json"), tasks.to_string()).unwrap();
    std::fs::write(
        project.meeting("text"),
        "one\n\u{202e}two\u{1b}[31m<script>alert(1)</script>\n",
    )
    .unwrap();
    let arguments = [&["--agent", AGENT], arguments].concat();
    project.run(&arguments).failure();
    project.only_run()
}

#[test]
fn strangers_are_refused_and_the_token_lets_in_once() {
    let project = Project::new();
    night(&project);
    let desk = Desk::open(&project, &[]);
    let origin = desk.origin();
    let bearer = format!("Bearer {}", desk.token);
    let status = |line: &str, headers: &[(&str, &str)]| desk.ask(line, headers, "").0;
    // The page itself says nothing of the run; everything else needs the token.
    let Answer(page, head, _) = desk.ask("GET /", &[], "");
    assert!(
        page == 200 && head.contains("default-src 'none'") && head.contains("no-store"),
        "{head}"
    );
    assert_eq!(status("GET /desk", &[]), 401);
    assert_eq!(status("GET /", &[("Host", "evil.example")]), 403);
    assert_eq!(
        status(
            "POST /session",
            &[
                ("Origin", "http://evil.example"),
                ("Authorization", &bearer)
            ]
        ),
        403
    );
    assert_eq!(status("POST /session", &[("Authorization", &bearer)]), 403);
    assert_eq!(
        status(
            "POST /session",
            &[("Origin", &origin), ("Authorization", "Bearer 00")]
        ),
        403
    );
    let known = desk.enter();
    assert_eq!(
        status(
            "POST /session",
            &[("Origin", &origin), ("Authorization", &bearer)]
        ),
        403
    );
    assert_eq!(status("GET /desk", &[("Cookie", &known.0)]), 401);
    assert_eq!(desk.leave(), 0);
}

#[test]
fn a_wish_counts_once_and_only_for_what_is_there() {
    let project = Project::new();
    night(&project);
    let desk = Desk::open(&project, &[]);
    let known = desk.enter();
    let sheet = desk.sheet(&known);
    let hunk = &sheet["hunks"][0];
    assert_eq!(
        (&hunk["file"], &hunk["read"]),
        (&json!("parsed"), &json!(false))
    );
    let wish = json!({"once": sheet["once"], "hunks": [hunk["key"]], "wish": {"do": "read"}});
    assert_eq!(desk.wish(&known, &wish).0, 200);
    assert_eq!(desk.wish(&known, &wish).0, 409);
    let stale =
        json!({"once": desk.sheet(&known)["once"], "hunks": ["00"], "wish": {"do": "read"}});
    assert_eq!(desk.wish(&known, &stale).0, 409);
    assert_eq!(desk.sheet(&known)["hunks"][0]["read"], true);
    // What could move a cursor or hide text is named.
    let path = format!("GET /hunk/{}", hunk["key"].as_str().unwrap());
    let lines = desk
        .ask(&path, &[("Cookie", &known.0), ("X-Desk-Key", &known.1)], "")
        .2;
    assert_eq!(
        lines["lines"][2],
        "+<U+202E>two<U+001B>[31m<script>alert(1)</script>"
    );
    assert_eq!(desk.leave(), 0);
}

#[test]
fn the_nearest_attacker_an_agents_process_is_refused() {
    let project = Project::new();
    night(&project);
    let desk = Desk::open(&project, &[]);
    let origin = desk.origin();
    let mut curl = project.command("curl");
    let said = curl
        .args([
            "-sS",
            "-o",
            "/dev/null",
            "-w",
            "%{http_code}",
            &format!("{origin}/"),
        ])
        .env("OVERNIGHT_RUN_DIR", "/x")
        .output()
        .unwrap();
    assert_eq!(String::from_utf8_lossy(&said.stdout), "403");
    // The guard refuses it before it is asked.
    for command in [
        format!("curl {origin}/"),
        format!("nc 127.0.0.1 {}", desk.port),
    ] {
        let mut guard = project.command(cargo_bin!("command-guard"));
        let verdict = guard.args(["check", &command]).status();
        assert_eq!(verdict.unwrap().code(), Some(2), "{command}");
    }
    let arguments = std::fs::read_to_string(format!("/proc/{}/cmdline", desk.child.id())).unwrap();
    assert!(!arguments.contains(&desk.token));
    assert_eq!(desk.leave(), 0);
}

#[test]
fn approving_is_confirmed_in_the_terminal_and_a_task_goes_back() {
    let project = Project::new();
    let run = night(&project);
    let desk = Desk::open(&project, &[&run]);
    let known = desk.enter();
    let approve = |sheet: &Value| json!({"once": sheet["once"], "wish": {"do": "question", "ask": "ask-1", "approve": true}});
    for (typed, said) in [("n\n", "was not approved"), ("y\n", "may run once")] {
        assert_eq!(desk.wish(&known, &approve(&desk.sheet(&known))).0, 200);
        assert!(
            desk.sheet(&known)["waiting"]
                .as_str()
                .unwrap()
                .contains("git push")
        );
        desk.wait("type y and Enter");
        desk.screen.lock().unwrap().clear();
        (&desk.keys).write_all(typed.as_bytes()).unwrap();
        desk.wait(said);
    }
    assert_eq!(project.records("answered")[0]["approved"], true);
    let sheet = desk.sheet(&known);
    let text = sheet["items"].to_string();
    assert!(!text.contains("ask-1"), "{text}");
    let back = json!({"once": sheet["once"], "wish": {"do": "send_back", "task": "parse", "comments": ["say more"]}});
    assert_eq!(desk.wish(&known, &back).0, 200);
    assert_eq!(
        project.records("sent_back")[0]["comments"],
        json!(["say more"])
    );
    assert_eq!(desk.leave(), 0);
}

#[test]
fn an_agent_gets_no_page_and_no_file_gets_the_address() {
    let project = Project::new();
    night(&project);
    let mut agent = project.command(cargo_bin!("overnight"));
    agent.args(["review", "--web"]).env("CLAUDECODE", "1");
    assert_eq!(agent.output().unwrap().status.code(), Some(77));
    let mut kept = project.command(cargo_bin!("overnight"));
    let file = File::create(project.path(".git/said")).unwrap();
    let kept = kept.args(["review", "--web"]).stdout(file).status();
    assert_eq!(kept.unwrap().code(), Some(77));
    assert_eq!(project.read(".git/said"), "");
}

#[test]
fn the_page_ends_with_its_terminal() {
    let project = Project::new();
    night(&project);
    let mut command = project.command(cargo_bin!("overnight"));
    let (mut child, mut keys) = terminal::start(command.args(["review", "--web"]));
    let mut bytes = [0; 4096];
    let mut shown = String::new();
    while !shown.contains("Ctrl-C ends it") {
        let count = keys.read(&mut bytes).unwrap();
        shown.push_str(&String::from_utf8_lossy(&bytes[..count]));
    }
    drop(keys);
    let deadline = Instant::now() + Duration::from_mins(1);
    while child.try_wait().unwrap().is_none() {
        assert!(Instant::now() < deadline, "it lives without its terminal");
        std::thread::sleep(Duration::from_millis(5));
    }
    assert!(!project.path(".git/overnight/desk.port").exists());
}

#[test]
fn commands_in_a_cell_are_refused_by_the_page() {
    if !crate::cell::has_cell() {
        return;
    }
    let project = Project::new();
    night(&project);
    let desk = Desk::open(&project, &[]);
    // Also one that left its line, its environment and its limits behind.
    let meet = format!(
        r#"import http.client, resource
try: resource.setrlimit(resource.RLIMIT_FSIZE, (-1, -1))
except (OSError, ValueError): pass
desk = http.client.HTTPConnection("127.0.0.1", {0})
desk.request("GET", "/", headers={{"Host": "127.0.0.1:{0}"}})
print(desk.getresponse().status, flush=True)"#,
        desk.port
    );
    std::fs::write(project.meeting("meet.py"), meet).unwrap();
    let (script, said) = (project.meeting("meet.py"), project.meeting("said"));
    let (script, said) = (script.display(), said.display());
    // Another night, whose only task is the goal.
    std::fs::remove_file(project.path("tasks.json")).unwrap();
    let agent = format!(
        "command:python3 {script} > {said}; env -i setsid python3 {script} >> {said}; echo x > made; printf -- '- [x] 1: seen\\n<DONE>made</DONE>\\n'"
    );
    project.run(&[
        "--agent",
        &agent,
        "--no-pr",
        "--gate",
        &format!("python3 {script} >> {said}"),
    ]);
    let said = std::fs::read_to_string(project.meeting("said")).unwrap();
    assert!(said.lines().count() >= 3, "{said}");
    for line in said.lines() {
        assert_eq!(line, "403", "{said}");
    }
    assert_eq!(desk.leave(), 0);
}

#[test]
fn a_wish_needs_the_pages_origin_and_key_and_a_hunk_as_it_is_now() {
    let project = Project::new();
    night(&project);
    let desk = Desk::open(&project, &[]);
    let known = desk.enter();
    let sheet = desk.sheet(&known);
    let key = sheet["hunks"][0]["key"].clone();
    let wish =
        |sheet: &Value| json!({"once": sheet["once"], "hunks": [key], "wish": {"do": "read"}});
    let body = wish(&sheet).to_string();
    let origin = desk.origin();
    let sent = |origin: &str, cookie: &str, key: &str| {
        let headers = [
            ("Cookie", cookie),
            ("X-Desk-Key", key),
            ("Origin", origin),
            ("Content-Type", "application/json"),
        ];
        desk.ask("POST /wish", &headers, &body).0
    };
    assert_eq!(sent("http://evil.example", &known.0, &known.1), 403);
    assert_eq!(sent("null", &known.0, &known.1), 403);
    assert_eq!(sent(&origin, &known.0, "00"), 401);
    assert_eq!(sent(&origin, "", &known.1), 401);
    for line in ["GET /wish", "GET /session", "PUT /wish", "OPTIONS /wish"] {
        let status = desk
            .ask(line, &[("Cookie", &known.0), ("X-Desk-Key", &known.1)], "")
            .0;
        assert!((400..500).contains(&status), "{line}: {status}");
    }
    // What was read is another text by now.
    std::fs::write(project.path("parsed"), "another\n").unwrap();
    project.git(&["commit", "-qam", "Meanwhile"]);
    assert_eq!(desk.wish(&known, &wish(&desk.sheet(&known))).0, 409);
    let now = desk.sheet(&known);
    assert_eq!(now["hunks"][0]["read"], false);
    assert_ne!(now["hunks"][0]["key"], key);
    assert_eq!(desk.leave(), 0);
}
