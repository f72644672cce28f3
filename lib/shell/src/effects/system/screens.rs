//! Terminal multiplexers and editors: what they are told to type or run.

use crate::data::Data;
use crate::effects::commands::values;
use crate::effects::{
    How, code, effect, options, reads, runs_text, runs_written, unknown, wrappers, writes,
};
use crate::machine::{Call, Machine};
use crate::names::holds;
use crate::policy;

/// Keys that are no text.
const KEYS: &[&str] = &[
    "Enter", "C-m", "C-c", "C-d", "Escape", "Space", "Tab", "BSpace", "q", "Up", "Down",
];

pub(super) fn terminals(machine: &mut Machine<'_>, call: &Call) -> Data {
    let all = call.args();
    // Options before the verb: which server, which configuration.
    let mut args = all;
    if call.name == "tmux" {
        while let Some(first) = args.first().filter(|first| first.starts_with('-')) {
            let skip = 1 + usize::from(matches!(first.as_str(), "-L" | "-S" | "-f" | "-c" | "-T"));
            if first == "-c"
                && let Some(text) = args.get(1)
            {
                runs_text(machine, text, &Data::empty());
            }
            args = args.get(skip..).unwrap_or(&[]);
        }
    }
    let verb = args
        .iter()
        .find(|arg| !arg.starts_with('-'))
        .map_or("", String::as_str);
    match verb {
        "run" | "r" | "action" | "edit" if call.name == "zellij" => wrappers::scan(machine, call),
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
            let words = options::words(args, "-s -t -n -c -x -y -e -F -f -L -S -l");
            let text = words.get(1..).unwrap_or_default().join(" ");
            runs_text(machine, &text, &Data::empty());
        }
        "send-keys" | "send" => {
            let words = options::words(args, "-t -N");
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
    let emacs = call.name.starts_with("emacs");
    let mut code = "-c --cmd --eval -eval -execute --execute -sc -esc -ec -nc -Nc".to_owned();
    let mut scripts = "--load --script -script -load".to_owned();
    if emacs {
        code.push_str(" -e");
    }
    if emacs || call.name == "nvim" {
        scripts.push_str(" -l");
    }
    if !call.is("ed ex red") {
        scripts.push_str(" -S -u");
    }
    let first = args.iter().filter_map(|arg| arg.strip_prefix('+'));
    let code_given = values(args, &code).into_iter();
    for command in code_given.chain(first.map(str::to_owned)) {
        editing(machine, call, &command);
    }
    for script in values(args, &scripts) {
        if script.contains(['/', '.']) && !script.starts_with('-') {
            unknown::script_place(machine, &script);
            runs_written(machine, &script, Some("data"));
        }
    }
    line_editor(machine, call);
    let paths = options::words(args, &format!("{code} {scripts}"));
    for path in paths.iter().filter(|path| !path.starts_with('+')) {
        if call.is("view rview") {
            reads(machine, path);
        } else {
            writes(machine, path, How::Append);
        }
    }
    Data::unknown()
}

/// Words before a command of the editor that change nothing of it.
const MODIFIERS: &[&str] = overnight_base::words!(
    "silent silent! sil sil! keepalt noautocmd exe exec execute normal norm autocmd au bufdo \
     argdo windo tabdo terminal term ter"
);

/// A command of the editor: what it runs, deletes and writes.
fn editing(machine: &mut Machine<'_>, call: &Call, command: &str) {
    let script = command.trim_start_matches([':', '%', ' ']);
    // `!command`, `w !command`, `silent !command`, `exe '!command'`: what stands behind the mark.
    if let Some((before, text)) = script.split_once('!') {
        let escapes = before.is_empty()
            || !before.contains(' ')
            || before.split([' ', '\'', '"', ',']).any(|word| {
                MODIFIERS.contains(&word)
                    || matches!(word, "w" | "r" | "read" | "write" | "%" | "g" | "")
            });
        let text = text
            .trim_start_matches('!')
            .trim_matches(['\'', '"', ' '])
            .to_owned();
        if escapes && !text.is_empty() && text.contains(|c: char| c.is_ascii_alphabetic()) {
            runs_text(machine, &text, &Data::unknown());
        }
    }
    let (first, rest) = script.split_once(' ').unwrap_or((script, ""));
    if matches!(
        first.trim_end_matches('!'),
        "term" | "terminal" | "ter" | "make" | "grep" | "!"
    ) && !rest.is_empty()
    {
        runs_text(machine, rest, &Data::unknown());
    }
    if matches!(
        first.trim_end_matches('!'),
        "so" | "source" | "luafile" | "pyfile" | "py3file" | "runtime"
    ) && !rest.is_empty()
    {
        unknown::script_place(machine, rest);
    }
    saves(machine, script);
    for language in ["lua ", "python ", "python3 ", "py3 ", "perl ", "ruby "] {
        if let Some(code) = script.strip_prefix(language) {
            code::judge(machine, code, language.trim_end());
        }
    }
    let runs = holds(
        command,
        "system( systemlist( delete( writefile( job_start( termopen( shell-command delete-file \
         delete-directory call-process start-process process-file write-region async-shell \
         eshell",
    );
    if runs {
        code::judge(machine, command, "elisp");
        effect(machine, &policy::INLINE_CODE, &call.name);
    }
}

/// Commands on the input of `ed`.
fn line_editor(machine: &mut Machine<'_>, call: &Call) {
    if call.is("ed ex red")
        && let Some(text) = call.stdin.text.clone()
    {
        for line in text.lines() {
            let line = line.trim_start_matches(|c: char| {
                c.is_ascii_digit() || matches!(c, ',' | '%' | '$' | '.')
            });
            let command = line
                .strip_prefix('!')
                .or_else(|| line.strip_prefix("w !"))
                .or_else(|| line.strip_prefix("r !"));
            if let Some(command) = command {
                runs_text(machine, command, &Data::unknown());
            }
            saves(machine, line);
        }
    }
}

fn screen(machine: &mut Machine<'_>, call: &Call) {
    let args = call.args();
    if options::any(args, "quit kill") {
        effect(machine, &policy::SYSTEM_STATE, "screen");
    }
    if let Some(at) = args.iter().position(|arg| arg == "stuff") {
        let text = args[at + 1..].join(" ");
        runs_text(machine, &text, &Data::empty());
    } else {
        wrappers::scan(machine, call);
    }
}
