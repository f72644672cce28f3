//! The door in the session: `/flow --autonomous` arms a run, the Stop hook records what an
//! iteration came to and hands out the next, and the same core decides as behind the driver.

mod arm;
mod detach;
mod end;
mod hold;
mod midway;
mod order;
mod stop;
mod stopped;

use crate::cell::{self, Cells, armed as walls};
use crate::driver::Watched;
use crate::journal::Journal;
use crate::messages;
use crate::round::{self, Court};
use crate::runs;
use crate::state::Place;
use crate::steps::{self, Carrier, Flow};
use crate::worktree::Snapshots;
use crate::{
    clock, config, driver, env, files, night, notify, pull_request, report, session, wish,
};
use overnight_base::fault::Fault;
use overnight_base::vars;
use overnight_judge::Verdict;
use overnight_run::Reason;
use overnight_run::cell::{self as policy, Gives, Mode};
use overnight_run::event::{Intent, Judged, Waiting};
use overnight_run::flow::brief::{self, Handout};
use overnight_run::members::Asked;
use overnight_run::step::WaitCause;
use overnight_views::report::Clock;
use overnight_views::summary;
use session::Armed;
use std::fmt::Write;
use std::ops::ControlFlow::{Break, Continue};
use std::path::{Path, PathBuf};
use std::time::Duration;

pub use arm::arm;
pub use detach::detach;
use end::classified;
pub use end::{cleared, failed, saved};
pub use hold::{PromptEffect, prompted, taken_back};
pub use midway::midway;
pub use order::obey;
pub use stop::stop;
pub use stopped::{end as end_from_outside, pause as pause_from_outside};

/// The longest wait that a hook sits out; a longer one goes back to the person. Well below the
/// hooks' time-out in hooks.json.
const WAIT_MAX: Duration = Duration::from_mins(15);

/// What a session is told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StopAnswer {
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
    /// How long this hook waited in all.
    waited: Duration,
    /// What the person is to be told beside the next iteration.
    notes: Vec<String>,
}

impl Carrier for SessionLoop<'_> {
    type End = StopAnswer;

    fn place(&self) -> &Place {
        self.place
    }

    fn folder(&self) -> &Path {
        &self.folder
    }

    fn journal(&self) -> &Journal {
        &self.journal
    }

    fn journal_mut(&mut self) -> &mut Journal {
        &mut self.journal
    }

    fn say(&self) -> fn(&str) {
        crate::cli::note
    }

    /// The client, not the hook that ends at once.
    fn lives_with(&self) -> Option<u32> {
        env::get(&vars::CLAUDE_PID).and_then(|text| text.parse().ok())
    }

    fn listen(&mut self) -> Flow<StopAnswer> {
        self.hear()?;
        Ok(self.stopped()?.map_or(Continue(()), Break))
    }

    /// What was decided on the way is durable before anybody is told and before a command runs: one
    /// wait for the disk, not three.
    fn in_court<T>(&mut self, work: impl FnOnce(&Court<'_>) -> T) -> Result<T, Fault> {
        self.journal.sync()?;
        let cells = self.cells()?;
        Ok(work(&Court::of(self, cells.as_ref(), false)))
    }

    fn begin(&mut self, intent: Intent, now: u64) -> Flow<StopAnswer> {
        self.assign(intent, now).map(Break)
    }

    fn judge(&mut self, verdict: Verdict, now: u64) -> Result<(), Fault> {
        let unreported = round::unreported(self.place, self.journal.state(), &verdict);
        self.journal.write_at(
            Judged {
                verdict,
                unreported,
            },
            now,
        )?;
        steps::settle(self);
        self.keep_tree(self.journal.state().iterations);
        Ok(())
    }

    fn wait(&mut self, until: u64, cause: WaitCause, now: u64) -> Flow<StopAnswer> {
        let left = Duration::from_millis(until.saturating_sub(now));
        self.journal.append_at(Waiting { until, cause }, now)?;
        self.waited += left;
        if self.waited > WAIT_MAX {
            return Ok(Break(StopAnswer::Ended(self.waits(until), self.sequence())));
        }
        std::thread::sleep(left);
        Ok(Continue(()))
    }

    fn hold(&mut self) -> Flow<StopAnswer> {
        walls::hold(self.session);
        Ok(Break(StopAnswer::Ended(self.held(), None)))
    }

    fn finish(&mut self, reason: Reason) -> Result<StopAnswer, Fault> {
        steps::settle(self);
        self.keep_written();
        session::disarm(self.place, self.session)?;
        let report = steps::write_report(self);
        let offered = report.as_ref().and_then(|_| self.offer());
        // Progress is written last, and is no change of the person's.
        self.keep_tree(self.journal.state().iterations);
        let state = self.journal.state();
        let seen = report.map(|path| path.display().to_string());
        let line = format!(
            "overnight: run {} after {} iterations {} (see {}){}",
            self.armed.run,
            state.iterations,
            summary::ended(state, &reason, &Clock(clock::zone())),
            seen.unwrap_or_else(|| "progress/README.md".to_owned()),
            offered.map_or(String::new(), |said| format!("; {said}"))
        );
        Ok(StopAnswer::Ended(line, self.sequence()))
    }
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
            waited: Duration::ZERO,
            notes: Vec::new(),
        })
    }

    /// Does the run still belong to this session? A driver may have taken it over, or ended it.
    fn is_ours(&self) -> bool {
        let state = self.journal.state();
        state.epoch == self.armed.epoch && state.finished.is_none()
    }

    /// Takes the core's steps until the model or the person is needed.
    fn advance(&mut self) -> Result<StopAnswer, Fault> {
        self.waited = Duration::ZERO;
        steps::carry(self)
    }

    /// Takes what people wished and said meanwhile.
    fn hear(&mut self) -> Result<(), Fault> {
        driver::asks::hear(self.place, &mut self.journal)?;
        wish::hear(&mut self.journal, &self.folder)?;
        let journal = &mut self.journal;
        messages::hear(messages::inbox(self.place, &self.armed.run, None), |told| {
            journal.append(told).map(drop)
        })?;
        let mut watched = Watched::resumed(self.place, &self.folder, journal.state());
        self.notes.extend(watched.look(journal)?);
        watched.keep(&self.folder)
    }

    /// Keeps the tree for `overnight diff` and `undo`; that it could not be kept is said, and the run goes on.
    fn keep_tree(&self, number: u32) {
        let kept = night::keep_tree(self.place, &self.armed.run, number);
        kept.unwrap_or_else(|fault| crate::cli::note(&fault.to_string()));
    }

    /// Where the run made commits, what git holds of the task list and progress is the last of them; of a
    /// person who commits themselves nothing is.
    fn keep_written(&self) {
        let state = self.journal.state();
        let begun = state.run.as_ref().and_then(|run| run.head.as_deref());
        let head = snapshots(self.place, &self.folder).head();
        if head.is_empty() || begun.is_none_or(|begun| begun == head) {
            return;
        }
        let of = (self.armed.run.as_str(), state.iterations);
        let kept = night::keep_written(self.place, of);
        kept.unwrap_or_else(|fault| crate::cli::note(&fault.to_string()));
    }

    /// What gates are started in, if there are walls.
    fn cells(&self) -> Result<Option<Cells>, Fault> {
        let settings = config::load(Some(self.place)).settings.cell;
        let mode = self.journal.state().config.cell;
        Cells::of(mode, &settings, self.place, crate::cli::note)
    }

    /// What its shells live in from now on, as it is set for the run; where there is none, the person is told.
    fn wall(&mut self, mode: Mode) -> Result<Option<Gives>, Fault> {
        let run = (self.folder.as_path(), mode);
        match walls::begin(self.place, self.session, run, crate::cli::note) {
            Err(fault) if mode != Mode::On => {
                let reason = fault.reason;
                self.notes.push(format!(
                    "the shells of this session live in no cell: {reason}"
                ));
                Ok(None)
            }
            begun => begun,
        }
    }

    /// Where its agent declares what it claims: in a cell, where it may write.
    fn decision_file(&self) -> PathBuf {
        if self.journal.state().config.walls.is_some() {
            return round::decision_file(&self.folder.join(cell::INSIDE));
        }
        round::decision_file(&self.folder)
    }

    fn assign(&mut self, intent: Intent, now: u64) -> Result<StopAnswer, Fault> {
        let decision = self.decision_file();
        let config = &self.journal.state().config;
        let (walled, mode) = (config.walls.is_some(), config.cell);
        if walled {
            self.wall(mode)?;
        }
        let progress = round::progress_so_far(self.place);
        let state = self.journal.state();
        let found = round::found(self.place, state);
        let before = round::tried_before(self.place, state, &intent.task);
        let mut text = round::prompt(
            state,
            &intent,
            (&progress, &found, &before),
            Some(&decision),
        );
        if state.config.walls.is_some() {
            text.push_str(policy::BRIEF_IN_SESSION);
            text.push_str(&policy::notice(&state.walled, &state.limited));
        }
        let logs = self.place.top.join("agent_logs").join(&self.armed.run);
        files::create_private_folder(&logs)?;
        let prompt = logs.join(format!("{}.prompt.md", intent.iteration));
        files::replace(&prompt, text.as_bytes(), files::PRIVATE)?;
        let specialists = round::specialists(self.journal.state(), &intent.task, true);
        let mut handout = brief::iteration(&Handout {
            specialists: &specialists,
            run: &self.armed.run,
            iteration: (intent.iteration, self.journal.state().config.max_iterations),
            task: &intent.task,
            model: intent.model.as_deref(),
            prompt: &prompt.to_string_lossy(),
        });
        for note in self.notes.drain(..) {
            let _ = write!(handout, "\n\nTo the person: {note}");
        }
        self.journal.append_at(intent, now)?;
        if let Some(open) = &self.journal.state().open {
            round::set_aside(&decision, open)?;
        }
        steps::write_progress(self);
        Ok(StopAnswer::Next(handout))
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
            "overnight: run {run} waits until {until}{with}; go on here then by writing \"continue\", or outside with: overnight resume {run}",
            run = self.armed.run,
            until = clock::local_text(until),
            with = asked.iter().next().map(with).unwrap_or_default()
        )
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
}

/// Snapshots of the project's work tree, kept with this run.
fn snapshots(place: &Place, folder: &Path) -> Snapshots {
    Snapshots::new(&place.top, place.git_common.is_some(), folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_hook_waits_as_long_as_the_client_lets_it() {
        let text = include_str!("../../../hooks/hooks.json");
        let hooks: serde_json::Value = serde_json::from_str(text).unwrap();
        for event in ["Stop", "UserPromptSubmit", "UserPromptExpansion"] {
            let timeout = &hooks["hooks"][event][0]["hooks"][0]["timeout"];
            let timeout = Duration::from_secs(timeout.as_u64().unwrap());
            // The gates that run before and after it need their time too.
            assert!(WAIT_MAX * 2 <= timeout, "{event}: {timeout:?}");
        }
    }
}
