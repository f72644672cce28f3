//! A run's trace: its journal, and what the client's transcripts say about its tools.

use crate::files::{self, Content};
use crate::state::Place;
use crate::{homes, journal, members, runs};
use overnight_core::fault::Fault;
use overnight_core::journal::Record;
use overnight_core::run::event::Event;
use overnight_core::trace::tools::{self, Tool};
use overnight_core::trace::{self, Track, chrome};
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::PathBuf;

/// A larger transcript is left out.
const TRANSCRIPT_BYTES_MAX: u64 = 256 << 20;

/// The trace of a run, whatever state it is in.
pub fn of(place: &Place, run: &str) -> Result<Value, Fault> {
    let folder = runs::folder(place, run)?;
    let records = journal::read(&folder)?;
    let mut journals = Vec::new();
    for (name, folder) in members::journals(&folder) {
        journals.push((name, journal::read(&folder)?));
    }
    let members = trace::members(&records, &journals);
    let tools: Vec<Vec<Tool>> = members
        .iter()
        .map(|(.., records)| tools_of(records.iter().copied()))
        .collect();
    let own_tools = tools_of(records.iter());
    let own = match (members.is_empty(), own_tools.is_empty()) {
        (false, _) => "driver",
        (true, true) => "agent",
        (true, false) => "agent, with its tools",
    };
    let mut tracks = vec![Track {
        name: own.to_owned(),
        records: records.iter().collect(),
        tools: &own_tools,
        stints: Vec::new(),
    }];
    for ((number, stints, records), tools) in members.into_iter().zip(&tools) {
        tracks.push(Track {
            name: format!("member {number}"),
            records,
            tools,
            stints,
        });
    }
    Ok(chrome(run, &tracks))
}

/// The tools of the client's sessions that these records name.
fn tools_of<'r>(records: impl Iterator<Item = &'r Record>) -> Vec<Tool> {
    sessions(records)
        .iter()
        .flat_map(|session| transcript(session))
        .collect()
}

/// The client sessions of a run. What an agent printed names them, so only an id counts.
fn sessions<'r>(records: impl Iterator<Item = &'r Record>) -> BTreeSet<&'r str> {
    let is_id = |session: &&str| {
        let of_id = |byte: u8| byte.is_ascii_hexdigit() || byte == b'-';
        session.len() == 36 && session.bytes().all(of_id)
    };
    let outcomes = records.filter_map(|record| match &record.event {
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
