//! `find-clones` on real projects: undici 7.30.2 (38,000 lines of JavaScript) with twelve functions
//! planted a second time, and express 5.3.0, which has none.

use super::{registry, support};
use assert_cmd::cargo::cargo_bin;
use overnight_base::vars;
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Twelve copies, of which every second one has other names.
const PLANTED: usize = 12;
/// Lines of code of a function worth merging.
const FUNCTION_LINES: std::ops::Range<usize> = 25..80;

fn git(folder: &Path, arguments: &[&str]) {
    let who = ["-c", "user.name=a", "-c", "user.email=a@b"];
    let mut command = Command::new("git");
    let done = command.current_dir(folder).args(who).args(arguments);
    assert!(done.output().unwrap().status.success(), "{arguments:?}");
}

/// A committed copy of an npm package, and the PATH with the detector in front.
fn project(package: &str, version: &str) -> Option<(tempfile::TempDir, std::ffi::OsString)> {
    let wanted = format!("{package}@{version}");
    let fetched = registry::npm("jscpd", &["jscpd@5.3.3"])
        .and_then(|tool| Ok((tool, registry::npm(package, &[&wanted])?)));
    let (tool, source) = fetched.map_err(support::skip).ok()?;
    let folder = tempfile::tempdir().unwrap();
    let from = source.join("node_modules").join(package);
    let copied = Command::new("cp")
        .arg("-R")
        .arg(from.join("."))
        .arg(folder.path())
        .status();
    assert!(copied.unwrap().success());
    git(folder.path(), &["init", "-q"]);
    git(folder.path(), &["add", "-A"]);
    git(folder.path(), &["commit", "-qm", "as published"]);
    let path = overnight_host::env::get_os(&vars::PATH).unwrap_or_default();
    let folders = [tool.join("node_modules/.bin")]
        .into_iter()
        .chain(std::env::split_paths(&path));
    Some((folder, std::env::join_paths(folders).unwrap()))
}

fn find(folder: &Path, path: &std::ffi::OsStr, arguments: &[&str]) -> Output {
    let mut command = Command::new(cargo_bin!("find-clones"));
    command
        .current_dir(folder)
        .env("PATH", path)
        .args(arguments)
        .output()
        .unwrap()
}

struct Function {
    file: PathBuf,
    first: usize,
    text: String,
}

/// Functions at the outermost level of the files below `folder`, in the order of their files.
fn functions(folder: &Path) -> Vec<Function> {
    let mut found = Vec::new();
    for entry in walk(folder) {
        let text = fs::read_to_string(&entry).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        let starts = (0..lines.len()).filter(|at| lines[*at].starts_with("function "));
        for start in starts {
            let Some(length) = lines[start..].iter().position(|line| *line == "}") else {
                continue;
            };
            let whole = &lines[start..=start + length];
            let code = whole.iter().map(|line| line.trim());
            let code = code.filter(|line| !line.is_empty() && !line.starts_with(['/', '*']));
            if FUNCTION_LINES.contains(&code.count()) {
                found.push(Function {
                    file: entry.clone(),
                    first: start + 1,
                    text: whole.join("\n") + "\n",
                });
            }
        }
    }
    found
}

fn walk(folder: &Path) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = Vec::new();
    let mut open = vec![folder.to_owned()];
    while let Some(path) = open.pop() {
        if path.is_dir() {
            open.extend(
                fs::read_dir(path)
                    .unwrap()
                    .map(|entry| entry.unwrap().path()),
            );
        } else if path.extension().is_some_and(|extension| extension == "js") {
            files.push(path);
        }
    }
    files.sort();
    files
}

/// The same code with its function and its variables renamed, as somebody does who writes it again.
fn renamed(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    let declared: Vec<&str> = words
        .windows(2)
        .filter(|pair| matches!(pair[0], "const" | "let" | "function"))
        .map(|pair| pair[1].trim_end_matches(['=', ';', ',']))
        .filter(|name| name.chars().all(char::is_alphanumeric))
        .collect();
    let mut out = String::new();
    let mut word = String::new();
    for c in text.chars() {
        if c.is_ascii_alphanumeric() || c == '_' || c == '$' {
            word.push(c);
            continue;
        }
        let own = declared.contains(&word.as_str()) && !out.ends_with('.');
        out.push_str(&word);
        if own {
            out.push_str("Other");
        }
        word.clear();
        out.push(c);
    }
    assert_ne!(out, text);
    out
}

#[test]
fn twelve_planted_clones_in_undici_are_found_and_come_first() {
    let Some((folder, path)) = project("undici", "7.30.2") else {
        return;
    };
    let all = functions(&folder.path().join("lib"));
    assert!(all.len() >= PLANTED, "{} functions", all.len());
    let chosen: Vec<_> = all
        .iter()
        .step_by(all.len() / PLANTED)
        .take(PLANTED)
        .collect();
    fs::create_dir(folder.path().join("lib/planted")).unwrap();
    for (number, function) in chosen.iter().enumerate() {
        let text = if number % 2 == 0 {
            function.text.clone()
        } else {
            renamed(&function.text)
        };
        let file = format!("lib/planted/{number}.js");
        fs::write(folder.path().join(file), text).unwrap();
    }
    let done = find(folder.path(), &path, &["--json"]);
    assert!(done.status.success(), "{done:?}");
    let answer: Value = serde_json::from_slice(&done.stdout).unwrap();
    let groups = answer["groups"].as_array().unwrap();
    for (number, function) in chosen.iter().enumerate() {
        let source = function
            .file
            .strip_prefix(folder.path())
            .unwrap()
            .to_str()
            .unwrap();
        let last = function.first + function.text.lines().count();
        let holds = |group: &&Value, file: &str, lines: (usize, usize)| {
            let mut places = group["places"].as_array().unwrap().iter();
            places.any(|place| {
                let at = |key: &str| usize::try_from(place[key].as_u64().unwrap()).unwrap();
                place["file"] == file && at("first") < lines.1 && at("last") > lines.0
            })
        };
        let planted = format!("lib/planted/{number}.js");
        let found = groups.iter().position(|group| {
            holds(&group, &planted, (0, usize::MAX))
                && holds(&group, source, (function.first, last))
        });
        let at = found.unwrap_or_else(|| panic!("{number}: {}\n{:#?}", function.text, groups));
        assert!(
            groups[..=at].iter().all(|group| group["changed"] == true),
            "{number} at {at}"
        );
    }
}

#[test]
fn a_clean_project_has_none_and_a_missing_detector_is_said() {
    let Some((folder, path)) = project("express", "5.3.0") else {
        return;
    };
    let done = find(folder.path(), &path, &[]);
    assert_eq!(
        String::from_utf8_lossy(&done.stdout),
        "no clones found\n",
        "{done:?}"
    );

    let bare = find(folder.path(), "/usr/bin:/bin".as_ref(), &[]);
    let said = String::from_utf8_lossy(&bare.stderr).into_owned();
    assert_eq!(bare.status.code(), Some(69), "{said}");
    assert!(said.contains("npm install --global jscpd@5"), "{said}");
}
