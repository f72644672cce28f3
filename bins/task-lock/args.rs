//! The command line of `task-lock`.

use clap::{Args, Parser, Subcommand};
use overnight_base::duration;
use overnight_host::leases::Options;
use overnight_lease::{TTL_S_DEFAULT, TTL_S_MAX};
use overnight_tasks::TaskId;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

/// Leases on tasks through git: parallel agents, on one machine or many, never do the same work
#[derive(Parser)]
#[command(name = "task-lock", version)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) common: Common,
    #[command(subcommand)]
    pub(crate) verb: Verb,
}

#[derive(Args)]
pub(crate) struct Common {
    /// The git remote that holds the leases, or `none` for this repository alone [default: origin
    /// if there is one, else none]
    #[arg(long, global = true, value_name = "NAME|none")]
    remote: Option<String>,
    /// The folder to work in
    #[arg(long, global = true, default_value = ".")]
    pub(crate) dir: PathBuf,
    /// Prints JSON
    #[arg(long, global = true)]
    pub(crate) json: bool,
}

#[derive(Subcommand)]
pub(crate) enum Verb {
    /// Takes the lease of a task; again by the same agent: renews it under the same token
    #[command(
        after_help = "Exit status: 0 acquired, 1 held by another, 75 the wait timed out, 69 the remote cannot be reached or its answer is unknown."
    )]
    Acquire(Terms),
    /// Starts the lease's time anew; exit 1 when it is no longer ours
    Renew {
        #[command(flatten)]
        lease: Held,
        /// Another time to live
        #[arg(long)]
        ttl: Option<Ttl>,
    },
    /// Gives the lease back; exit 1 when it is no longer ours
    Release {
        #[command(flatten)]
        lease: Held,
    },
    /// Exit 0 while the lease is held under this token, else 1; asks nobody
    Check {
        #[command(flatten)]
        lease: Held,
    },
    /// Pushes work and renews the lease in one atomic push; exit 1, and nothing is pushed, when
    /// the lease is no longer ours
    Publish {
        #[command(flatten)]
        lease: Held,
        /// What to push, for example HEAD:refs/heads/auto/t1
        #[arg(
            long,
            required = true,
            value_name = "SOURCE:DESTINATION",
            allow_hyphen_values = true
        )]
        refspec: Vec<String>,
    },
    /// Shows every lease and brings `current_tasks/` up to date
    List,
    /// Shows one lease
    Status {
        /// The task's id
        #[arg(value_parser = TaskId::parse, allow_hyphen_values = true)]
        task: TaskId,
    },
    /// Tries out what the remote allows, and sweeps leases given back long ago
    Doctor,
}

/// What `acquire` asks for.
#[derive(Args)]
pub(crate) struct Terms {
    /// The task's id
    #[arg(value_parser = TaskId::parse, allow_hyphen_values = true)]
    pub(crate) task: TaskId,
    /// Who works [default: `AGENT_ID`, else the run and its member, else the client's session, else this shell]
    #[arg(long)]
    agent: Option<String>,
    /// How long the lease holds unless it is renewed [default: the setting lock.ttl, 1h]
    #[arg(long)]
    pub(crate) ttl: Option<Ttl>,
    /// How long to wait for a lease that another agent holds
    #[arg(long, default_value = "0", value_name = "DURATION")]
    pub(crate) wait: Wait,
    /// The process that the lease lives with: when it has ended, others on this machine may take
    /// the lease at once
    #[arg(long)]
    pid: Option<u32>,
}

/// A lease that the caller holds.
#[derive(Args)]
pub(crate) struct Held {
    /// The task's id
    #[arg(value_parser = TaskId::parse, allow_hyphen_values = true)]
    pub(crate) task: TaskId,
    /// The number that acquire printed
    #[arg(long)]
    pub(crate) token: u64,
}

/// A time to live within its range.
#[derive(Clone)]
pub(crate) struct Ttl(u64);

impl Ttl {
    pub(crate) fn seconds(&self) -> u64 {
        self.0
    }
}

impl FromStr for Ttl {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let seconds = duration::parse(text)
            .map_err(|error| error.to_string())?
            .as_secs();
        if (1..=TTL_S_MAX).contains(&seconds) {
            return Ok(Self(seconds));
        }
        let days = TTL_S_MAX / 86_400;
        Err(format!(
            "a lease lives between 1 s and {days} days (default {TTL_S_DEFAULT} s)"
        ))
    }
}

/// How long to wait.
#[derive(Clone)]
pub(crate) struct Wait(pub(crate) Duration);

impl FromStr for Wait {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        duration::parse(text)
            .map(Self)
            .map_err(|error| error.to_string())
    }
}

impl Common {
    /// How the leases are opened for this verb.
    pub(crate) fn options(&self, verb: &Verb) -> Options {
        let (agent, pid) = match verb {
            Verb::Acquire(terms) => (terms.agent.clone(), terms.pid),
            _ => (None, None),
        };
        Options {
            agent,
            remote: self.remote.clone(),
            pid,
        }
    }
}
