//! What runs keep beside their journal goes some time after their last record: the copy of dusk's ignored
//! files, then each iteration's snapshot and the ways that forks took.

use crate::proof::dusk;
use crate::state::Place;
use crate::{clock, files, git, journal, runs, snapshot};
use overnight_base::fault::Fault;
use overnight_run::sweep::{self, Age};
use std::collections::BTreeSet;
use std::fmt::Write;
use std::fs::File;
use std::path::PathBuf;
use std::time::UNIX_EPOCH;

/// Where git keeps what a run made and no branch holds; the run's id follows.
const KEPT: [&str; 3] = [
    "refs/overnight/snapshots/",
    "refs/overnight/forks/",
    "refs/overnight/dusk/",
];

/// Sweeps what runs of this project left behind. What cannot be swept now is at the next run.
pub(crate) fn past_runs(place: &Place) {
    for folder in ["", "progress", "current_tasks"] {
        files::sweep_temporaries(&place.home.join(folder));
    }
    let _ = stores(place);
    if place.git_common.is_some() {
        let _ = refs(place);
    }
}

/// How long ago something was written to a run's journal; one that is gone, or under work, says so.
fn age(place: &Place, run: &str) -> Age {
    let folder = place.run_folder(run);
    let Ok(about) = std::fs::metadata(folder.join(journal::FILE)) else {
        return Age::Gone;
    };
    // Its driver may wait for a usage limit, for days.
    if File::open(folder.join(journal::LOCK)).is_ok_and(|lock| lock.try_lock().is_err()) {
        return Age::Unknown;
    }
    let written = about.modified().ok();
    let written = written.and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    let written = written.and_then(|time| u64::try_from(time.as_millis()).ok());
    written.map_or(Age::Unknown, |written| {
        Age::Ms(clock::wall_ms().saturating_sub(written))
    })
}

/// The copies of ignored files.
fn stores(place: &Place) -> Result<(), Fault> {
    let kept: BTreeSet<PathBuf> = runs::all(place)
        .into_iter()
        .filter(|run| !sweep::store_goes(age(place, run)))
        .map(|run| dusk::store(place, &place.run_folder(&run)))
        .collect();
    for store in dusk::stores(place) {
        let written = std::fs::metadata(&store).and_then(|about| about.modified());
        let age = written.ok().and_then(|time| time.elapsed().ok());
        let age = age.and_then(|age| u64::try_from(age.as_millis()).ok());
        // One of a run that is just beginning is not known by a journal yet.
        if !kept.contains(&store) && sweep::store_goes(age.map_or(Age::Unknown, Age::Ms)) {
            dusk::forget(&store)?;
        }
    }
    Ok(())
}

fn refs(place: &Place) -> Result<(), Fault> {
    let mut list = vec!["for-each-ref", "--format=%(refname)"];
    list.extend(KEPT);
    list.push(snapshot::REFS);
    let listed = git::read(&place.top, &list)?;
    let run_of = |name: &str| {
        let rest = KEPT.iter().find_map(|kept| name.strip_prefix(kept))?;
        rest.split('/').next().map(str::to_owned)
    };
    let mut orders = String::new();
    // A copy before a command that discards work bears its time.
    let of_copy = |name: &str| {
        let taken: u64 = name
            .strip_prefix(snapshot::REFS)?
            .strip_prefix('/')?
            .parse()
            .ok()?;
        Some(Age::Ms(clock::wall_ms().saturating_sub(taken)))
    };
    for name in listed.lines() {
        let age = of_copy(name).or_else(|| Some(age(place, &run_of(name)?)));
        if age.is_some_and(sweep::refs_go) {
            let _ = writeln!(orders, "delete {name}");
        }
    }
    if orders.is_empty() {
        return Ok(());
    }
    let mut update = git::tame(&place.top);
    update.args(["update-ref", "--no-deref", "--stdin"]);
    git::output(&mut update, orders.as_bytes()).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;
    use std::time::{Duration, SystemTime};

    fn git(top: &Path, words: &[&str]) -> String {
        let author = ["-c", "user.name=t", "-c", "user.email=t@t"];
        let words: Vec<&str> = author.into_iter().chain(words.iter().copied()).collect();
        git::read(top, &words).unwrap()
    }

    fn written(path: &Path, days: u64) {
        let then = SystemTime::now() - Duration::from_secs(days * 24 * 3_600 + 60);
        File::open(path).unwrap().set_modified(then).unwrap();
    }

    #[test]
    fn what_old_runs_left_goes_and_what_new_ones_need_stays() {
        let folder = tempfile::tempdir().unwrap();
        let top = folder.path();
        git(top, &["init", "-q"]);
        git(top, &["commit", "-q", "--allow-empty", "-m", "start"]);
        let place = crate::state::locate(top).unwrap();
        let ages = [(0, true, true), (8, false, true), (31, false, false)];
        let runs: Vec<String> = (0..ages.len())
            .map(|at| format!("20261120-15000{at}-0af3"))
            .collect();
        for (run, (days, ..)) in runs.iter().zip(ages) {
            let of_run = place.run_folder(run);
            std::fs::create_dir_all(&of_run).unwrap();
            std::fs::write(of_run.join(journal::FILE), "").unwrap();
            let store = dusk::store(&place, &of_run);
            std::fs::create_dir_all(store.join("files")).unwrap();
            written(&of_run.join(journal::FILE), days);
            written(&store, days);
            for kept in KEPT {
                git(top, &["update-ref", &format!("{kept}{run}/1"), "HEAD"]);
            }
        }
        let today = format!("refs/overnight/backup/{}", clock::wall_ms());
        for copy in ["refs/overnight/backup/1", &today] {
            git(top, &["update-ref", copy, "HEAD"]);
        }
        past_runs(&place);
        for (run, (days, store, refs)) in runs.iter().zip(ages) {
            let there = dusk::store(&place, &place.run_folder(run)).exists();
            assert_eq!(there, store, "{days}");
            let left = git(top, &["for-each-ref", "--format=%(refname)"]);
            let left = left.lines().filter(|name| name.contains(run.as_str()));
            assert_eq!(left.count(), if refs { 3 } else { 0 }, "{days}");
        }
        let left = git(top, &["for-each-ref", "--format=%(refname)"]);
        assert!(left.contains(&today), "{left}");
        assert!(
            !left.lines().any(|name| name.ends_with("backup/1")),
            "{left}"
        );
        let _ = std::fs::remove_dir_all(crate::proof::folder(&place));
    }
}
