//! A document as it is read: the open objects, and what the closed ones said.

use super::super::clean::cut_end;
use super::super::count::figure;
use super::reader::Sink;
use super::record::{Record, TEXT_MAX};
use super::shapes::Shape;
use super::slot::{self, Slot};

/// Records remembered until it is known whose document it is.
const RECORDS_MAX: usize = 1_000;

#[derive(Debug, Default)]
pub(super) struct Tree {
    pub(super) frames: Vec<Frame>,
    /// The member whose value follows.
    pub(super) key: String,
    pub(super) shape: Option<&'static Shape>,
    /// The signs seen of each shape.
    pub(super) seen: Vec<u32>,
    pub(super) records: Vec<Record>,
    /// Numbers of the result: the object they stand in, the member, and their sum.
    pub(super) totals: Vec<(&'static str, &'static str, u64)>,
    pub(super) line: u64,
}

/// An open object or array.
#[derive(Debug, Default)]
pub(super) struct Frame {
    pub(super) array: bool,
    /// The member it is the value of; of an array's element that of the array.
    pub(super) key: String,
    pub(super) record: Record,
    /// Parts of it said more about it.
    pub(super) merged: bool,
}

impl Sink for Tree {
    fn open(&mut self, array: bool) {
        let key = match self.frames.last() {
            Some(frame) if frame.array => frame.key.clone(),
            _ => std::mem::take(&mut self.key),
        };
        self.sign(&key, "");
        let mut record = Record {
            line: self.line,
            ..Record::default()
        };
        // The problems of a file stand below its path.
        let of_files = |frame: &Frame| !frame.array && frame.key == "files";
        if !array && self.frames.last().is_some_and(of_files) {
            record.put(Slot::File, &key);
        }
        self.frames.push(Frame {
            array,
            key,
            record,
            merged: false,
        });
    }

    fn close(&mut self) {
        let Some(frame) = self.frames.pop() else {
            return;
        };
        if frame.array {
            return;
        }
        // The whole document is a record where each line is one.
        if self.frames.is_empty() && frame.merged {
            return;
        }
        let mut record = frame.record;
        record.list = frame.key;
        if slot::is_part(&record.list) {
            self.merge(&record);
        }
        if record.get(Slot::File).is_none() {
            let mut above = self.frames.iter().rev().filter(|frame| !frame.array);
            let file = above.find_map(|frame| frame.record.get(Slot::File));
            if let Some(file) = file {
                record.put(Slot::File, file);
            }
        }
        let says = [Slot::Message, Slot::Spare, Slot::Full, Slot::Name];
        let room = self.shape.is_some() || self.records.len() < RECORDS_MAX;
        if room && says.iter().any(|slot| record.get(*slot).is_some()) {
            self.records.push(record);
        }
    }

    fn key(&mut self, name: &str) {
        self.key.clear();
        self.key.push_str(cut_end(name, TEXT_MAX).as_ref());
    }

    fn value(&mut self, text: &str, quoted: bool) {
        let key = match self.frames.last() {
            Some(frame) if frame.array => frame.key.clone(),
            _ => std::mem::take(&mut self.key),
        };
        self.sign(&key, text);
        if text == "null" && !quoted {
            return;
        }
        let count = self.frames.len();
        // Texts in a list belong to the object that has the list.
        let owner = (0..count).rev().find(|at| !self.frames[*at].array);
        let Some(owner) = owner else { return };
        if let Some(slot) = slot::slot(&key, text) {
            self.frames[owner].record.put(slot, text);
        }
        if !quoted && let Some(number) = figure(text) {
            self.count(owner, &key, number);
        }
    }
}
