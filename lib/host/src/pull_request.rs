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

/// Pushes the run's own branch and opens a draft with the report as its body; commits on any other
/// branch stay where they are. Gives what to tell the person: what was opened, or the command that
/// opens it; `None` when there is nothing to offer: no commits, or no remote.
pub fn offer(place: &Place, run: &str, body: &Path) -> Result<Option<String>, Fault> {
    let state = runs::state(place, run)?;
    let info = state.run.as_ref();
    let Some((info, head)) = info.and_then(|info| Some((info, info.head.as_deref()?))) else {
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
    let prefix = config::load(Some(place)).settings.guard.branch_prefix;
    let of_run = |branch: &String| branch.len() > prefix.len() && branch.starts_with(&prefix);
    let own = place.branch().filter(of_run);
    let branch = own.clone().unwrap_or_else(|| format!("{prefix}{run}"));
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
    let by_hand = by_hand(&arguments, body);
    if own.is_none() {
        let refspec = format!("HEAD:refs/heads/{branch}");
        let push = shell(["git", "push", remote, &refspec]);
        return Ok(Some(format!(
            "the commits are on no branch of the run's own, so nothing was pushed; for a pull request: {push} && {by_hand}"
        )));
    }
    if let Err(fault) = push(place, remote, &branch) {
        let push = shell(["git", "push", remote, &branch]);
        return Ok(Some(format!(
            "no pull request: {}; when the branch can be pushed: {push} && {by_hand}",
            fault.reason
        )));
    }
    Ok(Some(draft(place, (&arguments, body), &by_hand)))
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
fn draft(place: &Place, (arguments, body): (&[&str], &Path), by_hand: &str) -> String {
    let mut gh = Command::new("gh");
    gh.args(arguments)
        .arg(body)
        .current_dir(&place.top)
        .env("GH_PROMPT_DISABLED", "1")
        .process_group(0)
        .stdin(Stdio::null());
    told(&mut gh, by_hand, REMOTE_LIMIT)
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

/// The draft's command as it can be pasted into a shell.
fn by_hand(arguments: &[&str], body: &Path) -> String {
    let body = body.display().to_string();
    let words = ["gh"].into_iter().chain(arguments.iter().copied());
    shell(words.chain([body.as_str()]))
}

/// A command as it can be pasted into a shell.
fn shell<'w>(words: impl IntoIterator<Item = &'w str>) -> String {
    let plain = |word: &str| {
        word.bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"-_./:".contains(&byte))
    };
    let quote = |word: &str| {
        if !word.is_empty() && plain(word) {
            word.to_owned()
        } else {
            format!("'{}'", word.replace('\'', r"'\''"))
        }
    };
    let quoted: Vec<String> = words.into_iter().map(quote).collect();
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
        let by_hand = by_hand(&["pr", "create", "--title", "a b"], body);
        // A branch may be called so.
        let push = shell(["git", "push", "HEAD:refs/heads/auto/$(id);x"]);
        assert_eq!(push, "git push 'HEAD:refs/heads/auto/$(id);x'");
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
