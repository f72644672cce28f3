//! The work that stands on the leases' remote.

use super::Leases;
use super::store::WORK_LIMIT;
use overnight_base::fault::Fault;
use overnight_lease::push;
use overnight_lease::refname::encode;
use overnight_tasks::TaskId;

/// Where this clone keeps what it last saw of a remote's branches that finished work goes to.
const COPIES: &str = "refs/overnight/line";

impl Leases {
    /// The token under which this agent holds the task, as far as this clone knows without asking
    /// anybody.
    pub fn own_token(&self, task: &TaskId) -> Result<Option<u64>, Fault> {
        let state = self.load(task)?;
        let record = state
            .record()
            .filter(|record| record.agent == self.me.agent);
        let token = record.map(|record| record.token);
        Ok(token.filter(|token| state.holds(*token, &self.me, self.now())))
    }

    /// Fetches a branch of the remote; gives the ref of this clone that holds it now. `None` when
    /// the remote has no such branch, or when there is no remote.
    pub fn fetch_branch(&self, branch: &str) -> Result<Option<String>, Fault> {
        let Some(remote) = self.remote() else {
            return Ok(None);
        };
        let copy = format!("{COPIES}/{}/{}", encode(remote), encode(branch));
        let refspec = format!("+refs/heads/{branch}:{copy}");
        let done = self.store.fetch(remote, (&[], WORK_LIMIT), &[refspec])?;
        if push::is_missing_ref(&done.stderr) {
            return Ok(None);
        }
        if done.ok() {
            return Ok(Some(copy));
        }
        Err(self.store.unreachable(&done))
    }
}
