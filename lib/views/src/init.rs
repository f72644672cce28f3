//! `overnight init`: what a repository's own files say about how its work is proved, and set up.

use overnight_judge::proof::protect;
use serde_json::Value;
use std::fmt::Write;

/// A file of the repository, by its path from the top.
#[derive(Debug, Clone)]
pub struct Manifest<'a> {
    /// Its path.
    pub path: &'a str,
    /// Its content.
    pub text: &'a str,
}

/// The files that are read: manifests and scripts. Files of CI are found by [`is_ci`].
pub const READ: [&str; 12] = [
    "Cargo.toml",
    "package.json",
    "pyproject.toml",
    "pytest.ini",
    "setup.cfg",
    "tox.ini",
    "go.mod",
    "pom.xml",
    "build.gradle",
    "build.gradle.kts",
    "Makefile",
    "justfile",
];

/// Is the file one that says what runs on a server for each change?
pub fn is_ci(path: &str) -> bool {
    let yaml = [".yml", ".yaml"].iter().any(|end| path.ends_with(end));
    path == ".gitlab-ci.yml" || path.starts_with(".github/workflows/") && yaml
}

/// A command that could prove the work, and where it is from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Gate {
    /// The command.
    pub command: String,
    /// The file that says so.
    pub from: String,
}

/// What is proposed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Proposal {
    /// The gates.
    pub gates: Vec<Gate>,
    /// What makes the ignored files that they need.
    pub setup: Vec<Gate>,
    /// Commands of CI that test something, for the person to look at.
    pub seen: Vec<Gate>,
    /// Scripts that decide beside what does by convention.
    pub protect: Vec<Gate>,
}

/// Proposes gates. A script of the project's own goes before the tool that it would call; `has` says
/// whether a path exists.
pub fn propose(files: &[Manifest], has: &dyn Fn(&str) -> bool) -> Proposal {
    let mut gates = scripts(files);
    if gates.is_empty() {
        gates = tools(files, has);
    }
    let ci = files.iter().filter(|file| is_ci(file.path));
    let seen = ci.flat_map(|file| {
        commands(file.text).into_iter().map(|command| Gate {
            command,
            from: file.path.to_owned(),
        })
    });
    Proposal {
        protect: protect(files, has),
        seen: seen
            .filter(|gate| gates.iter().all(|known| known.command != gate.command))
            .collect(),
        gates,
        setup: set_up(has),
    }
}

fn content<'f>(files: &'f [Manifest], path: &str) -> Option<&'f str> {
    let found = files.iter().find(|file| file.path == path);
    found.map(|file| file.text)
}

/// The project's own scripts.
fn scripts(files: &[Manifest]) -> Vec<Gate> {
    let own = [("Makefile", "make"), ("justfile", "just")].into_iter();
    own.filter_map(|(name, program)| {
        let target = target(content(files, name)?)?;
        Some(Gate {
            command: format!("{program} {target}"),
            from: name.to_owned(),
        })
    })
    .collect()
}

/// What the tools of its manifests test with.
fn tools(files: &[Manifest], has: &dyn Fn(&str) -> bool) -> Vec<Gate> {
    let there = |path: &str| content(files, path).is_some();
    let maven = if has("mvnw") { "./mvnw" } else { "mvn" };
    let gradle = if has("gradlew") {
        "./gradlew"
    } else {
        "gradle"
    };
    let built = there("build.gradle") || there("build.gradle.kts");
    let npm = content(files, "package.json").and_then(|text| script(text, has));
    let found = [
        (
            "Cargo.toml",
            there("Cargo.toml").then(|| "cargo test".to_owned()),
        ),
        ("package.json", npm),
        ("the Python project", python(files, has)),
        (
            "go.mod",
            there("go.mod").then(|| "go test ./...".to_owned()),
        ),
        (
            "pom.xml",
            there("pom.xml").then(|| format!("{maven} -q test")),
        ),
        ("build.gradle", built.then(|| format!("{gradle} test"))),
    ];
    let gate = |(from, command): (&str, Option<String>)| {
        Some(Gate {
            command: command?,
            from: from.to_owned(),
        })
    };
    found.into_iter().filter_map(gate).collect()
}

/// The scripts that commands of CI and of the project's own scripts start. Files that decide by convention
/// are protected anyway.
fn protect(files: &[Manifest], has: &dyn Fn(&str) -> bool) -> Vec<Gate> {
    let mut found: Vec<Gate> = Vec::new();
    for file in files {
        let commands: Vec<String> = match file.path {
            "Makefile" | "justfile" => recipes(file.text),
            "package.json" => package_scripts(file.text),
            path if is_ci(path) => steps(file.text),
            _ => continue,
        };
        let paths = commands.iter().flat_map(|command| scripts_of(command));
        for path in paths.filter(|path| has(path) && protect::kind(path).is_none()) {
            if found.iter().all(|known| known.command != path) {
                found.push(Gate {
                    command: path.to_owned(),
                    from: file.path.to_owned(),
                });
            }
        }
    }
    found
}

/// The lines of a Makefile's or justfile's recipes.
fn recipes(text: &str) -> Vec<String> {
    let of_recipe = |line: &str| {
        let rest = line.strip_prefix(['\t', ' '])?;
        Some(rest.trim_start().trim_start_matches(['@', '-']).to_owned())
    };
    text.lines().filter_map(of_recipe).collect()
}

fn package_scripts(text: &str) -> Vec<String> {
    let package: Option<Value> = serde_json::from_str(text).ok();
    let scripts = package
        .as_ref()
        .and_then(|package| package.get("scripts")?.as_object());
    let commands = scripts.into_iter().flat_map(|scripts| scripts.values());
    commands
        .filter_map(Value::as_str)
        .map(str::to_owned)
        .collect()
}

/// The files that a command starts: first words, and what an interpreter is given first.
fn scripts_of(command: &str) -> impl Iterator<Item = &str> {
    const INTERPRETERS: [&str; 8] = [
        "sh", "bash", "zsh", "python", "python3", "node", "ruby", "perl",
    ];
    let parts = command.split(['&', ';', '|']);
    parts.filter_map(|part| {
        let mut words = part
            .split_whitespace()
            .map(|word| word.trim_matches(['"', '\'']));
        let first = words.next()?;
        let script = if INTERPRETERS.contains(&first) {
            words.next()?
        } else {
            first
        };
        Some(script.strip_prefix("./").unwrap_or(script))
    })
}

/// The target of a Makefile or justfile that checks the project: `check`, else `test`.
fn target(text: &str) -> Option<&'static str> {
    let has = |name: &str| {
        text.lines().any(|line| {
            let rest = line.strip_prefix(name);
            rest.is_some_and(|rest| rest.trim_start().starts_with(':') && !rest.contains(":="))
        })
    };
    ["check", "test"].into_iter().find(|name| has(name))
}

/// The `test` script of a `package.json`, by the program whose lock file is there.
fn script(text: &str, has: &dyn Fn(&str) -> bool) -> Option<String> {
    let package: Value = serde_json::from_str(text).ok()?;
    let words = package.get("scripts")?.get("test")?.as_str()?;
    // What `npm init` writes.
    if words.contains("no test specified") {
        return None;
    }
    let programs = [
        ("pnpm-lock.yaml", "pnpm"),
        ("yarn.lock", "yarn"),
        ("bun.lock", "bun run"),
        ("bun.lockb", "bun run"),
    ];
    let found = programs.into_iter().find(|(lock, _)| has(lock));
    let program = found.map_or("npm", |(_, program)| program);
    Some(format!("{program} test"))
}

/// What a lock file says installs the dependencies into ignored folders: of each ecosystem the first
/// that is there. Where they are kept for all projects (cargo, go), nothing is to be done.
fn set_up(has: &dyn Fn(&str) -> bool) -> Vec<Gate> {
    const BY_LOCK: [&[(&str, &str)]; 4] = [
        &[
            ("pnpm-lock.yaml", "pnpm install --frozen-lockfile"),
            ("yarn.lock", "yarn install --frozen-lockfile"),
            ("bun.lock", "bun install --frozen-lockfile"),
            ("bun.lockb", "bun install --frozen-lockfile"),
            ("package-lock.json", "npm ci"),
            ("npm-shrinkwrap.json", "npm ci"),
        ],
        &[
            ("uv.lock", "uv sync --frozen"),
            ("poetry.lock", "poetry install"),
            ("pdm.lock", "pdm sync"),
            ("Pipfile.lock", "pipenv sync --dev"),
        ],
        &[("composer.lock", "composer install --no-interaction")],
        &[("Gemfile.lock", "bundle install")],
    ];
    let first = |locks: &&[(&str, &str)]| {
        let (lock, command) = locks.iter().find(|(lock, _)| has(lock))?;
        Some(Gate {
            command: (*command).to_owned(),
            from: (*lock).to_owned(),
        })
    };
    BY_LOCK.iter().filter_map(first).collect()
}

/// How a Python project is tested: with pytest where one of its files names it.
fn python(files: &[Manifest], has: &dyn Fn(&str) -> bool) -> Option<String> {
    let of_python = ["pyproject.toml", "pytest.ini", "setup.cfg", "tox.ini"];
    let mut own = files.iter().filter(|file| of_python.contains(&file.path));
    let is_python = own.clone().next().is_some() || has("setup.py") || has("requirements.txt");
    if own.any(|file| file.path == "pytest.ini" || file.text.contains("pytest")) {
        return Some("python3 -m pytest -q".to_owned());
    }
    (is_python || has("tests/__init__.py") || has("test/__init__.py"))
        .then(|| "python3 -m unittest discover".to_owned())
}

/// Commands of a workflow that test something: those of its steps with the word in them.
fn commands(text: &str) -> Vec<String> {
    let tests = |command: &String| {
        let mut words = command.split(|c: char| !c.is_alphanumeric());
        words.any(|word| word.starts_with("test"))
    };
    steps(text).into_iter().filter(tests).collect()
}

/// The one-line commands of a workflow's steps.
fn steps(text: &str) -> Vec<String> {
    let of_step = |line: &str| {
        let line = line.trim().trim_start_matches("- ");
        let command = line.strip_prefix("run:")?.trim();
        let plain = command.trim_matches(['"', '\'']);
        (!plain.contains("${{") && !plain.starts_with(['|', '>'])).then(|| plain.to_owned())
    };
    text.lines().filter_map(of_step).collect()
}

/// The project's `overnight.toml`.
pub fn config(proposal: &Proposal) -> String {
    let mut text = "# What Overnight goes by in this project. Every key: overnight doctor --config\n\
        # Commands in here run only after a person said so: overnight trust overnight.toml\n\n[run]\n\
        # Commands that prove any task done, by their exit status.\n"
        .to_owned();
    if proposal.gates.is_empty() {
        text += "# None was found; without one a task counts as done by the agent's word.\n# gates = [\"make test\"]\n";
    } else {
        text += "gates = [\n";
        for gate in &proposal.gates {
            let _ = writeln!(text, "    {}, # from {}", quoted(&gate.command), gate.from);
        }
        text += "]\n";
    }
    if !proposal.setup.is_empty() {
        text += "# Commands that make what git ignores and gates need; again where a lock file changed.\nsetup = [\n";
        for command in &proposal.setup {
            let (shown, from) = (quoted(&command.command), &command.from);
            let _ = writeln!(text, "    {shown}, # from {from}");
        }
        text += "]\n";
    }
    if !proposal.seen.is_empty() {
        text += "# CI runs these too:\n";
        for gate in &proposal.seen {
            let _ = writeln!(text, "#   {} ({})", gate.command, gate.from);
        }
    }
    text += "\n# Limits; a project may only tighten what you set for yourself.\n# max_iterations = 10\n# task_timeout = \"30m\"\n# budget_usd = 20\n";
    text + &protected(&proposal.protect)
}

/// The section with what decides.
fn protected(scripts: &[Gate]) -> String {
    let mut text = "\n[proof]\n# Claims are tried with what decides as it stood when the run began. Tests, fixtures, CI and the\n\
        # configuration of runners do by convention (overnight rehearse lists them); these files, too.\n"
        .to_owned();
    if scripts.is_empty() {
        return text + "# protect = [\"ci/**\"]\n";
    }
    text += "protect = [\n";
    for script in scripts {
        let _ = writeln!(
            text,
            "    {}, # from {}",
            quoted(&script.command),
            script.from
        );
    }
    text + "]\n"
}

/// As a basic string of TOML.
pub fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => {
                quoted.push('\\');
                quoted.push(c);
            }
            c if c.is_control() => {
                let _ = write!(quoted, "\\u{:04X}", u32::from(c));
            }
            c => quoted.push(c),
        }
    }
    quoted + "\""
}

/// A first goal, to be filled in.
pub const GOAL: &str = "# What is to be done\n\n\
    <!-- Write here what you would tell a colleague who cannot ask you anything until tomorrow. -->\n\n\
    ## What must hold at the end\n\n- \n\n## What must stay as it is\n\n- \n";

#[cfg(test)]
mod tests;
