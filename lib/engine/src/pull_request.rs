//! The pull request in the morning: the run's own branch is pushed, a draft is opened or brought up
//! to date. Each step can be repeated: whoever comes after a crash finds what is there.

mod forge;

use crate::config;
use crate::proof::receipt;
use crate::state::Place;
use crate::{clock, files, git, runs, sight, work};
use forge::{Forge, Request};
use overnight_base::code::Code;
use overnight_base::fault::Fault;
use overnight_run::placed::{Published, title};
use overnight_run::{State, chosen};
use overnight_tasks::issue::{self, Issue, Source};
use overnight_views::report::{Clock, clean};
use overnight_views::review::{Colleague, colleagues};
use overnight_views::summary::markdown;
use std::fmt::Write;
use std::path::PathBuf;
use std::time::Duration;

/// How long the remote may take; a night's end must not hang on a network.
const REMOTE_LIMIT: Duration = Duration::from_mins(2);
/// Its text, beside the report.
const BODY: &str = "pull-request.md";
/// Earlier runs that are asked for a request of the same branch.
const RUNS_ASKED_MAX: usize = 50;

/// What came of the offer.
#[derive(Debug)]
pub struct Offer {
    /// What the person is told: what was opened, or the command that opens it.
    pub said: String,
    /// For the journal; `None` where nothing was pushed because the work is on no branch of its own.
    pub published: Option<Published>,
}

/// The work that is offered.
struct Work {
    branch: String,
    /// The commit of the branch.
    commit: String,
    /// The commit that it began at.
    from: String,
    /// Is it a branch of the run's own, which may be pushed?
    own: bool,
    /// Where it is to be merged.
    onto: Option<String>,
}

/// Pushes the run's own branch and opens a draft that tells what the run came to, or brings the one that
/// is open up to date; commits on any other branch stay where they are. `None` when there is nothing
/// to offer: no repository, no commits, or no remote.
pub fn offer(place: &Place, run: &str) -> Result<Option<Offer>, Fault> {
    if place.git_common.is_none() {
        return Ok(None);
    }
    let state = runs::state(place, run)?;
    let Some((work, remote)) = work(place, run, &state)?.zip(remote(place)?) else {
        return Ok(None);
    };
    let goal = state.run.as_ref().map_or("", |run| run.goal.as_str());
    let title = match clean(title(goal)) {
        title if title.is_empty() => run.to_owned(),
        title => title,
    };
    let body = body(place, run, &state)?;
    let request = Request {
        branch: &work.branch,
        title: &title,
        body: &body,
        onto: work.onto.as_deref(),
    };
    let forge = Forge::of(place, &remote);
    if !work.own {
        let refspec = format!("HEAD:refs/heads/{}", work.branch);
        let push = forge::shell(["git", "push", &remote, &refspec]);
        let by_hand = request.by_hand(forge);
        let said = format!(
            "the commits are on no branch of the run's own, so nothing was pushed; for a pull request: {push} && {by_hand}"
        );
        return Ok(Some(Offer {
            said,
            published: None,
        }));
    }
    let published = Published {
        branch: work.branch.clone(),
        remote: None,
        commit: work.commit.clone(),
        url: None,
        command: None,
        body: body.display().to_string(),
    };
    let known = known(place, run, &work.branch);
    let tallies = state.tasks.iter().map(|task| &task.tally);
    let beside: Vec<&str> = tallies
        .filter_map(|tally| tally.left_out.as_deref())
        .collect();
    let offer = publish(
        place,
        (&request, forge),
        (&remote, known.as_deref(), &beside),
        published,
    );
    // The request is there without its link in the receipts, too.
    if let Some(published) = &offer.published {
        let _ = link(place, &work, published);
    }
    Ok(Some(offer))
}

/// Writes the request's link into the receipts of the work, and pushes those.
fn link(place: &Place, work: &Work, published: &Published) -> Result<(), Fault> {
    let range = format!("{}..{}", work.from, work.commit);
    if let (Some(remote), Some(url)) = (&published.remote, &published.url)
        && receipt::link(place, &range, url)?
    {
        push_receipts(place, remote);
    }
    Ok(())
}

/// Pushes the branch and opens its request.
fn publish(
    place: &Place,
    (request, forge): (&Request, Forge),
    (remote, known, beside): (&str, Option<&str>, &[&str]),
    mut published: Published,
) -> Offer {
    let said = if let Err(fault) = push(place, remote, request.branch) {
        let push = forge::shell(["git", "push", remote, request.branch]);
        let command = format!("{push} && {}", request.by_hand(forge));
        let reason = fault.reason;
        published.command = Some(command.clone());
        format!("no pull request: {reason}; when the branch can be pushed: {command}")
    } else {
        published.remote = Some(remote.to_owned());
        for branch in beside {
            // Without them the request stands all the same.
            let _ = push(place, remote, branch);
        }
        match request.open(place, forge, known) {
            Ok((url, what)) => {
                published.url = Some(url.clone());
                format!("pull request ({what}): {url}")
            }
            Err(why) => {
                let command = request.by_hand(forge);
                published.command = Some(command.clone());
                format!("{why}; open the pull request with: {command}")
            }
        }
    };
    Offer {
        said,
        published: Some(published),
    }
}

/// The commits of the run and the branch that they are on, if there are any that an agent made.
fn work(place: &Place, run: &str, state: &State) -> Result<Option<Work>, Fault> {
    if place.git_common.is_none() {
        return Ok(None);
    }
    let prefix = config::load(Some(place)).settings.guard.branch_prefix;
    let of_run = |branch: &String| branch.len() > prefix.len() && branch.starts_with(&prefix);
    let (branch, tip, from, onto) = match (&state.placed, &state.run) {
        (Some(placed), _) => {
            let tip = format!("refs/heads/{}", placed.branch);
            let from = Some(placed.base.clone());
            (Some(placed.branch.clone()), tip, from, placed.onto.clone())
        }
        (None, Some(info)) => {
            let branch = place.branch().filter(of_run);
            (branch, "HEAD".to_owned(), info.head.clone(), None)
        }
        (None, None) => return Ok(None),
    };
    let Some(from) = from else {
        return Ok(None);
    };
    let named = format!("{tip}^{{commit}}");
    let commit = git::run(&place.top, &["rev-parse", "--verify", "-q", &named])?;
    let range = format!("{from}..{tip}");
    let made = work::of_agents(&place.top, &range);
    if !commit.ok() || made.is_none_or(|made| made.is_empty()) {
        return Ok(None);
    }
    Ok(Some(Work {
        own: branch.is_some(),
        branch: branch.unwrap_or_else(|| format!("{prefix}{run}")),
        commit: commit.text(),
        from,
        onto,
    }))
}

/// The remote that work is pushed to: `origin`, else the first.
fn remote(place: &Place) -> Result<Option<String>, Fault> {
    let remotes = git::read(&place.top, &["remote"])?;
    let origin = remotes.lines().find(|name| *name == "origin");
    Ok(origin.or_else(|| remotes.lines().next()).map(str::to_owned))
}

/// The request of this branch that a journal knows: this run's, or that of an earlier one.
fn known(place: &Place, run: &str, branch: &str) -> Option<String> {
    let mut all = runs::all(place);
    all.retain(|other| other != run);
    all.push(run.to_owned());
    let newest = all.iter().rev().take(RUNS_ASKED_MAX);
    let published = newest.filter_map(|run| runs::state(place, run).ok()?.published);
    let mut of_branch = published.filter(|published| published.branch == branch);
    of_branch.find_map(|published| published.url)
}

/// Writes the text of the request beside the report.
fn body(place: &Place, run: &str, state: &State) -> Result<PathBuf, Fault> {
    let seen = sight::seen(place, run, state, 0);
    let summary = sight::summary(place, state, &seen);
    let goal = state.run.as_ref().map_or("", |run| run.goal.as_str());
    let folder = place.home.join("agent_logs").join(run);
    files::create_folder(&folder)?;
    let path = folder.join(BODY);
    let mut text = markdown::body(&summary, goal, &Clock(clock::zone()));
    for issue in chosen::closed_issues(state) {
        let _ = write!(text, "\nCloses {issue}\n");
    }
    files::write_atomic(&path, text.as_bytes(), files::PRIVATE)?;
    Ok(path)
}

/// Opens a draft for review.
///
/// What is opened is what was read: the branch with all that the person did at the desk.
pub fn ready(place: &Place, run: &str, url: &str) -> Result<(), Fault> {
    let published = runs::state(place, run)?.published;
    if let Some((remote, branch)) = published.and_then(|known| Some((known.remote?, known.branch)))
    {
        push(place, &remote, &branch)?;
    }
    let remote = remote(place)?.unwrap_or_default();
    forge::ready(place, Forge::of(place, &remote), url)
        .map_err(|why| Fault::new(Code::GitFailed, why))
}

/// What colleagues wrote on a pull request.
pub fn comments(place: &Place, url: &str) -> Result<Vec<Colleague>, Fault> {
    let remote = remote(place)?.unwrap_or_default();
    let told = forge::comments(place, Forge::of(place, &remote), url);
    let (talk, lines) = told.map_err(|why| Fault::new(Code::GitFailed, why))?;
    Ok(colleagues(&talk, &lines))
}

/// The issues that a plan is to be about. What they say is data from strangers.
pub fn issues(place: &Place, source: &Source) -> Result<Vec<Issue>, Fault> {
    let failed = |why: String| Fault::new(Code::GitFailed, why).hint("is its program logged in?");
    let remote = remote(place)?.unwrap_or_default();
    let said = forge::issues(place, Forge::of(place, &remote), source).map_err(failed)?;
    let mut issues = issue::read(&said).map_err(|why| Fault::new(Code::InputData, why))?;
    if let Source::Issue(address) = source {
        let known = git::read(&place.top, &["remote", "get-url", "--", &remote]).ok();
        let of = issue::elsewhere(address, known.as_deref()).map_err(|why| {
            Fault::new(Code::InputInvalid, why)
                .hint("save its text, then: overnight plan --from FILE")
        })?;
        for issue in &mut issues {
            issue.of.clone_from(&of);
        }
    }
    if issues.is_empty() {
        return Err(Fault::new(
            Code::InputMissing,
            "there is no open issue of this label",
        ));
    }
    Ok(issues)
}

/// Pushes the branch of a run that goes on, where there is a remote.
pub(crate) fn push_meanwhile(place: &Place, branch: &str) -> Result<(), Fault> {
    remote(place)?.map_or(Ok(()), |remote| push(place, &remote, branch))
}

/// The receipts go along; where others pushed theirs first, the branch stands without them.
fn push_receipts(place: &Place, remote: &str) {
    let refspec = format!("{0}:{0}", receipt::NOTES);
    let mut command = git::command(&place.home);
    command.args(["push", "--quiet", "--no-verify", "--", remote, &refspec]);
    let _ = git::output_within(&mut command, &[], REMOTE_LIMIT);
}

/// Never forced: a branch that moved on the remote stays as it is. From the person's work tree, from which
/// a remote's relative path is meant.
fn push(place: &Place, remote: &str, branch: &str) -> Result<(), Fault> {
    let refspec = format!("refs/heads/{branch}:refs/heads/{branch}");
    let mut command = git::command(&place.home);
    command.args(["push", "--quiet", "--no-verify", "--", remote, &refspec]);
    let done = git::output_within(&mut command, &[], REMOTE_LIMIT)?;
    if done.ok() {
        push_receipts(place, remote);
        return Ok(());
    }
    let reason = format!("git push {remote} {branch}: {}", clean(&done.stderr));
    Err(Fault::new(Code::GitFailed, reason))
}
