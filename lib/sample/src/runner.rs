//! Which runner a project has, how it lists its tests and how it runs some of them.

use super::emit::{self, Emit, Emitted};
use super::unit;
use overnight_base::fault::Fault;
use serde_json::Value;
use std::collections::BTreeSet;

/// A test runner that `sample-tests run` drives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Runner {
    /// Selected in a single collection, by a plugin.
    Pytest,
    /// `cargo nextest run`.
    Nextest,
    /// `cargo test`.
    Cargo,
    /// `go test`.
    Go,
    /// `jest`.
    Jest,
    /// `vitest`.
    Vitest,
}

/// What a project's folder shows.
#[derive(Debug, Clone, Default)]
pub struct Signs {
    /// The runner for Rust, where a `Cargo.toml` is: nextest if that is installed.
    pub rust: Option<Runner>,
    /// A `go.mod` is there.
    pub go: bool,
    /// The text of `package.json`.
    pub package_json: Option<String>,
    /// A pytest, tox or setup configuration, or a folder of tests in Python, is there.
    pub python: bool,
}

impl Signs {
    /// The runner they speak for. A project in several languages has to say which.
    pub fn runners(&self) -> Vec<Runner> {
        let script = self.package_json.as_deref().and_then(script_runner);
        [
            self.rust,
            self.go.then_some(Runner::Go),
            script,
            self.python.then_some(Runner::Pytest),
        ]
        .into_iter()
        .flatten()
        .collect()
    }
}

/// The runner that `package.json` depends on.
fn script_runner(text: &str) -> Option<Runner> {
    let package: Value = serde_json::from_str(text).ok()?;
    let depends = |name: &str| {
        ["devDependencies", "dependencies"]
            .iter()
            .any(|kind| package[*kind].get(name).is_some())
    };
    if depends("vitest") {
        Some(Runner::Vitest)
    } else if depends("jest") || package.get("jest").is_some() {
        Some(Runner::Jest)
    } else {
        None
    }
}

impl Runner {
    /// Its name on the command line and in the state folder.
    pub fn name(self) -> &'static str {
        match self {
            Self::Pytest => "pytest",
            Self::Nextest => "nextest",
            Self::Cargo => "cargo",
            Self::Go => "go",
            Self::Jest => "jest",
            Self::Vitest => "vitest",
        }
    }

    /// The command that lists its tests.
    pub fn lister(self) -> Vec<&'static str> {
        let words = match self {
            Self::Pytest => "pytest --collect-only -q",
            Self::Nextest => "cargo nextest list --message-format json",
            Self::Cargo => "cargo test --no-fail-fast -- --list",
            Self::Go => "go test -list . ./...",
            Self::Jest => "node_modules/.bin/jest --listTests",
            Self::Vitest => "node_modules/.bin/vitest list --filesOnly",
        };
        words.split(' ').collect()
    }

    /// The commands that run the chosen tests of all, with the person's own arguments. `report` is
    /// where a report of durations goes, `config` where a configuration will stand that
    /// [`Self::config`] gives.
    pub fn steps(
        self,
        chosen: &[&str],
        rest: &[&str],
        own: &[String],
        [report, config]: [&str; 2],
    ) -> Result<Vec<Vec<String>>, Fault> {
        let words = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
        let lines = |how: Emit| match emit::emit(chosen, how)? {
            Emitted::Lines(text) => Ok(text.lines().map(str::to_owned).collect::<Vec<_>>()),
            Emitted::File { prefix, .. } => Ok(vec![format!("{prefix}{config}")]),
        };
        Ok(match self {
            Self::Pytest => {
                vec![[words("pytest"), own.to_vec(), lines(Emit::PytestArgs)?].concat()]
            }
            Self::Nextest => {
                let mut step = words("cargo nextest run --no-fail-fast -P overnight-sample");
                step.push(format!("--tool-config-file=overnight:{config}"));
                vec![[step, own.to_vec()].concat()]
            }
            Self::Cargo => {
                let mut step = words("cargo test --no-fail-fast");
                step.extend_from_slice(own);
                step.push("--".to_owned());
                vec![[step, lines(Emit::Cargo)?].concat()]
            }
            Self::Go => go_steps(chosen, rest, own)?,
            Self::Jest => {
                let mut step = words("node_modules/.bin/jest --json");
                step.push(format!("--outputFile={report}"));
                vec![[step, own.to_vec(), lines(Emit::Jest)?].concat()]
            }
            Self::Vitest => {
                let mut step =
                    words("node_modules/.bin/vitest run --reporter=default --reporter=json");
                step.push(format!("--outputFile.json={report}"));
                vec![[step, own.to_vec(), lines(Emit::Vitest)?].concat()]
            }
        })
    }

    /// The configuration file that its steps refer to, if any, with its ending.
    pub fn config(
        self,
        chosen: &[&str],
        report: &str,
    ) -> Result<Option<(&'static str, String)>, Fault> {
        match self {
            Self::Nextest => Ok(Some(("toml", emit::nextest_config(chosen, report)))),
            Self::Jest => Ok(match emit::emit(chosen, Emit::Jest)? {
                Emitted::File {
                    ending, content, ..
                } => Some((ending, content)),
                Emitted::Lines(_) => None,
            }),
            _ => Ok(None),
        }
    }

    /// Is its output its report? It then says how long tests took, and nothing else does.
    pub fn reports_on_stdout(self) -> bool {
        matches!(self, Self::Cargo | Self::Go)
    }

    /// The id of a test in its own report.
    pub fn id(self, class: &str, name: &str) -> String {
        match self {
            Self::Nextest => format!("{class} {name}"),
            _ => name.to_owned(),
        }
    }
}

/// One command for all packages when its pattern holds for no test that was not chosen, else one
/// for each package.
fn go_steps(chosen: &[&str], rest: &[&str], own: &[String]) -> Result<Vec<Vec<String>>, Fault> {
    let parts = |id: &&'_ str| unit::go_parts(id).map(|(p, t)| (p.to_owned(), t.to_owned()));
    let packages: BTreeSet<String> = chosen.iter().filter_map(parts).map(|(p, _)| p).collect();
    let tests: BTreeSet<String> = chosen.iter().filter_map(parts).map(|(_, t)| t).collect();
    let meets_others = rest
        .iter()
        .filter_map(parts)
        .any(|(package, test)| packages.contains(&package) && tests.contains(&test));
    let step = |arguments: Vec<String>| {
        let start = ["go", "test", "-v"].map(str::to_owned).to_vec();
        [start, own.to_vec(), arguments].concat()
    };
    if !meets_others && !tests.is_empty() {
        let one: Vec<String> = tests.iter().map(|test| format!("p.{test}")).collect();
        let one: Vec<&str> = one.iter().map(String::as_str).collect();
        if let Ok(Emitted::Lines(text)) = emit::emit(&one, Emit::GoRun) {
            let mut words: Vec<String> = text.split_whitespace().map(str::to_owned).collect();
            words.pop();
            words.extend(packages);
            return Ok(vec![step(words)]);
        }
    }
    let Emitted::Lines(text) = emit::emit(chosen, Emit::GoRun)? else {
        return Ok(Vec::new());
    };
    let steps = text
        .lines()
        .map(|line| step(line.split(' ').map(str::to_owned).collect()));
    Ok(steps.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_project_shows_its_runner() {
        let package = |text: &str| Signs {
            package_json: Some(text.to_owned()),
            ..Signs::default()
        };
        assert_eq!(
            package(r#"{"devDependencies":{"jest":"1"}}"#).runners(),
            [Runner::Jest]
        );
        assert_eq!(
            package(r#"{"devDependencies":{"vitest":"1","jest":"1"}}"#).runners(),
            [Runner::Vitest]
        );
        assert_eq!(package("{").runners(), []);
        let rust = Signs {
            rust: Some(Runner::Nextest),
            python: true,
            ..Signs::default()
        };
        assert_eq!(rust.runners(), [Runner::Nextest, Runner::Pytest]);
    }

    #[test]
    fn go_runs_all_packages_at_once_unless_names_meet() {
        let steps = |chosen: &[&str], rest: &[&str]| {
            let steps = Runner::Go
                .steps(chosen, rest, &["-race".to_owned()], ["", ""])
                .unwrap();
            steps
                .iter()
                .map(|words| words.join(" "))
                .collect::<Vec<_>>()
        };
        assert_eq!(
            steps(&["m/a.TestX", "m/b.TestY"], &["m/a.TestZ", "m/c.TestX"]),
            ["go test -v -race -run ^(TestX|TestY)$ m/a m/b"]
        );
        assert_eq!(
            steps(&["m/a.TestX", "m/b.TestY"], &["m/b.TestX"]),
            [
                "go test -v -race -run ^(TestX)$ m/a",
                "go test -v -race -run ^(TestY)$ m/b"
            ]
        );
    }

    #[test]
    fn steps_name_report_and_configuration() {
        let step = |runner: Runner, chosen: &[&str]| {
            runner.steps(chosen, &[], &[], ["/r", "/c"]).unwrap()[0].join(" ")
        };
        insta::assert_snapshot!(step(Runner::Nextest, &["a b"]), @"cargo nextest run --no-fail-fast -P overnight-sample --tool-config-file=overnight:/c");
        insta::assert_snapshot!(step(Runner::Cargo, &["a::b"]), @"cargo test --no-fail-fast -- --exact a::b");
        insta::assert_snapshot!(step(Runner::Jest, &["a b.test.js"]), @"node_modules/.bin/jest --json --outputFile=/r --filter=/c");
        insta::assert_snapshot!(step(Runner::Vitest, &["a.test.ts"]), @"node_modules/.bin/vitest run --reporter=default --reporter=json --outputFile.json=/r a.test.ts");
    }
}
