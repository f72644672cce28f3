//! `overnight approve` and `overnight deny`: a person's answer to a question.

use crate::asks;
use overnight_base::code::Code;
use overnight_base::exit::Exit;
use overnight_base::fault::Fault;
use overnight_engine::{answer, person};
use overnight_guard::question::{Answered, CHANGED_TESTS, Question};
use overnight_host::approvals::Approvals;
use overnight_host::state::Place;
use overnight_host::{cli, clock, state};
use overnight_shell::shown;
use serde_json::json;
use std::path::Path;

/// Lets a waiting call run, once: shows it and asks for its first word; only in a terminal
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
    let mut left = false;
    for id in ids {
        if approve && !was_read(&place, id)? {
            cli::note(&format!("{id} still waits: that is not what was asked for"));
            left = true;
            continue;
        }
        let (question, faults) = answer::give(&place, id, approve)?;
        for fault in faults {
            cli::note(&fault.to_string());
        }
        report(&question, json)?;
    }
    Ok(if left { Exit::No } else { Exit::Yes })
}

/// Shows what is to be let run; does the person type its first word? One that is not there is told of by
/// the answer.
fn was_read(place: &Place, id: &str) -> Result<bool, Fault> {
    /// Bytes of a word that is shown, and typed.
    const WORD_BYTES_MAX: usize = 4_096;
    person::at_a_terminal("overnight approve")?;
    let book = Approvals::of(place)?.read()?;
    let Ok(question) = book.find(id) else {
        return Ok(true);
    };
    person::in_a_terminal_before(question.asked_ms)?;
    let (what, word) = question.first_word();
    cli::note(asks::text(&question).trim_end());
    cli::note(&format!("type {what} to let it run once:"));
    let mut line = String::new();
    std::io::stdin()
        .read_line(&mut line)
        .map_err(|error| Fault::new(Code::FileRead, format!("the terminal: {error}")))?;
    let typed = line.trim();
    Ok(typed == word || typed == shown(word, WORD_BYTES_MAX))
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
    cli::print(&outcome)
}
