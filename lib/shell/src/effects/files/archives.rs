//! Archives and compressed files.

mod packing;

use super::moved;
use crate::data::Data;
use crate::effects::{How, deletes, effect, options, place_of, reads, runs_text, writes};
use crate::machine::{Call, Machine};
use crate::place::PathClass;
use crate::policy;
use packing::packs;

const TAR_LONG: &str = "file directory exclude to-command checkpoint-action use-compress-program rsh-command \
     files-from info-script new-volume-script rmt-command one-top-level listed-incremental \
     transform owner group";

/// Programs that tar starts: for each file, each volume, each checkpoint, or to compress.
fn runs(machine: &mut Machine<'_>, options: &options::Options<'_>) {
    let programs = "to-command use-compress-program rsh-command info-script new-volume-script I F";
    for command in options.values(programs) {
        runs_text(machine, command, &Data::unknown());
    }
    for action in options.values("checkpoint-action") {
        if let Some(command) = action.strip_prefix("exec=") {
            runs_text(machine, command, &Data::unknown());
            effect(machine, &policy::INLINE_CODE, "tar --checkpoint-action");
        }
    }
}

pub(super) fn tar(machine: &mut Machine<'_>, call: &Call) -> Data {
    let mut args = call.args().to_vec();
    // Old style: the first word holds the letters without a dash.
    if args.first().is_some_and(|first| !first.starts_with('-')) {
        args[0].insert(0, '-');
    }
    let options = options::parse(&args, "fCIXTFbgHNVK", TAR_LONG, false);
    runs(machine, &options);
    let folder = options.value("C", "directory").map(str::to_owned);
    let creates =
        options.has("cru", "create") || options.has("A", "append") || options.has("", "update");
    if creates {
        let mut secret = false;
        for path in &options.operands {
            secret |= reads(machine, path).secret;
            if options.has("", "remove-files") {
                match &folder {
                    Some(folder) if !path.starts_with('/') => {
                        deletes(machine, &format!("{folder}/{path}"));
                    }
                    _ => deletes(machine, path),
                }
            }
        }
        if let Some(file) = options.value("f", "file").filter(|file| *file != "-") {
            writes(machine, file, How::Write);
        }
        return Data {
            secret,
            ..Data::unknown()
        };
    }
    if options.has("x", "extract") || options.has("", "get") {
        if let Some(top) = options.value("", "one-top-level") {
            extracts(machine, top);
        }
        let folder = folder.unwrap_or_else(|| ".".to_owned());
        if options.has("P", "absolute-names") {
            effect(machine, &policy::WRITE_SYSTEM, "tar -P");
        }
        extracts(machine, &folder);
        for member in &options.operands {
            let path = format!("{folder}/{member}");
            if matches!(place_of(machine, &path), PathClass::Guard | PathClass::Git) {
                writes(machine, &path, How::Write);
            }
        }
        let archive = options.value("f", "file").map(str::to_owned);
        let fetched = archive.is_some_and(|file| crate::effects::content(machine, &file).network);
        if call.stdin.network || fetched {
            let folder = machine.resolve(&folder, false);
            machine.fetched.push(folder);
        }
        if options.has("O", "to-stdout") {
            return call.stdin.derived();
        }
    }
    Data::unknown()
}

pub(super) fn extracts(machine: &mut Machine<'_>, folder: &str) {
    if !matches!(place_of(machine, folder), PathClass::Root | PathClass::Work) {
        writes(machine, folder, How::Write);
    }
}

/// `-TT command`: judged by `effects::commands`, taken out here for its letters.
fn without_test_command(args: &[String]) -> Vec<String> {
    let is = |arg: &str| matches!(arg, "-TT" | "--unzip-command");
    let mut kept = Vec::new();
    let mut args = args.iter();
    while let Some(arg) = args.next() {
        if is(arg) {
            args.next();
        } else {
            kept.push(arg.clone());
        }
    }
    kept
}

pub(super) fn zip(machine: &mut Machine<'_>, call: &Call) -> Data {
    let args: Vec<String> = without_test_command(call.args());
    let options = options::parse(&args, "xitbnP", "exclude include", false);
    let Some((archive, sources)) = options.operands.split_first() else {
        return Data::unknown();
    };
    writes(machine, archive, How::Write);
    for source in sources {
        reads(machine, source);
        if options.has("m", "move") {
            deletes(machine, source);
        }
    }
    Data::unknown()
}

pub(super) fn unpack(machine: &mut Machine<'_>, call: &Call) -> Data {
    let options = options::parse(call.args(), "dD", "directory", false);
    let archive = options
        .operands
        .iter()
        .any(|path| crate::effects::content(machine, path).network);
    if archive || call.stdin.network {
        let folder = options.value("dD", "directory").unwrap_or(".");
        let folder = machine.resolve(folder, false);
        machine.fetched.push(folder);
    }
    if call.name == "cpio"
        && let Some(file) =
            options::parse(call.args(), "OFIHCMRED", "file", false).value("OF", "file")
        && call
            .args()
            .iter()
            .any(|arg| arg.starts_with("-o") || arg == "--create")
    {
        writes(machine, file, How::Write);
    }
    packs(machine, call);
    if call.name == "pax" {
        let options = options::parse(call.args(), "sfbxopT", "", false);
        let renamed = |rule: &str| {
            let new = rule.split(rule.chars().next()?).nth(2)?;
            Some(new.to_owned())
        };
        let copied = options.operands.last().filter(|_| options.has("w", ""));
        let targets = options.values("s").into_iter().filter_map(renamed);
        for target in targets.chain(copied.map(|target| (*target).to_owned())) {
            extracts(machine, &target);
        }
    }
    let folder = options.value("dD", "directory").map(str::to_owned);
    let attached = call
        .args()
        .iter()
        .find_map(|arg| arg.strip_prefix("-o"))
        .filter(|folder| call.name.starts_with("7z") && !folder.is_empty());
    if let Some(folder) = attached.or(folder.as_deref()) {
        extracts(machine, folder);
    }
    if call.is("7z 7za") && options::any(call.args(), "-sdel") {
        effect(machine, &policy::DELETE_FORBIDDEN, "7z -sdel");
    }
    Data::unknown()
}

pub(super) fn squeeze(machine: &mut Machine<'_>, call: &Call) -> Data {
    let options = options::parse(call.args(), "So", "suffix", false);
    let keeps = options.has("kctl", "keep")
        || options.has("", "stdout")
        || options.has("", "test")
        || options.has("", "list")
        || (call.is("zstd unzstd lz4") && !options.has("", "rm"));
    let mut data = call.stdin.derived();
    for path in &options.operands {
        if options.has("c", "stdout") {
            data = reads(machine, path).derived();
        } else if !keeps {
            moved(machine, path, false);
        }
    }
    data
}
