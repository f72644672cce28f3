//! A second opinion: what a reviewer answered. It is data: bounded, on one line each, and all that it
//! can do is refuse.

use overnight_base::text::one_line;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Objections that are kept of one answer.
const OBJECTIONS_MAX: usize = 20;
/// Characters of an objection and of a path.
const CHARS_MAX: usize = 500;

/// A reviewer's answer.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Review {
    /// Does the reviewer take the work as it is?
    pub accept: bool,
    /// What speaks against it; of an answer that accepts, remarks.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub objections: Vec<Remark>,
}

/// One thing that a reviewer says.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Remark {
    /// The file that it is about; empty: the work as a whole.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub file: String,
    /// The line, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u64>,
    /// What is wrong.
    pub why: String,
}

impl Remark {
    /// `src/a.rs:3: the last entry is lost`
    pub fn words(&self) -> String {
        match (self.file.as_str(), self.line) {
            ("", _) => self.why.clone(),
            (file, Some(line)) => format!("{file}:{line}: {}", self.why),
            (file, None) => format!("{file}: {}", self.why),
        }
    }
}

/// Reads an answer: one JSON object and nothing else, but for a fence around it. `Err`: what is wrong
/// with it, to be told to who answered.
pub fn read(text: &str) -> Result<Review, String> {
    let value: Value = serde_json::from_str(bare(text))
        .map_err(|error| format!("the answer is not one JSON object: {error}"))?;
    let Value::Object(answer) = value else {
        return Err("the answer is not a JSON object".to_owned());
    };
    if let Some(other) = answer
        .keys()
        .find(|key| !matches!(key.as_str(), "accept" | "objections"))
    {
        let other = one_line(other, CHARS_MAX);
        return Err(format!("there is no {other:?} in an answer"));
    }
    let accept = match answer.get("accept") {
        Some(Value::Bool(accept)) => *accept,
        _ => return Err("\"accept\" must be true or false".to_owned()),
    };
    let objections = match answer.get("objections") {
        Some(Value::Array(list)) => list
            .iter()
            .take(OBJECTIONS_MAX)
            .map(remark)
            .collect::<Result<Vec<_>, _>>()?,
        None if accept => Vec::new(),
        _ => return Err("\"objections\" must be a list".to_owned()),
    };
    if !accept && objections.is_empty() {
        return Err("who does not accept must say why: \"objections\" is empty".to_owned());
    }
    Ok(Review { accept, objections })
}

/// The object within a fence, where there is one around all of it.
fn bare(text: &str) -> &str {
    let text = text.trim();
    let fenced = text.strip_prefix("```").and_then(|rest| {
        let inside = rest.strip_suffix("```")?;
        inside.strip_prefix("json").or(Some(inside))
    });
    fenced.unwrap_or(text).trim()
}

fn remark(value: &Value) -> Result<Remark, String> {
    let of = |key: &str| value.get(key);
    let why = match of("why") {
        Some(Value::String(why)) if !why.trim().is_empty() => one_line(why, CHARS_MAX),
        _ => return Err("each objection needs a \"why\" that is a text".to_owned()),
    };
    let file = match of("file") {
        Some(Value::String(file)) => one_line(file, CHARS_MAX),
        None | Some(Value::Null) => String::new(),
        Some(_) => return Err("\"file\" must be a text".to_owned()),
    };
    let line = match of("line") {
        Some(Value::Number(line)) => match line.as_u64() {
            Some(line) => Some(line).filter(|line| *line > 0),
            None => return Err("\"line\" must be a whole number".to_owned()),
        },
        None | Some(Value::Null) => None,
        Some(_) => return Err("\"line\" must be a number".to_owned()),
    };
    Ok(Remark { file, line, why })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn an_answer_is_one_object_that_says_yes_or_why_not() {
        let good = read("{\"accept\":true}").unwrap();
        assert!(good.accept && good.objections.is_empty());
        let fenced = "```json\n{\"accept\":false,\"objections\":[{\"file\":\"a.rs\",\"line\":3,\"why\":\"lost\\nhere\"},{\"why\":\"x\"}]}\n```";
        let words: Vec<String> = read(fenced)
            .unwrap()
            .objections
            .iter()
            .map(Remark::words)
            .collect();
        assert_eq!(words, ["a.rs:3: lost here", "x"]);
        for bad in [
            "",
            "yes",
            "[]",
            "{}",
            "{\"accept\":\"true\"}",
            "{\"accept\":false}",
            "{\"accept\":false,\"objections\":[]}",
            "{\"accept\":false,\"objections\":[{}]}",
            "{\"accept\":false,\"objections\":[{\"why\":\"x\",\"line\":-1}]}",
            "{\"accept\":false,\"objections\":[{\"why\":\"x\",\"file\":1}]}",
            "{\"accept\":true,\"verdict\":\"proved\"}",
            "{\"accept\":true} {\"accept\":true}",
            "I accept: {\"accept\":true}",
        ] {
            assert!(read(bad).is_err(), "{bad}");
        }
    }

    proptest! {
        #[test]
        fn whatever_is_answered_is_bounded_and_on_one_line(text in "\\PC*", why in "(?s).{0,2000}") {
            let _ = read(&text);
            let answer = serde_json::json!({
                "accept": false,
                "objections": vec![serde_json::json!({"file": why, "why": format!("x{why}")}); 40],
            });
            let review = read(&answer.to_string()).unwrap();
            prop_assert!(review.objections.len() <= OBJECTIONS_MAX);
            for objection in &review.objections {
                let broken = objection.words().contains(['\n', '\r', '\u{1b}']);
                prop_assert!(!broken);
                prop_assert!(objection.why.chars().count() <= CHARS_MAX + 1);
            }
        }
    }
}
