//! A reviewer: a fresh client that only reads, in the proof room at the claimed commit, asked until its
//! answer can be read.

use super::Court;
use crate::cell::Watch;
use crate::client::{self, Client};
use crate::files;
use crate::process;
use crate::proof;
use crate::state;
use overnight_base::code::Code;
use overnight_base::fault::Fault;
use overnight_base::text::one_line;
use overnight_judge::review;
use overnight_run::budget::Share;
use overnight_run::review::{ANSWERS_MAX, Question, Reviewed};
use std::os::unix::fs::OpenOptionsExt;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

/// How often it is looked whether the reviewer ended.
const LOOK: Duration = Duration::from_millis(50);
/// How long one that was told to end may take.
const GRACE: Duration = Duration::from_secs(2);

impl Court<'_> {
    /// Asks a reviewer about the open claim; `None` where that was interrupted. Without an answer the
    /// claim stands as it does, and the reason is told.
    pub(crate) fn review(&self) -> Option<Reviewed> {
        let began = Instant::now();
        let mut came = Reviewed::default();
        let asked = self.try_review(&mut came);
        if self.is_over() {
            return None;
        }
        if let Err(fault) = asked {
            came.problem = one_line(&fault.reason, 300);
        }
        came.ms = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
        Some(came)
    }

    fn is_over(&self) -> bool {
        self.signals
            .is_some_and(|signals| signals.interrupted().is_some())
    }

    fn try_review(&self, came: &mut Reviewed) -> Result<(), Fault> {
        let state = self.state;
        let (Some(wanted), Some(run)) = (&state.config.review, &state.run) else {
            return Ok(());
        };
        let commit = match &self.place.git_common {
            Some(_) => Some(self.leftovers()?),
            None => None,
        };
        let change = commit.as_deref().map_or(Ok(String::new()), |commit| {
            let base = self.reviewed_from();
            proof::change(self.place, base.unwrap_or(commit), commit)
        })?;
        let room = match commit.as_deref().filter(|_| !state.config.in_place) {
            Some(commit) => Some(proof::Reading::enter(self.place, commit)?),
            None => None,
        };
        let top = room
            .as_ref()
            .map_or(self.place.top.as_path(), |room| room.top());
        let open = state.open.as_ref().and_then(|open| state.task(&open.task));
        let question = Question {
            wanted,
            goal: &run.goal,
            objective: open.map_or("", |task| &task.spec.objective),
            change: &change,
        };
        let mut problem = None;
        while came.answers < ANSWERS_MAX && !self.is_over() {
            came.answers += 1;
            let answer = self.ask(top, &question.prompt(problem.as_deref()), came)?;
            match review::read(&answer) {
                Ok(review) => {
                    came.review = Some(review);
                    return Ok(());
                }
                Err(wrong) => problem = Some(wrong),
            }
        }
        let reason = problem.unwrap_or_default();
        Err(Fault::new(Code::ClientFailed, reason))
    }

    /// What was proved last, or where the run began.
    fn reviewed_from(&self) -> Option<&str> {
        let proved = self.state.history.iter().rev().find_map(|past| {
            let commit = past.verdict.commit.as_deref();
            commit.filter(|commit| past.verdict.complete() && !commit.is_empty())
        });
        let dusk = self.state.dusk.as_ref().map(|dusk| dusk.commit.as_str());
        proved
            .or(dusk)
            .or_else(|| self.state.run.as_ref()?.head.as_deref())
    }

    /// One answer, with what it cost.
    fn ask(&self, top: &Path, prompt: &str, came: &mut Reviewed) -> Result<String, Fault> {
        let folder = self.folder.join("review");
        files::create_private_folder(&folder)?;
        let iteration = self.state.open.as_ref().map_or(0, |open| open.iteration);
        let raw = folder.join(format!("{iteration}-{}.jsonl", came.answers));
        let asked = raw.with_extension("prompt.md");
        files::write_atomic(&asked, prompt.as_bytes(), files::PRIVATE)?;
        let (child, _watch) = self.start(top, (&asked, &raw))?;
        self.wait(child)?;
        let ending = client::read_stream(&raw, 0)?;
        came.cost_usd += ending.cost_usd;
        came.tokens = came
            .tokens
            .saturating_add(ending.total().0.max(ending.seen().0));
        if !ending.has_result {
            let reason = "the client ended without a result";
            return Err(Fault::new(Code::ClientFailed, reason));
        }
        Ok(ending.text)
    }

    fn start(
        &self,
        top: &Path,
        (asked, raw): (&Path, &Path),
    ) -> Result<(Child, Option<Watch>), Fault> {
        let config = &self.state.config;
        let left = match self.state.share(config, 1) {
            Share::Of(limits) => limits.usd,
            Share::Wait | Share::Spent => Some(0.0),
        };
        let mut command = Client::find()?.reads_only(config.review_model.as_deref(), left);
        let unwritten = |error: std::io::Error| {
            Fault::new(Code::FileWrite, format!("{}: {error}", raw.display()))
        };
        let stdin = std::fs::File::open(asked).map_err(unwritten)?;
        let stdout = std::fs::OpenOptions::new()
            .create(true)
            .write(true)
            .truncate(true)
            .mode(files::PRIVATE)
            .open(raw)
            .map_err(unwritten)?;
        let finish = |command: &mut std::process::Command| {
            command
                .current_dir(top)
                .stdin(Stdio::from(stdin))
                .stdout(stdout)
                .stderr(Stdio::null())
                .process_group(0);
        };
        let started = if let Some(cells) = self.cells {
            let place = state::locate(top)?;
            let cell = cells.agent(&place, self.folder, true)?;
            cell.spawn(command, &[], finish)
        } else {
            finish(&mut command);
            command.spawn().map(|child| (child, None))
        };
        started.map_err(|error| Fault::new(Code::CommandStart, format!("claude: {error}")))
    }

    /// Waits for the reviewer's end, its deadline, or until all is over.
    fn wait(&self, mut child: Child) -> Result<(), Fault> {
        let limit = super::limit(self.state);
        let began = Instant::now();
        loop {
            let ended = child.try_wait().map_err(|error| {
                Fault::new(
                    Code::Defect,
                    format!("cannot wait for the reviewer: {error}"),
                )
            })?;
            if ended.is_some() {
                return Ok(());
            }
            if self.is_over() || began.elapsed() >= limit {
                process::end_group(child.id(), GRACE);
                let _ = child.wait();
                let reason = "the reviewer did not answer in time";
                return Err(Fault::new(Code::TaskTimeout, reason));
            }
            std::thread::sleep(LOOK);
        }
    }
}
