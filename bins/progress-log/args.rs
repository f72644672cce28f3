//! The command line of `progress-log`.

use clap::{Parser, Subcommand};
use overnight_base::text;
use overnight_run::progress::{Phase, TITLE_CHARS_MAX};
use std::path::PathBuf;

/// Shows and keeps progress/: what is done, under way, blocked and next
#[derive(Parser)]
#[command(name = "progress-log", version)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) verb: Verb,
    /// Who writes: the id behind "session" in the files [default: the run or session at work]
    #[arg(long, global = true, value_name = "ID")]
    pub(crate) session: Option<String>,
    /// A folder of the project
    #[arg(long, global = true, value_name = "DIR", default_value = ".")]
    pub(crate) dir: PathBuf,
    /// Prints JSON
    #[arg(long, global = true)]
    pub(crate) json: bool,
}

#[derive(Subcommand)]
pub(crate) enum Verb {
    /// Shows the summary
    Show,
    /// Work on a task begins
    Start {
        /// The task in one line
        #[arg(value_parser = task)]
        task: String,
    },
    /// A task is done
    Done {
        /// The task in one line
        #[arg(value_parser = task)]
        task: String,
    },
    /// A task waits for a person
    Block {
        /// The task in one line
        #[arg(value_parser = task)]
        task: String,
        /// What is missing
        #[arg(long, default_value = "", hide_default_value = true)]
        reason: String,
    },
    /// Adds to what comes next
    Next {
        /// What is to be done, one argument each
        #[arg(required = true, value_parser = task)]
        tasks: Vec<String>,
    },
    /// Writes all files anew from what they say; creates missing ones
    Render {
        /// planning, implementation, testing or review
        #[arg(long, value_parser = phase)]
        phase: Option<Phase>,
    },
}

fn task(argument: &str) -> Result<String, String> {
    let line = text::one_line(argument, TITLE_CHARS_MAX);
    if line.is_empty() {
        return Err("a task needs a text".to_owned());
    }
    Ok(line)
}

fn phase(word: &str) -> Result<Phase, String> {
    Phase::parse(word).ok_or_else(|| format!("expected {}", Phase::ALL.map(Phase::name).join(", ")))
}
