//! The plugin as npm packages from a registry on loopback, through the marketplace in the
//! repository's root.

use super::api::{Api, Kind, Request, Script, Turn};
use super::client::{Client, Finished};
use super::install::{fired, until};
use super::session::{delegate, work};
use super::support;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use xtask::npm;

const ROOT: &str = env!("CARGO_MANIFEST_DIR");
const VERSION: &str = env!("CARGO_PKG_VERSION");
/// The version that is published while a session runs.
const NEWER: &str = "99.0.0";
/// What the README's line stands for: where the marketplace is.
const REPOSITORY: &str = "OWNER/overnight";
/// Iterations through each door.
const ITERATIONS: usize = 2;
const GOAL: &str = "count to the end";

/// A machine with the client and npm, and a registry that has these packages and no other.
struct Machine {
    api: Api,
    client: Client,
    folder: tempfile::TempDir,
    url: String,
    /// The folder that is added as the marketplace.
    market: PathBuf,
}

impl Machine {
    fn new(packages: &Path) -> Option<Self> {
        let script = Script::new()
            .answer(Kind::Main, talk)
            .answer(Kind::Subagent, work);
        Self::with(packages, script)
    }

    fn with(packages: &Path, script: Script) -> Option<Self> {
        let api = Api::start(script);
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let (packages, base) = (packages.to_owned(), url.clone());
        // It ends with the test.
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                // Whoever hangs up early is answered no further.
                let _ = answer(&stream, &packages, &base);
            }
        });
        Some(Self {
            client: Client::new(&api)?,
            api,
            folder: tempfile::tempdir().unwrap(),
            url,
            market: PathBuf::from(ROOT),
        })
    }

    fn run(&self, mut command: Command) -> Finished {
        command.env("npm_config_registry", &self.url);
        // It waits for seconds before it asks again for what is damaged.
        command.env("npm_config_fetch_retries", "0");
        self.client.finish(&mut command)
    }

    fn manage(&self, words: &[&str]) -> Finished {
        let mut command = self.client.command(self.folder.path());
        command.arg("plugin").args(words);
        let done = self.run(command);
        assert!(done.status.success(), "{words:?} {done:#?}");
        done
    }

    /// The one line of the README, for the marketplace of this test.
    fn install(&self) {
        let page = std::fs::read_to_string(Path::new(ROOT).join("README.md")).unwrap();
        let line = page.lines().find(|line| line.contains(REPOSITORY)).unwrap();
        let line = line.replacen(REPOSITORY, &format!("'{}'", self.market.display()), 1);
        let mut shell = self.client.dressed("sh", self.folder.path());
        shell.args(["-c", &line]);
        let done = self.run(shell);
        assert!(done.status.success(), "{line} {done:#?}");
    }

    fn remove(&self) {
        self.manage(&["uninstall", "overnight@overnight"]);
        self.manage(&["marketplace", "remove", "overnight"]);
        let settings = std::fs::read_to_string(self.client.home.join(".claude/settings.json"));
        assert!(!settings.unwrap().contains("overnight"));
        let done = self.session();
        assert!(!done.stdout.contains("hook_response"), "{done:#?}");
    }

    fn print(&self, prompt: &str, more: &[&str]) -> Command {
        let mut command = self.client.print(self.folder.path(), prompt);
        command.arg("--include-hook-events").args(more);
        command.env("npm_config_registry", &self.url);
        command
    }

    fn session(&self) -> Finished {
        self.run(self.print("go", &["--allowedTools", "Bash"]))
    }

    fn plugin(&self, version: &str) -> PathBuf {
        let cache = self.client.home.join(".claude/plugins/cache");
        cache.join("overnight/overnight").join(version)
    }

    /// A program of the plugin, or of an installation beside it.
    fn program(&self, program: &Path, words: &[&str]) -> Finished {
        let mut command = self.client.dressed(program, self.folder.path());
        command.args(words);
        self.run(command)
    }

    /// Judged iterations of each run of the folder, oldest run first.
    fn judged(&self) -> Vec<usize> {
        let runs = std::fs::read_dir(self.folder.path().join(".git/overnight/runs")).unwrap();
        let mut journals: Vec<PathBuf> = runs
            .map(|run| run.unwrap().path().join("journal.jsonl"))
            .collect();
        journals.sort();
        let count = |text: String| text.matches("\"event\":\"judged\"").count();
        let texts = journals
            .iter()
            .map(|path| std::fs::read_to_string(path).unwrap());
        texts.map(count).collect()
    }
}

/// What the model answers: in a session that tries the programs, behind the driver, and in one with a run.
fn talk(at: usize, request: &Request) -> Turn {
    let is_drivers = request.body.to_string().contains(GOAL);
    match at {
        _ if !is_drivers && request.first != "go" => {
            delegate("INCOMPLETE: more is left")(at, request)
        }
        0 if is_drivers => Turn::bash("date +%N >> counted.txt"),
        0 => Turn::bash("overnight --version && task-lock --version"),
        _ => Turn::say("went on"),
    }
}

/// Answers `GET /NAME` with what the registry knows of a package, and `GET /-/FILE` with the file.
fn answer(mut stream: &TcpStream, packages: &Path, base: &str) -> std::io::Result<()> {
    let mut first = String::new();
    let mut lines = BufReader::new(stream);
    lines.read_line(&mut first)?;
    let mut line = String::new();
    while lines.read_line(&mut line)? > 2 {
        line.clear();
    }
    let asked = first.split(' ').nth(1).unwrap_or_default();
    let asked = asked.trim_start_matches('/').replace("%2f", "/");
    let body = match asked.strip_prefix("-/") {
        Some(file) => std::fs::read(packages.join(file)).ok(),
        None => known(packages, &asked, base).map(|known| known.to_string().into_bytes()),
    };
    let status = if body.is_some() {
        "200 OK"
    } else {
        "404 Not Found"
    };
    let body = body.unwrap_or_else(|| b"{}".to_vec());
    let length = body.len();
    write!(
        stream,
        "HTTP/1.1 {status}\r\nContent-Type: application/json\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n"
    )?;
    stream.write_all(&body)
}

fn known(packages: &Path, name: &str, base: &str) -> Option<Value> {
    let file = name.trim_start_matches('@').replace('/', "-");
    let mut versions = serde_json::Map::new();
    for number in [VERSION, NEWER] {
        let file = format!("{file}-{number}.tgz");
        let mut tar = Command::new("tar");
        let done = tar
            .arg("-xzOf")
            .arg(packages.join(&file))
            .arg("package/package.json");
        let text = done.output().ok()?.stdout;
        if let Ok(mut version) = serde_json::from_slice::<Value>(&text) {
            version["dist"] = json!({ "tarball": format!("{base}/-/{file}") });
            versions.insert(number.to_owned(), version);
        }
    }
    let newest = versions.keys().max()?.clone();
    Some(json!({ "name": name, "dist-tags": { "latest": newest }, "versions": versions }))
}

/// Publishes the plugin once more, in the newer version.
fn publish_newer(packages: &Path) {
    let folder = packages.join("work/overnight");
    for name in [
        "package.json",
        "npm-shrinkwrap.json",
        ".claude-plugin/plugin.json",
    ] {
        let mut value: Value =
            serde_json::from_slice(&std::fs::read(folder.join(name)).unwrap()).unwrap();
        value["version"] = NEWER.into();
        if let Some(own) = value.pointer_mut("/packages/") {
            own["version"] = NEWER.into();
        }
        std::fs::write(folder.join(name), value.to_string()).unwrap();
    }
    let mut npm = Command::new("npm");
    npm.args(["pack", "--silent", "--pack-destination"])
        .arg(packages.join("npm"));
    assert!(npm.current_dir(folder).output().unwrap().status.success());
}

/// The packages of a platform and of the plugin, from programs made by `make`.
fn packages(of: npm::Platform, make: impl Fn(&Path)) -> tempfile::TempDir {
    let keep = tempfile::tempdir_in(support::target().join("tmp")).unwrap();
    let built = keep.path().join("built");
    std::fs::create_dir(&built).unwrap();
    make(&built.join("overnight"));
    let (work, out) = (keep.path().join("work"), keep.path().join("npm"));
    npm::programs(&built, of, &work, &out).unwrap();
    npm::plugin(Path::new(ROOT), &work, &out).unwrap();
    keep
}

fn this_machine(foreign: bool) -> npm::Platform {
    let os = if cfg!(target_os = "macos") == foreign {
        "unknown-linux-musl"
    } else {
        "apple-darwin"
    };
    npm::platform(&format!("{}-{os}", std::env::consts::ARCH)).unwrap()
}

/// The program of this build without its symbols, which take long to pack.
fn stripped(to: &Path) {
    let built = assert_cmd::cargo::cargo_bin!("overnight");
    let done = Command::new("strip").arg("-o").arg(to).arg(built).status();
    assert!(done.unwrap().success());
}

fn script(to: &Path, line: &str) {
    std::fs::write(to, format!("#!/bin/sh\n{line}\n")).unwrap();
    std::fs::set_permissions(to, std::fs::Permissions::from_mode(0o755)).unwrap();
}

fn told(done: &Finished) -> usize {
    let lines = done.stdout.lines();
    lines
        .filter(|line| line.contains("hook_response") && line.contains("npm brought no program"))
        .count()
}

#[test]
fn one_line_installs_it_from_a_registry_and_its_hooks_run_without_a_toolchain() {
    let packages = packages(this_machine(false), stripped);
    let Some(machine) = Machine::new(&packages.path().join("npm")) else {
        return;
    };
    machine.install();
    let done = machine.session();
    assert_eq!(done.result()["result"], "went on", "{done:#?}");
    assert_eq!(told(&done), 0, "{done:#?}");
    let requests = machine.api.main_requests();
    let version = format!("overnight {}", env!("CARGO_PKG_VERSION"));
    assert!(requests[1].tool_result.contains(&version), "{done:#?}");
    let fired = |line: &&str| line.contains("hook_response") && line.contains("PreToolUse");
    assert_eq!(done.stdout.lines().filter(fired).count(), 1, "{done:#?}");
    let bin = machine.plugin(VERSION).join("bin");
    assert!(
        std::fs::metadata(bin.join("overnight")).unwrap().len() > 1_000_000,
        "the first call put the program in its launcher's place"
    );
    // Each other name is a launcher until it is called.
    let called = machine.program(&bin.join("task-lock"), &["--version"]);
    assert!(called.status.success());
    let link = std::fs::read_link(bin.join("task-lock")).unwrap();
    assert_eq!(link, Path::new("overnight"));

    carries_runs_through_both_doors(&machine, &bin.join("overnight"));
    comes_by_npm_alone(&machine, &version);
    machine.remove();
    assert!(
        machine.plugin(VERSION).join(".orphaned_at").exists(),
        "the client sweeps it away later"
    );
}

/// `npx` and a global installation, which its removal takes away again.
fn comes_by_npm_alone(machine: &Machine, version: &str) {
    for (words, said) in [
        (
            &["npx", "--yes", "@overnight-plugin/overnight", "--version"][..],
            version,
        ),
        (
            &[
                "npm",
                "install",
                "--global",
                "--prefix",
                "g",
                "@overnight-plugin/overnight",
            ],
            "",
        ),
        (
            &["g/bin/overnight", "demo", "--dir", "shown"],
            "3 of 4 tasks done (3 proved)",
        ),
        (
            &[
                "npm",
                "uninstall",
                "--global",
                "--prefix",
                "g",
                "@overnight-plugin/overnight",
            ],
            "",
        ),
    ] {
        let done = machine.program(Path::new("env"), words);
        assert!(
            done.status.success() && done.stdout.contains(said),
            "{words:?} {done:#?}"
        );
    }
    assert!(!machine.folder.path().join("g/bin/overnight").exists());
}

/// A run in a session and one of a driver, and nothing of either after `overnight uninstall`.
fn carries_runs_through_both_doors(machine: &Machine, program: &Path) {
    let top = machine.folder.path();
    let identity = [
        "-c",
        "user.name=Test",
        "-c",
        "user.email=test@example.invalid",
    ];
    for words in [
        &["init", "-q", "-b", "auto/count"][..],
        &["commit", "-q", "--allow-empty", "-m", "start"],
    ] {
        let mut git = machine.client.dressed("git", top);
        assert!(git.args(identity).args(words).status().unwrap().success());
    }
    let most = ITERATIONS.to_string();
    let typed = format!("/flow port the parser --autonomous --max-iterations {most}");
    let flow = machine.run(machine.print(
        &typed,
        &[
            "--permission-mode",
            "acceptEdits",
            "--allowedTools",
            "Agent",
        ],
    ));
    assert!(flow.status.success(), "{flow:#?}");
    let driver = machine.program(
        program,
        &["run", GOAL, "--here", "--no-pr", "--max-iterations", &most],
    );
    assert_eq!(driver.status.code(), Some(1), "{driver:#?}");
    assert_eq!(machine.judged(), [ITERATIONS; 2], "{flow:#?} {driver:#?}");

    let removed = machine.program(program, &["uninstall"]);
    assert!(removed.status.success(), "{removed:#?}");
    assert!(
        !top.join(".git/overnight").exists()
            && !machine.client.home.join(".local/state/overnight").exists()
    );
}

/// The repository's marketplace in a folder of its own; gives its manifest with what stands in it.
fn copied_market(market: &Path) -> (PathBuf, String) {
    let name = ".claude-plugin/marketplace.json";
    let text = std::fs::read_to_string(Path::new(ROOT).join(name)).unwrap();
    let manifest = market.join(name);
    std::fs::create_dir_all(manifest.parent().unwrap()).unwrap();
    std::fs::write(&manifest, &text).unwrap();
    (manifest, text)
}

#[test]
fn an_update_from_the_registry_costs_a_running_session_nothing() {
    let packages = packages(this_machine(false), |to| {
        script(to, "echo \"$*\" >> ~/called");
    });
    publish_newer(packages.path());
    let script = Script::new().session(vec![
        Turn::bash("echo x > started; until [ -e go ]; do sleep 0.05; done; echo first"),
        Turn::bash("echo second"),
        Turn::say("end"),
    ]);
    let Some(mut machine) = Machine::with(&packages.path().join("npm"), script) else {
        return;
    };
    machine.market = packages.path().join("market");
    let (manifest, text) = copied_market(&machine.market);
    machine.install();
    let at = |name: &str| machine.folder.path().join(name);
    let mut command = machine.print(
        "go",
        &["--permission-mode", "acceptEdits", "--allowedTools", "Bash"],
    );
    let mut session = command
        .stdout(std::fs::File::create(at("stream.jsonl")).unwrap())
        .stderr(std::process::Stdio::null())
        .spawn()
        .unwrap();
    until(|| at("started").exists());
    let version = |number: &str| format!("\"version\": \"{number}\"");
    std::fs::write(&manifest, text.replace(&version(VERSION), &version(NEWER))).unwrap();
    machine.manage(&["marketplace", "update", "overnight"]);
    machine.manage(&["update", "overnight@overnight"]);
    assert!(machine.manage(&["list"]).stdout.contains(NEWER));
    std::fs::write(at("go"), "").unwrap();
    let done = Finished {
        status: session.wait().unwrap(),
        stdout: std::fs::read_to_string(at("stream.jsonl")).unwrap(),
        stderr: String::new(),
    };
    assert_eq!(done.result()["result"], "end", "{done:#?}");
    assert_eq!(
        fired(&done, "PreToolUse"),
        ["success", "success"],
        "{done:#?}"
    );
    let called = || std::fs::read_to_string(machine.client.home.join("called")).unwrap();
    assert_eq!(
        called().matches("hook PreToolUse").count(),
        2,
        "{}",
        called()
    );
    let next = machine.session();
    assert_eq!(called().matches("hook PreToolUse").count(), 4, "{next:#?}");
    let launcher = std::fs::read_to_string(machine.plugin(NEWER).join("bin/overnight")).unwrap();
    assert!(
        launcher.contains("called"),
        "the new session began with the new version"
    );
    machine.remove();
}

#[test]
fn where_npm_has_no_program_or_a_damaged_one_one_line_says_so_and_the_session_goes_on() {
    for foreign in [true, false] {
        let packages = packages(this_machine(foreign), |to| {
            script(to, "echo whole >> ~/damaged");
        });
        let out = packages.path().join("npm");
        if !foreign {
            // Another package in its place, which is whole but is not the one that is locked.
            let other = self::packages(this_machine(false), |to| {
                script(to, "echo another >> ~/damaged");
            });
            let name = |entry: std::fs::DirEntry| entry.file_name().into_string().unwrap();
            let entries = std::fs::read_dir(other.path().join("npm")).unwrap();
            let file = entries.map(|entry| name(entry.unwrap()));
            let file = { file }.find(|file| file.contains("64-")).unwrap();
            std::fs::copy(other.path().join("npm").join(&file), out.join(&file)).unwrap();
        }
        let Some(machine) = Machine::new(&out) else {
            return;
        };
        machine.install();
        let done = machine.session();
        assert_eq!(done.result()["result"], "went on", "{done:#?}");
        assert_eq!(told(&done), 1, "{done:#?}");
        assert!(
            !machine.client.home.join("damaged").exists(),
            "it was started"
        );
    }
}

#[test]
fn the_marketplace_of_the_repository_names_the_package_in_this_version() {
    let text = std::fs::read_to_string(Path::new(ROOT).join(".claude-plugin/marketplace.json"));
    let market: Value = serde_json::from_str(&text.unwrap()).unwrap();
    let source =
        json!({ "source": "npm", "package": "@overnight-plugin/overnight", "version": VERSION });
    assert_eq!(market["plugins"][0]["source"], source);
}
