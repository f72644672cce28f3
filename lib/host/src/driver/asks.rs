//! Questions to a person that the run's agents came upon, and their answers.

use super::Driver;
use crate::approvals::Approvals;
use overnight_base::fault::Fault;
use overnight_guard::question::{Answered as Answer, Question};
use overnight_run::event::Answered;
use std::collections::BTreeMap;

/// Questions of this run that wait for an answer, each with how often it was asked.
pub(super) fn open(driver: &Driver) -> BTreeMap<u64, u32> {
    let run = driver.journal.state().run.as_ref();
    let open = Approvals::of(&driver.place)
        .and_then(|approvals| approvals.open(run.map(|run| run.id.as_str())));
    open.unwrap_or_default()
        .into_iter()
        .map(|question| (question.number, question.times))
        .collect()
}

/// Those that were asked, or asked again, since `before`.
pub(super) fn asked_since(driver: &Driver, before: &BTreeMap<u64, u32>) -> Vec<u64> {
    open(driver)
        .into_iter()
        .filter(|(number, times)| before.get(number) != Some(times))
        .map(|(number, _)| number)
        .collect()
}

/// Journals what a person answered meanwhile: a task that waited for it is ready again.
pub(super) fn hear(driver: &mut Driver) -> Result<(), Fault> {
    let tasks = &driver.journal.state().tasks;
    let waited: Vec<u64> = tasks.iter().flat_map(|task| task.asks.clone()).collect();
    if waited.is_empty() {
        return Ok(());
    }
    // A book that cannot be read now is read at the next step.
    let Ok(book) = Approvals::of(&driver.place).and_then(|approvals| approvals.read()) else {
        return Ok(());
    };
    let answer = |question: &Question| match question.answered {
        Answer::Open => None,
        Answer::Denied { .. } => Some(false),
        Answer::Approved { .. } | Answer::Used { .. } => Some(true),
    };
    let answers = book
        .questions()
        .iter()
        .filter(|question| waited.contains(&question.number))
        .filter_map(|question| Some((question.number, answer(question)?)));
    for (ask, approved) in answers {
        driver.journal.append(Answered { ask, approved })?;
    }
    Ok(())
}
