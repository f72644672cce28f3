//! `overnight verify`: does a clean check-out still show what a receipt says?

use overnight_base::exit::Exit;
use overnight_base::fault::Fault;
use overnight_engine::proof::receipt;
use overnight_engine::proof::setup::SetUp;
use overnight_host::cell::Cells;
use overnight_host::state::{self, Place};
use overnight_host::{cli, config, runs};
use overnight_judge::proof::receipt::Receipt;
use overnight_run::id;
use overnight_shell::shown;
use serde_json::json;
use std::fmt::Write;
use std::path::Path;
use std::time::Duration;

/// Bytes of an address on the terminal.
const LINE_BYTES_MAX: usize = 2_000;
/// A gate has as long as an iteration by default.
const LIMIT: Duration = Duration::from_mins(30);

/// Proves a commit again by its receipt, in a clean work tree; exit 1 with what differs
///
/// Receipts are notes of git (`git notes --ref overnight show`). Without an argument: the newest
/// commit with one, from HEAD on; where there is none yet, the newest run's.
#[derive(clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Args {
    /// The commit, or the run whose last proved commit is meant
    #[arg(value_name = "COMMIT|RUN")]
    what: Option<String>,
    /// Prints a JSON object
    #[arg(long)]
    json: bool,
}

fn found(place: &Place, what: Option<&str>) -> Result<(String, Receipt), Fault> {
    if let Some(what) = what {
        return receipt::find(place, what, id::is_valid(what).then_some(what));
    }
    let here = receipt::find(place, "HEAD", None);
    // In the morning the night's branch is not merged yet.
    let newest = || {
        let run = runs::choose(place, None).ok()?;
        receipt::find(place, &run, Some(&run)).ok()
    };
    here.or_else(|missing| newest().ok_or(missing))
}

pub(crate) fn run(args: &Args) -> Result<Exit, Fault> {
    let place = state::locate(Path::new("."))?;
    let (commit, receipt) = found(&place, args.what.as_deref())?;
    let cells = Cells::as_set(&place, cli::note)?;
    let commands = config::load(Some(&place)).settings.run.setup;
    let setup = SetUp {
        commands: &commands,
        persons: None,
    };
    let outcomes = receipt::again(&place, (&commit, &receipt), (LIMIT, cells.as_ref()), setup)?;
    let differences = receipt.differences(&receipt::tree(&place, &commit)?, &outcomes);
    let same = differences.is_empty();
    if args.json {
        cli::print_json(&json!({
            "commit": commit, "run": receipt.run, "pull_request": receipt.pull_request, "same": same,
            "differences": differences, "gates": outcomes,
        }))?;
    } else {
        let gates = receipt.gates.len();
        let noun = if gates == 1 {
            "gate passes"
        } else {
            "gates pass"
        };
        let mut text = format!("{commit} of run {}\n", receipt.run);
        if let Some(url) = &receipt.pull_request {
            let _ = writeln!(text, "offered in {}", shown(url, LINE_BYTES_MAX));
        }
        if same {
            let _ = writeln!(text, "as the receipt says: {gates} {noun}");
        }
        for line in &differences {
            text.push_str(line);
            text.push('\n');
        }
        cli::print(&text)?;
    }
    Ok(if same { Exit::Yes } else { Exit::No })
}
