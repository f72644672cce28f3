//! What the desk reads and does: the change in hunks, what was read of it, a task that goes back.

mod peer;
pub mod web;

use crate::files::{self, Content};
use crate::state::Place;
use crate::{answer, exclude, git, past, person, pull_request, reopen, runs, sight, work};
use overnight_base::code::Code;
use overnight_base::fault::Fault;
use overnight_base::text::one_line;
use overnight_run::{State, resume};
use overnight_views::review::{Desk, Hunk, Wish, hunks};
use overnight_views::summary::Summary;
use std::collections::{BTreeMap, BTreeSet};

/// A change larger than this is not read hunk by hunk.
const PATCH_BYTES_MAX: usize = 16 << 20;
/// Hunks that were read, in the state folder: by content, so that they stay read in a later run.
const READ: &str = "read.json";
const READ_BYTES_MAX: u64 = 4 << 20;
/// Hunks that are remembered.
const READ_MAX: usize = 50_000;
/// Iterations whose files are looked at.
const ITERATIONS_MAX: usize = 300;

/// The desk of a run.
pub fn of(place: &Place, run: &str) -> Result<Desk, Fault> {
    let (state, night) = summary(place, run)?;
    Ok(Desk::new(&night, changes(place, &state, &night)?))
}

pub(crate) fn summary(place: &Place, run: &str) -> Result<(State, Summary), Fault> {
    let (state, seen) = sight::look(place, run)?;
    let night = sight::summary(place, &state, &seen);
    Ok((state, night))
}

/// The change of a run in hunks.
fn changes(place: &Place, state: &State, night: &Summary) -> Result<Vec<Hunk>, Fault> {
    let Some((top, from, tip)) = work::range(place, state) else {
        return Ok(Vec::new());
    };
    let mut diff = git::tame(&top);
    diff.args(["diff", "--no-ext-diff", "--no-textconv", "--no-color"]);
    diff.args(["--no-renames", "--src-prefix=a/", "--dst-prefix=b/"]);
    diff.args([from.as_str(), &tip, "--", "."]);
    diff.args(exclude::own_paths());
    let done = git::output(&mut diff, b"")?;
    if !done.ok() {
        let reason = format!("git diff: {}", one_line(&done.stderr, 300));
        return Err(Fault::new(Code::GitFailed, reason));
    }
    let bytes = &done.stdout[..done.stdout.len().min(PATCH_BYTES_MAX)];
    let patch = String::from_utf8_lossy(bytes);
    let mut all = hunks(&patch, &touched(place, state, night), night);
    let read = read(place)?;
    for hunk in &mut all {
        hunk.read = read.contains(&hunk.key);
    }
    Ok(all)
}

/// By file, the tasks whose iterations touched it, the last one last.
fn touched(place: &Place, state: &State, night: &Summary) -> BTreeMap<String, Vec<String>> {
    let mut all: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let first = state.history.len().saturating_sub(ITERATIONS_MAX);
    for one in &state.history[first..] {
        let range = (one.number.saturating_sub(1), one.number);
        for file in past::files(place, &night.run, range).unwrap_or_default() {
            let tasks = all.entry(file).or_default();
            tasks.retain(|task| *task != one.task);
            tasks.push(one.task.clone());
        }
    }
    all
}

fn read(place: &Place) -> Result<BTreeSet<String>, Fault> {
    Ok(
        match files::read_bounded(&place.state.join(READ), READ_BYTES_MAX)? {
            Content::Bytes(bytes) => serde_json::from_slice(&bytes).unwrap_or_default(),
            Content::Missing | Content::Refused(_) => BTreeSet::new(),
        },
    )
}

fn mark(place: &Place, keys: &[String]) -> Result<(), Fault> {
    let mut all = read(place)?;
    if all.len() >= READ_MAX {
        all.clear();
    }
    all.extend(keys.iter().cloned());
    let bytes = serde_json::to_vec(&all).unwrap_or_default();
    files::write_atomic(&place.state.join(READ), &bytes, files::PRIVATE)
}

/// Does what a person wishes and brings the desk up to date; was a task sent back?
pub fn grant(place: &Place, run: &str, desk: &mut Desk, wish: &Wish) -> bool {
    if let Wish::Fetch(url) = wish {
        fetch(place, run, desk, url);
        return false;
    }
    match act(place, run, wish) {
        Ok(said) => {
            if let Some(said) = said {
                desk.note = Some(said);
                if let Ok((_, night)) = summary(place, run) {
                    desk.refresh(&night);
                }
            }
            matches!(wish, Wish::SendBack { .. })
        }
        Err(fault) => {
            desk.note = Some(fault.to_string());
            false
        }
    }
}

/// Puts what colleagues wrote on the pull request on the desk.
fn fetch(place: &Place, run: &str, desk: &mut Desk, url: &str) {
    desk.note = Some(match pull_request::comments(place, url) {
        Ok(found) => {
            let count = found.len();
            desk.comments(found);
            if let Ok((_, night)) = summary(place, run) {
                desk.refresh(&night);
            }
            format!("{count} comments on {url}")
        }
        Err(fault) => fault.to_string(),
    });
}

fn act(place: &Place, run: &str, wish: &Wish) -> Result<Option<String>, Fault> {
    Ok(match wish {
        Wish::Nothing | Wish::Leave | Wish::Fetch(_) => None,
        Wish::Answer { task, text } => {
            answer::tell(place, run, (Some(task), text))?;
            Some(format!("{task} is answered; its next prompt says so"))
        }
        Wish::Question { ask, approve } => Some(answer::question(place, ask, *approve)?),
        Wish::SendBack { task, comments } => {
            person::not_an_agent("overnight review")?;
            reopen::send_back(place, run, task, comments)?;
            let resume = resume::command(&runs::state(place, run)?);
            Some(format!("{task} goes back: {resume}"))
        }
        Wish::TakeOut { task } => {
            person::not_an_agent("overnight review")?;
            let undone = past::take_out(place, run, task)?;
            let branch = undone.branch.unwrap_or_default();
            let published = runs::state(place, run)?.published;
            let remote = published.and_then(|published| published.remote);
            let shown = remote.map_or_else(String::new, |remote| {
                format!("; the pull request shows it until r, or: git push {remote} {branch}")
            });
            Some(format!(
                "{branch} is without {task} now, before it was {}{shown}",
                undone.kept
            ))
        }
        Wish::Read(keys) => {
            mark(place, keys)?;
            None
        }
        Wish::Ready(url) => {
            person::not_an_agent("overnight review")?;
            pull_request::ready(place, run, url)?;
            Some(format!("{url} is open for review"))
        }
    })
}
