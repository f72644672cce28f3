//! What a claim rests on outside of the project: paths that its changed files name and that were made
//! since the run began are led to an empty place, and the gates must not miss them.

use super::objects;
use super::prove::{Claim, Prover};
use super::room::fault;
use super::trial::{Bench, counts};
use overnight_base::fault::Fault;
use overnight_judge::proof::Edit;
use overnight_judge::proof::outside::{self, Named};
use overnight_judge::proof::overlay::Difference;
use std::collections::BTreeSet;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// Files of one claim that are looked at.
const FILES_MAX: usize = 200;

/// A changed file that names such paths: its text, or nothing where it is a link itself.
struct Leading {
    path: String,
    text: String,
    named: Vec<Named>,
}

/// The paths without which a gate fails, with these edits in the claimed tree; `None` where the change names
/// no such path and the room is as it was.
pub(super) fn look(
    prover: &Prover<'_>,
    bench: &Bench<'_>,
    (claim, differences, edits): (Claim<'_>, &[Difference], &[Edit]),
) -> Result<Option<Vec<String>>, Fault> {
    if leading(prover, bench, differences).is_empty() {
        return Ok(None);
    }
    bench.overlay(&prover.dusk.commit, edits)?;
    let found = leading(prover, bench, differences);
    let mut named = BTreeSet::new();
    for (number, file) in found.iter().enumerate() {
        named.extend(file.named.iter().map(|named| named.path.clone()));
        if file.text.is_empty() {
            bench.room.remove(&file.path)?;
            continue;
        }
        let empty = bench.own.temporary.join(format!("empty-{number}"));
        std::fs::create_dir_all(&empty).map_err(|error| fault(&empty, &error))?;
        let led = file
            .named
            .iter()
            .map(|named| (named, elsewhere(&empty, named)));
        bench
            .room
            .write(&file.path, &outside::replaced(&file.text, led))?;
    }
    let missed = claim
        .gates
        .iter()
        .any(|gate| !counts(&bench.run_with_output(gate).0));
    Ok(Some(if missed {
        named.into_iter().collect()
    } else {
        Vec::new()
    }))
}

/// An empty folder in place of a folder, a file that is not there in place of a file.
fn elsewhere(empty: &Path, named: &Named) -> String {
    let path = Path::new(&named.path);
    let name = path.file_name().filter(|_| !path.is_dir());
    name.map_or_else(|| empty.to_owned(), |name| empty.join(name))
        .display()
        .to_string()
}

fn leading(prover: &Prover<'_>, bench: &Bench<'_>, differences: &[Difference]) -> Vec<Leading> {
    let home = std::env::home_dir().unwrap_or_default();
    let home = home.display().to_string();
    let made = |path: &str| is_made_since(prover, bench, Path::new(path));
    let mut found = Vec::new();
    let changed = differences.iter().filter(|difference| difference.after);
    for difference in changed.take(FILES_MAX) {
        let path = &difference.path;
        if let Ok(target) = std::fs::read_link(bench.room.top.join(path)) {
            let target = bench.room.top.join(path).with_file_name(target);
            let target = target.display().to_string();
            if made(&target) {
                let at = 0..0;
                found.push(Leading {
                    path: path.clone(),
                    text: String::new(),
                    named: vec![Named { at, path: target }],
                });
            }
            continue;
        }
        let Some(text) = bench.text(path) else {
            continue;
        };
        let mut named = outside::named(&text, &home);
        named.retain(|named| made(&named.path));
        let known = (!named.is_empty() && difference.before)
            .then(|| objects::file(&bench.room.top, &prover.dusk.commit, path))
            .flatten()
            .unwrap_or_default();
        named.retain(|named| !known.contains(&text[named.at.clone()]));
        if !named.is_empty() {
            found.push(Leading {
                path: path.clone(),
                text,
                named,
            });
        }
    }
    found
}

/// Is it there, outside of the room, and younger than the run? What holds the room or the project is
/// not asked.
fn is_made_since(prover: &Prover<'_>, bench: &Bench<'_>, path: &Path) -> bool {
    let Ok(real) = path.canonicalize() else {
        return false;
    };
    let around = |inner: &Path| inner.starts_with(&real);
    let room = &bench.room.top;
    if real.starts_with(room) || around(room) || around(&prover.place.top) || around(prover.home) {
        return false;
    }
    let since = i64::try_from(prover.since).unwrap_or(i64::MAX);
    real.metadata()
        .is_ok_and(|about| about.ctime() * 1_000 + about.ctime_nsec() / 1_000_000 >= since)
}
