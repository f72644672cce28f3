//! The state of a run: the fold of its journal, never stored elsewhere.

use super::budget::{self, Amount, Share};
use super::config::Config;
use super::continuity::{self, Session};
use super::event::{Broke, Context, Deadline, Door, Gates, Outcome, RunStarted};
use super::history::History;
use super::hold::Pause;
use super::hunks::Hunks;
use super::joined::Fleet;
use super::leased::Leased;
use super::members::Members;
use super::models::Rung;
use super::placed::{Placed, Published};
use super::review::Reviewed;
use super::scope::Touched;
use super::signal::Rows;
use super::steer::Steering;
use super::step::{Reason, WaitCause};
use super::tally::Tally;
use super::task::{Status, TaskSpec};
use crate::breaker::clock::Reading;
use crate::breaker::{self, Breaker};
use overnight_judge::Verdict;
use overnight_judge::gates::Baseline;
use overnight_judge::proof::Dusk;
use overnight_judge::proof::contest::{Changed, Contest};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// How many starts are remembered for the sliding window; the window's limit is checked against
/// the newest of them, so this also bounds `calls_per_hour`.
pub const CALLS_REMEMBERED_MAX: usize = 10_000;

/// Everything that decisions are made from.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct State {
    /// The run, once it has begun.
    pub run: Option<RunInfo>,
    /// The work tree of its own, where it has one.
    pub placed: Option<Box<Placed>>,
    /// Where its work was offered last.
    pub published: Option<Box<Published>>,
    /// What a person said to it.
    pub steering: Box<Steering>,
    /// Limits in force.
    pub config: Config,
    /// Were they said, or are they the usual ones?
    pub configured: bool,
    /// The newest driver's number; 0 before the first.
    pub epoch: u64,
    /// Process id and start of the newest driver.
    pub driver: Option<(u32, u64)>,
    /// The client session that the run is bound to.
    pub session: Option<String>,
    /// Tasks in the order of the list.
    pub tasks: Vec<TaskState>,
    /// What the gates said before the work began.
    pub baseline: Baseline,
    /// The gates that the baseline holds, those without tests included.
    pub baseline_of: BTreeSet<String>,
    /// What proofs compare with: the commit that the run starts from, and what its gates showed.
    pub dusk: Option<Dusk>,
    /// By name, what identifies the notes of the run's last proof.
    pub notes: BTreeMap<String, String>,
    /// What of the change gates miss when it is taken back.
    pub hunks: Hunks,
    /// Changed tests that a person let count.
    pub granted: Vec<Changed>,
    /// What the gates said once every task was done, by command, until a task is worked on again.
    pub closed: BTreeMap<String, bool>,
    /// Paths that the cell refused, and in how many attempts.
    pub walled: BTreeMap<String, u32>,
    /// Limits of the cell that ended its agents, and how often.
    pub limited: BTreeMap<String, u32>,
    /// Iterations judged so far.
    pub iterations: u32,
    /// The iteration that is not judged yet.
    pub open: Option<Open>,
    /// Unix times in milliseconds of the last agent starts, oldest first.
    pub starts: VecDeque<u64>,
    /// Dollars spent, failed and lost attempts included as far as they were reported.
    pub spent_usd: f64,
    /// Tokens spent.
    pub spent_tokens: u64,
    /// How full the context window of the last attempt that said so was.
    pub context: Option<Context>,
    /// The client's sessions, the newest last.
    pub sessions: Vec<Session>,
    /// What members hold of the budget.
    pub reserved: BTreeMap<String, Amount>,
    /// Dollars that the client named, and the input tokens that they bought: its price.
    pub priced: (f64, u64),
    /// Dollars of the last attempts, each with the Unix time in milliseconds of its end.
    pub costs: VecDeque<(u64, f64)>,
    /// The wait that is under way: until when, and why.
    pub waiting: Option<(u64, WaitCause)>,
    /// Why nothing is begun, if a person or the end of its session holds it.
    pub paused: Option<Pause>,
    /// Why it ended, if it did.
    pub finished: Option<Reason>,
    /// Unix time in milliseconds at which the last driver ended it: what a person does later is no
    /// longer the night.
    pub ended: Option<u64>,
    /// When the drivers before this one ended it, and after how many iterations: one that finds nothing more to do
    /// makes the night no longer.
    pub rested: Option<(u64, u32)>,
    /// A signal that ended the last driver.
    pub interrupted: Option<i32>,
    /// What each judged iteration came to, oldest first.
    pub history: History,
    /// Unix time in milliseconds of the last record.
    pub updated: u64,
    /// Members, their work and its merges, in a run that has them.
    pub members: Members,
    /// Leases of its tasks, in a run that shares its list with others.
    pub leased: Leased,
    /// The machines that it shares its list with, of a run that joined.
    pub fleet: Fleet,
    /// Time that no jump of the wall clock moves, in milliseconds, and the clocks it was read from.
    pub steady: (u64, Option<Reading>),
}

/// What a run is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunInfo {
    /// Its id.
    pub id: String,
    /// Its door.
    pub door: Door,
    /// The goal's text.
    pub goal: String,
    /// Top of its work tree.
    pub top: String,
    /// The commit it started from.
    pub head: Option<String>,
    /// The branch that was checked out when it started.
    pub branch: Option<String>,
    /// Unix time in milliseconds of its start.
    pub started: u64,
}

impl RunInfo {
    /// A run that began at this Unix time in milliseconds.
    pub(super) fn begun(event: &RunStarted, now: u64) -> Self {
        Self {
            id: event.run.clone(),
            door: event.door,
            goal: event.goal.clone(),
            top: event.top.clone(),
            head: event.head.clone(),
            branch: event.branch.clone(),
            started: now,
        }
    }
}

/// A task and its counters.
#[derive(Debug, Clone, PartialEq)]
pub struct TaskState {
    /// What is to be done.
    pub spec: TaskSpec,
    /// Where it stands.
    pub status: Status,
    /// Iterations judged on it.
    pub iterations: u32,
    /// Failed iterations in a row.
    pub failures: u32,
    /// Unreadable decisions in a row, each with what was found.
    pub unreadable: Vec<String>,
    /// Its circuit breaker.
    pub breaker: Breaker,
    /// Why it is blocked.
    pub blocked: Option<Block>,
    /// Questions to a person that it came upon and that wait for an answer.
    pub asks: Vec<u64>,
    /// What its agent declared that only a person can give; it waits for that.
    pub needs: Option<String>,
    /// The files that it changed, each with what was there before.
    pub touched: Touched,
    /// Its exit signals in a row.
    pub signals: Rows,
    /// What it took so far.
    pub tally: Tally,
    /// What a claim of it went back for.
    pub back: Back,
    /// How far it climbed among the models.
    pub rung: Rung,
    /// Was it done, and is refuted by the end of the run?
    pub reopened: bool,
    /// What broke it after it was done, until it is done again.
    pub broken: Option<Broke>,
    /// The claim that waits for a person to read its changed tests.
    pub contest: Option<Contest>,
}

/// What a claim goes back for once.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Back {
    /// Nothing was red before.
    pub never_red: bool,
    /// It looks special-cased.
    pub special: bool,
    /// It changed tests.
    pub contested: bool,
    /// How often a reviewer sent it back.
    pub reviewed: u32,
}

/// Why a task is blocked.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Block {
    /// What happened, for a person.
    pub reason: String,
    /// Did the circuit breaker do it?
    pub by_breaker: bool,
    /// The branch of its work, where only a person can merge it.
    pub unmerged: Option<String>,
}

impl Block {
    /// What happened to this task, and what a person does about it.
    pub fn told(&self, task: &str) -> String {
        match &self.unmerged {
            Some(branch) => format!(
                "{}; merge {branch} by hand, then: overnight tasks done {task}",
                self.reason
            ),
            None => self.reason.clone(),
        }
    }
}

impl TaskState {
    /// A task that nobody has worked on.
    pub fn new(spec: TaskSpec) -> Self {
        let status = match (spec.done, spec.ended) {
            (true, _) => Status::Done,
            (_, true) => Status::Blocked,
            _ => Status::Todo,
        };
        let blocked = (status == Status::Blocked).then(|| Block {
            reason: "an earlier run gave it up in error; its status in tasks.json set to \"todo\" begins it anew"
                .to_owned(),
            ..Block::default()
        });
        Self {
            spec,
            status,
            iterations: 0,
            failures: 0,
            unreadable: Vec::new(),
            breaker: Breaker::default(),
            blocked,
            asks: Vec::new(),
            needs: None,
            touched: Touched::default(),
            signals: Rows::default(),
            tally: Tally::default(),
            back: Back::default(),
            rung: Rung::default(),
            reopened: false,
            broken: None,
            contest: None,
        }
    }
}

impl TaskState {
    /// Where a stronger model is left, a task that was refuted begins anew with it instead of being given
    /// up.
    pub(super) fn climb(&mut self, config: &Config, failed: bool) {
        let open = self.breaker.state == breaker::State::Open;
        let stuck = self.failures >= config.failures_max || open;
        if self.rung.climbs((config, &self.spec), failed, stuck) {
            self.failures = 0;
            self.unreadable.clear();
            self.breaker.close();
        }
    }

    /// Was it given up? Not where only a person's word is missing: its work waits for that.
    pub fn is_given_up(&self) -> bool {
        self.status == Status::Blocked
            && self.needs.is_none()
            && self.contest.is_none()
            && self.asks.is_empty()
    }

    /// May other tasks build upon it? Also where only a person's word on changed tests is missing.
    pub fn carries(&self) -> bool {
        self.status == Status::Done || self.contest.is_some()
    }
}

/// An iteration under way.
#[derive(Debug, Clone, PartialEq)]
pub struct Open {
    /// Its number.
    pub iteration: u32,
    /// Its newest attempt.
    pub attempt: u32,
    /// Attempts that ended without a result, in a row.
    pub lost: u32,
    /// Waits for the service in a row, for the back-off.
    pub retries: u32,
    /// Its task.
    pub task: String,
    /// The nonce of its judgement.
    pub check_id: String,
    /// The model that works on it.
    pub model: Option<String>,
    /// The client session that its attempt goes on in.
    pub continues: Option<String>,
    /// Unix time in milliseconds of the attempt's start.
    pub started: u64,
    /// Process id and start of the agent, once it exists.
    pub agent: Option<(u32, u64)>,
    /// Where its output begins in the iteration's file.
    pub offset: u64,
    /// What came of the attempt.
    pub outcome: Option<Outcome>,
    /// Did a driver start since it ended? Then somebody has seen to what stopped the run.
    pub resumed: bool,
    /// What the gates said.
    pub gates: Option<Gates>,
    /// What a reviewer said.
    pub review: Option<Reviewed>,
}

/// A judged iteration, for the next prompt and for people.
#[derive(Debug, Clone, PartialEq)]
pub struct Iteration {
    /// Its number.
    pub number: u32,
    /// Its attempts.
    pub attempts: u32,
    /// Its task.
    pub task: String,
    /// The model that worked on it; none: the client's own choice.
    pub model: Option<String>,
    /// Unix times in milliseconds.
    pub started: u64,
    /// Unix times in milliseconds.
    pub ended: u64,
    /// The judgement.
    pub verdict: Verdict,
    /// Specialist agents that were to look at it and did not report.
    pub unreported: Vec<String>,
    /// The deadline that ended it, if one did.
    pub timed_out: Option<Deadline>,
    /// Files that changed.
    pub changed: u64,
    /// Dollars of its last attempt.
    pub cost_usd: f64,
    /// The end of the agent's last message.
    pub said: String,
}

impl State {
    /// The task of this id.
    pub fn task(&self, id: &str) -> Option<&TaskState> {
        self.tasks.iter().find(|task| task.spec.id == id)
    }

    /// How many tasks have this status.
    pub fn count(&self, status: Status) -> usize {
        self.tasks
            .iter()
            .filter(|task| task.status == status)
            .count()
    }

    /// The task that an iteration would work on at this Unix time in milliseconds: one that a person put
    /// first or gave what it waited for; of those that had the fewest turns the one begun, else the first
    /// whose dependencies are done. One that waits for a person's answer comes after the others, and last
    /// one whose breaker has cooled down. What other agents have is none.
    pub fn ready_task(&self, now: u64) -> Option<&TaskState> {
        let open = |status| matches!(status, Status::Todo | Status::Doing);
        let ready = |task: &&TaskState| {
            open(task.status)
                && !self.leased.is_elsewhere(&task.spec.id, now)
                && !self.steering.held.contains(&task.spec.id)
                && !self.steering.dropped.contains(&task.spec.id)
                && task
                    .spec
                    .depends_on
                    .iter()
                    .all(|id| self.task(id).is_some_and(TaskState::carries))
        };
        let begun = |task: &&TaskState| task.status == Status::Doing;
        let free = |task: &&TaskState| task.asks.is_empty();
        let tasks = || self.tasks.iter().filter(ready);
        let turns = |task: &TaskState| task.iterations.checked_div(self.config.turn);
        let fewest = tasks().filter(free).map(turns).min();
        let due = |task: &&TaskState| free(task) && fewest == Some(turns(task));
        let first = || {
            let mut wishes = self.steering.first.iter();
            wishes.find_map(|id| tasks().find(|task| task.spec.id == *id))
        };
        let mut choices = [
            first(),
            tasks().filter(due).find(begun),
            tasks().find(due),
            tasks().find(begun),
            tasks().next(),
            self.cooled_down(now),
        ];
        choices.iter_mut().find_map(Option::take)
    }

    /// The first task that only its breaker held, and that may be tried once more.
    fn cooled_down(&self, now: u64) -> Option<&TaskState> {
        self.tasks.iter().find(|task| {
            task.status == Status::Blocked
                && !self.steering.held.contains(&task.spec.id)
                && !self.leased.is_elsewhere(&task.spec.id, now)
                && task.blocked.as_ref().is_some_and(|block| block.by_breaker)
                && task.breaker.at(self.steady.0) == breaker::State::HalfOpen
        })
    }

    /// What was spent of the budget, by other machines too.
    pub fn spent(&self) -> Amount {
        let others = &self.fleet.others.spent;
        Amount {
            usd: self.spent_usd + others.usd,
            tokens: self.spent_tokens.saturating_add(others.tokens),
        }
    }

    /// What one of `seats` members without a share may spend now. Machines that share the list share its
    /// budget.
    pub fn share(&self, config: &Config, seats: u32) -> Share {
        let (spent, others) = (self.spent(), &self.fleet.others);
        let seats = seats.saturating_add(others.seats);
        budget::share(
            &config.limits(),
            spent,
            (&self.reserved, others.held),
            seats,
        )
    }

    /// Dollars of the attempts that ended within the last hour.
    pub fn hourly_usd(&self, now: u64) -> f64 {
        const HOUR_MS: u64 = 3_600_000;
        self.costs
            .iter()
            .filter(|(at, _)| now < at.saturating_add(HOUR_MS))
            .map(|(_, dollars)| dollars)
            .sum()
    }

    /// The client session in which the next iteration on this task goes on; `None`: a fresh one.
    pub fn session_for(&self, task: &str, now: u64) -> Option<&str> {
        continuity::next(&self.sessions, task, now).filter(|_| self.config.continue_session)
    }

    /// The commit that the run proved last.
    pub fn last_proved(&self) -> Option<&str> {
        let mut verdicts = self.history.iter().rev().map(|past| &past.verdict);
        let proved = verdicts.find(|verdict| verdict.complete() && verdict.commit.is_some())?;
        proved.commit.as_deref()
    }

    /// The last judged iteration on this task.
    pub fn last_on(&self, task: &str) -> Option<&Iteration> {
        self.history.on(task).next_back()
    }
}
