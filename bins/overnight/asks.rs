//! `overnight asks`: what waits for a person.

use overnight_base::exit::Exit;
use overnight_base::fault::Fault;
use overnight_guard::question::{Answered, Question};
use overnight_host::approvals::Approvals;
use overnight_host::{cli, clock, state};
use overnight_shell::shown;
use serde_json::json;
use std::path::Path;

/// Bytes of one line on the terminal: more than is kept of a call, so that nothing is left out.
const LINE_BYTES_MAX: usize = 16_384;

/// Lists the questions that wait for an answer
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Lists answered questions too
    #[arg(long)]
    all: bool,
    /// Prints a JSON object
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args) -> Result<Exit, Fault> {
    let place = state::locate(Path::new("."))?;
    let book = Approvals::of(&place)?.read()?;
    let listed: Vec<&Question> = book
        .questions()
        .iter()
        .filter(|question| args.all || question.answered == Answered::Open)
        .collect();
    if args.json {
        cli::print_json(
            &json!({"asks": listed.iter().map(|question| describe(question)).collect::<Vec<_>>()}),
        )?;
    } else if listed.is_empty() {
        cli::print("nothing waits for an answer\n")?;
    } else {
        cli::print(
            &listed
                .iter()
                .map(|question| text(question))
                .collect::<String>(),
        )?;
        cli::print("answer with: overnight approve ID, or: overnight deny ID\n")?;
    }
    Ok(Exit::Yes)
}

/// A question as it is shown before it is answered: nothing in it is hidden from the reader.
pub(crate) fn text(question: &Question) -> String {
    let call = &question.call;
    let line = |text: &str| shown(text, LINE_BYTES_MAX);
    let mut lines = vec![format!(
        "{}  {}  {}x since {}  {}",
        question.id(),
        state_name(&question.answered),
        question.times,
        clock::local_text(question.asked_ms),
        question.rule,
    )];
    lines.push(format!("  in {}", line(&call.folder)));
    if call.tool != "Bash" {
        lines.push(format!("  tool {}", line(&call.tool)));
    }
    lines.extend(
        call.text
            .split('\n')
            .map(|text| format!("    {}", line(text))),
    );
    if call.cut {
        lines.push("    … (longer; it cannot be approved)".to_owned());
    }
    lines.push(format!("  why: {}", line(&question.reason)));
    lines.join("\n") + "\n"
}

/// A question for scripts.
pub(crate) fn describe(question: &Question) -> serde_json::Value {
    json!({
        "id": question.id(),
        "state": state_name(&question.answered),
        "tool": question.call.tool,
        "command": question.call.text,
        "cut": question.call.cut,
        "folder": question.call.folder,
        "rule": question.rule,
        "reason": question.reason,
        "run": question.run,
        "times": question.times,
        "asked_ms": question.asked_ms,
    })
}

fn state_name(answered: &Answered) -> &'static str {
    match answered {
        Answered::Open => "open",
        Answered::Approved { .. } => "approved",
        Answered::Denied { .. } => "denied",
        Answered::Used { .. } => "used",
    }
}
