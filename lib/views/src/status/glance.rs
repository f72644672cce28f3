//! As much of a run as one line tells, of one size whatever the journal's length. It is kept beside
//! the journal and holds only while it is of the journal's whole length.

use super::{Tasks, Vitals, at_hand, cause_name, counts, short};
use crate::summary::{self, Need, NeedKind};
use overnight_run::State;
use overnight_run::event::Door;
use overnight_run::members::name;
use serde::{Deserialize, Serialize};

/// Who wrote it: another version's may mean something else.
const BY: &str = env!("CARGO_PKG_VERSION");

/// A run at a glance.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Glance {
    by: String,
    /// Length in bytes of the journal that it is of.
    pub bytes: u64,
    /// Does it run in a session?
    pub in_session: bool,
    /// The client session that it is bound to.
    #[serde(default)]
    pub session: Option<String>,
    /// Unix time in milliseconds of its start.
    pub started: u64,
    /// Process id and start of its newest driver.
    pub driver: Option<(u32, u64)>,
    /// The boot that its last record was written in.
    pub boot: Option<String>,
    /// What its life is told from.
    pub vitals: Vitals,
    /// The iteration under way, or the last one.
    pub iteration: u32,
    /// Iterations at most.
    pub iterations_max: u32,
    /// What it waits for.
    pub waits_for: Option<String>,
    /// Its tasks, counted.
    pub tasks: Tasks,
    /// What needs a person beside the guard's questions, counted.
    #[serde(default)]
    pub needs: usize,
    /// Dollars spent.
    pub usd: f64,
    /// About how many the attempt under way has cost so far, which no record holds yet.
    #[serde(default)]
    pub open_usd: f64,
    /// Is a part of them reckoned from tokens?
    #[serde(default)]
    pub estimated: bool,
    /// The task at hand; none with members.
    pub task: Option<String>,
    /// How many members it has.
    pub members: u32,
    /// Those of them that have a task.
    pub at_work: Vec<Assignment>,
}

/// A member's time on a task.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Assignment {
    /// The name of its journal's folder.
    pub journal: String,
    /// Unix time in milliseconds at which it got the task.
    pub started: u64,
    /// Dollars of it that the run's own sum holds.
    pub booked_usd: f64,
}

/// What is seen beside a glance.
#[derive(Debug, Clone, Default)]
pub struct Beside {
    /// Unix time in milliseconds now.
    pub now: u64,
    /// Does the newest driver's process live?
    pub alive: bool,
    /// Did its person press Esc in its session? No journal says so.
    pub by_esc: bool,
    /// Questions of this run that wait for an answer.
    pub questions: usize,
    /// Length in bytes of the journal when a person last looked at the run's end; 0: never.
    pub looked: u64,
    /// The members at work that have begun: the name of the journal's folder, the glance, and does
    /// its process live?
    pub members: Vec<(String, Glance, bool)>,
}

impl Beside {
    /// The glance at a member's journal.
    pub(super) fn of(&self, assignment: &Assignment) -> Option<(&Glance, bool)> {
        let mut members = self.members.iter();
        let found = members.find(|(journal, ..)| *journal == assignment.journal);
        found.map(|(_, glance, alive)| (glance, *alive))
    }
}

/// What needs a person, counted. While it runs only what agents declared: the rest is told from the
/// messages of gates, which is too much after each record.
fn needs(state: &State) -> usize {
    if state.finished.is_some() {
        let life = super::life(state, false, state.updated);
        let needs = summary::needs(state, life, &[]);
        // The guard's question, which is counted beside this, is why it ended.
        let asks = state.tasks.iter().any(|task| !task.asks.is_empty());
        let counts = |need: &&Need| !(asks && need.kind == NeedKind::Run);
        return needs.iter().filter(counts).count();
    }
    let tasks = state.tasks.iter();
    tasks.filter(|task| task.needs.is_some()).count()
}

impl Glance {
    /// That of a run in this state, whose journal has this length in bytes.
    pub fn of(state: &State, bytes: u64) -> Self {
        let members = state.config.members;
        let open = state.open.as_ref().map(|open| open.iteration);
        let (run, waiting, vitals) = (state.run.as_ref(), state.waiting, Vitals::of(state));
        let at_work = state.members.at_work.iter();
        let assignment = |at: &overnight_run::members::Assignment| {
            let journal = name(&at.task, at.round);
            let booked = state.members.accounts.get(&journal);
            Assignment {
                started: at.started,
                booked_usd: booked.map_or(0.0, |account| account.spent.usd),
                journal,
            }
        };
        Self {
            by: BY.to_owned(),
            bytes,
            in_session: run.is_some_and(|run| run.door == Door::Session),
            session: state.session.clone(),
            started: run.map_or(0, |run| run.started),
            driver: state.driver,
            boot: state.steady.1.as_ref().map(|now| now.boot.clone()),
            vitals,
            iteration: open.unwrap_or(state.iterations),
            iterations_max: state.config.max_iterations,
            waits_for: waiting.map(|(_, cause)| cause_name(cause).to_owned()),
            tasks: counts(state, vitals.end.is_none()),
            needs: needs(state),
            usd: state.spent_usd,
            open_usd: 0.0,
            estimated: state.tasks.iter().any(|task| task.tally.estimated),
            task: at_hand(state)
                .filter(|_| members == 0)
                .map(|task| short(&task.spec.id)),
            members,
            at_work: at_work
                .filter(|at| (1..=members).contains(&at.member))
                .map(assignment)
                .collect(),
        }
    }

    /// Reads one that this version wrote.
    pub fn read(bytes: &[u8]) -> Option<Self> {
        let glance: Self = serde_json::from_slice(bytes).ok()?;
        (glance.by == BY).then_some(glance)
    }

    /// Does it hold for a journal of this length, behind whose record of `self.bytes` this stands? A
    /// torn end is no record.
    pub fn holds(&self, length: u64, behind: &[u8]) -> bool {
        length == self.bytes.saturating_add(behind.len() as u64) && !behind.contains(&b'\n')
    }
}
