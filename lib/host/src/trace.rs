//! A run's trace: its journal, and what the client's transcripts say about its tools.

use crate::files::{self, Content};
use crate::state::Place;
use crate::{homes, journal, runs};
use overnight_core::fault::Fault;
use overnight_core::journal::Record;
use overnight_core::run::event::Event;
use overnight_core::trace::tools::{self, Tool};
use overnight_core::trace::{Track, chrome};
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::PathBuf;

/// A larger transcript is left out.
const TRANSCRIPT_BYTES_MAX: u64 = 256 << 20;

/// The trace of a run, whatever state it is in.
pub fn of(place: &Place, run: &str) -> Result<Value, Fault> {
    let records = journal::read(&runs::folder(place, run)?)?;
    let tools: Vec<Tool> = sessions(&records)
        .iter()
        .flat_map(|session| transcript(session))
        .collect();
    let name = if tools.is_empty() {
        "agent"
    } else {
        "agent, with its tools"
    };
    Ok(chrome(
        run,
        &[Track {
            name,
            records: &records,
            tools: &tools,
        }],
    ))
}

/// The client sessions of a run. What an agent printed names them, so only an id counts.
fn sessions(records: &[Record]) -> BTreeSet<&str> {
    let is_id = |session: &&str| {
        let of_id = |byte: u8| byte.is_ascii_hexdigit() || byte == b'-';
        session.len() == 36 && session.bytes().all(of_id)
    };
    let outcomes = records.iter().filter_map(|record| match &record.event {
        Event::Outcome(outcome) => outcome.session.as_deref(),
        _ => None,
    });
    outcomes.filter(is_id).collect()
}

/// The calls of a session, from wherever the client keeps its transcript; none where there is none.
fn transcript(session: &str) -> Vec<Tool> {
    let projects = homes::client().map(|home| home.join("projects"));
    let folders = projects.and_then(|projects| std::fs::read_dir(projects).ok());
    let file = |folder: PathBuf| folder.join(format!("{session}.jsonl"));
    let found = folders
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| file(entry.path()))
        .find(|path| path.is_file());
    match found.map(|path| files::read_bounded(&path, TRANSCRIPT_BYTES_MAX)) {
        Some(Ok(Content::Bytes(bytes))) => tools::read(&bytes),
        _ => Vec::new(),
    }
}
