//! What a task that was given up left is taken off the run's branch and kept on one of its own: what
//! comes after it begins without it.

use super::{SNAPSHOTS, branch};
use crate::state::Place;
use crate::{git, trees};
use overnight_base::code::Code;
use overnight_base::fault::Fault;
use overnight_run::State;
use overnight_run::placed::{LeftOut, Placed};

/// Takes the last tries of a task off the branch of the run's own tree, in which everything is committed.
/// `None` where they left nothing, or where the branch is not the run's alone.
pub fn leave_out(own: &Place, state: &State, task: &str) -> Result<Option<LeftOut>, Fault> {
    let (Some(placed), Some(run)) = (&state.placed, &state.run) else {
        return Ok(None);
    };
    let tries = state.history.iter().rev();
    let tries: Vec<u32> = tries
        .take_while(|past| past.task == task)
        .map(|past| past.number)
        .collect();
    let (Some(last), Some(first)) = (tries.first(), tries.last()) else {
        return Ok(None);
    };
    if placed.theirs {
        return Ok(None);
    }
    let before = format!("{SNAPSHOTS}/{}/{}^", run.id, first.saturating_sub(1));
    let before = trees::tip(&own.top, &before)?.unwrap_or_else(|| placed.base.clone());
    let full = format!("refs/heads/{}", placed.branch);
    let tip = trees::tip(&own.top, &full)?;
    let Some(tip) = tip.filter(|tip| *tip != before) else {
        return Ok(None);
    };
    // An agent may have written the history anew: what is proved must be in what stays.
    let proved = state.history.iter().filter(|past| past.verdict.complete());
    let mut proved = proved.filter_map(|past| past.verdict.commit.as_deref());
    let kept = proved.try_fold(true, |kept, commit| {
        Ok::<_, Fault>(kept && trees::holds(&own.top, &before, commit)?)
    })?;
    if !kept || !trees::holds(&own.top, &tip, &before)? {
        return Ok(None);
    }
    let _lock = trees::lock(own)?;
    let side = format!("{}-{task}-{last}", placed.branch);
    let side_ref = format!("refs/heads/{side}");
    git::read(&own.top, &["update-ref", "--no-deref", &side_ref, &tip])?;
    let stays = if is_pushed(own, state, placed)? {
        let message = format!(
            "Leave out what was tried on {task}\n\nIt is on {side}.\n\nOvernight-Run: {}\nOvernight-Iteration: {last}\nOvernight-Task: {task}",
            run.id
        );
        trees::commit_tree(own, (&format!("{before}^{{tree}}"), &tip), &message)?
    } else {
        before
    };
    // Refused where something is uncommitted: then all stays as it is.
    let mut read = git::tame(&own.top);
    read.args(["read-tree", "-m", "-u", &tip, &stays]);
    let done = git::output(&mut read, &[])?;
    if !done.ok() {
        let reason = format!("git read-tree: {}", done.stderr.trim());
        return Err(Fault::new(Code::GitFailed, reason));
    }
    branch::move_to(own, &full, (&tip, &stays))?;
    if trees::tip(&own.top, "HEAD")?.as_ref() == Some(&tip) {
        git::read(&own.top, &["update-ref", "--no-deref", "HEAD", &stays])?;
    }
    Ok(Some(LeftOut {
        task: task.to_owned(),
        branch: side,
    }))
}

/// May somebody else have the branch already? Then it only moves on.
fn is_pushed(own: &Place, state: &State, placed: &Placed) -> Result<bool, Fault> {
    if state.published.is_some() || state.config.push > 0 {
        return Ok(true);
    }
    let pattern = format!("refs/remotes/*/{}", placed.branch);
    let listed = git::read(&own.top, &["for-each-ref", "--count=1", &pattern])?;
    Ok(!listed.is_empty())
}
