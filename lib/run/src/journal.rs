//! The journal's lines: what one looks like, how it is checked, where a torn end begins.
//!
//! A record is one JSON object a line, `{"v":1,"seq":…,"t":…,"mono":…,"boot":…,"event":…,…,"crc":…}`;
//! `crc` is the CRC-32C, in eight hexadecimal digits, of the line without that field.

use crate::event::Event;
use overnight_base::code::Code;
use overnight_base::fault::Fault;
use std::fmt::Write;

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
pub fn each(bytes: &[u8], mut take: impl FnMut(Record)) -> Result<usize, Fault> {
    each_after(bytes, 0, &mut take)
}

/// Like [`each`], for the part of a journal behind its record of this number. Not generic: it would be built by
/// whoever calls it, for size.
pub fn each_after(
    bytes: &[u8],
    mut count: u64,
    take: &mut dyn FnMut(Record),
) -> Result<usize, Fault> {
    let mut at = 0;
    let mut object = String::new();
    while let Some(length) = memchr::memchr(b'\n', &bytes[at..]) {
        let line = &bytes[at..at + length];
        if !is_whole(line) {
            break;
        }
        let record = parse(line, &mut object)?;
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
        return parse(line, &mut String::new());
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

/// What stands before an event's own fields, as [`encode`] writes it: read by hand, for it is most of what a
/// short record says.
struct Header<'a> {
    v: u64,
    seq: u64,
    stamp: Stamp,
    event: &'a str,
    /// The event's own fields, without braces, and the seal.
    rest: &'a str,
}

impl<'a> Header<'a> {
    fn read(line: &'a str) -> Option<Self> {
        let (v, rest) = number(line, "{\"v\":")?;
        let (seq, rest) = number(rest, ",\"seq\":")?;
        let mut header = Self {
            v,
            seq,
            stamp: Stamp::default(),
            event: "",
            rest,
        };
        // What is later means something else from here on.
        if v > u64::from(VERSION) {
            return Some(header);
        }
        let (t, rest) = number(rest, ",\"t\":")?;
        let (mono, rest) = number(rest, ",\"mono\":")?;
        let (boot, rest) = plain(rest, ",\"boot\":\"")?;
        (header.event, header.rest) = plain(rest, ",\"event\":\"")?;
        header.stamp = Stamp {
            t,
            mono,
            boot: boot.to_owned(),
        };
        Some(header)
    }
}

/// The number that stands behind this, and what follows it.
fn number<'a>(text: &'a str, before: &str) -> Option<(u64, &'a str)> {
    let text = text.strip_prefix(before)?;
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (number, rest) = text.split_at(digits);
    Some((number.parse().ok()?, rest))
}

/// The text that stands behind this, and what follows it: an id, in which nothing is escaped.
fn plain<'a>(text: &'a str, before: &str) -> Option<(&'a str, &'a str)> {
    let (text, rest) = text.strip_prefix(before)?.split_once('"')?;
    (!text.contains('\\')).then_some((text, rest))
}

/// Reads a line that is whole; `object` is room for the event's own fields.
fn parse(line: &[u8], object: &mut String) -> Result<Record, Fault> {
    let Some(header) = std::str::from_utf8(line).ok().and_then(Header::read) else {
        return Err(Fault::new(Code::JournalCorrupt, "a record has no header"));
    };
    let Header {
        v,
        seq,
        stamp,
        event: name,
        rest,
    } = header;
    if v > u64::from(VERSION) {
        let reason = format!("record {seq} is of version {v}, known is {VERSION}");
        return Err(Fault::new(Code::JournalVersion, reason).with("version", v));
    }
    let fields = rest.get(..rest.len().saturating_sub(SEAL_BYTES));
    object.clear();
    object.push('{');
    object.push_str(
        fields
            .and_then(|fields| fields.strip_prefix(','))
            .unwrap_or_default(),
    );
    object.push('}');
    match Event::read(name, object) {
        Ok(event) => Ok(Record { seq, stamp, event }),
        Err(error) => {
            let reason = format!("record {seq} ({name:?}) is not understood: {error}");
            Err(Fault::new(Code::JournalVersion, reason))
        }
    }
}

#[cfg(test)]
mod tests;
