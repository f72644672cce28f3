//! Files that programs write by an option or by their place among the arguments, beside what they
//! print.

use super::{How, commands, effect, folders, options, packages, stands_in, unknown, writes};
use crate::data::Data;
use crate::machine::{Call, Machine};
use crate::{names, place, policy};

/// Options whose value is a file that is written. Programs that nobody lists have `-o` looked at by
/// `unknown`.
const BY_OPTION: &[(&str, &str)] = &[
    (
        "shuf iconv tree sdiff less zstd unzstd uudecode highlight pygmentize info base64 xsltproc \
         gpg gpg2 age age-keygen wget patch perf ps2pdf http https ghc nim crystal",
        "-o --output",
    ),
    ("diff ar", "--output"),
    ("less", "-O --log-file --LOG-FILE"),
    ("csplit", "-f --prefix"),
    ("tcpdump tshark dumpcap", "-w"),
    ("nmap", "-oN -oX -oG -oA -oS"),
    ("minisign", "-s"),
    (
        "curl",
        "--trace --trace-ascii --libcurl --stderr --etag-save --alt-svc --hsts --output-dir",
    ),
    ("wget", "--output-file -a --append-output"),
    ("patch", "-r --reject-file"),
    ("gawk", "-o --pretty-print -d --dump-variables -p --profile"),
    ("openssl", "-keyout -CAserial -writerand"),
    ("npm", "--pack-destination"),
    ("pip pip3", "-d --dest -w --wheel-dir --log"),
    ("cargo", "--target-dir --out-dir --artifact-dir"),
    ("git", "--separate-git-dir --prefix"),
    ("zig", "-p --prefix"),
    ("aria2c", "-d --dir"),
    ("swift", "--scratch-path --build-path --cache-path"),
    ("ghc", "-outputdir -odir -hidir"),
    ("nim", "--out --outdir --nimcache"),
    ("stack cabal", "--local-bin-path --installdir"),
];

/// What a program writes beside its output.
pub(super) fn written(machine: &mut Machine<'_>, call: &Call) {
    folders::elsewhere(machine, call);
    for (_, options) in BY_OPTION.iter().filter(|(names, _)| call.is(names)) {
        for file in commands::values(call.args(), options) {
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
    // The second operand.
    if call.is("uniq xxd")
        && let Some(file) = options::words(call.args(), "-f -s -w -l -c -g -o -n").get(1)
    {
        writes(machine, file, How::Write);
    }
    if call.is("docker podman nerdctl") && options::any(call.args(), "save export") {
        for file in commands::values(call.args(), "-o --output") {
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
