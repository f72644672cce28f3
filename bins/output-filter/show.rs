//! `output-filter show`: parts of a log.

use overnight_base::exit::Exit;
use overnight_base::fault::Fault;
use overnight_filter::show;
use overnight_host::logs::part::{self, Part};
use std::ops::RangeInclusive;
use std::path::PathBuf;

/// Shows parts of a log, at most 400 lines and 30,000 bytes; without an option its digest
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The log, as the digest names it
    log: PathBuf,
    /// The lines of the Nth failing test of the digest
    #[arg(long, group = "part")]
    failure: Option<usize>,
    /// These lines: 120-160, 120-, 120
    #[arg(long, group = "part", value_parser = show::lines)]
    lines: Option<RangeInclusive<u64>>,
    /// The lines that hold this text, with their numbers
    #[arg(long, group = "part")]
    grep: Option<String>,
}

pub(crate) fn run(args: &Args) -> Result<Exit, Fault> {
    let part = match (args.failure, &args.lines, &args.grep) {
        (Some(number), _, _) => Part::Failure(number),
        (_, Some(lines), _) => Part::Lines(lines.clone()),
        (_, _, Some(text)) => Part::Grep(text.clone()),
        _ => Part::Digest,
    };
    part::show(&args.log, &part)
}
