//! What only a person can do about a run: one list for the status, the report and the notices.

use super::{Life, short};
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
        Some(Reason::BudgetSpent) => need(
            "the budget is spent: give it more, or leave it".to_owned(),
            vec![format!("{resume} --budget-usd N")],
        ),
        None if life == Life::Crashed && state.run.is_some() => need(
            "the driver died: go on where it stopped".to_owned(),
            vec![resume],
        ),
        _ => None,
    }
}
