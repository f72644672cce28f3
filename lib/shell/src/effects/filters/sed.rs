//! sed: commands of a script that do more than edit.

use crate::data::Data;
use crate::effects::{How, effect, options, reads, runs_text, writes};
use crate::machine::{Call, Machine};
use crate::policy;

pub(super) fn sed(machine: &mut Machine<'_>, call: &Call) -> Data {
    let args = call.args();
    let options = options::parse(args, "efl", "expression file line-length", false);
    let in_place = args.iter().any(|arg| {
        arg == "-i"
            || arg.starts_with("-i") && !arg.starts_with("--")
            || arg.starts_with("--in-place")
            || (arg.starts_with('-')
                && !arg.starts_with("--")
                && arg.ends_with('i')
                && arg.len() <= 4)
    });
    let mut operands = options.operands.clone();
    let mut scripts: Vec<String> = options
        .values("e expression")
        .iter()
        .map(|script| (*script).to_owned())
        .collect();
    for file in options.values("f file") {
        let text = reads(machine, file).text.map(|text| text.to_string());
        let path = machine.resolve(file, false);
        let facts = machine.context.facts;
        let written = || {
            facts
                .text(&path)
                .filter(|_| facts.vouched(&path) != Some(true))
        };
        scripts.extend(text.or_else(written));
    }
    if scripts.is_empty() && !options.has("f", "file") && !operands.is_empty() {
        scripts.push(operands.remove(0).to_owned());
    }
    operands.retain(|operand| !operand.is_empty());
    let deletes_all = scripts.iter().any(|script| empties(script));
    let added = script(machine, &scripts.join("\n"));
    let mut data = call.stdin.derived();
    for operand in operands {
        if in_place {
            let how = if deletes_all { How::Empty } else { How::Append };
            writes(machine, operand, how);
            // As a line and as one of a recipe, for what runs the file afterwards.
            let path = machine.resolve(operand, false);
            let lines: Vec<_> = added
                .iter()
                .map(|text| {
                    format!(
                        "{text}
	{text}
"
                    )
                })
                .collect();
            if !lines.is_empty() {
                machine.added.insert(path, lines.concat().into());
            }
        } else {
            data = data.derived().then(reads(machine, operand)).derived();
        }
    }
    data
}

/// Does the script leave nothing of a file?
fn empties(script: &str) -> bool {
    matches!(
        script.trim(),
        "d" | "1,$d"
            | "/./d"
            | "/.*/d"
            | "Q"
            | "q"
            | "1d;q"
            | "c\\"
            | "1,$ d"
            | "0,$d"
            | "s/.*//"
            | "$!d"
            | "D"
            | "//!d"
    )
}

/// Judges each command: `e` runs, `w` writes, `r` reads, and so do the flags of `s`. Gives the texts that it adds.
fn script(machine: &mut Machine<'_>, text: &str) -> Vec<String> {
    let mut rest = text;
    let mut added = Vec::new();
    loop {
        rest = rest.trim_start_matches([' ', '\t', '\n', ';', '{', '}']);
        rest = without_address(rest);
        let Some(verb) = rest.chars().next() else {
            return added;
        };
        rest = &rest[verb.len_utf8()..];
        rest = match verb {
            '{' | '}' => rest,
            's' => {
                let (with, after) = substitution(machine, rest);
                added.push(with.replace("\\n", "\n"));
                after
            }
            'y' => behind(behind_border(rest).2, border(rest)).1,
            'e' => {
                let (command, after) = line(rest);
                if command.is_empty() {
                    effect(machine, &policy::OPAQUE_CODE, "sed e");
                } else {
                    runs_text(machine, command, &Data::unknown());
                }
                after
            }
            'w' | 'W' => {
                let (file, after) = line(rest);
                writes(machine, file, How::Write);
                after
            }
            'r' | 'R' => {
                let (file, after) = line(rest);
                reads(machine, file);
                after
            }
            'a' | 'i' | 'c' | '#' => {
                let after = texts(rest);
                if verb != '#' {
                    let text = &rest[..rest.len() - after.len()];
                    added.push(text.trim_start_matches(['\\', '\n', ' ']).to_owned());
                }
                after
            }
            _ => rest
                .split_once([';', '\n', '}'])
                .map_or("", |(_, after)| after),
        };
    }
}

/// The text behind an address: numbers, `$`, patterns, ranges and `!`.
fn without_address(text: &str) -> &str {
    let mut rest = text;
    loop {
        let trimmed = rest.trim_start_matches(|c: char| {
            c.is_ascii_digit() || matches!(c, '$' | ',' | '!' | ' ' | '\t' | '+' | '~')
        });
        rest = match trimmed.chars().next() {
            Some('/') => behind(&trimmed[1..], Some('/')).1,
            Some('\\') => behind_border(&trimmed[1..]).2,
            _ => return trimmed,
        };
        // Flags of a pattern.
        rest = rest.trim_start_matches(['I', 'M']);
    }
}

/// What ends a part of `s` and `y`: the first character.
fn border(text: &str) -> Option<char> {
    text.chars().next()
}

/// The border, the part up to the next one, and what follows.
fn behind_border(text: &str) -> (Option<char>, &str, &str) {
    let Some(first) = border(text) else {
        return (None, "", "");
    };
    let (part, after) = behind(&text[first.len_utf8()..], Some(first));
    (Some(first), part, after)
}

/// A part up to an end that no backslash protects, and what follows it.
fn behind(text: &str, end: Option<char>) -> (&str, &str) {
    let mut escaped = false;
    for (at, c) in text.char_indices() {
        if escaped {
            escaped = false;
        } else if c == '\\' {
            escaped = true;
        } else if Some(c) == end {
            return (&text[..at], &text[at + c.len_utf8()..]);
        }
    }
    (text, "")
}

/// The rest of a line, without blanks around it.
fn line(text: &str) -> (&str, &str) {
    let (line, after) = text.split_once('\n').unwrap_or((text, ""));
    (line.trim(), after)
}

/// What follows lines of text, each but the last ended by a backslash.
fn texts(text: &str) -> &str {
    let mut rest = text;
    loop {
        let Some((line, after)) = rest.split_once('\n') else {
            return "";
        };
        rest = after;
        if !line.ends_with('\\') {
            return rest;
        }
    }
}

/// `s/…/…/e` runs what it makes, `s/…/…/w file` writes.
fn substitution<'a>(machine: &mut Machine<'_>, text: &'a str) -> (&'a str, &'a str) {
    let (end, _, rest) = behind_border(text);
    let (with, rest) = behind(rest, end);
    let flags = rest
        .find(|c: char| {
            !(c.is_ascii_digit() || matches!(c, 'g' | 'p' | 'i' | 'I' | 'm' | 'M' | 'e'))
        })
        .unwrap_or(rest.len());
    let (flags, after) = rest.split_at(flags);
    if flags.contains('e') {
        runs_text(machine, with, &Data::unknown());
        effect(machine, &policy::OPAQUE_CODE, "sed s///e");
    }
    let Some(file) = after.strip_prefix('w') else {
        return (with, after);
    };
    let (file, after) = line(file);
    writes(machine, file, How::Write);
    (with, after)
}
