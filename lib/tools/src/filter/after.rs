//! An output that is there already: given by the client's hook, whole or in its own file.

use super::Plan;
use super::stream::Stream;
use overnight_digest::End;
use overnight_host::homes;
use rustix::fs::{Mode, OFlags};
use std::fs::File;
use std::io::Read;
use std::path::{Component, Path};

const CHUNK: usize = 256 * 1024;
/// The hook has seconds, not minutes: of a larger file only so much is read.
const FILE_BYTES_MAX: u64 = 512 << 20;

/// Where the output is.
#[derive(Debug, Clone, Copy)]
pub enum Source<'a> {
    /// It is this text.
    Text(&'a str),
    /// The client keeps it in this file; the text is its beginning.
    File(&'a str, &'a str),
}

/// The digest of the output, its log written; `None` when it is not worth one.
pub fn digest(mut plan: Plan, source: Source<'_>, end: End) -> Option<String> {
    plan.live = false;
    let mut stream = Stream::new(plan);
    match source {
        Source::Text(text) => stream.push(text.as_bytes(), false),
        Source::File(path, text) => match open(Path::new(path)) {
            None => stream.push(text.as_bytes(), false),
            Some(file) => read(file, &mut stream),
        },
    }
    let (text, outcome) = stream.digest(end)?;
    if let Some(place) = stream.place() {
        outcome.save(place);
        outcome.keep_quota(place);
    }
    Some(text)
}

fn read(file: File, stream: &mut Stream) {
    let mut file = file.take(FILE_BYTES_MAX);
    let mut buffer = vec![0; CHUNK];
    while let Ok(length) = file.read(&mut buffer)
        && length > 0
    {
        stream.push(&buffer[..length], false);
    }
}

/// Opens a file of the client's own: a regular one below its folder of projects. The path comes in
/// an event, so it is checked like any other.
fn open(path: &Path) -> Option<File> {
    let plain = path
        .components()
        .all(|part| matches!(part, Component::RootDir | Component::Normal(_)));
    let projects = homes::client()?.join("projects").canonicalize().ok()?;
    let folder = path.parent()?.canonicalize().ok()?;
    if !plain || !folder.starts_with(projects) {
        return None;
    }
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let file = File::from(rustix::fs::open(path, flags, Mode::empty()).ok()?);
    file.metadata()
        .is_ok_and(|about| about.is_file())
        .then_some(file)
}
