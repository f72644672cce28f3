//! Programs that delete, move, copy and write files.

use super::{Handler, How, deletes, effect, exhausts, options, place_of, reads, writes};
use crate::guard::context::Entry;
use crate::guard::data::Data;
use crate::guard::machine::{Call, Machine};
use crate::guard::place::{self, Place};
use crate::guard::{mark, policy};

pub(super) fn handler(name: &str) -> Option<Handler> {
    Some(match name {
        "rm" | "unlink" | "shred" | "srm" | "wipe" | "trash" | "trash-put" | "rimraf" | "del"
        | "gio-trash" | "rmtree" => remove,
        "rmdir" => remove_folder,
        "mv" | "rename" | "mmv" => rename,
        "cp" | "copy" => copy,
        "ln" | "link" => link,
        "install" => install,
        "dd" | "dcfldd" | "ddrescue" => dd,
        "truncate" | "fallocate" => resize,
        "touch" | "mkdir" | "mkfifo" => create,
        "split" | "csplit" => split,
        "tar" | "gtar" | "bsdtar" => tar,
        "zip" => zip,
        "unzip" | "7z" | "7za" | "unrar" | "cpio" | "ar" | "jar" | "unar" => unpack,
        "gzip" | "gunzip" | "bzip2" | "bunzip2" | "xz" | "unxz" | "zstd" | "unzstd" | "lz4"
        | "compress" | "lzma" | "pigz" => squeeze,
        "ls" | "stat" | "file" | "tree" | "du" | "df" | "exa" | "eza" | "lsd" | "ll" | "dir"
        | "vdir" => list,
        "rsync" => super::network::rsync,
        "patch" | "dos2unix" | "unix2dos" => edit,
        _ => return None,
    })
}

fn remove(machine: &mut Machine<'_>, call: &Call) -> Data {
    let options = options::parse(
        call.args(),
        if call.name == "shred" { "ns" } else { "" },
        &["iterations", "size", "random-source"],
        false,
    );
    for path in options.operands.iter().copied() {
        if path.is_empty() {
            // Nothing has this name: harmless as it stands, but one variable away from the root.
            effect(machine, &policy::DELETE_WORK, "an empty name");
            continue;
        }
        if matches!(place_of(machine, path), Place::Harmless) && !path.contains("/fd/") {
            effect(machine, &policy::DISK, path);
        }
        deletes(machine, path);
    }
    Data::empty()
}

/// Only empty folders go: nothing is lost, but outside the repository a person may want them.
fn remove_folder(machine: &mut Machine<'_>, call: &Call) -> Data {
    for path in options::words(call.args(), &[]) {
        match place_of(machine, path) {
            Place::Work | Place::Build | Place::Temporary | Place::RunState => {}
            _ => effect(machine, &policy::DELETE_ASK, path),
        }
    }
    Data::empty()
}

/// What is moved away is gone from where it was.
fn moved(machine: &mut Machine<'_>, path: &str) {
    match place_of(machine, path) {
        Place::Work | Place::Build | Place::Temporary | Place::Pipeline | Place::LocalSecret => {}
        _ => deletes(machine, path),
    }
    if path.ends_with(mark::STAR) && place_of(machine, path) == Place::Root {
        deletes(machine, path);
    }
}

fn rename(machine: &mut Machine<'_>, call: &Call) -> Data {
    let options = options::parse(call.args(), "tS", &["target-directory", "suffix"], false);
    let mut operands = options.operands.clone();
    let target = options
        .value("t", "target-directory")
        .or_else(|| operands.pop());
    let Some(target) = target else {
        return Data::empty();
    };
    if call.name == "rename" {
        return Data::unknown();
    }
    let to_device = place_of(machine, target) == Place::Harmless;
    for source in &operands {
        // A pattern with an ending, `*.md`, names some files; `*` names all.
        let all = source
            .chars()
            .all(|c| c == mark::STAR || c == '.' || c == '/');
        if to_device || (all && place_of(machine, source) == Place::Root) {
            effect(machine, &policy::DELETE_ROOT, source);
        } else if !all || place_of(machine, source) != Place::Work {
            moved(machine, source);
        }
        if place::secret(place_of(machine, source))
            && place_of(machine, target) != place_of(machine, source)
        {
            reads(machine, source);
        }
        carry(machine, source, target);
    }
    overwrites(machine, &operands, target);
    Data::empty()
}

/// Writing to a file, or into a folder under the sources' names.
fn overwrites(machine: &mut Machine<'_>, sources: &[&str], target: &str) {
    writes(machine, target, How::Write);
    if matches!(
        place_of(machine, target),
        Place::Work | Place::Root | Place::Temporary | Place::Home
    ) {
        for source in sources {
            let joined = format!("{}/{}", target.trim_end_matches('/'), place::last(source));
            if !matches!(place_of(machine, &joined), Place::RunState) {
                writes(machine, &joined, How::Write);
            }
        }
    }
}

/// A copy has the content of what was copied.
fn carry(machine: &mut Machine<'_>, source: &str, target: &str) {
    let from = place::absolute(&machine.state.cwd, source);
    if let Some(data) = machine.files.get(&from).cloned() {
        let to = place::absolute(&machine.state.cwd, target);
        machine
            .files
            .insert(format!("{to}/{}", place::last(source)), data.clone());
        machine.files.insert(to, data);
    }
}

fn copy(machine: &mut Machine<'_>, call: &Call) -> Data {
    let options = options::parse(call.args(), "tS", &["target-directory", "suffix"], false);
    let mut operands = options.operands.clone();
    let Some(target) = options
        .value("t", "target-directory")
        .or_else(|| operands.pop())
    else {
        return Data::empty();
    };
    for source in &operands {
        let data = reads(machine, source);
        if data.endless {
            exhausts(machine, source);
        }
        if super::content(machine, source).text.as_deref() == Some("") {
            writes(machine, target, How::Empty);
        }
        carry(machine, source, target);
    }
    overwrites(machine, &operands, target);
    Data::empty()
}

fn link(machine: &mut Machine<'_>, call: &Call) -> Data {
    let options = options::parse(call.args(), "tS", &["target-directory", "suffix"], false);
    let mut operands = options.operands.clone();
    let target = match (options.value("t", "target-directory"), operands.len()) {
        (Some(target), _) => target.to_owned(),
        (None, 0) => return Data::empty(),
        (None, 1) => place::last(operands[0]).to_owned(),
        (None, _) => operands.pop().unwrap_or_default().to_owned(),
    };
    for source in &operands {
        if place_of(machine, source) == Place::Credentials {
            reads(machine, source);
        }
    }
    writes(machine, &target, How::Write);
    Data::empty()
}

fn install(machine: &mut Machine<'_>, call: &Call) -> Data {
    let options = options::parse(
        call.args(),
        "mogtS",
        &["mode", "owner", "group", "target-directory"],
        false,
    );
    let mode = options.value("m", "mode").unwrap_or("");
    if super::permissions::special(mode) {
        effect(machine, &policy::PERMISSIONS, mode);
    }
    let mut operands = options.operands.clone();
    if options.has("d", "directory") {
        for folder in operands {
            writes(machine, folder, How::Append);
        }
        return Data::empty();
    }
    if let Some(target) = options
        .value("t", "target-directory")
        .or_else(|| operands.pop())
    {
        for source in &operands {
            reads(machine, source);
        }
        overwrites(machine, &operands, target);
    }
    Data::empty()
}

fn dd(machine: &mut Machine<'_>, call: &Call) -> Data {
    let mut input = call.stdin.clone();
    let mut output = None;
    let mut bounded = false;
    for arg in call.args() {
        match arg.split_once('=') {
            Some(("if", path)) => input = reads(machine, path),
            Some(("of", path)) => output = Some(path.to_owned()),
            Some(("count", _)) => bounded = true,
            _ => {}
        }
    }
    let endless = input.endless && !bounded;
    let Some(path) = output else {
        return Data {
            endless,
            ..input.derived()
        };
    };
    writes(machine, &path, How::Write);
    if endless && place_of(machine, &path) != Place::Harmless {
        exhausts(machine, "dd without count");
    }
    if input.text.as_deref() == Some("") {
        writes(machine, &path, How::Empty);
    }
    Data::empty()
}

fn resize(machine: &mut Machine<'_>, call: &Call) -> Data {
    let options = options::parse(
        call.args(),
        "srlo",
        &["size", "reference", "length", "offset"],
        false,
    );
    let size = options
        .value("sl", "size")
        .or_else(|| options.value("l", "length"))
        .unwrap_or("");
    // A terabyte fills most disks: only sizes up to G are ordinary.
    let huge = call.name == "fallocate"
        && (size.ends_with(['T', 'P', 'E']) || size.contains("TB") || size.len() > 12);
    if huge {
        exhausts(machine, size);
    }
    let destroys = call.name == "truncate"
        || options.has("pcz", "punch-hole")
        || options.has("", "zero-range");
    for path in &options.operands {
        writes(
            machine,
            path,
            if destroys { How::Empty } else { How::Append },
        );
    }
    Data::empty()
}

fn create(machine: &mut Machine<'_>, call: &Call) -> Data {
    let options = options::parse(call.args(), "mrdt", &["mode", "reference", "date"], false);
    for path in &options.operands {
        let place = place_of(machine, path);
        if place == Place::Root || (place == Place::RunState && call.name == "mkdir") {
            continue;
        }
        writes(machine, path, How::Append);
    }
    Data::empty()
}

fn split(machine: &mut Machine<'_>, call: &Call) -> Data {
    let options = options::parse(call.args(), "abClnt", &["filter", "lines", "bytes"], false);
    if let Some(command) = options.value("", "filter") {
        let command = command.to_owned();
        super::runs_text(machine, &command, &Data::unknown());
    }
    for path in &options.operands {
        reads(machine, path);
    }
    if let Some(prefix) = options.operands.get(1) {
        writes(machine, prefix, How::Write);
    }
    Data::empty()
}

const TAR_LONG: &[&str] = &[
    "file",
    "directory",
    "exclude",
    "to-command",
    "checkpoint-action",
    "use-compress-program",
    "rsh-command",
    "files-from",
    "info-script",
    "new-volume-script",
    "transform",
    "owner",
    "group",
];

const TAR_LONG2: &[&str] = &[
    "to-command",
    "use-compress-program",
    "rsh-command",
    "info-script",
    "new-volume-script",
    "I",
    "F",
];

fn tar(machine: &mut Machine<'_>, call: &Call) -> Data {
    let mut args = call.args().to_vec();
    // Old style: the first word holds the letters without a dash.
    if args.first().is_some_and(|first| !first.starts_with('-')) {
        args[0].insert(0, '-');
    }
    let long = TAR_LONG;
    let options = options::parse(&args, "fCIXTFbgHNVK", long, false);
    for name in TAR_LONG2 {
        for command in options.values(&[name]) {
            let command = command.to_owned();
            super::runs_text(machine, &command, &Data::unknown());
        }
    }
    for action in options.values(&["checkpoint-action"]) {
        if let Some(command) = action.strip_prefix("exec=") {
            let command = command.to_owned();
            super::runs_text(machine, &command, &Data::unknown());
            effect(machine, &policy::INLINE_CODE, "tar --checkpoint-action");
        }
    }
    let folder = options.value("C", "directory").map(str::to_owned);
    let creates =
        options.has("cru", "create") || options.has("A", "append") || options.has("", "update");
    if creates {
        let mut secret = false;
        for path in &options.operands {
            secret |= reads(machine, path).secret;
            if options
                .given
                .iter()
                .any(|(name, _)| *name == "remove-files")
            {
                deletes(machine, path);
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
        let folder = folder.unwrap_or_else(|| ".".to_owned());
        if options.has("P", "absolute-names") {
            effect(machine, &policy::WRITE_SYSTEM, "tar -P");
        }
        extracts(machine, &folder);
        if options.has("O", "to-stdout") {
            return call.stdin.derived();
        }
    }
    Data::unknown()
}

fn extracts(machine: &mut Machine<'_>, folder: &str) {
    if !matches!(place_of(machine, folder), Place::Root | Place::Work) {
        writes(machine, folder, How::Write);
    }
}

fn zip(machine: &mut Machine<'_>, call: &Call) -> Data {
    let options = options::parse(
        call.args(),
        "xitbnP",
        &["unzip-command", "exclude", "include"],
        false,
    );
    let Some((archive, sources)) = options.operands.split_first() else {
        return Data::unknown();
    };
    if let Some(command) = options
        .values(&["unzip-command"])
        .first()
        .copied()
        .or_else(|| options.values(&["TT"]).first().copied())
    {
        let command = command.to_owned();
        super::runs_text(machine, &command, &Data::unknown());
    }
    writes(machine, archive, How::Write);
    for source in sources {
        reads(machine, source);
        if options.has("m", "move") {
            deletes(machine, source);
        }
    }
    Data::unknown()
}

fn unpack(machine: &mut Machine<'_>, call: &Call) -> Data {
    let options = options::parse(call.args(), "dD", &["directory"], false);
    let folder = options.value("dD", "directory").map(str::to_owned);
    let attached = call
        .args()
        .iter()
        .find_map(|arg| arg.strip_prefix("-o"))
        .filter(|folder| call.name.starts_with("7z") && !folder.is_empty());
    if let Some(folder) = folder.as_deref().or(attached) {
        extracts(machine, folder);
    }
    if matches!(call.name.as_str(), "7z" | "7za") && call.args().iter().any(|arg| arg == "-sdel") {
        effect(machine, &policy::DELETE_FORBIDDEN, "7z -sdel");
    }
    Data::unknown()
}

fn squeeze(machine: &mut Machine<'_>, call: &Call) -> Data {
    let options = options::parse(call.args(), "So", &["suffix"], false);
    let keeps = options.has("kctl", "keep")
        || options.has("", "stdout")
        || options.has("", "test")
        || options.has("", "list")
        || matches!(call.name.as_str(), "zstd" | "unzstd" | "lz4");
    let mut data = call.stdin.derived();
    for path in &options.operands {
        if options.has("c", "stdout") {
            data = reads(machine, path).derived();
        } else if !keeps {
            moved(machine, path);
        }
    }
    data
}

fn list(machine: &mut Machine<'_>, call: &Call) -> Data {
    if call.name != "ls" {
        return Data::unknown();
    }
    // Names in a folder: whatever is done to each is done to all of it.
    let folders = options::words(call.args(), &["-I", "-w"]);
    let all = |folder: &str| {
        if folder.contains(mark::STAR) || machine.context.facts.entry(folder) == Entry::File {
            folder.to_owned()
        } else {
            mark::STAR.to_string()
        }
    };
    let names: Vec<String> = if folders.is_empty() {
        vec![all(".")]
    } else {
        folders.iter().map(|folder| all(folder)).collect()
    };
    Data::known(&(names.join("\n") + "\n"))
}

/// Programs that change the files they are given.
fn edit(machine: &mut Machine<'_>, call: &Call) -> Data {
    for path in options::words(call.args(), &["-p", "-d", "-i", "-o"]) {
        if call.name != "patch" || place_of(machine, path) != Place::Root {
            writes(machine, path, How::Append);
        }
    }
    Data::unknown()
}
