//! `overnight approve` and `overnight deny`: a person's answer to a question.

use crate::asks;
use overnight_base::exit::Exit;
use overnight_base::fault::Fault;
use overnight_engine::{answer, person};
use overnight_guard::question::{Answered, CHANGED_TESTS, Question};
use overnight_host::approvals::{self, Approvals};
use overnight_host::state::{self, Place};
use overnight_host::{cli, clock};
use serde_json::json;
use std::path::Path;

/// Lets a waiting call run, once; only in a terminal
#[derive(clap::Args)]
pub(crate) struct Approve {
    /// The question, for example ask-4
    #[arg(required = true)]
    id: Vec<String>,
    /// Prints a JSON object
    #[arg(long)]
    json: bool,
}

/// Refuses a waiting call, or takes an unused approval back; only in a terminal
#[derive(clap::Args)]
pub(crate) struct Deny {
    /// The question, for example ask-4
    #[arg(required = true)]
    id: Vec<String>,
    /// Prints a JSON object
    #[arg(long)]
    json: bool,
}

pub(crate) fn approve(args: &Approve) -> Result<Exit, Fault> {
    person::at_a_terminal("overnight approve")?;
    let place = state::locate(Path::new("."))?;
    for id in &args.id {
        let approvals = Approvals::of(&place)?;
        answer::answerable(&approvals, id)?;
        let question = approvals.update(|book, now| book.approve(id, now))??;
        note(approvals::approved_in_progress(&place, &question));
        note(answer::answered(&place, &question, true));
        report(&question, args.json)?;
    }
    Ok(Exit::Yes)
}

pub(crate) fn deny(args: &Deny) -> Result<Exit, Fault> {
    person::at_a_terminal("overnight deny")?;
    let place: Place = state::locate(Path::new("."))?;
    for id in &args.id {
        let question = Approvals::of(&place)?.update(|book, now| book.deny(id, now))??;
        note(answer::answered(&place, &question, false));
        report(&question, args.json)?;
    }
    Ok(Exit::Yes)
}

/// The answer stands, whatever becomes of the progress file and of the journal.
fn note(outcome: Result<(), Fault>) {
    if let Err(fault) = outcome {
        cli::note(&fault.to_string());
    }
}

fn report(question: &Question, as_json: bool) -> Result<(), Fault> {
    if as_json {
        return cli::print_json(&json!({"ask": asks::describe(question)}));
    }
    let id = question.id();
    let tests = question.rule == CHANGED_TESTS;
    let outcome = match question.answered {
        Answered::Approved { .. } if tests => format!("{id}: the changed tests count\n"),
        _ if tests => format!("{id}: the tests stay as they were\n"),
        Answered::Approved { until_ms, .. } => format!(
            "{id} may run once, exactly as shown, until {} (take it back: overnight deny {id})\n",
            clock::local_text(until_ms)
        ),
        _ => format!("{id} will not run\n"),
    };
    cli::print(&format!("{}{outcome}", asks::text(question)))
}
