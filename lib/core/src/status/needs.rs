//! What only a person can do about a run: one list for the status, the report and the notices.

use super::{Life, short};
use crate::classify::Class;
use crate::run::event::{Door, Outcome};
use crate::run::{Reason, State};
use serde::Serialize;

/// Something that only a person can answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Need {
    /// What it is.
    pub what: String,
    /// The commands that answer it.
    pub commands: Vec<String>,
}

/// What waits for a person: the guard's open questions (id and call) first, then what ended the run.
pub fn needs(state: &State, life: Life, questions: &[(String, String)]) -> Vec<Need> {
    let questions = questions.iter().map(|(id, call)| Need {
        what: format!("{id}: {}", short(call)),
        commands: vec![
            format!("overnight approve {id}"),
            format!("overnight deny {id}"),
        ],
    });
    questions.chain(end(state, life)).collect()
}

fn end(state: &State, life: Life) -> Option<Need> {
    let run = state.run.as_ref().map_or("", |run| run.id.as_str());
    let resume = format!("overnight run --resume {run}");
    let need = |what: String, commands: Vec<String>| Some(Need { what, commands });
    match &state.finished {
        Some(Reason::NeedsPerson(what)) => need(short(what), vec![resume]),
        Some(Reason::Blocked(why)) => need(
            format!("blocked: {}", short(why)),
            vec!["cat progress/blocked.md".to_owned(), resume],
        ),
        Some(Reason::BreakerOpen(why)) => need(
            format!("the circuit breaker opened: {}", short(why)),
            vec![format!("overnight why {run}"), resume],
        ),
        Some(Reason::BudgetSpent) => need(
            "the budget is spent: give it more, or leave it".to_owned(),
            vec![format!("{resume} --budget-usd N")],
        ),
        None if life == Life::Crashed && state.run.is_some() => need(
            "the driver died: go on where it stopped".to_owned(),
            vec![resume],
        ),
        None => broken_off(state).and_then(|outcome| need(go_on(outcome.class), vec![resume])),
        _ => None,
    }
}

/// What ended the turn of a run in a session, where nobody waits and goes on by himself: the run
/// stands still until the person writes there, or takes it over by a driver.
pub fn broken_off(state: &State) -> Option<&Outcome> {
    let in_session = state.run.as_ref()?.door == Door::Session;
    let open = state.open.as_ref().filter(|open| !open.resumed)?;
    let stands = in_session && state.finished.is_none() && state.waiting.is_none();
    let outcome = open.outcome.as_ref()?;
    (stands && outcome.class != Class::None).then_some(outcome)
}

fn go_on(class: Class) -> String {
    let write = "write \"continue\" in the session";
    match class {
        Class::UsageLimit => format!("the usage limit ended the turn: {write} after the reset"),
        Class::Auth => format!("the client is not logged in: log in, then {write}"),
        Class::Billing => format!("the account cannot pay: check its credit, then {write}"),
        _ => format!("the service ended the turn: {write}"),
    }
}
