//! The commands of README.md, as they stand.

use crate::project::Project;
use crate::terminal;
use assert_cmd::cargo::cargo_bin;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

/// Lines that are run as they stand elsewhere, and where.
const ELSEWHERE: &[(&str, &str)] = &[
    // Without the tests' crates it is built once more: minutes that CI does not have.
    (
        "cargo run --quiet --bin overnight -- demo",
        ".github/workflows/check.yml",
    ),
    ("cargo xtask test", ".ci/run"),
    ("cargo xtask dist", ".github/workflows/check.yml"),
    ("claude plugin marketplace add ./dist", ".ci/run"),
    ("claude plugin install overnight@overnight", ".ci/run"),
    ("claude plugin marketplace add OWNER/", "tests/real/npm.rs"),
    ("claude plugin uninstall", "tests/real/npm.rs"),
];

/// Commands that exit with 1 to say what they found: a machine without `gh`, a run that has ended.
const ANSWERS: &[&str] = &["overnight rehearse", "overnight stop"];

/// A stand-in for the client that does the work and says so as an agent would.
const CLIENT: &str = r#"#!/bin/sh
echo worked >> work.txt
completion-check declare complete --reason done >&2
echo '{"type":"result","subtype":"success","is_error":false,"result":"done","total_cost_usd":0.1,"terminal_reason":"completed"}'
"#;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Every line of every `sh` block.
fn commands(page: &str) -> Vec<String> {
    let text = std::fs::read_to_string(root().join(page)).unwrap();
    let blocks = text.split("```sh\n").skip(1);
    blocks
        .filter_map(|block| block.split("```").next())
        .flat_map(str::lines)
        .map(str::trim)
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
        .map(str::to_owned)
        .collect()
}

#[test]
fn every_command_runs_as_it_stands() {
    let project = Project::new();
    for (name, text) in [
        (
            "Cargo.toml",
            "[package]\nname = \"scratch\"\nversion = \"0.1.0\"\nedition = \"2021\"\n",
        ),
        ("src/lib.rs", "#[test]\nfn it_works() {}\n"),
        ("bin/claude", CLIENT),
        (".gitignore", "target\n"),
    ] {
        let path = project.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    let client = project.path("bin/claude");
    std::fs::set_permissions(&client, std::fs::Permissions::from_mode(0o755)).unwrap();
    // A night begins at what is committed.
    project.git(&["add", "-A"]);
    project.git(&["commit", "-q", "-m", "scratch"]);
    let ours = cargo_bin!("overnight").parent().unwrap();
    let cargo = Path::new(env!("CARGO")).parent().unwrap();
    let path = format!(
        "{}:{}:{}:/usr/local/bin:/usr/bin:/bin",
        client.parent().unwrap().display(),
        ours.display(),
        cargo.display()
    );
    let mut ran = 0;
    for command in commands("README.md") {
        if let Some((_, place)) = ELSEWHERE
            .iter()
            .find(|(known, _)| command.starts_with(known))
        {
            assert!(root().join(place).exists(), "{place}");
            continue;
        }
        let mut shell = project.command("/bin/sh");
        shell.args(["-c", &command]).env("PATH", &path);
        let (status, said) = terminal::run_typing(&mut shell, "y\ny\ny\n");
        let is_answer = status == 1 && ANSWERS.contains(&command.as_str());
        assert!(status == 0 || is_answer, "{command}: {status}\n{said}");
        ran += 1;
    }
    assert!(ran >= 10, "only {ran} commands of README.md ran");
    let work = project.git_out(&["show", "auto/test:work.txt"]);
    assert!(work.contains("worked"), "{work}");
    let gates = project.read("overnight.toml");
    assert!(gates.contains("cargo test"), "{gates}");
}

#[test]
fn what_ci_is_said_to_run_it_runs() {
    let ci = std::fs::read_to_string(root().join(".ci/run")).unwrap();
    // CI pins the lock file; that is the only difference.
    let plain = ci.replace(" --locked", "");
    let workflow = std::fs::read_to_string(root().join(".github/workflows/check.yml")).unwrap();
    let workflow = workflow.replace(" --locked", "");
    for (command, place) in ELSEWHERE {
        let runs = if *place == ".ci/run" {
            &plain
        } else {
            &workflow
        };
        if place.starts_with('.') {
            assert!(runs.contains(command), "{command}");
        }
    }
}
