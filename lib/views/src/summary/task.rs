//! One task in the morning.

use super::screen::COMMAND_CHARS_MAX;
use super::standing::{self, Standing};
use super::{Look, clean, failing, words};

use overnight_base::text::one_line;
use overnight_judge::{GateOutcome, Lines, file};
use overnight_run::State;
use overnight_run::classify::Class;
use overnight_run::event::{Broke, Deadline};
use overnight_run::state::{Iteration, TaskState};
use overnight_run::task::{SINGLE, Status};
use serde::Serialize;

/// A gate that refuted a task's last claim.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Refutation {
    /// The command.
    pub command: String,
    /// Its exit status; `None` when a signal or the time limit ended it.
    pub exit: Option<i32>,
    /// How it ended, in words.
    pub ended: String,
    /// The lines of its output that say what failed.
    pub lines: Vec<String>,
}

impl Refutation {
    pub(super) fn of(gate: &GateOutcome) -> Self {
        Self {
            command: clean(&gate.command),
            exit: gate.exit,
            ended: ended(gate),
            lines: failing::of(gate),
        }
    }

    /// It with the first line of its message.
    pub(super) fn words(&self) -> String {
        let first = self.lines.first();
        let first = first.map_or(String::new(), |line| format!(": {line}"));
        let command = one_line(&self.command, COMMAND_CHARS_MAX);
        format!("`{command}` {}{first}", self.ended)
    }
}

/// One task: every text is one bounded line without control characters, secrets replaced.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Task {
    /// Its id.
    pub id: String,
    /// What it is, in a line.
    pub title: String,
    /// Where it stands.
    pub standing: Standing,
    /// Was it given up until a person helps?
    pub blocked: bool,
    /// Why it stands there, in a line; empty for a task that is done or not begun.
    pub why: String,
    /// The first gate that refuted its last claim.
    pub refuted_by: Option<Refutation>,
    /// The gates that show it, for a done one.
    pub gates: Vec<String>,
    /// The later commit that broke it after it was done, where that is known.
    pub broken_by: Option<BrokenBy>,
    /// Places of its change that look special-cased: no verdict, a person should read them.
    pub special_cased: Vec<String>,
    /// Test files that its last claim brought.
    pub new_tests: u64,
    /// New tests that pass without its work, and prove nothing.
    pub idle_tests: Vec<String>,
    /// What a reviewer said of it, or that there was no review: a person should read it.
    pub review: Vec<String>,
    /// What the agent said last, as it said it.
    pub words: Option<String>,
    /// The tasks that it waits for.
    pub waits_for: Vec<String>,
    /// Iterations judged on it.
    pub tries: u32,
    /// Dollars.
    pub cost_usd: f64,
    /// Is a part of them reckoned from tokens?
    pub estimated: bool,
    /// Milliseconds in which agents worked on it.
    pub worked_ms: u64,
    /// The branch of its member.
    pub branch: Option<String>,
    /// The branch that its tries were brought to, off the run's own.
    pub left_out: Option<String>,
    /// Commits that its iterations made.
    pub commits: u64,
    /// Files that its iterations changed, counted once an iteration.
    pub files: u64,
    /// The member that had it last.
    pub member: Option<u32>,
    /// The machine of that member, where several work on the list.
    pub machine: Option<String>,
    /// Why its last merge was refused.
    pub conflict: Option<String>,
}

/// What broke a done task.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct BrokenBy {
    /// The commit.
    pub commit: String,
    /// The task that was worked on then.
    pub task: Option<String>,
    /// Both in words.
    #[serde(skip)]
    pub words: String,
}

impl BrokenBy {
    fn of(broke: &Broke) -> Self {
        Self {
            commit: clean(&broke.commit),
            task: broke.task.as_deref().map(clean),
            words: clean(&broke.words()),
        }
    }
}

/// Lines of a verdict, fit to be shown.
fn lines(of: Option<&Lines>) -> Vec<String> {
    of.map_or_else(Vec::new, |lines| lines.iter().map(clean).collect())
}

pub(super) fn of(look: &Look, task: &TaskState) -> Task {
    let state = look.state;
    let last = state.last_on(&task.spec.id);
    let standing = standing::of(look, task);
    let verdict = last.map(|last| &last.verdict);
    let gates = verdict.map_or(&[][..], |verdict| &verdict.gates);
    let refuted =
        claimed(state, &task.spec.id).and_then(|gates| gates.iter().find(|gate| !gate.passed()));
    let refuted_by = refuted.filter(|_| !standing.is_done()).map(Refutation::of);
    let passed = gates.iter().filter(|gate| gate.passed());
    let tally = &task.tally;
    let waits_for = standing::waits_for(state, task);
    let mut summed = Task {
        id: clean(&task.spec.id),
        title: title(state, task),
        standing,
        blocked: task.status == Status::Blocked,
        why: String::new(),
        refuted_by,
        gates: passed.map(|gate| clean(&gate.command)).collect(),
        broken_by: task.broken.as_ref().map(BrokenBy::of),
        special_cased: lines(verdict.and_then(|verdict| verdict.special.as_deref())),
        new_tests: verdict
            .and_then(|verdict| verdict.added.as_ref())
            .map_or(0, |added| added.iter().count() as u64),
        idle_tests: lines(verdict.and_then(|verdict| verdict.idle.as_deref())),
        review: lines(verdict.and_then(|verdict| verdict.review.as_deref())),
        words: look.words(&task.spec.id),
        waits_for: waits_for.iter().map(|id| clean(id)).collect(),
        tries: task.iterations,
        cost_usd: tally.usd,
        estimated: tally.estimated,
        worked_ms: tally.worked_ms,
        branch: tally.branch.as_deref().map(clean),
        left_out: tally.left_out.as_deref().map(clean),
        commits: tally.commits,
        files: tally.files,
        member: tally.member,
        machine: tally.machine.as_deref().map(clean),
        conflict: tally
            .conflict
            .as_deref()
            .filter(|_| !standing.is_done())
            .map(clean),
    };
    summed.why = clean(&why(&summed, (look.asks(task), task), (last, state)));
    summed
}

/// What the gates said of its last claim, also where a later iteration came to none.
pub(super) fn claimed<'a>(state: &'a State, task: &str) -> Option<&'a [GateOutcome]> {
    let mut newest = state.history.on(task).rev();
    newest.find_map(|last| Some(&last.verdict.gates[..]).filter(|gates| !gates.is_empty()))
}

/// What it is: the goal's first line for the only task of a goal.
fn title(state: &State, task: &TaskState) -> String {
    let goal = state.run.as_ref().map_or("", |run| run.goal.as_str());
    let text = if task.spec.id == SINGLE || task.spec.objective.trim().is_empty() {
        goal
    } else {
        &task.spec.objective
    };
    clean(super::headline(text))
}

/// How a gate ended, in words.
fn ended(gate: &GateOutcome) -> String {
    let tests = gate
        .tests
        .map_or(String::new(), |tests| format!(", tests: {}", tests.words()));
    match gate.exit {
        _ if gate.timed_out => format!("ended by its time limit{tests}"),
        _ if gate.flaky => format!("two results without a change{tests}"),
        Some(status) => format!("exit {status}{tests}"),
        None => format!("ended by a signal, or not started{tests}"),
    }
}

fn why(
    summed: &Task,
    (ask, task): (Option<u64>, &TaskState),
    (last, state): (Option<&Iteration>, &State),
) -> String {
    if matches!(summed.standing, Standing::NotBegun) || summed.standing.is_done() {
        return String::new();
    }
    let mut parts = Vec::new();
    parts.extend(ask.map(|ask| format!("it waits for the answer to ask-{ask}")));
    if let Some(needs) = &task.needs {
        parts.push(format!("its agent needs: {needs}"));
    } else if let Some(block) = task.blocked.as_ref().filter(|_| summed.blocked) {
        parts.push(block.told(&summed.id));
    }
    if !summed.waits_for.is_empty() {
        parts.push(format!("waits for {}", summed.waits_for.join(", ")));
    }
    let told = |why: &&String| !parts.iter().any(|part| clean(part).starts_with(*why));
    let conflict = summed.conflict.as_ref().filter(told);
    let conflict = conflict.map(|why| format!("its branch was not merged: {why}"));
    parts.extend(conflict);
    let silent = last.filter(|last| last.verdict.gates.is_empty() || summed.refuted_by.is_none());
    let spoke = || words::last(state, &task.spec.id).is_some();
    parts.extend(silent.and_then(|last| tried(last, spoke())));
    parts.extend(summed.refuted_by.as_ref().map(Refutation::words));
    if parts.is_empty() && summed.standing == Standing::Unfinished {
        let (id, steering) = (&task.spec.id, &state.steering);
        parts.push(if let Some(why) = steering.opened_again(id) {
            why.to_owned()
        } else if steering.was_told(id) {
            "you answered it".to_owned()
        } else {
            begun(state, id)
        });
    }
    parts.join("; ")
}

/// What its iteration that was not judged came to.
fn begun(state: &State, task: &str) -> String {
    let mut queued = state.members.queue.entries.iter();
    if queued.any(|entry| entry.task == task) {
        return "done on its branch, which waits for the merge queue".to_owned();
    }
    let open = state.open.as_ref().filter(|open| open.task == task);
    let outcome = open.map(|open| open.outcome.as_ref());
    match outcome {
        Some(None) if state.finished.is_some() => {
            "the run was ended in the middle of it".to_owned()
        }
        Some(None) if state.paused.is_some() => "held in the middle of it".to_owned(),
        Some(None) => "its agent was at work when the driver ended".to_owned(),
        Some(Some(outcome)) if outcome.class == Class::UsageLimit => {
            "the usage limit ended its agent".to_owned()
        }
        _ => "an iteration was begun and not judged".to_owned(),
    }
}

/// What an iteration without a failing gate came to. That there was no claim says nothing where the
/// agent's own words stand beside it.
fn tried(last: &Iteration, has_words: bool) -> Option<String> {
    let verdict = &last.verdict;
    if let Some(deadline) = last.timed_out {
        let whose = match deadline {
            Deadline::Task => "the iteration's",
            Deadline::Session => "the client session's",
            Deadline::Run => "the run's",
        };
        return Some(format!("{whose} time ran out"));
    }
    let reason = verdict.reasons.first().or(verdict.failure.as_ref())?;
    let silent = reason.starts_with(file::NOTHING);
    match (silent, has_words) {
        (true, true) => Some("it did not say whether it is done".to_owned()),
        (true, false) => Some(words::SILENT.to_owned()),
        (false, _) => Some(reason.clone()),
    }
}
