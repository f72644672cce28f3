//! What a person says to a run with members: into the run's journal, and on to the members at work that
//! it concerns. Those that begin later have it from the journal.

use super::Crew;
use crate::{messages, wish};
use overnight_base::fault::Fault;
use overnight_run::State;
use overnight_run::members::name;
use overnight_run::steer::Instruction;

impl Crew {
    /// Takes what a person said or changed since.
    pub(super) fn hear(&mut self) -> Result<(), Fault> {
        let inbox = messages::inbox(&self.place, &self.run, None);
        let (journal, say) = (&mut self.journal, self.say);
        messages::hear(inbox, |told| {
            say(&format!("told: {}", told.text));
            journal.append(told.clone())?;
            for member in concerned(journal.state(), &told) {
                messages::pass_on(&self.place, (&self.run, &member), &words(&told))?;
            }
            Ok(())
        })?;
        wish::hear(journal, &self.folder)?;
        if let Some(watched) = &mut self.watched {
            watched.look(journal)?.iter().for_each(|line| say(line));
        }
        Ok(())
    }
}

/// The members at work that are to hear it. What is to become of a task is their driver's matter.
fn concerned(state: &State, told: &Instruction) -> Vec<String> {
    let says = !told.text.trim().is_empty() || told.now;
    let about = |task: &String| told.task.as_ref().is_none_or(|about| about == task);
    let at_work = state.members.at_work.iter().filter(|_| says);
    at_work
        .filter(|assignment| about(&assignment.task))
        .map(|assignment| name(&assignment.task, assignment.round))
        .collect()
}

/// What was said of a task or all of them, without what is to become of it.
pub(super) fn words(told: &Instruction) -> Instruction {
    Instruction {
        order: None,
        ..told.clone()
    }
}
