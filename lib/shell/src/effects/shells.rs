//! Shells: programs that run text.

use super::{Row, builtins, effect, options, runs_data, runs_file, runs_text};
use crate::data::Data;
use crate::machine::{Call, Machine};
use crate::table::rows;
use crate::{mark, policy};
use std::rc::Rc;

pub(super) const ROWS: &[Row] = &[
    (
        "sh bash dash zsh ksh mksh ash rbash bash5 yash posh oksh ksh93 csh tcsh fish elvish osh \
         nu xonsh",
        shell,
    ),
    ("pwsh powershell powershell.exe cmd cmd.exe", foreign),
    ("iex Invoke-Expression", |machine, call| {
        runs_data(machine, &call.stdin)
    }),
    ("eval", eval),
    ("source .", builtins::source),
    ("busybox toybox", multicall),
    ("at batch crontab schtasks fcrontab", later),
    ("ssh-agent dbus-run-session", |machine, call| {
        let options = options::parse(call.args(), "atE", "config-file", true);
        let words = options.rest.to_vec();
        machine.run_words(&words, &call.stdin)
    }),
];

fn shell(machine: &mut Machine<'_>, call: &Call) -> Data {
    let args = call.args();
    // bash's own options with values; `c` takes the first operand, wherever its cluster stands.
    let kept = normalised(args);
    let options = options::parse(&kept, "", "", true);
    let operands = operands(args);
    if options::any(args, "--rcfile --init-file") {
        effect(machine, &policy::ENV_CODE, "--rcfile");
    }
    if options.gives("c command") {
        let Some((text, rest)) = operands.split_first() else {
            return Data::empty();
        };
        return with_arguments(machine, rest, |machine| {
            runs_text(machine, text, &call.stdin)
        });
    }
    match operands.split_first() {
        Some((path, _)) if path.contains(mark::SHELL) => {
            super::exhausts(machine, "the shell runs itself");
            Data::unknown()
        }
        Some((path, rest)) if !options.gives("s") => {
            let data = script_data(machine, path, &call.stdin);
            with_rest(machine, rest, path, |machine| match data {
                Some(data) => runs_data(machine, &data),
                None => runs_file(machine, path),
            })
        }
        _ => {
            let data = call.stdin.clone();
            with_rest(machine, &operands, &call.name, |machine| {
                runs_data(machine, &data)
            })
        }
    }
}

/// Options without those that take the next word, so that clusters can be read letter by letter.
fn normalised(args: &[String]) -> Vec<String> {
    let mut kept = Vec::new();
    let mut args = args.iter();
    while let Some(arg) = args.next() {
        if !arg.starts_with(['-', '+']) || arg == "--" || arg == "-" {
            break;
        }
        if arg.starts_with('-') {
            kept.push(arg.clone());
        }
        if takes_value(arg) {
            args.next();
        }
    }
    kept
}

fn operands(args: &[String]) -> Vec<String> {
    let mut at = 0;
    while let Some(arg) = args.get(at) {
        if arg == "--" || arg == "-" {
            return args[at + 1..].to_vec();
        }
        if !arg.starts_with(['-', '+']) {
            break;
        }
        at += 1 + usize::from(takes_value(arg));
    }
    args.get(at..).unwrap_or(&[]).to_vec()
}

fn takes_value(arg: &str) -> bool {
    if arg.starts_with("--") {
        return matches!(arg, "--rcfile" | "--init-file");
    }
    arg.ends_with(['o', 'O'])
}

fn with_arguments(
    machine: &mut Machine<'_>,
    rest: &[String],
    run: impl FnOnce(&mut Machine<'_>) -> Data,
) -> Data {
    let zero = rest
        .first()
        .map_or_else(|| mark::SHELL.to_string(), Clone::clone);
    with_rest(machine, rest.get(1..).unwrap_or(&[]), &zero, run)
}

fn with_rest(
    machine: &mut Machine<'_>,
    rest: &[String],
    zero: &str,
    run: impl FnOnce(&mut Machine<'_>) -> Data,
) -> Data {
    let state = machine.state.clone();
    machine.state.arguments = Rc::new(rest.to_vec());
    machine.state.zero = zero.into();
    let output = run(machine);
    machine.state = state;
    output
}

/// The stream behind a script's name, when it is no file: standard input and descriptors.
pub(super) fn script_data(machine: &Machine<'_>, path: &str, stdin: &Data) -> Option<Data> {
    match path {
        "/dev/stdin" | "/dev/fd/0" | "/proc/self/fd/0" | "-" => Some(stdin.clone()),
        path => {
            let resolved = machine.resolve(path, false);
            machine
                .files
                .get(path)
                .or_else(|| machine.files.get(&resolved))
                .cloned()
        }
    }
}

fn eval(machine: &mut Machine<'_>, call: &Call) -> Data {
    let text = call.args().join(" ");
    if text.contains(mark::SHELL) || !mark::unknown(&text) {
        return machine.script(&text, &call.stdin);
    }
    // `eval "$(tool shellenv)"` is how tools set themselves up; which tool decides.
    runs_text(machine, &text, &call.stdin)
}

const GRAVE: &[&str] = overnight_base::texts!(
    "remove-item|rm |rmdir|del |format-volume|clear-disk|stop-computer|restart-computer\
     |invoke-expression|iex|downloadstring|-encodedcommand|-enc |invoke-webrequest|start-process\
     |set-executionpolicy"
);

/// Cmdlets by the programs that do the same.
const CMDLETS: &[[&str; 2]] = rows!("../../tables/cmdlets.txt");

/// Runs a text that is made of such cmdlets alone.
fn cmdlets(machine: &mut Machine<'_>, text: &str) -> bool {
    let program = |part: &str| {
        let (name, rest) = part.trim().split_once(' ').unwrap_or((part.trim(), ""));
        let [_, program] = CMDLETS.iter().find(|[cmdlet, _]| *cmdlet == name)?;
        Some(format!("{program} {rest}"))
    };
    // Who deletes what another one found deletes what is not named here.
    let plain = !text.contains(['$', '(', '{', '[', '@', '%', '`', '&', ';', ':'])
        && !text.contains("| Remove-Item");
    let parts: Option<Vec<String>> = text.split('|').map(program).collect();
    match parts.filter(|_| plain) {
        Some(parts) => runs_text(machine, &parts.join(" | "), &Data::empty()),
        None => return false,
    };
    true
}

/// PowerShell and cmd: their text is searched for what destroys.
fn foreign(machine: &mut Machine<'_>, call: &Call) -> Data {
    let text = call.args().join(" ").to_lowercase();
    if let Some(at) = call
        .args()
        .iter()
        .position(|arg| matches!(arg.as_str(), "-c" | "-Command"))
        && cmdlets(machine, &call.args()[at + 1..].join(" "))
    {
        return Data::unknown();
    }
    let rule = if GRAVE.iter().any(|word| text.contains(word)) {
        &policy::INLINE_FORBIDDEN
    } else if call.args().is_empty() && call.stdin.text.as_deref() != Some("") {
        &policy::OPAQUE_CODE
    } else if call.args().iter().any(|arg| {
        arg.eq_ignore_ascii_case("-c")
            || arg.eq_ignore_ascii_case("-command")
            || arg.eq_ignore_ascii_case("/c")
    }) {
        &policy::INLINE_CODE
    } else {
        for file in call.args() {
            super::runs_written(machine, file, Some("data"));
        }
        return Data::unknown();
    };
    effect(machine, rule, &call.name);
    Data::unknown()
}

fn multicall(machine: &mut Machine<'_>, call: &Call) -> Data {
    let words = call.args().to_vec();
    if words.first().is_none_or(|word| word.starts_with('-')) {
        return Data::unknown();
    }
    machine.run_words(&words, &call.stdin)
}

/// Programs that keep commands for later.
fn later(machine: &mut Machine<'_>, call: &Call) -> Data {
    let options = options::parse(call.args(), "qftbu", "", false);
    let lists = options.has("l", "") || (call.name != "crontab" && options.has("cd", ""));
    if lists {
        return Data::unknown();
    }
    if call.stdin.text.is_some() && !call.stdin.blank() {
        runs_data(machine, &call.stdin);
    }
    effect(machine, &policy::SCHEDULE, &call.name);
    Data::unknown()
}
