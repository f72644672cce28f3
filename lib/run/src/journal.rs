//! The journal's lines: what one looks like, how it is checked, where a torn end begins.
//!
//! A record is one JSON object a line, `{"v":1,"seq":…,"t":…,"mono":…,"boot":…,"event":…,…,"crc":…}`;
//! `crc` is the CRC-32C, in eight hexadecimal digits, of the line without that field.

use crate::event::Event;
use overnight_base::code::Code;
use overnight_base::fault::Fault;
use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, Visitor};
use std::fmt::{Formatter, Write};

/// The version of the record format. Higher ones are refused: they may mean something else.
pub const VERSION: u32 = 1;
/// A line longer than this is not ours: the largest record holds a bounded prompt digest and
/// bounded tails of gates.
const LINE_BYTES_MAX: usize = 4 << 20;
/// Length of `,"crc":"00000000"}`.
const SEAL_BYTES: usize = 18;

/// When a record was written.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
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

/// The line of a record, newline included.
pub fn encode(record: &Record) -> String {
    encode_with(record, &record.event.fields())
}

/// The same with these fields, a JSON object, in place of the event's own.
pub(crate) fn encode_with(record: &Record, fields: &str) -> String {
    let mut line = format!(
        r#"{{"v":{VERSION},"seq":{},"t":{},"mono":{},"boot":{},"event":"{}""#,
        record.seq,
        record.stamp.t,
        record.stamp.mono,
        serde_json::Value::from(record.stamp.boot.as_str()),
        record.event.name(),
    );
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
    let whole_bytes = each(bytes, |record| records.push(record))?;
    Ok(Decoded {
        records,
        whole_bytes,
    })
}

/// Like [`decode`], one record after the other; gives the length of the whole records in bytes.
pub fn each(bytes: &[u8], take: impl FnMut(Record)) -> Result<usize, Fault> {
    each_after(bytes, 0, take)
}

/// Like [`each`], for the part of a journal behind its record of this number.
pub fn each_after(
    bytes: &[u8],
    mut count: u64,
    mut take: impl FnMut(Record),
) -> Result<usize, Fault> {
    let mut at = 0;
    while let Some(length) = memchr::memchr(b'\n', &bytes[at..]) {
        let line = &bytes[at..at + length];
        if !is_whole(line) {
            break;
        }
        let record = parse(line)?;
        count += 1;
        if record.seq != count {
            let reason = format!("record {} stands where {count} is expected", record.seq);
            return Err(Fault::new(Code::JournalCorrupt, reason));
        }
        take(record);
        at += length + 1;
    }
    // A whole last line that lacks only its newline is torn too: its writer was not told "written".
    let unterminated_only = memchr::memchr(b'\n', &bytes[at..]).is_none();
    if !unterminated_only && bytes[at..].split(|byte| *byte == b'\n').any(is_whole) {
        let reason = format!("damaged after record {count}, with whole records behind it");
        return Err(Fault::new(Code::JournalCorrupt, reason));
    }
    Ok(at)
}

/// Understands one line, without its newline.
pub(crate) fn line(line: &[u8]) -> Result<Record, Fault> {
    if is_whole(line) {
        return parse(line);
    }
    Err(Fault::new(Code::JournalCorrupt, "a line is damaged"))
}

/// Does the line's checksum hold? It is one more field to ignore for who reads the line.
fn is_whole(line: &[u8]) -> bool {
    if line.len() > LINE_BYTES_MAX {
        return false;
    }
    let Some((body, seal)) = line.split_at_checked(line.len().wrapping_sub(SEAL_BYTES)) else {
        return false;
    };
    let digits = seal
        .strip_prefix(b",\"crc\":\"")
        .and_then(|seal| seal.strip_suffix(b"\"}"));
    let sealed = crc32c::crc32c_append(crc32c::crc32c(body), b"}");
    let digit = |at: u32| b"0123456789abcdef"[(sealed >> (28 - 4 * at)) as usize & 15];
    digits.is_some_and(|digits| digits.iter().copied().eq((0..8).map(digit)))
}

/// What stands before an event's own fields, in this order.
#[derive(Default)]
struct Header<'a> {
    v: u32,
    seq: u64,
    stamp: Stamp,
    event: &'a str,
}

fn parse(line: &[u8]) -> Result<Record, Fault> {
    let mut header = Header::default();
    // Checked in one go: each text of it would be, one by one.
    let text = std::str::from_utf8(line).map_err(Error::custom);
    let event = text.and_then(|text| {
        let mut json = serde_json::Deserializer::from_str(text);
        let event = Line(&mut header).deserialize(&mut json)?;
        json.end().map(|()| event)
    });
    let Header {
        v,
        seq,
        stamp,
        event: name,
    } = header;
    match event {
        Ok(Some(event)) => Ok(Record { seq, stamp, event }),
        Ok(None) => {
            let reason = format!("record {seq} is of version {v}, known is {VERSION}");
            Err(Fault::new(Code::JournalVersion, reason).with("version", v))
        }
        Err(error) if name.is_empty() => {
            let reason = format!("a record has no header: {error}");
            Err(Fault::new(Code::JournalCorrupt, reason))
        }
        Err(error) => {
            let reason = format!("record {seq} ({name:?}) is not understood: {error}");
            Err(Fault::new(Code::JournalVersion, reason))
        }
    }
}

/// Reads a record in one pass: the header, then the fields of the event that it names. `None`: a
/// later version, whose fields are not looked at.
struct Line<'h, 'de>(&'h mut Header<'de>);

impl<'de> DeserializeSeed<'de> for Line<'_, 'de> {
    type Value = Option<Event>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Line<'_, 'de> {
    type Value = Option<Event>;

    fn expecting(&self, formatter: &mut Formatter) -> std::fmt::Result {
        formatter.write_str("a record")
    }

    fn visit_map<M: MapAccess<'de>>(self, mut fields: M) -> Result<Self::Value, M::Error> {
        let header = self.0;
        header.v = field(&mut fields, "v")?;
        header.seq = field(&mut fields, "seq")?;
        if header.v > VERSION {
            while fields.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
            return Ok(None);
        }
        header.stamp.t = field(&mut fields, "t")?;
        header.stamp.mono = field(&mut fields, "mono")?;
        header.stamp.boot = field(&mut fields, "boot")?;
        header.event = field(&mut fields, "event")?;
        Event::read(header.event, fields).map(Some)
    }
}

/// The value of the next field, which must have this name.
fn field<'de, M, T>(fields: &mut M, name: &'static str) -> Result<T, M::Error>
where
    M: MapAccess<'de>,
    T: Deserialize<'de>,
{
    match fields.next_key::<&str>()? {
        Some(key) if key == name => fields.next_value(),
        _ => Err(M::Error::missing_field(name)),
    }
}

#[cfg(test)]
mod tests;
