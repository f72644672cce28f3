//! Questions to a person that the run's agents came upon, and their answers.

use super::Driver;
use crate::approvals::{self, Approvals, Reply};
use crate::cell::broker::Broker;
use crate::journal::Journal;
use crate::state::Place;
use crate::{notify, runs};
use overnight_base::fault::Fault;
use overnight_guard::question::{Answered as Answer, CHANGED_TESTS, Call, Question};
use overnight_run::event::{Answered, Contested};
use overnight_run::state::TaskState;
use std::collections::BTreeMap;
use std::path::Path;

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

/// Asks what only a person can say, and journals what they answered meanwhile: a task that waited for
/// it is ready again, or done.
pub(crate) fn hear(place: &Place, journal: &mut Journal) -> Result<(), Fault> {
    ask(place, journal)?;
    let tasks = &journal.state().tasks;
    let waited: Vec<u64> = tasks.iter().flat_map(|task| task.asks.clone()).collect();
    if waited.is_empty() {
        return Ok(());
    }
    // A book that cannot be read now is read at the next step.
    let Ok(book) = Approvals::of(place).and_then(|approvals| approvals.read()) else {
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
        journal.append(Answered { ask, approved })?;
    }
    Ok(())
}

/// Puts each claim that rests on changed tests to the person.
fn ask(place: &Place, journal: &mut Journal) -> Result<(), Fault> {
    let state = journal.state();
    let run = state.run.as_ref().map(|run| run.id.clone());
    let put = |task: &TaskState| {
        let contest = task.contest.as_ref().filter(|_| task.asks.is_empty())?;
        let last = &state.last_on(&task.spec.id)?.verdict;
        let commit = last.commit.clone().unwrap_or_default();
        let text = contest.text(&task.spec.id, &commit);
        let call = Call::new("Proof", &text, &place.home.display().to_string());
        let said = last.summary.as_deref().unwrap_or_default();
        let reason = format!(
            "the gates pass with these tests and fail with those of the run's start; the agent: {said}"
        );
        Some((task.spec.id.clone(), call, reason))
    };
    let open: Vec<_> = state.tasks.iter().filter_map(put).collect();
    for (task, call, reason) in open {
        // A book that cannot be written now is written at the next step.
        let asked = Approvals::of(place)?.update(|book, now| {
            book.ask(call.clone(), (CHANGED_TESTS, &reason), run.as_deref(), now)
                .0
        });
        if let Ok(ask) = asked {
            journal.append(Contested { task, ask })?;
            let _ = approvals::note_in_progress(place, ask, &call, &reason);
        }
    }
    Ok(())
}

/// Answers the questions that come out of the cell: whoever asks is told what the book says, and a new
/// question is shown to the person.
pub(super) fn broker(place: &Place, run: &str, run_folder: &Path) -> Result<Broker, Fault> {
    let (place, run) = (place.clone(), run.to_owned());
    Broker::open(run_folder, move |asked| {
        let reply = Approvals::of(&place)?.consult(asked, Some(&run))?;
        if let Reply::Asked { number, times: 1 } = reply {
            approvals::note_in_progress(&place, number, &asked.call, &asked.reason)?;
            let state = runs::state(&place, &run)?;
            notify::tell(&place, &run, &state, notify::Way::Desktop);
        }
        Ok(reply)
    })
}
