//! Each channel tried, and what came back.

use super::{CURL, desktop_command, posts, project};
use crate::state::Place;
use crate::{config, git};
use overnight_base::fault::Fault;
use overnight_views::notify::{curl_config, trial};
use overnight_views::summary::clean;
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};
use std::time::Duration;

/// How long a channel may take.
const WAIT_MAX: Duration = Duration::from_secs(30);

/// One channel's answer.
#[derive(Debug)]
pub struct Answer {
    /// The channel's name.
    pub channel: &'static str,
    /// Did it take the notice?
    pub ok: bool,
    /// What came back, in a line; never an address or a token.
    pub said: String,
}

/// Sends a notice by every channel that is set, and waits for each.
pub fn all(place: &Place) -> Vec<Answer> {
    let settings = config::load(Some(place)).settings.notify;
    let notice = trial(&project(place));
    let mut answers = Vec::new();
    if settings.desktop {
        answers.push(answer("desktop", tried(&mut desktop_command(&notice), "")));
    }
    if let Some((program, arguments)) = settings.command.split_first() {
        let body = serde_json::to_string(&notice).unwrap_or_default();
        let mut command = Command::new(program);
        answers.push(answer("command", tried(command.args(arguments), &body)));
    }
    for post in posts(&settings) {
        answers.push(posted(post.name(), &curl_config(post, &notice)));
    }
    answers
}

fn posted(channel: &'static str, config: &str) -> Answer {
    let mut curl = Command::new("curl");
    curl.args(CURL)
        .args(["--output", "/dev/null", "--write-out", "%{http_code}"]);
    match tried(&mut curl, config) {
        Ok((true, out)) => {
            let ok = out.trim().starts_with('2');
            let said = format!("HTTP {}", clean(&out));
            Answer { channel, ok, said }
        }
        other => answer(channel, other.map(|(ok, _)| (ok, String::new()))),
    }
}

fn answer(channel: &'static str, tried: Result<(bool, String), String>) -> Answer {
    let (ok, said) = match tried {
        Ok((true, _)) => (true, "sent".to_owned()),
        Ok((false, said)) => (false, format!("failed {said}").trim().to_owned()),
        Err(why) => (false, why),
    };
    Answer { channel, ok, said }
}

/// Runs it to its end: did it exit with 0, and what did it print?
fn tried(command: &mut Command, input: &str) -> Result<(bool, String), String> {
    command.process_group(0).stdin(Stdio::null());
    let program = command.get_program().to_string_lossy().into_owned();
    let done = git::output_within(command, input.as_bytes(), WAIT_MAX);
    let done = done.map_err(|fault: Fault| {
        let cannot = format!("{program} cannot be run");
        if fault.reason.contains("did not finish") {
            format!("{program} did not answer in time")
        } else {
            cannot
        }
    })?;
    let out = String::from_utf8_lossy(&done.stdout).into_owned();
    let said = if done.ok() { out } else { clean(&done.stderr) };
    Ok((done.ok(), said))
}
