//! Files that code brings in from beside it, when the agent may have written them: they are read as if they stood
//! before it.

use super::languages::Language;
use super::lexer::{self, Part, Text, Token};
use crate::effects::{runs_written, written_text};
use crate::machine::Machine;
use crate::place;
use std::collections::BTreeSet;

/// Files that one text brings in, themselves or by each other, at most.
const FILES_MAX: usize = 32;
/// Endings of what is brought in without one.
const SCRIPTS: &[&str] = &[
    "",
    ".js",
    ".ts",
    ".mjs",
    ".cjs",
    ".mts",
    ".cts",
    ".tsx",
    ".jsx",
    "/index.js",
    "/index.ts",
];

/// Where a file that is brought in may lie, and the names that stand for all of it.
type Brought = (Vec<String>, Vec<String>);

/// Judges what inline code brings in.
pub(super) fn run(
    machine: &mut Machine<'_>,
    code: &str,
    program: &str,
    language: &'static Language,
) {
    let by = machine.state.zero.to_string();
    for path in brought(machine, code, language, &by)
        .into_iter()
        .flat_map(|(files, _)| files)
    {
        runs_written(machine, &path, Some(program));
    }
}

/// Code with what it brings in before it, and where in that each text ends.
pub(super) fn joined(
    machine: &mut Machine<'_>,
    code: &str,
    language: &'static Language,
) -> (Vec<Token>, Vec<(usize, String)>) {
    let own = machine.state.zero.to_string();
    let mut seen = BTreeSet::from([own.clone()]);
    let (mut texts, mut names) = (vec![(own.clone(), code.to_owned())], BTreeSet::new());
    let mut waiting = vec![(own, code.to_owned())];
    while let Some((by, text)) = waiting.pop() {
        for (files, called) in brought(machine, &text, language, &by) {
            for path in files {
                let path = machine.resolve(&path, false);
                let Some(text) = written_text(machine, &path).filter(|_| seen.len() <= FILES_MAX)
                else {
                    continue;
                };
                names.extend(called.iter().cloned());
                if !seen.contains(&path) && machine.may_read(text.len()) {
                    seen.insert(path.clone());
                    waiting.push((path.clone(), text.clone()));
                    texts.push((path, text));
                }
            }
        }
    }
    let (mut tokens, mut ends) = (Vec::new(), Vec::new());
    for (path, text) in texts.into_iter().rev() {
        let begin = tokens.len();
        tokens.extend(lexer::tokens(&text, language));
        tokens.push(Token::End);
        for token in &mut tokens[begin..] {
            let place = match token.name() {
                Some("__file__" | "__filename") => &path,
                Some("__dirname" | "__dir__" | "__DIR__") => folder(&path),
                _ => continue,
            };
            *token = Token::Text(Text {
                parts: vec![Part::Plain(place.to_owned())],
                words: false,
            });
        }
        ends.push((tokens.len(), text));
    }
    for token in &mut tokens {
        if let Token::Name(name) = token
            && let Some((first, member)) = name.split_once('.')
            && names.contains(first)
        {
            *name = member.to_owned();
        }
    }
    (tokens, ends)
}

fn folder(path: &str) -> &str {
    path.rsplit_once('/').map_or(".", |(folder, _)| folder)
}

fn ending(path: &str) -> &str {
    path.rsplit_once('.').map_or("", |(_, ending)| ending)
}

fn brought(
    machine: &Machine<'_>,
    code: &str,
    language: &'static Language,
    by: &str,
) -> Vec<Brought> {
    let folder = folder(by);
    let tokens = || lexer::tokens(code, language);
    let mut brought = match language.family {
        "python" => [modules(code, folder), configured(machine, code)].concat(),
        // It is run before there is a library.
        "compiled" if place::last(by) == "build.rs" => Vec::new(),
        "compiled" => [packages(machine, code, folder), parts(&tokens(), folder)].concat(),
        "node" | "ruby" | "php" | "perl" | "lua" => named(&tokens(), language.family, folder),
        _ => Vec::new(),
    };
    brought.truncate(FILES_MAX);
    brought
}

/// `import a.b as c`, `from a import b`, which may mean one within another: beside the code or where it is started.
fn modules(code: &str, folder: &str) -> Vec<Brought> {
    let statements = code.split(['\n', ';']).map(str::trim_start);
    let imports = statements.filter_map(|line| {
        let from = line.strip_prefix("from ");
        from.and_then(|rest| rest.split_once(" import "))
            .or_else(|| line.strip_prefix("import ").map(|list| ("", list)))
    });
    let mut brought = Vec::new();
    for (of, list) in imports {
        let mut modules = vec![(of.to_owned(), of)];
        for part in list.split([',', '(', ')']) {
            let mut words = part.split_whitespace();
            let name = words.next().unwrap_or("");
            modules.push((format!("{of}.{name}"), words.nth(1).unwrap_or(name)));
        }
        for (module, name) in modules.iter().filter(|(module, _)| module.len() > 1) {
            let path = module.trim_matches('.').replace('.', "/");
            let places = [
                path.clone(),
                format!("{folder}/{path}"),
                format!("{folder}/../{path}"),
            ];
            let files = places
                .iter()
                .flat_map(|at| [format!("{at}.py"), format!("{at}/__init__.py")]);
            let name = name.rsplit('.').next().unwrap_or(name);
            brought.push((files.collect(), vec![name.to_owned()]));
        }
    }
    brought
}

/// Django's settings, which no import names; and what pytest runs before tests.
fn configured(machine: &Machine<'_>, code: &str) -> Vec<Brought> {
    let mut brought = Vec::new();
    if code.contains("django.conf import settings") {
        let wanted = |path: &str| path.ends_with("settings.py") || path.contains("settings/");
        let files = machine
            .context
            .facts
            .fresh_below(&machine.resolve(".", false), &wanted);
        brought.push((files, vec!["settings".to_owned()]));
    }
    if code.contains("def test_") {
        let files = ["conftest.py", "tests/conftest.py", "test/conftest.py"].map(str::to_owned);
        brought.push((files.to_vec(), Vec::new()));
    }
    brought
}

/// A package of Go, by the end of its address; and what lies in the same one.
fn packages(machine: &Machine<'_>, code: &str, folder: &str) -> Vec<Brought> {
    if !code.lines().any(|line| line.starts_with("package ")) {
        return Vec::new();
    }
    let go = |folder: &str| -> Vec<String> {
        let files = machine.context.facts.fresh(&machine.resolve(folder, false));
        let source = |name: &String| ending(name) == "go" && !name.ends_with("_test.go");
        let files = files.into_iter().filter(source);
        files.map(|name| format!("{folder}/{name}")).collect()
    };
    let mut brought = vec![(go(folder), Vec::new())];
    let quoted = code.split('"').skip(1).step_by(2);
    let addresses = quoted.filter(|text| text.contains('/') && !text.contains([' ', ':']));
    for address in addresses.take(FILES_MAX) {
        let ends = address.match_indices('/').map(|(at, _)| &address[at + 1..]);
        let name = vec![place::last(address).to_owned()];
        brought.extend(ends.map(|end| (go(end), name.clone())));
    }
    brought
}

/// Rust's `mod name;`, and its library.
fn parts(tokens: &[Token], folder: &str) -> Vec<Brought> {
    let part = |three: &[Token]| match three {
        [Token::Name(word), Token::Name(name), end] if word == "mod" && !end.is('{') => {
            let files = vec![
                format!("{folder}/{name}.rs"),
                format!("{folder}/{name}/mod.rs"),
            ];
            Some((files, vec![name.clone()]))
        }
        _ => None,
    };
    // `use name::part;` of tests and examples may mean what is built of the project itself.
    let names = tokens.windows(2).filter_map(|pair| match pair {
        [Token::Name(word), Token::Name(name)] if word == "use" => name.split('.').next(),
        _ => None,
    });
    let others = ["std", "core", "alloc", "crate", "self", "super"];
    let used: Vec<String> = names
        .filter(|name| !others.contains(name))
        .map(str::to_owned)
        .collect();
    let library = vec!["src/lib.rs".to_owned(), format!("{folder}/../src/lib.rs")];
    let library = (!used.is_empty()).then_some((library, used));
    tokens.windows(3).filter_map(part).chain(library).collect()
}

/// Texts that name files beside the code, as each language has it.
fn named(tokens: &[Token], family: &str, folder: &str) -> Vec<Brought> {
    let mut brought = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        let text = match token {
            Token::Text(text) => text.shown(),
            // Perl's `use Folder::Name;`
            Token::Name(name) if family == "perl" => format!("{}.pm", name.replace('.', "/")),
            _ => continue,
        };
        let word = |back: usize| at.checked_sub(back).and_then(|at| tokens[at].name());
        let asked = word(1).or_else(|| word(2)).unwrap_or("");
        let beside = format!("{folder}/{}", text.trim_start_matches('/'));
        let ends = |ending: &&str| [format!("{beside}{ending}"), format!("{text}{ending}")];
        let (endings, name) = match (family, asked) {
            // `const name = require("./file")`, `import name from "./file"`.
            ("node", "require" | "require.resolve") if text.starts_with('.') => (SCRIPTS, word(4)),
            ("node", "from" | "import") if text.starts_with('.') => (SCRIPTS, word(2)),
            ("ruby", "require_relative" | "require" | "load") => (&["", ".rb"][..], None),
            ("php", _) if ending(&text) == "php" => (&[""][..], None),
            ("perl", "use" | "require" | "do") => (&[""][..], None),
            ("lua", "require" | "dofile" | "loadfile") => (&["", ".lua"][..], None),
            _ => continue,
        };
        let files = endings.iter().flat_map(ends).collect();
        brought.push((files, name.into_iter().map(str::to_owned).collect()));
    }
    brought
}
