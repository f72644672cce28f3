//! Where a run stands, from its journal and from what is seen of its driver: what a person asks
//! first in the morning.

mod glance;
mod history;
mod line;
mod member;
pub(crate) mod text;
mod vitals;

use crate::summary::work::Alive;
use crate::summary::{Ending, Standing as Place, Summary};
use overnight_base::exit::Exit;
use overnight_base::text::one_line;
use overnight_judge::TestCounts;
use overnight_run::breaker;
use overnight_run::budget::to_micros;
use overnight_run::classify::Class;
use overnight_run::event::{Context, Door};
use overnight_run::fleet::Machine;
use overnight_run::state::TaskState;
use overnight_run::step::WaitCause;
use overnight_run::task::Status as Standing;
use overnight_run::{Reason, State, overview};
use serde::{Deserialize, Serialize};

pub use crate::summary::{Need, broken_off, needs};
pub use glance::{Assignment, Beside, Glance};
pub use history::{Merges, Past};
pub use line::line;
pub(crate) use member::unbooked;
pub use member::{Doing, Member, MemberSeen};
pub use text::text;
pub use vitals::{Life, Vitals, life};

/// Characters of a text from a journal in one line.
const LINE_CHARS_MAX: usize = 200;

/// What the journal cannot say.
#[derive(Debug, Clone, Default)]
pub struct Seen {
    /// Unix time in milliseconds now.
    pub now: u64,
    /// Does the newest driver's process live?
    pub alive: bool,
    /// Bytes of a torn end.
    pub torn_bytes: u64,
    /// Questions of this run that wait for an answer: id and call.
    pub questions: Vec<(String, String)>,
    /// Path of the journal.
    pub journal: String,
    /// Folder of what the agents printed.
    pub logs: String,
    /// The journals of the members at work.
    pub members: Vec<MemberSeen>,
    /// Agents of the run whose processes live.
    pub agents: Vec<Alive>,
    /// Dollars of iterations that are open, by the streams of their agents: an estimate.
    pub open_usd: f64,
    /// Tasks whose newest iteration is not judged, each with what its agent has said last.
    pub unjudged: Vec<(String, String)>,
    /// The other machines that work on the list, as far as this clone heard of them.
    pub machines: Vec<Machine>,
}

/// The task that is worked on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Current {
    /// Its id.
    pub id: String,
    /// Unix time in milliseconds of the last change: a record of the journal.
    pub changed_ms: u64,
    /// Milliseconds since then.
    pub for_ms: u64,
}

/// Tasks by where they stand.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tasks {
    /// Proved done.
    pub done: usize,
    /// Begun.
    pub doing: usize,
    /// Given up until a person helps.
    pub blocked: usize,
    /// Not begun.
    pub left: usize,
}

impl Tasks {
    /// Tasks in all; none before a driver has made everything ready.
    pub(crate) fn all(self) -> usize {
        self.done + self.doing + self.blocked + self.left
    }

    /// How many are done, in a row of figures.
    pub(crate) fn done_of(self) -> String {
        match self.all() {
            0 => "not begun".to_owned(),
            all => format!("{}/{all} done", self.done),
        }
    }
}

/// A task that is blocked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Blocked {
    /// The task.
    pub task: String,
    /// Why.
    pub reason: String,
}

/// The breaker of the task at hand.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Breaker {
    /// Closed, open or half-open.
    pub state: breaker::State,
    /// Why it opened.
    pub reason: Option<breaker::Reason>,
    /// Iterations in a row without progress, and when it opens.
    pub no_progress: (u32, u32),
    /// In a row with the same error, and when it opens.
    pub same_error: (u32, u32),
    /// In a row with denied permissions, and when it opens.
    pub denials: (u32, u32),
    /// Milliseconds until a probe may start.
    pub cool_down_ms: u64,
}

/// A wait, or a limit that ended the run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Limit {
    /// Why.
    pub cause: &'static str,
    /// Unix time in milliseconds at which it is over, if known.
    pub until_ms: Option<u64>,
}

/// Dollars.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Cost {
    /// Spent so far.
    pub usd: f64,
    /// The budget, if there is one.
    pub budget_usd: Option<f64>,
}

/// Where a run stands.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Status {
    /// The run's id.
    pub run: String,
    /// What it does.
    pub state: Life,
    /// The exit status that says so.
    pub exit: u8,
    /// Why it ended, in one line.
    pub summary: Option<String>,
    /// The first line of the goal.
    pub goal: String,
    /// How the agents are started: `driver` or `session`.
    pub door: Option<Door>,
    /// The iteration under way, or the last one.
    pub iteration: u32,
    /// Iterations at most.
    pub iterations_max: u32,
    /// The task at hand.
    pub task: Option<Current>,
    /// Unix time in milliseconds of its start.
    pub started_ms: u64,
    /// Unix time in milliseconds of its last record.
    pub updated_ms: u64,
    /// The breaker of the task at hand.
    pub breaker: Option<Breaker>,
    /// The tasks, counted.
    pub tasks: Tasks,
    /// Blocked tasks with their reasons.
    pub blocked: Vec<Blocked>,
    /// What the last gates said about tests.
    pub tests: Option<TestCounts>,
    /// What waits for a person.
    pub needs_you: Vec<Need>,
    /// The limit that it waits for or stopped at.
    pub limit: Option<Limit>,
    /// Dollars, those of members at work included.
    pub cost: Cost,
    /// How full the context window of the agent's last message was.
    pub context: Option<Context>,
    /// The last iterations, oldest first, at most five.
    pub history: Vec<Past>,
    /// The members, by number; none in a run without.
    pub members: Vec<Member>,
    /// The members' work that is being merged, or waits for it.
    pub merges: Merges,
    /// The client's session.
    pub session: Option<String>,
    /// Bytes of a torn end: the last record was cut off in the middle.
    pub torn_bytes: u64,
    /// The journal.
    pub journal: String,
    /// What the agents printed.
    pub logs: String,
}

impl Status {
    /// With what all machines of the list came to, where several work on it: `whole` is their state.
    #[must_use]
    pub fn with_fleet(mut self, night: &Summary, whole: &State) -> Self {
        if night.machines.is_empty() {
            return self;
        }
        self.state = match night.ending {
            Ending::Done => Life::Completed,
            Ending::Running if !self.state.is_under_way() => Life::Running,
            _ => self.state,
        };
        self.summary = overview::ended(whole).map(|ended| short(&ended));
        let count = |standing| night.count(standing);
        self.cost.usd = night.cost.usd;
        self.tasks = Tasks {
            done: night.done.all(),
            doing: count(Place::AtWork) + count(Place::Unfinished),
            blocked: night.tasks.iter().filter(|task| task.blocked).count(),
            left: 0,
        };
        let Tasks {
            done,
            doing,
            blocked,
            ..
        } = self.tasks;
        self.tasks.left = night.total.saturating_sub(done + doing + blocked);
        self.needs_you.clone_from(&night.needs);
        self.exit = self.exit(whole).status();
        self
    }

    /// The exit status that says how the run stands.
    pub fn exit(&self, state: &State) -> Exit {
        match (self.state, &state.finished) {
            (_, Some(_)) => overview::end_now(state).map_or(Exit::No, |reason| reason.exit()),
            (Life::Running | Life::Waiting, None) if !self.needs_you.is_empty() => {
                Exit::NoPermission
            }
            (Life::Running | Life::Waiting, None) => Exit::Yes,
            (Life::Interrupted, None) => {
                let signal = state
                    .interrupted
                    .and_then(|signal| u8::try_from(signal).ok());
                Exit::Signal(signal.unwrap_or(0))
            }
            _ => Exit::No,
        }
    }
}

/// Where this run stands.
pub fn of(state: &State, seen: &Seen) -> Status {
    let info = state.run.as_ref();
    // With members each has a task, a breaker and a wait of its own.
    let task = at_hand(state).filter(|_| state.config.members == 0);
    let members = member::members(state, seen);
    let (usd, iterations) = unbooked(state, &seen.members);
    let life = together(life(state, seen.alive, seen.now), &members);
    let mut status = Status {
        run: info.map(|run| run.id.clone()).unwrap_or_default(),
        state: life,
        exit: 0,
        summary: overview::ended(state)
            .or_else(|| (life == Life::Paused).then(|| overview::paused(state).to_owned()))
            .map(|ended| short(&ended)),
        goal: info.map(|run| headline(&run.goal)).unwrap_or_default(),
        door: info.map(|run| run.door),
        iteration: state
            .open
            .as_ref()
            .map_or(state.iterations.saturating_add(iterations), |open| {
                open.iteration
            }),
        iterations_max: state.config.max_iterations,
        task: task.map(|task| Current {
            id: task.spec.id.clone(),
            changed_ms: state.updated,
            for_ms: seen.now.saturating_sub(state.updated),
        }),
        started_ms: info.map_or(0, |run| run.started),
        updated_ms: state.updated,
        breaker: task.map(|task| breaker_of(state, task, seen.now)),
        tasks: counts(state, life.is_carried()),
        blocked: blocked(state),
        tests: tests(state),
        needs_you: needs(state, life, &seen.questions),
        limit: limit(state).or_else(|| members.iter().find_map(|member| member.limit.clone())),
        cost: Cost {
            usd: to_micros(state.spent_usd + usd + seen.open_usd),
            budget_usd: state.config.budget_usd,
        },
        context: state.context,
        history: history::past(state),
        merges: history::merges(state),
        members,
        session: session(state),
        torn_bytes: seen.torn_bytes,
        journal: seen.journal.clone(),
        logs: seen.logs.clone(),
    };
    status.exit = status.exit(state).status();
    status
}

/// A run whose members all wait does so too.
fn together(life: Life, members: &[Member]) -> Life {
    let mut busy = members
        .iter()
        .filter(|member| member.state != Doing::Free)
        .peekable();
    if life == Life::Running
        && busy.peek().is_some()
        && busy.all(|member| member.state == Doing::Waiting)
    {
        return Life::Waiting;
    }
    life
}

/// The task of the open iteration, else of the last one, else the one that comes next.
fn at_hand(state: &State) -> Option<&TaskState> {
    let last = state.history.last().map(|last| &last.task);
    let open = state.open.as_ref().map(|open| &open.task).or(last);
    open.and_then(|id| state.task(id))
        .or_else(|| state.ready_task(state.updated))
}

/// What was begun is being done only while somebody works on the run.
fn counts(state: &State, at_work: bool) -> Tasks {
    let begun = state.count(Standing::Doing);
    let doing = if at_work { begun } else { 0 };
    Tasks {
        done: state.count(Standing::Done),
        doing,
        blocked: state.count(Standing::Blocked),
        left: state.count(Standing::Todo) + begun - doing,
    }
}

fn breaker_of(state: &State, task: &TaskState, now: u64) -> Breaker {
    let (config, counters) = (&state.config.breaker, &task.breaker.counters);
    let steady = state.steady.0 + now.saturating_sub(state.updated);
    Breaker {
        state: task.breaker.at(steady),
        reason: task.breaker.reason,
        no_progress: (counters.no_progress, config.no_progress),
        same_error: (counters.same_error, config.same_error),
        denials: (counters.denials, config.denials),
        cool_down_ms: task.breaker.remaining_ms(steady),
    }
}

fn blocked(state: &State) -> Vec<Blocked> {
    let of = |task: &TaskState| {
        let block = task
            .blocked
            .as_ref()
            .filter(|_| task.status == Standing::Blocked)?;
        Some(Blocked {
            task: task.spec.id.clone(),
            reason: short(&block.told(&task.spec.id)),
        })
    };
    state.tasks.iter().filter_map(of).collect()
}

/// The counts of the last gates that counted any, added up.
fn tests(state: &State) -> Option<TestCounts> {
    let open = state.open.iter().filter_map(|open| open.gates.as_ref());
    let judged = state
        .history
        .iter()
        .rev()
        .map(|last| last.verdict.gates.as_slice());
    let newest_first = open.map(|gates| gates.outcomes.as_slice()).chain(judged);
    let mut counted = newest_first.filter_map(|gates| {
        let tests = gates.iter().filter_map(|gate| gate.tests);
        tests.reduce(TestCounts::plus)
    });
    counted.next()
}

pub(crate) fn limit(state: &State) -> Option<Limit> {
    let reset = |at: Option<i64>| Limit {
        cause: cause_name(WaitCause::UsageLimit),
        until_ms: at
            .and_then(|at| u64::try_from(at).ok())
            .map(|at| at.saturating_mul(1_000)),
    };
    let broken_off = broken_off(state).filter(|outcome| outcome.class == Class::UsageLimit);
    match (&state.finished, state.waiting) {
        (Some(Reason::UsageLimit(at)), _) => Some(reset(*at)),
        (None, None) => broken_off.map(|outcome| reset(outcome.resets_at)),
        (None, Some((until, cause))) => Some(Limit {
            cause: cause_name(cause),
            until_ms: Some(until),
        }),
        _ => None,
    }
}

/// What a run waits for, for a person.
pub fn cause_name(cause: WaitCause) -> &'static str {
    match cause {
        WaitCause::UsageLimit => "usage limit",
        WaitCause::Transient => "service error",
        WaitCause::CallRate => "calls per hour",
        WaitCause::Interval => "interval",
        WaitCause::Elsewhere => "other agents have the tasks",
    }
}

fn session(state: &State) -> Option<String> {
    let of_attempt = || state.open.as_ref()?.outcome.as_ref()?.session.as_deref();
    let session = state.session.as_deref().or_else(of_attempt);
    session.map(short)
}

fn headline(goal: &str) -> String {
    let mut lines = goal.lines().map(|line| line.trim().trim_start_matches('#'));
    let first = lines.find(|line| !line.trim().is_empty());
    one_line(first.unwrap_or_default(), LINE_CHARS_MAX)
}

fn short(text: &str) -> String {
    one_line(text, LINE_CHARS_MAX)
}

#[cfg(test)]
mod tests;
