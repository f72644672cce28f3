//! Listers that print JSON.

use super::{Format, Ids, failed};
use overnight_base::fault::Fault;
use serde_json::Value;

/// Is this a JSON array? (`[chromium] › …` is none.)
pub(super) fn is_array(text: &str) -> bool {
    let after = text.trim_start_matches('[').trim_ascii_start();
    text.starts_with('[') && after.starts_with(['"', '{', ']']) && text.trim_end().ends_with(']')
}

/// Does a JSON object start here? (It may break off.)
pub(super) fn is_object(text: &str) -> bool {
    text.strip_prefix('{')
        .is_some_and(|rest| rest.trim_ascii_start().starts_with(['"', '}']))
}

/// Which lister wrote this JSON?
pub(super) fn recognise(text: &str) -> Format {
    let within = |key: &str| memchr::memmem::find(text.as_bytes(), key.as_bytes()).is_some();
    if let Some(inner) = text.strip_prefix('[') {
        let objects = inner.trim_start().starts_with('{');
        if objects {
            Format::Vitest
        } else {
            Format::Jest
        }
    } else if within("\"rust-suites\"") {
        Format::Nextest
    } else if within("\"examples\"") {
        Format::Rspec
    } else if within("\"suites\"") {
        Format::Playwright
    } else {
        // No JSON object is a test id: an unknown lister, or one that broke off.
        Format::Nextest
    }
}

fn read(text: &str, lister: &str) -> Result<Value, Fault> {
    // rspec prints its messages behind the object.
    let mut values = serde_json::Deserializer::from_str(text).into_iter();
    match values.next() {
        Some(Ok(value)) => Ok(value),
        Some(Err(error)) => Err(failed(format!("{lister}'s list is no JSON: {error}"))),
        None => Err(failed(format!("{lister} printed no list"))),
    }
}

fn text<'a>(value: &'a Value, key: &str) -> Option<&'a str> {
    value.get(key).and_then(Value::as_str)
}

fn list<'a>(value: &'a Value, key: &str) -> &'a [Value] {
    value
        .get(key)
        .and_then(Value::as_array)
        .map_or(&[], Vec::as_slice)
}

pub(super) fn nextest(json: &str) -> Result<Ids<'static>, Fault> {
    let value = read(json, "nextest")?;
    let suites = value
        .get("rust-suites")
        .and_then(Value::as_object)
        .ok_or_else(|| failed("this JSON is no list of a known lister"))?;
    let mut ids = Vec::new();
    for (binary, suite) in suites {
        let cases = suite.get("testcases").and_then(Value::as_object);
        for (name, case) in cases.into_iter().flatten() {
            let matches = case.pointer("/filter-match/status").and_then(Value::as_str);
            let ignored = case.get("ignored").and_then(Value::as_bool) == Some(true);
            if matches == Some("matches") || matches.is_none() && !ignored {
                ids.push(format!("{binary} {name}"));
            }
        }
    }
    Ok(Ids::joined(ids.iter()))
}

pub(super) fn rspec(json: &str) -> Result<Ids<'static>, Fault> {
    let value = read(json, "rspec")?;
    let broken = value
        .pointer("/summary/errors_outside_of_examples_count")
        .and_then(Value::as_u64)
        .unwrap_or(0);
    if broken > 0 {
        return Err(failed(format!(
            "rspec could not load everything: {broken} errors"
        )));
    }
    let examples = list(&value, "examples").iter();
    Ok(Ids::joined(
        examples.filter_map(|example| text(example, "id")),
    ))
}

pub(super) fn jest(json: &str) -> Result<Ids<'static>, Fault> {
    let value = read(json, "jest")?;
    let files = value.as_array().map_or(&[][..], Vec::as_slice).iter();
    Ok(Ids::joined(files.filter_map(Value::as_str)))
}

pub(super) fn vitest(json: &str) -> Result<Ids<'static>, Fault> {
    let value = read(json, "vitest")?;
    let tests = value.as_array().map_or(&[][..], Vec::as_slice).iter();
    let ids = tests.filter_map(|test| {
        let file = text(test, "file")?;
        let name = text(test, "name").filter(|name| *name != file);
        Some(name.map_or(file.to_owned(), |name| format!("{file} > {name}")))
    });
    Ok(Ids::joined(ids))
}

pub(super) fn playwright(json: &str) -> Result<Ids<'static>, Fault> {
    let value = read(json, "playwright")?;
    if let Some(error) = list(&value, "errors").first() {
        let message = text(error, "message").unwrap_or("see its output");
        let message = message.lines().next().unwrap_or_default();
        return Err(failed(format!("playwright could not list: {message}")));
    }
    let mut ids = Vec::new();
    // Own stack: a suite nests as deep as its author likes.
    let mut open: Vec<(&Value, String)> = list(&value, "suites")
        .iter()
        .map(|suite| (suite, String::new()))
        .collect();
    while let Some((suite, path)) = open.pop() {
        for spec in list(suite, "specs") {
            let place = (text(spec, "file"), spec.get("line"), spec.get("column"));
            let (Some(file), Some(line), Some(column)) = place else {
                continue;
            };
            let title = text(spec, "title").unwrap_or_default();
            for test in list(spec, "tests") {
                let project = text(test, "projectName").unwrap_or_default();
                let project = if project.is_empty() {
                    String::new()
                } else {
                    format!("[{project}] › ")
                };
                ids.push(format!("{project}{file}:{line}:{column} › {path}{title}"));
            }
        }
        for inner in list(suite, "suites") {
            let title = text(inner, "title").unwrap_or_default();
            open.push((inner, format!("{path}{title} › ")));
        }
    }
    Ok(Ids::joined(ids.iter()))
}
