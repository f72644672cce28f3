//! The chosen tests as arguments of their runner, within the limits of a command line.

mod go;
mod nextest;

use super::unit;
use overnight_base::code::Code;
use overnight_base::fault::Fault;
use std::collections::BTreeSet;

pub use nextest::config as nextest_config;

/// How the chosen tests are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Emit {
    /// As they came, one a line.
    Ids,
    /// Arguments of pytest.
    PytestArgs,
    /// A filterset for `cargo nextest run -E`.
    NextestFilter,
    /// A tool configuration: `cargo nextest run -P overnight-sample --tool-config-file
    /// overnight:FILE`.
    NextestConfig,
    /// Arguments of jest.
    Jest,
    /// Arguments of `vitest run`.
    Vitest,
    /// Arguments of `go test`, a line for each package.
    GoRun,
    /// Arguments of `cargo test --`.
    Cargo,
    /// The tests and the plan as one JSON object.
    Json,
}

/// Bytes of arguments that fit every system: Linux allows 2 MiB in all less the environment,
/// macOS 1 MiB.
pub const ARGUMENTS_MAX: usize = 256 * 1024;
/// Bytes of one argument on Linux (`MAX_ARG_STRLEN`, 128 KiB with its NUL), less some room.
pub const ARGUMENT_MAX: usize = 128 * 1024 - 1024;

/// Arguments, or a file that stands for them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Emitted {
    /// One argument a line (or one command line a line, for Go).
    Lines(String),
    /// A file to be written, and the argument with its path behind it.
    File {
        /// The argument before the path: `@`, `--filter=`.
        prefix: &'static str,
        /// The file's ending.
        ending: &'static str,
        /// What it holds.
        content: String,
    },
}

/// Arguments for the runner. [`Emit::Ids`] and [`Emit::Json`] are the caller's.
pub fn emit(chosen: &[&str], emit: Emit) -> Result<Emitted, Fault> {
    match emit {
        Emit::PytestArgs => Ok(pytest(chosen)),
        Emit::NextestFilter => nextest::filter(chosen).map(Emitted::Lines),
        Emit::NextestConfig => Ok(Emitted::Lines(nextest::config(chosen, ""))),
        Emit::Jest => Ok(jest(chosen)),
        Emit::Vitest => bounded(files(chosen).into_iter(), "vitest"),
        Emit::GoRun => go::lines(chosen).map(Emitted::Lines),
        Emit::Cargo => bounded(cargo(chosen), "cargo test"),
        Emit::Ids | Emit::Json => Ok(Emitted::Lines(lines(chosen.iter().copied()))),
    }
}

fn lines<'a>(words: impl Iterator<Item = &'a str>) -> String {
    words.flat_map(|word| [word, "\n"]).collect()
}

/// Lines that `$(…)` and `xargs` split as meant: no blank, quote, backslash or pattern.
fn splits_cleanly(text: &str) -> bool {
    !text.contains([' ', '\t', '\'', '"', '\\', '*', '?', '[', '$', '`'])
}

fn bounded<'a>(words: impl Iterator<Item = &'a str>, runner: &str) -> Result<Emitted, Fault> {
    let text = lines(words);
    if text.len() > ARGUMENTS_MAX {
        let reason = format!(
            "{} bytes of arguments for {runner}, at most {ARGUMENTS_MAX} fit a command line",
            text.len()
        );
        return Err(Fault::new(Code::SampleSize, reason)
            .hint("use a lower --rate, or a runner that reads files"));
    }
    Ok(Emitted::Lines(text))
}

/// Plain arguments while they are few and simple, else `@file` (pytest 8.2 and later).
fn pytest(chosen: &[&str]) -> Emitted {
    let text = lines(chosen.iter().copied());
    if text.len() <= ARGUMENTS_MAX && splits_cleanly(&text) {
        return Emitted::Lines(text);
    }
    Emitted::File {
        prefix: "@",
        ending: "txt",
        content: text,
    }
}

fn files<'a>(chosen: &[&'a str]) -> BTreeSet<&'a str> {
    chosen.iter().map(|id| unit::file(id)).collect()
}

/// `--runTestsByPath FILE…`, or a module for `--filter` that lets these files through.
fn jest(chosen: &[&str]) -> Emitted {
    let files = files(chosen);
    let text = lines(
        ["--runTestsByPath"]
            .into_iter()
            .chain(files.iter().copied()),
    );
    if text.len() <= ARGUMENTS_MAX && splits_cleanly(&text) {
        return Emitted::Lines(text);
    }
    let list = serde_json::Value::from(files.into_iter().collect::<Vec<_>>());
    let content = format!(
        "const wanted = {list};\n\
         const ends = new Set(wanted.map((file) => file.replace(/^\\.\\//, \"\")));\n\
         const known = (file) => {{\n\
         \x20 const parts = file.split(/[\\\\/]/);\n\
         \x20 return ends.has(file) || parts.some((_, at) => ends.has(parts.slice(at).join(\"/\")));\n\
         }};\n\
         module.exports = async (files) => ({{\n\
         \x20 filtered: files.filter((file) => known(file)).map((file) => ({{ test: file }})),\n\
         }});\n"
    );
    Emitted::File {
        prefix: "--filter=",
        ending: "cjs",
        content,
    }
}

/// `--exact NAME…`: libtest takes several names.
fn cargo<'a>(chosen: &[&'a str]) -> impl Iterator<Item = &'a str> {
    let names: BTreeSet<&str> = chosen
        .iter()
        .map(|id| unit::nextest_parts(id).map_or(*id, |(_, name)| name))
        .collect();
    ["--exact"].into_iter().chain(names)
}

#[cfg(test)]
mod tests;
