//! A task of a team is tried as a run's is: dusk is noted when it is created, its completion is the claim. Its
//! journal stands apart, so that no view takes it for a run; it goes with the task.

use crate::cell::Cells;
use crate::journal::Journal;
use crate::proof::dusk;
use crate::round::{self, Court};
use crate::state::Place;
use crate::{cli, clock, config, git, pinned, process, runs};
use overnight_base::code::Code;
use overnight_base::fault::Fault;
use overnight_judge::Verdict;
use overnight_run::classify::Class;
use overnight_run::event::{Door, DriverStarted, Ended, Event, Judged, Outcome, RunStarted};
use overnight_run::step::Nudge;
use overnight_run::task::TaskSpec;
use overnight_run::{Config, Step, next};
use std::path::{Path, PathBuf};

/// The folder of these journals.
const FOLDER: &str = "team";

/// A task of the list that a team works on.
pub(super) struct Trial<'a> {
    place: &'a Place,
    spec: TaskSpec,
    folder: PathBuf,
    config: Config,
    cells: Option<Cells>,
}

impl<'a> Trial<'a> {
    /// Of this task of a list that is trusted.
    pub(super) fn of(place: &'a Place, spec: TaskSpec) -> Result<Self, Fault> {
        let limits = config::load(Some(place)).strict(|_| true)?.run_config();
        let folders = place.state.join(FOLDER);
        Ok(Self {
            folder: folders.join(&spec.id),
            config: Config {
                // Nobody waits for one: a teammate goes on when it is told what is missing.
                review: None,
                may_change: may_change(place, &folders, limits.may_change),
                ..limits
            },
            cells: Cells::as_set(place, cli::note)?,
            place,
            spec,
        })
    }

    /// What the work tree holds now is dusk; `anew`: whatever was noted before.
    pub(super) fn begin(&self, anew: bool) -> Result<(), Fault> {
        if anew {
            self.forget()?;
        }
        let gates = self.gates();
        let mut journal = self.open()?;
        if gates.is_empty() || journal.state().dusk.is_some() {
            return Ok(());
        }
        let measured = self.court(&journal).measure(&gates);
        journal.append(measured).map(drop)
    }

    /// Is the task done, by this claim?
    pub(super) fn judge(&self, claim: Verdict) -> Result<Verdict, Fault> {
        let mut journal = self.open()?;
        let state = journal.state();
        let number = (state.iterations + 1, 1);
        let intent = round::intent(state, number, self.spec.id.clone(), Nudge::None)?;
        journal.append(intent)?;
        journal.append(Outcome::of(Ended::Exited(0), Class::None, claim))?;
        loop {
            let state = journal.state();
            let event: Event = match next(state, &state.config, clock::wall_ms()) {
                Step::Gates(commands) => self.court(&journal).prove(&commands).into(),
                Step::Judge(verdict) => {
                    journal.append(Judged::from((*verdict).clone()))?;
                    return Ok(*verdict);
                }
                other => {
                    return Err(Fault::new(
                        Code::Defect,
                        format!("a claim came to {other:?}"),
                    ));
                }
            };
            journal.append(event)?;
        }
    }

    /// The task is done, or begins anew.
    pub(super) fn forget(&self) -> Result<(), Fault> {
        dusk::forget(&dusk::store(self.place, &self.folder))?;
        dusk::forget(&self.folder)
    }

    fn gates(&self) -> Vec<String> {
        let all = self.spec.gates.iter().chain(&self.config.gates);
        all.cloned().collect()
    }

    /// The journal, with the task as the list has it now.
    fn open(&self) -> Result<Journal, Fault> {
        let mut journal = Journal::open(&self.folder, runs::WAIT_MAX)?;
        if journal.state().run.is_none() {
            let head = git::read(&self.place.top, &["rev-parse", "--verify", "-q", "HEAD"]);
            journal.append(RunStarted {
                run: self.spec.id.clone(),
                door: Door::Session,
                goal: self.spec.objective.clone(),
                top: self.place.top.display().to_string(),
                head: head.ok().filter(|head| !head.is_empty()),
                branch: self.place.branch(),
                config: None,
            })?;
        }
        let own = process::Identity::current();
        journal.append(DriverStarted {
            epoch: journal.state().epoch + 1,
            pid: own.pid,
            pid_start: own.start,
            session: None,
            config: self.config.clone(),
            tasks: vec![self.spec.clone()],
        })?;
        Ok(journal)
    }

    fn court<'c>(&'c self, journal: &'c Journal) -> Court<'c> {
        Court {
            place: self.place,
            home: &self.place.home,
            folder: &self.folder,
            state: journal.state(),
            cells: self.cells.as_ref(),
            // The team's tree is the person's: what is claimed is a commit that stands by itself.
            own_branch: false,
            say: cli::note,
            signals: None,
        }
    }
}

/// Teammates share a tree: what one of them may change is there when another one's claim is tried.
fn may_change(place: &Place, folders: &Path, own: Vec<String>) -> Vec<String> {
    let worked_on = |spec: &TaskSpec| folders.join(&spec.id).is_dir();
    let listed = pinned::read(place).unwrap_or_default();
    let others = listed.into_iter().filter(worked_on);
    own.into_iter()
        .chain(others.flat_map(|spec| spec.may_change))
        .collect()
}
