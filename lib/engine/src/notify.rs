//! Notices sent: to the desktop, to the person's own command or addresses. Whether is decided in
//! `core::notify`; that one cannot be sent hinders nothing.

mod answers;
mod held;
pub mod trial;

use crate::files::{self, Content, FileLock};
use crate::state::Place;
use crate::{clock, config, sight};
use overnight_base::fault::Fault;
use overnight_run::State;
use overnight_views::config::settings;
use overnight_views::notify::{
    Kind, Notice, Post, Quiet, SentLog, curl_config, notices, terminal_sequence,
};
use overnight_views::report::Clock;
use std::io::Write;
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};
use std::time::Duration;

pub use answers::Listener;
pub use held::wait_and_send;

/// What was told, in the state folder.
const TOLD: &str = "told.json";
const TOLD_BYTES_MAX: u64 = 1 << 20;
/// How long another process that is just telling something is waited for.
const WAIT_MAX: Duration = Duration::from_millis(500);
/// What `curl` is called with; the rest comes through its standard input.
const CURL: [&str; 7] = [
    "--silent",
    "--max-time",
    "20",
    "--proto",
    "=https,http",
    "--config",
    "-",
];

/// Where the person may be reached besides their own command and address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// On the desktop.
    Desktop,
    /// In the terminal of the client, which passes the sequence on.
    Client,
}

/// Tells what there is to tell of a run now; gives the sequence for the client's terminal, if that
/// is the way.
pub fn tell(place: &Place, run: &str, state: &State, way: Way) -> Option<String> {
    let mut seen = sight::seen(place, run, state, 0);
    // Who asks is alive, whatever the journal says of its driver.
    seen.alive = true;
    let summary = sight::summary(place, state, &seen);
    let clock = Clock(clock::zone());
    let mut sequence = None;
    for notice in notices(state, &summary, &project(place), &clock) {
        sequence = sequence.or(pass_on(place, &notice, way));
    }
    sequence
}

/// The project's name: that of its folder.
pub fn project(place: &Place) -> String {
    let name = place.top.file_name();
    name.map_or_else(String::new, |name| name.to_string_lossy().into_owned())
}

/// Passes a notice on, unless it is kept back; gives the sequence for the client's terminal, if that
/// is the way.
pub fn pass_on(place: &Place, notice: &Notice, way: Way) -> Option<String> {
    try_pass_on(place, notice, way).unwrap_or_else(|fault| {
        crate::cli::note(&format!("no notification: {}", fault.reason));
        None
    })
}

fn try_pass_on(place: &Place, notice: &Notice, way: Way) -> Result<Option<String>, Fault> {
    let (now, clock) = (clock::wall_ms(), Clock(clock::zone()));
    let settings = config::load(Some(place)).settings.notify;
    let quiet = settings.quiet.as_deref().and_then(Quiet::parse);
    let minute = clock.minute(now);
    if let Some(quiet) = quiet.filter(|quiet| quiet.holds(minute)) {
        held::keep(place, notice, now, quiet.left(minute))?;
        return Ok(None);
    }
    held::send(place, &settings)?;
    if !is_new(place, notice, now)? {
        return Ok(None);
    }
    send(&settings, notice, way);
    answers::post(place, notice)?;
    let through_client = settings.terminal && way == Way::Client;
    Ok(through_client.then(|| terminal_sequence(notice)))
}

/// Sends it by every channel that is set.
fn send(settings: &settings::Notify, notice: &Notice, way: Way) {
    if settings.desktop && way == Way::Desktop {
        desktop(notice);
    }
    if let Some((program, arguments)) = settings.command.split_first() {
        let body = serde_json::to_string(notice).unwrap_or_default();
        start(Command::new(program).args(arguments), &body);
    }
    for post in posts(settings) {
        let mut curl = Command::new("curl");
        curl.args(CURL);
        start(&mut curl, &curl_config(post, notice));
    }
}

/// The addresses that notices are posted to.
fn posts(settings: &settings::Notify) -> impl Iterator<Item = Post<'_>> {
    let token = settings.ntfy_token.as_deref();
    let webhook = settings.webhook.as_deref().map(Post::Webhook);
    let ntfy = settings
        .ntfy
        .as_deref()
        .map(|topic| Post::Ntfy(topic, token));
    let slack = settings.slack.as_deref().map(Post::Slack);
    [webhook, ntfy, slack].into_iter().flatten()
}

/// Was it not told yet? Then it counts as told.
fn is_new(place: &Place, notice: &Notice, now: u64) -> Result<bool, Fault> {
    let path = place.state.join(TOLD);
    let Some(_held) = FileLock::acquire(&path.with_extension("lock"), WAIT_MAX)? else {
        return Ok(false);
    };
    let mut told: SentLog = match files::read_bounded(&path, TOLD_BYTES_MAX)? {
        Content::Bytes(bytes) => serde_json::from_slice(&bytes).unwrap_or_default(),
        Content::Missing | Content::Refused(_) => SentLog::default(),
    };
    let new = told.take(notice, now);
    if new {
        let bytes = serde_json::to_vec(&told).unwrap_or_default();
        files::write_atomic(&path, &bytes, files::PRIVATE)?;
    }
    Ok(new)
}

/// By arguments, never through a shell or a script's text.
fn desktop(notice: &Notice) {
    start(&mut desktop_command(notice), "");
}

fn desktop_command(notice: &Notice) -> Command {
    let (title, body) = (notice.title(), notice.body());
    if cfg!(target_os = "macos") {
        let script = [
            "-e",
            "on run argv",
            "-e",
            "display notification (item 2 of argv) with title (item 1 of argv)",
            "-e",
            "end run",
        ];
        let mut osascript = Command::new("osascript");
        osascript.args(script).args([&title, &body]);
        return osascript;
    }
    let urgent = notice.kind <= Kind::Failed;
    let urgency = if urgent { "critical" } else { "normal" };
    // Its body may hold markup.
    let text = body
        .replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;");
    let mut send = Command::new("notify-send");
    send.args([
        "--app-name=Overnight",
        "--urgency",
        urgency,
        "--",
        &title,
        &text,
    ]);
    send
}

/// Starts it in a group of its own and leaves it alone; a program that is not there is no fault.
fn start(command: &mut Command, input: &str) {
    let stdin = if input.is_empty() {
        Stdio::null()
    } else {
        Stdio::piped()
    };
    let started = command
        .stdin(stdin)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .process_group(0)
        .spawn();
    let Ok(mut child) = started else { return };
    if let Some(mut stdin) = child.stdin.take() {
        // A kilobyte or two: the pipe takes it at once.
        let _ = stdin.write_all(input.as_bytes());
    }
    // Its end is collected while this process lives; nobody waits for it.
    std::thread::spawn(move || child.wait());
}
