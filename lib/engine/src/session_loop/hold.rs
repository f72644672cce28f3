//! A run is held: by a prompt of the person's, or by the end of its session; and goes on.

use super::{SessionLoop, StopAnswer};
use crate::cell::armed;
use crate::hook;
use crate::pinned;
use crate::process::Identity;
use crate::runs;
use crate::session::{self, Armed};
use crate::state::{self, Place};
use crate::steps;
use overnight_base::fault::Fault;
use overnight_base::hook::Event;
use overnight_judge::Verdict;
use overnight_run::Config;
use overnight_run::classify::Class;
use overnight_run::event::{DriverStarted, Ended, Outcome};
use overnight_run::hold::{self, Pause, Released};
use overnight_run::overview;
use overnight_run::pausing;
use overnight_run::task::TaskSpec;
use std::collections::BTreeMap;

/// How prompts begin that are for the run itself, or that the client makes when a background task ends.
const NOT_A_PERSONS: [&str; 3] = ["/flow", "/overnight:", "<task-notification>"];

/// What a prompt does to the run of its session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PromptEffect {
    /// The run is held while the person talks; what the model and what the person is told.
    Held(String, Option<String>),
    /// The run goes on.
    GoesOn(StopAnswer),
}

/// A person wrote into a session: in the middle of a run that holds it, until they say go on.
/// `None`: the prompt changes nothing.
pub fn prompted(place: &Place, id: &str, prompt: &str) -> Result<Option<PromptEffect>, Fault> {
    let Some(run) = session::armed_here(place, id)? else {
        return Ok(None);
    };
    if NOT_A_PERSONS
        .iter()
        .any(|start| prompt.trim_start().starts_with(start))
    {
        return Ok(None);
    }
    let mut session_loop = SessionLoop::open(place, id, run)?;
    if !session_loop.is_ours() {
        return Ok(None);
    }
    match (
        session_loop.journal.state().paused,
        hold::says_go_on(prompt),
    ) {
        (Some(_), true) => {
            session_loop.journal.append(Released {})?;
            session_loop.go_on().map(PromptEffect::GoesOn).map(Some)
        }
        // What broke off goes on by itself once the model was woken.
        (None, true) => Ok(None),
        (before, false) => {
            let Some(paused) = pausing::pause(session_loop.journal.state(), Pause::Prompt) else {
                return Ok(None);
            };
            session_loop.journal.append(paused)?;
            armed::hold(id);
            steps::write_progress(&session_loop);
            Ok(Some(session_loop.talks(before.is_none())))
        }
    }
}

/// The session was resumed: it takes its run back under a new number, so that whoever had it before
/// may do nothing more. It stays paused until the person says go on. Gives the line that says so.
pub fn taken_back(event: &Event) -> Result<Option<String>, Fault> {
    if event.text("source") != Some("resume") {
        return Ok(None);
    }
    let id = hook::session(event)?;
    let place = &state::locate(&hook::folder(event))?;
    let Some(run) = session::armed(place, id)? else {
        return Ok(None);
    };
    let mut session_loop = SessionLoop::open(place, id, run)?;
    if !session_loop.is_ours() {
        session::disarm(place, id)?;
        let over = session_loop.journal.state().finished.is_some();
        let run = &session_loop.armed.run;
        let line = format!(
            "overnight: run {run} is no longer this session's (see: overnight status {run})"
        );
        return Ok((!over).then_some(line));
    }
    if let Some(paused) = pausing::pause(session_loop.journal.state(), Pause::SessionEnded) {
        session_loop.journal.append(paused)?;
    }
    session_loop.take_up()?;
    armed::hold(id);
    Ok(Some(format!(
        "overnight: run {} is back in this session, {}; write \"continue\" to go on, /flow stop to end it",
        session_loop.armed.run,
        overview::paused(session_loop.journal.state())
    )))
}

impl SessionLoop<'_> {
    /// This session drives the run from here on, with these limits and tasks.
    pub(super) fn begins(&mut self, config: Config, tasks: Vec<TaskSpec>) -> Result<(), Fault> {
        let walls = self.wall(config.cell)?;
        let config = Config {
            walls: walls.map(|gives| gives.to_string()),
            ..config
        };
        runs::write_epoch(&self.folder, self.armed.epoch)?;
        let client = session::client().unwrap_or_else(Identity::current);
        self.journal.append(DriverStarted {
            epoch: self.armed.epoch,
            pid: client.pid,
            pid_start: client.start,
            session: Some(self.session.to_owned()),
            config,
            tasks,
        })?;
        Ok(())
    }

    /// Drives a run that had a driver before, under a higher number than any of them.
    pub(super) fn take_up(&mut self) -> Result<(), Fault> {
        let state = self.journal.state();
        let config = state.config.clone();
        let pinned = || state.tasks.iter().map(|task| task.spec.clone()).collect();
        let tasks = pinned::read(self.place).unwrap_or_else(|_| pinned());
        let epoch = state.epoch.saturating_add(1);
        self.armed = Armed::new(&self.armed.run, epoch).within(session::client());
        self.begins(config, tasks)?;
        // Leases live with the client that took them.
        if self.journal.state().config.leased {
            steps::share(self)?.settle(&BTreeMap::new());
        }
        session::arm(self.place, self.session, &self.armed)
    }

    /// Goes on with a run that was held. What was under way when it was held is begun once more.
    pub(super) fn go_on(&mut self) -> Result<StopAnswer, Fault> {
        let open = self.journal.state().open.as_ref();
        if open.is_some_and(|open| open.outcome.is_none()) {
            let verdict = Verdict::nothing("the run was held in the middle of it");
            self.journal
                .append(Outcome::of(Ended::Interrupted, Class::None, verdict))?;
        }
        self.advance()
    }

    /// What is said of a run that begins nothing.
    pub(super) fn held(&self) -> String {
        format!(
            "overnight: run {} is {}; /flow resume goes on",
            self.armed.run,
            overview::paused(self.journal.state())
        )
    }

    /// What model and person are told; the person only once that the run is held.
    fn talks(&self, first: bool) -> PromptEffect {
        let run = &self.armed.run;
        PromptEffect::Held(
            format!(
                "Overnight: the person writes in the middle of run {run}, which is held from now on. Answer them, and do what \
                 they ask. Do not go on with the iteration that you were handed: it is handed out anew when they say so."
            ),
            first.then(|| format!(
                "overnight: run {run} is held while you talk; write \"continue\" to go on, /flow stop to end it"
            )),
        )
    }
}
