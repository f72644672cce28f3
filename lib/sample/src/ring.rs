//! The ids of a list, distinct and in the order of their places: everything is chosen from this.

use super::hash::Key;
use overnight_base::code::Code;
use overnight_base::fault::Fault;
use sha2::{Digest, Sha256};

/// Longest id, in bytes; parametrised tests reach some kilobytes.
pub const ID_BYTES_MAX: usize = 64 * 1024;
/// Longest list, in bytes: positions are kept in 32 bits.
pub const LIST_BYTES_MAX: usize = 1 << 30;

/// A list as read: its bytes and what separates its ids.
#[derive(Debug, Clone, Copy)]
pub struct List<'a> {
    /// The whole list.
    pub text: &'a str,
    /// `\n`, or `\0` for lists that may hold newlines inside ids.
    pub separator: u8,
}

impl<'a> List<'a> {
    /// A list of checked bytes: valid UTF-8, within the bounds, no NUL in a list of lines.
    pub fn new(bytes: &'a [u8], separator: u8) -> Result<Self, Fault> {
        if bytes.len() > LIST_BYTES_MAX {
            return Err(Fault::new(
                Code::SampleSize,
                "the list is larger than 1 GiB",
            ));
        }
        let text = std::str::from_utf8(bytes).map_err(|error| {
            let at = error.valid_up_to();
            Fault::new(Code::SampleId, format!("byte {at} of the list is no UTF-8"))
                .with("offset", at)
        })?;
        if separator == b'\n'
            && let Some(at) = memchr::memchr(0, bytes)
        {
            return Err(
                Fault::new(Code::SampleId, format!("byte {at} of the list is NUL"))
                    .hint("pass -0 for a list that is separated by NUL")
                    .with("offset", at),
            );
        }
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        Ok(Self { text, separator })
    }

    /// Its ids with their positions; empty lines are none, and a line ends before its CR.
    pub fn ids(&self) -> impl Iterator<Item = (usize, &'a str)> + use<'a> {
        let (text, lines) = (self.text, self.separator == b'\n');
        let mut start = 0;
        let ends = memchr::memchr_iter(self.separator, text.as_bytes()).chain([text.len()]);
        ends.filter_map(move |end| {
            let (from, line) = (start, &text[start..end]);
            start = end + 1;
            let id = if lines {
                line.strip_suffix('\r').unwrap_or(line)
            } else {
                line
            };
            let blank = id.as_bytes().first().is_none_or(u8::is_ascii_whitespace)
                && id.trim_ascii().is_empty();
            (!blank).then_some((from, id))
        })
    }
}

/// One id on the ring.
#[derive(Debug, Clone, Copy)]
pub struct Entry {
    place: u64,
    start: u32,
    length: u32,
}

/// Distinct ids in the order of (place, bytes): a function of the set of ids and the key alone.
#[derive(Debug)]
pub struct Ring<'a> {
    text: &'a str,
    entries: Vec<Entry>,
}

impl<'a> Ring<'a> {
    /// Places the ids of a list; of equal ids the first stays.
    pub fn new(list: &List<'a>, key: &Key) -> Result<Self, Fault> {
        Self::of(list.text, list.ids(), key)
    }

    /// Places slices of `text`, given with their positions.
    pub fn of(
        text: &'a str,
        ids: impl Iterator<Item = (usize, &'a str)>,
        key: &Key,
    ) -> Result<Self, Fault> {
        let mut entries = Vec::new();
        for (start, id) in ids {
            if id.len() > ID_BYTES_MAX {
                let reason = format!(
                    "an id has {} bytes, at most {ID_BYTES_MAX} are allowed",
                    id.len()
                );
                return Err(Fault::new(Code::SampleSize, reason).with("offset", start));
            }
            entries.push(Entry {
                place: key.place(id.as_bytes()),
                start: u32::try_from(start).unwrap_or(u32::MAX),
                length: u32::try_from(id.len()).unwrap_or(u32::MAX),
            });
        }
        entries.sort_unstable_by_key(|entry| entry.place);
        let mut ring = Self { text, entries };
        ring.order_equal_places();
        ring.drop_repeats();
        Ok(ring)
    }

    /// Repeats of an id are ordered by where they stand, and two different ids at one place (once
    /// in 2⁶⁴ pairs) by their bytes.
    fn order_equal_places(&mut self) {
        let text = self.text;
        for run in self
            .entries
            .chunk_by_mut(|a, b| a.place == b.place)
            .filter(|run| run.len() > 1)
        {
            run.sort_unstable_by_key(|entry| (slice(text, entry), entry.start));
        }
    }

    fn drop_repeats(&mut self) {
        let text = self.text;
        self.entries
            .dedup_by(|a, b| a.place == b.place && slice(text, a) == slice(text, b));
    }

    /// How many distinct ids there are.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Is there no id?
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The id at this position of the ring.
    pub fn id(&self, position: usize) -> &'a str {
        self.entries
            .get(position)
            .map_or("", |entry| slice(self.text, entry))
    }

    /// The place of the id at this position of the ring.
    pub fn place(&self, position: usize) -> u64 {
        self.entries.get(position).map_or(0, |entry| entry.place)
    }

    /// Every id, in ring order.
    pub fn ids(&self) -> impl Iterator<Item = &'a str> {
        self.entries.iter().map(|entry| slice(self.text, entry))
    }

    /// The ids at these positions, in the order of the list.
    pub fn in_list_order(&self, positions: impl Iterator<Item = usize>) -> Vec<&'a str> {
        let mut entries: Vec<&Entry> = positions.filter_map(|p| self.entries.get(p)).collect();
        entries.sort_unstable_by_key(|entry| entry.start);
        entries
            .into_iter()
            .map(|entry| slice(self.text, entry))
            .collect()
    }

    /// A fingerprint of the set under this key: SHA-256 over the places in ring order, 16 digits.
    pub fn fingerprint(&self) -> String {
        let mut hash = Sha256::new();
        for block in self.entries.chunks(512) {
            let mut bytes = Vec::with_capacity(4096);
            for entry in block {
                bytes.extend_from_slice(&entry.place.to_be_bytes());
            }
            hash.update(&bytes);
        }
        hex(&hash.finalize()[..8])
    }
}

/// Bytes as lower-case hexadecimal digits.
pub fn hex(bytes: &[u8]) -> String {
    bytes
        .iter()
        .flat_map(|byte| [byte >> 4, byte & 15])
        .map(|digit| char::from(b"0123456789abcdef"[usize::from(digit)]))
        .collect()
}

fn slice<'a>(text: &'a str, entry: &Entry) -> &'a str {
    let start = entry.start as usize;
    text.get(start..start + entry.length as usize)
        .unwrap_or_default()
}
