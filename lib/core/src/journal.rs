//! The journal's lines: what one looks like, how it is checked, where a torn end begins.
//!
//! A record is one JSON object a line, `{"v":1,"seq":…,"t":…,"mono":…,"boot":…,"event":…,…,"crc":…}`;
//! `crc` is the CRC-32C, in eight hexadecimal digits, of the line without that field.

use crate::code::Code;
use crate::fault::Fault;
use crate::run::event::Event;
use serde::Deserialize;
use std::borrow::Cow;
use std::fmt::Write;

/// The version of the record format. Higher ones are refused: they may mean something else.
pub const VERSION: u32 = 1;
/// A line longer than this is not ours: the largest record holds a bounded prompt digest and
/// bounded tails of gates.
const LINE_BYTES_MAX: usize = 4 << 20;
/// Length of `,"crc":"00000000"}`.
const SEAL_BYTES: usize = 18;

/// When a record was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stamp {
    /// Unix time in milliseconds.
    pub t: u64,
    /// Milliseconds since boot, suspend included.
    pub mono: u64,
    /// The boot that `mono` counts from.
    pub boot: String,
}

/// One record of a journal.
#[derive(Debug, Clone, PartialEq)]
pub struct Record {
    /// Counts from 1 without gaps.
    pub seq: u64,
    /// When it was written.
    pub stamp: Stamp,
    /// What happened.
    pub event: Event,
}

/// A journal's bytes, understood.
#[derive(Debug, PartialEq)]
pub struct Decoded {
    /// Every whole record, in order.
    pub records: Vec<Record>,
    /// Length of the whole records in bytes; what follows is a torn end.
    pub whole_bytes: usize,
}

#[derive(Deserialize)]
struct Header<'a> {
    v: u32,
    seq: u64,
    t: u64,
    mono: u64,
    #[serde(borrow)]
    boot: Cow<'a, str>,
    #[serde(borrow)]
    event: Cow<'a, str>,
}

/// The line of a record, newline included.
pub fn encode(record: &Record) -> String {
    let mut line = format!(
        r#"{{"v":{VERSION},"seq":{},"t":{},"mono":{},"boot":{},"event":"{}""#,
        record.seq,
        record.stamp.t,
        record.stamp.mono,
        serde_json::Value::from(record.stamp.boot.as_str()),
        record.event.name(),
    );
    let fields = record.event.fields();
    if fields.len() > 2 {
        line.push(',');
        line.push_str(&fields[1..]);
    } else {
        line.push('}');
    }
    let crc = crc32c::crc32c(line.as_bytes());
    line.pop();
    let _ = writeln!(line, ",\"crc\":\"{crc:08x}\"}}");
    line
}

/// Understands a journal. A damaged end (nothing whole follows it) is torn and cut off; damage
/// before a whole record is an error, as is a version or an event that is not known here.
pub fn decode(bytes: &[u8]) -> Result<Decoded, Fault> {
    let mut records = Vec::new();
    let mut at = 0;
    while let Some(length) = bytes[at..].iter().position(|byte| *byte == b'\n') {
        let Some(body) = unseal(&bytes[at..at + length]) else {
            break;
        };
        let record = parse(body)?;
        let expected = records.len() as u64 + 1;
        if record.seq != expected {
            let reason = format!("record {} stands where {expected} is expected", record.seq);
            return Err(Fault::new(Code::JournalCorrupt, reason));
        }
        records.push(record);
        at += length + 1;
    }
    let whole_after = bytes[at..]
        .split(|byte| *byte == b'\n')
        .any(|line| unseal(line).is_some());
    // A whole last line that lacks only its newline is torn too: its writer was not told "written".
    let unterminated_only = !bytes[at..].contains(&b'\n');
    if whole_after && !unterminated_only {
        let reason = format!(
            "damaged after record {}, with whole records behind it",
            records.len()
        );
        return Err(Fault::new(Code::JournalCorrupt, reason));
    }
    Ok(Decoded {
        records,
        whole_bytes: at,
    })
}

/// The line, if its checksum holds. The checksum is one more field to ignore for who reads it.
fn unseal(line: &[u8]) -> Option<&[u8]> {
    if line.len() > LINE_BYTES_MAX {
        return None;
    }
    let cut = line.len().checked_sub(SEAL_BYTES)?;
    let (body, seal) = line.split_at(cut);
    let digits = seal.strip_prefix(b",\"crc\":\"")?.strip_suffix(b"\"}")?;
    let sealed = crc32c::crc32c_append(crc32c::crc32c(body), b"}");
    (digits == format!("{sealed:08x}").as_bytes()).then_some(line)
}

fn parse(body: &[u8]) -> Result<Record, Fault> {
    let header: Header = serde_json::from_slice(body).map_err(|error| {
        Fault::new(
            Code::JournalCorrupt,
            format!("a record has no header: {error}"),
        )
    })?;
    if header.v > VERSION {
        let reason = format!(
            "record {} is of version {}, known is {VERSION}",
            header.seq, header.v
        );
        return Err(Fault::new(Code::JournalVersion, reason).with("version", header.v));
    }
    let event = Event::parse(&header.event, body).map_err(|error| {
        let reason = format!(
            "record {} ({:?}) is not understood: {error}",
            header.seq, header.event
        );
        Fault::new(Code::JournalVersion, reason)
    })?;
    Ok(Record {
        seq: header.seq,
        stamp: Stamp {
            t: header.t,
            mono: header.mono,
            boot: header.boot.into_owned(),
        },
        event,
    })
}

#[cfg(test)]
mod tests;
