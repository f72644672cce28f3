//! Python: code, modules, scripts.

use super::{file, run};
use crate::data::Data;
use crate::effects::packages::of_tests;
use crate::effects::{code, database, effect, options, place_of, runs_written};
use crate::machine::{Call, Machine};
use crate::policy;

pub(super) fn python(machine: &mut Machine<'_>, call: &Call) -> Data {
    let args = call.args();
    let mut at = 0;
    while let Some(arg) = args.get(at) {
        if let Some(flags) = arg
            .strip_prefix('-')
            .filter(|flags| !flags.is_empty() && !flags.starts_with('-'))
        {
            if let Some(position) = flags.find('c') {
                let attached = &flags[position + 1..];
                let text = if attached.is_empty() {
                    args.get(at + 1).map_or("", String::as_str)
                } else {
                    attached
                };
                return run(machine, call, &[text], None);
            }
            if let Some(position) = flags.find('m') {
                let attached = &flags[position + 1..];
                let (module, rest) = if attached.is_empty() {
                    (args.get(at + 1).map_or("", String::as_str), at + 2)
                } else {
                    (attached, at + 1)
                };
                return python_module(machine, call, module, args.get(rest..).unwrap_or(&[]));
            }
            at += 1 + usize::from(matches!(flags, "W" | "X" | "Q"));
        } else if arg == "-" || !arg.starts_with('-') {
            manage(machine, call, arg, &args[at + 1..]);
            return run(machine, call, &[], Some(arg));
        } else {
            at += 1;
        }
    }
    if options::any(args, "-V --version -h") {
        return Data::unknown();
    }
    run(machine, call, &[], None)
}

/// `python -m …`: tools by the names of their modules, and a few that serve files or run code.
fn python_module(machine: &mut Machine<'_>, call: &Call, module: &str, rest: &[String]) -> Data {
    let mut words = vec![module.to_owned()];
    words.extend_from_slice(rest);
    match module {
        "smtpd" | "http.server" | "SimpleHTTPServer" => {
            serves(machine, module, rest);
            Data::unknown()
        }
        "timeit" => {
            for text in options::words(rest, "-n -r -u") {
                code::judge(machine, text, "python");
            }
            Data::unknown()
        }
        // They run the script that is named behind their own options.
        "trace" | "cProfile" | "pdb" | "profile" | "runpy" | "bdb" => {
            if let Some(path) = options::words(rest, "-o -s -c -C -f").first() {
                file(machine, call, path);
            }
            Data::unknown()
        }
        _ => {
            manage(machine, call, module, rest);
            let path = module.replace('.', "/");
            for file in [format!("{path}.py"), format!("{path}/__main__.py")] {
                runs_written(machine, &file, Some("python"));
            }
            machine.run_words(&words, &call.stdin)
        }
    }
}

/// A server of files: of the project it is ordinary, of the home folder it is not.
fn serves(machine: &mut Machine<'_>, module: &str, rest: &[String]) {
    let options = options::parse(rest, "dbp", "directory bind protocol", false);
    let folder = options.value("d", "directory").unwrap_or(".");
    match place_of(machine, folder) {
        place if place.is_own() && module == "http.server" => {}
        place if place.is_own() => effect(machine, &policy::SEND, module),
        _ => effect(machine, &policy::EXFILTRATE, module),
    }
}

/// `manage.py` and its kin have verbs that destroy data.
fn manage(machine: &mut Machine<'_>, call: &Call, path: &str, rest: &[String]) {
    let verb = rest
        .iter()
        .find(|arg| !arg.starts_with('-'))
        .map_or("", String::as_str);
    if path.ends_with("setup.py") && options::any(rest, "upload register") {
        effect(machine, &policy::PUBLISH, "setup.py upload");
    }
    if path.ends_with("setup.py")
        && options::any(rest, "install develop")
        && !options::any(rest, "--prefix --root --install-dir")
    {
        effect(machine, &policy::INSTALL, "setup.py install");
    }
    if !path.ends_with("manage.py") && path != "django" {
        return;
    }
    if matches!(verb, "flush" | "reset_db" | "drop_test_database") {
        if of_tests(machine, rest) {
            return;
        }
        effect(machine, &policy::DESTROY, verb);
    } else if matches!(verb, "dbshell" | "loaddata")
        || (verb == "migrate" && options::any(rest, "zero"))
    {
        effect(machine, &policy::DATABASE, verb);
    } else if matches!(verb, "shell" | "shell_plus") {
        for text in options::parse(rest, "c", "command", false).values("c command") {
            code::judge(machine, text, "python");
            database::orm(machine, text);
        }
        if let Some(text) = call.stdin.text.clone() {
            database::orm(machine, &text);
        }
    }
}
