//! Durations in JSON: pytest-split's file, jest's report, our own records.

use super::{Record, Report, nanos};
use overnight_base::code::Code;
use overnight_base::fault::Fault;
use serde_json::{Map, Value};

pub(super) fn parse(text: &str) -> Result<Report, Fault> {
    let value: Value = serde_json::from_str(text).map_err(|error| {
        Fault::new(
            Code::SampleDurations,
            format!("the durations are no JSON: {error}"),
        )
    })?;
    Ok(match &value {
        Value::Object(object) => match (object.get("testResults"), object.get("tests")) {
            (Some(Value::Array(files)), _) => jest(object, files),
            (None, Some(Value::Object(tests))) => Report {
                records: pairs(tests),
                wall: seconds(object, "wall"),
                fixed: seconds(object, "fixed"),
                collecting: seconds(object, "collecting"),
                pace: seconds(object, "pace"),
                collected: object.get("collected").and_then(Value::as_u64),
            },
            _ => Report {
                records: pairs(object),
                ..Report::default()
            },
        },
        Value::Array(list) => Report {
            records: list.iter().filter_map(pair).collect(),
            ..Report::default()
        },
        _ => Report::default(),
    })
}

fn seconds(object: &Map<String, Value>, key: &str) -> Option<u64> {
    object.get(key).and_then(Value::as_f64).map(nanos)
}

fn pairs(tests: &Map<String, Value>) -> Vec<Record> {
    let records = tests
        .iter()
        .filter_map(|(id, seconds)| Some(whole(id, seconds.as_f64()?)));
    records.collect()
}

/// pytest-split before 0.2 wrote a list of pairs.
fn pair(entry: &Value) -> Option<Record> {
    Some(whole(entry.get(0)?.as_str()?, entry.get(1)?.as_f64()?))
}

fn whole(id: &str, seconds: f64) -> Record {
    Record {
        name: id.to_owned(),
        nanos: nanos(seconds),
        ..Record::default()
    }
}

fn jest(run: &Map<String, Value>, files: &[Value]) -> Report {
    let millis = |file: &Value, key: &str| file.get(key).and_then(Value::as_f64);
    let began = run.get("startTime").and_then(Value::as_f64);
    let ends = files.iter().filter_map(|file| millis(file, "endTime"));
    let ended = ends.reduce(f64::max);
    let records = files.iter().filter_map(|file| {
        let took = millis(file, "endTime")? - millis(file, "startTime")?;
        Some(Record {
            name: file.get("name")?.as_str()?.to_owned(),
            nanos: nanos(took / 1000.0),
            failed: file.get("status").and_then(Value::as_str) == Some("failed"),
            ..Record::default()
        })
    });
    Report {
        records: records.collect(),
        wall: began
            .zip(ended)
            .map(|(began, ended)| nanos((ended - began) / 1000.0)),
        ..Report::default()
    }
}
