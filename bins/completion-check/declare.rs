//! `completion-check declare`.

use clap::{Args as Arguments, ValueEnum};
use overnight_base::code::Code;
use overnight_base::exit::Exit;
use overnight_base::fault::Fault;
use overnight_base::vars;
use overnight_host::{cli, env, files};
use serde_json::json;
use std::path::PathBuf;

#[derive(Arguments)]
pub(crate) struct Args {
    /// Is the task done?
    #[arg(value_enum)]
    decision: Decision,
    /// Why; may be given several times
    #[arg(long)]
    reason: Vec<String>,
    /// Fingerprint of a finding; may be given several times
    #[arg(long)]
    fingerprint: Vec<String>,
    /// Answer to a point of the checklist, `1: evidence`; may be given several times
    #[arg(long, value_name = "N: EVIDENCE")]
    answer: Vec<String>,
    /// What only a person can give or decide: the task waits for it, and others go on
    #[arg(long, value_name = "WHAT")]
    needs: Vec<String>,
    /// One line on what was done
    #[arg(long)]
    summary: Option<String>,
    /// Where to write, instead of the driver's `OVERNIGHT_DECISION_FILE`
    #[arg(long)]
    decision_file: Option<PathBuf>,
    /// The check id, instead of the driver's `OVERNIGHT_CHECK_ID`
    #[arg(long)]
    check_id: Option<String>,
    /// Prints the decision as JSON
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, ValueEnum)]
enum Decision {
    Complete,
    Incomplete,
}

pub(crate) fn run(args: &Args) -> Result<Exit, Fault> {
    let missing = |name: &str, flag: &str| {
        Fault::new(Code::InputMissing, format!("{name} is not set")).hint(format!(
            "the driver sets it for its agents; by hand give {flag}"
        ))
    };
    let path = args
        .decision_file
        .clone()
        .or_else(|| env::get_os(&vars::DECISION_FILE).map(PathBuf::from))
        .ok_or_else(|| missing(vars::DECISION_FILE.name, "--decision-file"))?;
    let check_id = args
        .check_id
        .clone()
        .or_else(|| env::get(&vars::CHECK_ID))
        .ok_or_else(|| missing(vars::CHECK_ID.name, "--check-id"))?;
    let word = match args.decision {
        Decision::Complete => "complete",
        Decision::Incomplete => "incomplete",
    };
    let mut decision = json!({
        "decision": word,
        "check_id": check_id,
        "reasons": args.reason,
        "fingerprints": args.fingerprint,
    });
    if !args.answer.is_empty() {
        decision["answers"] = json!(args.answer);
    }
    if !args.needs.is_empty() {
        if matches!(args.decision, Decision::Complete) {
            let reason = "what is complete needs nobody: declare incomplete with --needs";
            return Err(Fault::new(Code::InputInvalid, reason));
        }
        decision["needs"] = json!(args.needs);
    }
    if let Some(summary) = &args.summary {
        decision["summary"] = json!(summary);
    }
    files::write_atomic(&path, format!("{decision}\n").as_bytes(), files::PRIVATE)?;
    if args.json {
        cli::print_json(&decision)?;
    } else {
        cli::print(&format!("declared {word} for check {check_id}\n"))?;
    }
    Ok(Exit::Yes)
}
