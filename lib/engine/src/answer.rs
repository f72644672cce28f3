//! A person's answers, from wherever they are given: to a question of the guard, to a run or a task.

use crate::approvals::{self, Approvals};
use crate::round::receipts;
use crate::sight;
use crate::state::Place;
use crate::{messages, night, person, report, runs};
use overnight_base::fault::Fault;
use overnight_guard::question::Question;
use overnight_run::event::Answered;
use std::fmt::Write;

/// Approves a question once, or denies it: in the book, in `progress/` and in the journal of the run that
/// asked. The answer stands, whatever becomes of the last two: what went wrong there is given beside it.
pub fn give(place: &Place, ask: &str, approve: bool) -> Result<(Question, Vec<Fault>), Fault> {
    let name = if approve { "approve" } else { "deny" };
    person::at_a_terminal(&format!("overnight {name}"))?;
    let book = Approvals::of(place)?;
    let question = if approve {
        answerable(&book, ask)?;
        book.update(|book, now| book.approve(ask, now))??
    } else {
        book.update(|book, now| book.deny(ask, now))??
    };
    let told = [
        approvals::answered_in_progress(place, &question, approve),
        answered(place, &question, approve),
    ];
    Ok((question, told.into_iter().filter_map(Result::err).collect()))
}

/// The same; says in one line what becomes of it.
pub fn question(place: &Place, ask: &str, approve: bool) -> Result<String, Fault> {
    let (_, faults) = give(place, ask, approve)?;
    let word = if approve {
        "may run once"
    } else {
        "will not run"
    };
    let mut said = format!("{ask} {word}");
    for fault in &faults {
        let _ = write!(said, "; {fault}");
    }
    Ok(said)
}

/// Tells a run something, or one of its tasks; of one that nobody drives it is journaled at once.
pub fn tell(place: &Place, run: &str, (task, text): (Option<&str>, &str)) -> Result<(), Fault> {
    person::not_an_agent("overnight tell")?;
    messages::leave(place, run, text, (task, None, false))?;
    if sight::living(place).iter().any(|living| living == run) {
        return Ok(());
    }
    messages::note(place, run)
}

/// May this terminal answer the question? One that is not there is told of by the answer.
fn answerable(book: &Approvals, id: &str) -> Result<(), Fault> {
    let read = book.read()?;
    let asked = read.questions().iter().find(|question| question.id() == id);
    asked.map_or(Ok(()), |question| {
        person::in_a_terminal_before(question.asked_ms)
    })
}

/// Tells the run that asked, where nobody drives it: no view says any longer that it waits for the
/// answer. A driver that lives hears of it by itself.
fn answered(place: &Place, question: &Question, approved: bool) -> Result<(), Fault> {
    let Some(run) = &question.run else {
        return Ok(());
    };
    let state = runs::state(place, run)?;
    let ask = question.number;
    let waits = state.tasks.iter().any(|task| task.asks.contains(&ask));
    if waits && (state.session.is_some() || runs::living_driver(&state).is_none()) {
        runs::note(place, run, Answered { ask, approved })?;
        let folder = runs::folder(place, run)?;
        receipts::keep_missing((place, &folder), &runs::state(place, run)?)?;
        report::refresh(&night::of(place, &state), run)?;
    }
    Ok(())
}
