//! Programs that delete, move, copy and write files.

mod archives;

use archives::{extracts, squeeze, tar, unpack, zip};

use super::{
    How, Row, deletes, effect, exhausts, options, place_of, reads, roughly, sizes, writes,
};
use crate::context::Entry;
use crate::data::Data;
use crate::machine::{Call, Machine};
use crate::place::{self, PathClass};
use crate::{mark, policy};

pub(super) const ROWS: &[Row] = &[
    (
        "rm unlink shred srm wipe trash trash-put rimraf del del-cli trash-cli gio-trash rmtree",
        remove,
    ),
    ("rmdir", remove_folder),
    ("mv rename mmv", rename),
    ("cp copy", copy),
    ("ln link", link),
    ("install", install),
    ("dd dcfldd ddrescue", dd),
    ("truncate fallocate", resize),
    ("mkfile xfs_mkfile", |machine, call| {
        if call.args().iter().any(|arg| sizes::text_fills(arg)) {
            exhausts(machine, &call.name);
        }
        Data::empty()
    }),
    ("touch mkdir mkfifo", create),
    ("split csplit", split),
    ("tar gtar bsdtar", tar),
    ("zip", zip),
    ("unzip 7z 7za 7zr unrar rar cpio pax ar jar unar", unpack),
    (
        "gzip gunzip bzip2 bunzip2 xz unxz zstd unzstd lz4 compress lzma pigz",
        squeeze,
    ),
    ("ls stat file tree du df exa eza lsd ll dir vdir", list),
    ("rsync", super::network::rsync),
    ("patch dos2unix unix2dos", edit),
];

fn remove(machine: &mut Machine<'_>, call: &Call) -> Data {
    let options = options::parse(
        call.args(),
        if call.name == "shred" { "ns" } else { "" },
        "iterations size random-source",
        false,
    );
    for path in options.operands.iter().copied() {
        if path.is_empty() {
            // Nothing has this name: harmless as it stands, but one variable away from the root.
            effect(machine, &policy::DELETE_WORK, "an empty name");
            continue;
        }
        if matches!(place_of(machine, path), PathClass::Harmless) && !path.contains("/fd/") {
            effect(machine, &policy::DISK, path);
        }
        let deep = options.has("rR", "recursive") || call.name.starts_with("rim");
        if deep || !is_nowhere(machine, path) {
            deletes(machine, path);
        }
    }
    Data::empty()
}

/// Is it a file, named from where the shell is, that does not exist and that this command did not
/// make? There is nothing to delete.
fn is_nowhere(machine: &Machine<'_>, path: &str) -> bool {
    let place = roughly(machine, path);
    let folders = std::iter::once(&machine.state.cwd).chain(machine.state.also.iter());
    let missing = |folder: &std::rc::Rc<str>| {
        let path = machine.resolve_from(folder, path, true);
        !mark::unknown(&path) && machine.context.facts.entry(&path) == Entry::Missing
    };
    !path.starts_with(['/', '~'])
        && matches!(
            place,
            PathClass::Work | PathClass::Home | PathClass::Elsewhere
        )
        && folders.into_iter().all(missing)
}

/// Only empty folders go: nothing is lost, but outside the repository a person may want them.
fn remove_folder(machine: &mut Machine<'_>, call: &Call) -> Data {
    for path in options::words(call.args(), "") {
        match place_of(machine, path) {
            PathClass::Work | PathClass::Build | PathClass::Temporary | PathClass::RunState => {}
            _ => effect(machine, &policy::DELETE_ASK, path),
        }
    }
    Data::empty()
}

/// What is moved away is gone from where it was; moved within the work tree, git finds it again.
fn moved(machine: &mut Machine<'_>, path: &str, away: bool) {
    match place_of(machine, path) {
        PathClass::Build | PathClass::Temporary => {}
        PathClass::Work | PathClass::Pipeline | PathClass::LocalSecret if !away => {}
        _ => deletes(machine, path),
    }
}

/// Where files are put, and which.
fn parted<'c>(options: &options::Options<'c>) -> Option<(&'c str, Vec<&'c str>)> {
    let mut operands = options.operands.clone();
    let target = options
        .value("t", "target-directory")
        .or_else(|| operands.pop());
    Some((target?, operands))
}

fn rename(machine: &mut Machine<'_>, call: &Call) -> Data {
    let options = options::parse(call.args(), "tS", "target-directory suffix", false);
    let Some((target, mut operands)) = parted(&options) else {
        return Data::empty();
    };
    if call.name == "rename" {
        // An expression, then the files, which stay in their folders.
        operands.push(target);
        for path in operands.iter().skip(1) {
            if place_of(machine, path) != PathClass::Root {
                moved(machine, path, false);
            }
        }
        return Data::unknown();
    }
    let to_device = place_of(machine, target) == PathClass::Harmless;
    let away = !matches!(
        place_of(machine, target),
        PathClass::Work
            | PathClass::Root
            | PathClass::Pipeline
            | PathClass::LocalSecret
            | PathClass::RunState
    );
    for source in &operands {
        // A pattern with an ending, `*.md`, names some files; `*` names all.
        let all = source
            .chars()
            .all(|c| c == mark::STAR || c == '.' || c == '/');
        if to_device || (all && place_of(machine, source) == PathClass::Root) {
            effect(machine, &policy::DELETE_ROOT, source);
        } else if !all || place_of(machine, source) != PathClass::Work {
            moved(machine, source, away);
        }
        if place::secret(roughly(machine, source))
            && place_of(machine, target) != place_of(machine, source)
        {
            reads(machine, source);
        }
        carry(machine, source, target);
    }
    overwrites(machine, &operands, target);
    carry_links(machine, &operands, target);
    Data::empty()
}

/// A link that is moved or copied as a link leads to the same place.
fn carry_links(machine: &mut Machine<'_>, sources: &[&str], target: &str) {
    for source in sources {
        if machine.link_at(&machine.resolve(source, true)).is_some() {
            links(machine, &[source], target, (false, true));
        }
    }
}

/// Writing to a file, or into a folder under the sources' names.
fn overwrites(machine: &mut Machine<'_>, sources: &[&str], target: &str) {
    writes(machine, target, How::Write);
    if matches!(
        place_of(machine, target),
        PathClass::Work | PathClass::Root | PathClass::Temporary | PathClass::Home
    ) {
        for source in sources {
            let joined = format!("{}/{}", target.trim_end_matches('/'), place::last(source));
            if !matches!(place_of(machine, &joined), PathClass::RunState) {
                writes(machine, &joined, How::Write);
            }
        }
    }
}

/// A copy has the content of what was copied.
fn carry(machine: &mut Machine<'_>, source: &str, target: &str) {
    let from = machine.resolve(source, false);
    if super::is_program(&from) {
        machine
            .files
            .insert(machine.resolve(target, false), Data::of_file(&from));
    } else if let Some(data) = machine.files.get(&from).cloned() {
        let to = machine.resolve(target, false);
        machine
            .files
            .insert(format!("{to}/{}", place::last(source)), data.clone());
        machine.files.insert(to, data);
    }
}

fn copy(machine: &mut Machine<'_>, call: &Call) -> Data {
    let options = options::parse(call.args(), "tS", "target-directory suffix", false);
    let Some((target, operands)) = parted(&options) else {
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
    if options.has("sl", "symbolic-link") || options.has("", "link") {
        links(machine, &operands, target, (false, true));
    } else if options.has("aPdrR", "archive") || options.has("", "recursive") {
        carry_links(machine, &operands, target);
    }
    Data::empty()
}

fn link(machine: &mut Machine<'_>, call: &Call) -> Data {
    let options = options::parse(call.args(), "tS", "target-directory suffix", false);
    let mut operands = options.operands.clone();
    let target = match (options.value("t", "target-directory"), operands.len()) {
        (Some(target), _) => target.to_owned(),
        (None, 0) => return Data::empty(),
        (None, 1) => place::last(operands[0]).to_owned(),
        (None, _) => operands.pop().unwrap_or_default().to_owned(),
    };
    let symbolic = options.has("s", "symbolic");
    for source in &operands {
        if !symbolic {
            // A second name for the same file: what may be done to one is done to the other.
            reads(machine, source);
            writes(machine, source, How::Append);
        } else if place_of(machine, source) == PathClass::Credentials {
            reads(machine, source);
        }
    }
    writes(machine, &target, How::Write);
    if options.has("f", "force") && replaces(machine, &target) {
        // The file itself is gone, whatever the link leads to.
        deletes(machine, &target);
    }
    let as_written = symbolic && !options.has("r", "relative");
    let into = !options.has("T", "no-target-directory");
    links(machine, &operands, &target, (as_written, into));
    Data::empty()
}

/// Notes a link to each source at the target and, where that is or may be a folder, in it.
fn links(machine: &mut Machine<'_>, sources: &[&str], target: &str, how: (bool, bool)) {
    let (as_written, into) = how;
    let folder = machine.resolve(target, false);
    let there = machine.context.facts.entry(&folder);
    for source in sources {
        let leads_to = if as_written {
            (*source).to_owned()
        } else {
            machine.resolve(source, false)
        };
        let inside = format!("{folder}/{}", place::last(source));
        if into {
            machine.make_link(&inside, &leads_to);
        }
        if there != Entry::Folder && !target.ends_with('/') {
            machine.make_link(target, &leads_to);
        }
    }
}

fn install(machine: &mut Machine<'_>, call: &Call) -> Data {
    let options = options::parse(
        call.args(),
        "mogtS",
        "mode owner group target-directory",
        false,
    );
    let mode = options.value("m", "mode").unwrap_or("");
    if super::permissions::special(mode) {
        effect(machine, &policy::PERMISSIONS, mode);
    }
    if options.has("d", "directory") {
        for folder in &options.operands {
            writes(machine, folder, How::Append);
        }
        return Data::empty();
    }
    if let Some((target, operands)) = parted(&options) {
        for source in &operands {
            reads(machine, source);
            if super::content(machine, source).text.as_deref() == Some("") {
                writes(machine, target, How::Empty);
            }
        }
        overwrites(machine, &operands, target);
    }
    Data::empty()
}

fn dd(machine: &mut Machine<'_>, call: &Call) -> Data {
    let mut input = call.stdin.clone();
    let mut output = None;
    let (mut count, mut block) = (None, 512);
    for arg in call.args() {
        match arg.split_once('=') {
            Some(("if", path)) => input = reads(machine, path),
            Some(("of", path)) => output = Some(path.to_owned()),
            Some(("count", value)) => count = Some(sizes::bytes(value).unwrap_or(1)),
            Some(("bs" | "obs" | "ibs", value)) => block = sizes::bytes(value).unwrap_or(block),
            _ => {}
        }
    }
    let endless = input.endless
        && count.is_none_or(|count| sizes::fills(u128::from(count) * u128::from(block)));
    if call.name == "ddrescue" {
        output = options::words(call.args(), "")
            .get(1)
            .map(|path| (*path).to_owned());
    }
    let Some(path) = output else {
        return Data {
            endless,
            ..input.derived()
        };
    };
    writes(machine, &path, How::Write);
    if endless && place_of(machine, &path) != PathClass::Harmless {
        exhausts(machine, "dd without count");
    }
    if input.text.as_deref() == Some("") || (input.endless && replaces(machine, &path)) {
        writes(machine, &path, How::Empty);
    }
    machine.files.insert(
        machine.resolve(&path, false),
        Data {
            endless: false,
            ..input
        },
    );
    Data::empty()
}

/// Does a file stand here that would be lost?
fn replaces(machine: &Machine<'_>, path: &str) -> bool {
    let resolved = machine.resolve(path, false);
    machine.context.facts.entry(&resolved) == Entry::File
        || place::last(path)
            .rsplit_once('.')
            .is_some_and(|(_, ending)| SOURCES.contains(&ending))
}

/// Endings of files that people write: filling one with zeros is no way to make it.
const SOURCES: &[&str] = overnight_base::words!(
    "rs py js ts tsx jsx go java kt c h cpp hpp rb php cs swift md toml json yml yaml sh html css \
     sql"
);

fn resize(machine: &mut Machine<'_>, call: &Call) -> Data {
    let options = options::parse(call.args(), "srlo", "size reference length offset", false);
    let size = options
        .value("sl", "size")
        .or_else(|| options.value("l", "length"))
        .unwrap_or("");
    // `truncate` makes holes, which take no room.
    if call.name == "fallocate" && sizes::text_fills(size) {
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
    let options = options::parse(call.args(), "mrdt", "mode reference date", false);
    for path in &options.operands {
        let place = place_of(machine, path);
        if place == PathClass::Root || (place == PathClass::RunState && call.name == "mkdir") {
            continue;
        }
        writes(machine, path, How::Append);
        if call.name == "mkfifo" {
            // What comes out of it is what anybody puts in.
            let path = machine.resolve(path, false);
            machine.files.insert(path, Data::unknown());
        }
    }
    Data::empty()
}

fn split(machine: &mut Machine<'_>, call: &Call) -> Data {
    let options = options::parse(call.args(), "abClnt", "filter lines bytes", false);
    if let Some(command) = options.value("", "filter") {
        super::runs_text(machine, command, &Data::unknown());
    }
    for path in &options.operands {
        reads(machine, path);
    }
    if let Some(prefix) = options.operands.get(1).filter(|_| call.name == "split") {
        writes(machine, prefix, How::Write);
    }
    Data::empty()
}

fn list(machine: &mut Machine<'_>, call: &Call) -> Data {
    if call.name != "ls" {
        return Data::unknown();
    }
    // Names in a folder: whatever is done to each is done to all of it.
    let folders = options::words(call.args(), "-I -w");
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
    if let Some(folder) =
        options::parse(call.args(), "pdio", "directory", false).value("d", "directory")
        && call.name == "patch"
    {
        extracts(machine, folder);
    }
    for path in options::words(call.args(), "-p -d -i -o") {
        if call.name != "patch" || place_of(machine, path) != PathClass::Root {
            writes(machine, path, How::Append);
        }
    }
    Data::unknown()
}
