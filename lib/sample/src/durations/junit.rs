//! JUnit XML, as far as test cases need it: elements, attributes, comments, CDATA, entities.

use super::{Record, Report, nanos};

/// Reads every `testcase`; a broken rest is skipped, nesting is not checked.
pub fn parse(text: &str) -> Report {
    let mut report = Report::default();
    let mut rest = text;
    let mut suite = Attributes::default();
    while let Some(start) = memchr::memchr(b'<', rest.as_bytes()) {
        rest = &rest[start..];
        let Some(length) = markup_length(rest) else {
            break;
        };
        let (markup, after) = rest.split_at(length);
        rest = after;
        let (element, body) = split_name(markup);
        match element {
            "testsuites" | "testsuite" => {
                suite = Attributes::read(body);
                if report.wall.is_none() {
                    report.wall = suite.seconds().filter(|nanos| *nanos > 0);
                }
            }
            "testcase" => report.records.push(record(&Attributes::read(body), &suite)),
            "failure" | "error" => {
                if let Some(last) = report.records.last_mut() {
                    last.failed = true;
                }
            }
            _ => {}
        }
    }
    report
}

fn record(case: &Attributes, suite: &Attributes) -> Record {
    Record {
        class: case.get("classname"),
        name: case.get("name"),
        file: Some(case.get("file"))
            .filter(|file| !file.is_empty())
            .unwrap_or_else(|| suite.get("file")),
        nanos: case.seconds().unwrap_or(0),
        failed: false,
    }
}

/// Bytes of the markup that `rest` starts with, or `None` when it is cut off.
fn markup_length(rest: &str) -> Option<usize> {
    for (start, end) in [("<!--", "-->"), ("<![CDATA[", "]]>"), ("<?", "?>")] {
        if let Some(inner) = rest.strip_prefix(start) {
            let length = inner.find(end)?;
            return Some(start.len() + length + end.len());
        }
    }
    let mut quote = None;
    for (at, byte) in rest.bytes().enumerate() {
        match (byte, quote) {
            (b'"' | b'\'', None) => quote = Some(byte),
            (byte, Some(open)) if byte == open => quote = None,
            (b'>', None) => return Some(at + 1),
            _ => {}
        }
    }
    None
}

fn split_name(markup: &str) -> (&str, &str) {
    let inner = markup.trim_start_matches('<').trim_end_matches(['>', '/']);
    inner
        .split_once(|c: char| c.is_ascii_whitespace())
        .unwrap_or((inner, ""))
}

#[derive(Debug, Default)]
struct Attributes {
    pairs: Vec<(String, String)>,
}

impl Attributes {
    fn read(mut body: &str) -> Self {
        let mut pairs = Vec::new();
        while let Some((name, rest)) = body.split_once('=') {
            let rest = rest.trim_start();
            let Some(quote) = rest.chars().next().filter(|c| matches!(c, '"' | '\'')) else {
                break;
            };
            let Some((value, after)) = rest[1..].split_once(quote) else {
                break;
            };
            pairs.push((name.trim().to_owned(), unescape(value)));
            body = after;
        }
        Self { pairs }
    }

    fn get(&self, name: &str) -> String {
        self.pairs
            .iter()
            .find(|(key, _)| key == name)
            .map(|(_, value)| value.clone())
            .unwrap_or_default()
    }

    fn seconds(&self) -> Option<u64> {
        // Some reporters write thousands with commas: `1,234.5`.
        self.get("time").replace(',', "").parse().ok().map(nanos)
    }
}

fn unescape(value: &str) -> String {
    let mut text = String::with_capacity(value.len());
    let mut rest = value;
    while let Some((before, after)) = rest.split_once('&') {
        text.push_str(before);
        let entity = after
            .split_once(';')
            .filter(|(name, _)| name.len() <= 8)
            .and_then(|(name, tail)| Some((character(name)?, tail)));
        if let Some((c, tail)) = entity {
            text.push(c);
            rest = tail;
        } else {
            text.push('&');
            rest = after;
        }
    }
    text.push_str(rest);
    text
}

fn character(name: &str) -> Option<char> {
    match name {
        "lt" => Some('<'),
        "gt" => Some('>'),
        "amp" => Some('&'),
        "quot" => Some('"'),
        "apos" => Some('\''),
        _ => {
            let number = name.strip_prefix('#')?;
            let code = match number.strip_prefix('x') {
                Some(hex) => u32::from_str_radix(hex, 16).ok()?,
                None => number.parse().ok()?,
            };
            char::from_u32(code)
        }
    }
}
