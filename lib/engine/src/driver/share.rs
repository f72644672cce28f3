//! The leases of a driver's tasks, where other runs of the repository share its list.

use super::Driver;
use crate::shared::Share;
use overnight_base::fault::Fault;
use overnight_run::leased::{Answer, LeaseLost};

impl Driver {
    fn share(&self) -> Result<Share, Fault> {
        let state = self.journal.state();
        Share::of(&self.place, state, Some(std::process::id()))
    }

    pub(super) fn take(&mut self, task: &str, now: u64) -> Result<(), Fault> {
        let taken = self.share()?.take(self.journal.state(), task);
        if let Answer::Held { by, .. } = &taken.answer {
            (self.say)(&format!("{task} is with {by}"));
        }
        self.journal.append_at(taken, now)?;
        Ok(())
    }

    /// Is the task that is about to be worked on no longer ours?
    pub(super) fn lost(&self, task: &str) -> Result<Option<LeaseLost>, Fault> {
        if !self.journal.state().config.leased {
            return Ok(None);
        }
        self.share()?.keep(self.journal.state(), task)
    }

    /// Brings progress up to date, then gives back what the run needs no longer: whoever takes it
    /// finds in the list what came of it. Leases of an earlier process of the run are among that.
    pub(super) fn settle(&self) {
        self.update_progress();
        let state = self.journal.state();
        if state.config.leased
            && let Ok(share) = self.share()
        {
            share.settle(&state.leased.had);
        }
    }
}
