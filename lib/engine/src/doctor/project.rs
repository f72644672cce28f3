//! The project: git, its remote, trust in its commands, folders that must be writable.

use crate::pinned;
use crate::state::Place;
use crate::{cell, git};
use overnight_filter::reexec::quote;
use overnight_views::doctor::Finding;
use rustix::fs::Access;
use std::path::Path;
use std::time::Duration;

/// How long a remote may take to answer.
const REMOTE_WAIT_MAX: Duration = Duration::from_secs(15);

pub(super) fn findings(place: &Place) -> Vec<Finding> {
    let mut findings = vec![repository(place)];
    if place.git_common.is_some() {
        findings.extend(identity(&place.top));
        findings.push(remote(&place.top));
    }
    findings.push(match pinned::read(place) {
        Ok(_) => Finding::good("tasks", "every command of the task list is trusted"),
        Err(fault) => Finding::fault("tasks", &fault),
    });
    findings.push(folders(place));
    findings.push(walls());
    findings
}

/// What keeps the person's files from what an agent's code does.
fn walls() -> Finding {
    const CHECK: &str = "cell";
    let gives = cell::gives();
    if gives.level.keeps_files() {
        return Finding::good(CHECK, gives.to_string());
    }
    Finding::warning(
        CHECK,
        gives.to_string(),
        "use a newer kernel; until then a run reaches what you reach",
    )
}

fn repository(place: &Place) -> Finding {
    const CHECK: &str = "git";
    let version = match git::read(&place.top, &["--version"]) {
        Ok(version) => version,
        Err(fault) => return Finding::fault(CHECK, &fault),
    };
    if place.git_common.is_none() {
        let said = "not a repository: there are no locks, no members and no snapshots";
        return Finding::warning(CHECK, said, "git init");
    }
    Finding::good(CHECK, version)
}

/// Commits need a name; an agent that cannot commit loses its night.
fn identity(top: &Path) -> Option<Finding> {
    let known = git::read(top, &["var", "GIT_AUTHOR_IDENT"]).is_ok();
    (!known).then(|| {
        Finding::broken(
            "git",
            "git does not know your name: no commit can be made",
            "git config --global user.name NAME; git config --global user.email ADDRESS",
        )
    })
}

pub(super) fn remote(top: &Path) -> Finding {
    const CHECK: &str = "remote";
    let names = git::read(top, &["remote"]).unwrap_or_default();
    let name = names
        .lines()
        .find(|name| *name == "origin")
        .or_else(|| names.lines().next());
    let Some(name) = name else {
        let said = "none: task locks hold on this machine only, and no pull request is offered";
        return Finding::warning(CHECK, said, "git remote add origin URL");
    };
    let mut command = git::command(top);
    command.args(["ls-remote", "--quiet", "--", name, "HEAD"]);
    match git::output_within(&mut command, &[], REMOTE_WAIT_MAX) {
        Ok(done) if done.ok() => Finding::good(CHECK, format!("{name} answers")),
        Ok(done) => Finding::broken(
            CHECK,
            format!("{name} does not answer: {}", done.stderr.trim()),
            format!(
                "runs work without it, task-lock only with --remote none; what it says: git ls-remote {} HEAD",
                quote(name)
            ),
        ),
        Err(fault) => Finding::fault(CHECK, &fault),
    }
}

fn folders(place: &Place) -> Finding {
    const CHECK: &str = "folders";
    let state = place.state.parent().unwrap_or(&place.state);
    for folder in [
        &place.top,
        state,
        &place.top.join("logs"),
        &place.top.join("progress"),
    ] {
        if folder.exists() && rustix::fs::access(folder, Access::WRITE_OK).is_err() {
            let folder = folder.display();
            let said = format!("{folder} cannot be written");
            return Finding::broken(
                CHECK,
                said,
                format!("chmod u+w {}", quote(&folder.to_string())),
            );
        }
    }
    Finding::good(CHECK, "project and state can be written")
}
