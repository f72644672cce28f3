//! `overnight completions`: what a shell needs to complete our words.

use clap::CommandFactory;
use clap_complete::Shell;
use overnight_base::exit::Exit;
use overnight_base::fault::Fault;
use overnight_host::cli;

/// Prints the completions of `overnight` for a shell
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The shell
    shell: Shell,
}

pub(crate) fn run<C: CommandFactory>(args: &Args) -> Result<Exit, Fault> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut C::command(), "overnight", &mut script);
    cli::print(&String::from_utf8_lossy(&script))?;
    Ok(Exit::Yes)
}
