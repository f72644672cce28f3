//! `overnight uninstall`: every trace, and what of it holds no work is removed.

use overnight_base::exit::Exit;
use overnight_base::fault::Fault;
use overnight_engine::traces::{self, Trace};
use overnight_host::{cli, state};
use std::fmt::Write;

/// Lists what Overnight left in this project and with you, and removes what holds no work
///
/// Work, such as branches, progress/ and your settings, is only named, each with the command that removes it.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Removes nothing: only lists
    #[arg(long)]
    dry_run: bool,
}

pub(crate) fn run(args: &Args) -> Result<Exit, Fault> {
    let place = state::here()?;
    let found = traces::find(&place);
    if !args.dry_run {
        traces::remove(&place, &found)?;
    }
    cli::print(&text(&found, args.dry_run))?;
    Ok(Exit::Yes)
}

fn text(found: &[Trace], dry_run: bool) -> String {
    let (ours, work): (Vec<&Trace>, Vec<&Trace>) =
        found.iter().partition(|trace| trace.is_removed());
    let mut text = String::new();
    let title = if dry_run {
        "would be removed"
    } else {
        "removed"
    };
    for (title, traces) in [(title, ours), ("left to you", work)] {
        if !traces.is_empty() {
            let _ = writeln!(text, "{title}:");
        }
        for trace in traces {
            let _ = writeln!(text, "  {}", trace.what);
            if !trace.is_removed() {
                let _ = writeln!(text, "    {}", trace.command);
            }
        }
    }
    text + "the plugin itself: claude plugin uninstall overnight@overnight && claude plugin marketplace remove overnight\n"
}
