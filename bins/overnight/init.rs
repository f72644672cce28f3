//! `overnight init`: gets a project ready for its first night.

use overnight_base::code::Code;
use overnight_base::exit::Exit;
use overnight_base::fault::Fault;
use overnight_engine::person;
use overnight_host::{cli, setup, state};
use overnight_views::init;
use serde_json::json;
use std::io::{BufRead, IsTerminal};

/// Finds the commands that prove the work, and writes `overnight.toml` and a first goal
///
/// Nothing is overwritten. What you confirm is trusted.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Writes what is proposed without asking
    #[arg(long)]
    yes: bool,
    /// Prints JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args) -> Result<Exit, Fault> {
    person::not_an_agent("overnight init")?;
    let place = state::here()?;
    let proposal = setup::look(&place);
    if !args.json {
        cli::print(&init::config(&proposal))?;
    }
    if !args.yes && !confirmed()? {
        return Ok(Exit::No);
    }
    let written = setup::write(&place, &proposal)?;
    if args.json {
        let commands = |of: &[init::Gate]| -> Vec<String> {
            of.iter().map(|gate| gate.command.clone()).collect()
        };
        let [gates, setup, protect] =
            [&proposal.gates, &proposal.setup, &proposal.protect].map(|of| commands(of));
        cli::print_json(
            &json!({"gates": gates, "setup": setup, "protect": protect, "written": written}),
        )?;
        return Ok(Exit::Yes);
    }
    for name in ["overnight.toml", "AGENT_PROMPT.md"] {
        let what = if written.contains(&name) {
            "written"
        } else {
            "there already, left as it is"
        };
        cli::note(&format!("{name}: {what}"));
    }
    cli::note("next: say what is to be done in AGENT_PROMPT.md, then: overnight rehearse");
    Ok(Exit::Yes)
}

/// Does the person at the terminal want it so?
fn confirmed() -> Result<bool, Fault> {
    let stdin = std::io::stdin();
    if !stdin.is_terminal() {
        return Err(
            Fault::new(Code::NeedsTerminal, "nobody is there to confirm it")
                .hint("overnight init --yes takes what is proposed"),
        );
    }
    cli::note("write this to overnight.toml, and trust its commands? [y/N]");
    let mut line = String::new();
    let read = stdin.lock().read_line(&mut line);
    Ok(read.is_ok() && matches!(line.trim(), "y" | "Y" | "yes"))
}
