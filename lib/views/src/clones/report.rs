//! jscpd's JSON report (versions 4 and 5 agree on these fields).

use super::{LineRange, Pair};
use overnight_base::code::Code;
use overnight_base::fault::Fault;
use serde::Deserialize;

#[derive(Deserialize)]
struct Report {
    duplicates: Vec<Duplicate>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Duplicate {
    first_file: File,
    second_file: File,
    /// Version 5 only: `exact`, `renamed`.
    kind: Option<String>,
}

#[derive(Deserialize)]
struct File {
    name: String,
    start: u32,
    end: u32,
}

impl From<File> for LineRange {
    fn from(file: File) -> Self {
        Self {
            file: file.name.trim_start_matches("./").to_owned(),
            first: file.start,
            last: file.end.max(file.start),
        }
    }
}

/// Reads a report.
pub fn parse(json: &[u8]) -> Result<Vec<Pair>, Fault> {
    let report: Report = serde_json::from_slice(json).map_err(|error| {
        Fault::new(Code::InputData, format!("jscpd's report: {error}"))
            .hint("find-clones was tested with jscpd 5")
    })?;
    let pairs = report.duplicates.into_iter().map(|duplicate| Pair {
        renamed: duplicate.kind.is_some_and(|kind| kind != "exact"),
        places: [duplicate.first_file.into(), duplicate.second_file.into()],
    });
    Ok(pairs.collect())
}
