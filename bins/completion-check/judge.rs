//! `completion-check judge`.

use clap::{Args as Arguments, ValueEnum};
use overnight_base::code::Code;
use overnight_base::duration;
use overnight_base::exit::Exit;
use overnight_base::fault::Fault;
use overnight_base::vars;
use overnight_engine::gates as runner;
use overnight_host::files::{self, Content};
use overnight_host::{cli, env, message};
use overnight_judge::gates::{self, Baseline};
use overnight_judge::{Evidence, FileState, Verdict, file, marker::Marker};
use serde_json::json;
use std::path::{Path, PathBuf};

#[derive(Arguments)]
pub(crate) struct Args {
    /// The decision file [default: `OVERNIGHT_DECISION_FILE`]
    #[arg(long)]
    decision_file: Option<PathBuf>,
    /// The check id that a JSON decision must carry [default: `OVERNIGHT_CHECK_ID`]
    #[arg(long)]
    check_id: Option<String>,
    /// The final message, or `-` for stdin
    #[arg(long)]
    text: Option<PathBuf>,
    /// What the text is
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
    /// An earlier message of the session: its marker does not count
    #[arg(long)]
    previous_text: Option<PathBuf>,
    /// The marker's name
    #[arg(long, default_value = "DONE")]
    marker: String,
    /// A command that must pass; may be given several times
    #[arg(long)]
    gate: Vec<String>,
    /// How long one gate may run
    #[arg(long, default_value = "30m", value_parser = duration::parse)]
    gate_timeout: std::time::Duration,
    /// Says on stderr what decided and why
    #[arg(long)]
    verbose: bool,
    /// It prints JSON anyway; scripts may say so
    #[arg(long, hide = true)]
    json: bool,
}

#[derive(Clone, Copy, ValueEnum)]
enum Format {
    /// The final message itself
    Text,
    /// The client's stream, of which the last message of the main agent counts
    StreamJson,
}

pub(crate) fn run(args: &Args) -> Result<Exit, Fault> {
    let set = || env::get_os(&vars::DECISION_FILE).map(PathBuf::from);
    let decision_file = args.decision_file.clone().or_else(set);
    let check_id = args.check_id.clone().or_else(|| env::get(&vars::CHECK_ID));
    if decision_file.is_none() && args.text.is_none() {
        return Err(Fault::new(
            Code::InputInvalid,
            "nothing to judge: give --decision-file, --text or both",
        ));
    }
    let marker = Marker::new(&args.marker)?;
    let stream = matches!(args.format, Format::StreamJson);
    let mut said = message::read(args.text.as_deref(), stream, &marker)?;
    if let Some(path) = &args.previous_text {
        let earlier = message::read(Some(path), stream, &marker)?;
        said.note_earlier(&earlier);
    }
    let content = decision_file.as_deref().map(decision);
    let file = match &content {
        None => FileState::NotAsked,
        Some(Content::Missing) => FileState::Missing,
        Some(Content::Bytes(bytes)) => FileState::Bytes(bytes),
        Some(Content::Refused(why)) => FileState::Refused(why),
    };
    let claim = overnight_judge::claim(&Evidence {
        file,
        check_id: check_id.as_deref(),
        said: &said,
        gates: &[],
        objections: &[],
    });
    let verdict = if claim.complete() && !args.gate.is_empty() {
        let outcomes = runner::run_all(
            runner::Room::place(Path::new(".")),
            &args.gate,
            args.gate_timeout,
        );
        let objections = gates::objections(
            &args.gate,
            &outcomes,
            &Baseline::default(),
            &runner::no_pins(),
        );
        claim.proved(&outcomes, &objections)
    } else {
        claim.proved(&[], &[])
    };
    if args.verbose {
        explain(&verdict);
    }
    cli::print_json(&json!(verdict))?;
    Ok(if verdict.complete() {
        Exit::Yes
    } else {
        Exit::No
    })
}

/// What cannot be read is incomplete with its reason, never a failure of the judge.
fn decision(path: &Path) -> Content {
    files::read_bounded(path, file::BYTES_MAX).unwrap_or(Content::Refused("not readable"))
}

fn explain(verdict: &Verdict) {
    let fields = json!(verdict);
    let show = |key: &str| value_text(&fields[key]);
    let (decision, source) = (show("decision"), show("source"));
    let matched = show("check_id_match");
    cli::note(&format!(
        "decision={decision} decision_source={source} check_id_match={matched}"
    ));
    if let Some(line) = &verdict.evidence {
        cli::note(&format!("evidence: {line}"));
    }
    let code = verdict.code().map_or("", Code::id);
    for reason in &verdict.reasons {
        cli::note(format!("{code} {reason}").trim());
    }
}

fn value_text(value: &serde_json::Value) -> String {
    value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned)
}
