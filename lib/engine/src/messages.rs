//! What a person tells a run under way: kept outside the project until the run's driver takes it.

use crate::files::{self, Content};
use crate::state::Place;
use crate::{clock, homes, night, random, report, runs};
use overnight_base::code::Code;
use overnight_base::fault::Fault;
use overnight_run::steer::{Instruction, Order, TEXT_BYTES_MAX};
use std::path::{Path, PathBuf};

/// A message file is one short object.
const FILE_BYTES_MAX: u64 = 16 * 1024;

/// Where the members of a run find what they are told, in the folder of the run's messages.
const MEMBERS: &str = "members";

/// The messages that wait for a run.
fn folder(place: &Place, run: &str) -> Option<PathBuf> {
    let root = homes::outside(place, "told")?;
    Some(root.join(homes::repository_key(place)).join(run))
}

/// The messages that wait for whoever drives.
pub(crate) fn inbox(place: &Place, run: &str, member: Option<&str>) -> Option<PathBuf> {
    let of_run = folder(place, run)?;
    Some(match member {
        Some(member) => of_run.join(MEMBERS).join(member),
        None => of_run,
    })
}

/// Hands a message that a run with members took on to one of them.
pub(crate) fn pass_on(
    place: &Place,
    (run, member): (&str, &str),
    told: &Instruction,
) -> Result<(), Fault> {
    let Some(folder) = inbox(place, run, Some(member)) else {
        return Ok(());
    };
    files::create_private_folder(&folder)?;
    put(&folder, told)
}

fn put(folder: &Path, told: &Instruction) -> Result<(), Fault> {
    let bytes = serde_json::to_vec(told)
        .map_err(|error| Fault::new(Code::Defect, format!("cannot write a message: {error}")))?;
    let path = folder.join(format!("{}.json", told.id));
    files::write_atomic(&path, &bytes, files::PRIVATE)
}

/// Leaves a message for a run; its driver takes it at its next step.
pub fn leave(
    place: &Place,
    run: &str,
    text: &str,
    (task, order, now): (Option<&str>, Option<Order>, bool),
) -> Result<(), Fault> {
    if text.len() > TEXT_BYTES_MAX {
        let reason = format!("a message has at most {TEXT_BYTES_MAX} bytes");
        return Err(Fault::new(Code::InputRange, reason));
    }
    let folder = folder(place, run).ok_or_else(|| {
        Fault::new(
            Code::FileWrite,
            "there is no folder outside the project for messages",
        )
        .hint("set HOME, or XDG_STATE_HOME to a folder outside the project")
    })?;
    let at = clock::wall_ms();
    // Names sort by their time.
    let id = format!("{at:015}-{}", random::hex::<4>()?);
    let told = Instruction {
        id,
        text: text.trim().to_owned(),
        task: task.map(str::to_owned),
        order,
        now,
        at,
    };
    files::create_private_folder(&folder)?;
    put(&folder, &told)
}

/// The messages that wait, oldest first, each with its file. One that cannot be understood is none.
fn waiting(inbox: Option<PathBuf>) -> Vec<(PathBuf, Option<Instruction>)> {
    let Some(folder) = inbox else {
        return Vec::new();
    };
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut paths: Vec<PathBuf> = entries
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|end| end == "json"))
        .collect();
    paths.sort();
    let read = |path: PathBuf| {
        let told = match files::read_bounded(&path, FILE_BYTES_MAX) {
            Ok(Content::Bytes(bytes)) => serde_json::from_slice(&bytes).ok(),
            _ => None,
        };
        (path, told)
    };
    paths.into_iter().map(read).collect()
}

/// Takes the messages that wait: each is journaled by `take` before it is taken away.
pub(crate) fn hear(
    inbox: Option<PathBuf>,
    mut take: impl FnMut(Instruction) -> Result<(), Fault>,
) -> Result<(), Fault> {
    for (path, told) in waiting(inbox) {
        if let Some(told) = told {
            take(told)?;
        }
        // Taken twice, it is heard once: by its name.
        let _ = std::fs::remove_file(path);
    }
    Ok(())
}

/// Takes the messages of a run that nobody drives into its journal, so that what they answer is no
/// longer asked for.
pub fn note(place: &Place, run: &str) -> Result<(), Fault> {
    hear(folder(place, run), |told| runs::note(place, run, told))?;
    report::refresh(&night::of(place, &runs::state(place, run)?), run)
}

/// Does a message wait for which the attempt under way is to end?
pub(crate) fn is_urgent(inbox: Option<PathBuf>) -> bool {
    waiting(inbox)
        .iter()
        .any(|(_, told)| told.as_ref().is_some_and(|told| told.now))
}
