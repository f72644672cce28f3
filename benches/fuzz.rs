//! `cargo bench --bench fuzz -- SECONDS [SEED]`: mutated and spliced captures of real tools through redaction
//! and digest, until the time is over or something does not hold.
//!
//! What must hold of every output: no panic; the same digest however the output is cut into chunks;
//! at most 50 lines and 8,000 bytes, and no more than the output had; what failed never reads
//! green; an output eight times as long takes about eight times as long. An output for which it does
//! not is kept in `target/fuzz/`.
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    missing_docs,
    reason = "a trial that prints for a person"
)]

use overnight_digest::{BYTES_MAX, Digester, End, Frame, LINES_MAX, Options};
use overnight_redact::{Redactor, redact};
use std::fs;
use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// Longer outputs only repeat what shorter ones show.
const BYTES: usize = 200_000;
/// The redactor works longer lines off in pieces, which depend on the chunks.
const LINE_HELD: usize = 64 * 1024;
/// How often the time is compared with that of a longer output.
const TIMED_EVERY: u64 = 100;
/// Eight times as long may take so many times as long: caches are part of it.
const GROWTH_MAX: u32 = 24;
/// A busy machine stops a measurement at times, but not each of so many.
const ATTEMPTS: u32 = 30;
/// Shorter times are those of the machine.
const LEAST: Duration = Duration::from_millis(1);

/// What no tool prints by itself, or what tools print at the worst places.
const ODD: &[&[u8]] = &[
    b"\0",
    b"\xff\xfe",
    b"\x1b[31m",
    b"\x1b[",
    b"\x1b]8;;",
    b"\r",
    b"\r\n",
    b"\n\n\n",
    b"\x08\x08",
    "日本語✗×│─".as_bytes(),
    b"99999999999999999999999",
    b"0 passed, 1 failed\n",
    b"12 passed in 0.10s\n",
    b"test result: ok. 3 passed; 0 failed; 0 ignored\n",
    b"core:test: ",
    b"[api] ",
    b"web-1  | ",
    b"2026-01-01T00:00:00.0000000Z ",
    b"PASSWORD=hunter2hunter2 ",
    b"-----BEGIN PRIVATE KEY-----\n",
    b"======== FAILURES ========\n",
    b"failures:\n",
    b"((((((((((((((((((((((((",
    b":::::::::::::::::::::::",
    b"a.c:1:2: error: x\n",
];

/// Steele, Lea, Flood: "Fast splittable pseudorandom number generators" (2014), `SplitMix64`.
struct Dice(u64);

impl Dice {
    fn throw(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `end`; 0 when there is none.
    fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.throw() % end.max(1) as u64).unwrap_or_default()
    }
}

fn main() -> ExitCode {
    let words = std::env::args().skip(1).filter(|word| word != "--bench");
    let numbers: Result<Vec<u64>, _> = words.map(|word| word.parse()).collect();
    let outcome = match numbers.as_deref() {
        Ok([seconds]) => run(Duration::from_secs(*seconds), 0),
        Ok([seconds, seed]) => run(Duration::from_secs(*seconds), *seed),
        _ => {
            eprintln!("usage: cargo bench --bench fuzz -- SECONDS [SEED]");
            return ExitCode::from(64);
        }
    };
    outcome.unwrap_or_else(|error| {
        eprintln!("error: {error}");
        ExitCode::FAILURE
    })
}

fn run(budget: Duration, seed: u64) -> std::io::Result<ExitCode> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let cases = root.join("tests/cases/output-filter");
    let mut captures = Vec::new();
    let sets = fs::read_dir(cases)?.map(|set| set.map(|set| set.path()));
    let mut sets = sets.collect::<std::io::Result<Vec<_>>>()?;
    // A seed means the same wherever it is tried.
    sets.sort();
    for set in sets {
        captures.extend(read(&set)?);
    }
    let started = Instant::now();
    let (mut outputs, mut bytes) = (0_u64, 0_u64);
    while started.elapsed() < budget {
        let mut dice = Dice(seed.wrapping_add(outputs));
        let output = output(&captures, &mut dice);
        let timed = outputs.is_multiple_of(TIMED_EVERY);
        let held = std::panic::catch_unwind(|| check(&output, Dice(dice.0), timed));
        let fault = held.unwrap_or_else(|_| Err("a panic".to_owned()));
        if let Err(fault) = fault {
            let kept = root.join("target/fuzz");
            fs::create_dir_all(&kept)?;
            let kept = kept.join(format!("{}.txt", seed.wrapping_add(outputs)));
            fs::write(&kept, &output)?;
            eprintln!("{fault}; the output is {}", kept.display());
            return Ok(ExitCode::FAILURE);
        }
        outputs += 1;
        bytes += output.len() as u64;
    }
    println!("{outputs} outputs, {bytes} bytes, from seed {seed}: everything holds");
    Ok(ExitCode::SUCCESS)
}

fn read(folder: &Path) -> std::io::Result<Vec<Vec<u8>>> {
    let mut paths = fs::read_dir(folder)?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<std::io::Result<Vec<_>>>()?;
    paths.retain(|path| path.extension().is_some_and(|end| end == "txt"));
    paths.sort();
    let captures = paths.iter().map(fs::read);
    let said =
        |capture: &std::io::Result<Vec<u8>>| !matches!(capture, Ok(bytes) if bytes.is_empty());
    captures.filter(said).collect()
}

/// Pieces of captures, one after the other, with mutations.
fn output(captures: &[Vec<u8>], dice: &mut Dice) -> Vec<u8> {
    let mut output = Vec::new();
    for _ in 0..=dice.below(3) {
        let capture = &captures[dice.below(captures.len())];
        let lines: Vec<&[u8]> = capture.split_inclusive(|byte| *byte == b'\n').collect();
        let first = dice.below(2) * dice.below(lines.len());
        let count = 1 + dice.below(lines.len() - first);
        output.extend(lines[first..first + count].concat());
    }
    output.truncate(BYTES);
    for _ in 0..dice.below(12) {
        mutate(&mut output, dice);
    }
    output
}

fn mutate(output: &mut Vec<u8>, dice: &mut Dice) {
    let at = dice.below(output.len() + 1);
    let end = (at + dice.below(300)).min(output.len());
    match dice.below(7) {
        0 => {
            let odd = ODD[dice.below(ODD.len())].repeat(1 + dice.below(2) * dice.below(200));
            output.splice(at..at, odd);
        }
        1 => drop(output.drain(at..end)),
        2 => {
            let again = output[at..end].repeat(1 + dice.below(50));
            output.splice(at..at, again);
        }
        3 => {
            for byte in &mut output[at..end] {
                if dice.below(8) == 0 {
                    *byte = dice.throw().to_le_bytes()[0];
                }
            }
        }
        4 => {
            let part: Vec<u8> = output.drain(at..end).collect();
            let to = dice.below(output.len() + 1);
            output.splice(to..to, part);
        }
        5 => {
            let byte = dice.throw().to_le_bytes()[0];
            output.splice(at..at, vec![byte; dice.below(40_000)]);
        }
        _ => {
            for byte in &mut output[at..end] {
                if byte.is_ascii_digit() {
                    *byte = b'0' + dice.throw().to_le_bytes()[0] % 10;
                }
            }
        }
    }
}

/// What does not hold of this output.
fn check(output: &[u8], mut dice: Dice, timed: bool) -> Result<(), String> {
    let end = [End::Exit(1), End::Signal(9), End::Unknown, End::Exit(0)][dice.below(4)];
    let cuts: Vec<usize> = (0..=dice.below(7)).map(|_| 1 + dice.below(9_000)).collect();
    let text = digest(output, &[usize::MAX], end)?;
    if text != digest(output, &cuts, end)? {
        return Err(format!("another digest in chunks of {cuts:?}"));
    }
    let lengths = output.split(|byte| *byte == b'\n').map(<[u8]>::len);
    if lengths.max().unwrap_or_default() < LINE_HELD {
        redacts_alike(output, &cuts)?;
    }
    if timed && grows(output) {
        return Err("more than linear time".to_owned());
    }
    Ok(())
}

/// However the output is cut into chunks, the same is left of it.
fn redacts_alike(output: &[u8], cuts: &[usize]) -> Result<(), String> {
    let (whole, _) = redact(output);
    let (mut redactor, mut parts) = (Redactor::new(), Vec::new());
    chunks(output, cuts, |chunk| redactor.push(chunk, &mut parts));
    redactor.finish(&mut parts);
    if whole != parts {
        return Err(format!("redacted otherwise in chunks of {cuts:?}"));
    }
    Ok(())
}

/// The digest as text, whose limits are checked.
fn digest(output: &[u8], cuts: &[usize], end: End) -> Result<String, String> {
    let mut digester = Digester::new(Options::default());
    chunks(output, cuts, |chunk| digester.push(chunk));
    let digest = digester.finish(end, None);
    let frame = Frame {
        log: Some("logs/test_20261120-162331_ab12cd.log"),
        ..Frame::default()
    };
    let text = digest.render(&frame);
    if let Some(raw) = digest.passthrough() {
        return if raw == output {
            Ok(text)
        } else {
            Err("a small output is not passed on as it is".to_owned())
        };
    }
    let room = output.len().min(BYTES_MAX);
    if text.lines().count() > LINES_MAX || text.len() > room {
        return Err(format!("too long: {} bytes", text.len()));
    }
    if digest.is_failure() && !text.starts_with("FAILED") {
        return Err(format!("reads green: {text}"));
    }
    Ok(text)
}

fn chunks<'o>(output: &'o [u8], cuts: &[usize], mut take: impl FnMut(&'o [u8])) {
    let mut rest = output;
    for cut in cuts.iter().cycle() {
        let (chunk, after) = rest.split_at(rest.len().min(*cut));
        take(chunk);
        rest = after;
        if rest.is_empty() {
            return;
        }
    }
}

/// Whether eight times the output takes much more than eight times as long, however often it is
/// measured.
fn grows(output: &[u8]) -> bool {
    let longer = output.repeat(8);
    (0..ATTEMPTS).all(|_| time(&longer) > GROWTH_MAX * time(output).max(LEAST))
}

/// How long redaction and digest take.
fn time(output: &[u8]) -> Duration {
    let started = Instant::now();
    let mut digester = Digester::new(Options::default());
    digester.push(&redact(output).0);
    digester.finish(End::Exit(1), None);
    started.elapsed()
}
