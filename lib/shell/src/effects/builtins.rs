//! Builtins of the shell that change its own state.

use super::{Row, effect, options, unknown};
use crate::context::Entry;
use crate::data::Data;
use crate::machine::{Call, Machine, Value};
use crate::place::PathClass;
use crate::{mark, policy};
use std::rc::Rc;

pub(super) const ROWS: &[Row] = &[
    ("cd pushd", change_folder),
    ("popd", leave_folder),
    ("export declare typeset local readonly", declare),
    ("unset", unset),
    ("read mapfile readarray getopts", read),
    ("set", set),
    ("shift", shift),
    ("let", evaluate),
    ("test [", test),
    ("alias", alias),
    ("trap", trap),
    ("hash", hash),
    ("enable", enable),
    ("complete compgen bind", complete),
    ("history fc", history),
    (
        "ulimit umask jobs wait times type unalias shopt disown fg bg dirs return exit break \
         continue : true false logout suspend help caller compopt",
        nothing,
    ),
];

fn nothing(_: &mut Machine<'_>, call: &Call) -> Data {
    if call.name == "type" {
        Data::unknown()
    } else {
        Data::empty()
    }
}

fn change_folder(machine: &mut Machine<'_>, call: &Call) -> Data {
    let target = call
        .args()
        .iter()
        .find(|arg| !arg.starts_with('-') || arg.as_str() == "-");
    let folder = match target.map(String::as_str) {
        None if call.name == "pushd" => mark::ANY.to_string(),
        None => match machine.state.get(machine.context, "HOME") {
            Value::Text(home) => home,
            _ => mark::ANY.to_string(),
        },
        Some("-") => match machine.state.get(machine.context, "OLDPWD") {
            Value::Text(folder) => folder,
            _ => mark::ANY.to_string(),
        },
        Some("") => machine.state.cwd.to_string(),
        Some(folder) => machine.resolve(folder, false),
    };
    let there = !mark::unknown(&folder) && machine.context.facts.entry(&folder) == Entry::Folder;
    // `cd ""` stays where it is; a value that nobody knows may lead anywhere.
    machine.state.go(&folder, there);
    Data::empty()
}

fn leave_folder(machine: &mut Machine<'_>, _: &Call) -> Data {
    let old = match machine.state.get(machine.context, "OLDPWD") {
        Value::Text(folder) => folder,
        _ => mark::ANY.to_string(),
    };
    machine.state.go(&old, false);
    Data::empty()
}

fn declare(machine: &mut Machine<'_>, call: &Call) -> Data {
    let prints = call.args().is_empty()
        || (call
            .args()
            .iter()
            .all(|arg| matches!(arg.as_str(), "-p" | "-x" | "-px" | "-xp")));
    if prints && call.name != "local" {
        return super::environment(machine, &call.name);
    }
    if options::parse(call.args(), "", "", true).has("n", "") {
        // A reference to another variable, which may change its value later.
        for name in call.args().iter().filter_map(|arg| arg.split('=').next()) {
            machine.state.set(name, Value::Text(mark::ANY.to_string()));
        }
        return Data::empty();
    }
    for arg in call.args().iter().filter(|arg| !arg.starts_with('-')) {
        machine.evaluated(arg.split('=').next().unwrap_or(""));
        if let Some((name, value)) = arg.split_once('=') {
            if options::parse(call.args(), "", "", true).has("i", "") {
                machine.evaluated(value);
            }
            if value != "()" {
                let append = name.ends_with('+');
                machine.set_variable(name.trim_end_matches('+'), value.to_owned(), append);
            }
        } else if call.name == "export" {
            let value = machine.state.get(machine.context, arg);
            if let Value::Text(value) = value
                && machine.state.vars.contains_key(arg.as_str())
            {
                super::environment_change(machine, arg, &value);
            }
        }
    }
    Data::empty()
}

fn unset(machine: &mut Machine<'_>, call: &Call) -> Data {
    for arg in call.args().iter().filter(|arg| !arg.starts_with('-')) {
        machine.evaluated(arg);
        machine.state.set(arg, Value::Unset);
    }
    Data::empty()
}

/// Bytes of known text that become an array's elements; of longer text the value is unknown.
const ARRAY_BYTES_MAX: usize = 4096;

/// Variables take what stands on the input: known only when it is one line for one name, or goes
/// into an array.
fn read(machine: &mut Machine<'_>, call: &Call) -> Data {
    let lines = call.name != "read";
    let letters = if lines { "dnOsucC" } else { "adinNptu" };
    let options = options::parse(call.args(), letters, "", false);
    if let (Some(callback), true) = (options.value("C", ""), lines) {
        super::runs_text(machine, callback, &Data::empty());
    }
    let names: Vec<&str> = options
        .operands
        .iter()
        .copied()
        .chain(options.value("a", ""))
        .collect();
    let text = call.stdin.text.clone();
    let array = if lines {
        options.operands.first().copied()
    } else {
        options.value("a", "")
    };
    if let (Some(name), Some(text)) = (array, text.as_deref())
        && !mark::unknown(text)
        && text.len() < ARRAY_BYTES_MAX
    {
        let values: Vec<String> = if lines {
            text.lines().map(str::to_owned).collect()
        } else {
            let separators = match machine.state.get(machine.context, "IFS") {
                Value::Text(text) if !mark::unknown(&text) => text,
                _ => " \t\n".to_owned(),
            };
            text.lines()
                .next()
                .unwrap_or("")
                .split(|c| separators.contains(c))
                .filter(|field| !field.is_empty())
                .map(str::to_owned)
                .collect()
        };
        machine.state.set(name, Value::List(values));
        return Data::empty();
    }
    let one_line = text
        .as_deref()
        .filter(|text| text.trim_end().lines().count() <= 1 && !text.is_empty());
    for name in &names {
        machine.evaluated(name);
        let value = match one_line {
            Some(text) if names.len() == 1 => text.trim().to_owned(),
            _ if call.stdin.secret => mark::SECRET.to_string(),
            _ if call.stdin.network => mark::NETWORK.to_string(),
            _ => mark::ANY.to_string(),
        };
        machine.state.set(name, Value::Text(value));
    }
    if names.is_empty() {
        machine
            .state
            .set("REPLY", Value::Text(mark::ANY.to_string()));
    }
    Data::empty()
}

fn set(machine: &mut Machine<'_>, call: &Call) -> Data {
    let args = call.args();
    if args.is_empty() {
        return super::environment(machine, "set");
    }
    let values = match args.iter().position(|arg| arg == "--") {
        Some(at) => args[at + 1..].to_vec(),
        None if !args[0].starts_with(['-', '+']) => args.to_vec(),
        None => return Data::empty(),
    };
    machine.state.arguments = Rc::new(values);
    Data::empty()
}

fn shift(machine: &mut Machine<'_>, call: &Call) -> Data {
    let count = call
        .args()
        .first()
        .map_or(Some(1), |count| count.parse::<usize>().ok());
    let arguments = machine.state.arguments.clone();
    machine.state.arguments = Rc::new(match count {
        Some(count) => arguments.get(count..).unwrap_or(&arguments).to_vec(),
        None => vec![mark::ANY.to_string()],
    });
    Data::empty()
}

fn evaluate(machine: &mut Machine<'_>, call: &Call) -> Data {
    for arg in call.args() {
        machine.evaluated(arg);
        if let Some((name, _)) = arg.split_once('=') {
            machine
                .state
                .set(name, Value::Text(mark::SEGMENT.to_string()));
        }
    }
    Data::empty()
}

fn test(machine: &mut Machine<'_>, call: &Call) -> Data {
    for arg in call.args() {
        machine.evaluated(arg);
    }
    Data::empty()
}

fn alias(machine: &mut Machine<'_>, call: &Call) -> Data {
    for arg in call.args() {
        let Some((name, text)) = arg.split_once('=') else {
            continue;
        };
        let (name, text) = (name.to_owned(), text.to_owned());
        if super::guard::is_own(&name) {
            effect(machine, &policy::SIDESTEP, &name);
        }
        // An alias is used later, in other commands: judged now.
        super::runs_text(machine, &text, &Data::unknown());
        machine.aliases.insert(name, text);
    }
    Data::empty()
}

fn trap(machine: &mut Machine<'_>, call: &Call) -> Data {
    let mut args = call.args().iter().filter(|arg| arg.as_str() != "--");
    let Some(text) = args.next() else {
        return Data::unknown();
    };
    if args.next().is_none() || matches!(text.as_str(), "-" | "" | "-p" | "-l") {
        return Data::empty();
    }
    let text = text.clone();
    // It runs at the end, when variables that are not set yet have their values.
    machine.traps.push(text);
    Data::empty()
}

fn hash(machine: &mut Machine<'_>, call: &Call) -> Data {
    if options::parse(call.args(), "p", "", false).has("p", "") {
        effect(machine, &policy::SIDESTEP, "hash -p");
    }
    Data::empty()
}

fn enable(machine: &mut Machine<'_>, call: &Call) -> Data {
    if options::parse(call.args(), "f", "", false).has("f", "") {
        effect(machine, &policy::SIDESTEP, "enable -f");
    }
    Data::empty()
}

fn complete(machine: &mut Machine<'_>, call: &Call) -> Data {
    let options = options::parse(call.args(), "oAGWPSXFCxmqru", "", false);
    if let Some(text) = options.value("C", "").or_else(|| options.value("x", "")) {
        let text = text.to_owned();
        let verdict = machine.probe(|machine| {
            machine.child_script(&text, &Data::empty());
        });
        if verdict.decision > crate::Decision::Allow {
            effect(machine, &policy::INLINE_CODE, &text);
        }
    }
    if let Some(text) = options.value("W", "") {
        let text = text.to_owned();
        machine.evaluated(&text);
    }
    if call.name == "compgen" {
        Data::unknown()
    } else {
        Data::empty()
    }
}

fn history(machine: &mut Machine<'_>, call: &Call) -> Data {
    let options = options::parse(call.args(), "danrwps", "", false);
    if call.name == "history" && options.gives("c d w") {
        effect(machine, &policy::SIDESTEP, "history");
    }
    if call.name == "fc" && !options.has("l", "") {
        effect(machine, &policy::COMPUTED, "fc");
    }
    Data::unknown()
}

/// `.` and `source`.
pub(super) fn source(machine: &mut Machine<'_>, call: &Call) -> Data {
    let Some(path) = call.args().iter().find(|arg| arg.as_str() != "--") else {
        // bash does nothing, fish runs its input.
        let text = call.stdin.text.as_deref();
        let given = call.stdin.network || text.is_some_and(|text| !text.is_empty());
        return if given {
            super::runs_data(machine, &call.stdin)
        } else {
            Data::empty()
        };
    };
    let path = path.clone();
    let data = super::shells::script_data(machine, &path, &call.stdin);
    if let Some(data) = data {
        match (&data.text, data.network) {
            (Some(text), false) if !mark::unknown(text) => {
                let text = text.clone();
                machine.script(&text, &Data::empty())
            }
            _ => super::runs_data(machine, &data),
        }
    } else {
        if super::place_of(machine, &path) == PathClass::Unknown {
            effect(machine, &policy::COMPUTED, &path);
        } else {
            unknown::script_place(machine, &path);
            super::runs_written(machine, &path, Some("sh"));
        }
        Data::unknown()
    }
}
