//! Programs that the guard does not know, and programs whose name is not known.

mod words;

use super::{effect, options, place_of, roughly};
use crate::context::Entry;
use crate::data::Data;
use crate::machine::{Call, Machine};
use crate::names::one_of;
use crate::place::{self, PathClass};
use crate::verdict::Decision;
use crate::{mark, policy};
use words::{CHANGING, GRAVE};

/// A program whose name is computed: its arguments decide how grave that is.
pub(super) fn computed(machine: &mut Machine<'_>, call: &Call) -> Data {
    if call.name.contains(mark::SHELL) {
        super::exhausts(machine, "the shell runs itself");
        return Data::unknown();
    }
    if call.name.contains(mark::NETWORK) {
        effect(machine, &policy::REMOTE_CODE, "sh");
        return Data::unknown();
    }
    if mark::pattern(&call.name) {
        effect(machine, &policy::OPAQUE_CODE, &call.argv[0]);
        return Data::unknown();
    }
    // As if it were the worst that takes such arguments.
    let verdict = machine.probe(|machine| {
        let mut argv = call.argv.clone();
        "rm".clone_into(&mut argv[0]);
        machine.run_words(&argv, &Data::empty());
    });
    let flags = call
        .args()
        .iter()
        .any(|arg| arg.starts_with('-') && arg.contains(['r', 'R', 'f']));
    let rule = if verdict.decision == Decision::Deny && flags {
        &policy::OPAQUE_CODE
    } else {
        &policy::COMPUTED
    };
    effect(machine, rule, &call.argv[0]);
    Data::unknown()
}

/// Is it a program of the system, by its folder?
pub(crate) fn is_program(path: &str) -> bool {
    let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
    ["/bin", "/sbin", "/usr/bin", "/usr/sbin", "/usr/local/bin"].contains(&folder)
}

/// The program of the agent's own that a name stands for where the command sets `PATH`.
fn along_path(machine: &Machine<'_>, name: &str) -> Option<String> {
    let path = machine.given("PATH").filter(|_| is_plain(name))?;
    let folders = path.split(':');
    folders
        .take_while(|folder| !mark::unknown(folder))
        .map(|folder| format!("{folder}/{name}"))
        .take_while(|path| !is_program(path))
        .find(|path| {
            let resolved = machine.resolve(path, false);
            roughly(machine, path).is_own()
                && (machine.files.contains_key(&resolved)
                    || machine.context.facts.entry(&resolved) == Entry::File)
        })
}

/// A program by its path: files that came over the network or from nowhere are not run.
pub(super) fn program_place(machine: &mut Machine<'_>, call: &Call) {
    let found = along_path(machine, &call.argv[0]);
    let program = found.as_ref().unwrap_or(&call.argv[0]);
    if program.contains('/') {
        let resolved = machine.resolve(program, false);
        let named = place::lexical(program, &machine.state.cwd, machine.context.home);
        if is_program(&resolved) && !is_program(&named) {
            // A link to another program, under a name of its own.
            let mut words = call.argv.clone();
            words[0].clone_from(&resolved);
            machine.run_words(&words, &call.stdin);
        } else if let Some(data) = machine.files.get(&resolved).cloned() {
            if data.network {
                effect(machine, &policy::REMOTE_CODE, program);
            } else if data.text.is_some() {
                let zero = std::mem::replace(&mut machine.state.zero, program.as_str().into());
                super::runs_data(machine, &data);
                machine.state.zero = zero;
            } else if let Some(original) = data.path.filter(|path| **path != *resolved) {
                // A copy of another program, or a link to it.
                let mut words = call.argv.clone();
                original.as_ref().clone_into(&mut words[0]);
                machine.run_words(&words, &call.stdin);
            } else {
                super::runs_written(machine, program, Some("sh"));
            }
            return;
        }
        if fetched(machine, program) {
            effect(machine, &policy::REMOTE_CODE, program);
        } else if matches!(place_of(machine, program), PathClass::Temporary)
            && !stands_for_nothing(machine, &resolved)
        {
            effect(machine, &policy::ELSEWHERE_PROGRAM, program);
        } else {
            super::runs_written(machine, program, Some("sh"));
        }
    }
}

/// Was it unpacked from an archive that came over the network with this command?
pub(super) fn fetched(machine: &Machine<'_>, path: &str) -> bool {
    let path = machine.resolve(path, false);
    machine.context.facts.fetched(&path)
        || machine
            .fetched
            .iter()
            .any(|folder| place::inside(&path, folder))
            && machine.context.facts.entry(&path) != Entry::File
}

/// Is nothing there to run yet, or only what the agent made itself?
fn stands_for_nothing(machine: &Machine<'_>, path: &str) -> bool {
    let facts = machine.context.facts;
    // A folder that `mktemp` makes holds what this command puts there.
    path.starts_with(&format!("/tmp/tmp.{}/", mark::SEGMENT))
        || !mark::unknown(path) && (facts.entry(path) == Entry::Missing || facts.own(path))
}

/// A script that is run or sourced.
pub(super) fn script_place(machine: &mut Machine<'_>, path: &str) {
    let name = place::last(path);
    let known = path.ends_with("/bin/activate")
        || matches!(name, "nvm.sh" | ".nvm/nvm.sh")
        || path.ends_with(".cargo/env")
        || name == "emsdk_env.sh";
    if known {
        return;
    }
    let rule = match place_of(machine, path) {
        PathClass::Temporary if stands_for_nothing(machine, &machine.resolve(path, false)) => {
            return;
        }
        PathClass::Work
        | PathClass::Build
        | PathClass::Root
        | PathClass::Harmless
        | PathClass::Guard
        | PathClass::RunState
        | PathClass::Git
        | PathClass::LocalSecret => return,
        PathClass::Startup
            if matches!(name, ".bashrc" | ".profile" | ".bash_profile" | ".zshrc") =>
        {
            return;
        }
        PathClass::System if !path.starts_with("/home") => return,
        PathClass::Unknown => &policy::COMPUTED,
        _ => &policy::ELSEWHERE_PROGRAM,
    };
    effect(machine, rule, path);
}

/// Test runners and checkers: their words choose tests and files.
pub(super) const TESTERS: &[&str] = overnight_base::words!(
    "pytest py.test jest vitest mocha ava tap jasmine karma cypress playwright rspec cucumber \
     minitest phpunit pest behat codecept nosetests green behave bats ctest gotestsum ginkgo \
     kaocha busted shellspec unittest robot eslint prettier tsc ruff black mypy flake8 pylint \
     rubocop phpstan psalm shellcheck stylelint biome golangci-lint"
);

/// A program that nothing is known of: what can be read from its arguments.
pub(super) fn program(machine: &mut Machine<'_>, call: &Call) -> Data {
    let args = call.args();
    let rehearsal = options::any(
        args,
        "--dry-run --dryrun --help --check --version -n --noop --what-if --plan",
    );
    if call.name.starts_with("BASH_FUNC_") {
        effect(machine, &policy::ENV_CODE, &call.name);
    }
    if !(rehearsal || TESTERS.contains(&call.name.as_str())) && is_plain(&call.argv[0]) {
        verbs(machine, call);
        elsewhere(machine, call);
    }
    // A server that this command starts.
    if call.name.ends_with("server")
        && let Some(port) = options::parse(args, "p", "port", false).value("p", "port")
    {
        machine.made.insert(format!(":{port}"));
    }
    secrets_in_arguments(machine, args);
    if let Some(address) = args
        .iter()
        .find(|arg| arg.contains("://") && arg.contains([mark::SECRET, mark::OUTPUT]))
    {
        effect(machine, &policy::EXFILTRATE, address);
    }
    if !rehearsal && is_plain(&call.argv[0]) {
        foreign(machine, call);
    }
    output(machine, args);
    super::commands::of_unknown(machine, call);
    if call.stdin.secret {
        effect(machine, &policy::UNKNOWN_PROGRAM, &call.name);
    }
    effect(machine, &policy::UNKNOWN_PROGRAM, &call.name);
    call.stdin.derived()
}

/// Programs that by being started publish or destroy, hand results, sources or snapshots to a service, or change
/// machines, find ways into them or put load on them.
const GRAVE_PROGRAMS: &[&str] = overnight_base::words!(
    "gh-pages surge shipit dput codepush snapcraft-upload altool codecov codecovcli coveralls \
     chromatic percy sonar-scanner storybook-to-ghpages codeclimate-test-reporter cc-test-reporter \
     bundlewatch bugsnag-cli datadog-agent lhci crowdin lokalise2 transifex tx honeybadger \
     rollbar-cli applitools happo appcast dropshot ffsend gist hastebin pastebin termbin \
     asciinema-upload bundletool-install hydra sqlmap msfconsole msfvenom nikto gobuster ffuf \
     masscan hping3 slowloris aircrack-ng ettercap arpspoof responder mimikatz hashcat john"
);
/// Words in the name of a program that say what starting it does.
const GRAVE_PARTS: &[&str] = overnight_base::words!(
    "uninstall uninstaller nuke wipe destroy purge publish deploy undeploy upload unpublish push \
     delete"
);
/// Options that make building or checking into changing something elsewhere.
const GRAVE_OPTIONS: &[&str] = overnight_base::words!(
    "--push --publish --deploy --upload --no-dry-run --destroy --prune --auto-submit --purge \
     --wipe --delete-all --upload-app"
);

/// What the program's name, its first words and its options say that it does.
fn verbs(machine: &mut Machine<'_>, call: &Call) {
    let words = options::words(call.args(), "");
    let verbs = &words[..words.len().min(3)];
    let parts = |word: &str, listed: &[&str]| {
        !word.contains(['/', '.', ' '])
            && word
                .split(['-', '_', ':'])
                .any(|part| listed.contains(&part))
    };
    let stem = call.name.trim_end_matches(".sh");
    let said = verbs
        .iter()
        .find(|word| GRAVE.contains(*word) || parts(word, GRAVE_PARTS))
        .or_else(|| verbs.iter().take(2).find(|word| CHANGING.contains(*word)))
        .copied()
        .or_else(|| {
            call.args()
                .iter()
                .map(String::as_str)
                .find(|arg| GRAVE_OPTIONS.contains(arg))
        });
    let by_name = GRAVE_PROGRAMS.contains(&call.name.as_str())
        || parts(stem, GRAVE_PARTS)
        || parts(stem, &["nuke"])
        || (call.name == "snyk" && verbs.first() == Some(&"monitor"))
        || (call.name == "bundletool" && verbs.iter().any(|verb| verb.starts_with("install")));
    if let Some(verb) = said {
        effect(machine, &policy::CHANGE, &format!("{} {verb}", call.name));
    } else if by_name {
        effect(machine, &policy::CHANGE, &call.name);
    }
}

/// Verbs with which data goes to where an argument leads.
const SENDING: &[&str] = overnight_base::words!(
    "put cp copy sync import push backup create upload send mirror mv move post export commit \
     share archive"
);

/// Other machines, disks and the whole home folder among the arguments.
fn elsewhere(machine: &mut Machine<'_>, call: &Call) {
    let words = options::words(call.args(), "");
    let sends = words.iter().any(|word| SENDING.contains(word));
    let mut previous = "";
    for arg in call.args() {
        for part in arg.split([',', '=']) {
            if DISKS.iter().any(|disk| part.starts_with(disk)) {
                effect(machine, &policy::DISK, part);
            }
        }
        let there =
            is_service(machine, arg) || HOST_OPTIONS.contains(&previous) && is_host(machine, arg);
        previous = arg;
        if there {
            effect(machine, &policy::CHANGE, &format!("{} {arg}", call.name));
        }
        if sends && is_address(arg) {
            effect(machine, &policy::SEND, arg);
        }
        if matches!(arg.as_str(), "/" | "~") || *arg == machine.context.home {
            effect(machine, &policy::WRITE_HOME, arg);
        }
    }
}

/// Options that say on which machine a client acts.
const HOST_OPTIONS: &[&str] =
    overnight_base::words!("-h -H --host --hostname -b --broker --server");

/// `api.example.com:443`: a port of another machine.
fn is_service(machine: &Machine<'_>, arg: &str) -> bool {
    arg.rsplit_once(':').is_some_and(|(host, port)| {
        let port = matches!(port.len(), 2..=5) && port.bytes().all(|byte| byte.is_ascii_digit());
        port && is_host(machine, host)
    })
}

/// A name of the network or an address of another machine; a file with a dot in it is none.
fn is_host(machine: &Machine<'_>, name: &str) -> bool {
    let parts: Vec<&str> = name.split('.').collect();
    let plain = |part: &&str| {
        !part.is_empty()
            && part
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
    };
    parts.len() > 2
        && parts.iter().all(plain)
        && !matches!(parts[0], "127" | "0")
        && machine.context.facts.entry(&machine.resolve(name, false)) != Entry::File
}

/// Disks by their names.
const DISKS: &[&str] = overnight_base::words!(
    "/dev/sd /dev/nvme /dev/hd /dev/vd /dev/xvd /dev/mmcblk /dev/disk /dev/mapper /dev/md \
     /dev/dm- /dev/loop"
);

/// `s3://bucket`, `sftp:host:/x`, `//host/share`, `user@host:path`; not of this machine.
fn is_address(arg: &str) -> bool {
    let scheme = arg.split_once("://").is_some_and(|(scheme, rest)| {
        scheme != "file" && !rest.starts_with("localhost") && !rest.starts_with("127.")
    });
    let host = arg.split_once(':').is_some_and(|(host, path)| {
        (host.contains('@') || one_of(host, "sftp rest s3 b2 gs azure rclone"))
            && !host.contains('/')
            && !path.is_empty()
    });
    scheme || host || arg.starts_with("//")
}

/// A program that nobody knows, or that builds, may write wherever an argument leads: outside of the repository it must not.
/// What the last one names may be a setting of the machine.
pub(super) fn foreign(machine: &mut Machine<'_>, call: &Call) {
    let settings = [
        "/etc",
        "/boot",
        "/sys",
        "/proc/sys",
        "/var/spool",
        "/root",
        "/var/lib",
    ];
    for (at, arg) in call.args().iter().enumerate() {
        let path = match (arg.split_once('='), arg.strip_prefix('-')) {
            (Some((_, value)), _) => value,
            (None, Some(option)) => option.get(1..).unwrap_or(""),
            (None, None) => arg,
        };
        // `//app` names a target of a build.
        if !path.contains('/') || path.starts_with("//") || path.contains([' ', ':']) {
            continue;
        }
        let last = at + 1 == call.args().len();
        // Where the shell went itself was looked at then.
        let here = place::inside(&machine.resolve(path, false), &machine.state.cwd);
        if here && !last {
            continue;
        }
        let rule = match roughly(machine, path) {
            PathClass::Home | PathClass::Elsewhere if !here => &policy::WRITE_HOME,
            PathClass::Startup | PathClass::Credentials | PathClass::Guard => {
                &policy::WRITE_UNKNOWN
            }
            PathClass::Git | PathClass::Device if last => &policy::WRITE_UNKNOWN,
            PathClass::System if last && settings.iter().any(|it| place::inside(path, it)) => {
                &policy::WRITE_UNKNOWN
            }
            _ => continue,
        };
        effect(machine, rule, path);
    }
}

/// `-o file`: compilers and converters write there, and a program made so may be run.
fn output(machine: &mut Machine<'_>, args: &[String]) {
    for file in options::parse(args, "o", "output", false).values("o output") {
        super::writes(machine, file, super::How::Write);
        let path = machine.resolve(file, false);
        machine.files.entry(path).or_insert_with(Data::unknown);
    }
}

/// Is it a name looked up in PATH? A script of the repository may call its own verbs as it likes.
fn is_plain(program: &str) -> bool {
    !program.contains('/')
}

/// Names of files of secrets among the arguments of a program that may show them.
pub(super) fn secrets_in_arguments(machine: &mut Machine<'_>, args: &[String]) {
    for arg in args {
        let value = arg
            .rsplit_once(['=', '@', ':'])
            .map_or(arg.as_str(), |(_, value)| value);
        for path in [arg.as_str(), value] {
            let looks = path.contains('/') || path.starts_with('.') || path.starts_with('~');
            if looks && !path.contains(' ') && place::secret(roughly(machine, path)) {
                super::reads(machine, path);
            }
        }
    }
}
