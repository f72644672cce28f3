//! What the last driver left behind: an agent that still runs, an attempt without an outcome.

use super::{Driver, forks, printed};
use crate::process::{self, Identity};
use overnight_base::fault::Fault;
use overnight_base::vars;
use overnight_judge::Verdict;
use overnight_run::classify::Class;
use overnight_run::event::{Ended, Outcome};
use std::path::Path;
use std::time::Duration;

/// How long an orphan may take to end by itself.
const GRACE: Duration = Duration::from_secs(2);

/// Ends the agent of a driver that died and records its attempt as lost.
pub(super) fn end_orphans(driver: &mut Driver) -> Result<(), Fault> {
    let state = driver.journal.state();
    let Some(open) = state.open.as_ref().filter(|open| open.outcome.is_none()) else {
        return Ok(());
    };
    if let Some((pid, start)) = open.agent
        && (Identity { pid, start }).is_alive()
    {
        process::end_group(pid, GRACE);
    }
    end_left_over(&driver.folder);
    let forked = forks::lost(driver)?;
    let outcome = forked.unwrap_or_else(|| lost(driver));
    driver.journal.append(outcome)?;
    Ok(())
}

/// Ends what agents of the run in this folder left running, wherever it moved to. The folder tells
/// a member's agents from those of the others.
pub(crate) fn end_left_over(folder: &Path) {
    let left = process::with_environment(vars::RUN_DIR.name, &folder.to_string_lossy());
    if !left.is_empty() {
        process::end_all(&left, GRACE);
    }
}

/// The outcome of an attempt that nobody saw the end of. What it spent stands in its output, which
/// outlived the driver.
fn lost(driver: &Driver) -> Outcome {
    let nothing = Verdict::nothing("the driver ended before the agent did");
    let state = driver.journal.state();
    let printed = state.open.as_ref().and_then(|open| {
        let stdout = driver.logs.join(format!("{}.jsonl", open.iteration));
        printed::read(&driver.agent, &stdout, open.offset, Ended::Lost).ok()
    });
    let told = printed.map(|printed| printed.outcome(nothing.clone(), state));
    told.map_or_else(
        || Outcome::of(Ended::Lost, Class::None, nothing.clone()),
        |told| Outcome {
            ended: Ended::Lost,
            class: Class::None,
            ..told
        },
    )
}
