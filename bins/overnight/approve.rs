//! `overnight approve` and `overnight deny`: a person's answer to a question.

use crate::asks;
use overnight_base::exit::Exit;
use overnight_base::fault::Fault;
use overnight_engine::answer;
use overnight_guard::question::{Answered, CHANGED_TESTS, Question};
use overnight_host::{cli, clock, state};
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
    answer(&args.id, true, args.json)
}

pub(crate) fn deny(args: &Deny) -> Result<Exit, Fault> {
    answer(&args.id, false, args.json)
}

fn answer(ids: &[String], approve: bool, json: bool) -> Result<Exit, Fault> {
    let place = state::locate(Path::new("."))?;
    for id in ids {
        let (question, faults) = answer::give(&place, id, approve)?;
        for fault in faults {
            cli::note(&fault.to_string());
        }
        report(&question, json)?;
    }
    Ok(Exit::Yes)
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
