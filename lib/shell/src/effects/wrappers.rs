//! Programs that run other programs: how many arguments they keep for themselves.

mod scan;
mod user;

pub(super) use scan::{handed_on, scan};

use user::{as_user, other_root, privileged};

use super::{Handler, Row, effect, options, runs_text};
use crate::data::Data;
use crate::machine::{Call, Machine};
use crate::policy;

/// A wrapper's own arguments.
struct Wrapper {
    name: &'static str,
    /// Letters of options with a value.
    short: &'static str,
    /// Long options with a value, separated by blanks.
    long: &'static str,
    /// Operands before the command.
    operands: usize,
}

const fn wrapper(
    name: &'static str,
    short: &'static str,
    long: &'static str,
    operands: usize,
) -> Wrapper {
    Wrapper {
        name,
        short,
        long,
        operands,
    }
}

const WRAPPERS: &[Wrapper] = &[
    wrapper("timeout", "ks", "kill-after signal", 1),
    wrapper("gtimeout", "ks", "kill-after signal", 1),
    wrapper("nice", "n", "adjustment", 0),
    wrapper("ionice", "cnpPu", "class classdata", 0),
    wrapper("chrt", "pTDP", "", 1),
    wrapper("taskset", "p", "", 1),
    wrapper(
        "numactl",
        "NmiCl",
        "cpunodebind membind physcpubind interleave",
        0,
    ),
    wrapper("nohup", "", "", 0),
    wrapper("setsid", "", "", 0),
    wrapper("stdbuf", "ioe", "input output error", 0),
    wrapper("unbuffer", "", "", 0),
    wrapper("time", "fo", "format output", 0),
    wrapper("command", "", "", 0),
    wrapper("builtin", "", "", 0),
    wrapper("exec", "a", "", 0),
    wrapper("coproc", "", "", 0),
    wrapper(
        "unshare",
        "SGR",
        "wd root setuid setgid map-user map-group",
        0,
    ),
    wrapper("setarch", "", "", 1),
    wrapper("linux32", "", "", 0),
    wrapper("linux64", "", "", 0),
    wrapper("setpriv", "", "reuid regid groups", 0),
    wrapper("prlimit", "p", "pid", 0),
    wrapper("firejail", "", "", 0),
    wrapper(
        "bwrap",
        "",
        "bind ro-bind dev proc tmpfs chdir setenv dev-bind symlink",
        0,
    ),
    wrapper("xvfb-run", "nwsfep", "server-num server-args", 0),
    wrapper("ltrace", "eopsnul", "output", 0),
    wrapper("strace", "eopsPOSaIEubX", "output", 0),
    wrapper("rr", "", "", 1),
    wrapper("valgrind", "", "", 0),
    wrapper("heaptrack", "o", "output", 0),
    wrapper("perf", "eopFcC", "event output", 1),
    wrapper("cpulimit", "lpe", "limit pid exe", 0),
    wrapper("caffeinate", "tw", "", 0),
    wrapper(
        "systemd-run",
        "puMGEt",
        "unit property slice description setenv uid gid",
        0,
    ),
    wrapper("systemd-inhibit", "", "what who why mode", 0),
    wrapper("systemd-cat", "tp", "identifier priority", 0),
    wrapper("rlwrap", "fHCDpS", "", 0),
    wrapper("proxychains", "f", "", 0),
    wrapper("proxychains4", "f", "", 0),
    wrapper("torsocks", "", "", 0),
    wrapper("torify", "", "", 0),
    wrapper("tsocks", "", "", 0),
    wrapper("fakeroot", "lsfi", "lib save load faked", 0),
    wrapper("fakechroot", "", "", 0),
    wrapper("eatmydata", "", "", 0),
    wrapper("catchsegv", "", "", 0),
    wrapper("faketime", "fm", "", 1),
    wrapper("ccache", "", "", 0),
    wrapper("sccache", "", "", 0),
    wrapper("distcc", "", "", 0),
    wrapper("chronic", "", "", 0),
    wrapper("ifne", "", "", 0),
    wrapper("setlock", "", "", 1),
    wrapper("softlimit", "adfmorst", "", 0),
    wrapper("chpst", "uUemdobnlLP", "", 0),
    wrapper("envdir", "", "", 1),
    wrapper("dumb-init", "r", "", 0),
    wrapper("tini", "pgsv", "", 0),
    wrapper("catatonit", "", "", 0),
    wrapper("retry", "tdn", "times delay tries until", 0),
    wrapper("gdb", "x", "", 0),
    wrapper("lldb", "os", "", 0),
    wrapper("choom", "np", "", 0),
    wrapper("aa-exec", "pn", "", 0),
    wrapper("logsave", "", "", 1),
    wrapper("pexec", "", "", 0),
    wrapper("tsp", "", "", 0),
    wrapper("capsh", "", "", 0),
    wrapper("watchexec", "wefFidsn", "watch exts filter ignore", 0),
    wrapper("fswatch", "", "", 0),
    wrapper("grc", "", "", 0),
    wrapper("uftrace", "", "", 1),
    wrapper("with-timeout", "", "kill-after signal timeout", 1),
    wrapper("output-filter", "", "tool", 0),
    wrapper(
        "sample-tests",
        "",
        "rate seed agent include exclude root",
        0,
    ),
    wrapper("dotenv", "fe", "file env", 0),
    wrapper("direnv", "", "", 2),
    wrapper("entr", "", "", 0),
    wrapper("nodemon", "wei", "watch ext ignore exec", 0),
    wrapper("cross-env", "", "", 0),
    wrapper("dbus-launch", "", "", 0),
    wrapper("apptainer", "", "", 2),
    wrapper("singularity", "", "", 2),
    wrapper("wine", "", "", 0),
    wrapper("box64", "", "", 0),
    wrapper("qemu-x86_64", "L", "", 0),
    wrapper("ld-linux-x86-64.so.2", "", "library-path preload", 0),
    wrapper("aws-vault", "", "duration region", 2),
    wrapper("chamber", "", "", 2),
    wrapper("doppler", "pc", "project config", 1),
    wrapper("op", "", "env-file account", 1),
    wrapper("infisical", "", "env", 1),
    wrapper("teller", "", "", 1),
    wrapper("gosu", "", "", 1),
    wrapper("su-exec", "", "", 1),
    wrapper("setuidgid", "", "", 1),
    wrapper("proot", "rbwq", "", 0),
    wrapper("cgexec", "g", "", 0),
    wrapper("trickle", "dutwlp", "", 0),
    wrapper("pipexec", "", "", 0),
    wrapper("daemonize", "acepolu", "", 0),
    wrapper("detach", "", "", 0),
    wrapper("dtach", "", "", 2),
    wrapper("abduco", "", "", 1),
];

pub(super) const ROWS: &[Row] = &[
    ("env genv", env),
    ("sudo doas pkexec run0 sudoedit gksudo kdesudo", privileged),
    ("su runuser sg", as_user),
    ("chroot nsenter", other_root),
    ("flock", flock),
    ("watch", text_or_words),
    ("script", script),
    ("hyperfine multitime concurrently", texts),
    ("ip", network_namespace),
];

/// Those whose names are told by their form or stand in a table of their own.
pub(super) fn by_form(name: &str) -> Option<Handler> {
    if WRAPPERS.iter().any(|wrapper| wrapper.name == name) {
        return Some(plain);
    }
    None
}

/// Their command stands behind `--` only.
const BEHIND_DASHES: &[&str] = overnight_base::words!(
    "output-filter sample-tests op doppler infisical teller chamber aws-vault"
);

fn plain(machine: &mut Machine<'_>, call: &Call) -> Data {
    let Some(wrapper) = WRAPPERS.iter().find(|wrapper| wrapper.name == call.name) else {
        return Data::unknown();
    };
    let args = call.args();
    if call.name == "command"
        && args
            .first()
            .is_some_and(|arg| matches!(arg.as_str(), "-v" | "-V"))
    {
        return Data::known(&format!(
            "/usr/bin/{}\n",
            args.get(1).map_or("", String::as_str)
        ));
    }
    let long: Vec<&str> = wrapper.long.split_whitespace().collect();
    let options = options::parse(args, wrapper.short, &long, true);
    let mut words: &[String] = args.get(options.rest..).unwrap_or(&[]);
    if BEHIND_DASHES.contains(&call.name.as_str()) {
        return match args.iter().position(|arg| arg == "--") {
            Some(at) => machine.run_words(&args[at + 1..], &call.stdin),
            None => inner_or_unknown(machine, call),
        };
    }
    if call.name == "systemd-run"
        && args
            .iter()
            .any(|arg| arg.starts_with("--on-") || arg.starts_with("--timer"))
    {
        effect(machine, &policy::SCHEDULE, "systemd-run");
    }
    for _ in 0..wrapper.operands {
        words = words.get(1..).unwrap_or(&[]);
    }
    while words
        .first()
        .is_some_and(|word| word == "--" || (call.name != "exec" && is_assignment(word)))
    {
        words = &words[1..];
    }
    if matches!(
        call.name.as_str(),
        "strace" | "ltrace" | "perf" | "time" | "unbuffer"
    ) && let Some(file) = options.value("o", "output")
    {
        super::writes(machine, file, super::How::Write);
    }
    if words.first().is_some_and(|word| word.starts_with('-'))
        || wrapper.operands > 1
        || matches!(call.name.as_str(), "bwrap" | "capsh" | "firejail" | "entr")
    {
        scan(machine, call);
    }
    if let [text] = words
        && text.contains(' ')
    {
        // `watchexec 'make test'`: a command line in one word.
        return runs_text(machine, text, &call.stdin);
    }
    machine.run_words(words, &call.stdin)
}

/// Secret managers: what else they do is to show secrets.
fn inner_or_unknown(machine: &mut Machine<'_>, call: &Call) -> Data {
    match call.name.as_str() {
        "output-filter" | "sample-tests" => Data::unknown(),
        _ => super::cloud::by_table(machine, call),
    }
}

fn is_assignment(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| {
        !name.is_empty()
            && name
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    })
}

fn env(machine: &mut Machine<'_>, call: &Call) -> Data {
    let options = options::parse(
        call.args(),
        "uCS",
        &["unset", "chdir", "split-string"],
        true,
    );
    let mut words: Vec<String> = call.args().get(options.rest..).unwrap_or(&[]).to_vec();
    if let Some(text) = options.value("S", "split-string") {
        let mut split: Vec<String> = text.split_whitespace().map(str::to_owned).collect();
        split.append(&mut words);
        words = split;
    }
    let mut assigned = Vec::new();
    while let Some(word) = words
        .first()
        .filter(|word| word.contains('=') && !word.starts_with('='))
    {
        if let Some((name, value)) = word.split_once('=') {
            assigned.push((name.to_owned(), value.to_owned()));
        }
        words.remove(0);
    }
    if words.is_empty() {
        if options.has("i", "ignore-environment") {
            return Data::empty();
        }
        return super::environment(machine, "env");
    }
    super::environment_prefix(machine, &assigned);
    machine.prefix.append(&mut assigned);
    let folder = options.value("C", "chdir").map(str::to_owned);
    let state = machine.state.clone();
    if let Some(folder) = folder {
        let folder = machine.resolve(&folder, false);
        machine.state.go(&folder, true);
    }
    let output = machine.run_words(&words, &call.stdin);
    machine.state = state;
    output
}

fn flock(machine: &mut Machine<'_>, call: &Call) -> Data {
    let options = options::parse(
        call.args(),
        "wEc",
        &["wait", "timeout", "conflict-exit-code", "command"],
        true,
    );
    let words = call.args().get(options.rest..).unwrap_or(&[]);
    let Some((file, words)) = words.split_first() else {
        return Data::empty();
    };
    if !file.bytes().all(|byte| byte.is_ascii_digit()) {
        super::writes(machine, file, super::How::Append);
    }
    match words {
        [flag, text, ..] if flag == "-c" || flag == "--command" => {
            runs_text(machine, text, &call.stdin)
        }
        words => machine.run_words(words, &call.stdin),
    }
}

fn text_or_words(machine: &mut Machine<'_>, call: &Call) -> Data {
    let options = options::parse(call.args(), "nq", &["interval", "equexit"], true);
    let words = call.args().get(options.rest..).unwrap_or(&[]);
    let text = words.join(" ");
    runs_text(machine, &text, &Data::empty())
}

fn script(machine: &mut Machine<'_>, call: &Call) -> Data {
    let options = options::parse(
        call.args(),
        "cEIOBTmo",
        &["command", "log-out", "log-in"],
        false,
    );
    if let Some(text) = options.value("c", "command") {
        let text = text.to_owned();
        runs_text(machine, &text, &call.stdin);
    } else {
        let words: Vec<String> = options
            .operands
            .iter()
            .skip(1)
            .map(|word| (*word).to_owned())
            .collect();
        machine.run_words(&words, &call.stdin);
    }
    if let Some(file) = options.operands.first() {
        super::writes(machine, file, super::How::Write);
    }
    Data::unknown()
}

/// Each operand is a command line.
fn texts(machine: &mut Machine<'_>, call: &Call) -> Data {
    let valued = [
        "-w",
        "-r",
        "-m",
        "-M",
        "-n",
        "-N",
        "-L",
        "--warmup",
        "--runs",
        "--export-json",
        "--export-markdown",
        "--names",
        "-P",
        "-u",
        "-i",
        "--command-name",
        "--max-processes",
    ];
    for text in options::words(call.args(), &valued) {
        runs_text(machine, text, &Data::empty());
    }
    for option in options::parse(
        call.args(),
        "psc",
        &["prepare", "setup", "cleanup", "conclude"],
        false,
    )
    .values(&["p", "s", "c", "prepare", "setup", "cleanup", "conclude"])
    {
        let text = option.to_owned();
        runs_text(machine, &text, &Data::empty());
    }
    Data::unknown()
}

fn network_namespace(machine: &mut Machine<'_>, call: &Call) -> Data {
    match call.args() {
        [net, exec, _, words @ ..] if net == "netns" && exec == "exec" => {
            machine.run_words(words, &call.stdin)
        }
        args => {
            if args.iter().any(|arg| {
                matches!(
                    arg.as_str(),
                    "del" | "delete" | "flush" | "set" | "add" | "down" | "replace" | "change"
                )
            }) {
                effect(machine, &policy::SYSTEM_STATE, "ip");
            }
            Data::unknown()
        }
    }
}

#[cfg(test)]
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    WRAPPERS.iter().map(|wrapper| wrapper.name)
}
