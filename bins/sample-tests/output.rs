//! What `sample-tests` prints and writes.

use super::options::{Listed, Options};
use overnight_base::code::Code;
use overnight_base::fault::Fault;
use overnight_host::files::{PRIVATE, SHARED, write_atomic};
use overnight_host::{cli, state};
use overnight_sample::draw::Draw;
use overnight_sample::emit::{self, Emit, Emitted};
use overnight_sample::plan::Plan;
use overnight_sample::ring::hex;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::path::Path;

/// Files first, so that a result on stdout means that everything else is there.
pub(crate) fn print(drawn: &Draw<'_>, options: &Options, listed: &Listed) -> Result<(), Fault> {
    let end = if listed.null { '\0' } else { '\n' };
    let chosen = drawn.chosen();
    if let Some(path) = &listed.rest {
        write_atomic(path, joined(&drawn.rest(), end).as_bytes(), SHARED)?;
    }
    write_plan(&drawn.plan, options)?;
    let how = if listed.json {
        Emit::Json
    } else {
        listed.emit.into()
    };
    let text = match how {
        Emit::Json => {
            let plan = plan_json(&drawn.plan)?;
            format!("{}\n", json!({"sample": chosen, "plan": plan}))
        }
        Emit::Ids => joined(&chosen, end),
        how => match emit::emit(&chosen, how)? {
            Emitted::Lines(text) => text,
            Emitted::File {
                prefix,
                ending,
                content,
            } => {
                let path = write_arguments(&content, ending)?;
                format!("{prefix}{path}\n")
            }
        },
    };
    cli::note(&drawn.plan.line());
    cli::print(&text)
}

/// Writes the plan where `--plan` says.
pub(crate) fn write_plan(plan: &Plan, options: &Options) -> Result<(), Fault> {
    match &options.plan {
        Some(path) => {
            let text = format!("{}\n", plan_json(plan)?);
            write_atomic(path, text.as_bytes(), SHARED)
        }
        None => Ok(()),
    }
}

fn plan_json(plan: &Plan) -> Result<Value, Fault> {
    serde_json::to_value(plan).map_err(|error| Fault::new(Code::Defect, error.to_string()))
}

fn joined(ids: &[&str], end: char) -> String {
    let mut text = String::with_capacity(ids.iter().map(|id| id.len() + 1).sum());
    for id in ids {
        text.push_str(id);
        text.push(end);
    }
    text
}

/// Keeps arguments that no command line holds in the state folder, under the hash of their text:
/// the same sample is the same file.
fn write_arguments(content: &str, ending: &str) -> Result<String, Fault> {
    let place = state::locate(Path::new("."))?;
    let name = hex(&Sha256::digest(content.as_bytes())[..8]);
    let path = place.state.join(format!("tests/arguments/{name}.{ending}"));
    write_atomic(&path, content.as_bytes(), PRIVATE)?;
    path.to_str().map(str::to_owned).ok_or_else(|| {
        let reason = format!("{} is no UTF-8", path.display());
        Fault::new(Code::InputPath, reason)
    })
}
