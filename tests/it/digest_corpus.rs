//! Real outputs of some hundred tools: what a digest must keep of each, measured.
//!
//! `cargo test --test it digest_corpus -- --nocapture` prints a line per output and the sums.

#![expect(
    clippy::print_stdout,
    reason = "the scores are for whoever asks with --nocapture"
)]

use std::path::{Path, PathBuf};

use overnight_digest::{BYTES_MAX, Digest, Digester, End, Frame, LINES_MAX, Options};
use serde::Deserialize;

/// The failing tests and the lines that a digest is asked for at least.
const NAMES_ASKED: usize = 30;
const LINES_ASKED: usize = 40;

const LOG: &str = "logs/test_20261120-162331_ab12cd.log";

#[derive(Deserialize)]
pub(crate) struct Capture {
    pub(crate) id: String,
    pub(crate) exit_code: i32,
    counts: serde_json::Map<String, serde_json::Value>,
    failed_tests: Vec<Vec<String>>,
    must_survive: Vec<String>,
}

#[derive(Default)]
struct Score {
    names: (usize, usize),
    all_names: (usize, usize),
    lines: (usize, usize),
    counts: (usize, usize),
    bytes: (usize, usize),
    /// The same of the further outputs (`more-…`), which are small: there is less to save.
    further: (usize, usize),
    amiss: Vec<String>,
    faults: Vec<String>,
}

fn folder(set: &str) -> PathBuf {
    let cases = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases/output-filter");
    cases.join(set)
}

/// The captures that the rules were written by.
pub(crate) const KNOWN: &str = "captures";
/// Captures whose labels others wrote, who had not seen the rules. Each is kept because it reaches a rule, or a
/// branch of the code, that no other one reaches.
pub(crate) const UNSEEN: &str = "unseen";

/// What is amiss in the digests of captures, an item a line. The list may only shrink.
const AMISS: &str = include_str!("../cases/digest-amiss.txt");

pub(crate) fn captures(set: &str) -> Vec<(Capture, Vec<u8>)> {
    let folder = folder(set);
    let index = std::fs::read_to_string(folder.join("index.jsonl")).unwrap();
    index
        .lines()
        .map(|line| {
            let capture: Capture = serde_json::from_str(line).unwrap();
            let bytes = std::fs::read(folder.join(format!("{}.txt", capture.id))).unwrap();
            (capture, bytes)
        })
        .collect()
}

fn all() -> impl Iterator<Item = (Capture, Vec<u8>)> {
    [KNOWN, UNSEEN].into_iter().flat_map(captures)
}

pub(crate) fn digest(bytes: &[u8], exit: i32, chunk: usize) -> Digest {
    let mut digester = Digester::new(Options::default());
    for part in bytes.chunks(chunk) {
        digester.push(part);
    }
    digester.finish(End::Exit(exit), None)
}

/// What the caller prints: the output itself when it is small, else the digest.
fn printed(digest: &Digest) -> Vec<u8> {
    let frame = Frame {
        log: Some(LOG),
        ..Frame::default()
    };
    digest
        .passthrough()
        .map_or_else(|| digest.render(&frame).into_bytes(), <[u8]>::to_vec)
}

/// The number that the headline states for this category of the index.
fn stated(digest: &Digest, category: &str) -> Option<u64> {
    use overnight_digest::Category as C;
    let category = match category {
        "passed" => C::Passed,
        "failed" => C::Failed,
        "errors" => C::Errors,
        "skipped" => C::Skipped,
        "ignored" => C::Ignored,
        "pending" => C::Pending,
        "todo" => C::Todo,
        "xfailed" => C::Xfailed,
        "deselected" => C::Deselected,
        "cancelled" => C::Cancelled,
        "warnings" => C::Warnings,
        "problems" => C::Problems,
        "total" | "tests" => C::Total,
        "suites" => C::Suites,
        "suites_failed" => C::SuitesFailed,
        "suites_passed" => C::SuitesPassed,
        _ => return None,
    };
    // With several tools in one output, the index speaks of the first.
    let first = digest.results.first().map(|(_, counts)| counts);
    first.unwrap_or(&digest.counts).get(category)
}

fn judge(capture: &Capture, bytes: &[u8], score: &mut Score) {
    let digest = digest(bytes, capture.exit_code, 4_096);
    let out = printed(&digest);
    let text = String::from_utf8_lossy(&out);
    let through = digest.passthrough().is_some();
    let sum = if capture.id.starts_with("more-") {
        &mut score.further
    } else {
        &mut score.bytes
    };
    sum.0 += bytes.len();
    sum.1 += out.len();
    let is_named = |forms: &&Vec<String>| forms.iter().any(|form| text.contains(form));
    let mut amiss = |what: &str| score.amiss.push(format!("{}: {what}", capture.id));
    let mut found = 0;
    for forms in capture.failed_tests.iter().take(NAMES_ASKED) {
        if is_named(&forms) {
            found += 1;
        } else {
            amiss(&format!("test {}", forms.join(" | ")));
        }
    }
    let asked: Vec<&String> = capture.must_survive.iter().take(LINES_ASKED).collect();
    // Colours stand between the words of small outputs, which pass through as they are.
    let mut survived = 0;
    for line in &asked {
        if through || text.contains(line.as_str()) {
            survived += 1;
        } else {
            amiss(&format!("line {line}"));
        }
    }
    score.names.0 += found;
    score.names.1 += capture.failed_tests.len().min(NAMES_ASKED);
    score.all_names.0 += capture.failed_tests.iter().filter(is_named).count();
    score.all_names.1 += capture.failed_tests.len();
    score.lines.0 += survived;
    score.lines.1 += asked.len();
    if !through {
        budget(capture, &out, bytes, score);
        count(capture, &digest, score);
    }
    println!(
        "{:<42} {:>7} -> {:>5} bytes, {:>2} lines, names {found}, lines {survived}/{}",
        capture.id,
        bytes.len(),
        out.len(),
        text.lines().count(),
        asked.len()
    );
}

fn budget(capture: &Capture, out: &[u8], bytes: &[u8], score: &mut Score) {
    let text = String::from_utf8_lossy(out);
    let mut fault = |what: &str| score.faults.push(format!("{}: {what}", capture.id));
    if text.lines().count() > LINES_MAX || out.len() > BYTES_MAX || out.len() > bytes.len() {
        fault("over the limit");
    }
    if capture.exit_code != 0 && !text.starts_with("FAILED") {
        fault("reads green");
    }
    if !text.contains(LOG) {
        fault("no log");
    }
}

fn count(capture: &Capture, digest: &Digest, score: &mut Score) {
    for (category, expected) in &capture.counts {
        let accepted: Vec<u64> = match expected {
            serde_json::Value::Array(all) => {
                all.iter().filter_map(serde_json::Value::as_u64).collect()
            }
            one => one.as_u64().into_iter().collect(),
        };
        score.counts.1 += 1;
        match stated(digest, category) {
            Some(number) if accepted.contains(&number) => score.counts.0 += 1,
            Some(number) => score.faults.push(format!(
                "{}: {category} {number} instead of {accepted:?}",
                capture.id
            )),
            None => (score.amiss).push(format!("{}: no number {category}", capture.id)),
        }
    }
}

fn percent_saved((before, after): (usize, usize)) -> usize {
    100 - 100 * after / before.max(1)
}

/// What the digests of a set of captures keep.
fn scored(set: &str) -> Score {
    let mut score = Score::default();
    for (capture, bytes) in captures(set) {
        judge(&capture, &bytes, &mut score);
    }
    println!(
        "{set}: first names {}/{}, all names {}/{}, lines {}/{}, counts {}/{}, saved {} %, of the further ones {} %",
        score.names.0,
        score.names.1,
        score.all_names.0,
        score.all_names.1,
        score.lines.0,
        score.lines.1,
        score.counts.0,
        score.counts.1,
        percent_saved(score.bytes),
        percent_saved(score.further)
    );
    assert_eq!(score.faults, Vec::<String>::new());
    score
}

#[test]
fn nothing_that_matters_is_lost_but_what_is_listed() {
    let (known, unseen) = (scored(KNOWN), scored(UNSEEN));
    let mut amiss = [known.amiss, unseen.amiss].concat();
    amiss.sort();
    let listed: Vec<&str> = AMISS.lines().collect();
    assert_eq!(amiss, listed, "tests/cases/digest-amiss.txt");
    let saved = percent_saved(known.bytes);
    assert!(saved >= 83, "{saved} %");
    // Small ones, whose failing tests fill the page.
    let saved = percent_saved(known.further);
    assert!(saved >= 67, "{saved} %");
}

#[test]
fn chunk_borders_mean_nothing() {
    for (capture, bytes) in all().step_by(6) {
        // Tiny chunks of the largest outputs would only repeat the same at length.
        let bytes = &bytes[..bytes.len().min(40_000)];
        let whole = digest(bytes, capture.exit_code, usize::MAX >> 1);
        for chunk in [1, 7, 1_000] {
            let parts = digest(bytes, capture.exit_code, chunk);
            assert_eq!(
                printed(&whole),
                printed(&parts),
                "{} in chunks of {chunk}",
                capture.id
            );
        }
    }
}

#[test]
fn what_was_looked_through_ahead_is_read_the_same() {
    for (capture, bytes) in all().step_by(5) {
        let plain = digest(&bytes, capture.exit_code, 1_000);
        let mut digester = Digester::new(Options::default());
        let scanner = digester.scanner();
        for part in bytes.chunks(1_000) {
            digester.push_scanned(&scanner.scan(part.to_vec()));
        }
        let ahead = digester.finish(End::Exit(capture.exit_code), None);
        assert_eq!(printed(&plain), printed(&ahead), "{}", capture.id);
    }
}

#[test]
fn windows_line_ends_and_colours_change_nothing_that_counts() {
    for (capture, bytes) in all().step_by(4) {
        let plain = digest(&bytes, capture.exit_code, 4_096);
        let text = bytes.split(|byte| *byte == b'\n').collect::<Vec<_>>();
        let painted = text.join(&b"\x1b[0m\r\n"[..]);
        let painted = digest(&painted, capture.exit_code, 4_096);
        let names = |digest: &Digest| -> Vec<String> {
            digest
                .failures
                .iter()
                .map(|failure| failure.name.clone())
                .collect()
        };
        assert_eq!(names(&plain), names(&painted), "{}", capture.id);
        assert_eq!(plain.counts, painted.counts, "{}", capture.id);
    }
}
