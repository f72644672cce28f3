//! `cargo xtask test --quick`: what a change needs, before everything is tested.

use crate::scratch::Scratch;
use std::collections::BTreeSet;
use std::io::{Error, Result};
use std::path::Path;
use std::process::{Command, ExitCode};

/// What the changed files ask for.
#[derive(Debug, Default, PartialEq, Eq)]
struct Plan {
    /// Crates whose unit tests run.
    crates: BTreeSet<String>,
    /// Modules of the black-box tests.
    modules: BTreeSet<String>,
}

/// Runs the unit tests of changed crates, the invariants of the sources, and the black-box tests
/// that changed or are named like a changed program.
pub(crate) fn run(root: &Path) -> Result<ExitCode> {
    let changed = changed(root)?;
    let plan = plan(changed.lines());
    let mut runs = vec![vec!["--package", "overnight", "--test", "tidy"]];
    if !plan.crates.is_empty() {
        let mut words = vec!["--lib"];
        words.extend(plan.crates.iter().flat_map(|name| ["--package", name]));
        runs.push(words);
    }
    let known = |module: &&String| {
        ["", ".rs"].iter().any(|end| {
            let path = root.join("tests/it").join(format!("{module}{end}"));
            path.exists()
        })
    };
    let modules: Vec<String> = plan
        .modules
        .iter()
        .filter(known)
        .map(|m| format!("{m}::"))
        .collect();
    if !modules.is_empty() {
        let mut words = vec!["--package", "overnight", "--test", "it", "--"];
        words.extend(modules.iter().map(String::as_str));
        runs.push(words);
    }
    let scratch = Scratch::make();
    for words in runs {
        println!("cargo test {}", words.join(" "));
        let mut cargo = Command::new("cargo");
        cargo
            .current_dir(root)
            .args(["test", "--quiet", "--locked"]);
        scratch.lend(&mut cargo);
        if !cargo.args(words).status()?.success() {
            return Ok(ExitCode::FAILURE);
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// The files that differ from the main branch, committed or not; on the main branch itself from the
/// commit before.
fn changed(root: &Path) -> Result<String> {
    let base = ["origin/main", "main"]
        .iter()
        .find_map(|main| git(root, &["merge-base", "HEAD", main]).ok())
        .filter(|base| git(root, &["rev-parse", "HEAD"]).is_ok_and(|head| head != *base))
        .unwrap_or_else(|| "HEAD~1".to_owned());
    let committed = git(root, &["diff", "--name-only", base.trim()])?;
    let new = git(root, &["ls-files", "--others", "--exclude-standard"])?;
    Ok(format!("{committed}{new}"))
}

fn git(root: &Path, words: &[&str]) -> Result<String> {
    let done = Command::new("git").current_dir(root).args(words).output()?;
    if done.status.success() {
        Ok(String::from_utf8_lossy(&done.stdout).into_owned())
    } else {
        Err(Error::other(
            String::from_utf8_lossy(&done.stderr).into_owned(),
        ))
    }
}

fn plan<'p>(paths: impl Iterator<Item = &'p str>) -> Plan {
    let mut plan = Plan::default();
    for path in paths {
        let mut parts = path.split('/');
        let module = |name: &str| name.trim_end_matches(".rs").replace('-', "_");
        match (parts.next(), parts.next(), parts.next()) {
            (Some("lib"), Some(name), Some(_)) => {
                plan.crates.insert(format!("overnight-{name}"));
            }
            (Some("xtask"), ..) => {
                plan.crates.insert("xtask".to_owned());
            }
            (Some("tests"), Some("it"), Some(name))
            | (Some("bins"), Some("overnight"), Some(name))
            | (Some("bins"), Some(name), _) => {
                plan.modules.insert(module(name));
            }
            _ => {}
        }
    }
    plan
}

#[cfg(test)]
mod tests {
    use super::plan;

    #[test]
    fn files_name_the_tests_that_they_need() {
        let plan = plan(
            [
                "lib/judge/src/talk.rs",
                "lib/clippy.toml",
                "tests/it/task_lock/contract.rs",
                "bins/completion-check/judge.rs",
                "bins/overnight/run.rs",
                "README.md",
            ]
            .into_iter(),
        );
        assert_eq!(Vec::from_iter(plan.crates), ["overnight-judge"]);
        assert_eq!(
            Vec::from_iter(plan.modules),
            ["completion_check", "run", "task_lock"]
        );
    }
}
