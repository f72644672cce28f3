//! Go: one `-run` pattern a package, since a pattern holds for every package of a command.

use super::super::unit;
use super::ARGUMENT_MAX;
use overnight_base::code::Code;
use overnight_base::fault::Fault;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

/// `-run ^(TestA|TestB)$ example.com/m`, a line for each package. A subtest stands for its test:
/// patterns of Go before 1.20 cannot name subtests of different tests.
pub(super) fn lines(chosen: &[&str]) -> Result<String, Fault> {
    let mut packages: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for id in chosen {
        let (package, test) = unit::go_parts(id).unwrap_or(("./...", id));
        let test = test.split('/').next().unwrap_or(test);
        packages.entry(package).or_default().insert(test);
    }
    let mut text = String::new();
    for (package, tests) in packages {
        let names: Vec<String> = tests.into_iter().map(quote).collect();
        let pattern = format!("^({})$", names.join("|"));
        if pattern.len() > ARGUMENT_MAX {
            let reason = format!("the pattern for {package} has {} bytes", pattern.len());
            return Err(Fault::new(Code::SampleSize, reason).hint("use a lower --rate"));
        }
        let _ = writeln!(text, "-run {pattern} {package}");
    }
    Ok(text)
}

/// Quotes what Go's regular expressions give a meaning to.
fn quote(name: &str) -> String {
    let mut text = String::with_capacity(name.len());
    for c in name.chars() {
        if r"\.+*?()|[]{}^$".contains(c) {
            text.push('\\');
        }
        text.push(c);
    }
    text
}
