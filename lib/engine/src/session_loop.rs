//! The door in the session: `/flow --autonomous` arms a run, the Stop hook records what an
//! iteration came to and hands out the next, and the same core decides as behind the driver.

mod arm;
mod detach;
mod end;
mod hold;
mod order;
mod stop;
mod stopped;

use crate::cell::Cells;
use crate::journal::Journal;
use crate::round::{self, Court};
use crate::runs;
use crate::shared::Share;
use crate::state::Place;
use crate::told;
use crate::worktree::Snapshots;
use crate::{clock, config, driver, env, files, notify, pull_request, report, session, wish};
use overnight_base::code::Code;
use overnight_base::fault::Fault;
use overnight_base::vars;
use overnight_run::event::{Finished, Intent, Judged, Waiting};
use overnight_run::flow::brief::{self, Handout};
use overnight_run::members::Asked;
use overnight_run::{Reason, Step, next, overview};
use session::Armed;
use std::path::{Path, PathBuf};
use std::time::Duration;

pub use arm::arm;
pub use detach::detach;
pub use end::{cleared, failed, saved};
pub use hold::{Heard, prompted, taken_back};
pub use order::obey;
pub use stop::stop;
pub use stopped::{end as end_from_outside, pause as pause_from_outside};

/// The longest wait that a hook sits out; a longer one goes back to the person. Well below the
/// hooks' time-out in hooks.json.
const WAIT_MAX: Duration = Duration::from_mins(15);

/// What a session is told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Told {
    /// The model works on: this is its next iteration.
    Next(String),
    /// The run is over or stands still; one line for the person, and a sequence that makes their
    /// terminal notify them.
    Ended(String, Option<String>),
}

/// A run in the hands of a session's hook.
struct SessionLoop<'a> {
    place: &'a Place,
    session: &'a str,
    armed: Armed,
    folder: PathBuf,
    journal: Journal,
}

impl<'a> SessionLoop<'a> {
    fn open(place: &'a Place, session: &'a str, armed: Armed) -> Result<Self, Fault> {
        let folder = runs::folder(place, &armed.run)?;
        let journal = Journal::open(&folder, runs::WAIT_MAX)?;
        Ok(Self {
            place,
            session,
            armed,
            folder,
            journal,
        })
    }

    /// Does the run still belong to this session? A driver may have taken it over, or ended it.
    fn is_ours(&self) -> bool {
        let state = self.journal.state();
        state.epoch == self.armed.epoch && state.finished.is_none()
    }

    /// Takes the core's steps until the model or the person is needed. What was decided on the way is
    /// durable before anybody is told and before a command runs: one wait for the disk, not three.
    fn advance(&mut self) -> Result<Told, Fault> {
        let mut waited = Duration::ZERO;
        loop {
            self.hear()?;
            if let Some(told) = self.stopped()? {
                return Ok(told);
            }
            let now = clock::wall_ms();
            let state = self.journal.state();
            match next(state, &state.config, now) {
                Step::Start {
                    iteration,
                    attempt,
                    task,
                    nudge,
                } => {
                    if state.config.leased
                        && let Some(lost) = self.share()?.keep(state, &task)?
                    {
                        self.journal.append(lost)?;
                        continue;
                    }
                    let intent = round::intent(state, (iteration, attempt), task, nudge)?;
                    return self.assign(intent, now);
                }
                Step::Take { task } => {
                    let taken = self.share()?.take(state, &task);
                    self.journal.append_at(taken, now)?;
                }
                Step::Baseline(commands) => self.measure(&commands)?,
                Step::Gates(commands) => self.prove(&commands)?,
                Step::Close(commands) => self.close(&commands)?,
                Step::Hunk(commands) => self.hunk(&commands)?,
                Step::Judge(verdict) => {
                    if let Err(fault) = self.court(None).receipt(&verdict) {
                        crate::cli::note(&format!("no receipt for what was proved: {fault}"));
                    }
                    self.journal.write_at(Judged { verdict }, now)?;
                    self.settle();
                }
                Step::Wait { until, cause } => {
                    let left = Duration::from_millis(until.saturating_sub(now));
                    self.journal.append_at(Waiting { until, cause }, now)?;
                    waited += left;
                    if waited > WAIT_MAX {
                        return Ok(Told::Ended(self.waits(until), self.sequence()));
                    }
                    std::thread::sleep(left);
                }
                Step::Hold => return Ok(Told::Ended(self.held(), None)),
                Step::Finish(reason) => return self.finish(&reason, now),
                // A session is one agent: its configuration has no members.
                Step::Members(step) => {
                    let reason = format!("a session was told to {step:?}");
                    return Err(Fault::new(Code::Defect, reason));
                }
            }
        }
    }

    /// Takes what people wished and said meanwhile.
    fn hear(&mut self) -> Result<(), Fault> {
        driver::asks::hear(self.place, &mut self.journal)?;
        wish::hear(&mut self.journal, &self.folder)?;
        let journal = &mut self.journal;
        told::hear(self.place, &self.armed.run, |told| {
            journal.append(told).map(drop)
        })
    }

    fn measure(&mut self, commands: &[String]) -> Result<(), Fault> {
        self.journal.sync()?;
        let cells = self.cells()?;
        let measured = self
            .court(cells.as_ref())
            .measure(commands, crate::cli::note);
        self.journal.append(measured).map(drop)
    }

    fn prove(&mut self, commands: &[String]) -> Result<(), Fault> {
        self.journal.sync()?;
        let cells = self.cells()?;
        let gates = self.court(cells.as_ref()).prove(commands);
        self.journal.append(gates).map(drop)
    }

    fn close(&mut self, commands: &[String]) -> Result<(), Fault> {
        self.journal.sync()?;
        let cells = self.cells()?;
        let closing = self.court(cells.as_ref()).close(commands);
        self.journal.append(closing).map(drop)
    }

    fn hunk(&mut self, commands: &[String]) -> Result<(), Fault> {
        self.journal.sync()?;
        let cells = self.cells()?;
        let hunk = self.court(cells.as_ref()).hunk(commands);
        self.journal.append(hunk).map(drop)
    }

    /// What gates are started in, if there are walls.
    fn cells(&self) -> Result<Option<Cells>, Fault> {
        let settings = config::load(Some(self.place)).settings.cell;
        let mode = self.journal.state().config.cell;
        Cells::of(mode, &settings, self.place, crate::cli::note)
    }

    /// Where the run's gates are run.
    fn court<'c>(&'c self, cells: Option<&'c Cells>) -> Court<'c> {
        let prefix = config::load(Some(self.place)).settings.guard.branch_prefix;
        Court {
            cells,
            place: self.place,
            home: &self.place.home,
            folder: &self.folder,
            state: self.journal.state(),
            own_branch: self
                .place
                .branch()
                .is_some_and(|branch| branch.starts_with(&prefix)),
        }
    }

    /// The leases of the run's tasks; they live with the client.
    fn share(&self) -> Result<Share, Fault> {
        let pid = env::get(&vars::CLAUDE_PID).and_then(|text| text.parse().ok());
        Share::of(self.place, self.journal.state(), pid)
    }

    /// Brings progress up to date, then gives back what the run needs no longer: whoever takes it
    /// finds in the list what came of it.
    fn settle(&self) {
        self.write_progress();
        let state = self.journal.state();
        if state.config.leased
            && let Ok(share) = self.share()
        {
            share.settle(&state.leased.had);
        }
    }

    fn assign(&mut self, intent: Intent, now: u64) -> Result<Told, Fault> {
        let decision = round::decision_file(&self.folder);
        let progress = round::progress_so_far(self.place);
        let state = self.journal.state();
        let before = round::tried_before(self.place, state, &intent.task);
        let text = round::prompt(state, &intent, (&progress, &before), Some(&decision));
        let logs = self.place.top.join("agent_logs").join(&self.armed.run);
        files::create_private_folder(&logs)?;
        let prompt = logs.join(format!("{}.prompt.md", intent.iteration));
        files::replace(&prompt, text.as_bytes(), files::PRIVATE)?;
        let handout = brief::iteration(&Handout {
            run: &self.armed.run,
            iteration: (intent.iteration, self.journal.state().config.max_iterations),
            task: &intent.task,
            model: intent.model.as_deref(),
            prompt: &prompt.to_string_lossy(),
        });
        self.journal.append_at(intent, now)?;
        if let Some(open) = &self.journal.state().open {
            round::set_aside(&decision, open)?;
        }
        self.write_progress();
        Ok(Told::Next(handout))
    }

    fn finish(&mut self, reason: &Reason, now: u64) -> Result<Told, Fault> {
        if self.journal.state().finished.is_none() {
            let reason = reason.clone();
            self.journal.append_at(Finished { reason }, now)?;
        }
        self.settle();
        session::disarm(self.place, self.session)?;
        let report = self.write_report();
        let offered = report.as_ref().and_then(|_| self.offer());
        let state = self.journal.state();
        let seen = report.map(|path| path.display().to_string());
        let line = format!(
            "overnight: run {} after {} iterations {} (see {}){}",
            self.armed.run,
            state.iterations,
            overview::ended(state).unwrap_or_else(|| overview::sentence(reason)),
            seen.unwrap_or_else(|| "progress/README.md".to_owned()),
            offered.map_or(String::new(), |said| format!("; {said}"))
        );
        Ok(Told::Ended(line, self.sequence()))
    }

    /// Notifies the person; gives what the client passes on to their terminal.
    fn sequence(&self) -> Option<String> {
        let state = self.journal.state();
        notify::tell(self.place, &self.armed.run, state, notify::Way::Client)
    }

    fn waits(&self, until: u64) -> String {
        let asked = &self.journal.state().leased.asked;
        let with = |(task, asked): (&String, &Asked)| format!(" ({task} is with {})", asked.why);
        format!(
            "overnight: run {run} waits until {until}{with}; go on here then by writing \"continue\", or outside with: overnight run --resume {run}",
            run = self.armed.run,
            until = clock::local_text(until),
            with = asked.iter().next().map(with).unwrap_or_default()
        )
    }

    /// The run ended as it ended, with or without a report; gives where it is.
    fn write_report(&self) -> Option<PathBuf> {
        match report::write(self.place, &self.armed.run) {
            Ok(path) => Some(path),
            Err(fault) => {
                crate::cli::note(&fault.to_string());
                None
            }
        }
    }

    /// Offers the work as a pull request; gives what the person is told about it.
    fn offer(&mut self) -> Option<String> {
        let run = &self.armed.run;
        match pull_request::offer(self.place, run) {
            Ok(offer) => {
                let offer = offer?;
                let journal = &mut self.journal;
                let shown = offer
                    .published
                    .map(|event| journal.append(event).map(drop))
                    .map(|kept| kept.and_then(|()| report::refresh(self.place, run)));
                if let Some(Err(fault)) = shown {
                    crate::cli::note(&fault.to_string());
                }
                Some(offer.said)
            }
            Err(fault) => Some(format!("no pull request: {}", fault.reason)),
        }
    }

    /// Progress is for people; the run goes on without it.
    fn write_progress(&self) {
        if let Err(fault) = round::write_progress(self.place, self.journal.state()) {
            crate::cli::note(&fault.to_string());
        }
    }
}

/// Snapshots of the project's work tree, kept with this run.
fn snapshots(place: &Place, folder: &Path) -> Snapshots {
    Snapshots::new(&place.top, place.git_common.is_some(), folder)
}
