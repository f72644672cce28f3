//! The report in a real browser: no error, no request, nothing injected, usable by everyone.
//!
//! Chromium is Debian's; playwright-core and axe-core come from npm into `target/browser/`. Where
//! one of them is missing, a test says SKIPPED, and fails under `OVERNIGHT_REQUIRE_ALL=1`.
//! Screenshots stay in `target/browser/shots/`.
#![allow(
    clippy::unwrap_used,
    missing_docs,
    dead_code,
    reason = "a test that cannot go on fails; its name is its documentation; not every test binary uses every helper"
)]

mod night;
#[path = "../it/support.rs"]
mod support;

use assert_cmd::cargo::cargo_bin;
use night::Night;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;
use std::time::{SystemTime, UNIX_EPOCH};

const PACKAGES: [&str; 2] = ["playwright-core@1.65.1", "axe-core@4.14.1"];
const CHROMIUM: &str = "/usr/bin/chromium";
const RUN: &str = "20261120-220000-0af3";
const HOSTILE: &str = "<script>globalThis.owned=1;alert(1)</script><img src=x onerror=alert(2)>\"'><svg/onload=alert(3)>\u{202e}</title></style>&lt;javascript:alert(4)";

/// The folder with the packages, or why there is none.
fn packages() -> Result<PathBuf, String> {
    static FOLDER: OnceLock<Result<PathBuf, String>> = OnceLock::new();
    FOLDER.get_or_init(fetch).clone()
}

fn fetch() -> Result<PathBuf, String> {
    if !Path::new(CHROMIUM).exists() {
        return Err(format!("there is no {CHROMIUM}"));
    }
    let folder = support::target().join("browser");
    std::fs::create_dir_all(&folder).unwrap();
    let lock = std::fs::File::create(folder.join("lock")).unwrap();
    lock.lock().unwrap();
    let versions = PACKAGES.join(" ");
    let noted = folder.join("versions");
    if std::fs::read_to_string(&noted).is_ok_and(|there| there == versions) {
        return Ok(folder);
    }
    let done = Command::new("npm")
        .args([
            "install",
            "--no-save",
            "--no-audit",
            "--no-fund",
            "--ignore-scripts",
            "--loglevel=error",
        ])
        .arg("--prefix")
        .arg(&folder)
        .args(PACKAGES)
        .stdin(Stdio::null())
        .output()
        .map_err(|error| format!("npm cannot be started: {error}"))?;
    if !done.status.success() {
        return Err(format!(
            "npm: {}",
            String::from_utf8_lossy(&done.stderr).trim()
        ));
    }
    std::fs::write(noted, versions).unwrap();
    Ok(folder)
}

/// What the browser found in the report of such a night; `None` where there is no browser.
fn look(name: &str, night: &Night) -> Option<Value> {
    let packages = match packages() {
        Ok(folder) => folder,
        Err(why) => {
            support::skip(why);
            return None;
        }
    };
    let folder = tempfile::tempdir().unwrap();
    let report = report(folder.path(), night);
    let shots = packages.join("shots").join(name);
    std::fs::create_dir_all(&shots).unwrap();
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/browser/check.mjs");
    let done = Command::new("node")
        .arg(script)
        .args([&packages, &report, &shots, &folder.path().join("profile")])
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&done.stderr);
    assert!(done.status.success(), "{said}");
    Some(serde_json::from_slice(&done.stdout).unwrap())
}

/// Writes the night's journal and its report.
fn report(folder: &Path, night: &Night) -> PathBuf {
    let now = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap()
        .as_millis();
    let journal = folder.join(".overnight/runs").join(RUN);
    std::fs::create_dir_all(&journal).unwrap();
    let text = night::journal(night, u64::try_from(now).unwrap());
    std::fs::write(journal.join("journal.jsonl"), text).unwrap();
    let report = folder.canonicalize().unwrap().join("report.html");
    let status = Command::new(cargo_bin!("overnight"))
        .args(["report", "--html"])
        .arg(&report)
        .current_dir(folder)
        .env("HOME", folder)
        .status();
    assert!(status.unwrap().success());
    report
}

fn assert_clean(found: &Value) {
    for what in ["errors", "requests", "violations", "wide", "foreign"] {
        assert_eq!(
            found[what].as_array().unwrap().len(),
            0,
            "{what}: {}",
            found[what]
        );
    }
    assert_eq!(found["owned"], false);
    let sections = [
        "needs",
        "acceptance",
        "changes",
        "timeline",
        "wrong",
        "figures",
        "left",
        "iterations",
    ];
    assert_eq!(found["sections"], serde_json::json!(sections));
    assert!(found["tabs"].as_u64().unwrap() > 10, "{found}");
    assert!(found["printed"].as_u64().unwrap() > 1_000, "{found}");
}

#[test]
fn a_night_of_200_iterations() {
    let night = Night {
        run: RUN,
        goal: "# Make the parser keep comments\n",
        tasks: &["parser", "printer", "comments"],
        reason: "tests/comments.rs: a comment before an attribute is lost",
        iterations: 200,
        ended: true,
        driver: (1, 1, "b"),
    };
    if let Some(found) = look("long", &night) {
        assert_clean(&found);
    }
}

#[test]
fn a_night_with_hostile_names() {
    let night = Night {
        run: RUN,
        goal: HOSTILE,
        tasks: &[
            HOSTILE,
            "{{constructor.constructor('alert(5)')()}}",
            "aVeryLongNameWithoutAnySpaceThatDoesNotFitIntoTheWidthOfATelephoneWhateverOneDoes",
        ],
        reason: HOSTILE,
        iterations: 12,
        ended: false,
        driver: (1, 1, "b"),
    };
    if let Some(found) = look("hostile", &night) {
        assert_clean(&found);
        assert!(
            found["title"].as_str().unwrap().contains("<script>"),
            "{found}"
        );
    }
}
