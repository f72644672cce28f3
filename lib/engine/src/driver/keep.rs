//! What an iteration leaves is kept: its tree as a snapshot, its work on the run's branch.

use super::{Driver, Role};
use crate::{night, pull_request};
use overnight_base::fault::Fault;

impl Driver {
    /// Keeps what the last iteration left; at the driver's end (`last`) the task list and progress too,
    /// where git holds them. That something could not be kept is said, and the run goes on.
    pub(super) fn keep(&mut self, last: bool) {
        if matches!(self.role, Role::Member(_)) || self.place.git_common.is_none() {
            return;
        }
        let number = self.journal.state().iterations;
        // The work first: a snapshot then stands on what the branch holds at the iteration's end.
        let kept = [
            self.keep_work(number, last),
            self.keep_tree(number),
            self.push_asked(),
        ];
        for kept in kept {
            if let Err(fault) = kept {
                (self.say)(&fault.to_string());
            }
        }
        if let Err(fault) = self.leave_out(number) {
            (self.say)(&fault.to_string());
        }
        // What the driver committed is no commit of the agent's.
        self.head = self.snapshots.head();
    }

    /// Keeps the tree that a run begins with.
    pub(super) fn keep_start(&self) {
        let begins = self.journal.state().iterations == 0 && matches!(self.role, Role::Alone);
        if !begins || self.place.git_common.is_none() {
            return;
        }
        for kept in [night::hide_progress(&self.place), self.keep_tree(0)] {
            if let Err(fault) = kept {
                (self.say)(&fault.to_string());
            }
        }
    }

    fn keep_tree(&self, number: u32) -> Result<(), Fault> {
        match &self.journal.state().run {
            Some(run) => night::keep_tree(&self.place, &run.id, number),
            None => Ok(()),
        }
    }

    /// Pushes what the agent in its cell asked to push.
    fn push_asked(&mut self) -> Result<(), Fault> {
        let (place, say) = (&self.place, self.say);
        let cells = self.cells.as_mut();
        cells.map_or(Ok(()), |cells| {
            cells.carry_pushes(|branch| {
                pull_request::push_meanwhile(place, branch)?;
                say(&format!("pushed {branch}, as the agent asked"));
                Ok(())
            })
        })
    }

    /// Where that is wanted: what the task at hand left is taken off the branch once it is given up.
    fn leave_out(&mut self, number: u32) -> Result<(), Fault> {
        let state = self.journal.state();
        let last = state.history.last();
        let task = last.and_then(|last| state.task(&last.task));
        let given_up = task.filter(|task| task.is_given_up() && task.tally.left_out.is_none());
        let Some(task) = given_up.filter(|_| state.config.leave_out) else {
            return Ok(());
        };
        let Some(left) = night::leave_out(&self.place, state, &task.spec.id)? else {
            return Ok(());
        };
        (self.say)(&format!(
            "{} is given up: what was tried is on {}",
            left.task, left.branch
        ));
        self.journal.append(left)?;
        self.keep_tree(number)
    }

    fn keep_work(&self, number: u32, last: bool) -> Result<(), Fault> {
        let state = self.journal.state();
        let Some(run) = &state.run else {
            return Ok(());
        };
        if last {
            night::keep_written(&self.place, (&run.id, number))?;
        }
        let Some(placed) = &state.placed else {
            return Ok(());
        };
        for note in night::bring(&self.place, placed, state)? {
            (self.say)(&note);
        }
        let every = state.config.push;
        if !last && every > 0 && number > 0 && number.is_multiple_of(every) {
            return pull_request::push_meanwhile(&self.place, &placed.branch);
        }
        Ok(())
    }
}
