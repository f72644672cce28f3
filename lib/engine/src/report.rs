//! A run's report: its journal, what git knows, the runs before it; written where people look.

use crate::state::Place;
use crate::{clock, files, fleet, git, journal, progress, round, runs, sight, work};
use overnight_base::fault::Fault;
use overnight_filter::rotate::COMPRESSED;
use overnight_views::report::facts::Past;
use overnight_views::report::terminal::Paper;
use overnight_views::report::{Clock, Facts, Reading, Report, html, markdown, terminal};
use overnight_views::status::Seen;
use std::path::{Path, PathBuf};

/// Runs to compare with (issue: the last ten).
const PAST_RUNS: usize = 10;
/// A journal of an earlier run larger than this is left out of the comparison.
const PAST_BYTES_MAX: u64 = 8 << 20;

/// A report with everything it needs to be shown.
#[derive(Debug)]
pub struct Full {
    /// From the journal.
    pub report: Report,
    /// From elsewhere.
    pub facts: Facts,
}

impl Full {
    /// As Markdown, in the local time zone.
    pub fn markdown(&self) -> String {
        markdown::render(&self.report, &self.facts, &Clock(clock::zone()))
    }

    /// For a terminal, in the local time zone.
    pub fn terminal(&self, paper: Paper) -> String {
        terminal::render(&self.report, &self.facts, &Clock(clock::zone()), paper)
    }

    /// As one HTML file, in the local time zone.
    pub fn html(&self) -> String {
        html::render(&self.report, &self.facts, &Clock(clock::zone()))
    }
}

/// The report of a run, whatever state it is in.
pub fn of(place: &Place, run: &str) -> Result<Full, Fault> {
    Ok(shown(place, run, read(place, run)?))
}

/// The same after the remote was asked what other machines of its list did; the text is why they were
/// not heard of.
pub fn of_far(place: &Place, run: &str) -> Result<(Full, Option<String>), Fault> {
    let read = read(place, run)?;
    let unheard = fleet::refresh(place, read.0.state());
    Ok((shown(place, run, read), unheard))
}

/// The journals of a run and of its members, read once, and the length of the torn end.
fn read(place: &Place, run: &str) -> Result<(Reading, u64), Fault> {
    let folder = runs::folder(place, run)?;
    let mut reading = Reading::default();
    let torn_bytes = journal::visit(&folder, |record| reading.add(record))?;
    if let Some(record) = sight::broken_off(reading.state()) {
        reading.add(record);
    }
    for (name, folder) in runs::member_journals(&folder) {
        journal::visit(&folder, |record| reading.add_of_member(&name, record))?;
    }
    Ok((reading, torn_bytes))
}

fn shown(place: &Place, run: &str, (reading, torn_bytes): (Reading, u64)) -> Full {
    let state = reading.state();
    let seen = sight::seen_with_members(place, run, state, torn_bytes);
    let facts = Facts {
        changes: work::of(place, state),
        past: past(place, run),
        beside_logs: false,
    };
    let report = reading.report(&seen, facts.changes.as_ref());
    Full { report, facts }
}

/// The report of machines that work on this branch's list, for a clone without a run of its own.
pub fn elsewhere(place: &Place) -> Result<Option<Full>, Fault> {
    let Some((records, seen)) = fleet::elsewhere_told(place)? else {
        return Ok(None);
    };
    let mut reading = Reading::default();
    for record in records {
        reading.add(record);
    }
    let facts = Facts::default();
    let report = reading.report(&seen, None);
    Ok(Some(Full { report, facts }))
}

/// Writes both forms into the run's log folder; gives the path of the Markdown form.
pub fn write(place: &Place, run: &str) -> Result<PathBuf, Fault> {
    let mut full = of(place, run)?;
    full.facts.beside_logs = true;
    let folder = place.home.join("agent_logs").join(run);
    for line in &mut full.report.iterations {
        line.log = there(&folder, &line.log);
    }
    let path = folder.join("report.md");
    files::create_folder(&folder)?;
    files::write_atomic(
        &folder.join("report.html"),
        full.html().as_bytes(),
        files::PRIVATE,
    )?;
    files::write_atomic(&path, full.markdown().as_bytes(), files::PRIVATE)?;
    Ok(path)
}

/// The log's name as it lies there; none where there is no such log: a session keeps its own.
fn there(folder: &Path, log: &str) -> String {
    let names = [log.to_owned(), format!("{log}{COMPRESSED}")];
    let mut there = names.into_iter().filter(|name| folder.join(name).is_file());
    there.next().unwrap_or_default()
}

/// Brings what people read of a run that nobody drives up to date. Progress that git holds was
/// committed and stays as it is.
pub fn refresh(place: &Place, run: &str) -> Result<(), Fault> {
    write(place, run)?;
    let folder = place.progress_folder();
    if place.git_common.is_some()
        && git::read(folder, &["ls-files", "--", progress::FOLDER])?.is_empty()
    {
        round::write_progress(place, &runs::state(place, run)?)?;
    }
    Ok(())
}

/// The figures of the runs before this one; what cannot be read is left out.
fn past(place: &Place, run: &str) -> Vec<Past> {
    let earlier = runs::all(place)
        .into_iter()
        .filter(|other| other.as_str() < run);
    let mut earlier: Vec<String> = earlier.collect();
    let first = earlier.len().saturating_sub(PAST_RUNS);
    let read = |other: String| {
        let folder = place.run_folder(&other);
        let bytes = std::fs::metadata(folder.join(journal::FILE)).ok()?.len();
        let mut reading = Reading::default();
        let read = || journal::visit(&folder, |record| reading.add(record)).ok();
        (bytes <= PAST_BYTES_MAX).then(read)??;
        Some(reading.report(&Seen::default(), None).past())
    };
    earlier.drain(first..).filter_map(read).collect()
}
