//! Programs that talk to other machines.

#![expect(
    clippy::too_many_lines,
    reason = "a list of programs or options in the order in which they are told apart"
)]

use super::{Handler, How, effect, options, place_of, reads, runs_text, writes};
use crate::guard::data::Data;
use crate::guard::machine::{Call, Machine};
use crate::guard::place::{self, Place};
use crate::guard::{mark, policy};

pub(super) fn handler(name: &str) -> Option<Handler> {
    Some(match name {
        "curl" => curl,
        "wget" | "wget2" | "aria2c" | "fetch" | "axel" | "iwr" | "Invoke-WebRequest"
        | "lwp-download" | "lynx" | "w3m" | "links" | "GET" => download,
        "http" | "https" | "xh" | "httpie" => httpie,
        "nc" | "ncat" | "netcat" | "socat" | "telnet" | "openssl" | "websocat" | "cryptcat" => raw,
        "ping" | "ping6" | "dig" | "nslookup" | "host" | "traceroute" | "whois" | "drill"
        | "tracepath" | "mtr" | "getent" | "fping" => names,
        "ssh" | "mosh" | "pdsh" | "pssh" | "parallel-ssh" | "clush" | "autossh" | "sshpass"
        | "rsh" | "rlogin" | "dsh" | "ansible-console" | "fab" | "winrs" | "plink" => remote,
        "scp" | "sftp" | "ftp" | "lftp" | "rcp" | "croc" | "magic-wormhole" | "wormhole"
        | "ncftpput" | "tftp" | "pscp" | "sshfs" | "rclone" | "mail" | "mailx" | "sendmail"
        | "mutt" | "swaks" | "transfer" => transfer,
        "ssh-keygen" | "ssh-add" | "ssh-copy-id" | "ssh-keyscan" => keys,
        _ => return None,
    })
}

/// Is the address of this machine?
fn local(url: &str) -> bool {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let host = rest.split(['/', '?']).next().unwrap_or("");
    let host = host.rsplit('@').next().unwrap_or(host);
    let name = if host.starts_with('[') {
        host
    } else {
        host.split(':').next().unwrap_or("")
    };
    matches!(name, "localhost" | "127.0.0.1" | "0.0.0.0" | "[::1]")
        || name.ends_with(".localhost")
        || name.starts_with("127.")
        || name == "host.docker.internal"
}

/// An address that carries something out: output of commands or secrets inside it.
fn leaks(machine: &mut Machine<'_>, url: &str) {
    if url.contains(mark::SECRET) || (url.contains(mark::OUTPUT) && !local(url)) {
        effect(machine, &policy::EXFILTRATE, url);
    }
}

const SHORT: &str = "XdHoFTuAebcmKwrYyzxtEQCDPU";

const LONG: &[&str] = &[
    "request",
    "data",
    "data-raw",
    "data-binary",
    "data-urlencode",
    "json",
    "header",
    "output",
    "form",
    "upload-file",
    "user",
    "user-agent",
    "referer",
    "cookie",
    "cookie-jar",
    "max-time",
    "connect-timeout",
    "config",
    "write-out",
    "range",
    "retry",
    "retry-delay",
    "url",
    "proxy",
    "cacert",
    "cert",
    "key",
    "resolve",
    "form-string",
    "output-dir",
    "oauth2-bearer",
    "max-redirs",
    "retry-max-time",
    "limit-rate",
    "interface",
    "unix-socket",
    "dump-header",
];

fn curl(machine: &mut Machine<'_>, call: &Call) -> Data {
    let options = options::parse(call.args(), SHORT, LONG, false);
    let mut urls: Vec<String> = options
        .operands
        .iter()
        .map(|url| mark::show_patterns(url))
        .collect();
    urls.extend(options.values(&["url"]).iter().map(|url| (*url).to_owned()));
    let outside =
        urls.iter().any(|url| !local(url)) || (urls.is_empty() && !options.given.is_empty());
    for url in &urls {
        leaks(machine, url);
        if let Some(path) = url.strip_prefix("file://") {
            reads(machine, path);
        }
    }
    let sent = uploads(machine, call, &options);
    for header in options.values(&[
        "H",
        "header",
        "b",
        "cookie",
        "u",
        "user",
        "oauth2-bearer",
        "A",
        "e",
    ]) {
        if header.contains(mark::SECRET) && outside {
            effect(machine, &policy::SEND, "a secret in a header");
        }
    }
    let method = options
        .value("X", "request")
        .unwrap_or("GET")
        .to_ascii_uppercase();
    let changes = !matches!(method.as_str(), "GET" | "HEAD" | "OPTIONS") || sent.is_some();
    if let Some(data) = &sent
        && outside
        && data.secret
    {
        effect(machine, &policy::EXFILTRATE, "curl");
    }
    if changes && outside {
        effect(machine, &policy::SEND, &format!("curl {method}"));
    }
    if changes && method == "DELETE" && !outside {
        effect(machine, &policy::CHANGE, "curl DELETE");
    }
    outputs(machine, call, &options, &urls)
}

/// What `curl` sends: data, forms, files.
fn uploads(machine: &mut Machine<'_>, call: &Call, options: &options::Options<'_>) -> Option<Data> {
    let mut sent: Option<Data> = None;
    let bodies = options.values(&[
        "d",
        "data",
        "data-binary",
        "data-urlencode",
        "json",
        "F",
        "form",
        "T",
        "upload-file",
        "data-raw",
        "form-string",
        "K",
        "config",
    ]);
    for body in bodies {
        let file = body
            .split_once(['@', '<'])
            .map(|(_, file)| file.split(';').next().unwrap_or(file));
        let upload = options
            .values(&["T", "upload-file", "K", "config"])
            .contains(&body);
        let data = match file {
            _ if upload && (body == "-" || body == ".") => call.stdin.clone(),
            _ if upload => super::content(machine, body),
            Some("-") => call.stdin.clone(),
            Some(file) => super::content(machine, file),
            None => Data::known(body),
        };
        sent = Some(sent.unwrap_or_else(Data::empty).then(data));
    }
    sent
}

fn outputs(
    machine: &mut Machine<'_>,
    call: &Call,
    options: &options::Options<'_>,
    urls: &[String],
) -> Data {
    let data = if urls.iter().any(|url| url.starts_with("file://")) {
        Data::unknown()
    } else {
        Data::from_network()
    };
    let remote_name = options
        .given
        .iter()
        .any(|(name, _)| matches!(*name, "O" | "remote-name" | "remote-name-all"));
    let mut stored = false;
    for file in options
        .values(&["o", "output"])
        .into_iter()
        .chain(options.values(&["c", "cookie-jar", "D", "dump-header"]))
    {
        if file == "-" {
            continue;
        }
        stored = true;
        store(machine, file, &data);
    }
    if remote_name {
        stored = true;
        for url in urls {
            let name = place::last(url.split(['?', '#']).next().unwrap_or(url)).to_owned();
            store(machine, &name, &data);
        }
    }
    let _ = call;
    if stored { Data::empty() } else { data }
}

fn store(machine: &mut Machine<'_>, file: &str, data: &Data) {
    writes(machine, file, How::Write);
    let path = place::absolute(&machine.state.cwd, file);
    machine.files.insert(path, data.clone());
}

fn download(machine: &mut Machine<'_>, call: &Call) -> Data {
    let long = [
        "output-document",
        "directory-prefix",
        "header",
        "post-data",
        "post-file",
        "body-data",
        "body-file",
        "user",
        "password",
        "tries",
        "timeout",
        "input-file",
        "user-agent",
        "method",
        "output-file",
        "execute",
        "use-askpass",
    ];
    let options = options::parse(call.args(), "OoPUtTiae", &long, false);
    for name in ["post-file", "body-file"] {
        for file in options.values(&[name]) {
            let data = super::content(machine, file);
            super::sends(machine, &data, file);
        }
    }
    if let Some(program) = options.value("", "use-askpass") {
        let words = vec![program.to_owned()];
        machine.run_words(&words, &Data::empty());
    }
    if options
        .values(&["post-data", "body-data"])
        .iter()
        .any(|_| options.operands.iter().any(|url| !local(url)))
    {
        effect(machine, &policy::SEND, &call.name);
    }
    for url in &options.operands {
        leaks(machine, url);
    }
    let data = Data::from_network();
    if matches!(
        call.name.as_str(),
        "fetch" | "iwr" | "Invoke-WebRequest" | "lynx" | "w3m" | "links" | "GET"
    ) {
        return data;
    }
    match options.value("Oo", "output-document") {
        Some("-") => data,
        Some(file) => {
            let file = file.to_owned();
            store(machine, &file, &data);
            Data::empty()
        }
        None => {
            let folder = options
                .value("P", "directory-prefix")
                .unwrap_or(".")
                .to_owned();
            let clusters_to_stdout = call
                .args()
                .iter()
                .any(|arg| arg.starts_with("-qO-") || arg == "-O-");
            for url in options.operands.clone() {
                let name = place::last(url.split(['?', '#']).next().unwrap_or(url)).to_owned();
                store(machine, &format!("{folder}/{name}"), &data);
            }
            if clusters_to_stdout {
                data
            } else {
                Data::empty()
            }
        }
    }
}

fn httpie(machine: &mut Machine<'_>, call: &Call) -> Data {
    let words = options::words(call.args(), &["-a", "--auth", "-o", "--output"]);
    let method = words.first().copied().unwrap_or("GET");
    let explicit = method.chars().all(|c| c.is_ascii_uppercase());
    let url = if explicit {
        words.get(1)
    } else {
        words.first()
    }
    .copied()
    .unwrap_or("");
    let outside = !(local(url) || url.starts_with(':'));
    let body = words
        .iter()
        .skip(1)
        .any(|word| (word.contains('=') && !word.contains("==")) || word.contains('@'))
        || call.stdin.secret;
    if outside && (body || (explicit && !matches!(method, "GET" | "HEAD"))) {
        effect(
            machine,
            if call.stdin.secret {
                &policy::EXFILTRATE
            } else {
                &policy::SEND
            },
            "http",
        );
    }
    leaks(machine, url);
    Data::from_network()
}

fn raw(machine: &mut Machine<'_>, call: &Call) -> Data {
    let args = call.args();
    if call.name == "openssl" {
        return openssl(machine, call);
    }
    if args
        .iter()
        .any(|arg| arg.to_lowercase().contains("exec:") || arg.to_lowercase().contains("system:"))
        || options::parse(args, "pswiqXx", &[], false).has("ec", "")
        || options::any(args, &["--exec", "--sh-exec", "-e", "-c"])
    {
        effect(machine, &policy::RAW_NETWORK, &call.name);
    }
    let scans = options::parse(args, "pswiqXx", &[], false).has("z", "");
    let listens = options::parse(args, "pswiqXx", &[], false).has("l", "listen");
    let near = args.iter().any(|arg| local(arg));
    if !(scans || near) {
        let rule = if call.stdin.secret
            || call.stdin.path.is_some()
            || call.stdin.text.is_none()
            || listens
        {
            &policy::EXFILTRATE
        } else {
            &policy::SEND
        };
        effect(machine, rule, &call.name);
    }
    Data::from_network()
}

fn openssl(machine: &mut Machine<'_>, call: &Call) -> Data {
    if let Some("s_client") = call.args().first().map(String::as_str) {
        if call.stdin.secret || call.stdin.path.is_some() {
            effect(machine, &policy::EXFILTRATE, "openssl s_client");
        }
        Data::from_network()
    } else {
        let mut args = call.args().iter();
        while let Some(arg) = args.next() {
            if arg == "-out" {
                if let Some(file) = args.next() {
                    writes(machine, file, How::Write);
                }
            } else if matches!(arg.as_str(), "-in" | "-inkey" | "-key")
                && let Some(file) = args.next()
            {
                reads(machine, file);
            }
        }
        call.stdin.derived()
    }
}

/// Name look-ups carry what stands in the name to whoever answers for it.
fn names(machine: &mut Machine<'_>, call: &Call) -> Data {
    for arg in call.args() {
        if arg.contains(mark::OUTPUT)
            || arg.contains(mark::SECRET)
            || (arg.contains(mark::ANY) && arg.contains('.'))
        {
            effect(machine, &policy::EXFILTRATE, arg);
        }
    }
    if call.args().iter().any(|arg| arg == "-f") && call.name.starts_with("ping") {
        effect(machine, &policy::EXHAUST, "ping -f");
    }
    Data::from_network()
}

fn remote(machine: &mut Machine<'_>, call: &Call) -> Data {
    if call.args().iter().any(|arg| arg == "-V") {
        return Data::unknown();
    }
    for option in options::parse(call.args(), "oipLRDFlbcEeImOQSWwJBpm", &[], true).values(&["o"]) {
        if let Some((_, command)) = option
            .split_once("ProxyCommand")
            .or_else(|| option.split_once("LocalCommand"))
        {
            let command = command.trim_start_matches(['=', ' ']).to_owned();
            runs_text(machine, &command, &Data::empty());
            effect(machine, &policy::ENV_CODE, option);
        }
    }
    effect(machine, &policy::REMOTE_HOST, &call.name);
    Data::from_network()
}

fn transfer(machine: &mut Machine<'_>, call: &Call) -> Data {
    let operands = options::words(
        call.args(),
        &["-i", "-P", "-o", "-F", "-c", "-l", "-s", "-e", "-b"],
    );
    if call.name == "rclone" {
        return rclone(machine, call, &operands);
    }
    let secret = operands
        .iter()
        .any(|path| place::secret(place_of(machine, path)))
        || call.stdin.secret;
    let up = operands.last().is_some_and(|last| is_remote(last));
    if secret {
        effect(machine, &policy::EXFILTRATE, &call.name);
    } else if matches!(call.name.as_str(), "scp" | "rcp" | "pscp") && up {
        effect(machine, &policy::REMOTE_HOST, &call.name);
    } else {
        effect(machine, &policy::SEND, &call.name);
    }
    if let Some(target) = operands
        .last()
        .filter(|_| !up && matches!(call.name.as_str(), "scp" | "rcp" | "pscp"))
    {
        writes(machine, target, How::Write);
    }
    Data::from_network()
}

fn is_remote(path: &str) -> bool {
    path.split_once(':')
        .is_some_and(|(host, _)| !host.contains('/') && !host.is_empty())
}

fn rclone(machine: &mut Machine<'_>, call: &Call, words: &[&str]) -> Data {
    let dry = options::any(call.args(), &["--dry-run", "-n"]);
    let rule = match words.first().copied().unwrap_or("") {
        "ls" | "lsd" | "lsl" | "lsf" | "lsjson" | "size" | "about" | "version" | "listremotes"
        | "check" | "tree" | "help" => return Data::from_network(),
        "config" if words.get(1) == Some(&"show") => &policy::READ_CREDENTIALS,
        _ if dry => return Data::unknown(),
        "delete" | "purge" | "deletefile" | "sync" | "rmdirs" | "cleanup" | "bisync" => {
            &policy::DESTROY
        }
        _ if words
            .iter()
            .any(|path| place::secret(place_of(machine, path))) =>
        {
            &policy::EXFILTRATE
        }
        _ => &policy::SEND,
    };
    effect(machine, rule, "rclone");
    Data::unknown()
}

pub(super) fn rsync(machine: &mut Machine<'_>, call: &Call) -> Data {
    let long = [
        "exclude",
        "include",
        "rsh",
        "rsync-path",
        "files-from",
        "exclude-from",
        "include-from",
        "log-file",
        "filter",
        "backup-dir",
        "suffix",
        "chmod",
        "bwlimit",
        "link-dest",
        "max-size",
        "partial-dir",
    ];
    let options = options::parse(call.args(), "efMTB", &long, false);
    if let Some(shell) = options.value("e", "rsh")
        && !shell.starts_with("ssh")
    {
        let shell = shell.to_owned();
        runs_text(machine, &shell, &Data::unknown());
    }
    if options.has("n", "dry-run") || options.operands.is_empty() {
        return Data::unknown();
    }
    let mut sources = options.operands.clone();
    let target = sources.pop().unwrap_or("");
    let secret = sources
        .iter()
        .any(|path| place::secret(place_of(machine, path)));
    if is_remote(target) {
        effect(
            machine,
            if secret {
                &policy::EXFILTRATE
            } else {
                &policy::REMOTE_HOST
            },
            target,
        );
        return Data::unknown();
    }
    if secret {
        effect(machine, &policy::READ_CREDENTIALS, "rsync");
    }
    if sources.iter().any(|path| is_remote(path)) {
        effect(machine, &policy::SEND, "rsync from another machine");
    }
    let deletes = options
        .given
        .iter()
        .any(|(name, _)| name.starts_with("delete") || *name == "del");
    if deletes {
        super::deletes(machine, target);
    }
    if options
        .given
        .iter()
        .any(|(name, _)| *name == "remove-source-files")
    {
        for source in &sources {
            super::deletes(machine, source);
        }
    }
    if place_of(machine, target) != Place::Root {
        writes(machine, target, How::Write);
    }
    Data::unknown()
}

fn keys(machine: &mut Machine<'_>, call: &Call) -> Data {
    let options = options::parse(call.args(), "ftbCNPmFRIOnVwZD", &[], false);
    let file = options.value("f", "").unwrap_or("");
    let shows = options.has("y", "") || options.has("e", "");
    if call.name == "ssh-keygen" && shows {
        let file = file.to_owned();
        reads(machine, &file);
    } else if call.name == "ssh-keygen" && !options.has("lHF", "") {
        let file = if file.is_empty() {
            "~/.ssh/id_ed25519"
        } else {
            file
        }
        .to_owned();
        writes(machine, &file, How::Write);
    } else if matches!(call.name.as_str(), "ssh-copy-id" | "ssh-add") && !options.has("lL", "") {
        effect(machine, &policy::WRITE_CREDENTIALS, &call.name);
    }
    Data::unknown()
}
