//! What an iteration needs whichever door it comes through: its prompt, the claim it leaves, the
//! gates that prove it, and the progress that people read.

mod closing;
mod globs;
pub(crate) mod receipts;
mod review;
mod specialists;

use crate::cell::Cells;
use crate::files::{self, Content};
use crate::proof::dusk::{self, Evening};
use crate::proof::leftovers;
use crate::proof::setup::SetUp;
use crate::proof::{Claim, Prover};
use crate::signals::Signals;
use crate::state::Place;
use crate::steps::Carrier;
use crate::tasklist::ListFile;
use crate::trees;
use crate::{clock, config, gates, journal, progress, random, runs, sight};
pub(crate) use globs::globs;
use globset::GlobSet;
use overnight_base::code::Code;
use overnight_base::fault::Fault;
use overnight_judge::proof::{Dusk, Proof};
use overnight_judge::signals::plan::{self, Plan};
use overnight_judge::{Evidence, FileState, GateOutcome, Message, Verdict};
use overnight_run::State;
use overnight_run::contest;
use overnight_run::event::{Gates, Intent, Measured};
use overnight_run::flow::brief;
use overnight_run::ledger::{self, Tried};
use overnight_run::listed;
use overnight_run::models;
use overnight_run::progress::Stamp;
use overnight_run::prompt;
use overnight_run::state::Open;
use overnight_run::step::Nudge;
use overnight_views::left;
use overnight_views::summary::{self, progress::snapshot};
pub(crate) use specialists::{found, specialists, unreported};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The start that the core decided, with a nonce of its own; in a fresh client session.
pub(crate) fn intent(
    state: &State,
    (iteration, attempt): (u32, u32),
    task: String,
    nudge: Nudge,
) -> Result<Intent, Fault> {
    let known = state.task(&task);
    let model = known.and_then(|task| models::next(&state.config, &task.spec, task.rung));
    Ok(Intent {
        model: model.map(str::to_owned),
        iteration,
        attempt,
        task,
        check_id: random::hex::<8>()?,
        epoch: state.epoch,
        nudge,
        continues: None,
    })
}

/// Where the agents of a run declare what they claim.
pub(crate) fn decision_file(run_folder: &Path) -> PathBuf {
    run_folder.join("decision.json")
}

/// The prompt of the iteration that the intent begins. `decision_file` is named in it for an agent
/// whose environment does not name it.
pub(crate) fn prompt(
    state: &State,
    intent: &Intent,
    (progress, found, before): (&str, &str, &[Tried]),
    decision_file: Option<&Path>,
) -> String {
    let Some((run, task)) = state.run.as_ref().zip(state.task(&intent.task)) else {
        return String::new();
    };
    let mut gates = task.spec.gates.clone();
    gates.extend(state.config.gates.iter().cloned());
    let own = ledger::tried(state, &intent.task, "");
    let tried = [before, own.as_slice()].concat();
    let mut text = prompt::build(&prompt::Brief {
        goal: &run.goal,
        task,
        iteration: (intent.iteration, state.config.max_iterations),
        last: state.last_on(&intent.task),
        ledger: &ledger::text(&tried),
        told: &messages_about(state, &intent.task),
        nudge: intent.nudge,
        progress,
        found,
        check_id: &intent.check_id,
        decision_file: decision_file.and_then(Path::to_str),
        gates: &gates,
    });
    if state.config.fast {
        text.push_str(&brief::fast(Some(intent.iteration)));
    }
    text
}

/// What the person said that concerns a task, each with its local time.
fn messages_about(state: &State, task: &str) -> Vec<(String, String)> {
    let about = state.steering.about(task);
    about
        .map(|told| (clock::local_text(told.at), told.text.clone()))
        .collect()
}

/// What other runs with the same goal tried on a task in vain, oldest first.
pub(crate) fn tried_before(place: &Place, state: &State, task: &str) -> Vec<Tried> {
    /// Runs that are looked through.
    const RUNS_MAX: usize = 10;
    /// A journal larger than this is left out.
    const BYTES_MAX: u64 = 8 << 20;
    let Some(info) = &state.run else {
        return Vec::new();
    };
    let objective = |state: &State| Some(state.task(task)?.spec.objective.clone());
    let own = objective(state);
    let mut others = runs::all(place);
    others.retain(|run| *run != info.id);
    let newest = others.split_off(others.len().saturating_sub(RUNS_MAX));
    let mut tried = Vec::new();
    for run in newest {
        let journal = place.run_folder(&run).join(journal::FILE);
        if std::fs::metadata(&journal).map_or(u64::MAX, |about| about.len()) > BYTES_MAX {
            continue;
        }
        let Ok(other) = runs::state(place, &run) else {
            continue;
        };
        let same_goal = other.run.as_ref().is_some_and(|run| run.goal == info.goal);
        // The single task of a goal has no words of its own.
        let same = objective(&other) == own
            && (same_goal || own.as_deref().is_some_and(|words| !words.is_empty()));
        if same {
            tried.extend(ledger::tried(&other, task, &run));
        }
    }
    tried
}

/// The boxes of the project's plan file, where there is one that can be read.
pub(crate) fn plan(place: &Place) -> Option<Plan> {
    plan::PLACES.iter().find_map(|name| {
        match files::read_bounded(&place.top.join(name), plan::BYTES_MAX) {
            Ok(Content::Bytes(bytes)) => Some(plan::read(&String::from_utf8_lossy(&bytes))),
            _ => None,
        }
    })
}

/// What the project's summary tells the next iteration; empty where there is none.
pub(crate) fn progress_so_far(place: &Place) -> String {
    progress::summary(place).ok().flatten().unwrap_or_default()
}

/// Runs gates where the agent works, within the iteration's time; gives what they said and the content
/// of the scripts that they name.
fn run_in_place(
    (place, cells): (&Place, Option<&Cells>),
    state: &State,
    commands: &[String],
) -> (Vec<GateOutcome>, BTreeMap<String, String>) {
    let (limit, before) = (limit(state), before(state));
    let room = gates::Room::place(&place.top).within(cells);
    let outcomes = gates::run_all_guarded(room, commands, limit, &before);
    (outcomes, gates::pins(&place.top, &every_gate(state)))
}

fn limit(state: &State) -> Duration {
    Duration::from_millis(state.config.task_timeout_ms)
}

/// What each gate said the last time: a result that flips is run once more.
fn before(state: &State) -> BTreeMap<String, bool> {
    let gates = state
        .history
        .iter()
        .flat_map(|iteration| &iteration.verdict.gates);
    gates
        .map(|gate| (gate.command.clone(), gate.passed()))
        .collect()
}

/// Where the gates of a run are run.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Court<'a> {
    /// The work tree of the agent.
    pub(crate) place: &'a Place,
    /// The tree with the ignored files that gates need: the person's.
    pub(crate) home: &'a Path,
    /// The folder of the run's journal.
    pub(crate) folder: &'a Path,
    /// The run so far.
    pub(crate) state: &'a State,
    /// The cells that they run in, if they do.
    pub(crate) cells: Option<&'a Cells>,
    /// May the branch that is checked out move to what the agent left uncommitted?
    pub(crate) own_branch: bool,
    /// Tells whoever watches the run.
    pub(crate) say: fn(&str),
    /// What interrupts who carries the run.
    pub(crate) signals: Option<&'a Signals>,
}

impl<'a> Court<'a> {
    /// Of a run that somebody carries; a member's branch is its own whatever it is called.
    pub(crate) fn of(
        carrier: &'a impl Carrier,
        cells: Option<&'a Cells>,
        is_members: bool,
    ) -> Self {
        let place = carrier.place();
        let prefix = config::load(Some(place)).settings.guard.branch_prefix;
        let own = |branch: String| branch.starts_with(&prefix);
        Self {
            place,
            home: &place.home,
            folder: carrier.folder(),
            state: carrier.journal().state(),
            cells,
            own_branch: is_members || place.branch().is_some_and(own),
            say: carrier.say(),
            signals: carrier.signals(),
        }
    }
}

impl Court<'_> {
    /// Is there a room, or do gates run in place?
    fn has_room(&self) -> bool {
        self.place.git_common.is_some() && !self.state.config.in_place
    }

    /// Sees what the gates say before the work begins.
    pub(crate) fn measure(&self, commands: &[String]) -> Measured {
        if self.has_room() && (self.state.dusk.is_some() || self.state.baseline_of.is_empty()) {
            let protect = globs(&self.state.config.protect);
            let evening = Evening {
                begun_at: self.below_branch(),
                place: self.place,
                home: self.home,
                run: self.folder,
                limit: limit(self.state),
                cells: self.cells,
                protect: &protect,
                setup: self.setup(None),
            };
            match dusk::note(evening, self.state.dusk.as_ref(), commands) {
                Ok((dusk, outcomes)) => {
                    dusk.notes.iter().for_each(|note| (self.say)(note));
                    return Measured {
                        outcomes,
                        pins: BTreeMap::new(),
                        dusk: Some(dusk),
                    };
                }
                Err(fault) => (self.say)(&format!(
                    "no proof room, gates run where the agent works: {fault}"
                )),
            }
        }
        let (outcomes, pins) = run_in_place((self.place, self.cells), self.state, commands);
        for note in dusk::cannot_start(&outcomes) {
            (self.say)(&note);
        }
        Measured {
            outcomes,
            pins,
            dusk: None,
        }
    }

    /// A member's branch may hold earlier work on its task, or what a repair begins with: its claim is
    /// weighed against the line below it.
    fn below_branch(&self) -> Option<&str> {
        let run = self.state.run.as_ref()?;
        trees::is_members(self.place).then_some(run.head.as_deref()?)
    }

    /// Tries the open iteration's claim.
    pub(crate) fn prove(&self, commands: &[String]) -> Gates {
        let Some(dusk) = self.state.dusk.as_ref().filter(|_| self.has_room()) else {
            let (outcomes, pins) = run_in_place((self.place, self.cells), self.state, commands);
            return Gates {
                outcomes,
                pins,
                proof: None,
            };
        };
        match self.try_claim(dusk, commands) {
            Ok((outcomes, proof)) => Gates {
                outcomes,
                pins: BTreeMap::new(),
                proof: Some(proof),
            },
            Err(fault) => {
                let reason = format!("the claim could not be tried: {fault}");
                let proof = Proof::untried(reason, self.state.notes.clone());
                Gates {
                    outcomes: Vec::new(),
                    pins: BTreeMap::new(),
                    proof: Some(proof),
                }
            }
        }
    }

    fn try_claim(
        &self,
        dusk: &Dusk,
        commands: &[String],
    ) -> Result<(Vec<GateOutcome>, Proof), Fault> {
        let commit = self.leftovers()?;
        let open = self
            .state
            .open
            .as_ref()
            .and_then(|open| self.state.task(&open.task));
        let own = open
            .map(|task| task.spec.may_change.as_slice())
            .unwrap_or_default();
        let may_change: Vec<String> = own
            .iter()
            .chain(&self.state.config.may_change)
            .cloned()
            .collect();
        let protect = globs(&self.state.config.protect);
        let before = before(self.state);
        let goal = self.state.run.as_ref().map_or("", |run| &run.goal);
        let words = format!("{goal}\n{}", open.map_or("", |task| &task.spec.objective));
        self.prover(dusk, &protect).prove(Claim {
            commit: &commit,
            gates: commands,
            may_change: &globs(&may_change),
            before: &before,
            words: &words,
            proved: self.state.last_proved(),
            contested: open.is_some_and(|task| task.back.contested),
            granted: &contest::known(self.state),
        })
    }

    fn prover<'p>(&'p self, dusk: &'p Dusk, protect: &'p GlobSet) -> Prover<'p> {
        Prover {
            place: self.place,
            home: self.home,
            run: self.folder,
            dusk,
            baseline: &self.state.baseline,
            limit: limit(self.state),
            since: self.state.run.as_ref().map_or(0, |run| run.started),
            cells: self.cells,
            protect,
            setup: self.setup(Some(&dusk.commit)),
            notes: &self.state.notes,
        }
    }

    /// What makes ignored files; `dusk` is the commit that the run is compared with. Of a member the line
    /// may hold agents' work by then: what is the person's own is what its run began with.
    fn setup<'p>(&'p self, dusk: Option<&'p str>) -> SetUp<'p> {
        let config = &self.state.config;
        SetUp {
            commands: &config.setup,
            persons: config.begun.as_deref().or(dusk),
        }
    }

    fn leftovers(&self) -> Result<String, Fault> {
        leftovers::commit(
            self.place,
            (self.folder, self.own_branch),
            &left::message(self.state),
        )
    }
}

/// The gates of all tasks and the person's own: a script counts as changed whoever's gate it is.
pub(crate) fn every_gate(state: &State) -> Vec<String> {
    let own = state.tasks.iter().flat_map(|task| &task.spec.gates);
    own.chain(&state.config.gates).cloned().collect()
}

/// Brings `progress/` and the task list's statuses up to date with the run.
pub(crate) fn write_progress(place: &Place, state: &State) -> Result<(), Fault> {
    write_statuses(place, state)?;
    progress::bring_reports(place)?;
    let run = state.run.as_ref();
    let stamp = Stamp {
        session: run.map(|run| run.id.clone()).unwrap_or_default(),
        when: clock::stamp_text(clock::wall_ms()),
    };
    // What is seen of a run by the one that writes its journal.
    let seen = sight::seen(place, &stamp.session, state, 0);
    let view = snapshot(state, &summary::of(state, &seen, None));
    progress::update(place, |model| model.apply(&view, &stamp)).map(drop)
}

/// Writes where the run's tasks stand into the task list, if they come from one and changed.
fn write_statuses(place: &Place, state: &State) -> Result<(), Fault> {
    let file = ListFile::of(place, None);
    let Some(bytes) = file.bytes()? else {
        return Ok(());
    };
    let Ok(list) = overnight_tasks::parse(&bytes) else {
        // A list that a person is just rewriting is left alone.
        return Ok(());
    };
    for status in overnight_tasks::Status::ALL {
        let changed = |task: &&overnight_tasks::Task| {
            task.status != status && listed::status(state, task.id.as_str()) == Some(status)
        };
        let ids: Vec<_> = list
            .tasks
            .iter()
            .filter(changed)
            .map(|task| task.id.clone())
            .collect();
        if !ids.is_empty() {
            file.set_status(&ids, status)?;
        }
    }
    Ok(())
}

/// Moves a decision file of an earlier attempt aside: only a fresh one can be this attempt's.
pub(crate) fn set_aside(decision: &Path, open: &Open) -> Result<(), Fault> {
    let (iteration, attempt) = (open.iteration, open.attempt);
    let aside = decision.with_file_name(format!("decision-before-{iteration}-{attempt}.json"));
    // Agents write in this folder: whatever stands in the way was put there.
    if aside.is_dir() {
        let _ = std::fs::remove_dir_all(&aside);
    }
    match std::fs::rename(decision, &aside) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(Fault::new(
            Code::FileWrite,
            format!("{}: {error}", decision.display()),
        )),
        _ => Ok(()),
    }
}

/// What the attempt claims: by its decision file first, then by its last message.
pub(crate) fn claim(decision: &Path, check_id: &str, said: &Message) -> Result<Verdict, Fault> {
    let file = files::read_bounded(decision, overnight_judge::file::BYTES_MAX)?;
    Ok(overnight_judge::claim(&Evidence {
        file: match &file {
            Content::Bytes(bytes) => FileState::Bytes(bytes),
            Content::Missing => FileState::Missing,
            Content::Refused(what) => FileState::Refused(what),
        },
        check_id: Some(check_id),
        said,
        gates: &[],
        objections: &[],
    }))
}
