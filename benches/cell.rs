//! What walls cost, each beside the same without any, alternating: a gate, a shell of the client in its cell (the second
//! wall), and a shell of a session with an armed run: `cargo bench --bench cell`, with `--target` and musl's for the
//! program of the packages.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    missing_docs,
    reason = "a benchmark that cannot go on stops; it prints for a person"
)]

use assert_cmd::cargo::cargo_bin;
use overnight_base::vars;
use overnight_host::cell::{self, Cells, armed};
use overnight_host::{env, git, state};
use overnight_run::cell::{Cell, Mode};
use std::ffi::OsString;
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

// What starts a gate without root's rights is this program: it takes its memory as `overnight` does.
#[cfg(target_env = "musl")]
#[global_allocator]
static ALLOCATOR: dlmalloc::GlobalDlmalloc = dlmalloc::GlobalDlmalloc;

/// Entries in the home folder: what stands beside a hidden file is opened one by one.
const ENTRIES: [u32; 2] = [20, 100];
const ROUNDS: usize = 300;
/// The word behind which the home folder is that of the bench.
const INSIDE: &str = "inside";

fn main() -> ExitCode {
    // As the program itself: without root's rights a process of it takes the walls and goes on as the gate.
    let words: Vec<OsString> = std::env::args_os().collect();
    if let Some(status) = cell::asked(&words) {
        return status;
    }
    measure();
    ExitCode::SUCCESS
}

fn measure() {
    if std::env::args().any(|word| word == INSIDE) {
        return inside();
    }
    for entries in ENTRIES {
        // Not in /tmp, where a cell's own temporary files are.
        let home = tempfile::tempdir_in(env::get(&vars::HOME).unwrap()).unwrap();
        std::fs::create_dir(home.path().join(".claude")).unwrap();
        for number in 0..entries {
            std::fs::create_dir(home.path().join(format!("folder-{number}"))).unwrap();
        }
        println!("{entries} entries in the home folder, medians of {ROUNDS} pairs");
        let own = std::env::current_exe().unwrap();
        let mut own = Command::new(own);
        own.arg(INSIDE)
            .env("HOME", home.path())
            .env_remove("OVERNIGHT_CELL");
        assert!(own.status().unwrap().success());
    }
}

fn inside() {
    let top = Path::new(&env::get(&vars::HOME).unwrap()).join("project");
    std::fs::create_dir(&top).unwrap();
    git::read(&top, &["init", "-q"]).unwrap();
    let place = state::locate(&top).unwrap();
    let say = |text: &str| println!("{text}");
    let cells = Cells::of(Mode::On, &Cell::default(), &place, say).unwrap();
    let cells = cells.unwrap();
    let gate = cells.gate(&top, &[]).unwrap();
    compared("a gate", plain, || {
        let shell = (Command::new("/bin/sh"), "true");
        let quiet = |shell: &mut Command| {
            shell.stdin(Stdio::null());
        };
        let (mut child, _watch) = gate.spawn_line(shell, &[], quiet).unwrap();
        assert!(child.wait().unwrap().success());
    });
    let shell = |walls: &[&str], variable: Option<&str>| {
        let mut shell = Command::new(cargo_bin!("output-filter"));
        shell.arg("shell").args(walls).args(["--", "true"]);
        shell.envs(variable.map(|value| ("OVERNIGHT_CELL", value)));
        assert!(shell.current_dir(&top).status().unwrap().success());
    };
    compared(
        "a shell behind the second wall",
        || shell(&[], None),
        || shell(&[], Some("agent")),
    );
    let run = place.run_folder("bench");
    armed::begin(&place, "bench", (&run, Mode::On), say).unwrap();
    let file = armed::file("bench").unwrap();
    let file = file.to_str().unwrap();
    compared(
        "a shell of a session",
        || shell(&[], None),
        || shell(&["--armed", file], None),
    );
    armed::end("bench");
}

fn plain() {
    let mut shell = Command::new("/bin/sh");
    let status = shell.args(["-c", "true"]).stdin(Stdio::null()).status();
    assert!(status.unwrap().success());
}

/// Prints what both take.
fn compared(what: &str, without: impl Fn(), within: impl Fn()) {
    let took = |work: &dyn Fn()| {
        let began = Instant::now();
        work();
        began.elapsed()
    };
    let (mut all, mut more) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        let (one, other) = (took(&without), took(&within));
        all.push(one);
        more.push(other);
    }
    let (without, within) = (median(&mut all), median(&mut more));
    println!(
        "  {what}: {:.2} ms, within walls {:.2} ms: {:.2} ms more",
        ms(without),
        ms(within),
        ms(within) - ms(without)
    );
}

fn median(all: &mut [Duration]) -> Duration {
    all.sort();
    all[all.len() / 2]
}

fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}
