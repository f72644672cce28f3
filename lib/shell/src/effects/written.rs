//! Files that a program runs or reads as code, when the agent may have written them: their text is
//! judged as what runs it would see.

mod found;
mod homes;
mod recipes;
mod table;

use super::{code, effect, options, roughly, rows, runs_text, unknown};
use crate::Entry;
use crate::data::Data;
use crate::machine::{Call, Machine};
use crate::place;
use crate::verdict::{Decision, Verdict};
use crate::{mark, policy};
use found::{GENERATES, found};
use homes::HOMES;
pub(super) use recipes::recipes;
use recipes::scripts;
use serde_json::Value;
use table::{CONFIGURED, HOOKED, MAINS, READ_AS_CODE, STARTERS, listed};

/// What is said of code that cannot be followed; the first two prove something where a shell runs it.
const UNSURE: &[&str] = overnight_base::words!(
    "delete-unknown write-unknown inline-code opaque-code unparsable computed-command"
);
/// Arguments of one call that are looked at as files.
const OPERANDS_MAX: usize = 16;
/// Reads what the program runs beside its arguments.
pub(super) fn by_program(machine: &mut Machine<'_>, call: &Call) {
    let name = call.name.as_str();
    let starts = STARTERS.contains(&name);
    let started = call
        .args()
        .iter()
        .filter(|arg| starts && !arg.starts_with('-'));
    let mut pairs = call.args().windows(2);
    // `python -m build`
    let module = pairs
        .find(|pair| pair[0] == "-m")
        .map(|pair| pair[1].as_str());
    let composes =
        matches!(name, "docker" | "podman" | "nerdctl") && options::any(call.args(), "compose");
    let programs: Vec<&str> = [if composes { "docker-compose" } else { name }]
        .into_iter()
        .chain(started.take(2).map(String::as_str))
        .chain(module)
        .collect();
    let of = programs.iter();
    let tables: Vec<&str> = of
        .flat_map(|program| listed(READ_AS_CODE, program))
        .collect();
    let known = !tables.is_empty();
    let files = tables.iter().flat_map(|files| files.split(' '));
    let before = std::mem::replace(&mut machine.asked, call.args().to_vec());
    for file in files.filter(|file| !file.is_empty()) {
        runs_written(machine, file, Some(name));
    }
    for tool in programs.iter().filter(|tool| {
        starts
            || rows::stands_in(super::packages::ROWS, tool)
            || unknown::TESTERS.contains(tool)
            || rows::handler(tool).is_none()
    }) {
        for name in CONFIGURED {
            runs_written(machine, &name.replace("NAME", tool), Some("node"));
        }
    }
    if known || matches!(name, "go" | "awk" | "gawk" | "mawk") {
        given(machine, call);
    }
    machine.asked = before;
    if call.argv[0].contains('/') || known || found::finds_code(name) {
        found(machine, call);
    }
    let verbs = call.args().iter().filter(|_| name == "git");
    let hooks = verbs.flat_map(|verb| listed(HOOKED, verb));
    for hook in hooks.flat_map(|hooks| hooks.split(' ')) {
        for folder in [".husky", ".githooks", ".git/hooks"] {
            runs_written(machine, &format!("{folder}/{hook}"), Some("sh"));
        }
    }
}

/// Reads the files that it is given.
fn given(machine: &mut Machine<'_>, call: &Call) {
    let name = call.name.as_str();
    for arg in call.args().iter().take(OPERANDS_MAX) {
        let path = arg.split_once('=').map_or(arg.as_str(), |(_, value)| value);
        if path == "/dev/stdin" {
            let text = call
                .stdin
                .text
                .as_deref()
                .filter(|text| !mark::unknown(text));
            judge(machine, path, text.unwrap_or(""), Some(name));
        } else if !path.starts_with('-') {
            runs_written(machine, path, Some(name));
        }
        for (_, main) in MAINS.iter().filter(|(program, _)| *program == name) {
            runs_written(machine, &format!("{path}/{main}"), Some(name));
        }
    }
}

/// Each file of a folder: `for step in steps/*.sh`.
pub(super) fn of_pattern(machine: &mut Machine<'_>, path: &str, by: Option<&str>) {
    if let Some((folder, name)) = path.rsplit_once('/')
        && let Some((begin, end)) = name.split_once(mark::STAR)
        && !mark::unknown(folder)
    {
        let files = machine.context.facts.fresh(folder).into_iter();
        for file in files.filter(|file| file.starts_with(begin) && file.ends_with(end)) {
            runs_written(machine, &format!("{folder}/{file}"), by);
        }
    }
}

/// Files that are run as code are read, unless the run began with them. `language`: what runs it.
pub(crate) fn runs_written(machine: &mut Machine<'_>, path: &str, language: Option<&str>) {
    let resolved = machine.resolve(path, false);
    if mark::unknown(&resolved) {
        return of_pattern(machine, &resolved, language);
    }
    let of_command = machine.files.contains_key(&resolved);
    if !of_command && unknown::fetched(machine, path) {
        effect(machine, &policy::REMOTE_CODE, path);
        return;
    }
    if let Some(text) = machine
        .added
        .get(&resolved)
        .filter(|_| !of_command)
        .cloned()
    {
        judge(machine, &resolved, &text, language);
    }
    if let Some(text) = written_text(machine, &resolved) {
        judge(machine, &resolved, &text, language);
    }
}

/// The text of a file that this command wrote, or that is not what it was when the run began; where what is to be said of
/// that is collected, as it was then.
pub(crate) fn written_text(machine: &Machine<'_>, path: &str) -> Option<String> {
    let facts = machine.context.facts;
    if let Some(data) = machine.files.get(path) {
        let text = data.text.as_ref().or(machine.added.get(path));
        return text
            .filter(|text| !mark::unknown(text))
            .map(ToString::to_string);
    }
    if mark::unknown(path) || facts.entry(path) != Entry::File || facts.vouched(path) == Some(true)
    {
        return None;
    }
    if machine.collecting {
        facts.before(path)
    } else {
        facts.text(path)
    }
}

/// Judges the text of a file by what runs it. What cannot be followed in it is no question: most
/// programs start others with arguments that they compute. Only a shell's text is run as it stands,
/// so that of others nothing is proven.
pub(super) fn judge(machine: &mut Machine<'_>, path: &str, text: &str, by: Option<&str>) {
    // Scripts of a manifest start its program again.
    if machine.reading.iter().any(|read| read == path) {
        return;
    }
    machine.reading.push(path.to_owned());
    let script = language(place::last(path), text, by) == Some("sh");
    let unheard = if script { &UNSURE[2..] } else { UNSURE };
    let heard = std::mem::replace(&mut machine.unheard, unheard);
    let mut verdict = machine.probe(|machine| read(machine, path, text, by));
    if verdict.decision > Decision::Allow
        && let Some(before) = machine.context.facts.before(path)
    {
        verdict = news(
            machine,
            |machine, text| read(machine, path, text, by),
            &before,
            text,
        );
    }
    machine.unheard = heard;
    machine.reading.pop();
    if !script {
        verdict.decision = verdict.decision.min(Decision::Ask);
    }
    machine.note(verdict);
}

/// What is to be said of a text and was not to be said of what the run began with: who adds a dependency does not
/// answer for the script beside it.
fn news<F>(machine: &mut Machine<'_>, read: F, before: &str, text: &str) -> Verdict
where
    F: Fn(&mut Machine<'_>, &str),
{
    let collecting = std::mem::replace(&mut machine.collecting, true);
    let outer = machine.said.len();
    machine.probe(|machine| read(machine, before));
    machine.collecting = collecting;
    let verdict = machine.probe(|machine| read(machine, text));
    machine.said.truncate(outer);
    verdict
}

fn read(machine: &mut Machine<'_>, path: &str, text: &str, by: Option<&str>) {
    let name = place::last(path);
    machine.state.zero = path.into();
    // A program's own source says in its language what it starts.
    let build = |file: &str| place::last(file) == name && !file.starts_with("src/");
    let builds = READ_AS_CODE
        .iter()
        .any(|[_, files]| files.split(' ').any(&build));
    match name {
        "package.json" | "composer.json" => scripts(machine, text),
        ".envrc" => shell(machine, text),
        "Cargo.toml" => configured(machine, text),
        _ => match language(name, text, by) {
            Some("sh") => shell(machine, text),
            Some("make" | "just") => recipes(machine, text),
            Some("awk" | "gawk" | "mawk") => code::awk(machine, text),
            Some("notebook") => code::written(machine, &cells(text), "ipython"),
            Some("data") => {
                // Tags are no paths.
                let text = text.replace("</", " ").replace("/>", " ");
                let text = text.replace(['<', '>'], " ");
                configured(machine, &text);
                named_commands(machine, &homes::filled(&text, machine.context.home));
                named_programs(machine, &text, name.contains("compose"));
            }
            Some("go") if by == Some(GENERATES) => {
                for command in text
                    .lines()
                    .filter_map(|line| line.strip_prefix("//go:generate "))
                {
                    runs_text(machine, command, &Data::unknown());
                }
            }
            Some(language) => {
                code::written(machine, text, language);
                if builds {
                    named_commands(machine, text);
                }
                if builds || name.contains(".config.") {
                    configured(machine, text);
                }
            }
            None => {}
        },
    }
}

/// Words that nothing but quotes, brackets and the like part, in lines and in brackets over lines.
fn chunks(text: &str) -> Vec<Vec<&str>> {
    let (mut chunks, mut start, mut depth) = (Vec::new(), 0, 0_usize);
    for (at, c) in text.char_indices() {
        match c {
            '(' | '[' => depth += 1,
            ')' | ']' => depth = depth.saturating_sub(1),
            '\n' | ';' | '{' | '}' if depth == 0 || at - start > 2000 => {
                chunks.push(&text[start..at]);
                (start, depth) = (at + 1, 0);
            }
            _ => {}
        }
    }
    chunks.push(&text[start..]);
    let parts = |c: char| c.is_whitespace() || "\"'`,()[]!".contains(c);
    let words = |chunk: &&str| !chunk.trim_start().starts_with(['#', '/']);
    chunks
        .into_iter()
        .filter(words)
        .map(|chunk| chunk.split(parts).filter(|word| !word.is_empty()).collect())
        .collect()
}

/// Files of builds name commands in a notation of their own (`Command::new("rm").arg("-r")`,
/// `run_command('rm', '-r')`, `- rm -r`): a program that is known, with the words behind it.
fn named_commands(machine: &mut Machine<'_>, text: &str) {
    for words in chunks(text) {
        for at in 0..words.len().min(12) {
            // Where an entry begins, any program that is known.
            let marker = |word: &&str| matches!(*word, "-" | "=") || word.ends_with(':');
            let begins =
                (at < 2 || words[at - 1] == "=" && at == 2 || words[..at].iter().all(marker))
                    && words.get(at + 1).is_some_and(|next| {
                        next.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '-')
                    })
                    && !rows::stands_in(super::builtins::ROWS, words[at])
                    && rows::handler(words[at]).is_some();
            if let ("file", Some(["REMOVE" | "REMOVE_RECURSE" | "WRITE" | "APPEND", path, ..])) =
                (words[at], words.get(at + 1..))
            {
                let how: &[&str] = if words[at + 1].starts_with('R') {
                    &["rm", "-rf"]
                } else {
                    &["tee", "-a"]
                };
                let words = how.iter().chain([path]).map(|word| (*word).to_owned());
                machine.run_words(&words.collect::<Vec<_>>(), &Data::unknown());
            } else if begins
                || rows::stands_in(super::files::ROWS, words[at])
                || matches!(words[at], "sh" | "bash")
            {
                let words: Vec<String> = words[at..]
                    .iter()
                    .filter(|word| !word.starts_with('.') && !word.contains(['$', '&']))
                    .map(|word| (*word).to_owned())
                    .collect();
                machine.run_words(&words, &Data::unknown());
            }
        }
    }
}

/// What a configuration has run, in whatever notation: files beside it that it names, lines for a shell. One that
/// names the home folder and deletes is a question.
fn configured(machine: &mut Machine<'_>, text: &str) {
    let words = chunks(text).concat().into_iter();
    let paths = words.filter(|word| word.contains('/') && !word.contains("//"));
    for path in paths.take(OPERANDS_MAX) {
        runs_written(machine, path, None);
    }
    for line in text.lines().filter_map(|line| line.split_once("sh -c ")) {
        let quoted = line.1.trim().trim_end_matches([',', ']']);
        let quote = quoted.chars().next().filter(|c| matches!(c, '\'' | '"'));
        let inner = quote.and_then(|quote| quoted.strip_prefix(quote)?.strip_suffix(quote));
        if let Some(inner) = inner {
            runs_text(machine, inner, &Data::unknown());
        }
    }
    let text = text.to_lowercase();
    let names = |words: &[&str]| words.iter().any(|word| text.contains(word));
    if names(HOMES) && names(&["remove", "delete", "clean", "rm -"]) {
        effect(machine, &policy::WRITE_HOME, "~");
    }
}

/// Settings that name what lies outside of the repository: a program that a tool starts, a folder that it mounts. What
/// is `inside` of a container is not on this machine.
fn named_programs(machine: &mut Machine<'_>, text: &str, inside: bool) {
    let words = chunks(text).concat();
    let before = std::iter::once(&"").chain(&words);
    for (before, word) in before.zip(&words) {
        if inside && !word.contains(':') && !matches!(*before, "source:" | "device:" | "context:") {
            continue;
        }
        let path = word.split(':').next().unwrap_or(word);
        let elsewhere = path.starts_with(['/', '~']) && roughly(machine, path).is_foreign();
        if elsewhere || path == "/" {
            effect(machine, &policy::ELSEWHERE_PROGRAM, path);
        }
    }
}

fn shell(machine: &mut Machine<'_>, text: &str) {
    machine.child_script(text, &Data::unknown());
}

/// The code of a notebook.
fn cells(text: &str) -> String {
    let notebook: Value = serde_json::from_str(text).unwrap_or_default();
    let cells = notebook["cells"].as_array().into_iter().flatten();
    let code = cells.filter(|cell| cell["cell_type"] == "code");
    code.map(|cell| texts(&cell["source"]).concat() + "\n")
        .collect()
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
        Some("sh" | "bash" | "zsh" | "bats" | "fish") => "sh",
        Some("py") => "python",
        Some("js" | "mjs" | "cjs" | "ts" | "tsx" | "jsx" | "mts" | "cts") => "node",
        Some("rb" | "rake") => "ruby",
        Some("pl" | "pm") => "perl",
        Some("php") => "php",
        Some("lua") => "lua",
        Some("rs") => "rust",
        Some("go") => "go",
        Some(
            "gradle" | "kts" | "java" | "kt" | "swift" | "c" | "cc" | "cpp" | "zig" | "sbt" | "cs"
            | "csx" | "fsx" | "scala" | "groovy" | "nim" | "d" | "cr",
        ) => "compiled",
        Some("exs" | "ex") => "elixir",
        Some("R" | "r") => "Rscript",
        Some("jl") => "julia",
        Some("el") => "emacs",
        Some("hs") => "ghc",
        Some("ml") => "ocaml",
        Some("mk") => "make",
        Some("awk") => "awk",
        Some("ipynb") => "notebook",
        Some(
            "yml" | "yaml" | "toml" | "ini" | "build" | "txt" | "cmake" | "nix" | "xml" | "csproj"
            | "fsproj" | "targets" | "props",
        ) => "data",
        Some(ending)
            if !matches!(by, Some("sh" | "data")) && ending.len() < 6 && !name.starts_with('.') =>
        {
            return None;
        }
        _ => match name {
            "Rakefile" | "Gemfile" | "Vagrantfile" | "Podfile" => "ruby",
            "Makefile" | "makefile" | "GNUmakefile" => "make",
            "justfile" | "Justfile" | ".justfile" => "just",
            "SConstruct" | "SConscript" => "python",
            "config" => "data",
            _ => return by,
        },
    })
}

#[cfg(test)]
mod tests;
