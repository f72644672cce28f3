//! `cargo xtask picture`: the morning report of a night as its users have them, as the README shows it: a shop
//! in TypeScript's clothes, commits on a branch, a pull request, proved tasks, a refuted one, a question.

use std::io::{Error, Result};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

/// Where the README looks for it.
const PICTURE: &str = "lib-docs/morning.png";
/// Width and height in pixels: the part of the report that is read first.
const SIZE: &str = "--window-size=860,1320";
/// Browsers that take pictures by themselves.
const BROWSERS: [&str; 3] = ["chromium", "chromium-browser", "google-chrome"];
/// The task list of the night. Its gates are shell, so that the picture needs no compiler.
const TASKS: &str = include_str!("picture/tasks.json");
/// Stands for the client: what it does by task, and what that costs.
const CLIENT: &str = include_str!("picture/agent.sh");
/// What the compiler of the refuted task says.
const TYPES: &str = include_str!("picture/types.sh");
/// Stands for the forge's program.
const FORGE: &str =
    "#!/bin/sh\n[ \"$1 $2\" = 'pr create' ] && echo https://github.com/you/shop/pull/7\nexit 0\n";

/// Plays the night and takes a picture of its report.
pub(crate) fn run(root: &Path) -> Result<ExitCode> {
    let night = root.join("target/picture");
    let _ = std::fs::remove_dir_all(&night);
    play(root, &night)?;
    let report = report(&night.join("shop"))?;
    let profile = format!(
        "--user-data-dir={}",
        root.join("target/picture-profile").display()
    );
    let screenshot = format!("--screenshot={}", root.join(PICTURE).display());
    for browser in BROWSERS {
        let taken = Command::new(browser)
            .args(["--headless", "--no-sandbox", "--disable-gpu"])
            .args(["--hide-scrollbars", SIZE, &profile, &screenshot])
            .arg(format!("file://{}", report.display()))
            .status();
        if taken.is_ok_and(|status| status.success()) {
            println!("{PICTURE}");
            return Ok(ExitCode::SUCCESS);
        }
    }
    Err(Error::other("no browser took the picture"))
}

/// A project with a remote, and a run on it with a home of its own.
fn play(root: &Path, night: &Path) -> Result<()> {
    let (shop, home, bin) = (night.join("shop"), night.join("home"), night.join("bin"));
    for folder in [&shop.join("tests"), &home, &bin] {
        std::fs::create_dir_all(folder)?;
    }
    for (name, text) in [("gh", FORGE), ("claude", CLIENT)] {
        let program = bin.join(name);
        std::fs::write(&program, text)?;
        std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755))?;
    }
    std::fs::write(
        shop.join("AGENT_PROMPT.md"),
        "# Put the shop's checkout in order\n",
    )?;
    std::fs::write(shop.join("tasks.json"), TASKS)?;
    std::fs::write(shop.join("tests/types.sh"), TYPES)?;
    let programs = root.join("target/debug");
    let before = std::env::var("PATH").unwrap_or_default();
    let path = format!("{}:{}:{before}", bin.display(), programs.display());
    let ran = |program: &str, arguments: &[&str]| {
        let mut command = Command::new(program);
        command.current_dir(&shop).args(arguments);
        command.env("HOME", &home).env("PATH", &path);
        for (name, value) in [("NAME", "You"), ("EMAIL", "you@example.com")] {
            command.env(format!("GIT_AUTHOR_{name}"), value);
            command.env(format!("GIT_COMMITTER_{name}"), value);
        }
        command.status()
    };
    let remote = night.join("origin.git").display().to_string();
    for arguments in [
        &["init", "-q", "-b", "main"][..],
        &["init", "-q", "--bare", &remote],
        &["remote", "add", "origin", &remote],
        &["add", "."],
        &["commit", "-qm", "The shop as it was"],
        &["push", "-q", "-u", "origin", "main"],
    ] {
        if !ran("git", arguments)?.success() {
            return Err(Error::other(format!("git {} failed", arguments[0])));
        }
    }
    let built = Command::new("cargo")
        .current_dir(root)
        .args(["build", "--quiet", "--locked", "--bins"])
        .status()?;
    if !built.success() || !ran("overnight", &["trust"])?.success() {
        return Err(Error::other("the night cannot begin"));
    }
    // It ends with work left: that is what the picture shows.
    ran("overnight", &["run", "--agent", "claude"]).map(drop)
}

/// The report of the only run.
fn report(night: &Path) -> Result<PathBuf> {
    let mut runs = std::fs::read_dir(night.join("agent_logs"))?;
    let run = runs.next().ok_or_else(|| Error::other("no run"))??;
    Ok(run.path().join("report.html"))
}
