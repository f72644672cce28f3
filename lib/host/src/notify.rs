//! Notices sent: to the desktop, to the person's own command or address. Whether is decided in
//! `core::notify`; that one cannot be sent hinders nothing.

use crate::files::{self, Content, FileLock};
use crate::state::Place;
use crate::{clock, config, sight};
use overnight_core::fault::Fault;
use overnight_core::notify::{Kind, Notice, Quiet, Told, curl_config, notice, terminal_sequence};
use overnight_core::report::Clock;
use overnight_core::run::State;
use overnight_core::status::life;
use std::io::Write;
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};
use std::time::Duration;

/// What was told lately, in the state folder.
const TOLD: &str = "told.json";
const TOLD_BYTES_MAX: u64 = 1 << 20;
/// How long another process that is just telling something is waited for.
const PATIENCE: Duration = Duration::from_millis(500);

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
    let seen = sight::seen(place, run, state, 0);
    // Who asks is alive, whatever the journal says of its driver.
    let life = life(state, true, seen.now);
    let clock = Clock(clock::zone());
    let notice = notice(state, life, &seen.questions, &clock)?;
    pass_on(place, &notice, way)
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
    if quiet.is_some_and(|quiet| quiet.holds(clock.minute(now))) || !is_new(place, notice, now)? {
        return Ok(None);
    }
    if settings.desktop && way == Way::Desktop {
        desktop(notice);
    }
    if let Some((program, arguments)) = settings.command.split_first() {
        let body = serde_json::to_string(notice).unwrap_or_default();
        start(Command::new(program).args(arguments), &body);
    }
    if let Some(address) = &settings.webhook {
        let mut curl = Command::new("curl");
        curl.args([
            "--silent",
            "--max-time",
            "20",
            "--proto",
            "=https,http",
            "--config",
            "-",
        ]);
        start(&mut curl, &curl_config(address, notice));
    }
    let through_client = settings.terminal && way == Way::Client;
    Ok(through_client.then(|| terminal_sequence(notice)))
}

/// Was this cause not told lately? Then it counts as told.
fn is_new(place: &Place, notice: &Notice, now: u64) -> Result<bool, Fault> {
    let path = place.state.join(TOLD);
    let Some(_held) = FileLock::acquire(&path.with_extension("lock"), PATIENCE)? else {
        return Ok(false);
    };
    let mut told: Told = match files::read_bounded(&path, TOLD_BYTES_MAX)? {
        Content::Bytes(bytes) => serde_json::from_slice(&bytes).unwrap_or_default(),
        Content::Missing | Content::Refused(_) => Told::default(),
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
    let title = format!("Overnight: {}", notice.kind.name());
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
        start(osascript.args(script).args([&title, &notice.text]), "");
        return;
    }
    let urgent = notice.kind <= Kind::Failed;
    let urgency = if urgent { "critical" } else { "normal" };
    // Its body may hold markup.
    let text = notice
        .text
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
    start(&mut send, "");
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
