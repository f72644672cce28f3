//! `cargo xtask test`.

use crate::interpreter;
use crate::scratch::Scratch;
use std::io::Result;
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};

/// What is built for tests: everything, and what writes man pages, so that `cargo xtask dist` finds it built.
pub(crate) const TESTED: [&str; 4] = ["--workspace", "--locked", "--features", "overnight/pages"];

/// Runs all tests; the last lines say how many could not run here, and why.
pub(crate) fn run(root: &Path, rest: &[&str]) -> Result<ExitCode> {
    let list = root.join("target/skipped.txt");
    let _ = std::fs::remove_file(&list);
    let mut passed = true;
    let scratch = Scratch::make();
    let path = interpreter::path(root)?;
    for words in runs(rest, has_nextest(root)) {
        let mut cargo = Command::new("cargo");
        scratch.lend(cargo.current_dir(root).args(words));
        cargo.envs(path.iter().map(|path| ("PATH", path)));
        passed &= cargo.status()?.success();
    }
    let skipped = std::fs::read_to_string(&list).unwrap_or_default();
    print!("{skipped}");
    println!("{} skipped", skipped.lines().count());
    Ok(if passed {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

/// Writes the pages that are made from the code, by the test that compares them.
pub(crate) fn pages(root: &Path) -> Result<ExitCode> {
    let mut cargo = Command::new("cargo");
    cargo
        .current_dir(root)
        .args(["test", "--workspace", "--test", "tidy", "generated_pages"])
        .env("OVERNIGHT_WRITE_PAGES", "1");
    Ok(if cargo.status()?.success() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

fn has_nextest(root: &Path) -> bool {
    let mut asked = Command::new("cargo");
    asked
        .current_dir(root)
        .args(["nextest", "--version"])
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    asked.status().is_ok_and(|status| status.success())
}

/// What is given to cargo. Without further words all runs where nextest is there, which works on the
/// tests of every binary at once: many wait for a client or a clock while others compute.
fn runs(rest: &[&str], nextest: bool) -> Vec<Vec<String>> {
    let words = |first: &[&str], more: &[&str]| -> Vec<String> {
        let all = TESTED.iter().chain(&["--no-fail-fast"]);
        let every = first.iter().chain(all).chain(more);
        every.map(|word| (*word).to_owned()).collect()
    };
    if !nextest || !rest.is_empty() {
        return vec![words(&["test"], rest)];
    }
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let threads = (cores + 1).to_string();
    let quiet = ["--test-threads", &threads, "--status-level", "slow"];
    vec![
        words(&["nextest", "run"], &quiet),
        words(&["test", "--doc"], &[]),
    ]
}

#[cfg(test)]
mod tests {
    use super::runs;

    #[test]
    fn nextest_runs_all_where_it_is_there_and_nothing_else_is_asked_for() {
        let first = |rest: &[&str], nextest| runs(rest, nextest)[0][..2].join(" ");
        assert_eq!(first(&[], true), "nextest run");
        assert_eq!(runs(&[], true)[1][..2], ["test", "--doc"]);
        assert_eq!(first(&[], false), "test --workspace");
        assert_eq!(first(&["--test", "it"], true), "test --workspace");
    }
}
