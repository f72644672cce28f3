//! What it costs to see: the summary and the page of 150 tasks, the report of a journal with 100,000 events (time and memory), the status
//! line beside a program that does nothing, and the live view's processor time over a minute:
//! `cargo bench --bench seeing`. With `--quick` the view is watched for ten seconds; a folder with
//! another `overnight` may be named.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    missing_docs,
    dead_code,
    reason = "a benchmark that cannot go on stops; it prints for a person"
)]

#[path = "../tests/browser/large.rs"]
mod large;
#[path = "../tests/browser/night.rs"]
mod night;

use assert_cmd::cargo::cargo_bin;
use night::{EVENTS_EACH, Night};
use overnight_host::clock;
use overnight_host::process::Identity;
use overnight_run::fold;
use overnight_views::status::Seen;
use overnight_views::{report, summary};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use std::fs::{File, OpenOptions};
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

const EVENTS: u32 = 100_000;
const ROUNDS: usize = 60;
const RUN: &str = "20261120-220000-0af3";

fn main() {
    summary();
    let quick = std::env::args().any(|argument| argument == "--quick");
    let large = stage(EVENTS / EVENTS_EACH);
    let journal = large
        .path()
        .join(".overnight/runs")
        .join(RUN)
        .join("journal.jsonl");
    let mib = std::fs::metadata(journal).unwrap().len() / (1 << 20);
    println!("journal of {EVENTS} events: {mib} MiB");
    for arguments in [
        &["report", "--html", "r.html"][..],
        &["report"],
        &["status"],
        &["trace"],
    ] {
        let (time, peak) = measured(large.path(), arguments);
        println!(
            "overnight {:<24} {:>7.0} ms {:>6} MiB",
            arguments.join(" "),
            time.as_secs_f64() * 1e3,
            peak >> 10
        );
    }
    for iterations in [10, 200, 1_000, EVENTS / EVENTS_EACH] {
        status_line(iterations);
    }
    let seconds = if quick { 10 } else { 60 };
    for iterations in [200, EVENTS / EVENTS_EACH] {
        watch(iterations, seconds);
    }
}

/// A night of 150 tasks and 300 iterations: its journal folded and summed up, and its page.
fn summary() {
    let records = large::records(RUN, 1_800_000_000_000);
    let seen = Seen::default();
    let mut times: Vec<Duration> = (0..ROUNDS)
        .map(|_| {
            let began = Instant::now();
            let night = summary::of(&fold(&records), &seen, None);
            assert_eq!(night.total, large::TASKS as usize);
            began.elapsed()
        })
        .collect();
    times.sort();
    let clock = report::Clock(clock::zone());
    let facts = report::Facts::default();
    let page = report::html::render(&report::figures(&records, &seen), &facts, &clock);
    println!(
        "{} tasks, {} iterations: summary {:.1} ms (median of {ROUNDS}), page {} KB",
        large::TASKS,
        large::ITERATIONS,
        times[ROUNDS / 2].as_secs_f64() * 1e3,
        page.len() / 1_000
    );
}

/// A project with one run of so many iterations, whose driver lives: this process.
fn stage(iterations: u32) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let (own, boot) = (Identity::current(), clock::boot_id().unwrap());
    let night = Night {
        run: RUN,
        goal: "# Make the parser keep comments\n",
        tasks: &["parser", "printer", "comments"],
        reason: "tests/comments.rs: a comment before an attribute is lost",
        iterations,
        ended: false,
        driver: (own.pid, own.start, &boot),
    };
    let now = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap()
        .as_millis();
    let place = folder.path().join(".overnight/runs").join(RUN);
    std::fs::create_dir_all(&place).unwrap();
    let text = night::journal(&night, u64::try_from(now).unwrap());
    std::fs::write(place.join("journal.jsonl"), text).unwrap();
    folder
}

fn command(folder: &Path, arguments: &[&str]) -> Command {
    let named = std::env::args()
        .skip(1)
        .find(|argument| !argument.starts_with("--"));
    let program = named.map_or_else(
        || cargo_bin!("overnight").to_owned(),
        |folder| Path::new(&folder).canonicalize().unwrap().join("overnight"),
    );
    let mut command = Command::new(program);
    command
        .args(arguments)
        .current_dir(folder)
        .env("HOME", folder)
        .env("TERM", "xterm-256color");
    command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    command
}

/// A line of `/proc/PID/status`, in KiB.
fn kib(child: &Child, name: &str) -> u64 {
    let text = std::fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix(name));
    line.and_then(|line| line.split_whitespace().nth(1)?.parse().ok())
        .unwrap_or(0)
}

/// Milliseconds of processor time so far (`proc(5)`: fields 14 and 15, in ticks of 10 ms).
fn cpu_ms(child: &Child) -> u64 {
    let text = std::fs::read_to_string(format!("/proc/{}/stat", child.id())).unwrap();
    let fields: Vec<&str> = text.rsplit_once(") ").unwrap().1.split(' ').collect();
    let ticks = |at: usize| fields[at].parse::<u64>().unwrap();
    (ticks(11) + ticks(12)) * 10
}

/// The time and the largest resident memory in KiB of one command.
fn measured(folder: &Path, arguments: &[&str]) -> (Duration, u64) {
    let began = Instant::now();
    let mut child = command(folder, arguments).spawn().unwrap();
    let mut peak = 0;
    loop {
        peak = peak.max(kib(&child, "VmHWM"));
        if child.try_wait().unwrap().is_some() {
            return (began.elapsed(), peak);
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// The status line in turns with a program that does nothing.
fn status_line(iterations: u32) {
    let folder = stage(iterations);
    let input = serde_json::json!({"cwd": folder.path()}).to_string();
    let time = |mut command: Command| {
        let began = Instant::now();
        let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
        let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
        child.wait().unwrap();
        began.elapsed()
    };
    let mut times = [Vec::new(), Vec::new()];
    for _ in 0..ROUNDS {
        times[0].push(time(Command::new("/bin/true")));
        times[1].push(time(command(folder.path(), &["statusline"])));
    }
    let [nothing, line] = times.map(|mut times| {
        times.sort();
        times[times.len() / 2].as_secs_f64() * 1e3
    });
    println!(
        "statusline, {iterations:>6} iterations: {line:.2} ms, a program that does nothing {nothing:.2} ms: {:.2} ms more",
        line - nothing
    );
}

/// The live view on a terminal of its own.
fn watch(iterations: u32, seconds: u64) {
    let folder = stage(iterations);
    let control = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    grantpt(&control).unwrap();
    unlockpt(&control).unwrap();
    let name = ptsname(&control, Vec::new())
        .unwrap()
        .into_string()
        .unwrap();
    let open = || {
        OpenOptions::new()
            .read(true)
            .write(true)
            .open(&name)
            .unwrap()
    };
    let mut child = command(folder.path(), &["watch"])
        .stdin(open())
        .stdout(open())
        .stderr(open())
        .spawn()
        .unwrap();
    let mut reader = File::from(control);
    let drain = std::thread::spawn(move || {
        let (mut bytes, mut buffer) = (0, [0; 4096]);
        while let Ok(count @ 1..) = reader.read(&mut buffer) {
            bytes += count;
        }
        bytes
    });
    // What it costs to begin is not what it costs to watch.
    std::thread::sleep(Duration::from_secs(2));
    let before = cpu_ms(&child);
    std::thread::sleep(Duration::from_secs(seconds));
    let spent = cpu_ms(&child) - before;
    let memory = kib(&child, "VmRSS");
    child.kill().unwrap();
    child.wait().unwrap();
    let bytes = drain.join().unwrap();
    println!(
        "watch, {iterations:>6} iterations: {spent} ms of {seconds} s ({:.2} % of a core), {} MiB, {bytes} bytes written",
        f64::from(u32::try_from(spent).unwrap())
            / f64::from(u32::try_from(seconds).unwrap())
            / 10.0,
        memory >> 10
    );
}
