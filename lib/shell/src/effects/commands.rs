//! Command lines in the options of programs: what a program runs beside its own work.

use super::{code, effect, options, runs_text, runs_written, unknown, wrappers};
use crate::data::Data;
use crate::machine::{Call, Machine};
use crate::names::one_of;
use crate::table::rows;
use crate::verdict::Decision;
use crate::{mark, policy};

/// Programs with options whose value is a shell command.
const SHELL_OPTIONS: &[[&str; 2]] = rows!("../../tables/shells.txt");
/// Programs that take a command of their own language, in which these words run a shell.
const OWN_LANGUAGE: &[(&str, &str, &[&str])] = &[
    (
        "gdb",
        "-ex -iex --ex --eval-command -eval-command --init-eval-command",
        &["shell ", "!", "pipe ", "python ", "make ", "|"],
    ),
    (
        "lldb",
        "-o -O -S -s --one-line --one-line-before-file",
        &["platform shell ", "shell ", "script ", "!"],
    ),
    ("expect", "-c", &["spawn ", "exec ", "system "]),
    (
        "fzf",
        "--bind",
        overnight_base::words!("execute( execute-silent( become( reload( preview("),
    ),
    ("r2 rizin", "-c", &["!", "#!"]),
    ("mutt", "-e", &["source ", "shell-escape"]),
    ("less", "+", &["!", "|"]),
];

/// Judges what the program runs by way of its options.
pub(super) fn in_options(machine: &mut Machine<'_>, call: &Call) {
    for [_, options] in SHELL_OPTIONS.iter().filter(|[names, _]| call.is(names)) {
        for text in values(call.args(), options) {
            runs_text(machine, &text, &Data::unknown());
        }
    }
    let name = call.name.trim_start_matches("rust-");
    for (_, options, words) in OWN_LANGUAGE.iter().filter(|row| one_of(name, row.0)) {
        for text in values(call.args(), options) {
            in_own_language(machine, &text, words);
        }
    }
    let operand = |arg: &&String| !arg.starts_with('-');
    match call.name.as_str() {
        "bind" => {
            for text in values(call.args(), "-x") {
                let command = text.split_once(':').map_or("", |(_, command)| command);
                runs_text(machine, command.trim_matches(['"', '\'']), &Data::empty());
            }
        }
        "entr" if call.args().iter().any(|arg| short_cluster(arg, 's')) => {
            if let Some(text) = call.args().iter().find(operand) {
                runs_text(machine, text, &Data::unknown());
            }
        }
        "dc" | "m4" => calculators(machine, call),
        // Files of commands.
        "gdb" | "lldb" | "cgdb" => {
            for file in values(call.args(), "-x --command -s --source -ix") {
                if file.contains(['/', '.']) {
                    unknown::script_place(machine, &file);
                    runs_written(machine, &file, Some("data"));
                }
            }
        }
        "run-parts" => {
            for folder in call.args().iter().filter(operand) {
                unknown::script_place(machine, folder);
            }
        }
        "capsh" => {
            let changes = ["--uid", "--gid", "--user"];
            let changes = |arg: &String| changes.iter().any(|name| arg.starts_with(name));
            if call.args().iter().any(changes) {
                effect(machine, &policy::PRIVILEGE, "capsh");
            }
            if let Some(rest) = options::behind(call.args(), "--") {
                let bash = ["bash".to_owned()];
                machine.run_words(&[&bash, rest].concat(), &call.stdin);
            }
        }
        _ => {}
    }
}

/// `dc` runs what stands behind `!`, `m4` what its `syscmd` is given.
fn calculators(machine: &mut Machine<'_>, call: &Call) {
    let mut texts = values(call.args(), "-e --expression -D");
    texts.extend(call.stdin.text.iter().map(ToString::to_string));
    for text in &texts {
        let command = match call.name.as_str() {
            "dc" => text.split_once('!').map(|(_, command)| command),
            _ => text
                .split_once("syscmd(")
                .map(|(_, command)| command.trim_matches(['`', '\'', '(', ')', '\n'])),
        };
        let comparison = command.is_some_and(|command| command.starts_with(['<', '>', '=']));
        if let Some(command) = command.filter(|_| !comparison) {
            runs_text(machine, command, &Data::unknown());
            effect(machine, &policy::INLINE_CODE, &call.name);
        }
    }
}

fn in_own_language(machine: &mut Machine<'_>, text: &str, words: &[&str]) {
    let text = text.trim_start();
    for word in words {
        let command = if word.ends_with('(') {
            text.split_once(word)
                .map(|(_, rest)| rest.trim_end_matches([')', '\'', '"']))
        } else {
            text.strip_prefix(word)
        };
        let Some(command) = command else { continue };
        match word.trim_end() {
            "python" | "script" => code::judge(machine, command, "python"),
            "pipe" | "|" => {
                let after = command.split_once('|').map_or(command, |(_, after)| after);
                runs_text(machine, after, &Data::unknown());
            }
            _ => {
                runs_text(machine, command, &Data::unknown());
            }
        }
    }
}

fn short_cluster(arg: &str, letter: char) -> bool {
    arg.starts_with('-') && !arg.starts_with("--") && arg.contains(letter)
}

/// The values of these options, attached by `=` or in the next argument.
pub(super) fn values(args: &[String], options: &str) -> Vec<String> {
    args.iter()
        .enumerate()
        .filter_map(|(at, arg)| {
            if one_of(arg, options) {
                return args.get(at + 1).cloned();
            }
            let attached = options
                .split(' ')
                .filter(|option| option.len() == 2 && option.starts_with('-'))
                .find_map(|option| arg.strip_prefix(option));
            let behind = || {
                let (name, value) = arg.split_once(['=', ':'])?;
                one_of(name, options).then_some(value)
            };
            attached.or_else(behind).map(str::to_owned)
        })
        .collect()
}

/// Words in the name of an option that say that its value is run.
const RUNNING: &[&str] = &[
    "exec", "execute", "command", "cmd", "run", "shell", "hook", "on", "pre", "post", "pager",
    "editor", "filter", "preview", "rsh", "callback", "eval", "script",
];

/// Programs that nobody knows: the value of an option that is named like a way to run something,
/// or of a usual letter for one, is judged as a command where it reads like one.
pub(super) fn of_unknown(machine: &mut Machine<'_>, call: &Call) {
    if unknown::TESTERS.contains(&call.name.as_str()) {
        return;
    }
    for (name, value) in options::pairs(call.args()) {
        let letter = matches!(name, "-c" | "-e" | "-x" | "-E" | "-X");
        let long = name
            .strip_prefix("--")
            .is_some_and(|name| name.split('-').any(|part| RUNNING.contains(&part)));
        if !(letter || long) || !value.contains([' ', '(']) || mark::unknown(value) {
            continue;
        }
        let verdict = machine.probe(|machine| {
            runs_text(machine, value, &Data::unknown());
        });
        if verdict.decision > Decision::Allow && verdict.rule != "unparsable" {
            machine.note(verdict);
        }
    }
    for text in values(call.args(), QUERIES) {
        let lower = text.trim_start().to_ascii_lowercase();
        let destroys = ["drop ", "truncate ", "delete from ", "alter "]
            .iter()
            .any(|word| lower.starts_with(word));
        if destroys {
            effect(machine, &policy::SQL, &text);
        }
    }
    wrappers::scan(machine, call);
}

/// Options of database clients that take statements.
const QUERIES: &str = "-e -c -q -Q --query --execute --sql --command --eval";
