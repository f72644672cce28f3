//! Files that a program runs or reads as code, when the agent may have written them: their text is
//! judged as what runs it would see.

use super::{code, runs_text, runs_written};
use crate::data::Data;
use crate::machine::{Call, Machine};
use crate::place;
use serde_json::Value;

/// Programs with the files that they read as code wherever they are started.
const READ_AS_CODE: &[(&[&str], &[&str])] = &[
    (&["make", "gmake"], &["Makefile", "makefile", "GNUmakefile"]),
    (&["just"], &["justfile", "Justfile", ".justfile"]),
    (&["task"], &["Taskfile.yml", "Taskfile.yaml"]),
    (&["rake"], &["Rakefile"]),
    (&["bundle"], &["Gemfile"]),
    (
        &["pytest", "py.test"],
        &["conftest.py", "tests/conftest.py", "test/conftest.py"],
    ),
    (&["tox", "nox"], &["noxfile.py", "setup.py"]),
    (&["pip", "pip3", "uv"], &["setup.py"]),
    (
        &["cargo", "cross"],
        &["build.rs", ".cargo/config.toml", ".cargo/config"],
    ),
    (&["direnv"], &[".envrc"]),
    (&["jest", "npx"], &["jest.config.js", "jest.setup.js"]),
    (
        &["vitest", "vite"],
        &["vite.config.js", "vite.config.ts", "vitest.config.ts"],
    ),
    (&["webpack"], &["webpack.config.js"]),
    (&["eslint"], &["eslint.config.js", ".eslintrc.js"]),
    (
        &["gradle", "gradlew"],
        &["build.gradle", "settings.gradle", "build.gradle.kts"],
    ),
    (&["gulp"], &["gulpfile.js"]),
    (&["grunt"], &["Gruntfile.js"]),
    (
        &["npm", "pnpm", "yarn", "bun"],
        &["package.json", ".yarnrc.yml", ".pnpmfile.cjs"],
    ),
    (&["cmake"], &["CMakeLists.txt"]),
    (&["composer"], &["composer.json"]),
    (&["mix"], &["mix.exs"]),
    (&["docker-compose"], &["docker-compose.yml"]),
    (&["invoke"], &["tasks.py"]),
    (&["vagrant"], &["Vagrantfile"]),
    (
        &["python", "python3"],
        &["sitecustomize.py", "usercustomize.py"],
    ),
];
/// Git's verbs with the hooks that they start, where hooks lie in the work tree.
const HOOKED: &[(&str, &[&str])] = &[
    (
        "commit",
        &[
            "pre-commit",
            "prepare-commit-msg",
            "commit-msg",
            "post-commit",
        ],
    ),
    ("push", &["pre-push"]),
    ("checkout", &["post-checkout"]),
    ("switch", &["post-checkout"]),
    ("merge", &["pre-merge-commit", "post-merge"]),
    ("pull", &["post-merge"]),
    ("rebase", &["pre-rebase", "post-rewrite"]),
];

/// Reads what the program runs beside its arguments.
pub(super) fn by_program(machine: &mut Machine<'_>, call: &Call) {
    let name = call.name.as_str();
    let tables = READ_AS_CODE
        .iter()
        .filter(|(programs, _)| programs.contains(&name));
    for file in tables.flat_map(|(_, files)| *files) {
        runs_written(machine, file, Some(name));
    }
    if name == "git"
        && let Some((_, hooks)) = HOOKED
            .iter()
            .find(|(verb, _)| call.args().iter().any(|arg| arg == verb))
    {
        for hook in *hooks {
            for folder in [".husky", ".githooks", ".git/hooks"] {
                runs_written(machine, &format!("{folder}/{hook}"), Some("sh"));
            }
        }
    }
}

/// Judges the text of a file by what runs it. What cannot be followed in it is no question: most
/// programs start others with arguments that they compute.
pub(super) fn judge(machine: &mut Machine<'_>, path: &str, text: &str, by: Option<&str>) {
    let verdict = machine.probe(|machine| read(machine, path, text, by));
    if !matches!(
        verdict.rule,
        "inline-code" | "opaque-code" | "unparsable" | "computed-command"
    ) {
        machine.note(verdict);
    }
}

fn read(machine: &mut Machine<'_>, path: &str, text: &str, by: Option<&str>) {
    let name = place::last(path);
    match name {
        "Makefile" | "makefile" | "GNUmakefile" | "justfile" | "Justfile" | ".justfile" => {
            recipes(machine, text);
        }
        "package.json" | "composer.json" => scripts(machine, text),
        "Taskfile.yml" | "Taskfile.yaml" | "docker-compose.yml" | "CMakeLists.txt"
        | ".yarnrc.yml" | "config.toml" | "config" => {
            code::literal_commands(machine, text, "configuration");
        }
        ".envrc" => shell(machine, text),
        _ => match language(name, text, by) {
            Some("sh") => shell(machine, text),
            Some(language) => code::written(machine, text, language),
            None => {}
        },
    }
}

fn shell(machine: &mut Machine<'_>, text: &str) {
    machine.child_script(text, &Data::unknown());
}

/// The recipes of a makefile.
fn recipes(machine: &mut Machine<'_>, text: &str) {
    for line in text.lines().filter(|line| line.starts_with([' ', '\t'])) {
        let recipe = line.trim().trim_start_matches(['@', '-', '+']);
        runs_text(machine, &recipe.replace("$$", "$"), &Data::unknown());
    }
    for (_, rest) in text
        .match_indices("$(shell ")
        .map(|(at, found)| text.split_at(at + found.len()))
    {
        let command = rest
            .lines()
            .next()
            .unwrap_or("")
            .trim_end_matches(')')
            .to_owned();
        runs_text(machine, &command, &Data::unknown());
    }
}

/// The scripts of a manifest: which of them runs decides the program, and each may start another.
fn scripts(machine: &mut Machine<'_>, text: &str) {
    let manifest: Value = serde_json::from_str(text).unwrap_or_default();
    let scripts = manifest.get("scripts").and_then(Value::as_object);
    for script in scripts
        .into_iter()
        .flatten()
        .flat_map(|(_, value)| texts(value))
    {
        let script = script.to_owned();
        machine.child_script(&script, &Data::unknown());
    }
}

fn texts(value: &Value) -> Vec<&str> {
    match value {
        Value::String(text) => vec![text],
        Value::Array(list) => list.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    }
}

/// The language of a file: by its first line, its ending, or what runs it.
fn language<'a>(name: &str, text: &'a str, by: Option<&'a str>) -> Option<&'a str> {
    if let Some(line) = text.strip_prefix("#!") {
        let mut words = line.lines().next().unwrap_or("").split([' ', '/']);
        let program = words.rfind(|word| !word.is_empty() && !word.starts_with('-'))?;
        return Some(match program {
            "sh" | "bash" | "dash" | "zsh" | "ksh" => "sh",
            program => program,
        });
    }
    Some(match name.rsplit_once('.').map(|(_, ending)| ending) {
        Some("sh" | "bash" | "zsh") => "sh",
        Some("py") => "python",
        Some("js" | "mjs" | "cjs" | "ts" | "tsx" | "jsx" | "mts" | "cts") => "node",
        Some("rb") => "ruby",
        Some("pl" | "pm") => "perl",
        Some("php") => "php",
        Some("lua") => "lua",
        Some("rs") => "rust",
        Some("go") => "go",
        Some("gradle" | "kts" | "java" | "kt" | "exs" | "swift" | "c" | "cc" | "cpp") => "compiled",
        _ if matches!(name, "Rakefile" | "Gemfile" | "Vagrantfile") => "ruby",
        _ => return by,
    })
}
