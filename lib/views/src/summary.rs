//! What a run came to, as every view prints it: a pure projection of the journal's fold, and of what
//! is seen beside it. No view derives any of this again.
//!
//! Every text in a [`Summary`] is one bounded line without control characters, with secrets
//! replaced; a renderer escapes for its own format.

pub mod failing;
pub mod machines;
pub mod markdown;
mod needs;
pub mod progress;
pub mod screen;
mod sentence;
pub mod standing;
mod task;
mod words;
pub mod work;

use crate::report::Clock;
use crate::status::{self, Life, Seen};
use overnight_base::text::{is_unshowable, one_line};
use overnight_redact::redact;
use overnight_run::budget::to_micros;
use overnight_run::placed::Published;
use overnight_run::state::TaskState;
use overnight_run::step::WaitCause;
use overnight_run::{Reason, State, overview, resume};
use serde::Serialize;

pub use machines::OfMachine;
pub use needs::{ChangedTest, Kind as NeedKind, Need, broken_off, needs};
pub use standing::Standing;
pub use task::{Refutation, Task};
pub use words::came_to;
pub use work::{Alive, Changes};

/// Characters of one shown text.
const TEXT_CHARS_MAX: usize = 300;

/// Where the run stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Ending {
    /// Every task is done.
    Done,
    /// It ended with work left.
    Stopped,
    /// It ended because only a person can help.
    NeedsYou,
    /// A signal ended its driver.
    Interrupted,
    /// It begins nothing until somebody says go on.
    Paused,
    /// No end is recorded and no driver lives.
    Crashed,
    /// Its driver is at work.
    Running,
}

impl Ending {
    /// The word that the sentence begins with.
    pub fn word(self) -> &'static str {
        match self {
            Self::Done => "Done",
            Self::Stopped => "Not finished",
            Self::NeedsYou => "Needs you",
            Self::Interrupted => "Interrupted",
            Self::Paused => "Paused",
            Self::Crashed => "Crashed",
            Self::Running => "At work",
        }
    }

    fn of(state: &State, life: Life) -> Self {
        match life {
            Life::Completed => Self::Done,
            Life::Stopped if matches!(overview::end_now(state), Some(Reason::NeedsPerson(_))) => {
                Self::NeedsYou
            }
            Life::Stopped | Life::Blocked => Self::Stopped,
            Life::Interrupted => Self::Interrupted,
            Life::Paused => Self::Paused,
            Life::Crashed => Self::Crashed,
            Life::Running | Life::Waiting => Self::Running,
        }
    }
}

/// Dollars.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct Cost {
    /// Spent so far, by members at work too.
    pub usd: f64,
    /// Is a part of `usd` reckoned from tokens, because a client was ended before it said?
    pub estimated: bool,
    /// The budget, if there is one.
    pub budget_usd: Option<f64>,
    /// Dollars for each task that gates show, where some were spent.
    pub per_proved_usd: Option<f64>,
}

impl Cost {
    /// With what each of so many proved tasks cost.
    fn for_each(self, proved: usize) -> Self {
        let proved = u32::try_from(proved).unwrap_or(u32::MAX);
        let some = proved > 0 && self.usd > 0.0;
        Self {
            per_proved_usd: some.then(|| to_micros(self.usd / f64::from(proved))),
            ..self
        }
    }
}

/// The run's pull request.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct PullRequest {
    /// Its address, once it is open.
    pub url: Option<String>,
    /// The command that opens it, where it could not be opened.
    pub command: Option<String>,
}

impl PullRequest {
    fn of(published: &Published) -> Self {
        Self {
            url: published.url.as_deref().map(clean),
            // A command that is cut would do something else; one with control characters is none.
            command: published
                .command
                .clone()
                .filter(|command| published.url.is_none() && !command.chars().any(is_unshowable)),
        }
    }

    /// Where it is, or what opens it.
    pub fn words(&self) -> Option<String> {
        match (&self.url, &self.command) {
            (Some(url), _) => Some(format!("pull request {url}")),
            (None, Some(command)) => Some(format!("no pull request yet: {command}")),
            (None, None) => None,
        }
    }
}

/// Done tasks by what shows it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Done {
    /// Gates show it.
    pub proved: usize,
    /// Its gates passed, and none was red before.
    pub kept_green: usize,
    /// Its gates passed where the agent works, which it may have bent.
    pub in_place: usize,
    /// No gate looked.
    pub by_word: usize,
    /// Before this run, or by another.
    pub before: usize,
}

impl Done {
    /// All of them.
    pub fn all(&self) -> usize {
        self.proved + self.kept_green + self.in_place + self.by_word + self.before
    }

    /// Those that this run did.
    pub fn by_this_run(&self) -> usize {
        self.all() - self.before
    }

    /// `6 proved, 1 by its word`.
    pub fn words(&self) -> String {
        let told = [
            (self.proved, "proved"),
            (self.kept_green, "kept green"),
            (self.in_place, Standing::InPlace.words()),
            (self.by_word, "by the agent's word"),
            (self.before, "done before"),
        ];
        let told = told.iter().filter(|(count, _)| *count > 0);
        let told: Vec<String> = told
            .map(|(count, word)| format!("{count} {word}"))
            .collect();
        told.join(", ")
    }
}

/// Parts of the change that were taken back one at a time.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Hunks {
    /// Parts in all.
    pub of: u64,
    /// Parts that were tried.
    pub tried: u64,
    /// The places of those that no gate missed.
    pub unnoticed: Vec<String>,
}

impl Hunks {
    fn of(state: &State) -> Self {
        let tried = &state.hunks.tried;
        let alone = tried.iter().filter(|(_, noticed)| !**noticed);
        Self {
            of: state.hunks.of,
            tried: tried.len() as u64,
            unnoticed: alone.map(|(place, _)| clean(place)).collect(),
        }
    }

    /// What a reviewer reads first.
    pub fn lines(&self) -> impl Iterator<Item = String> {
        let places = self.unnoticed.iter();
        places.map(|place| format!("no gate misses {place}"))
    }

    /// How many were tried, where any was.
    pub fn words(&self) -> Option<String> {
        let (of, tried, missed) = (
            self.of,
            self.tried,
            self.tried - self.unnoticed.len() as u64,
        );
        (tried > 0).then(|| {
            format!("{tried} of {of} parts of the change were taken back, a gate noticed {missed}")
        })
    }
}

/// What a run came to.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Summary {
    /// The run's id.
    pub run: String,
    /// The first line of its goal.
    pub goal: String,
    /// Where it stands.
    pub ending: Ending,
    /// All of it in one sentence.
    pub sentence: String,
    /// Tasks that are done, by what shows it.
    pub done: Done,
    /// Tasks in all.
    pub total: usize,
    /// Every task, worst first.
    pub tasks: Vec<Task>,
    /// What waits for a person.
    pub needs: Vec<Need>,
    /// How much of the change its gates miss when it is taken back.
    pub hunks: Hunks,
    /// Dollars.
    pub cost: Cost,
    /// The pull request, once the run has ended with one.
    pub pull_request: Option<PullRequest>,
    /// What git says of the work; `None` where it cannot tell.
    pub work: Option<Changes>,
    /// Agents whose processes live.
    pub alive: Vec<Alive>,
    /// The machines that work on its list, this one first; none of a run that did not join.
    pub machines: Vec<OfMachine>,
    /// Iterations judged.
    pub iterations: u32,
    /// Unix time in milliseconds of its start.
    pub started_ms: u64,
    /// Unix time in milliseconds of its last record; now, for a run at work.
    pub ended_ms: u64,
    /// Unix time in milliseconds until which a usage limit keeps it, where that is known.
    pub limited_until_ms: Option<u64>,
    /// What to type next.
    pub next: Vec<String>,
}

/// What tasks are looked at with.
pub(crate) struct Look<'a> {
    state: &'a State,
    running: bool,
    questions: &'a [(String, String)],
    unjudged: &'a [(String, String)],
}

impl Look<'_> {
    /// The first question of a task that still waits for its answer.
    fn asks(&self, task: &TaskState) -> Option<u64> {
        let open = |ask: &&u64| {
            let id = format!("ask-{ask}");
            self.questions.iter().any(|(open, _)| *open == id)
        };
        task.asks.iter().find(open).copied()
    }

    /// What the agent of a task said last, judged or not.
    fn words(&self, task: &str) -> Option<String> {
        let mut open = self.unjudged.iter();
        let open = open.find(|(of, _)| of == task);
        open.map_or_else(
            || words::last(self.state, task),
            |(_, said)| Some(clean(said)),
        )
    }
}

/// What the run of this state came to, together with the machines that it shares its list with; `work` is
/// git's word.
pub fn of(state: &State, seen: &Seen, work: Option<&Changes>) -> Summary {
    if state.fleet.joined.is_none() {
        return of_one(state, seen, (work, seen.alive, Vec::new()));
    }
    let lives = status::life(state, seen.alive, seen.now).is_under_way();
    let is_here = !seen.journal.is_empty();
    let (all, alive) = machines::together(state, lives, &seen.machines, seen.now);
    let listed = machines::of((state, &all), (is_here, lives), &seen.machines, seen.now);
    let mut summary = of_one(&all, seen, (work, alive, listed));
    if !is_here {
        // What answers and what goes on is typed where the run is; any clone may join.
        summary
            .needs
            .iter_mut()
            .for_each(|need| need.commands.clear());
        summary.next = vec!["overnight join".to_owned()];
    }
    summary
}

/// What all machines of the list came to, as the state of one run; `None` of a run that did not join.
pub fn together(state: &State, seen: &Seen) -> Option<State> {
    state.fleet.joined.as_ref()?;
    let lives = status::life(state, seen.alive, seen.now).is_under_way();
    Some(machines::together(state, lives, &seen.machines, seen.now).0)
}

fn of_one(
    state: &State,
    seen: &Seen,
    (work, alive, machines): (Option<&Changes>, bool, Vec<OfMachine>),
) -> Summary {
    let life = status::life(state, alive, seen.now);
    let ending = Ending::of(state, life);
    let look = Look {
        state,
        running: ending == Ending::Running,
        questions: &seen.questions,
        unjudged: &seen.unjudged,
    };
    let tasks = state.tasks.iter().map(|task| task::of(&look, task));
    let mut tasks: Vec<Task> = tasks.collect();
    tasks.sort_by_key(|task| task.standing);
    let run = state.run.as_ref();
    let (cost, iterations) = spent(state, seen);
    let done = done(&tasks);
    let mut summary = Summary {
        run: run.map(|run| run.id.clone()).unwrap_or_default(),
        goal: run
            .map(|run| clean(headline(&run.goal)))
            .unwrap_or_default(),
        ending,
        sentence: String::new(),
        done,
        total: tasks.len(),
        tasks,
        needs: needs(state, life, &seen.questions),
        hunks: Hunks::of(state),
        cost: cost.for_each(done.proved),
        pull_request: state.published.as_deref().map(PullRequest::of),
        work: work.cloned(),
        alive: seen.agents.clone(),
        machines,
        iterations,
        started_ms: run.map_or(0, |run| run.started),
        ended_ms: if ending == Ending::Running {
            seen.now.max(state.updated)
        } else {
            state.ended.unwrap_or(state.updated)
        },
        limited_until_ms: status::limit(state)
            .filter(|limit| limit.cause == status::cause_name(WaitCause::UsageLimit))
            .and_then(|limit| limit.until_ms),
        next: Vec::new(),
    };
    summary.next = next(&summary, &resume::wake(state, alive));
    summary.sentence = sentence::of(state, &summary);
    summary
}

/// Dollars and iterations, those of members at work too.
fn spent(state: &State, seen: &Seen) -> (Cost, u32) {
    let (members, iterations) = status::unbooked(state, &seen.members);
    let estimated = |state: &State| state.tasks.iter().any(|task| task.tally.estimated);
    let cost = Cost {
        usd: to_micros(state.spent_usd + members + seen.open_usd),
        estimated: seen.open_usd > 0.0
            || estimated(state)
            || seen.members.iter().any(|member| estimated(&member.state)),
        budget_usd: state.config.budget_usd,
        per_proved_usd: None,
    };
    (cost, state.iterations + iterations)
}

fn done(tasks: &[Task]) -> Done {
    let count = |standing| {
        tasks
            .iter()
            .filter(|task| task.standing == standing)
            .count()
    };
    Done {
        proved: count(Standing::Proved),
        kept_green: count(Standing::KeptGreen),
        in_place: count(Standing::InPlace),
        by_word: count(Standing::ByWord),
        before: count(Standing::DoneBefore),
    }
}

/// What to type next: the answers come first, then how it goes on.
fn next(summary: &Summary, resume: &str) -> Vec<String> {
    let run = &summary.run;
    let mut next = Vec::new();
    if summary.ending == Ending::Running {
        next.push(format!("overnight watch {run}"));
        return next;
    }
    if summary.done.all() < summary.total {
        next.push(resume.to_owned());
    }
    if let Some(command) = summary.work.as_ref().and_then(Changes::review) {
        next.push(command);
    }
    next
}

impl Summary {
    /// The task that a need is about.
    pub fn about(&self, need: &Need) -> Option<&Task> {
        let id = need.task.as_ref()?;
        self.tasks.iter().find(|task| task.id == *id)
    }

    /// Why a task stands where it stands; nothing where a need says the same.
    pub fn why<'a>(&self, task: &'a Task) -> &'a str {
        let said =
            |need: &Need| need.kind == NeedKind::Agent && need.task.as_ref() == Some(&task.id);
        let told = task.standing == Standing::NeedsYou && self.needs.iter().any(said);
        if told { "" } else { &task.why }
    }

    /// The tasks that are not done: what failed first. What needs a person stands among the needs as well,
    /// and must not hide it where there is little room.
    pub fn open(&self) -> impl Iterator<Item = &Task> {
        let failed = |task: &&Task| {
            use Standing::{Blocked, Refuted, Unfinished};
            matches!(task.standing, Refuted | Blocked | Unfinished)
        };
        let open = || self.tasks.iter().filter(|task| !task.standing.is_done());
        let others = open().filter(move |task| !failed(task));
        open().filter(failed).chain(others)
    }

    /// How many tasks stand there.
    pub fn count(&self, standing: Standing) -> usize {
        let tasks = self.tasks.iter();
        tasks.filter(|task| task.standing == standing).count()
    }
}

/// Why a run ended, in a line, with when a usage limit that ended it resets.
pub fn ended(state: &State, reason: &Reason, clock: &Clock) -> String {
    let said = clean(&overview::ended(state).unwrap_or_else(|| overview::sentence(reason)));
    let reset = match reason {
        Reason::UsageLimit(Some(at)) => u64::try_from(*at).ok(),
        _ => None,
    };
    match reset {
        Some(at) => format!(
            "{said}, which resets at {}",
            clock.time(at.saturating_mul(1_000))
        ),
        None => said,
    }
}

/// The first line of a goal that says something.
pub fn headline(goal: &str) -> &str {
    let line = goal.lines().find(|line| !line.trim().is_empty());
    line.unwrap_or_default().trim_start_matches('#').trim()
}

/// Untrusted text as one bounded line, with secrets replaced.
pub fn clean(text: &str) -> String {
    let end = text.char_indices().nth(4 * TEXT_CHARS_MAX);
    let (bytes, _) = redact(&text.as_bytes()[..end.map_or(text.len(), |(at, _)| at)]);
    one_line(&String::from_utf8_lossy(&bytes), TEXT_CHARS_MAX)
}

#[cfg(test)]
mod tests;
