//! Finds the runner of a project and runs its commands, with the output filter behind.

use overnight_base::code::Code;
use overnight_base::exit::Exit;
use overnight_base::fault::Fault;
use overnight_base::vars;
use overnight_host::agent::own_words;
use overnight_host::env;
use overnight_host::files::{Content, read_bounded};
use overnight_sample::runner::{Runner, Signs};
use std::ffi::OsString;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Largest `package.json` that is looked at.
const PACKAGE_MAX: u64 = 1 << 20;
/// What a project with tests in Python has at its top.
const PYTHON: [&str; 7] = [
    "pytest.ini",
    "pyproject.toml",
    "setup.cfg",
    "setup.py",
    "tox.ini",
    "conftest.py",
    "tests/conftest.py",
];

/// The runner of the project in `folder`; more than one, or none, is a fault that says so.
pub fn detect(folder: &Path) -> Result<Runner, Fault> {
    let there = |name: &str| folder.join(name).is_file();
    let package_json = match read_bounded(&folder.join("package.json"), PACKAGE_MAX)? {
        Content::Bytes(bytes) => String::from_utf8(bytes).ok(),
        _ => None,
    };
    let rust = if on_path("cargo-nextest").is_some() {
        Runner::Nextest
    } else {
        Runner::Cargo
    };
    let signs = Signs {
        rust: there("Cargo.toml").then_some(rust),
        go: there("go.mod"),
        package_json,
        python: PYTHON.into_iter().any(there),
    };
    let runners = signs.runners();
    let names: Vec<&str> = runners.iter().map(|runner| runner.name()).collect();
    match runners[..] {
        [runner] => Ok(runner),
        [] => Err(
            Fault::new(Code::InputMissing, "no known test runner in this folder")
                .hint("name it with --runner, or run it where its configuration is"),
        ),
        _ => Err(Fault::new(
            Code::InputInvalid,
            format!("several runners in this folder: {}", names.join(", ")),
        )
        .hint("name one with --runner")),
    }
}

/// The command that starts pytest here: that of the project's own environment, the one on the
/// PATH, or the module.
pub fn pytest(folder: &Path) -> Vec<OsString> {
    for own in [".venv/bin/python", "venv/bin/python"] {
        let python = folder.join(own);
        if python.is_file() {
            return module(python.into_os_string());
        }
    }
    match on_path("pytest") {
        Some(program) => vec![program.into_os_string()],
        None => module("python3".into()),
    }
}

fn module(python: OsString) -> Vec<OsString> {
    [python, "-m".into(), "pytest".into()].into()
}

fn on_path(program: &str) -> Option<PathBuf> {
    let path = env::get_os(&vars::PATH)?;
    std::env::split_paths(&path)
        .map(|folder| folder.join(program))
        .find(|candidate| candidate.is_file())
}

/// Runs a command in `folder` with the output filter behind it. `variables` are added to its environment.
pub fn run(
    words: &[OsString],
    folder: &Path,
    variables: &[(&str, OsString)],
) -> Result<Exit, Fault> {
    let mut all = own_words("output-filter")?;
    all.push("--".into());
    all.extend_from_slice(words);
    let Some((program, arguments)) = all.split_first() else {
        return Err(Fault::new(Code::Defect, "no command to run"));
    };
    let status = Command::new(program)
        .args(arguments)
        .envs(variables.iter().map(|(name, value)| (name, value)))
        .current_dir(folder)
        .status()
        .map_err(|error| {
            let program = words.first().unwrap_or(program).to_string_lossy();
            Fault::new(Code::CommandStart, format!("{program}: {error}"))
        })?;
    let signal = status.signal().and_then(|number| u8::try_from(number).ok());
    Ok(match (status.code(), signal) {
        (Some(code), _) => Exit::Child(u8::try_from(code).unwrap_or(u8::MAX)),
        (None, Some(number)) => Exit::Signal(number),
        (None, None) => Exit::Software,
    })
}

/// `PYTHONPATH` with `folder` in front.
pub fn python_path(folder: &Path) -> OsString {
    let mut path = folder.as_os_str().to_owned();
    if let Some(rest) = env::get_os(&vars::PYTHONPATH) {
        path.push(":");
        path.push(rest);
    }
    path
}
