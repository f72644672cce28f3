//! What only a person can do or say about a run: one list for every view.

use super::{Summary, Task, clean, failing, task, words};
use crate::status::Life;
use overnight_base::text::one_line;
use overnight_judge::proof::contest::Changed;
use overnight_run::classify::Class;
use overnight_run::event::{Door, Outcome};
use overnight_run::hold::Pause;
use overnight_run::state::TaskState;
use overnight_run::task::Status;
use overnight_run::{Reason, State, overview, resume};
use serde::Serialize;

/// Characters of why a task is blocked, where a message stands behind it.
const BLOCKED_CHARS_MAX: usize = 120;

/// What a need is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// The guard asks whether a call may be made.
    Question,
    /// An agent declared what it needs.
    Agent,
    /// An agent gave the same reason twice: its words, without a judgement.
    Words,
    /// What ended the run, or holds it.
    Run,
    /// A task is given up until somebody helps.
    Blocked,
}

/// Something that only a person can answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Need {
    /// What kind.
    pub kind: Kind,
    /// What it is.
    pub what: String,
    /// The task that it is about, if one.
    pub task: Option<String>,
    /// The commands that answer it.
    pub commands: Vec<String>,
    /// Changed tests to be read before the answer.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub changed_tests: Vec<ChangedTest>,
}

/// Both sides of a changed test.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ChangedTest {
    /// Its file.
    pub path: String,
    /// The lines that are no longer there.
    pub was: Vec<String>,
    /// The lines that were not there before.
    pub is: Vec<String>,
}

impl ChangedTest {
    fn of(changed: &Changed) -> Self {
        let clean = |lines: &[String]| lines.iter().map(|line| clean(line)).collect();
        Self {
            path: super::clean(&changed.path),
            was: clean(&changed.was),
            is: clean(&changed.is),
        }
    }

    /// Both sides in lines.
    pub fn lines(&self) -> impl Iterator<Item = String> {
        let side = |word: &'static str, lines: &[String]| {
            let lines: Vec<String> = lines.iter().map(|line| format!("{word}: {line}")).collect();
            lines
        };
        let all = [
            vec![self.path.clone()],
            side("was", &self.was),
            side("is", &self.is),
        ];
        all.into_iter().flatten()
    }
}

impl Need {
    /// What tells it from the run's other needs, however often it is seen.
    pub fn key(&self) -> String {
        match (self.kind, &self.task) {
            (Kind::Question, _) => {
                let id = self.what.split(':').next().unwrap_or_default();
                id.to_owned()
            }
            // Numbers in an agent's words change from time to time.
            (Kind::Words, Some(task)) => format!("words-{task}-{}", words::bare(&self.what)),
            (kind, Some(task)) => format!("{kind:?}-{task}-{}", self.what).to_lowercase(),
            (kind, None) => format!("{kind:?}-{}", self.what).to_lowercase(),
        }
    }
}

/// Characters of a message by which it is known again.
const KNOWN_CHARS: usize = 40;

impl Need {
    /// What it is where its task stands beside it with the message: said once.
    pub fn beside(&self, task: Option<&Task>) -> &str {
        let gate = task.and_then(|task| task.refuted_by.as_ref());
        let line = gate.and_then(|gate| gate.lines.first());
        let Some(line) = line.filter(|_| self.kind == Kind::Blocked) else {
            return &self.what;
        };
        let known = one_line(line, KNOWN_CHARS);
        let known = known.strip_suffix('…').unwrap_or(&known);
        match self.what.split_once(known) {
            Some((before, _)) if !known.is_empty() => before.trim_end_matches(": "),
            _ => &self.what,
        }
    }
}

impl Summary {
    /// The command with which the run goes on, where that answers a need: said once, below all of them.
    pub fn goes_on(&self) -> Option<&String> {
        let next = self.next.first()?;
        let mut needs = self.needs.iter();
        needs
            .any(|need| need.commands.contains(next))
            .then_some(next)
    }

    /// The other commands that answer a need.
    pub fn answers<'s>(&'s self, need: &'s Need) -> impl Iterator<Item = &'s String> {
        let goes_on = self.goes_on();
        let all = need.commands.iter();
        all.filter(move |command| Some(*command) != goes_on)
    }
}

/// What waits for a person: the guard's open questions (id and call) first, then what agents said
/// they need, what ended the run, and what is blocked.
pub fn needs(state: &State, life: Life, questions: &[(String, String)]) -> Vec<Need> {
    let mut needs: Vec<Need> = questions
        .iter()
        .map(|asked| question(state, asked))
        .collect();
    let open = |task: &&TaskState| task.status != Status::Done;
    needs.extend(
        state
            .tasks
            .iter()
            .filter(open)
            .filter_map(|task| declared(state, life, task)),
    );
    // What an agent says while its question is open is about that question.
    let silent = |task: &&TaskState| {
        let asks = |id: &str| task.asks.iter().any(|ask| id == format!("ask-{ask}"));
        task.needs.is_none() && !questions.iter().any(|(id, _)| asks(id))
    };
    let told = state
        .tasks
        .iter()
        .filter(open)
        .filter(silent)
        .filter_map(|task| {
            let said = words::repeated(state, &task.spec.id)?;
            let id = clean(&task.spec.id);
            Some(Need {
                changed_tests: Vec::new(),
                kind: Kind::Words,
                what: format!("{id} says: {said}"),
                commands: answer(state, life, &id),
                task: Some(id),
            })
        });
    needs.extend(told);
    needs.extend(end(state, life));
    let blocked = state
        .tasks
        .iter()
        .filter(|task| {
            task.status == Status::Blocked && task.needs.is_none() && task.contest.is_none()
        })
        .enumerate()
        .filter_map(|(at, task)| blocked(state, task, at == 0 && !life.is_carried()));
    needs.extend(blocked);
    needs
}

fn question(state: &State, (id, call): &(String, String)) -> Need {
    let is_asked = |task: &&TaskState| task.asks.iter().any(|ask| *id == format!("ask-{ask}"));
    let contested = state.tasks.iter().find(is_asked);
    let contest = contested.and_then(|task| Some((&task.spec.id, task.contest.as_ref()?)));
    let what = match contest {
        Some((task, _)) => format!("{id}: {}: may its changed tests count?", clean(task)),
        None => format!("{id}: {}", clean(call)),
    };
    let changes = contest.map_or(&[][..], |(_, contest)| &contest.changes);
    Need {
        kind: Kind::Question,
        what,
        task: contest.map(|(task, _)| clean(task)),
        commands: vec![
            format!("overnight approve {id}"),
            format!("overnight deny {id}"),
        ],
        changed_tests: changes.iter().map(ChangedTest::of).collect(),
    }
}

/// What an agent declared that it needs.
fn declared(state: &State, life: Life, task: &TaskState) -> Option<Need> {
    let needs = task.needs.as_deref()?;
    let id = clean(&task.spec.id);
    Some(Need {
        changed_tests: Vec::new(),
        kind: Kind::Agent,
        what: format!("{id} needs: {}", clean(needs)),
        commands: answer(state, life, &id),
        task: Some(id),
    })
}

/// What answers an agent, and goes on where nobody drives the run.
fn answer(state: &State, life: Life, task: &str) -> Vec<String> {
    let run = state.run.as_ref().map_or("", |run| run.id.as_str());
    let tell = format!("overnight tell {run} --task {task} \"YOUR ANSWER\"");
    let resume = (!life.is_carried()).then(|| resume::command(state));
    [tell].into_iter().chain(resume).collect()
}

/// A blocked task; where nobody works on the run the first one says how it goes on.
fn blocked(state: &State, task: &TaskState, first: bool) -> Option<Need> {
    let block = task.blocked.as_ref()?;
    let run = state.run.as_ref().map_or("", |run| run.id.as_str());
    let id = clean(&task.spec.id);
    let what = if block.by_breaker {
        let why = block.reason.replace("circuit breaker open: ", "");
        format!("the circuit breaker opened: {id}: {}", clean(&why))
    } else {
        let refuted = task::claimed(state, &task.spec.id);
        let gate = refuted.and_then(|gates| gates.iter().find(|gate| !gate.passed()));
        let said = state.last_on(&task.spec.id);
        let said = said.and_then(|last| last.verdict.reasons.first().cloned());
        let said = said.filter(|why| gate.is_none() && !block.reason.contains(why.as_str()));
        let message = gate.and_then(|gate| failing::of(gate).into_iter().next());
        match message.or(said) {
            // Both must be seen.
            Some(line) => {
                let reason = one_line(&block.reason, BLOCKED_CHARS_MAX);
                clean(&format!("blocked: {id}: {reason}: {line}"))
            }
            None => clean(&format!("blocked: {id}: {}", block.reason)),
        }
    };
    let mut commands = match &block.unmerged {
        Some(branch) => by_hand(state, &clean(branch), &id),
        None => vec![format!("overnight why {run} {id}")],
    };
    commands.extend(first.then(|| resume::command(state)));
    Some(Need {
        changed_tests: Vec::new(),
        kind: Kind::Blocked,
        what,
        task: Some(id),
        commands,
    })
}

/// What brings a branch to the run's own where agents could not.
fn by_hand(state: &State, branch: &str, task: &str) -> Vec<String> {
    let merge = format!("git merge {branch}");
    let merge = match &state.placed {
        Some(placed) => format!("git switch {} && {merge}", clean(&placed.branch)),
        None => merge,
    };
    vec![merge, format!("overnight tasks done {task}")]
}

/// What ended the run, where no blocked task says so.
fn end(state: &State, life: Life) -> Option<Need> {
    let run = state.run.as_ref().map_or("", |run| run.id.as_str());
    let resume = resume::command(state);
    let need = |what: String, commands: Vec<String>| {
        Some(Need {
            changed_tests: Vec::new(),
            kind: Kind::Run,
            what,
            task: None,
            commands,
        })
    };
    let any_blocked = state.count(Status::Blocked) > 0;
    let declared = state.tasks.iter().any(|task| task.needs.is_some());
    match &overview::end_now(state) {
        None if state.finished.is_some() => None,
        // The question says it.
        Some(Reason::NeedsPerson(_)) if state.tasks.iter().any(|task| task.contest.is_some()) => {
            None
        }
        Some(Reason::NeedsPerson(what)) if declared && what.contains(" needs: ") => None,
        Some(Reason::NeedsPerson(what)) => need(clean(what), vec![resume]),
        Some(Reason::Blocked(_) | Reason::BreakerOpen(_)) if any_blocked => None,
        Some(Reason::Blocked(why)) => need(
            format!("blocked: {}", clean(why)),
            vec!["cat progress/blocked.md".to_owned(), resume],
        ),
        Some(Reason::BreakerOpen(why)) => need(
            format!("the circuit breaker opened: {}", clean(why)),
            vec![format!("overnight why {run}"), resume],
        ),
        Some(Reason::BudgetSpent) => need(
            "the budget is spent: give it more, or leave it".to_owned(),
            vec![resume],
        ),
        None if life == Life::Paused => {
            left(state).and_then(|(what, command)| need(what, vec![command]))
        }
        None if life == Life::Crashed && state.run.is_some() => need(
            "the driver died: go on where it stopped".to_owned(),
            vec![resume],
        ),
        None => broken_off(state).and_then(|outcome| need(go_on(outcome.class), vec![resume])),
        _ => None,
    }
}

/// What a run whose session ended waits for; who paused one knows.
fn left(state: &State) -> Option<(String, String)> {
    if state.paused.is_some_and(|why| why != Pause::SessionEnded) {
        return None;
    }
    let session = state.session.as_deref()?;
    let what = format!(
        "{}: take the session up and write \"continue\"",
        overview::paused(state)
    );
    Some((what, format!("claude --resume {}", clean(session))))
}

/// What ended the turn of a run in a session, where nobody waits and goes on by himself: the run
/// stands still until the person writes there, or takes it over by a driver.
pub fn broken_off(state: &State) -> Option<&Outcome> {
    let in_session = state.run.as_ref()?.door == Door::Session;
    let open = state.open.as_ref().filter(|open| !open.resumed)?;
    let stands = in_session && state.finished.is_none() && state.waiting.is_none();
    let outcome = open.outcome.as_ref()?;
    (stands && outcome.class != Class::None).then_some(outcome)
}

fn go_on(class: Class) -> String {
    let write = "write \"continue\" in the session";
    match class {
        Class::UsageLimit => format!("the usage limit ended the turn: {write} after the reset"),
        Class::Auth => format!("the client is not logged in: log in, then {write}"),
        Class::Billing => format!("the account cannot pay: check its credit, then {write}"),
        _ => format!("the service ended the turn: {write}"),
    }
}
