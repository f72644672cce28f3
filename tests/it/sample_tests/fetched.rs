//! Runners and suites from their registries, fetched once into the build folder.

use crate::support::{skip, target};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

/// The pytest that all suites here run with.
const PYTEST: &str = "pytest==9.2.0";

/// A suite's sources, and the folder of its runner's programs.
pub(super) struct Suite {
    pub(super) source: PathBuf,
    pub(super) bin: PathBuf,
}

/// The folder of a Python environment with pytest, or `None` (and a skip) where none can be made.
pub(super) fn pytest() -> Option<PathBuf> {
    let home = made("venv-pytest", |home| {
        environment(home) && pip(home, &["install", "-q", PYTEST])
    });
    Some(home?.join("bin"))
}

/// A Python project's own suite, from its source distribution, with what its tests need.
pub(super) fn python(name: &str, version: &str, needs: &[&str]) -> Option<Suite> {
    let pinned = format!("{name}=={version}");
    let home = made(&format!("{name}-{version}"), |home| {
        let path = home.to_str().unwrap();
        let source = home.join("src");
        let download = [
            "download",
            "-q",
            "--no-deps",
            "--no-binary",
            ":all:",
            "-d",
            path,
            &pinned,
        ];
        std::fs::create_dir_all(&source).is_ok()
            && environment(home)
            && pip(home, &download)
            && archive(home).is_some_and(|archive| {
                let words = [
                    "-xzf",
                    archive.to_str().unwrap(),
                    "--strip-components=1",
                    "-C",
                ];
                quietly(
                    "tar",
                    &[&words[..], &[source.to_str().unwrap()]].concat(),
                    home,
                )
            })
            && pip(
                home,
                &[&["install", "-q", PYTEST, source.to_str().unwrap()], needs].concat(),
            )
    })?;
    Some(Suite {
        source: home.join("src"),
        bin: home.join("bin"),
    })
}

/// A copy of the sources of a crate that this workspace depends on.
pub(super) fn rust(name: &str) -> Option<PathBuf> {
    if !runs("cargo", &["nextest", "--version"]) {
        skip("cargo-nextest is not installed");
        return None;
    }
    let found = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--locked"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    let metadata: serde_json::Value = serde_json::from_slice(&found.stdout).unwrap();
    let packages = metadata["packages"].as_array().unwrap();
    let package = packages
        .iter()
        .find(|package| package["name"] == name)
        .unwrap();
    let manifest = Path::new(package["manifest_path"].as_str().unwrap());
    let version = package["version"].as_str().unwrap();
    made(&format!("{name}-{version}"), |home| {
        let from = format!("{}/.", manifest.parent().unwrap().display());
        quietly("cp", &["-R", &from, home.to_str().unwrap()], home)
            && std::fs::read_to_string(home.join("Cargo.toml")).is_ok_and(|text| {
                std::fs::write(home.join("Cargo.toml"), text + "\n[workspace]\n").is_ok()
            })
    })
}

/// A folder with packages from npm in it.
pub(super) fn npm(packages: &[&str]) -> Option<PathBuf> {
    let name: String = packages.join("-").replace(['@', '/'], "_");
    made(&format!("npm-{name}"), |home| {
        let words = ["install", "--no-audit", "--no-fund", "--loglevel=error"];
        std::fs::write(home.join("package.json"), "{}").is_ok()
            && quietly("npm", &[&words[..], packages].concat(), home)
    })
}

/// A folder below `target/suites`, made once by whoever comes first; the others wait.
fn made(name: &str, make: impl Fn(&Path) -> bool) -> Option<PathBuf> {
    let suites = target().join("suites");
    let lock = suites.join(format!("{name}.lock"));
    let _lock = overnight_host::files::FileLock::acquire(&lock, Duration::from_mins(10)).unwrap();
    let home = suites.join(name);
    let whole = home.join("fetched");
    if whole.is_file() {
        return Some(home);
    }
    let _ = std::fs::remove_dir_all(&home);
    std::fs::create_dir_all(&home).unwrap();
    if !make(&home) {
        skip(format!("{name} cannot be fetched"));
        return None;
    }
    std::fs::write(whole, "").unwrap();
    Some(home)
}

fn environment(home: &Path) -> bool {
    quietly("python3", &["-m", "venv", home.to_str().unwrap()], home)
}

fn pip(home: &Path, arguments: &[&str]) -> bool {
    quietly(home.join("bin/pip"), arguments, home)
}

fn archive(home: &Path) -> Option<PathBuf> {
    let files = std::fs::read_dir(home).ok()?;
    let mut paths = files.filter_map(|entry| Some(entry.ok()?.path()));
    paths.find(|path| path.to_string_lossy().ends_with(".tar.gz"))
}

/// Is the program there?
pub(super) fn runs(program: &str, arguments: &[&str]) -> bool {
    quietly(program, arguments, Path::new("/"))
}

fn quietly(program: impl AsRef<Path>, arguments: &[&str], folder: &Path) -> bool {
    Command::new(program.as_ref())
        .args(arguments)
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}
