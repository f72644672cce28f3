//! Recipes of makefiles and scripts of manifests: those that a tool is asked for, and what they lead to.

use super::super::{runs_text, runs_written, written_text};
use super::{shell, texts};
use crate::data::Data;
use crate::machine::Machine;
use serde_json::Value;
use std::collections::BTreeSet;

/// Variables of one makefile that are filled in.
const VARIABLES_MAX: usize = 100;
/// Files of one line that are included.
const INCLUDED_MAX: usize = 8;
/// What installing runs of a manifest.
const INSTALLED: &[&str] = overnight_base::words!("preinstall install postinstall prepare");

/// Something that runs by a name.
#[derive(Default)]
struct Part {
    names: Vec<String>,
    /// All that it says of others: what it needs, what it runs.
    text: String,
    /// Do functions of its tool say what it needs?
    computed: bool,
    lines: Vec<String>,
}

impl Part {
    fn is(&self, name: &str) -> bool {
        // `build:`, of `build:*`, is all that begins so.
        let around = |own: &String| {
            name.ends_with(':') && own.starts_with(name)
                || own == name
                || matches!(own.strip_prefix("pre").or(own.strip_prefix("post")), Some(of) if of == name)
        };
        self.names.iter().any(around)
    }

    /// Does its name say nothing before it is asked for?
    fn is_open(&self) -> bool {
        self.names.iter().any(|name| name.contains(['%', '$', '*']))
    }
}

/// The lines of what is asked for and of all that this names; of everything, where nothing is by these names and
/// something must be, or where what one of them needs is computed.
fn reached(parts: Vec<Part>, asked: &[String], must: bool) -> impl Iterator<Item = String> {
    let wanted = |part: &Part| asked.iter().any(|name| part.is(name));
    let mut found: BTreeSet<usize> = (0..parts.len()).filter(|&at| wanted(&parts[at])).collect();
    let mut new: Vec<usize> = found.iter().copied().collect();
    let mut every = must && new.is_empty();
    while let Some(at) = new.pop() {
        every |= parts[at].computed;
        let parted = |c: char| !(c.is_alphanumeric() || "_-.:/".contains(c));
        for word in parts[at].text.split(parted) {
            let more = (0..parts.len()).filter(|&other| parts[other].is(word));
            new.extend(more.filter(|&other| found.insert(other)));
        }
    }
    let parts = parts.into_iter().enumerate();
    parts
        .filter(move |(at, part)| every || found.contains(at) || part.is_open())
        .flat_map(|(_, part)| part.lines)
}

/// The recipes of a makefile, with its variables and the home folder.
pub(in crate::effects) fn recipes(machine: &mut Machine<'_>, text: &str) {
    let mut variables = vec![("HOME".to_owned(), machine.context.home.to_owned())];
    let mut parts = vec![Part {
        names: vec!["*".to_owned()],
        ..Part::default()
    }];
    let text = included(machine, text).replace("\\\n", " ");
    let (text, defined) = definitions(&text);
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let latest = variables.iter().rev();
        let line = latest.fold(line.to_owned(), |line, variable| filled(&line, variable));
        let line = called(&line, &defined).replace("$$", "$");
        let own = line
            .split_once(';')
            .filter(|(rule, _)| rule.contains(':') && !rule.contains('='));
        let recipe = own
            .map(|(_, recipe)| recipe)
            .or(line.starts_with([' ', '\t']).then_some(&line));
        let rule = own.map_or(line.as_str(), |(rule, _)| rule);
        let begins = own.is_some() || recipe.is_none() && !is_variable(&line);
        if let Some((names, needs)) = rule.split_once(':').filter(|_| begins) {
            parts.push(Part {
                names: names.split_whitespace().map(str::to_owned).collect(),
                text: needs.to_owned(),
                computed: needs.contains(['$', '{']),
                lines: Vec::new(),
            });
        }
        if let (Some(recipe), Some(part)) = (recipe, parts.last_mut()) {
            part.text.push_str(&line);
            let recipe = recipe.trim().trim_start_matches(['@', '-', '+']);
            part.lines.push(recipe.to_owned());
        } else if let Some((name, value)) = line
            .split_once('=')
            .filter(|_| variables.len() < VARIABLES_MAX)
        {
            // just asks the environment by a function.
            let home = value.contains("(\"HOME\"") || value.contains("('HOME'");
            let value = if home {
                machine.context.home
            } else {
                value.trim()
            };
            let name = name.trim_end_matches([':', '?', '+', ' ']);
            variables.push((name.to_owned(), value.to_owned()));
        }
        for (at, found) in line.match_indices("$(shell ") {
            let command = line[at + found.len()..].trim_end_matches(')');
            runs_text(machine, command, &Data::unknown());
        }
    }
    for recipe in reached(parts, &machine.asked.clone(), true) {
        runs_text(machine, &recipe, &Data::unknown());
    }
}

/// The text without its definitions, and those: `define name`, lines, `endef`.
fn definitions(text: &str) -> (String, Vec<(String, String)>) {
    let (mut rest, mut defined, mut open) = (String::new(), Vec::new(), None);
    for line in text.lines() {
        match (&mut open, line.trim().split_once(' ')) {
            (None, Some(("define", name))) => {
                let name = name.trim_end_matches([' ', '=', ':']);
                open = Some((name.to_owned(), String::new()));
            }
            (None, _) => rest.extend([line, "\n"]),
            (Some(_), _) if line.trim() == "endef" => defined.extend(open.take()),
            (Some((_, lines)), _) => {
                let line = line.trim().trim_start_matches(['@', '-', '+']);
                lines.extend([line, "; "]);
            }
        }
    }
    (rest, defined)
}

/// A line with what `$(call name,a,b)` stands for.
fn called(line: &str, defined: &[(String, String)]) -> String {
    let mut line = line.to_owned();
    for (name, lines) in defined {
        if let Some((before, rest)) = line.split_once(&format!("$(call {name},"))
            && let Some((given, after)) = rest.rsplit_once(')')
        {
            let given = given.split(',').enumerate();
            let filled = given.fold(lines.clone(), |lines, (at, value)| {
                lines.replace(&format!("$({})", at + 1), value)
            });
            line = format!("{before}{filled}{after}");
        }
    }
    line
}

/// The text with the files that it includes: of what the run began with their variables.
fn included(machine: &Machine<'_>, text: &str) -> String {
    let mut whole = String::new();
    for line in text.lines() {
        whole.push_str(line);
        whole.push('\n');
        let files = line.trim_start_matches(['-', 's']).strip_prefix("include ");
        for file in files
            .into_iter()
            .flat_map(str::split_whitespace)
            .take(INCLUDED_MAX)
        {
            let path = machine.resolve(file, false);
            if let Some(text) = written_text(machine, &path) {
                whole.push_str(&text);
            } else if let Some(text) = machine.context.facts.text(&path) {
                whole.extend(
                    text.lines()
                        .filter(|line| is_variable(line))
                        .flat_map(|line| [line, "\n"]),
                );
            }
            whole.push('\n');
        }
    }
    whole
}

/// The line with a variable filled in, as make and just write it.
fn filled(line: &str, (name, value): &(String, String)) -> String {
    line.replace(&format!("$({name})"), value)
        .replace(&format!("${{{name}}}"), value)
        .replace(&format!("{{{{{name}}}}}"), value)
}

/// `NAME = value`, `NAME := value`; not `target: NAME = value`.
fn is_variable(line: &str) -> bool {
    line.split_once('=').is_some_and(|(name, _)| {
        let name = name.trim_end_matches([':', '?', '+', '!', ' ']);
        !name.trim().contains([':', ' '])
    })
}

/// The scripts of a manifest, each of which may start another.
pub(super) fn scripts(machine: &mut Machine<'_>, text: &str) {
    // What was added to one, as far as that is known.
    let Ok(manifest) = serde_json::from_str::<Value>(text) else {
        return shell(machine, text);
    };
    let scripts = manifest.get("scripts").and_then(Value::as_object);
    let part = |(name, value): (&String, &Value)| {
        let lines = texts(value).into_iter().map(str::to_owned);
        let lines: Vec<String> = lines.collect();
        Part {
            names: vec![name.clone()],
            text: lines.join(" "),
            lines,
            ..Part::default()
        }
    };
    let parts: Vec<Part> = scripts.into_iter().flatten().map(part).collect();
    let mut asked = machine.asked.clone();
    let installs = asked
        .iter()
        .any(|word| matches!(word.as_str(), "install" | "i" | "ci" | "add"));
    if installs {
        asked.extend(INSTALLED.iter().map(|name| (*name).to_owned()));
        // Composer's are named for what they come before or after.
        let names = parts.iter().flat_map(|part| part.names.clone());
        asked.extend(names.filter(|name| name.starts_with("pre-") || name.starts_with("post-")));
    }
    for script in reached(parts, &asked, !installs) {
        // Composer calls methods of classes.
        if let Some((class, _)) = script.split_once("::") {
            let file = format!("{}.php", class.rsplit('\\').next().unwrap_or(class));
            let wanted = |path: &str| crate::place::last(path) == file;
            for path in machine
                .context
                .facts
                .fresh_below(&machine.resolve(".", false), &wanted)
            {
                runs_written(machine, &path, Some("php"));
            }
            continue;
        }
        // Composer's word for its own PHP.
        machine.child_script(script.trim_start_matches('@'), &Data::unknown());
    }
}
