//! `xargs` and `parallel`: arguments from the input.

use super::{Row, effect, options, runs_text};
use crate::data::Data;
use crate::machine::{Call, Machine};
use crate::{mark, policy};

/// Arguments taken from known input; more count as unknown.
const ITEMS_MAX: usize = 64;

pub(super) const ROWS: &[Row] = &[("xargs gxargs", xargs), ("parallel rush", parallel)];

/// What the input gives as arguments.
fn items(data: &Data, separator: Option<&str>) -> Vec<String> {
    let unknown = || {
        let mark = if data.network {
            mark::NETWORK
        } else if data.secret {
            mark::SECRET
        } else {
            mark::OUTPUT
        };
        vec![mark.to_string()]
    };
    let Some(text) = data.text.as_deref() else {
        return unknown();
    };
    let items: Vec<String> = match separator {
        Some(separator) => text
            .split(separator)
            .map(|item| item.trim_matches('\n').to_owned())
            .filter(|item| !item.is_empty())
            .collect(),
        None => text
            .split_whitespace()
            .map(|item| item.trim_matches(['\'', '"']).to_owned())
            .collect(),
    };
    if items.len() > ITEMS_MAX {
        unknown()
    } else {
        items
    }
}

const XARGS_LONG: &str =
    "arg-file delimiter replace max-lines max-args max-procs max-chars process-slot-var";

fn xargs(machine: &mut Machine<'_>, call: &Call) -> Data {
    let options = options::parse(call.args(), "adEILnPsJRS", XARGS_LONG, true);
    let words = options.rest.to_vec();
    let lower_i = options
        .given
        .iter()
        .find(|(name, _)| matches!(*name, "i"))
        .map(|_| "{}");
    let placeholder = options.value("IJ", "replace").or(lower_i);
    let lines = options.value("L", "max-lines").is_some();
    let separator = if options.has("0", "null") {
        Some("\0")
    } else if let Some(delimiter) = options.value("d", "delimiter") {
        Some(match delimiter {
            "\\n" => "\n",
            "\\0" => "\0",
            other => other,
        })
    } else {
        placeholder.map(|_| "\n")
    };
    let data = match options.value("a", "arg-file") {
        Some(file) => super::reads(machine, file),
        None => call.stdin.clone(),
    };
    // `find -print0` is modelled with newlines.
    let separator = match (separator, data.text.as_deref()) {
        (Some("\0"), Some(text)) if !text.contains('\0') => Some("\n"),
        (separator, _) => separator,
    };
    if data.endless && !words.is_empty() {
        super::exhausts(machine, "xargs of input without end");
    }
    let items = items(&data, separator);
    if words.is_empty() {
        return data;
    }
    if let Some(placeholder) = placeholder {
        let mut output = Data::empty();
        for item in &items {
            let words: Vec<String> = words
                .iter()
                .map(|word| word.replace(placeholder, item))
                .collect();
            output = output.then(machine.run_words(&words, &Data::empty()));
        }
        return output;
    }
    let mut all = words.clone();
    all.extend(items.iter().cloned());
    if lines && shell_text(&words) {
        effect(machine, &policy::INLINE_CODE, "xargs sh -c");
    }
    machine.run_words(&all, &Data::empty())
}

fn shell_text(words: &[String]) -> bool {
    words.last().is_some_and(|word| word == "-c")
}

fn parallel(machine: &mut Machine<'_>, call: &Call) -> Data {
    let long = "jobs arg-file delay timeout joblog results colsep sshlogin tmpdir load retries max-args workdir";
    let options = options::parse(call.args(), "jaSnNLIdX", long, true);
    if options.has("S", "sshlogin") {
        effect(machine, &policy::REMOTE_HOST, "parallel -S");
    }
    let words = options.rest;
    let at = words
        .iter()
        .position(|word| word.starts_with(":::"))
        .unwrap_or(words.len());
    let template = words[..at].join(" ");
    let given: Vec<String> = words
        .get(at + 1..)
        .unwrap_or(&[])
        .iter()
        .filter(|word| !word.starts_with(":::"))
        .cloned()
        .collect();
    let items = if at < words.len() {
        given
    } else {
        items(&call.stdin, Some("\n"))
    };
    if template.is_empty() {
        // The input's lines are the commands.
        for item in &items {
            runs_text(machine, item, &Data::empty());
        }
        return Data::unknown();
    }
    for item in items.iter().take(ITEMS_MAX) {
        let text = if template.contains('{') {
            template
                .replace("{}", item)
                .replace("{.}", item)
                .replace("{/}", item)
        } else {
            format!("{template} {item}")
        };
        if mark::arbitrary(item) || item.contains(mark::STAR) {
            let words: Vec<String> = text.split_whitespace().map(str::to_owned).collect();
            machine.run_words(&words, &Data::empty());
        } else {
            runs_text(machine, &text, &Data::empty());
        }
    }
    Data::unknown()
}
