//! A person's answers, from wherever they are given: to a question of the guard, to a run or a task.

use crate::approvals::{self, Approvals};
use crate::state::Place;
use crate::{person, runs, told};
use overnight_base::fault::Fault;

/// Approves a question once, or denies it; says what becomes of it.
pub fn question(place: &Place, ask: &str, approve: bool) -> Result<String, Fault> {
    person::at_a_terminal("overnight approve")?;
    let book = Approvals::of(place)?;
    let question = if approve {
        book.answerable(ask)?;
        book.update(|book, now| book.approve(ask, now))??
    } else {
        book.update(|book, now| book.deny(ask, now))??
    };
    approvals::answered(place, &question, approve)?;
    let word = if approve {
        "may run once"
    } else {
        "will not run"
    };
    Ok(format!("{ask} {word}"))
}

/// Tells a run something, or one of its tasks; of one that nobody drives it is journaled at once.
pub fn tell(place: &Place, run: &str, (task, text): (Option<&str>, &str)) -> Result<(), Fault> {
    person::not_an_agent("overnight tell")?;
    told::leave(place, run, text, (task, None, false))?;
    if runs::living(place).iter().any(|living| living == run) {
        return Ok(());
    }
    told::note(place, run)
}
