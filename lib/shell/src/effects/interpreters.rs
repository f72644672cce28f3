//! Interpreters of other languages.

mod python;

use super::{Handler, Row, code, effect, options, packages, place_of, unknown};
use crate::data::Data;
use crate::machine::{Call, Machine};
use crate::place::{self, PathClass};
use crate::policy;

pub(super) const ROWS: &[Row] = &[
    ("node nodejs deno bun tsx ts-node esno qjs", javascript),
    (
        "osascript tclsh expect Rscript R julia guile racket sbcl clisp elixir erl scala groovy \
         jshell ghci runghc ocaml octave janet bb clojure gnuplot tcl wish dotnet-script csi mono \
         hy swipl jrunscript jjs rhino bpftrace sage maxima amm lfe scheme gsi chez ecl newlisp \
         pry irb wolframscript spidermonkey d8 cling escript",
        other,
    ),
    ("ghc swift nim crystal kotlin", compiler),
    ("java", java),
];

/// Those whose names are told by their form or stand in a table of their own.
pub(super) fn by_form(name: &str) -> Option<Handler> {
    let versioned = |stem: &str| {
        name.strip_prefix(stem).is_some_and(|rest| {
            rest.chars()
                .all(|c| c.is_ascii_digit() || c == '.' || c == 'w')
        })
    };
    if versioned("python") || versioned("pypy") || matches!(name, "ipython" | "jython") {
        return Some(python::python);
    }
    if versioned("ruby")
        || versioned("perl")
        || versioned("php")
        || versioned("lua")
        || matches!(name, "luajit" | "jruby" | "raku")
    {
        return Some(script_language);
    }
    None
}

/// `java -jar tool-1.2.jar …` is that tool.
fn java(machine: &mut Machine<'_>, call: &Call) -> Data {
    let args = call.args();
    let Some(at) = args.iter().position(|arg| arg == "-jar") else {
        return Data::unknown();
    };
    let Some(path) = args.get(at + 1) else {
        return Data::unknown();
    };
    unknown::script_place(machine, path);
    let stem = place::last(path).trim_end_matches(".jar");
    let name = stem
        .split('-')
        .take_while(|part| !part.starts_with(|c: char| c.is_ascii_digit()));
    let mut words = vec![name.collect::<Vec<_>>().join("-")];
    words.extend_from_slice(&args[at + 2..]);
    machine.run_words(&words, &call.stdin)
}

/// `ghc -e` evaluates; else it compiles.
fn compiler(machine: &mut Machine<'_>, call: &Call) -> Data {
    if call
        .args()
        .iter()
        .any(|arg| arg.starts_with("-e") || arg.starts_with("--eval") || arg == "eval")
    {
        other(machine, call)
    } else {
        Data::unknown()
    }
}

/// Runs what was found: code given inline, a script by name, or the input.
fn run(machine: &mut Machine<'_>, call: &Call, inline: &[&str], script: Option<&str>) -> Data {
    for text in inline {
        code::judge(machine, text, &call.name);
    }
    if !inline.is_empty() {
        return Data {
            endless: inline.iter().any(|text| code::endless_loop(text)),
            ..call.stdin.derived()
        };
    }
    match script {
        Some(path) if path != "-" && path != "/dev/stdin" => file(machine, call, path),
        _ => input(machine, call, &call.stdin.clone()),
    }
    Data::unknown()
}

pub(super) fn input(machine: &mut Machine<'_>, call: &Call, data: &Data) {
    if data.network {
        effect(machine, &policy::REMOTE_CODE, &call.name);
        return;
    }
    match (&data.text, &data.path) {
        (Some(text), _) => {
            let text = text.clone();
            code::judge(machine, &text, &call.name);
        }
        (None, Some(path)) => {
            let path = path.clone();
            unknown::script_place(machine, &path);
            super::runs_written(machine, &path, Some(code::reader(&call.name)));
        }
        (None, None) => effect(machine, &policy::OPAQUE_CODE, &call.name),
    }
}

fn file(machine: &mut Machine<'_>, call: &Call, path: &str) {
    if unknown::fetched(machine, path) {
        effect(machine, &policy::REMOTE_CODE, path);
        return;
    }
    let data = super::content(machine, path);
    if data.network || data.text.is_some() || path.starts_with("/dev/fd/") {
        let zero = std::mem::replace(&mut machine.state.zero, path.into());
        input(machine, call, &data);
        machine.state.zero = zero;
    } else {
        if place_of(machine, path) != PathClass::Temporary {
            unknown::script_place(machine, path);
        }
        super::runs_written(machine, path, Some(code::reader(&call.name)));
    }
}

fn script_language(machine: &mut Machine<'_>, call: &Call) -> Data {
    let args = call.args();
    if call.name.starts_with("php") && options::any(args, "-i --info") {
        effect(machine, &policy::ENVIRONMENT, "php -i");
    }
    if let Some(at) = args.iter().position(|arg| {
        matches!(
            place::last(arg),
            "artisan" | "console" | "wp" | "drush" | "rake" | "rails"
        )
    }) {
        // A project's own tool, run by its interpreter.
        let words = args[at..].to_vec();
        return machine.run_words(&words, &call.stdin);
    }
    let perl = call.name.starts_with("perl");
    let short = if perl {
        "eEIMmxCDV"
    } else if call.name.starts_with("php") {
        "rBREFcdzf"
    } else {
        "eIrCEKlWx"
    };
    let options = options::parse(args, short, "run", true);
    let code = options
        .given
        .iter()
        .filter(|(name, _)| gives_code(&call.name, name));
    let inline: Vec<&str> = code.filter_map(|(_, value)| *value).collect();
    preloads(machine, &options);
    if edits_in_place(call) {
        rewrites(machine, &options.operands, &inline);
    }
    if !inline.is_empty() {
        let mut data = run(machine, call, &inline, None);
        for path in &options.operands {
            data = data.then(super::reads(machine, path)).derived();
        }
        return data;
    }
    if options.gives("v version V h help c m i l S w") && options.operands.is_empty() {
        return Data::unknown();
    }
    // `php -f script`.
    let named = options
        .value("f", "")
        .filter(|_| call.name.starts_with("php"));
    run(
        machine,
        call,
        &[],
        named.or(options.operands.first().copied()),
    )
}

/// Files that `perl -i` leaves behind as its code prints them: an empty program empties them.
fn rewrites(machine: &mut Machine<'_>, files: &[&str], code: &[&str]) {
    let how = if code.iter().any(|code| code.trim().is_empty()) {
        super::How::Empty
    } else {
        super::How::Append
    };
    for file in files {
        super::writes(machine, file, how);
    }
}

/// Does this option of this interpreter take code?
fn gives_code(interpreter: &str, option: &str) -> bool {
    match option {
        "e" | "run" => true,
        "r" => interpreter.starts_with("php"),
        "E" | "B" | "R" => !interpreter.starts_with("ruby"),
        _ => false,
    }
}

fn javascript(machine: &mut Machine<'_>, call: &Call) -> Data {
    let args = call.args();
    if call.is("deno bun") {
        return runtime(machine, call);
    }
    let options = options::parse(
        args,
        "eprC",
        "eval print require import loader input-type test-name-pattern conditions \
             max-old-space-size",
        true,
    );
    for path in options.values("r require import loader") {
        if path.starts_with("/tmp") || path.contains("://") || path.starts_with("data:") {
            effect(machine, &policy::ENV_CODE, path);
        }
    }
    let clustered = options::behind(args, "-pe -ep").and_then(<[String]>::first);
    let mut inline = options.values("e eval p print");
    inline.retain(|text| *text != "e");
    inline.extend(clustered.map(String::as_str));
    if inline.is_empty() && options.has("vht", "version")
        || options::any(args, "--test --check --help -c")
    {
        return Data::unknown();
    }
    run(machine, call, &inline, options.operands.first().copied())
}

/// deno and bun: package manager, runner and interpreter at once.
fn runtime(machine: &mut Machine<'_>, call: &Call) -> Data {
    let args = call.args();
    let words = options::words(args, "-c --config --cwd");
    match words.first().copied() {
        Some("eval") => {
            let code = words.get(1).copied().unwrap_or("");
            code::judge(machine, code, &call.name);
        }
        Some("run") if words.get(1) == Some(&"-") => {
            input(machine, call, &call.stdin.clone());
        }
        Some("run" | "serve") => {
            if let Some(target) = words.get(1).filter(|target| foreign(target)) {
                effect(machine, &policy::REMOTE_CODE, target);
            }
        }
        Some(first) if foreign(first) => effect(machine, &policy::REMOTE_CODE, first),
        Some("publish") if !options::any(args, "--dry-run") => {
            effect(machine, &policy::PUBLISH, &call.name);
        }
        Some("x") => packages::package(machine, call, words.get(1).unwrap_or(&"")),
        Some("create") if words.len() > 1 => {
            packages::package(machine, call, &format!("create-{}", words[1]));
        }
        Some("deploy") => effect(machine, &policy::PUBLISH, &call.name),
        Some("upgrade" | "install" | "add" | "i")
            if options::any(args, "-g --global upgrade") || words[0] == "upgrade" =>
        {
            effect(machine, &policy::INSTALL, &call.name);
        }
        _ => {
            if let Some(text) = options::parse(args, "ep", "eval print", true).value("ep", "eval") {
                code::judge(machine, text, &call.name);
            } else if args.is_empty() || words.first() == Some(&"-") {
                input(machine, call, &call.stdin.clone());
            }
        }
    }
    Data::unknown()
}

/// Options that take code, in languages that are not searched.
const EVALUATING: &[&str] = overnight_base::words!(
    "-e -c -E -eval --eval --execute --expression --command -code --code -g --batch-string -batch"
);

/// Code that is fetched when it is run.
fn foreign(target: &str) -> bool {
    target.contains("://") || target.starts_with("npm:") || target.starts_with("jsr:")
}

fn other(machine: &mut Machine<'_>, call: &Call) -> Data {
    let mut inline: Vec<&str> = Vec::new();
    let mut script = None;
    let mut args = call.args().iter().map(String::as_str);
    while let Some(arg) = args.next() {
        if EVALUATING.contains(&arg) || (arg == "eval" && call.name == "crystal") {
            inline.extend(args.next());
        } else if let Some((_, code)) = arg
            .split_once('=')
            .filter(|(name, _)| EVALUATING.contains(name))
        {
            inline.push(code);
        } else if let Some(code) = arg
            .strip_prefix("-e")
            .filter(|code| code.contains(|c: char| !c.is_ascii_alphanumeric()))
        {
            inline.push(code);
        } else if !arg.starts_with('-') && script.is_none() {
            script = Some(arg);
        }
    }
    if inline.is_empty() && options::any(call.args(), "--version -v --help -h -version") {
        return Data::unknown();
    }
    run(machine, call, &inline, script)
}

/// `perl -i`: the files are changed.
fn edits_in_place(call: &Call) -> bool {
    let args = call.args();
    args.iter().any(|arg| {
        arg.starts_with('-')
            && !arg.starts_with("--")
            && arg.contains('i')
            && arg.len() <= 8
            && (call.name.starts_with("perl") || call.name.starts_with("ruby"))
            && arg
                .chars()
                .skip(1)
                .take_while(|c| *c != 'e')
                .any(|c| c == 'i')
    })
}

/// Code loaded before the script.
fn preloads(machine: &mut Machine<'_>, options: &options::Options<'_>) {
    for path in options.values("r I d") {
        let absolute = path.starts_with('/');
        if path.starts_with("/tmp") || absolute && place_of(machine, path) != PathClass::Work {
            effect(machine, &policy::ENV_CODE, path);
        }
    }
}
