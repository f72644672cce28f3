//! Programs that talk to other machines.

mod curl;
mod download;
mod httpie;
mod transfer;

pub(super) use transfer::rsync;

use curl::curl;
use download::download;
use httpie::httpie;
use transfer::{keys, transfer};

use super::{How, Row, effect, options, reads, runs_text, writes};
use crate::data::Data;
use crate::machine::{Call, Machine};
use crate::names::holds;
use crate::place;
use crate::{mark, policy};

pub(super) const ROWS: &[Row] = &[
    ("curl", curl),
    (
        "wget wget2 aria2c fetch axel iwr Invoke-WebRequest lwp-download lynx w3m links GET",
        download,
    ),
    ("http https xh httpie", httpie),
    ("nc ncat netcat socat telnet openssl websocat cryptcat", raw),
    (
        "ping ping6 dig nslookup host traceroute whois drill tracepath mtr getent fping",
        names,
    ),
    (
        "ssh mosh pdsh pssh parallel-ssh clush autossh sshpass winrm evil-winrm psexec psexec.exe \
         rexec cssh rsh rlogin dsh ansible-console fab winrs plink",
        remote,
    ),
    (
        "scp sftp ftp lftp rcp croc magic-wormhole wormhole ncftpput tftp pscp sshfs rclone mail \
         mailx sendmail mutt swaks transfer smbclient ncftp psftp msmtp ssmtp gdrive dropbox \
         syncthing onionshare onionshare-cli duplicity unison ffsend pastebinit uploadserver",
        transfer,
    ),
    ("ztcp zsocket zmodload", zsh_network),
    ("ssh-keygen ssh-add ssh-copy-id ssh-keyscan", keys),
];

/// Is the address of this machine?
pub(super) fn local(url: &str) -> bool {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let host = rest.split(['/', '?']).next().unwrap_or("");
    let host = host.rsplit('@').next().unwrap_or(host);
    let name = if host.starts_with('[') {
        host
    } else {
        host.split(':').next().unwrap_or("")
    };
    matches!(name, "localhost" | "127.0.0.1" | "0.0.0.0" | "[::1]")
        || host == "::1"
        || name.ends_with(".localhost")
        || name.starts_with("127.")
        || name == "host.docker.internal"
}

/// A connection made by the shell itself.
pub(crate) fn by_shell(machine: &mut Machine<'_>, target: &str) {
    if !local(target.split('/').nth(3).unwrap_or("")) {
        effect(machine, &policy::RAW_NETWORK, target);
    }
}

/// An address that carries something out: output of commands or secrets inside it.
fn leaks(machine: &mut Machine<'_>, url: &str) {
    desk(machine, [url]);
    if url.contains(mark::SECRET) || (url.contains(mark::OUTPUT) && !local(url)) {
        effect(machine, &policy::EXFILTRATE, url);
    }
    // Where clouds tell their machines who they are, keys included.
    let told = overnight_base::words!("169.254.169.254 169.254.170.2 metadata.google.internal");
    if told.iter().any(|host| url.contains(host)) {
        effect(machine, &policy::READ_CREDENTIALS, url);
    }
}

/// A person's desk is asked by their browser alone: an address with its port, or host and port apart.
fn desk<'a>(machine: &mut Machine<'_>, named: impl IntoIterator<Item = &'a str>) {
    let named: Vec<&str> = named.into_iter().collect();
    let near = named.iter().any(|text| local(text));
    let ports = named.iter().filter_map(|text| {
        let rest = text.split_once("://").map_or(*text, |(_, rest)| rest);
        let host = rest.split(['/', '?', '#', ',']).next()?;
        host.rsplit(':').next()?.parse().ok()
    });
    if near
        && ports
            .into_iter()
            .any(|port| machine.context.facts.is_desk(port))
    {
        effect(machine, &policy::TAMPER, "the person's desk");
    }
}

fn store(machine: &mut Machine<'_>, file: &str, data: &Data) {
    writes(machine, file, How::Write);
    let path = machine.resolve(file, false);
    machine.files.insert(path, data.clone());
}

fn raw(machine: &mut Machine<'_>, call: &Call) -> Data {
    let args = call.args();
    desk(machine, args.iter().map(String::as_str));
    if call.name == "openssl" {
        return openssl(machine, call);
    }
    let options = options::parse(args, "pswiqXx", "", false);
    if args
        .iter()
        .any(|arg| holds(&arg.to_lowercase(), "exec: system:"))
        || options.has("ec", "")
        || options::any(args, "--exec --sh-exec -e -c")
    {
        effect(machine, &policy::RAW_NETWORK, &call.name);
    }
    let near = args.iter().any(|arg| local(arg));
    let text = call
        .stdin
        .text
        .as_deref()
        .unwrap_or("")
        .to_ascii_lowercase();
    if holds(&text, "flush shutdown kill") || text.contains("delete ") || text.contains("drop ") {
        effect(machine, &policy::DESTROY, &call.name);
    }
    let secret = |arg: &String| {
        arg.split_once(':').is_some_and(|(_, path)| {
            let path = path.split(',').next().unwrap_or(path);
            place::secret(super::roughly(machine, path))
        })
    };
    if args.iter().any(secret) {
        effect(machine, &policy::EXFILTRATE, &call.name);
    }
    if !(options.has("z", "") || near) {
        let stdin = &call.stdin;
        let hands = stdin.secret || stdin.path.is_some() || stdin.text.is_none();
        let rule = if hands || options.has("l", "listen") {
            &policy::EXFILTRATE
        } else {
            &policy::SEND
        };
        effect(machine, rule, &call.name);
    }
    Data::from_network()
}

/// zsh's own sockets.
fn zsh_network(machine: &mut Machine<'_>, call: &Call) -> Data {
    if call.name != "zmodload" || call.args().iter().any(|arg| arg.starts_with("zsh/net")) {
        effect(machine, &policy::RAW_NETWORK, &call.name);
    }
    Data::from_network()
}

fn openssl(machine: &mut Machine<'_>, call: &Call) -> Data {
    let args = call.args();
    if options::begins(args, "s_client") {
        if call.stdin.secret || call.stdin.path.is_some() {
            effect(machine, &policy::EXFILTRATE, "openssl s_client");
        }
        return Data::from_network();
    }
    for (name, file) in options::pairs(args) {
        match name {
            "-out" => writes(machine, file, How::Write),
            "-in" | "-inkey" | "-key" => {
                reads(machine, file);
            }
            _ => {}
        }
    }
    let endless = options::begins(args, "rand")
        && args
            .last()
            .is_some_and(|size| super::sizes::text_fills(size));
    if endless && options::any(args, "-out") {
        super::exhausts(machine, "openssl rand");
    }
    Data {
        endless,
        ..call.stdin.derived()
    }
}

/// Name look-ups carry what stands in the name to whoever answers for it.
fn names(machine: &mut Machine<'_>, call: &Call) -> Data {
    if call.name == "getent" && options::any(call.args(), "shadow gshadow") {
        effect(machine, &policy::READ_CREDENTIALS, "getent");
    }
    for arg in call.args() {
        if arg.contains(mark::OUTPUT)
            || arg.contains(mark::SECRET)
            || (arg.contains(mark::ANY) && arg.contains('.'))
        {
            effect(machine, &policy::EXFILTRATE, arg);
        }
    }
    if options::any(call.args(), "-f") && call.name.starts_with("ping") {
        effect(machine, &policy::EXHAUST, "ping -f");
    }
    Data::from_network()
}

fn remote(machine: &mut Machine<'_>, call: &Call) -> Data {
    if options::any(call.args(), "-V") {
        return Data::unknown();
    }
    for option in options::parse(call.args(), "oipLRDFlbcEeImOQSWwJBpm", "", true).values("o") {
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
