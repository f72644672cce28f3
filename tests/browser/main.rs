//! The report in a real browser: no error, no request, nothing injected, usable by everyone.
//!
//! Chromium is Debian's; playwright-core and axe-core come from npm into `target/browser/`. Where
//! one of them is missing, a test says SKIPPED, and fails under `OVERNIGHT_REQUIRE_ALL=1`.
//! With `OVERNIGHT_SHOTS=1` screenshots stay in `target/browser/shots/`.
#![allow(
    clippy::unwrap_used,
    missing_docs,
    dead_code,
    reason = "a test that cannot go on fails; its name is its documentation; not every test binary uses every helper"
)]

mod crew;
mod desk;
mod large;
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
const SHOTS: overnight_base::vars::Var = overnight_base::vars::Var {
    name: "OVERNIGHT_SHOTS",
    alias: None,
    default: "unset",
    doc: "Tests only: what the browser shows is kept as pictures.",
};
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

/// What the browser found in the report of the run that `fill` writes into an empty project at a
/// Unix time in milliseconds; `None` where there is no browser.
fn look(name: &str, fill: impl Fn(&Path, u64)) -> Option<Value> {
    let packages = match packages() {
        Ok(folder) => folder,
        Err(why) => {
            support::skip(why);
            return None;
        }
    };
    let folder = tempfile::tempdir().unwrap();
    let now = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap()
        .as_millis();
    fill(folder.path(), u64::try_from(now).unwrap());
    let report = report(folder.path());
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/browser/check.mjs");
    let done = Command::new("node")
        .arg(script)
        .args([&packages, &report])
        .args(shots(&packages, name))
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&done.stderr);
    assert!(done.status.success(), "{said}");
    Some(serde_json::from_slice(&done.stdout).unwrap())
}

/// The folder for screenshots, where somebody wants to look at them: taking them costs as much as all the rest.
fn shots(packages: &Path, name: &str) -> Option<PathBuf> {
    overnight_host::env::get(&SHOTS)?;
    let folder = packages.join("shots").join(name);
    std::fs::create_dir_all(&folder).unwrap();
    Some(folder)
}

/// Writes a night's journal.
fn fill(folder: &Path, night: &Night, now: u64) {
    let journal = folder.join(".overnight/runs").join(night.run);
    std::fs::create_dir_all(&journal).unwrap();
    std::fs::write(journal.join("journal.jsonl"), night::journal(night, now)).unwrap();
}

/// Writes the report of the newest run.
fn report(folder: &Path) -> PathBuf {
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
    for what in [
        "errors",
        "requests",
        "violations",
        "wide",
        "foreign",
        "cut",
        "unreached",
    ] {
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
        "left",
        "done",
        "changes",
        "timeline",
        "acceptance",
        "wrong",
        "figures",
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
    // Eleven nights before it, of which the last ten are compared with.
    let before: Vec<String> = (9..20)
        .map(|day| format!("202611{day:02}-220000-0af3"))
        .collect();
    let fill = |folder: &Path, now: u64| {
        for (at, run) in (1..).zip(&before) {
            let earlier = Night {
                run,
                iterations: 20 + at * 17 % 60,
                ..night
            };
            fill(folder, &earlier, now - 86_400_000 * u64::from(12 - at));
        }
        fill(folder, &night, now);
    };
    if let Some(found) = look("long", fill) {
        assert_clean(&found);
        assert_eq!(found["figures"], 11, "ten nights and this one");
    }
}

/// Bytes of a page that a slow line still loads at once.
const PAGE_BYTES_MAX: u64 = 280_000;
/// Heights of a phone until everything that needs a person was seen.
const SCREENS_MAX: f64 = 3.0;

#[test]
fn a_night_of_150_tasks_tells_all_that_needs_a_person_within_three_screens_of_a_phone() {
    let fill = |folder: &Path, now: u64| {
        let journal = folder.join(".overnight/runs").join(RUN);
        std::fs::create_dir_all(&journal).unwrap();
        std::fs::write(journal.join("journal.jsonl"), large::journal(RUN, now)).unwrap();
    };
    let Some(found) = look("large", fill) else {
        return;
    };
    for what in [
        "errors",
        "requests",
        "violations",
        "wide",
        "foreign",
        "cut",
        "unreached",
    ] {
        assert_eq!(found[what], serde_json::json!([]), "{what}");
    }
    assert!(
        found["bytes"].as_u64().unwrap() < PAGE_BYTES_MAX,
        "{}",
        found["bytes"]
    );
    let screens = found["screens"].as_f64().unwrap();
    assert!(screens <= SCREENS_MAX, "{screens} screens");
    let needs = found["needs"].as_array().unwrap();
    let told = |number: u32| {
        let key = format!("KEY_{number} ");
        needs
            .iter()
            .any(|need| need.as_str().unwrap().contains(&key))
    };
    assert!((0..large::NEEDS).all(told), "{needs:?}");
    // What needs a person hides no message of what failed.
    let failed = found["failed"].as_array().unwrap();
    let says = |task: &&Value| task.as_str().unwrap().contains(large::MESSAGE);
    assert!(failed.iter().filter(says).count() > 8, "{failed:?}");
}

#[test]
fn a_night_of_three_members() {
    let fill = |folder: &Path, now: u64| {
        let head = repository(folder);
        let run = folder.join(".git/overnight/runs").join(RUN);
        crew::write(&run, (RUN, &head), now);
    };
    if let Some(found) = look("members", fill) {
        assert_clean(&found);
    }
}

/// A repository whose run changed some files since the commit that it gives.
fn repository(folder: &Path) -> String {
    let git = |arguments: &[&str]| {
        let mut command = Command::new("git");
        command.current_dir(folder).args(["-c", "user.name=t"]);
        command.args(["-c", "user.email=t@t"]).args(arguments);
        let done = command.env("HOME", folder).output().unwrap();
        assert!(done.status.success(), "{done:?}");
        String::from_utf8(done.stdout).unwrap().trim().to_owned()
    };
    let put = |path: &str, lines: usize| {
        let path = folder.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, "a line\n".repeat(lines)).unwrap();
    };
    git(&["init", "-q", "-b", "auto/port-the-formatter"]);
    put("tests/printer.rs", 90);
    put("Cargo.toml", 12);
    git(&["add", "."]);
    git(&["commit", "-qm", "Before the night"]);
    let head = git(&["rev-parse", "HEAD"]);
    for (subject, path, lines) in [
        ("Port the parser to the new tree", "lib/parser.rs", 412),
        ("Port the printer", "lib/printer.rs", 288),
        ("Drop the tests of the old printer", "tests/printer.rs", 41),
        ("Add the tree's crate", "Cargo.toml", 14),
    ] {
        put(path, lines);
        git(&["add", "."]);
        git(&["commit", "-qm", subject]);
    }
    head
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
    if let Some(found) = look("hostile", |folder, now| fill(folder, &night, now)) {
        assert_clean(&found);
        assert!(
            found["title"].as_str().unwrap().contains("<script>"),
            "{found}"
        );
    }
}
