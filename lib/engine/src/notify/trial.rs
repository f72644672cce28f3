//! Each channel tried, and what came back.

use super::{CURL, desktop_command, posts, project};
use crate::config;
use crate::git::{self, Output};
use crate::state::Place;
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
    let (ok, said) = match tried(&mut curl, config) {
        Ok(done) if done.ok() => {
            let code = String::from_utf8_lossy(&done.stdout);
            (
                code.trim().starts_with('2'),
                format!("HTTP {}", clean(&code)),
            )
        }
        Ok(done) => (false, unreached(done.status)),
        Err(why) => (false, why),
    };
    Answer { channel, ok, said }
}

/// Why `curl` came to no answer, by its exit status: what it prints may name the address.
fn unreached(status: Option<i32>) -> String {
    let why = match status {
        Some(3) => "the address is none",
        Some(5 | 6) => "its host is not known",
        Some(7) => "nobody answers there",
        None | Some(28) => "no answer in time",
        Some(35 | 58 | 60) => "its certificate is not trusted",
        Some(other) => return format!("failed: curl ended with {other}"),
    };
    format!("failed: {why}")
}

fn answer(channel: &'static str, tried: Result<Output, String>) -> Answer {
    let (ok, said) = match tried {
        Ok(done) if done.ok() => (true, "sent".to_owned()),
        Ok(done) => (
            false,
            format!("failed {}", clean(&done.stderr)).trim().to_owned(),
        ),
        Err(why) => (false, why),
    };
    Answer { channel, ok, said }
}

/// Runs it to its end, for as long as a channel may take.
fn tried(command: &mut Command, input: &str) -> Result<Output, String> {
    command.process_group(0).stdin(Stdio::null());
    let program = command.get_program().to_string_lossy().into_owned();
    let done = git::output_within(command, input.as_bytes(), WAIT_MAX);
    done.map_err(|_| format!("{program} cannot be run"))
}
