//! A run's report: its journal, what git knows, the runs before it; written where people look.

use crate::state::Place;
use crate::{clock, files, git, journal, members, runs, sight};
use overnight_core::fault::Fault;
use overnight_core::report::facts::{Changes, FileChange, Past};
use overnight_core::report::{Clock, Facts, Reading, Report, clean, html, markdown};
use overnight_core::run::state::RunInfo;
use overnight_core::status::Seen;
use std::path::{Path, PathBuf};

/// Runs to compare with (issue: the last ten).
const PAST_RUNS: usize = 10;
/// A journal of an earlier run larger than this is left out of the comparison.
const PAST_BYTES_MAX: u64 = 8 << 20;
/// Digits of a commit's name that are shown.
const SHORT: usize = 12;
/// Commits and files that are listed.
const LISTED_MAX: usize = 20;

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

    /// As one HTML file, in the local time zone.
    pub fn html(&self) -> String {
        html::render(&self.report, &self.facts, &Clock(clock::zone()))
    }
}

/// The report of a run, whatever state it is in.
pub fn of(place: &Place, run: &str) -> Result<Full, Fault> {
    let folder = runs::folder(place, run)?;
    let mut reading = Reading::default();
    let torn_bytes = journal::visit(&folder, |record| reading.add(&record))?;
    for (name, folder) in members::journals(&folder) {
        journal::visit(&folder, |record| reading.add_of_member(&name, &record))?;
    }
    let state = reading.state();
    let seen = sight::seen(place, run, state, torn_bytes);
    let facts = Facts {
        changes: state.run.as_ref().and_then(|run| changes(place, run)),
        past: past(place, run),
    };
    let report = reading.report(&seen);
    Ok(Full { report, facts })
}

/// Writes both forms into the run's log folder; gives the path of the Markdown form.
pub fn write(place: &Place, run: &str) -> Result<PathBuf, Fault> {
    let full = of(place, run)?;
    let folder = place.top.join("agent_logs").join(run);
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

/// What changed since the run's starting commit; `None` where git cannot tell.
fn changes(place: &Place, run: &RunInfo) -> Option<Changes> {
    place.git_common.as_ref()?;
    let head = run.head.as_deref()?;
    let hexadecimal = head.len() >= 40 && head.bytes().all(|byte| byte.is_ascii_hexdigit());
    if !hexadecimal {
        return None;
    }
    let top: &Path = &place.top;
    let range = format!("{head}..HEAD");
    let listed = format!("--max-count={LISTED_MAX}");
    let log = git::read(top, &["log", "--format=%h %s", &listed, &range, "--"]).ok()?;
    let count = git::read(top, &["rev-list", "--count", &range, "--"]).ok()?;
    let diff = [
        "diff",
        "--numstat",
        "-z",
        "--no-renames",
        "--no-ext-diff",
        "--no-textconv",
        head,
        "--",
    ];
    let mut files: Vec<FileChange> = git::read(top, &diff)
        .ok()?
        .split('\0')
        .filter_map(file_change)
        .collect();
    files.sort_by_key(|file| {
        let size = file.added.saturating_add(file.removed);
        (file.rank(), std::cmp::Reverse(size))
    });
    let files_count = files.len() as u64;
    files.truncate(LISTED_MAX);
    Some(Changes {
        since: head[..SHORT].to_owned(),
        branch: place.branch().as_deref().map(clean),
        commits: log.lines().map(clean).collect(),
        commits_count: count.trim().parse().unwrap_or(0),
        files,
        files_count,
    })
}

/// One entry of `git diff --numstat -z`.
fn file_change(entry: &str) -> Option<FileChange> {
    let mut fields = entry.splitn(3, '\t');
    let mut lines = || fields.next().map(|field| field.parse().unwrap_or(0));
    let (added, removed) = (lines()?, lines()?);
    Some(FileChange {
        path: clean(fields.next()?),
        added,
        removed,
    })
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
        let read = || journal::visit(&folder, |record| reading.add(&record)).ok();
        (bytes <= PAST_BYTES_MAX).then(read)??;
        Some(reading.report(&Seen::default()).past())
    };
    earlier.drain(first..).filter_map(read).collect()
}
