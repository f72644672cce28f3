//! A run's trace: its journals, and what the client's transcripts say about its tools, written while
//! they are read.

mod out;

use out::Trace;
use overnight_base::fault::Fault;
use overnight_host::state::Place;
use overnight_host::{client, journal, runs};
use overnight_views::trace::tools::Calls;
use overnight_views::trace::{self, Cast, OWN, Slices};
use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;

/// Writes the trace of a run, whatever state it is in. What cannot be read is known before anything is
/// written: of the run's own journal the text is kept until then, those of members are read twice.
pub fn write(place: &Place, run: &str, out: impl Write) -> Result<(), Fault> {
    let folder = runs::folder(place, run)?;
    let members = runs::member_journals(&folder);
    let mut cast = Cast::default();
    let (mut own, mut slices) = (Slices::new(OWN), Trace::part());
    journal::visit(&folder, |record| {
        cast.note(&record);
        slices.events(own.add(&record));
    })?;
    slices.events(own.end());
    for (name, folder) in &members {
        journal::visit(folder, |record| cast.note_of_member(name, &record))?;
    }
    let mut trace = Trace::new(out);
    trace.events(cast.opening(run));
    trace.append(slices);
    let tracks = cast.members();
    for (name, folder) in &members {
        let mut of: BTreeMap<u32, Slices> = BTreeMap::new();
        journal::visit(folder, |record| {
            let who = cast.who(name, record.stamp.t);
            if let Some(track) = who.and_then(|number| tracks.get(&number)) {
                let slices = of.entry(*track).or_insert_with(|| Slices::new(*track));
                trace.events(slices.add(&record));
            }
        })?;
        for slices in of.into_values() {
            trace.events(slices.end());
        }
    }
    for (number, track) in std::iter::once((0, OWN)).chain(tracks) {
        for session in cast.sessions(number) {
            tools(session, (&cast, track), &mut trace);
        }
    }
    trace.end()
}

/// The calls of a session and of its subagents, from wherever the client keeps its transcript; none
/// where there is none.
fn tools(session: &str, (cast, track): (&Cast, u32), out: &mut Trace<impl Write>) {
    let Some(path) = client::transcript_of(session) else {
        return;
    };
    client::each_transcript(&path, |transcript: &Path| {
        let mut calls = Calls::default();
        // A transcript that cannot be read any further has no more calls.
        let _ = client::each_line(transcript, 0, |line| {
            let ended = calls.read(line);
            let ours = ended.iter().filter(|tool| cast.has(tool));
            out.events(ours.map(|tool| trace::tool(track, tool)));
        });
    });
}
