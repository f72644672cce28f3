//! The pull request in the morning: the run's own branch is pushed, a draft is opened.

use crate::config;
use crate::state::Place;
use crate::{git, runs};
use overnight_core::code::Code;
use overnight_core::fault::Fault;
use overnight_core::report::clean;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

/// How long the remote may take; a night's end must not hang on a network.
const REMOTE_LIMIT: Duration = Duration::from_mins(2);

/// Pushes the branch and opens a draft with the report as its body. Gives what to tell the person;
/// `None` when there is nothing to offer: no commits, no branch of our own, no remote.
pub fn offer(place: &Place, run: &str, body: &Path) -> Result<Option<String>, Fault> {
    let state = runs::state(place, run)?;
    let Some((info, branch)) = state.run.as_ref().zip(place.branch()) else {
        return Ok(None);
    };
    let prefix = config::load(Some(place)).settings.guard.branch_prefix;
    let own = branch.len() > prefix.len() && branch.starts_with(&prefix);
    let Some(head) = info.head.as_deref().filter(|_| own) else {
        return Ok(None);
    };
    let range = format!("{head}..HEAD");
    let commits = git::read(&place.top, &["rev-list", "--count", &range, "--"])?;
    let remotes = git::read(&place.top, &["remote"])?;
    let remote = remotes.lines().find(|name| *name == "origin");
    let Some(remote) = remote
        .or_else(|| remotes.lines().next())
        .filter(|_| commits != "0")
    else {
        return Ok(None);
    };
    push(place, remote, &branch)?;
    let goal = info.goal.lines().find(|line| !line.trim().is_empty());
    let title = clean(goal.unwrap_or(run).trim_start_matches('#'));
    let arguments = [
        "pr",
        "create",
        "--draft",
        "--head",
        &branch,
        "--title",
        &title,
        "--body-file",
    ];
    Ok(Some(draft(place, &arguments, body)))
}

/// Never forced: a branch that moved on the remote stays as it is.
fn push(place: &Place, remote: &str, branch: &str) -> Result<(), Fault> {
    let refspec = format!("refs/heads/{branch}:refs/heads/{branch}");
    let mut command = git::command(&place.top);
    command.args(["push", "--quiet", "--no-verify", "--", remote, &refspec]);
    let done = git::output_within(&mut command, &[], REMOTE_LIMIT)?;
    if done.ok() {
        return Ok(());
    }
    let reason = format!("git push {remote} {branch}: {}", clean(&done.stderr));
    Err(Fault::new(Code::GitFailed, reason))
}

/// Calls `gh`; where it is missing, fails or hangs, gives the command for the person to run.
fn draft(place: &Place, arguments: &[&str], body: &Path) -> String {
    let mut gh = Command::new("gh");
    gh.args(arguments)
        .arg(body)
        .current_dir(&place.top)
        .env("GH_PROMPT_DISABLED", "1")
        .process_group(0)
        .stdin(Stdio::null());
    told(&mut gh, &shell(arguments, body), REMOTE_LIMIT)
}

fn told(gh: &mut Command, by_hand: &str, limit: Duration) -> String {
    match git::output_within(gh, &[], limit) {
        Ok(done) if done.ok() => {
            let address = clean(&String::from_utf8_lossy(&done.stdout));
            format!("pull request (draft): {address}")
        }
        Ok(done) => {
            let why = clean(&done.stderr);
            format!("gh failed ({why}); open the pull request with: {by_hand}")
        }
        Err(_) => format!("the branch is pushed; open the pull request with: {by_hand}"),
    }
}

/// The command as it can be pasted into a shell.
fn shell(arguments: &[&str], body: &Path) -> String {
    let body = body.display().to_string();
    let words = ["gh"]
        .into_iter()
        .chain(arguments.iter().copied())
        .chain([body.as_str()]);
    let plain = |word: &str| {
        word.bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"-_./".contains(&byte))
    };
    let quoted: Vec<String> = words
        .map(|word| {
            if !word.is_empty() && plain(word) {
                word.to_owned()
            } else {
                format!("'{}'", word.replace('\'', r"'\''"))
            }
        })
        .collect();
    quoted.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gh_that_hangs_is_ended_and_the_command_is_told() {
        let mut gh = Command::new("sleep");
        gh.arg("60").process_group(0);
        let said = told(&mut gh, "gh pr create", Duration::from_millis(20));
        assert!(said.contains("did not finish within"), "{said}");
        assert!(
            said.ends_with("open the pull request with: gh pr create"),
            "{said}"
        );
    }

    #[test]
    fn without_gh_the_command_is_told_as_it_can_be_pasted() {
        let body = Path::new("/p/it's/report.md");
        let by_hand = shell(&["pr", "create", "--title", "a b"], body);
        assert_eq!(
            by_hand,
            r"gh pr create --title 'a b' '/p/it'\''s/report.md'"
        );
        let said = told(&mut Command::new("/nowhere/gh"), &by_hand, REMOTE_LIMIT);
        assert_eq!(
            said,
            format!("the branch is pushed; open the pull request with: {by_hand}")
        );
    }
}
