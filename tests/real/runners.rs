//! Real test runners on small projects with planted failures: every failing name, the counts and
//! the exit status come through the filter.

use crate::support;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Sixty tests, so that the output does not fit, and these of them fail.
const TESTS: usize = 60;
const FAILING: [usize; 3] = [7, 31, 58];

fn project(files: &[(&str, String)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir_all(folder.path().join(".git")).unwrap();
    fs::write(folder.path().join(".git/HEAD"), "ref: refs/heads/main\n").unwrap();
    for (name, text) in files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    folder
}

fn each(test: impl Fn(usize, bool) -> String) -> String {
    let tests: Vec<String> = (1..=TESTS)
        .map(|number| test(number, FAILING.contains(&number)))
        .collect();
    tests.concat()
}

fn filtered(folder: &Path, words: &[&str]) -> Output {
    Command::new(assert_cmd::cargo::cargo_bin!("output-filter"))
        .current_dir(folder)
        .env_remove("MAX_OUTPUT_LINES")
        .env_remove("OUTPUT_FILTER_ENABLED")
        .env("CARGO_TERM_COLOR", "never")
        .arg("--")
        .args(words)
        .output()
        .unwrap()
}

/// Judges a digest: status, every planted name, the count of failures, the budget, the log.
fn judge(done: &Output, folder: &Path, status: i32, name: impl Fn(usize) -> String) {
    let shown = String::from_utf8_lossy(&done.stdout).into_owned();
    assert_eq!(done.status.code(), Some(status), "{shown}");
    assert!(
        shown.contains(&format!("FAILED (exit {status})")),
        "{shown}"
    );
    assert!(
        shown.contains("3 failed") && shown.contains("57 passed"),
        "{shown}"
    );
    for number in FAILING {
        assert!(
            shown.contains(&name(number)),
            "{} is missing:\n{shown}",
            name(number)
        );
    }
    assert!(
        shown.lines().count() <= 50 && shown.len() <= 8_000,
        "{shown}"
    );
    let logs = fs::read_dir(folder.join("logs")).unwrap().filter(|entry| {
        let path = entry.as_ref().unwrap().path();
        path.extension().is_some_and(|end| end == "log")
    });
    assert_eq!(logs.count(), 1);
}

fn is_there(program: &str, argument: &str) -> bool {
    let there = Command::new(program)
        .arg(argument)
        .output()
        .is_ok_and(|done| done.status.success());
    if !there {
        support::skip(format!("{program} is not installed"));
    }
    there
}

#[test]
fn cargo_test() {
    let tests = each(|number, fails| {
        let left = if fails { 1 } else { 2 };
        format!("#[test]\nfn case_{number:02}() {{ assert_eq!({left}, 2, \"planted\"); }}\n")
    });
    let folder = project(&[
        (
            "Cargo.toml",
            "[package]\nname = \"planted\"\nversion = \"0.1.0\"\nedition = \"2021\"\n[workspace]\n"
                .to_owned(),
        ),
        ("src/lib.rs", format!("mod cases {{\n{tests}}}\n")),
    ]);
    let done = filtered(folder.path(), &["cargo", "test", "--offline", "--lib"]);
    judge(&done, folder.path(), 101, |number| {
        format!("cases::case_{number:02}")
    });
}

#[test]
fn nextest() {
    if !is_there("cargo-nextest", "--version") {
        return;
    }
    let tests = each(|number, fails| {
        let left = if fails { 1 } else { 2 };
        format!("#[test]\nfn case_{number:02}() {{ assert_eq!({left}, 2, \"planted\"); }}\n")
    });
    let manifest =
        "[package]\nname = \"planted\"\nversion = \"0.1.0\"\nedition = \"2021\"\n[workspace]\n";
    let folder = project(&[
        ("Cargo.toml", manifest.to_owned()),
        ("src/lib.rs", format!("mod cases {{\n{tests}}}\n")),
    ]);
    let words = ["cargo", "nextest", "run", "--offline", "--no-fail-fast"];
    let done = filtered(folder.path(), &words);
    judge(&done, folder.path(), 100, |number| {
        format!("cases::case_{number:02}")
    });
}

#[test]
fn jest() {
    let Some(jest) = jest_installation() else {
        return;
    };
    let tests = each(|number, fails| {
        let left = if fails { 1 } else { 2 };
        format!("test('case {number:02}', () => {{ expect({left}).toBe(2); }});\n")
    });
    let folder = project(&[
        ("package.json", "{\"name\": \"planted\"}\n".to_owned()),
        ("planted.test.js", tests),
    ]);
    let done = filtered(
        folder.path(),
        &["node", jest.to_str().unwrap(), "--verbose"],
    );
    judge(&done, folder.path(), 1, |number| {
        format!("case {number:02}")
    });
}

/// Jest from npm, in `target/`, installed once.
fn jest_installation() -> Option<PathBuf> {
    let home = support::target().join("real-jest");
    let program = home.join("node_modules/jest/bin/jest.js");
    fs::create_dir_all(&home).unwrap();
    let there = program.exists()
        || Command::new("npm")
            .args([
                "install",
                "--no-audit",
                "--no-fund",
                "--prefix",
                ".",
                "jest@30",
            ])
            .current_dir(&home)
            .output()
            .is_ok_and(|done| done.status.success());
    if there && is_there("node", "--version") {
        return Some(program);
    }
    support::skip("jest cannot be installed into target/real-jest");
    None
}

#[test]
fn node_test() {
    if !is_there("node", "--version") {
        return;
    }
    let tests = each(|number, fails| {
        format!(
            "test('case {number:02}', () => assert.equal({}, 2));\n",
            if fails { 1 } else { 2 }
        )
    });
    let source = format!(
        "const test = require('node:test');\nconst assert = require('node:assert');\n{tests}"
    );
    let folder = project(&[("planted.test.js", source)]);
    let done = filtered(folder.path(), &["node", "--test"]);
    judge(&done, folder.path(), 1, |number| {
        format!("case {number:02}")
    });
}

#[test]
fn go_test() {
    if !is_there("go", "version") {
        return;
    }
    let tests = each(|number, fails| {
        let body = if fails { "t.Errorf(\"planted\")" } else { "" };
        format!("func TestCase{number:02}(t *testing.T) {{ {body} }}\n")
    });
    let folder = project(&[
        ("go.mod", "module planted\n\ngo 1.18\n".to_owned()),
        (
            "planted_test.go",
            format!("package planted\n\nimport \"testing\"\n\n{tests}"),
        ),
    ]);
    let done = filtered(folder.path(), &["go", "test", "-v", "./..."]);
    judge(&done, folder.path(), 1, |number| {
        format!("TestCase{number:02}")
    });
}

#[test]
fn ctest() {
    if !is_there("cmake", "--version") || !is_there("ctest", "--version") {
        return;
    }
    let tests = each(|number, fails| {
        format!(
            "add_test(NAME case_{number:02} COMMAND ${{CMAKE_COMMAND}} -E {})\n",
            if fails { "false" } else { "true" }
        )
    });
    let list = format!(
        "cmake_minimum_required(VERSION 3.13)\nproject(planted NONE)\nenable_testing()\n{tests}"
    );
    let folder = project(&[("CMakeLists.txt", list)]);
    let configured = Command::new("cmake")
        .current_dir(folder.path())
        .args(["-S", ".", "-B", "build"])
        .output()
        .unwrap();
    assert!(
        configured.status.success(),
        "{}",
        String::from_utf8_lossy(&configured.stderr)
    );
    let done = filtered(folder.path(), &["ctest", "--test-dir", "build"]);
    judge(&done, folder.path(), 8, |number| {
        format!("case_{number:02}")
    });
}

#[test]
fn pytest() {
    let Some(python) = pytest_environment() else {
        return;
    };
    let tests = each(|number, fails| {
        format!(
            "def test_case_{number:02}():\n    assert {} == 2\n\n",
            if fails { 1 } else { 2 }
        )
    });
    let folder = project(&[("test_planted.py", tests)]);
    let done = filtered(
        folder.path(),
        &[python.to_str().unwrap(), "-m", "pytest", "-v"],
    );
    judge(&done, folder.path(), 1, |number| {
        format!("test_planted.py::test_case_{number:02}")
    });
}

/// A Python of our own with pytest in it, in `target/`, made once.
fn pytest_environment() -> Option<PathBuf> {
    let home = support::target().join("real-pytest");
    let python = home.join("bin/python");
    let works = |python: &Path| {
        Command::new(python)
            .args(["-m", "pytest", "--version"])
            .output()
            .is_ok_and(|done| done.status.success())
    };
    if works(&python) {
        return Some(python);
    }
    let made = Command::new("python3")
        .args(["-m", "venv"])
        .arg(&home)
        .output()
        .is_ok_and(|done| done.status.success())
        && Command::new(&python)
            .args(["-m", "pip", "install", "-q", "pytest"])
            .output()
            .is_ok_and(|done| done.status.success());
    if made && works(&python) {
        return Some(python);
    }
    support::skip("pytest cannot be installed into target/real-pytest");
    None
}
