//! The plugin as npm packages from a registry on loopback, through the marketplace in the
//! repository's root.

use super::api::{Api, Script, Turn};
use super::client::{Client, Finished};
use super::support;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use xtask::npm;

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

/// A machine with the client and npm, and a registry that has these packages and no other.
struct Machine {
    api: Api,
    client: Client,
    folder: tempfile::TempDir,
    url: String,
}

impl Machine {
    fn new(packages: &Path) -> Option<Self> {
        let api = Api::start(Script::new().session(vec![
            Turn::bash("overnight --version && task-lock --version"),
            Turn::say("went on"),
        ]));
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

    /// The one line of the README, for the repository of this test.
    fn install(&self) {
        self.manage(&["marketplace", "add", ROOT]);
        self.manage(&["install", "overnight@overnight"]);
    }

    fn session(&self) -> Finished {
        let mut command = self.client.print(self.folder.path(), "go");
        command.args(["--include-hook-events", "--allowedTools", "Bash"]);
        self.run(command)
    }

    fn plugin(&self) -> PathBuf {
        let cache = self.client.home.join(".claude/plugins/cache");
        cache
            .join("overnight/overnight")
            .join(env!("CARGO_PKG_VERSION"))
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
    let file = format!("{file}-{}.tgz", env!("CARGO_PKG_VERSION"));
    let mut tar = Command::new("tar");
    let done = tar
        .arg("-xzOf")
        .arg(packages.join(&file))
        .arg("package/package.json");
    let mut version: Value = serde_json::from_slice(&done.output().ok()?.stdout).ok()?;
    version["dist"] = json!({ "tarball": format!("{base}/-/{file}") });
    let number = env!("CARGO_PKG_VERSION");
    Some(
        json!({ "name": name, "dist-tags": { "latest": number }, "versions": { number: version } }),
    )
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
    let bin = machine.plugin().join("bin");
    assert!(
        std::fs::metadata(bin.join("overnight")).unwrap().len() > 1_000_000,
        "the first call put the program in its launcher's place"
    );
    // Each other name is a launcher until it is called.
    let mut called = machine
        .client
        .dressed(bin.join("task-lock"), machine.folder.path());
    called.arg("--version");
    assert!(machine.run(called).status.success());
    let link = std::fs::read_link(bin.join("task-lock")).unwrap();
    assert_eq!(link, Path::new("overnight"));

    let mut npx = machine.client.dressed("npx", machine.folder.path());
    npx.args(["--yes", "@overnight-plugin/overnight", "--version"]);
    let done = machine.run(npx);
    assert_eq!(done.stdout.trim(), version, "{done:#?}");

    machine.manage(&["uninstall", "overnight@overnight"]);
    machine.manage(&["marketplace", "remove", "overnight"]);
    let settings = std::fs::read_to_string(machine.client.home.join(".claude/settings.json"));
    assert!(!settings.unwrap().contains("overnight"));
    assert!(
        machine.plugin().join(".orphaned_at").exists(),
        "the client sweeps it away later"
    );
    let done = machine.session();
    assert!(!done.stdout.contains("hook_response"), "{done:#?}");
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
    let source = json!({ "source": "npm", "package": "@overnight-plugin/overnight", "version": env!("CARGO_PKG_VERSION") });
    assert_eq!(market["plugins"][0]["source"], source);
}
