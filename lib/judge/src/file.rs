//! The decision file: strict JSON, or one of the legacy words.

use super::{Claim, FileState, Source, legacy};
use crate::answers::ANSWERS_MAX;
use crate::marker::one_line;
use serde::de::{Deserializer, Error, MapAccess, Visitor};
use serde_json::{Map, Value};
use std::fmt;

/// A decision is a few lines; what is larger is something else (tests/cases/hostile.md D01).
pub const BYTES_MAX: u64 = 1 << 20;
/// Reasons and fingerprints kept of a decision: what a person reads at a glance.
const LIST_MAX: usize = 50;

/// Failure: there is no decision in the file, or no file.
pub const NOTHING: &str = "missing decision";
/// Failure: the file answers another check.
pub const MISMATCH: &str = "check id mismatch";
/// Failure: a JSON decision without a check id although one was given out.
pub const NO_ID: &str = "missing check id";

/// Why no decision could be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// Its stable name.
    pub name: &'static str,
    /// What was expected, what was found and how to put it right.
    pub reason: String,
    /// Does it end the judgement? So does a file that contradicts itself or negates a decision;
    /// a file that merely says nothing leaves the word to the final message.
    pub decides: bool,
}

/// What the decision file says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Read {
    /// The claim, if it holds one.
    pub claim: Claim,
    /// In which form.
    pub source: Source,
    /// Did the check id match? `None` without one on both sides.
    pub check_id_match: Option<bool>,
    /// Fingerprints that the decision names.
    pub fingerprints: Vec<String>,
    /// Its answers to the checklist.
    pub answers: Vec<String>,
    /// What it needs of a person, where it is not done.
    pub needs: Option<String>,
    /// Why there is no claim.
    pub failure: Option<Failure>,
    /// The text that decided.
    pub evidence: Option<String>,
}

impl Read {
    fn none() -> Self {
        Self {
            claim: Claim::None,
            source: Source::None,
            check_id_match: None,
            fingerprints: Vec::new(),
            answers: Vec::new(),
            needs: None,
            failure: None,
            evidence: None,
        }
    }

    fn failed(name: &'static str, reason: impl Into<String>) -> Self {
        let failure = Failure {
            name,
            reason: reason.into(),
            decides: false,
        };
        Self {
            failure: Some(failure),
            ..Self::none()
        }
    }

    fn contradicting(name: &'static str, reason: impl Into<String>) -> Self {
        let mut read = Self::failed(name, reason);
        if let Some(failure) = &mut read.failure {
            failure.decides = true;
        }
        read
    }
}

/// Reads the decision file's bytes against the expected check id.
pub fn read(file: FileState<'_>, check_id: Option<&str>) -> Read {
    let bytes = match file {
        FileState::NotAsked => return Read::none(),
        FileState::Missing => {
            return Read::failed(NOTHING, "missing decision: there is no decision file");
        }
        FileState::Refused(why) => {
            return Read::failed(
                "unreadable decision",
                format!("the decision file is {why}; write it with completion-check declare"),
            );
        }
        FileState::Bytes(bytes) => bytes,
    };
    let Some(text) = decode(bytes) else {
        return Read::failed("invalid encoding", "the decision file is not UTF-8 text");
    };
    let text = text.trim();
    if text.is_empty() {
        return Read::failed(NOTHING, "missing decision: the decision file is empty");
    }
    let mut read = if text.starts_with(['{', '[']) {
        json(text, check_id)
    } else {
        plain(text, check_id)
    };
    if read.claim != Claim::None {
        read.evidence = Some(one_line(text));
    }
    read
}

/// UTF-8 with or without a byte order mark, or UTF-16 with one (Windows `PowerShell` writes that).
fn decode(bytes: &[u8]) -> Option<String> {
    let utf16 = |bytes: &[u8], unit: fn([u8; 2]) -> u16| {
        let (pairs, rest) = bytes.as_chunks::<2>();
        let units: Vec<u16> = pairs.iter().map(|pair| unit(*pair)).collect();
        rest.is_empty()
            .then(|| String::from_utf16(&units).ok())
            .flatten()
    };
    let text = match bytes {
        [0xff, 0xfe, rest @ ..] => utf16(rest, u16::from_le_bytes)?,
        [0xfe, 0xff, rest @ ..] => utf16(rest, u16::from_be_bytes)?,
        [0xef, 0xbb, 0xbf, rest @ ..] => std::str::from_utf8(rest).ok()?.to_owned(),
        _ => std::str::from_utf8(bytes).ok()?.to_owned(),
    };
    (!text.contains('\0')).then_some(text)
}

fn json(text: &str, check_id: Option<&str>) -> Read {
    let object = match parse(text) {
        Ok(object) => object,
        Err(error) => {
            let reason = format!("invalid json in the decision file: {error}");
            return if error.to_string().starts_with(DUPLICATE) {
                Read::contradicting("duplicate key", reason)
            } else {
                Read::failed("invalid json", reason)
            };
        }
    };
    let found = object.get("check_id");
    let check_id_match = check_id.map(|expected| found.and_then(Value::as_str) == Some(expected));
    let mut read = match (check_id, check_id_match) {
        (Some(expected), Some(false)) => stale(expected, found),
        _ => decided(&object),
    };
    read.check_id_match = check_id_match;
    read
}

fn decided(object: &Map<String, Value>) -> Read {
    let word = match object.get("decision") {
        None => return Read::failed(NOTHING, "missing decision: the JSON has no \"decision\""),
        Some(Value::String(word)) => word,
        Some(other) => {
            return Read::failed(
                "invalid decision",
                format!(
                    "\"decision\" must be \"complete\" or \"incomplete\", found {}",
                    brief(other)
                ),
            );
        }
    };
    let claim = match word.trim().to_ascii_lowercase().as_str() {
        "complete" | "pass" => Claim::Complete {
            // What was declared as the reason says what was done just as well.
            summary: summary(object).or_else(|| reasons(object).into_iter().next()),
        },
        "incomplete" | "fail" => Claim::Incomplete {
            reasons: reasons(object),
        },
        other => {
            let reason = format!(
                "\"decision\" must be \"complete\" or \"incomplete\", found {}",
                brief(&Value::String(word.clone()))
            );
            return if legacy::negates(other) {
                Read::contradicting("invalid decision", reason)
            } else {
                Read::failed("invalid decision", reason)
            };
        }
    };
    let needs = strings(object.get("needs"), LIST_MAX).join("; ");
    let open = matches!(claim, Claim::Incomplete { .. });
    Read {
        claim,
        source: Source::FileJson,
        needs: Some(needs).filter(|needs| open && !needs.is_empty()),
        fingerprints: strings(object.get("fingerprints"), LIST_MAX),
        answers: strings(object.get("answers"), ANSWERS_MAX),
        ..Read::none()
    }
}

fn plain(text: &str, check_id: Option<&str>) -> Read {
    let found = legacy::check_id(text);
    let check_id_match = match (check_id, found) {
        (Some(expected), Some(found)) => Some(expected == found),
        _ => None,
    };
    let mut read = match (check_id, check_id_match) {
        (Some(expected), Some(false)) => stale(
            expected,
            found.map(|id| Value::String(id.to_owned())).as_ref(),
        ),
        _ => match legacy::verdict(text) {
            legacy::Word::Complete => Read {
                claim: Claim::Complete { summary: None },
                source: Source::FileLegacy,
                ..Read::none()
            },
            legacy::Word::Incomplete(reasons) => Read {
                claim: Claim::Incomplete { reasons },
                source: Source::FileLegacy,
                ..Read::none()
            },
            legacy::Word::Contradiction => Read::contradicting(
                "contradictory decision",
                format!(
                    "the decision file says both or negates itself: {:?}",
                    one_line(text)
                ),
            ),
            legacy::Word::None => Read::failed(
                NOTHING,
                format!(
                    "missing decision: the decision file holds neither JSON nor PASS, FAIL, COMPLETE or INCOMPLETE on a line of its own: {:?}",
                    one_line(text)
                ),
            ),
        },
    };
    read.check_id_match = check_id_match;
    read
}

fn stale(expected: &str, found: Option<&Value>) -> Read {
    let how = "run `completion-check declare`, which fills in the current id";
    match found {
        None => Read::failed(
            NO_ID,
            format!("the decision carries no check id, expected {expected:?}: {how}"),
        ),
        Some(found) => {
            let literal = found.as_str().is_some_and(|id| id.trim().starts_with('$'));
            let note = if literal {
                " (a variable's name was written instead of its value)"
            } else {
                ""
            };
            let found = brief(found);
            Read::failed(
                MISMATCH,
                format!("check id mismatch: expected {expected:?}, found {found}{note}: {how}"),
            )
        }
    }
}

fn summary(object: &Map<String, Value>) -> Option<String> {
    let text = object.get("summary")?.as_str()?;
    Some(one_line(text)).filter(|summary| !summary.is_empty())
}

fn reasons(object: &Map<String, Value>) -> Vec<String> {
    let mut all = strings(object.get("reasons"), LIST_MAX);
    all.extend(object.get("reason").and_then(Value::as_str).map(one_line));
    all
}

fn strings(value: Option<&Value>, most: usize) -> Vec<String> {
    let list = match value {
        Some(Value::Array(list)) => list.as_slice(),
        Some(one @ Value::String(_)) => std::slice::from_ref(one),
        _ => &[],
    };
    let texts = list.iter().filter_map(Value::as_str);
    texts.take(most).map(one_line).collect()
}

fn brief(value: &Value) -> String {
    one_line(&value.to_string())
}

const DUPLICATE: &str = "duplicate key";

/// One JSON object without a key said twice: `serde_json` alone would keep the last of them.
pub(crate) fn parse(text: &str) -> Result<Map<String, Value>, serde_json::Error> {
    struct Once;
    impl<'de> Visitor<'de> for Once {
        type Value = Map<String, Value>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("one JSON object")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Self::Value, A::Error> {
            let mut object = Map::new();
            while let Some(key) = entries.next_key::<String>()? {
                if object.contains_key(&key) {
                    return Err(A::Error::custom(format!("{DUPLICATE} {key:?}")));
                }
                object.insert(key, entries.next_value()?);
            }
            Ok(object)
        }
    }
    let mut reader = serde_json::Deserializer::from_str(text);
    let object = reader.deserialize_map(Once)?;
    reader.end()?;
    Ok(object)
}
