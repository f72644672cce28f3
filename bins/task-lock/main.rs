//! `task-lock`: leases on tasks, so that parallel agents never do the same work.

mod acquire;
mod args;
mod show;

use args::{Cli, Verb};
use overnight_host::cli;
use overnight_host::cli::Words;
use overnight_host::leases::Leases;
use std::process::ExitCode;

pub(super) fn main(words: Words) -> ExitCode {
    cli::main(words, |cli: Cli| {
        let mut leases = Leases::open(&cli.common.dir, &cli.common.options(&cli.verb))?;
        let show = show::Show::new(&cli.common, leases.remote());
        match &cli.verb {
            Verb::Acquire(terms) => acquire::run(&leases, terms, &show),
            Verb::Renew { lease, ttl } => {
                let ttl_s = ttl.as_ref().map(args::Ttl::seconds);
                show.kept(
                    leases.renew(&lease.task, lease.token, ttl_s)?,
                    lease,
                    "renewed",
                )
            }
            Verb::Release { lease } => {
                show.kept(leases.release(&lease.task, lease.token)?, lease, "released")
            }
            Verb::Publish { lease, refspec } => {
                let outcome = leases.publish(&lease.task, lease.token, refspec)?;
                show.kept(outcome, lease, "published")
            }
            Verb::Check { lease } => {
                show.checked(leases.check(&lease.task, lease.token)?.as_ref(), lease)
            }
            Verb::List => show.listed(&leases.list()?),
            Verb::Status { task } => show.status(&leases.status(task)?),
            Verb::Doctor => show.diagnosed(&leases.doctor()?),
        }
    })
}
