//! What is done when a session ends. The hook has 1.2 s: what may take longer is done by a process
//! of its own, which the hook waits for only as long as it has time.

use crate::agent::own_command;
use crate::leases::Leases;
use crate::logs::rotation;
use crate::state::Place;
use crate::{cli, clock, detach, failsafe, files, session};
use overnight_base::code::Code;
use overnight_base::fault::Fault;
use serde_json::json;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::process::{Child, Stdio};
use std::sync::mpsc;
use std::time::Duration;

/// One line for each session that ended, in the state folder.
pub const STATISTICS: &str = "sessions.jsonl";
/// A larger file begins anew; about 5,000 sessions.
const STATISTICS_BYTES_MAX: u64 = 1 << 20;
/// The slow part ends itself when a disk or a remote takes longer than this.
const SLOW_WAIT_MAX: Duration = Duration::from_mins(10);

/// The slow part, under way.
#[derive(Debug)]
pub struct Slow(Child);

/// Starts the slow part: this program again with `--after`, in a terminal session of its own, so
/// that it outlives the client.
pub fn start_slow(folder: &Path, session: &str) -> Result<Slow, Fault> {
    let child = own_command("session-end")?
        .arg(format!("--after={session}"))
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn();
    child.map(Slow).map_err(|error| {
        Fault::new(
            Code::CommandStart,
            format!("cannot start the session's tidying: {error}"),
        )
    })
}

impl Slow {
    /// Waits until the leases are given back, at most this long; gives how many they were.
    pub fn leases_released(mut self, wait_max: Duration) -> Option<u64> {
        let out = self.0.stdout.take()?;
        let (send, told) = mpsc::channel();
        std::thread::spawn(move || {
            let mut line = String::new();
            let _ = BufReader::new(out).read_line(&mut line);
            let _ = send.send(line);
        });
        told.recv_timeout(wait_max).ok()?.trim().parse().ok()
    }
}

/// The slow part itself: gives the session's leases back, says how many on stdout, and rotates the
/// logs.
pub fn slow(place: &Place, folder: &Path, session: &str) -> Result<(), Fault> {
    detach::leave_terminal();
    failsafe::arm(1, SLOW_WAIT_MAX, "")?;
    let sides = Leases::of_session(folder, session).unwrap_or_default();
    let released = |side: &Leases| side.release_own().map_or(0, |tasks| tasks.len());
    let released: usize = sides.iter().map(released).sum();
    cli::print(&format!("{released}\n"))?;
    rotation::rotate(place, clock::wall_ms()).map(drop)
}

/// Appends what is known of the session to the statistics. Where nothing of ours is, nothing is
/// begun.
pub fn count(place: &Place, id: &str, reason: &str, released: Option<u64>) -> Result<(), Fault> {
    if !place.state.is_dir() {
        return Ok(());
    }
    let run = session::armed(place, id)
        .ok()
        .flatten()
        .map(|armed| armed.run);
    let record = json!({"v": 1, "t": clock::wall_ms(), "session": id, "reason": reason, "run": run, "leases_released": released});
    let path = place.state.join(STATISTICS);
    let large =
        std::fs::symlink_metadata(&path).is_ok_and(|about| about.len() > STATISTICS_BYTES_MAX);
    if large {
        let _ = std::fs::rename(&path, path.with_extension("jsonl.old"));
    }
    let opened = std::fs::OpenOptions::new()
        .create(true)
        .append(true)
        .mode(files::PRIVATE)
        .open(&path);
    // One write: two sessions that end at once never mix their lines.
    opened
        .and_then(|mut file| file.write_all(format!("{record}\n").as_bytes()))
        .map_err(|error| Fault::new(Code::FileWrite, format!("{}: {error}", path.display())))
}
