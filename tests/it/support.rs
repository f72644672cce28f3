//! What all test binaries share; included by `#[path]`.

use std::fmt::Display;
use std::io::Write;
use std::path::{Path, PathBuf};

/// With this variable set, a test that would be skipped fails instead.
const REQUIRE_ALL: overnight_base::vars::Var = overnight_base::vars::Var {
    name: "OVERNIGHT_REQUIRE_ALL",
    alias: None,
    default: "unset",
    doc: "Tests only: a skipped test is a failure.",
};

/// The build folder of this checkout.
pub(crate) fn target() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR"))
        .parent()
        .unwrap()
        .to_owned()
}

/// Reports that the running test cannot run here: `SKIPPED` and the reason on the real stderr, and
/// a line in `target/skipped.txt` for the summary. The caller returns afterwards.
pub(crate) fn skip(reason: impl Display) {
    let name = std::thread::current().name().unwrap_or("a test").to_owned();
    assert!(
        overnight_host::env::get(&REQUIRE_ALL).is_none(),
        "{name} cannot run here and {} is set: {reason}",
        REQUIRE_ALL.name
    );
    let line = format!("SKIPPED {name}: {reason}\n");
    let mut list = std::fs::OpenOptions::new()
        .create(true)
        .append(true)
        .open(target().join("skipped.txt"))
        .unwrap();
    list.write_all(line.as_bytes()).unwrap();
    // Not by `eprint!`: the test harness swallows it when the test passes.
    std::io::stderr().write_all(line.as_bytes()).unwrap();
}
