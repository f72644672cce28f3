//! nextest: filtersets, and a tool configuration for those that no argument can hold.

use super::super::unit;
use super::ARGUMENT_MAX;
use overnight_base::code::Code;
use overnight_base::fault::Fault;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

/// `(binary_id(=a) & (test(=x) | test(=y))) | …` as one argument.
pub(super) fn filter(chosen: &[&str]) -> Result<String, Fault> {
    let expression = expression(chosen);
    if expression.len() > ARGUMENT_MAX {
        let reason = format!(
            "the filterset has {} bytes, at most {ARGUMENT_MAX} fit an argument",
            expression.len()
        );
        return Err(Fault::new(Code::SampleSize, reason).hint("use --emit nextest-config"));
    }
    Ok(expression + "\n")
}

/// A tool configuration with a profile whose default filter is the sample: a project's own default
/// profile would win over a tool's. With a `report`, a JUnit report goes there.
pub fn config(chosen: &[&str], report: &str) -> String {
    let text = toml_string(&expression(chosen));
    let mut config = format!("[profile.overnight-sample]\ndefault-filter = {text}\n");
    if !report.is_empty() {
        let path = toml_string(report);
        let _ = write!(
            config,
            "\n[profile.overnight-sample.junit]\npath = {path}\n"
        );
    }
    config
}

fn expression(chosen: &[&str]) -> String {
    let mut binaries: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for id in chosen {
        let (binary, test) = unit::nextest_parts(id).unwrap_or(("", id));
        binaries.entry(binary).or_default().insert(test);
    }
    if binaries.is_empty() {
        return "none()".to_owned();
    }
    let parts = binaries.into_iter().map(|(binary, tests)| {
        let tests: Vec<String> = tests
            .iter()
            .map(|test| format!("test(={})", escape(test)))
            .collect();
        let tests = tests.join(" | ");
        if binary.is_empty() {
            tests
        } else {
            format!("(binary_id(={}) & ({tests}))", escape(binary))
        }
    });
    parts.collect::<Vec<_>>().join(" | ")
}

/// Escapes of the filterset language.
fn escape(name: &str) -> String {
    let mut text = String::with_capacity(name.len());
    for c in name.chars() {
        match c {
            '\\' => text.push_str("\\\\"),
            '/' => text.push_str("\\/"),
            ')' => text.push_str("\\)"),
            ',' => text.push_str("\\,"),
            c if c.is_control() => {
                let _ = write!(text, "\\u{{{:x}}}", u32::from(c));
            }
            c => text.push(c),
        }
    }
    text
}

/// A TOML basic string.
fn toml_string(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            c if c.is_control() => {
                let _ = write!(quoted, "\\u{:04x}", u32::from(c));
            }
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}
