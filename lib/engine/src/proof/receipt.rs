//! Receipts of proved commits: notes of git under a name of their own, and their proof once more.

use super::ignored::Store;
use super::own::Own;
use super::prove::stand;
use super::room::{Room, remove};
use super::setup::SetUp;
use super::trial::Bench;
use super::{folder, objects};
use crate::cell::Cells;
use crate::git;
use crate::random;
use crate::state::Place;
use overnight_base::code::Code;
use overnight_base::fault::Fault;
use overnight_judge::GateOutcome;
use overnight_judge::proof::receipt::Receipt;
use std::cell::Cell;
use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

/// The name of our notes, as in `git notes --ref`.
pub const NOTES: &str = "refs/notes/overnight";
/// Commits that are looked through for a receipt.
const COMMITS_MAX: &str = "1000";
/// Times that a note is tried while another process writes one.
const TRIES: usize = 5;

/// The tree of a commit.
pub fn tree(place: &Place, commit: &str) -> Result<String, Fault> {
    objects::tree_of(&place.top, commit)
}

/// Keeps the receipt with its commit.
pub fn write(place: &Place, commit: &str, receipt: &Receipt) -> Result<(), Fault> {
    let text = serde_json::to_string_pretty(receipt)
        .map_err(|error| Fault::new(Code::Defect, error.to_string()))?;
    let mut last = String::new();
    for who in [&[][..], &OURS[..]].iter().cycle().take(TRIES) {
        let mut note = objects::command(&place.top);
        note.args(*who);
        note.args([
            "notes", "--ref", NOTES, "add", "--force", "--file", "-", commit,
        ]);
        let done = git::output(&mut note, text.as_bytes())?;
        if done.ok() {
            return Ok(());
        }
        last = done.stderr;
    }
    Err(Fault::new(
        Code::GitFailed,
        format!("git notes: {}", last.trim()),
    ))
}

/// Who notes where git knows nobody.
const OURS: [&str; 4] = [
    "-c",
    "user.name=Overnight",
    "-c",
    "user.email=overnight@localhost.invalid",
];

/// A commit's receipt, if it has one.
pub fn read(place: &Place, commit: &str) -> Option<Receipt> {
    let shown = objects::read_at(&place.top, &["notes", "--ref", NOTES, "show", commit]).ok()?;
    serde_json::from_str(&shown).ok()
}

/// Writes the link of the pull request into the receipts of what it offers. Are there any?
pub fn link(place: &Place, range: &str, url: &str) -> Result<bool, Fault> {
    let listed = ["rev-list", "--max-count", COMMITS_MAX, range, "--"];
    let mut any = false;
    for commit in objects::read_at(&place.top, &listed)?.lines() {
        let Some(receipt) = read(place, commit) else {
            continue;
        };
        any = true;
        if receipt.pull_request.as_deref() != Some(url) {
            let linked = Receipt {
                pull_request: Some(url.to_owned()),
                ..receipt
            };
            write(place, commit, &linked)?;
        }
    }
    Ok(any)
}

/// The newest commit with a receipt, from this one on; of this run, if one is named.
pub fn find(place: &Place, from: &str, run: Option<&str>) -> Result<(String, Receipt), Fault> {
    let wanted = |receipt: &Receipt| run.is_none_or(|run| receipt.run == run);
    let commits: Vec<String> = match run {
        // A run's commits may be on no branch that is checked out.
        Some(_) => objects::read_at(&place.top, &["notes", "--ref", NOTES, "list"])
            .unwrap_or_default()
            .lines()
            .filter_map(|line| Some(line.split_once(' ')?.1.to_owned()))
            .collect(),
        None => objects::read_at(
            &place.top,
            &[
                "rev-list",
                "--max-count",
                COMMITS_MAX,
                "--end-of-options",
                from,
                "--",
            ],
        )?
        .lines()
        .map(str::to_owned)
        .collect(),
    };
    let mut found = commits
        .into_iter()
        .filter_map(|commit| Some((read(place, &commit)?, commit)))
        .filter(|(receipt, _)| wanted(receipt))
        .map(|(receipt, commit)| (commit, receipt));
    let first = found.next();
    // The last of a run's: the one that has all others behind it.
    let newest = match run {
        Some(_) => first.into_iter().chain(found).reduce(|a, b| {
            let behind = ["merge-base", "--is-ancestor", &a.0, &b.0];
            if objects::read_at(&place.top, &behind).is_ok() {
                b
            } else {
                a
            }
        }),
        None => first,
    };
    newest.ok_or_else(|| {
        let what = run.unwrap_or(from);
        let reason = format!("no commit of {what:?} has a receipt");
        Fault::new(Code::InputMissing, reason)
            .hint(format!("fetch them: git fetch origin {NOTES}:{NOTES}"))
    })
}

/// Runs the receipt's gates once more in a clean work tree of the commit, with the ignored files of
/// this one.
pub fn again(
    place: &Place,
    (commit, receipt): (&str, &Receipt),
    (limit, cells): (Duration, Option<&Cells>),
    setup: SetUp<'_>,
) -> Result<Vec<GateOutcome>, Fault> {
    let key = random::hex::<8>()?;
    let kept = folder(place).join(format!("verify-{key}"));
    let room = Room::enter(place, commit)?;
    let outcomes = run(
        place,
        (&room, &kept),
        (commit, receipt, limit),
        (cells, setup),
    );
    remove(&kept)?;
    outcomes
}

fn run(
    place: &Place,
    (room, kept): (&Room, &Path),
    (commit, receipt, limit): (&str, &Receipt, Duration),
    (cells, setup): (Option<&Cells>, SetUp<'_>),
) -> Result<Vec<GateOutcome>, Fault> {
    let store = Store::note(&place.home, kept)?;
    let bench = Bench {
        room,
        from: &place.home,
        limit,
        fault_limit: Cell::new(limit),
        cells,
        own: Own::make(room, None, cells)?,
        setup,
    };
    stand(&bench, &store, commit)?;
    let gates: Vec<String> = receipt
        .gates
        .iter()
        .map(|gate| gate.command.clone())
        .collect();
    Ok(bench.run(&gates, &BTreeMap::new()))
}
