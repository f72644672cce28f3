//! The real client with a HOME of its own.

mod fetch;

use super::api::Api;
use super::support;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// The version that the platform contract was measured with.
pub const VERSION: &str = "2.1.329";

/// How long one run of the client may take before the test fails; a busy machine included.
const WAIT_MAX: Duration = Duration::from_secs(150);

/// An account that is not there: only our API sees it.
const KEY: &str = "sk-ant-api03-overnight-tests-0123456789abcdef";

/// How the client authenticates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Account {
    Key,
    Subscription,
}

/// The client, ready to run against one API.
pub struct Client {
    /// Its HOME; removed with the client.
    pub home: PathBuf,
    /// The folder that holds the executable `claude`.
    pub bin: PathBuf,
    url: String,
    account: Account,
    _folder: tempfile::TempDir,
}

/// What a finished process left.
#[derive(Debug)]
pub struct Finished {
    pub status: ExitStatus,
    pub stdout: String,
    pub stderr: String,
}

impl Finished {
    /// The stdout's JSON lines; other lines are left out.
    pub fn lines(&self) -> Vec<Value> {
        let parse = |line| serde_json::from_str(line).ok();
        self.stdout.lines().filter_map(parse).collect()
    }

    /// The last result line of a headless run.
    #[track_caller]
    pub fn result(&self) -> Value {
        let lines = self.lines();
        let result = lines.iter().rfind(|line| line["type"] == "result");
        result
            .unwrap_or_else(|| panic!("no result line: {self:#?}"))
            .clone()
    }
}

impl Client {
    /// A client with an API key; `None` where it cannot be had (the test is reported as skipped).
    pub fn new(api: &Api) -> Option<Self> {
        Self::with(api, Account::Key)
    }

    /// A client with a subscription's token: only then it knows usage limits.
    pub fn subscriber(api: &Api) -> Option<Self> {
        Self::with(api, Account::Subscription)
    }

    fn with(api: &Api, account: Account) -> Option<Self> {
        let bin = match fetch::folder() {
            Ok(bin) => bin,
            Err(reason) => {
                support::skip(reason);
                return None;
            }
        };
        let folder = tempfile::tempdir().unwrap();
        let home = folder.path().canonicalize().unwrap();
        let client = Self {
            home,
            bin,
            url: api.url.clone(),
            account,
            _folder: folder,
        };
        client.configure(&json!({}));
        Some(client)
    }

    /// Trusts these folders, as the person's answer to the dialog would, for interactive use.
    pub fn trust(&self, folder: &Path) {
        let folder = folder.canonicalize().unwrap();
        let trusted =
            json!({"hasTrustDialogAccepted": true, "hasCompletedProjectOnboarding": true});
        self.configure(&json!({ folder.to_str().unwrap(): trusted }));
    }

    fn configure(&self, projects: &Value) {
        let approved = &KEY[KEY.len() - 20..];
        let settings = json!({
            "hasCompletedOnboarding": true, "lastOnboardingVersion": VERSION, "theme": "dark",
            "numStartups": 5, "autoUpdates": false,
            "customApiKeyResponses": {"approved": [approved], "rejected": []},
            "projects": projects,
        });
        std::fs::write(self.home.join(".claude.json"), settings.to_string()).unwrap();
    }

    /// What every process of the test gets as its whole environment: `claude` on the PATH, this
    /// HOME, this API, and no other traffic.
    pub fn environment(&self) -> Vec<(String, String)> {
        let path = format!("{}:/usr/local/bin:/usr/bin:/bin", self.bin.display());
        let mut all = vec![
            ("PATH", path),
            ("HOME", self.home.display().to_string()),
            ("ANTHROPIC_BASE_URL", self.url.clone()),
            ("NO_PROXY", "127.0.0.1".to_owned()),
            ("LANG", "C.UTF-8".to_owned()),
            ("TZ", "UTC".to_owned()),
            ("TERM", "xterm-256color".to_owned()),
            ("SHELL", "/bin/bash".to_owned()),
            ("GIT_CONFIG_NOSYSTEM", "1".to_owned()),
        ];
        for name in [
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC",
            "DISABLE_TELEMETRY",
            "DISABLE_ERROR_REPORTING",
            "DISABLE_AUTOUPDATER",
            "DISABLE_BUG_COMMAND",
            "DISABLE_COST_WARNINGS",
        ] {
            all.push((name, "1".to_owned()));
        }
        all.push(match self.account {
            Account::Key => ("ANTHROPIC_API_KEY", KEY.to_owned()),
            Account::Subscription => (
                "CLAUDE_CODE_OAUTH_TOKEN",
                "sk-ant-oat01-overnight-tests".to_owned(),
            ),
        });
        let own = |(name, value): (&str, String)| (name.to_owned(), value);
        all.into_iter().map(own).collect()
    }

    /// A command with that environment and nothing else, in this folder, with stdin closed.
    pub fn dressed(&self, program: impl AsRef<std::ffi::OsStr>, folder: &Path) -> Command {
        let mut command = Command::new(program);
        command
            .env_clear()
            .envs(self.environment())
            .current_dir(folder)
            .stdin(Stdio::null());
        command
    }

    /// The client itself, in this folder; add arguments.
    pub fn command(&self, folder: &Path) -> Command {
        self.dressed(self.bin.join("claude"), folder)
    }

    /// `claude -p PROMPT` with every line of the stream, in this folder.
    pub fn print(&self, folder: &Path, prompt: &str) -> Command {
        let mut command = self.command(folder);
        command.args(["-p", prompt, "--output-format", "stream-json", "--verbose"]);
        command
    }

    /// Runs a command to its end; kills it and fails the test after some minutes.
    #[track_caller]
    pub fn finish(&self, command: &mut Command) -> Finished {
        let (out, err) = (self.capture("out"), self.capture("err"));
        let mut child = command
            .stdout(std::fs::File::create(&out).unwrap())
            .stderr(std::fs::File::create(&err).unwrap())
            .spawn()
            .unwrap();
        let deadline = Instant::now() + WAIT_MAX;
        let status = loop {
            if let Some(status) = child.try_wait().unwrap() {
                break Some(status);
            }
            if Instant::now() > deadline {
                child.kill().unwrap();
                child.wait().unwrap();
                break None;
            }
            std::thread::sleep(Duration::from_millis(10));
        };
        let read = |path| String::from_utf8_lossy(&std::fs::read(path).unwrap()).into_owned();
        let (stdout, stderr) = (read(out), read(err));
        let Some(status) = status else {
            panic!("not finished after {WAIT_MAX:?}\n{stdout}\n{stderr}")
        };
        Finished {
            status,
            stdout,
            stderr,
        }
    }

    fn capture(&self, name: &str) -> PathBuf {
        static COUNT: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(0);
        let count = COUNT.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        self.home.join(format!("{name}-{count}.txt"))
    }
}
