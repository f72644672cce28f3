//! New files of a claim that stand where a build puts its own.

use super::objects;
use super::prove::Claim;
use super::room::Room;
use crate::git;
use overnight_base::fault::Fault;
use overnight_judge::proof::overlay::Difference;
use overnight_judge::proof::{Dusk, built};
use std::collections::BTreeSet;

/// Their paths: targets of `make`, and what dusk's rules have git ignore. The claim stands in the room.
pub(super) fn look(
    room: &Room,
    dusk: &Dusk,
    (claim, differences): (Claim<'_>, &[Difference]),
) -> Result<BTreeSet<String>, Fault> {
    let new = differences.iter().filter(|one| !one.before && one.after);
    let new: Vec<&str> = new.map(|one| one.path.as_str()).collect();
    if new.is_empty() {
        return Ok(BTreeSet::new());
    }
    let makefiles = dusk.named.iter().filter(|path| built::is_makefile(path));
    let makefiles: Vec<(String, String)> = makefiles
        .filter_map(|path| Some((path.clone(), objects::file(&room.top, &dusk.commit, path)?)))
        .collect();
    let mut found = built::targets(&new, &makefiles, claim.gates);
    // The claim's own rules could take back what dusk's say.
    let rules = differences.iter().filter(|one| is_rules(&one.path));
    let rules: Vec<&Difference> = rules.collect();
    swap(room, &rules, (&dusk.commit, true))?;
    let ignored = ignored(room, &new);
    swap(room, &rules, (claim.commit, false))?;
    found.extend(ignored?);
    found.retain(|path| !is_rules(path));
    Ok(found)
}

fn is_rules(path: &str) -> bool {
    path.rsplit('/').next() == Some(".gitignore")
}

/// Makes the rules those of a commit: dusk's, or the claim's.
fn swap(room: &Room, rules: &[&Difference], (commit, dusks): (&str, bool)) -> Result<(), Fault> {
    let there = |one: &&&Difference| if dusks { one.before } else { one.after };
    let back = rules.iter().filter(there).map(|one| one.path.clone());
    room.restore(commit, &back.collect::<Vec<_>>())?;
    let mut gone = rules.iter().filter(|one| !there(one));
    gone.try_for_each(|one| room.remove(&one.path))
}

fn ignored(room: &Room, new: &[&str]) -> Result<Vec<String>, Fault> {
    let mut check = room.git();
    check.args(["check-ignore", "--no-index", "--stdin", "-z"]);
    let done = git::output(&mut check, new.join("\0").as_bytes())?;
    // 1: none of them is.
    let listed = String::from_utf8_lossy(&done.stdout).into_owned();
    let paths = listed.split('\0').filter(|path| !path.is_empty());
    Ok(paths.map(str::to_owned).collect())
}
