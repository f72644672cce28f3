//! `command-guard check`: what the guard would say to a command, for people and scripts.

use clap::Args;
use overnight_base::code::Code;
use overnight_base::exit::Exit;
use overnight_base::fault::Fault;
use overnight_guard::setup::Setup;
use overnight_host::guard::{self, CallSite, Disk};
use overnight_host::{cli, config};
use overnight_shell::{COMMAND_BYTES_MAX, Context, Decision, Mode, Verdict, judge_command};
use serde::Deserialize;
use serde_json::json;
use std::io::{BufRead, Read};

/// Bytes of a line of `--jsonl` at most: a whole command, each byte escaped.
const LINE_BYTES_MAX: u64 = 6 * COMMAND_BYTES_MAX as u64 + 4_096;
/// Where a command is judged that is asked about outside every repository.
const SAMPLE_ROOT: &str = "/srv/repo";
/// The home folder that belongs to it.
const SAMPLE_HOME: &str = "/home/dev";

#[derive(Args)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is an option of its own"
)]
pub(crate) struct Check {
    /// How much of the boundary is let through: strict, normal or fast; as configured by default
    #[arg(long, value_parser = mode)]
    mode: Option<Mode>,
    /// Judges as inside a cell, whose kernel keeps what is outside of the work tree; the default where this runs in one
    #[arg(long)]
    cell: bool,
    /// Judges as in a session of a person, where only catastrophes count
    #[arg(long)]
    attended: bool,
    /// The folder in which the command would run; this one by default
    #[arg(long)]
    cwd: Option<String>,
    /// Prints a JSON object
    #[arg(long)]
    json: bool,
    /// Reads one {"cmd","cwd"?} a line from stdin and prints one decision a line
    #[arg(long, conflicts_with = "command")]
    jsonl: bool,
    /// The command line; read from stdin when absent
    #[arg(value_name = "CMD", allow_hyphen_values = true)]
    command: Option<String>,
}

/// One line of `--jsonl`.
#[derive(Deserialize)]
struct Line {
    cmd: String,
    cwd: Option<String>,
}

fn mode(text: &str) -> Result<Mode, String> {
    Mode::parse(text).ok_or_else(|| "strict, normal or fast".to_owned())
}

pub(crate) fn run(check: &Check) -> Result<Exit, Fault> {
    if check.jsonl {
        return lines(check);
    }
    let text = match &check.command {
        Some(command) => command.clone(),
        None => stdin()?,
    };
    let (verdict, mode) = judge(check, check.cwd.as_deref(), &text);
    if check.json {
        cli::print_json(&as_json(&verdict, check, mode))?;
    } else {
        let instead = verdict
            .alternative
            .as_ref()
            .map_or_else(String::new, |alternative| {
                format!("instead: {alternative}\n")
            });
        let (said, rule, reason) = (verdict.decision.name(), verdict.rule, &verdict.reason);
        let shown = format!("{said} [{rule}]: {reason}\n{instead}");
        cli::print(&shown)?;
    }
    Ok(exit(verdict.decision))
}

fn exit(decision: Decision) -> Exit {
    match decision {
        Decision::Allow => Exit::Yes,
        Decision::Ask => Exit::No,
        Decision::Deny => Exit::Block,
    }
}

fn stdin() -> Result<String, Fault> {
    let mut bytes = Vec::new();
    std::io::stdin()
        .lock()
        .take(COMMAND_BYTES_MAX as u64 + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| Fault::new(Code::FileRead, format!("stdin: {error}")))?;
    String::from_utf8(bytes).map_err(|_| Fault::new(Code::InputInvalid, "the command is not UTF-8"))
}

/// A line that cannot be read gets an answer too: nothing runs by mistake.
fn lines(check: &Check) -> Result<Exit, Fault> {
    let mut input = std::io::stdin().lock();
    loop {
        let mut bytes = Vec::new();
        let read = (&mut input)
            .take(LINE_BYTES_MAX)
            .read_until(b'\n', &mut bytes);
        if read.map_err(|error| Fault::new(Code::FileRead, format!("stdin: {error}")))? == 0 {
            return Ok(Exit::Yes);
        }
        if bytes.trim_ascii().is_empty() {
            continue;
        }
        let (verdict, mode) = match serde_json::from_slice::<Line>(&bytes) {
            Ok(line) => judge(
                check,
                line.cwd.as_deref().or(check.cwd.as_deref()),
                &line.cmd,
            ),
            Err(error) => {
                let why = format!("this line is no {{\"cmd\",\"cwd\"?}}: {error}");
                (Verdict::deny("malformed", &why), Mode::Normal)
            }
        };
        cli::print_json(&as_json(&verdict, check, mode))?;
    }
}

fn as_json(verdict: &Verdict, check: &Check, mode: Mode) -> serde_json::Value {
    json!({"decision": verdict.decision, "rule": verdict.rule, "reason": verdict.reason,
        "alternative": verdict.alternative, "mode": mode, "cell": check.walled()})
}

impl Check {
    fn walled(&self) -> bool {
        self.cell || guard::walled()
    }
}

/// Judges in this folder with its configuration, as the hook does; where no repository is, as if it
/// were one with its own branch checked out, so that the guard can be tried anywhere.
fn judge(check: &Check, cwd: Option<&str>, text: &str) -> (Verdict, Mode) {
    let here = std::env::current_dir().ok();
    let folder = cwd.or_else(|| here.as_deref().and_then(|path| path.to_str()));
    let call_site = CallSite::look(folder);
    let configured = config::load(call_site.place.as_ref());
    let setup = Setup::of(&configured.settings.guard);
    let mode = check.mode.unwrap_or(setup.mode);
    let port = call_site.place.as_ref().and_then(guard::desk_port);
    let disk = Disk::new(call_site.root()).with_desk(port);
    let around = if call_site.root().is_some() {
        call_site.context(&setup, &disk)
    } else {
        let sample = cwd.filter(|cwd| cwd.starts_with('/') && cwd.matches('/').count() > 1);
        Context {
            own_prefix: &setup.own_prefix,
            ..Context::repository(sample.unwrap_or(SAMPLE_ROOT), SAMPLE_HOME)
        }
    };
    let context = Context {
        mode,
        attended: check.attended,
        walled: check.walled(),
        ..around
    };
    (setup.count_in(judge_command(text, &context), text), mode)
}
