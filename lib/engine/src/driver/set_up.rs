//! The set-up of the run's own work tree: before the work begins, and again before an iteration where
//! a lock file changed.

use super::{Driver, Role};
use crate::furnish::Tree;
use overnight_base::fault::Fault;
use overnight_run::setup;
use std::time::Duration;

impl Driver {
    /// Sets the work tree up where it is to be done; gives what the agent is told if that failed.
    pub(super) fn set_up(&self) -> String {
        match self.try_set_up() {
            Ok(ran) => {
                if ran {
                    (self.say)("the set-up ran in the work tree");
                }
                String::new()
            }
            Err(fault) => {
                (self.say)(&fault.reason);
                setup::failure_note(&fault.reason)
            }
        }
    }

    fn try_set_up(&self) -> Result<bool, Fault> {
        let state = self.journal.state();
        // The person's own tree is theirs to set up.
        if state.placed.is_none() && matches!(self.role, Role::Alone) {
            return Ok(false);
        }
        let config = &state.config;
        let placed = state.placed.as_ref();
        let tree = Tree {
            top: &self.place.top,
            from: &self.place.home,
            begun: config
                .begun
                .as_deref()
                .or_else(|| placed.map(|placed| placed.base.as_str())),
            cells: self.cells.as_ref(),
            limit: Duration::from_millis(config.task_timeout_ms),
        };
        tree.set_up(&config.setup)
    }
}
