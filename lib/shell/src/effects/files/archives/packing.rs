//! Archivers with verbs: what they take in, and where they put it.

use super::extracts;
use crate::effects::{How, options, reads, writes};
use crate::machine::{Call, Machine};

/// What is put into an archive, and folders that are no option's value.
pub(super) fn packs(machine: &mut Machine<'_>, call: &Call) {
    let args = call.args();
    let operands = options::words(args, "-d -C -H -F -E -R -M");
    match call.name.as_str() {
        // A verb, the archive, then what goes in.
        "7z" | "7za" | "7zr" | "rar" | "ar"
            if operands.first().is_some_and(|verb| {
                verb.trim_start_matches('-')
                    .starts_with(['a', 'u', 'm', 'r', 'q'])
            }) =>
        {
            for source in operands.iter().skip(2) {
                reads(machine, source);
            }
            if let Some(archive) = operands.get(1) {
                writes(machine, archive, How::Append);
            }
        }
        "7z" | "7za" | "7zr" if operands.first() == Some(&"d") => {
            if let Some(archive) = operands.get(1) {
                writes(machine, archive, How::Append);
            }
        }
        "unrar" | "rar" => {
            if let Some(folder) = operands.get(2..).and_then(<[&str]>::last)
                && folder.ends_with('/')
            {
                extracts(machine, folder);
            }
        }
        "cpio" => {
            let passes = args.iter().any(|arg| {
                arg == "--pass-through" || arg.starts_with("-p") && !arg.starts_with("--")
            });
            if passes && let Some(folder) = operands.last() {
                extracts(machine, folder);
            }
        }
        "jar" => {
            for pair in args.windows(2).filter(|pair| pair[0] == "-C") {
                extracts(machine, &pair[1]);
            }
        }
        _ => {}
    }
}
