//! Terminal multiplexers and editors: what they are told to type or run.

use crate::guard::data::Data;
use crate::guard::effects::{How, code, effect, options, runs_text, wrappers, writes};
use crate::guard::machine::{Call, Machine};
use crate::guard::policy;

/// Keys that are no text.
const KEYS: &[&str] = &[
    "Enter", "C-m", "C-c", "C-d", "Escape", "Space", "Tab", "BSpace", "q", "Up", "Down",
];

pub(super) fn terminals(machine: &mut Machine<'_>, call: &Call) -> Data {
    let args = call.args();
    let verb = args
        .iter()
        .find(|arg| !arg.starts_with('-'))
        .map_or("", String::as_str);
    match verb {
        "kill-server"
        | "kill-session"
        | "kill-window"
        | "kill-pane"
        | "kill-all-sessions"
        | "delete-all-sessions" => {
            let rule = if verb == "kill-server" || verb.contains("all") {
                &policy::SYSTEM_STATE
            } else {
                &policy::PROCESSES
            };
            effect(machine, rule, verb);
        }
        "new-session" | "new" | "new-window" | "neww" | "split-window" | "splitw"
        | "respawn-pane" | "respawn-window" | "run-shell" | "run" | "if-shell" | "pipe-pane"
        | "popup" | "display-popup" => {
            let words = options::words(
                args,
                &[
                    "-s", "-t", "-n", "-c", "-x", "-y", "-e", "-F", "-f", "-L", "-S", "-l",
                ],
            );
            let text = words.get(1..).unwrap_or_default().join(" ");
            runs_text(machine, &text, &Data::empty());
        }
        "send-keys" | "send" => {
            let words = options::words(args, &["-t", "-N"]);
            let text: Vec<&str> = words
                .iter()
                .skip(1)
                .copied()
                .filter(|word| !KEYS.contains(word))
                .collect();
            runs_text(machine, &text.join(" "), &Data::empty());
        }
        _ if call.name == "screen" => screen(machine, call),
        _ => {}
    }
    Data::unknown()
}

/// `:w file` and its kin.
fn saves(machine: &mut Machine<'_>, script: &str) {
    let (verb, file) = script.split_once(' ').unwrap_or((script, ""));
    let saves = matches!(
        verb.trim_start_matches(['%', '1', ',', '$'])
            .trim_end_matches('!'),
        "w" | "wq" | "write" | "saveas" | "sav" | "x" | "up"
    );
    if saves && !file.trim().is_empty() {
        writes(machine, file.trim(), How::Write);
    }
}

/// Editors run commands that are given on the command line or come over their input.
pub(super) fn editor(machine: &mut Machine<'_>, call: &Call) -> Data {
    let args = call.args();
    for (index, arg) in args.iter().enumerate() {
        let command = match arg.as_str() {
            "-c" | "--cmd" | "--eval" | "-eval" | "-execute" | "--execute" => {
                args.get(index + 1).map(String::as_str)
            }
            arg => arg.strip_prefix('+'),
        };
        let Some(command) = command else { continue };
        if let Some(text) = command
            .trim_start_matches(':')
            .strip_prefix('!')
            .or_else(|| {
                command
                    .split_once('!')
                    .filter(|(before, _)| !before.contains(' '))
                    .map(|(_, text)| text)
            })
        {
            let text = text.to_owned();
            if !text.is_empty() {
                runs_text(machine, &text, &Data::unknown());
            }
        }
        let script = command.trim_start_matches(':');
        saves(machine, script);
        for language in ["lua ", "python ", "python3 ", "py3 ", "perl ", "ruby "] {
            if let Some(code) = script.strip_prefix(language) {
                code::judge(machine, code, language.trim_end());
            }
        }
        if [
            "system(",
            "delete(",
            "shell-command",
            "delete-file",
            "delete-directory",
            "call-process",
        ]
        .iter()
        .any(|word| command.contains(word))
        {
            code::judge(machine, command, "elisp");
            effect(machine, &policy::INLINE_CODE, &call.name);
        }
    }
    line_editor(machine, call);
    for path in options::words(args, &["-c", "--cmd", "--eval"]) {
        if !path.starts_with('+') {
            writes(machine, path, How::Append);
        }
    }
    Data::unknown()
}

/// Commands on the input of `ed`.
fn line_editor(machine: &mut Machine<'_>, call: &Call) {
    if matches!(call.name.as_str(), "ed" | "ex")
        && let Some(text) = call.stdin.text.clone()
    {
        for line in text.lines() {
            if let Some(command) = line
                .trim_start_matches(|c: char| c.is_ascii_digit() || c == ',' || c == '%')
                .strip_prefix('!')
            {
                runs_text(machine, command, &Data::unknown());
            }
        }
    }
}

fn screen(machine: &mut Machine<'_>, call: &Call) {
    let args = call.args();
    if args
        .iter()
        .any(|arg| matches!(arg.as_str(), "quit" | "kill"))
    {
        effect(machine, &policy::SYSTEM_STATE, "screen");
    }
    if let Some(at) = args.iter().position(|arg| arg == "stuff") {
        let text = args[at + 1..].join(" ");
        runs_text(machine, &text, &Data::empty());
    } else {
        wrappers::scan(machine, call);
    }
}
