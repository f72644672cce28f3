//! `circuit-breaker classify`.

use clap::{Args as Arguments, ValueEnum};
use overnight_base::exit::Exit;
use overnight_base::fault::Fault;
use overnight_host::{cli, clock, message, zones};
use overnight_run::classify::{self, Channel, Report};
use serde_json::json;
use std::path::PathBuf;

#[derive(Arguments)]
pub(crate) struct Args {
    /// Where the text came from
    #[arg(long, value_enum)]
    channel: From,
    /// The client's exit status; without it, 0 unless the channel is an error channel
    #[arg(long, allow_negative_numbers = true)]
    exit_code: Option<i32>,
    /// The time now, in Unix seconds
    #[arg(long)]
    now: Option<i64>,
    /// The zone of times without one, for example Europe/Berlin; the machine's if not given
    #[arg(long)]
    tz: Option<String>,
    /// It prints JSON anyway; scripts may say so
    #[arg(long, hide = true)]
    json: bool,
    /// The text; `-` or nothing for stdin
    file: Option<PathBuf>,
}

#[derive(Clone, Copy, ValueEnum)]
enum From {
    Plain,
    ResultJson,
    Stream,
    Stderr,
    AssistantText,
    ToolResult,
    StopFailureHook,
}

pub(crate) fn run(args: &Args) -> Result<Exit, Fault> {
    let local = zones::local(args.tz.as_deref())?;
    let text = message::bounded(args.file.as_deref())?;
    let failure = classify::classify(&Report {
        channel: match args.channel {
            From::Plain => Channel::Plain,
            From::ResultJson => Channel::ResultJson,
            From::Stream => Channel::Stream,
            From::Stderr => Channel::Stderr,
            From::AssistantText => Channel::AssistantText,
            From::ToolResult => Channel::ToolResult,
            From::StopFailureHook => Channel::StopFailureHook,
        },
        text: &text,
        exit: args.exit_code,
        now: args
            .now
            .unwrap_or_else(|| i64::try_from(clock::wall_ms() / 1000).unwrap_or(i64::MAX)),
        local: &local,
        zones: &zones::named,
    });
    cli::print_json(&json!(failure))?;
    Ok(Exit::Yes)
}
