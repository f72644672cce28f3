//! Programs that print: what they print is known when their arguments are.

use super::{Row, effect, options, sizes};
use crate::data::Data;
use crate::machine::{Call, Machine, State, Value};
use crate::{mark, place, policy};

pub(super) const ROWS: &[Row] = &[
    ("echo", echo),
    ("printf", printf),
    ("cat tac nl", cat),
    ("tee", tee),
    ("yes", |_, _| Data {
        endless: true,
        ..Data::unknown()
    }),
    ("pwd", |machine, _| {
        Data::known(&format!("{}\n", machine.state.cwd))
    }),
    ("mktemp", mktemp),
    ("basename dirname realpath readlink", path_part),
    ("which", which),
    ("seq", seq),
    ("date", date),
    (
        "nproc uname arch expr bc dc factor tput getconf sleep cksum sum sha256sum sha1sum md5sum \
         sha512sum b2sum shasum wc uuidgen tty",
        number,
    ),
    ("printenv", printenv),
];

fn number(_: &mut Machine<'_>, call: &Call) -> Data {
    let text = mark::SEGMENT.to_string();
    Data {
        secret: false,
        network: false,
        ..Data {
            text: Some(text.into()),
            ..call.stdin.derived()
        }
    }
}

/// Lines that are made for a loop to count; more only have their number.
const LINES_MAX: usize = 2_000;

fn seq(machine: &mut Machine<'_>, call: &Call) -> Data {
    let numbers: Option<Vec<i64>> = call.args().iter().map(|arg| arg.parse().ok()).collect();
    let (first, step, last) = match numbers.as_deref() {
        Some([last]) => (1, 1, *last),
        Some([first, last]) => (*first, 1, *last),
        Some([first, step, last]) if *step > 0 => (*first, *step, *last),
        _ => return number(machine, call),
    };
    let count = last.saturating_sub(first) / step;
    let text: Vec<String> = (0..=count)
        .take(LINES_MAX)
        .map(|at| first.saturating_add(at.saturating_mul(step)).to_string())
        .collect();
    let text = text.join("\n") + "\n";
    Data {
        // A line of a number of that size has some ten bytes.
        endless: u64::try_from(count).is_ok_and(|count| sizes::fills(u128::from(count) * 10)),
        ..Data::known(&text)
    }
}

fn date(machine: &mut Machine<'_>, call: &Call) -> Data {
    if options::any(call.args(), "-s --set")
        || options::words(call.args(), "-d --date -r -f -v -j")
            .iter()
            .any(|word| word.bytes().all(|byte| byte.is_ascii_digit()))
    {
        effect(machine, &policy::SYSTEM_STATE, "date");
    }
    number(machine, call)
}

fn echo(machine: &mut Machine<'_>, call: &Call) -> Data {
    let mut args = call.args();
    let mut escapes = false;
    let mut newline = true;
    while let Some(first) = args.first() {
        let flags = first
            .strip_prefix('-')
            .filter(|flags| !flags.is_empty() && flags.chars().all(|c| "neE".contains(c)));
        let Some(flags) = flags else { break };
        escapes |= flags.contains('e');
        newline &= !flags.contains('n');
        args = &args[1..];
    }
    let mut text = args.join(" ");
    if escapes {
        text = unescaped(&text);
    }
    if newline {
        text.push('\n');
    }
    shown(machine, &text)
}

/// Printed text: secrets in it are named at once, because it may end in the transcript.
fn shown(machine: &mut Machine<'_>, text: &str) -> Data {
    if text.contains(mark::SECRET) {
        effect(machine, &policy::ENVIRONMENT, "");
    }
    Data::known(text)
}

fn printf(machine: &mut Machine<'_>, call: &Call) -> Data {
    let mut args = call.args();
    let mut variable = None;
    if let [flag, name, ..] = args
        && flag == "-v"
    {
        variable = Some(name.clone());
        machine.evaluated(name);
        args = &args[2..];
    }
    if options::begins(args, "--") {
        args = &args[1..];
    }
    let Some((format, values)) = args.split_first() else {
        return Data::empty();
    };
    let text = formatted(format, values);
    if let Some(name) = variable {
        machine.state.set(&name, Value::Text(text));
        return Data::empty();
    }
    shown(machine, &text)
}

/// The format used again until the values are spent.
fn formatted(format: &str, values: &[String]) -> String {
    let format = unescaped(format);
    let mut text = String::new();
    let mut values = values.iter();
    loop {
        let before = values.len();
        let mut characters = format.chars().peekable();
        while let Some(c) = characters.next() {
            if c != '%' {
                text.push(c);
                continue;
            }
            let mut conversion = ' ';
            for c in characters.by_ref() {
                conversion = c;
                if c.is_ascii_alphabetic() || c == '%' || c == '(' {
                    break;
                }
            }
            match conversion {
                '%' => text.push('%'),
                's' | 'q' => text.push_str(values.next().map_or("", String::as_str)),
                'b' => text.push_str(&unescaped(values.next().map_or("", String::as_str))),
                'd' | 'i' | 'u' => text.push_str(values.next().map_or("0", String::as_str)),
                'c' => text.extend(values.next().and_then(|value| value.chars().next())),
                'x' | 'X' | 'o' | 'f' | 'e' | 'g' | 'a' => {
                    values.next();
                    text.push(mark::SEGMENT);
                }
                _ => {
                    values.next();
                    text.push(mark::ANY);
                }
            }
        }
        if values.len() == 0 || values.len() == before {
            return text;
        }
    }
}

/// Backslash escapes as `echo -e` and `printf` read them.
fn unescaped(text: &str) -> String {
    if !text.contains('\\') {
        return text.to_owned();
    }
    let bytes = text.as_bytes();
    let mut decoded = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        if *byte == b'\\' {
            at = crate::bash::unescape(bytes, at + 1, &mut decoded);
        } else {
            decoded.push(*byte);
            at += 1;
        }
    }
    String::from_utf8_lossy(&decoded).into_owned()
}

fn cat(machine: &mut Machine<'_>, call: &Call) -> Data {
    let files: Vec<&String> = call
        .args()
        .iter()
        .filter(|arg| !arg.starts_with('-') || arg.as_str() == "-")
        .collect();
    let exact = call.name == "cat" && call.args().len() == files.len();
    if files.is_empty() {
        return if exact {
            call.stdin.clone()
        } else {
            call.stdin.derived()
        };
    }
    let mut output = Data::empty();
    for file in files {
        let data = if file == "-" {
            call.stdin.clone()
        } else {
            super::reads(machine, file)
        };
        output = output.then(data);
    }
    if exact { output } else { output.derived() }
}

fn tee(machine: &mut Machine<'_>, call: &Call) -> Data {
    let append = options::any(call.args(), "-a --append");
    for file in call.args().iter().filter(|arg| !arg.starts_with('-')) {
        let how = match append {
            true => super::How::Append,
            false if call.stdin.blank() => super::How::Empty,
            false => super::How::Write,
        };
        super::writes(machine, file, how);
        let path = machine.resolve(file, false);
        machine.files.insert(
            path,
            Data {
                path: None,
                ..call.stdin.clone()
            },
        );
    }
    if call.stdin.endless && !call.args().is_empty() {
        super::exhausts(machine, "writes without end");
    }
    call.stdin.clone()
}

fn mktemp(machine: &mut Machine<'_>, call: &Call) -> Data {
    let options = options::parse(call.args(), "p", "tmpdir suffix", false);
    let folder = options.value("p", "tmpdir").map(str::to_owned);
    let template = options.operands.first().copied().unwrap_or("tmp.X");
    let name: String = template.trim_end_matches('X').to_owned() + &mark::SEGMENT.to_string();
    let here = folder.is_none() && !options.operands.is_empty() && !options.has("t", "tmpdir");
    let path = if here {
        name
    } else {
        format!("{}/{name}", folder.unwrap_or_else(|| "/tmp".to_owned()))
    };
    let path = machine.resolve(&path, false);
    Data::known(&format!("{path}\n"))
}

fn path_part(machine: &mut Machine<'_>, call: &Call) -> Data {
    let operands: Vec<&str> = options::words(call.args(), "-s --suffix --relative-to");
    let Some(path) = operands.first() else {
        return Data::unknown();
    };
    let text = match call.name.as_str() {
        "basename" => {
            let name = place::last(path);
            operands
                .get(1)
                .and_then(|suffix| name.strip_suffix(suffix))
                .unwrap_or(name)
                .to_owned()
        }
        "dirname" => match path.trim_end_matches('/').rsplit_once('/') {
            Some(("", _)) => "/".to_owned(),
            Some((parent, _)) => parent.to_owned(),
            None if path.contains(mark::SHELL) || !mark::unknown(path) => ".".to_owned(),
            None => mark::ANY.to_string(),
        },
        _ => machine.resolve(path, false),
    };
    Data::known(&format!("{text}\n"))
}

pub(super) fn which(_: &mut Machine<'_>, call: &Call) -> Data {
    match call.args().iter().find(|arg| !arg.starts_with('-')) {
        Some(name) => Data::known(&format!("/usr/bin/{name}\n")),
        None => Data::unknown(),
    }
}

fn printenv(machine: &mut Machine<'_>, call: &Call) -> Data {
    let names: Vec<&String> = call
        .args()
        .iter()
        .filter(|arg| !arg.starts_with('-'))
        .collect();
    if names.is_empty() {
        return super::environment(machine, &call.name);
    }
    let mut text = String::new();
    for name in names {
        if mark::unknown(name) {
            effect(machine, &policy::ENVIRONMENT, "a computed name");
        }
        text.push_str(&variable(&machine.state, machine, name));
        text.push('\n');
    }
    shown(machine, &text)
}

fn variable(state: &State, machine: &Machine<'_>, name: &str) -> String {
    match state.get(machine.context, name) {
        Value::Text(text) => text,
        Value::List(values) => values.first().cloned().unwrap_or_default(),
        Value::Unset => String::new(),
    }
}
