//! What Overnight leaves behind: in a project, in its repository, with the person.

use crate::runs::{self, driver_lives};
use crate::state::Place;
use crate::{exclude, git, homes};
use overnight_base::code::Code;
use overnight_base::fault::Fault;
use std::path::{Path, PathBuf};

mod persons;

/// One thing that is there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trace {
    /// What it is and where.
    pub what: String,
    /// What removes it, for a person.
    pub command: String,
    removal: Removal,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Removal {
    /// A folder of ours alone.
    Folder(PathBuf),
    /// Our lines in git's list of ignored files.
    Lines,
    /// It holds work, or may be somebody else's as well.
    ByPerson,
}

impl Trace {
    /// Is it removed with the rest?
    pub fn is_removed(&self) -> bool {
        self.removal != Removal::ByPerson
    }
}

/// Everything that is there of this project and of this person.
pub fn find(place: &Place) -> Vec<Trace> {
    let mut found = Vec::new();
    let mut folder = |path: PathBuf, what: &str, ours: bool| {
        if path.is_dir() {
            let command = format!("rm -r {}", quoted(&path));
            let removal = if ours {
                Removal::Folder(path.clone())
            } else {
                Removal::ByPerson
            };
            found.push(Trace {
                what: format!("{}: {what}", path.display()),
                command,
                removal,
            });
        }
    };
    folder(place.state.clone(), "journals of runs, counters", true);
    let top = &place.top;
    for (name, what) in [
        ("logs", "whole outputs"),
        ("agent_logs", "prompts, reports, what agents printed"),
        ("current_tasks", "who has which task"),
        ("progress", "what was done, kept for people"),
    ] {
        folder(top.join(name), what, false);
    }
    if let Some(config) = homes::config() {
        folder(config, "your settings", false);
    }
    if exclude::has_ours(place) {
        let what = ".git/info/exclude: lines of our folders".to_owned();
        found.push(Trace {
            what,
            command: String::new(),
            removal: Removal::Lines,
        });
    }
    found.extend(homes::state().map_or_else(Vec::new, |state| persons::find(place, state)));
    found.extend(in_git(top));
    found
}

/// Branches and refs: work.
fn in_git(top: &Path) -> Vec<Trace> {
    let refs = |patterns: &[&str]| {
        let mut words = vec!["for-each-ref", "--format=%(refname)"];
        words.extend(patterns);
        let listed = git::read(top, &words).unwrap_or_default();
        listed.lines().count()
    };
    let kinds = [
        (
            "branches of runs (auto/*)",
            &["refs/heads/auto"][..],
            "git branch --list 'auto/*'    # look, then: git branch -D NAME",
        ),
        (
            "leases, snapshots and receipts",
            &["refs/overnight", "refs/notes/overnight"],
            "git for-each-ref --format='delete %(refname)' refs/overnight refs/notes/overnight | git update-ref --stdin",
        ),
    ];
    let counted = kinds
        .into_iter()
        .map(|(what, patterns, command)| (refs(patterns), what, command));
    let there = counted.filter(|(count, ..)| *count > 0);
    there
        .map(|(count, what, command)| Trace {
            what: format!("{count} {what}"),
            command: command.to_owned(),
            removal: Removal::ByPerson,
        })
        .collect()
}

/// Removes what holds no work; refused while a run is under way.
pub fn remove(place: &Place, found: &[Trace]) -> Result<(), Fault> {
    for run in runs::all(place) {
        let state = runs::state(place, &run);
        if state.is_ok_and(|state| state.finished.is_none() && driver_lives(&state)) {
            let reason = format!("run {run} is at work");
            return Err(Fault::new(Code::RunBusy, reason).hint("first: overnight stop"));
        }
    }
    for trace in found {
        match &trace.removal {
            Removal::Folder(path) => std::fs::remove_dir_all(path).map_err(|error| {
                Fault::new(Code::FileWrite, format!("{}: {error}", path.display()))
            })?,
            Removal::Lines => exclude::take_back(place)?,
            Removal::ByPerson => {}
        }
    }
    // Work trees of runs stood among what was removed.
    let _ = git::read(&place.top, &["worktree", "prune"]);
    Ok(())
}

fn quoted(path: &Path) -> String {
    format!("'{}'", path.display().to_string().replace('\'', r"'\''"))
}
