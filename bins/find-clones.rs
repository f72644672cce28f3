//! `find-clones`: duplicated code, in the order in which it is worth merging.

use clap::Parser;
use overnight_base::exit::Exit;
use overnight_host::cli;
use overnight_host::cli::Words;
use overnight_tools::clones::detect;
use overnight_tools::sample::files::changed;
use overnight_views::clones;
use serde_json::json;
use std::path::Path;
use std::process::ExitCode;

/// Finds duplicated code below the current folder, that in changed files first
///
/// Runs jscpd 5 (npm install --global jscpd@5, or cargo install jscpd) and sums up what it finds:
/// clones of at least 75 tokens and 8 lines, also those in which only the names differ. The
/// project's own .jscpd.json counts where there is one.
#[derive(Parser)]
#[command(name = "find-clones", version)]
struct Args {
    /// What counts as changed: files that differ from this commit, and new ones
    #[arg(long, value_name = "REF", default_value = "HEAD")]
    since: String,
    /// Prints JSON
    #[arg(long)]
    json: bool,
}

pub(super) fn main(words: Words) -> ExitCode {
    cli::main(words, |args: Args| {
        let changed = changed(&args.since)?.into_iter().collect();
        let groups = clones::groups(&detect(Path::new("."))?, &changed);
        if args.json {
            cli::print_json(&json!({ "groups": groups }))?;
        } else {
            cli::print(&clones::text(&groups))?;
        }
        Ok(Exit::Yes)
    })
}
