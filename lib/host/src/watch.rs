//! The runs that a live view shows, kept up to date.

use crate::follow::Follower;
use crate::state::Place;
use crate::{clock, runs, sight};
use overnight_core::fault::Fault;
use overnight_core::report::Clock;
use overnight_core::status::Life;
use overnight_core::watch::Subject;
use std::path::PathBuf;
use std::time::UNIX_EPOCH;

/// Runs looked through, newest first, for those that are under way beside the newest.
const RUNS_LOOKED_AT: usize = 20;

/// The runs shown, each with the reader of its journal.
#[derive(Debug)]
pub struct Watcher {
    place: Place,
    named: Option<String>,
    clock: Clock,
    runs: Vec<Followed>,
    subjects: Vec<Subject>,
}

#[derive(Debug)]
struct Followed {
    run: String,
    reader: Follower,
}

impl Watcher {
    /// Shows the named run, or the newest one and every one under way.
    pub fn new(place: Place, named: Option<&str>) -> Result<Self, Fault> {
        let newest = runs::choose(&place, named)?;
        let mut watcher = Self {
            named: named.map(str::to_owned),
            clock: Clock(clock::zone()),
            runs: Vec::new(),
            subjects: Vec::new(),
            place,
        };
        if named.is_none() {
            for run in runs::all(&watcher.place)
                .into_iter()
                .rev()
                .take(RUNS_LOOKED_AT)
            {
                watcher.follow(run);
            }
            watcher.refresh();
            watcher.keep(&newest);
        } else {
            watcher.follow(newest);
            watcher.refresh();
        }
        Ok(watcher)
    }

    /// What there is to show.
    pub fn subjects(&self) -> &[Subject] {
        &self.subjects
    }

    /// The zone that times are shown in.
    pub fn clock(&self) -> &Clock {
        &self.clock
    }

    /// Is any of them under way?
    pub fn any_under_way(&self) -> bool {
        let lives = |subject: &Subject| {
            subject.refused.is_none()
                && matches!(subject.status().state, Life::Running | Life::Waiting)
        };
        self.subjects.iter().any(lives)
    }

    /// Reads what is new. A journal that cannot be read says so in its place.
    pub fn refresh(&mut self) {
        if self.named.is_none()
            && let Ok(newest) = runs::choose(&self.place, None)
        {
            self.follow(newest);
        }
        for (followed, subject) in self.runs.iter_mut().zip(&mut self.subjects) {
            match followed.reader.news() {
                Ok(records) => {
                    for record in &records {
                        subject.add(record, &self.clock);
                    }
                    subject.refused = None;
                }
                Err(fault) => subject.refused = Some(fault.to_string()),
            }
            let torn = followed.reader.torn_bytes;
            subject.seen = sight::seen(&self.place, &followed.run, subject.state(), torn);
            subject.printed_ms = printed_ms(&self.place, &followed.run, subject);
        }
    }

    fn follow(&mut self, run: String) {
        if self.runs.iter().any(|known| known.run == run) {
            return;
        }
        self.subjects.push(Subject::new(run.clone()));
        let reader = Follower::new(&self.place.run_folder(&run));
        self.runs.push(Followed { run, reader });
    }

    /// Keeps this run and those under way.
    fn keep(&mut self, newest: &str) {
        let under_way =
            |subject: &Subject| matches!(subject.status().state, Life::Running | Life::Waiting);
        let kept: Vec<bool> = self
            .subjects
            .iter()
            .map(|subject| subject.name == newest || under_way(subject))
            .collect();
        let mut keep = kept.iter().copied();
        self.subjects.retain(|_| keep.next().unwrap_or(false));
        let mut keep = kept.iter().copied();
        self.runs.retain(|_| keep.next().unwrap_or(false));
    }
}

/// When the agent of the open iteration last printed something.
fn printed_ms(place: &Place, run: &str, subject: &Subject) -> Option<u64> {
    let open = subject.state().open.as_ref()?;
    let folder: PathBuf = place.top.join("agent_logs").join(run);
    let about = std::fs::metadata(folder.join(format!("{}.jsonl", open.iteration))).ok()?;
    let since = about.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
    u64::try_from(since.as_millis()).ok()
}
