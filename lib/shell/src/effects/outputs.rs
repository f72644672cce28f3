//! Files that programs write by an option or by their place among the arguments, beside what they
//! print.

use super::{How, commands, effect, folders, options, packages, stands_in, unknown, writes};
use crate::data::Data;
use crate::machine::{Call, Machine};
use crate::{names, place, policy};

/// Options whose value is a file that is written. Programs that nobody lists have `-o` looked at by
/// `unknown`.
const BY_OPTION: &[(&str, &[&str])] = &[
    ("shuf", &["-o", "--output"]),
    ("iconv", &["-o", "--output"]),
    ("tree", &["-o"]),
    ("diff", &["--output"]),
    ("sdiff", &["-o", "--output"]),
    ("less", &["-o", "-O", "--log-file", "--LOG-FILE"]),
    ("csplit", &["-f", "--prefix"]),
    ("zstd", &["-o"]),
    ("unzstd", &["-o"]),
    ("uudecode", &["-o"]),
    ("highlight", &["-o", "--output"]),
    ("pygmentize", &["-o"]),
    ("info", &["-o", "--output"]),
    ("base64", &["-o"]),
    ("xsltproc", &["-o", "--output"]),
    ("tcpdump", &["-w"]),
    ("tshark", &["-w"]),
    ("dumpcap", &["-w"]),
    ("nmap", &["-oN", "-oX", "-oG", "-oA", "-oS"]),
    ("gpg", &["-o", "--output"]),
    ("gpg2", &["-o", "--output"]),
    ("age", &["-o", "--output"]),
    ("age-keygen", &["-o", "--output"]),
    ("minisign", &["-s"]),
    (
        "curl",
        overnight_base::words!(
            "--trace --trace-ascii --libcurl --stderr --etag-save --alt-svc --hsts"
        ),
    ),
    ("wget", &["-o", "--output-file", "-a", "--append-output"]),
    ("ar", &["--output"]),
    ("patch", &["-o", "--output", "-r", "--reject-file"]),
    ("perf", &["-o", "--output"]),
    (
        "gawk",
        overnight_base::words!("-o --pretty-print -d --dump-variables -p --profile"),
    ),
    ("openssl", &["-keyout", "-CAserial", "-writerand"]),
    ("npm", &["--pack-destination"]),
    ("pip", &["-d", "--dest", "-w", "--wheel-dir", "--log"]),
    ("pip3", &["-d", "--dest", "-w", "--wheel-dir", "--log"]),
    ("cargo", &["--target-dir", "--out-dir", "--artifact-dir"]),
    ("ps2pdf", &["-o"]),
    ("git", &["--separate-git-dir", "--prefix"]),
    ("zig", &["-p", "--prefix"]),
    ("aria2c", &["-d", "--dir"]),
    ("http", &["-o", "--output"]),
    ("https", &["-o", "--output"]),
    ("curl", &["--output-dir"]),
    ("swift", &["--scratch-path", "--build-path", "--cache-path"]),
    ("ghc", &["-o", "-outputdir", "-odir", "-hidir"]),
    ("nim", &["-o", "--out", "--outdir", "--nimcache"]),
    ("crystal", &["-o"]),
    ("stack", &["--local-bin-path"]),
    ("cabal", &["--installdir"]),
];

/// Programs whose second operand is written.
const SECOND: &[&str] = &["uniq", "xxd"];

/// What a program writes beside its output.
pub(super) fn written(machine: &mut Machine<'_>, call: &Call) {
    folders::elsewhere(machine, call);
    for (name, names) in BY_OPTION {
        if *name != call.name {
            continue;
        }
        for file in commands::values(call.args(), names) {
            if file != "-" && !file.is_empty() {
                writes(machine, &file, How::Append);
                let path = machine.resolve(&file, false);
                machine.files.entry(path).or_insert_with(Data::unknown);
            }
        }
    }
    if stands_in(packages::ROWS, &call.name) {
        unknown::foreign(machine, call);
    }
    if SECOND.contains(&call.name.as_str()) {
        let valued = ["-f", "-s", "-w", "-l", "-c", "-g", "-o", "-n"];
        if let Some(file) = options::words(call.args(), &valued).get(1) {
            writes(machine, file, How::Write);
        }
    }
    if matches!(call.name.as_str(), "docker" | "podman" | "nerdctl")
        && call
            .args()
            .iter()
            .any(|arg| matches!(arg.as_str(), "save" | "export"))
    {
        for file in commands::values(call.args(), &["-o", "--output"]) {
            writes(machine, &file, How::Write);
        }
    }
}

/// Attributes that name a filter make git run what its configuration says; that of large files is everybody's.
pub(crate) fn attributes(machine: &mut Machine<'_>, path: &str, data: &Data) {
    let text = data.text.as_deref().unwrap_or("");
    let filters = names::filters(text);
    if filters && place::last(path) == ".gitattributes" {
        effect(machine, &policy::WRITE_STARTS, path);
    }
}
