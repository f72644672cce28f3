//! What agents printed, from their files in the log folder, as a person reads it.

use overnight_base::code::Code;
use overnight_base::fault::Fault;
use overnight_engine::sight;
use overnight_host::logs::part;
use overnight_host::state::Place;
use overnight_host::{cli, clock, journal, runs};
use overnight_run::event::{Door, Event};
use overnight_views::activity::{self, Reader};
use overnight_views::summary::clean;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufRead, BufReader, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// How often a run that is followed is looked at.
const LOOK: Duration = Duration::from_millis(300);
/// A longer line is shown as far as this.
const LINE_BYTES_MAX: usize = 1 << 20;

/// One iteration: when it began, on what, and the file of what its agent printed.
#[derive(Debug, Clone)]
struct Print {
    started: u64,
    number: u32,
    task: String,
    file: PathBuf,
}

/// What was shown so far.
#[derive(Debug, Default)]
struct Shown {
    /// How far each file was read, in bytes.
    read: BTreeMap<PathBuf, (u64, Reader)>,
    /// The file whose lines came last.
    last: Option<PathBuf>,
}

/// Shows what the agents of a run printed; `follow` goes on until the run ends.
pub fn show(place: &Place, run: &str, task: Option<&str>, follow: bool) -> Result<(), Fault> {
    let mut shown = Shown::default();
    loop {
        let over = !follow || is_over(place, run)?;
        let all = listed(place, run)?;
        let known = |name: &str| all.iter().any(|print| print.task == name);
        if let Some(task) = task.filter(|name| !known(name) && over) {
            let reason = format!("run {run}: nobody worked on a task {task}");
            return Err(Fault::new(Code::RunUnknown, reason));
        }
        let wanted = all
            .iter()
            .filter(|print| task.is_none_or(|task| print.task == task));
        for print in wanted {
            one(print, &mut shown)?;
        }
        if over {
            if shown.read.is_empty() && !all.is_empty() {
                cli::note(&elsewhere(place, run)?);
            }
            return Ok(());
        }
        std::thread::sleep(LOOK);
    }
}

/// Where to look for what no log holds.
fn elsewhere(place: &Place, run: &str) -> Result<String, Fault> {
    let state = runs::state(place, run)?;
    let door = state.run.as_ref().map(|run| run.door);
    Ok(
        match state.session.filter(|_| door == Some(Door::Session)) {
            Some(session) => format!(
                "what agents say in a session is in the session alone: claude --resume {}",
                clean(&session)
            ),
            None => format!("run {run}: its logs are no longer there"),
        },
    )
}

/// Has the run ended, or lost its driver?
fn is_over(place: &Place, run: &str) -> Result<bool, Fault> {
    let (state, seen) = sight::look(place, run)?;
    Ok(state.finished.is_some() || !seen.alive)
}

/// Every iteration of the run and of its members, oldest first.
fn listed(place: &Place, run: &str) -> Result<Vec<Print>, Fault> {
    let folder = runs::folder(place, run)?;
    let logs = place.top.join("agent_logs").join(run);
    let mut all = of_journal(&folder, &logs)?;
    for (name, folder) in runs::member_journals(&folder) {
        // One that cannot be read says nothing of the others.
        all.extend(of_journal(&folder, &logs.join(name)).unwrap_or_default());
    }
    all.sort_by_key(|print| print.started);
    Ok(all)
}

fn of_journal(folder: &Path, logs: &Path) -> Result<Vec<Print>, Fault> {
    let mut prints: Vec<Print> = Vec::new();
    journal::visit(folder, |record| {
        let Event::Intent(intent) = &record.event else {
            return;
        };
        if prints
            .last()
            .is_none_or(|last| last.number != intent.iteration)
        {
            prints.push(Print {
                started: record.stamp.t,
                number: intent.iteration,
                task: intent.task.clone(),
                file: logs.join(format!("{}.jsonl", intent.iteration)),
            });
        }
    })?;
    Ok(prints)
}

/// What is new of one iteration.
fn one(print: &Print, shown: &mut Shown) -> Result<(), Fault> {
    let begun = shown.read.contains_key(&print.file);
    let (at, mut acts) = shown.read.get(&print.file).cloned().unwrap_or_default();
    let failed = |error: std::io::Error| {
        Fault::new(Code::FileRead, format!("{}: {error}", print.file.display()))
    };
    let mut reader: Box<dyn BufRead> = match File::open(&print.file) {
        Ok(mut file) => {
            file.seek(SeekFrom::Start(at)).map_err(failed)?;
            Box::new(BufReader::new(file))
        }
        // Rotation compresses what nobody adds to any more.
        Err(_) => match part::open(&print.file) {
            Ok(compressed) if !begun => compressed,
            _ => return Ok(()),
        },
    };
    let mut text = String::new();
    let mut next = at;
    let mut line = Vec::new();
    while reader.read_until(b'\n', &mut line).map_err(failed)? > 0 {
        next += line.len() as u64;
        let read = String::from_utf8_lossy(&line[..line.len().min(LINE_BYTES_MAX)]);
        for act in acts.read(&read) {
            for line in activity::lines(&act) {
                text.push_str(&line);
                text.push('\n');
            }
        }
        line.clear();
    }
    shown.read.insert(print.file.clone(), (next, acts));
    // Where several are at work, whose words these are.
    let other = !text.is_empty() && shown.last.as_ref() != Some(&print.file);
    if !begun || other {
        shown.last = Some(print.file.clone());
        let when = clock::local_text(print.started);
        cli::print(&format!(
            "── iteration {} on {}, {when} ──\n",
            print.number,
            clean(&print.task)
        ))?;
    }
    cli::print(&text)
}
