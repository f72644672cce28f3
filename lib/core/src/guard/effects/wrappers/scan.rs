//! Programs in the arguments of wrappers that nobody listed.

use crate::guard::data::Data;
use crate::guard::machine::{Call, Machine};
use crate::guard::mark;
use crate::guard::verdict::Decision;

const HARMFUL: &[&str] = &[
    "rm",
    "dd",
    "shred",
    "mkfs",
    "wipefs",
    "git",
    "sh",
    "bash",
    "zsh",
    "dash",
    "ksh",
    "fish",
    "sudo",
    "doas",
    "find",
    "chmod",
    "chown",
    "mv",
    "truncate",
    "tee",
    "curl",
    "wget",
    "nc",
    "eval",
    "python",
    "python3",
    "node",
    "perl",
    "ruby",
    "php",
    "kill",
    "pkill",
    "killall",
    "reboot",
    "shutdown",
    "poweroff",
    "halt",
    "busybox",
    "xargs",
    "env",
    "docker",
    "kubectl",
    "systemctl",
    "crontab",
    "unlink",
    "rmdir",
    "rsync",
    "scp",
    "ssh",
    "dropdb",
    "psql",
    "mysql",
    "aws",
    "gcloud",
    "terraform",
    "npm",
    "cargo",
    "claude",
];

/// Any later argument that names a program which can do harm is judged as one: for wrappers that
/// nobody listed.
pub(in crate::guard::effects) fn scan(machine: &mut Machine<'_>, call: &Call) {
    let args = call.args();
    for at in 0..args.len().min(32) {
        let name = args[at].rsplit('/').next().unwrap_or("");
        if !(HARMFUL.contains(&name) || name.starts_with("mkfs.")) || mark::unknown(name) {
            continue;
        }
        let words = args[at..].to_vec();
        let verdict = machine.probe(|machine| {
            machine.run_words(&words, &Data::unknown());
        });
        if verdict.decision > Decision::Allow {
            machine.note(verdict);
        }
        return;
    }
}
