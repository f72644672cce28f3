//! Parts of a log, read back cheaply.

use crate::cli;
use flate2::read::MultiGzDecoder;
use overnight_base::code::Code;
use overnight_base::exit::Exit;
use overnight_base::fault::Fault;
use overnight_base::text;
use overnight_digest::{Digester, End, Frame, Options};
use overnight_filter::rotate::COMPRESSED;
use rustix::fs::{Mode, OFlags};
use std::fmt::Write;
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

const LINES_MAX: usize = 400;
/// The client keeps 30,000 characters of a successful command.
const BYTES_MAX: usize = 29_500;
/// A longer line is cut.
const LINE_MAX: usize = 2_000;

/// What of a log is wanted.
#[derive(Debug, Clone)]
pub enum Part {
    /// Its digest.
    Digest,
    /// The lines of the failing test of this number, from 1.
    Failure(usize),
    /// These lines, from 1.
    Lines(RangeInclusive<u64>),
    /// Lines that hold this text.
    Grep(String),
}

/// Prints a part of a log. Exit 1 when there is nothing of the kind.
pub fn show(log: &Path, part: &Part) -> Result<Exit, Fault> {
    match part {
        Part::Digest => {
            let digest = digest(log)?;
            let shown = log.display().to_string();
            let frame = Frame {
                log: Some(&shown),
                ..Frame::default()
            };
            cli::print(&digest.render(&frame))?;
            Ok(Exit::Yes)
        }
        Part::Failure(number) => {
            let digest = digest(log)?;
            let failure = number.checked_sub(1).and_then(|at| digest.failures.get(at));
            let Some(failure) = failure else {
                cli::note(&format!(
                    "{} failing tests are known in {}",
                    digest.failures.len(),
                    log.display()
                ));
                return Ok(Exit::No);
            };
            let (first, last) = failure.log_lines;
            lines(
                log,
                |number, _| (first.max(1)..=last.max(first)).contains(&number),
                Some(last.max(first)),
            )
        }
        Part::Lines(range) => lines(log, |number, _| range.contains(&number), Some(*range.end())),
        Part::Grep(text) => lines(
            log,
            |_, line| memchr::memmem::find(line, text.as_bytes()).is_some(),
            None,
        ),
    }
}

fn digest(log: &Path) -> Result<overnight_digest::Digest, Fault> {
    const CHUNK: usize = 256 * 1024;
    let mut reader = open(log)?;
    let mut digester = Digester::new(Options::default());
    let mut buffer = vec![0; CHUNK];
    loop {
        match reader.read(&mut buffer) {
            Ok(0) => return Ok(digester.finish(End::Unknown, None)),
            Ok(length) => digester.push(&buffer[..length]),
            Err(error) => return Err(fault(log, &error)),
        }
    }
}

/// Prints the wanted lines with their numbers, control characters left out.
fn lines(
    log: &Path,
    wanted: impl Fn(u64, &[u8]) -> bool,
    last: Option<u64>,
) -> Result<Exit, Fault> {
    let mut reader = open(log)?;
    let mut out = String::new();
    let (mut number, mut found, mut left_out) = (0_u64, 0_usize, 0_usize);
    let mut line = Vec::new();
    while last.is_none_or(|last| number < last)
        && next(&mut reader, &mut line).map_err(|error| fault(log, &error))?
    {
        number += 1;
        if !wanted(number, &line) {
            continue;
        }
        let text = text::showable(&String::from_utf8_lossy(&line));
        let text = format!("{number}: {}\n", text.trim_end_matches('\n'));
        if found < LINES_MAX && out.len() + text.len() <= BYTES_MAX {
            out.push_str(&text);
            found += 1;
        } else {
            left_out += 1;
        }
    }
    if left_out > 0 {
        let _ = writeln!(out, "… {left_out} more lines");
    }
    cli::print(&out)?;
    Ok(if found > 0 { Exit::Yes } else { Exit::No })
}

/// The next line, cut at [`LINE_MAX`]; false at the end.
fn next(reader: &mut impl BufRead, line: &mut Vec<u8>) -> std::io::Result<bool> {
    line.clear();
    let mut any = false;
    loop {
        let part = reader.fill_buf()?;
        if part.is_empty() {
            return Ok(any);
        }
        any = true;
        let end = memchr::memchr(b'\n', part);
        let length = end.map_or(part.len(), |end| end + 1);
        let room = LINE_MAX
            .saturating_sub(line.len())
            .min(end.unwrap_or(length));
        line.extend_from_slice(&part[..room]);
        reader.consume(length);
        if end.is_some() {
            return Ok(true);
        }
    }
}

/// Opens a log, or its compressed form where rotation has replaced it.
pub fn open(log: &Path) -> Result<Box<dyn BufRead>, Fault> {
    let (file, path) = match open_regular(log) {
        Err(_) if !log.exists() => {
            let mut name = log.as_os_str().to_owned();
            name.push(COMPRESSED);
            let path = PathBuf::from(name);
            (
                open_regular(&path).map_err(|error| missing(log, &error))?,
                path,
            )
        }
        opened => (opened.map_err(|error| fault(log, &error))?, log.to_owned()),
    };
    if path
        .as_os_str()
        .as_encoded_bytes()
        .ends_with(COMPRESSED.as_bytes())
    {
        return Ok(Box::new(BufReader::new(MultiGzDecoder::new(file))));
    }
    Ok(Box::new(BufReader::new(file)))
}

fn open_regular(path: &Path) -> std::io::Result<File> {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let file = File::from(rustix::fs::open(path, flags, Mode::empty())?);
    if file.metadata()?.is_file() {
        Ok(file)
    } else {
        Err(std::io::Error::other("not a regular file"))
    }
}

fn missing(log: &Path, error: &std::io::Error) -> Fault {
    Fault::new(Code::InputMissing, format!("{}: {error}", log.display()))
}

fn fault(log: &Path, error: &std::io::Error) -> Fault {
    Fault::new(Code::FileRead, format!("{}: {error}", log.display()))
}
