//! What is kept of a run besides its log: the figures for the breaker and the sample, and for the
//! statistics.

use super::Plan;
use overnight_base::session::hex;
use overnight_digest::{Digest, End};
use overnight_filter::stats::Stats;
use overnight_host::logs::{self, LAST_RUN, STATS};
use overnight_host::state::Place;
use serde_json::{Value, json};
use sha2::Digest as _;
use std::io::{Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::time::Duration;

/// Beyond this the records are added up into one.
const STATS_BYTES_MAX: u64 = 256 * 1024;

/// A finished output.
#[derive(Debug)]
pub struct Outcome {
    value: Value,
    failing: Vec<String>,
    tool: bool,
    stats: Stats,
}

impl Outcome {
    pub(super) fn new(
        digest: &Digest,
        plan: &Plan,
        log: Option<&str>,
        redacted: u64,
        text: &str,
    ) -> Self {
        let exit = match digest.end {
            End::Exit(status) => Some(status),
            End::Signal(signal) => Some(128 + signal),
            End::Unknown => None,
        };
        let lines_out = text.lines().count() as u64;
        let failures: Vec<Value> = digest
            .failures
            .iter()
            .map(|failure| {
                json!({"name": failure.name, "file": failure.file, "line": failure.line, "message": failure.message})
            })
            .collect();
        let value = json!({
            "tool": digest.tool, "exit": exit, "passed": digest.passed(), "failed": digest.failed(),
            "skipped": digest.skipped(), "errors": digest.errors(), "duration_ms": digest.duration_ms,
            "failures": failures, "lines_in": digest.lines_in, "lines_out": lines_out, "log": log,
            "redacted": redacted,
        });
        let shortened = digest.passthrough().is_none() && !plan.json;
        Self {
            value,
            failing: digest
                .failures
                .iter()
                .map(|failure| failure.name.clone())
                .collect(),
            tool: digest.tool.is_some(),
            stats: Stats {
                runs: u64::from(shortened),
                lines_in: digest.lines_in,
                lines_out,
                bytes_in: digest.bytes_in,
                bytes_out: text.len() as u64,
            },
        }
    }

    /// The form for `--json`.
    pub fn json(&self) -> &Value {
        &self.value
    }

    /// Notes the run for the breaker and the sample, and for the statistics. Where that cannot be
    /// done the run is none the worse.
    pub fn save(&self, place: &Place) {
        // A plain listing between two test runs must not hide the first.
        if self.tool {
            self.save_last(place);
        }
        if self.stats.runs > 0 {
            let _ = self.append(place);
        }
    }

    /// Writes `logs/last-run.json`.
    fn save_last(&self, place: &Place) {
        let mut failing = self.failing.clone();
        failing.sort();
        failing.dedup();
        let hash = hex(sha2::Sha256::digest(failing.join("\n").as_bytes()).as_slice());
        let mut value = self.value.clone();
        value["failing"] = json!(failing);
        value["failing_hash"] = if failing.is_empty() {
            Value::Null
        } else {
            json!(&hash[..16])
        };
        value["at"] = json!(overnight_host::clock::wall_ms());
        let _ = logs::replace(place, LAST_RUN, format!("{value}\n").as_bytes());
    }

    /// Keeps the logs within their quota, if this run added one.
    pub fn keep_quota(&self, place: &Place) {
        if self.stats.runs > 0 {
            let _ = logs::rotation::keep_quota(place, overnight_host::clock::wall_ms());
        }
    }

    fn append(&self, place: &Place) -> Result<(), overnight_base::fault::Fault> {
        overnight_host::files::create_private_folder(&place.state)?;
        let path = place.state.join(STATS);
        let Some(_lock) = overnight_host::files::FileLock::acquire(
            &place.state.join("filter-stats.lock"),
            Duration::from_millis(200),
        )?
        else {
            return Ok(());
        };
        let io = |error: std::io::Error| {
            overnight_base::fault::Fault::new(
                overnight_base::code::Code::FileWrite,
                error.to_string(),
            )
        };
        let mut file = std::fs::OpenOptions::new()
            .create(true)
            .read(true)
            .append(true)
            .mode(overnight_host::files::PRIVATE)
            .custom_flags(rustix::fs::OFlags::NOFOLLOW.bits().cast_signed())
            .open(&path)
            .map_err(io)?;
        let record = serde_json::to_string(&self.stats).unwrap_or_default();
        if file.metadata().map_err(io)?.len() <= STATS_BYTES_MAX {
            return file.write_all(format!("{record}\n").as_bytes()).map_err(io);
        }
        let mut records = String::new();
        file.read_to_string(&mut records).map_err(io)?;
        records.push_str(&record);
        let sum = serde_json::to_string(&Stats::sum(&records)).unwrap_or_default();
        overnight_host::files::replace(
            &path,
            format!("{sum}\n").as_bytes(),
            overnight_host::files::PRIVATE,
        )
    }
}
