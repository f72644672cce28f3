//! Documents of reporters that print JSON, on one line of any length or on many: eslint, rspec,
//! jest, ruff and others ([`shapes`]). Which it is, its members tell; until then what could be a
//! record is remembered.

mod reader;
mod shapes;

use super::count::{Category, Counts, figure};
use super::facts::Facts;
use super::place::Place;
use super::problem::Severity;
use reader::{Progress, Reader, Sink};
use shapes::{SHAPES, SLOTS, Shape, Slot};

pub(super) use shapes::WORDS;

/// A document that has not told within so many bytes whose it is, is nobody's.
const UNKNOWN_MAX: usize = 128 * 1024;
/// Records remembered until it is known.
const RECORDS_MAX: usize = 1_000;
/// The most bytes of a text that are kept.
const TEXT_MAX: usize = 1_000;

/// A document that is being read.
#[derive(Debug, Default)]
pub(super) struct Document {
    reader: Reader,
    tree: Tree,
    bytes: usize,
    lost: bool,
    /// A test of the current file failed.
    failed: bool,
}

/// How far a document is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum State {
    /// It goes on.
    Open,
    /// It is complete.
    Done,
    /// It is no JSON, or nobody's.
    Lost,
}

#[derive(Debug, Default)]
struct Tree {
    frames: Vec<Frame>,
    /// The member whose value follows.
    key: String,
    shape: Option<&'static Shape>,
    /// The signs seen of each shape.
    seen: Vec<u32>,
    records: Vec<Record>,
    /// Numbers of the result: the object they stand in, the member, and their sum.
    totals: Vec<(&'static str, &'static str, u64)>,
    line: u64,
}

/// An open object or array.
#[derive(Debug, Default)]
struct Frame {
    array: bool,
    /// The member it is the value of; of an array's element that of the array.
    key: String,
    record: Record,
    /// Parts of it said more about it.
    merged: bool,
}

/// What an object says.
#[derive(Debug, Default, Clone)]
struct Record {
    slots: [Option<String>; SLOTS],
    line: u64,
    /// The name of the list it stands in.
    list: String,
}

impl Record {
    fn get(&self, slot: Slot) -> Option<&str> {
        self.slots[slot as usize]
            .as_deref()
            .filter(|text| !text.is_empty())
    }

    fn put(&mut self, slot: Slot, text: &str) {
        if self.slots[slot as usize].is_none() {
            self.slots[slot as usize] = Some(super::clean::cut_end(text, TEXT_MAX).into_owned());
        }
    }
}

impl Document {
    /// Whether a document could begin here.
    pub(super) fn may_begin(text: &[u8]) -> bool {
        let second = || text.iter().skip(1).find(|byte| !byte.is_ascii_whitespace());
        match text.first() {
            Some(b'{') => matches!(second(), None | Some(b'"')),
            Some(b'[') => matches!(second(), None | Some(b'{')),
            _ => false,
        }
    }

    /// Reads a piece, whose first byte stands on this line.
    pub(super) fn push(&mut self, bytes: &[u8], line: u64) -> State {
        if self.lost {
            return State::Lost;
        }
        self.tree.line = line;
        // However it is cut, the same is read of it.
        let (first, rest) = bytes.split_at(bytes.len().min(UNKNOWN_MAX.saturating_sub(self.bytes)));
        self.bytes = self.bytes.saturating_add(bytes.len());
        let mut progress = self.reader.push(first, &mut self.tree);
        if progress == Progress::Open && !rest.is_empty() {
            if self.tree.shape.is_none() {
                progress = Progress::Broken;
            } else {
                progress = self.reader.push(rest, &mut self.tree);
            }
        }
        self.lost = progress == Progress::Broken;
        match progress {
            Progress::Open => State::Open,
            Progress::Done => State::Done,
            Progress::Broken => State::Lost,
        }
    }

    /// Whether it is known whose it is.
    pub(super) fn is_known(&self) -> bool {
        self.tree.shape.is_some()
    }

    /// What was read since the last time.
    pub(super) fn tell(&mut self, facts: &mut Facts) {
        let Some(shape) = self.tree.shape else { return };
        facts.tool(shape.tool);
        for record in self.tree.records.drain(..) {
            if shape.tests {
                test(shape, &record, &mut self.failed, facts);
            } else {
                problem(shape, &record, facts);
            }
        }
    }

    /// The document is over, or broke off.
    pub(super) fn finish(&mut self, facts: &mut Facts) {
        self.tell(facts);
        let Some(shape) = self.tree.shape else { return };
        let mut counts = Counts::default();
        for (place, name, category) in shape.totals {
            let mut stated = self.tree.totals.iter();
            if let Some((.., sum)) = stated.find(|total| (total.0, total.1) == (*place, *name)) {
                counts.add(*category, *sum);
            }
        }
        settle(shape, &mut counts);
        if !shape.tests {
            facts.lint = true;
        }
        if !counts.is_empty() {
            facts.problems_stated |= !shape.tests;
            facts.result(shape.tool, counts, None);
            facts.close(shape.tool);
        }
    }
}

/// What a reporter leaves to be reckoned.
fn settle(shape: &Shape, counts: &mut Counts) {
    let get = |counts: &Counts, category| counts.get(category);
    if let (Some(errors), Some(warnings), "eslint") = (
        get(counts, Category::Errors),
        get(counts, Category::Warnings),
        shape.tool,
    ) {
        counts.set(Category::Problems, errors + warnings);
    }
    if let (Some(total), None, true) = (
        get(counts, Category::Total),
        get(counts, Category::Passed),
        shape.tests,
    ) {
        let others = [Category::Failed, Category::Pending, Category::Skipped];
        let others: u64 = others
            .iter()
            .filter_map(|category| counts.get(*category))
            .sum();
        counts.set(Category::Passed, total.saturating_sub(others));
    }
    if counts.get(Category::Errors) == Some(0) && shape.tests {
        counts.remove(Category::Errors);
    }
}

fn test(shape: &Shape, record: &Record, failed: &mut bool, facts: &mut Facts) {
    let tool = shape.tool;
    let Some(name) = record.get(Slot::Full).or_else(|| record.get(Slot::Name)) else {
        return;
    };
    // The steps of a scenario are no tests of their own.
    if matches!(record.list.as_str(), "steps" | "before" | "after") {
        return;
    }
    let listed = tool == "mocha";
    let status = match record.list.as_str() {
        "failures" if listed => "failed",
        "passes" if listed => "passed",
        "pending" if listed => "pending",
        // The list of all of them: each is in one of the others too.
        _ if listed => return,
        _ => record.get(Slot::Status).unwrap_or_default(),
    };
    // A file of tests that could not be run, or whose tests are named themselves.
    let suite = record.list == "testResults";
    let category = match status {
        "failed" | "fail" | "unexpected" | "false" | "timedOut" | "undefined" => Category::Failed,
        _ if suite => return,
        "passed" | "ok" | "expected" | "true" => Category::Passed,
        "pending" if tool == "rspec" || listed => Category::Pending,
        "pending" | "skipped" | "disabled" => Category::Skipped,
        "ignored" => Category::Ignored,
        "todo" => Category::Todo,
        _ => return,
    };
    if suite {
        // Its tests were named before it; with none of them failed it broke off itself.
        if std::mem::take(failed) {
            return;
        }
    } else {
        facts.saw(tool, category);
        *failed |= category == Category::Failed;
    }
    if category != Category::Failed {
        return;
    }
    let at = facts.fail(tool, name, record.line);
    let message = record
        .get(Slot::Message)
        .or_else(|| record.get(Slot::Spare))
        .unwrap_or_default();
    for part in message.lines().take(20) {
        facts.detail(at, part, record.line);
    }
    if let Some(place) = place(record, false)
        && let Some(failure) = facts.failure(at)
        && failure.block.place.is_none()
    {
        failure.block.at(place);
    }
}

fn problem(shape: &Shape, record: &Record, facts: &mut Facts) {
    let text = record
        .get(Slot::Message)
        .or_else(|| record.get(Slot::Spare));
    let (Some(text), Some(place)) = (text, place(record, shape.from_zero)) else {
        return;
    };
    let severity = severity(shape.tool, record);
    let first = text.lines().next().unwrap_or_default();
    let text = match record.get(Slot::Rule) {
        Some(rule) if !says(first, rule) => format!("{first} ({rule})"),
        _ => first.to_owned(),
    };
    facts
        .problems
        .add(severity, Some(&place.shown), &text, record.line);
}

/// Whether the message names its rule, which may be an ordinary word of it.
fn says(message: &str, rule: &str) -> bool {
    let word = rule.bytes().all(|byte| byte.is_ascii_alphabetic());
    message.contains(rule) && (!word || message.contains(&format!("({rule})")))
}

fn severity(tool: &str, record: &Record) -> Severity {
    let Some(level) = record.get(Slot::Level) else {
        return Severity::Error;
    };
    match level.to_ascii_lowercase().as_str() {
        "1" if tool == "eslint" => Severity::Warning,
        "warning" | "warn" | "medium" | "minor" => Severity::Warning,
        "convention" | "refactor" if tool == "rubocop" => Severity::Warning,
        "convention" | "refactor" | "info" | "note" | "information" | "style" | "hint" | "low"
        | "help" => Severity::Note,
        _ => Severity::Error,
    }
}

/// Where a record is: a problem without a place is none.
fn place(record: &Record, from_zero: bool) -> Option<Place> {
    let file = record.get(Slot::File)?;
    let number = |slot| {
        let number = record.get(slot).and_then(figure)?;
        Some(number + u64::from(from_zero))
    };
    let line = number(Slot::Line);
    let shown = match (line, number(Slot::Column)) {
        (Some(line), Some(column)) => format!("{file}:{line}:{column}"),
        (Some(line), None) => format!("{file}:{line}"),
        (None, _) => file.to_owned(),
    };
    let line = line.unwrap_or(1);
    Some(Place {
        file: file.to_owned(),
        line,
        shown,
    })
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
        if shapes::is_part(&record.list) {
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
        self.key
            .push_str(super::clean::cut_end(name, TEXT_MAX).as_ref());
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
        if let Some(slot) = shapes::slot(&key, text) {
            self.frames[owner].record.put(slot, text);
        }
        if !quoted && let Some(number) = figure(text) {
            self.count(owner, &key, number);
        }
    }
}

impl Tree {
    /// A member, and its text: is it known now whose document this is?
    fn sign(&mut self, key: &str, text: &str) {
        if self.shape.is_some() || key.is_empty() {
            return;
        }
        self.seen.resize(SHAPES.len(), 0);
        for (shape, seen) in SHAPES.iter().zip(&mut self.seen) {
            for (at, (name, value)) in shape.signs.iter().enumerate() {
                if *name == key && (value.is_empty() || *value == text) {
                    *seen |= 1 << at;
                }
            }
            if seen.count_ones() as usize == shape.signs.len() {
                self.shape = Some(shape);
                return;
            }
        }
    }

    /// A number: is it one of the result?
    fn count(&mut self, owner: usize, key: &str, number: u64) {
        let below = &self.frames[owner].key;
        let shapes = match self.shape {
            Some(shape) => std::slice::from_ref(shape),
            None => SHAPES,
        };
        let mut last = None;
        for (place, name, _) in shapes.iter().flat_map(|shape| shape.totals) {
            let fits = *name == key && (place.is_empty() || place == below);
            // Several reporters have this member.
            if !fits || last.replace((*place, *name)) == Some((*place, *name)) {
                continue;
            }
            let mut known = self.totals.iter_mut();
            match known.find(|total| (total.0, total.1) == (*place, *name)) {
                Some((.., sum)) => *sum = sum.saturating_add(number),
                None => self.totals.push((place, name, number)),
            }
        }
    }

    /// What a part says, its object says too, unless it says it itself.
    fn merge(&mut self, part: &Record) {
        let Some(owner) = self.frames.iter_mut().rev().find(|frame| !frame.array) else {
            return;
        };
        owner.merged = true;
        let failed = part.list == "steps" && part.get(Slot::Status) == Some("failed");
        for (at, text) in part.slots.iter().enumerate() {
            let own = owner.record.slots[at].is_some();
            let status = at == Slot::Status as usize;
            let named = at == Slot::Name as usize || at == Slot::Full as usize;
            let heard = match (status, part.list.as_str()) {
                (true, "result" | "steps") => !own || failed,
                (true, _) => false,
                (false, _) => !named && !own || failed && at == Slot::Message as usize,
            };
            if heard && text.is_some() {
                owner.record.slots[at].clone_from(text);
            }
        }
    }
}
