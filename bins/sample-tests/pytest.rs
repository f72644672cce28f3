//! pytest: a plugin selects in pytest's own single collection; where collecting costs more than
//! the tests, whole files are drawn before it, so that the others are not even imported.

use super::output;
use super::run::{Run, known_with, nanos_since, path_in};
use overnight_base::code::Code;
use overnight_base::exit::Exit;
use overnight_base::fault::Fault;
use overnight_host::agent::own_words;
use overnight_host::files::{PRIVATE, create_private_folder, write_atomic};
use overnight_host::{cli, clock};
use overnight_sample::draw::{Request, draw};
use overnight_sample::durations;
use overnight_sample::mode;
use overnight_sample::outcomes::Outcomes;
use overnight_sample::ring::List;
use overnight_sample::unit::Unit;
use overnight_tools::sample::files::{self, Globs};
use overnight_tools::sample::kept::Kept;
use overnight_tools::sample::runners;
use serde_json::{Value, json};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// The plugin, as it is written into the state folder.
const PLUGIN: &str = include_str!("overnight_sample.py");
/// Its module's name.
const MODULE: &str = "overnight_sample";

pub(crate) fn run(run: &Run, kept: &Kept) -> Result<Exit, Fault> {
    let request = run.options.request()?;
    let drawn_files = drawn_files(run, &request, kept)?;
    let by_plugin = drawn_files.is_none();
    create_private_folder(kept.folder())?;
    let plugin = kept.folder().join(format!("{MODULE}.py"));
    write_atomic(&plugin, PLUGIN.as_bytes(), PRIVATE)?;
    let (settings, record) = (path_in(kept, "settings")?, path_in(kept, "record")?);
    let command = if by_plugin {
        sampler(run, &request, kept)?
    } else {
        Vec::new()
    };
    let text = json!({"command": command, "record": record}).to_string();
    write_atomic(Path::new(&settings), text.as_bytes(), PRIVATE)?;

    let mut words = runners::pytest(Path::new("."));
    words.extend(["-p", MODULE].map(OsString::from));
    words.extend(run.own.iter().map(OsString::from));
    words.extend(drawn_files.into_iter().flatten().map(OsString::from));
    let variables = [
        ("PYTHONPATH", runners::python_path(kept.folder())),
        ("OVERNIGHT_SAMPLE_SETTINGS", OsString::from(&settings)),
    ];
    let started = clock::now();
    let exit = runners::run(&words, Path::new("."), &variables);
    let span = (started.wall_ms, nanos_since(started.mono_ms));
    let outcomes = recorded(Path::new(&record), by_plugin.then_some(span));
    for file in [settings, record] {
        let _ = std::fs::remove_file(file);
    }
    if let Some(Err(fault)) = outcomes.map(|outcomes| kept.add(&outcomes)) {
        cli::note(&fault.to_string());
    }
    exit
}

/// The files to run, when whole files are drawn: because it is asked for, or because earlier runs
/// show that collecting everything costs too much. `None` when the plugin is to choose.
fn drawn_files(run: &Run, request: &Request, kept: &Kept) -> Result<Option<Vec<String>>, Fault> {
    let Some((_, report)) = kept.durations(&request.seed, request.turn) else {
        return Ok(None);
    };
    let asked = run.options.unit();
    let pays = asked.is_none() && mode::prefers_files(&report, &request.rate);
    if !(pays || asked == Some(Unit::File)) || request.stratify || run.options.changed.is_some() {
        return Ok(None);
    }
    let globs = Globs::new(&["*.py".to_owned()], &[])?;
    let found = files::list(&[PathBuf::from(".")], &globs)?;
    let found = String::from_utf8_lossy(&found);
    let found: Vec<String> = found.split_terminator('\0').map(str::to_owned).collect();
    let candidates: Vec<&str> = mode::candidates(&mode::files(&report), &found)
        .into_iter()
        .collect();
    let text = candidates.join("\n");
    let request = Request {
        unit: Unit::File,
        ..request.clone()
    };
    let mut known = known_with(&run.options, &request, kept)?;
    known.spares_files = true;
    let elsewhere = kept.failed_elsewhere().into_iter();
    known.always.extend(elsewhere.map(|test| test.name));
    known.always = known
        .always
        .iter()
        .map(|id| Unit::File.of(id).to_owned())
        .collect();
    let drawn = draw(&List::new(text.as_bytes(), b'\n')?, &request, &known)?;
    cli::note(&drawn.plan.line());
    output::write_plan(&drawn.plan, &run.options)?;
    let chosen = drawn.chosen();
    // Without a file pytest would run everything.
    Ok((!chosen.is_empty()).then(|| chosen.into_iter().map(str::to_owned).collect()))
}

/// The command that the plugin asks: this program, with what this run was asked for.
fn sampler(run: &Run, request: &Request, kept: &Kept) -> Result<Vec<String>, Fault> {
    let own = own_words("sample-tests")?.into_iter();
    let mut words: Vec<String> = own
        .map(|word| word.to_string_lossy().into_owned())
        .collect();
    words.push("-0".to_owned());
    words.extend(run.options.words(request));
    let mut add = |flag: &str, path: &Path| {
        words.extend([flag.to_owned(), path.to_string_lossy().into_owned()]);
    };
    let durations = kept.durations(&request.seed, request.turn);
    if let Some((path, _)) = durations.filter(|_| run.options.durations.is_empty()) {
        add("--durations", &path);
    }
    for failed in kept.failed_files()? {
        add("--always", &failed);
    }
    Ok(words)
}

/// What the plugin recorded. `span` is that of a run that collected everything: the Unix time in
/// milliseconds when it began, and its nanoseconds. Its fixed cost is what it took until the tests
/// were collected; what it took behind that goes with the tests.
fn recorded(path: &Path, span: Option<(u64, u64)>) -> Option<Outcomes> {
    let text = files::text(path, Code::SampleDurations).ok()?;
    let record: Value = serde_json::from_str(&text).ok()?;
    let tests = record["tests"]
        .as_object()?
        .iter()
        .filter_map(|(id, outcome)| {
            let seconds = outcome.get(0)?.as_f64()?;
            let nanos = durations::nanos(seconds);
            Some((id.clone(), (nanos, outcome.get(1)?.as_bool()?)))
        });
    let outcomes = Outcomes {
        collected: record["collected"].as_u64(),
        tests: tests.collect(),
        ..Outcomes::default()
    };
    // Where several workers run the tests, each collects for itself.
    let serial = record["parallel"] == json!(false) && !outcomes.tests.is_empty();
    let Some((began, wall)) = span.filter(|_| serial) else {
        return Some(outcomes);
    };
    let ready = record["ready"].as_u64();
    let fixed = ready.and_then(|ready| ready.checked_sub(began)?.checked_mul(1_000_000));
    Some(Outcomes {
        collecting: record["collecting"].as_f64().map(durations::nanos),
        ..outcomes.timed(wall, fixed)
    })
}
