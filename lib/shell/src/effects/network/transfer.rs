//! Programs that copy files to and from other machines, and the keys for them.

use crate::data::Data;
use crate::effects::{How, effect, options, place_of, reads, roughly, runs_text, writes};
use crate::machine::{Call, Machine};
use crate::place::{self, PathClass};
use crate::policy;

pub(super) fn transfer(machine: &mut Machine<'_>, call: &Call) -> Data {
    let operands = options::words(call.args(), "-i -P -o -F -c -l -s -e -b");
    if call.name == "rclone" {
        return rclone(machine, call, &operands);
    }
    let secret = operands
        .iter()
        .any(|path| place::secret(roughly(machine, path)))
        || call.stdin.secret;
    let said = call.args().join(" ") + " " + call.stdin.text.as_deref().unwrap_or("");
    let uploads = said
        .split_whitespace()
        .skip_while(|word| !matches!(*word, "put" | "mput" | "reput" | "send"))
        .skip(1)
        .any(|path| {
            let path = path.trim_matches(['"', '\'', ';']);
            place::secret(roughly(machine, path))
        });
    let secret = secret || uploads;
    for line in call.stdin.text.clone().as_deref().unwrap_or("").lines() {
        // The clients' own escape to the shell.
        if let Some(command) = line.trim_start().strip_prefix('!') {
            runs_text(machine, command, &Data::unknown());
        }
    }
    let up = operands.last().is_some_and(|last| is_remote(last));
    if secret {
        effect(machine, &policy::EXFILTRATE, &call.name);
    } else if call.is("scp rcp pscp") && up {
        effect(machine, &policy::REMOTE_HOST, &call.name);
    } else {
        effect(machine, &policy::SEND, &call.name);
    }
    if let Some(target) = operands.last().filter(|_| !up && call.is("scp rcp pscp")) {
        writes(machine, target, How::Write);
    }
    Data::from_network()
}

fn is_remote(path: &str) -> bool {
    path.split_once(':')
        .is_some_and(|(host, _)| !host.contains('/') && !host.is_empty())
}

fn rclone(machine: &mut Machine<'_>, call: &Call, words: &[&str]) -> Data {
    let dry = options::any(call.args(), "--dry-run -n");
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
            .any(|path| place::secret(roughly(machine, path))) =>
        {
            &policy::EXFILTRATE
        }
        _ => &policy::SEND,
    };
    effect(machine, rule, "rclone");
    Data::unknown()
}

const RSYNC_LONG: &str = "exclude include rsh rsync-path files-from exclude-from include-from log-file filter \
     backup-dir suffix chmod bwlimit link-dest max-size partial-dir";

pub(in crate::effects) fn rsync(machine: &mut Machine<'_>, call: &Call) -> Data {
    let options = options::parse(call.args(), "efMTB", RSYNC_LONG, false);
    if let Some(shell) = options.value("e", "rsh")
        && !shell.starts_with("ssh")
    {
        runs_text(machine, shell, &Data::unknown());
    }
    if options.has("n", "dry-run") || options.operands.is_empty() {
        return Data::unknown();
    }
    let mut sources = options.operands.clone();
    let target = sources.pop().unwrap_or("");
    let secret = sources
        .iter()
        .any(|path| place::secret(roughly(machine, path)));
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
        crate::effects::deletes(machine, target);
    }
    if options.gives("remove-source-files") {
        for source in &sources {
            crate::effects::deletes(machine, source);
        }
    }
    if place_of(machine, target) != PathClass::Root {
        writes(machine, target, How::Write);
    }
    Data::unknown()
}

pub(super) fn keys(machine: &mut Machine<'_>, call: &Call) -> Data {
    let options = options::parse(call.args(), "ftbCNPmFRIOnVwZD", "", false);
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
    } else if call.is("ssh-copy-id ssh-add") && !options.has("lL", "") {
        effect(machine, &policy::WRITE_CREDENTIALS, &call.name);
    }
    Data::unknown()
}
