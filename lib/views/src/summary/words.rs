//! What an agent said last, as it said it.

use super::{Refutation, clean};
use overnight_judge::{Decision, Source, Verdict, file};
use overnight_run::State;
use overnight_run::state::Iteration;
use overnight_run::steer::Instruction;

/// The reasons that the agent itself gave for not being done.
pub(super) fn reasons(verdict: &Verdict) -> &[String] {
    let own = verdict.source != Source::None
        && verdict.decision == Decision::Incomplete
        && verdict.gates.is_empty()
        // What was claimed to be done is refuted by the judge's words.
        && verdict.summary.is_none()
        && verdict.failure.is_none();
    if own { &verdict.reasons } else { &[] }
}

/// Its last words on a task: what it declared, and the end of its last message.
pub(super) fn last(state: &State, task: &str) -> Option<String> {
    let mut newest = state.history.on(task).rev();
    newest.find_map(of).map(|words| clean(&words))
}

fn of(iteration: &Iteration) -> Option<String> {
    let verdict = &iteration.verdict;
    let declared = verdict.summary.clone();
    let declared = declared.unwrap_or_else(|| reasons(verdict).join("; "));
    let declared = declared.trim();
    // What was declared in the message itself is not what was said beside it.
    let in_message = verdict.source != Source::FileJson && !declared.is_empty();
    let beside = |text: &str| !in_message || !text.contains(declared);
    let said = last_paragraph(&iteration.said, beside);
    let words = match (declared, said) {
        ("", said) => said.to_owned(),
        (declared, said) if declared.contains(said) => declared.to_owned(),
        (declared, said) if said.contains(declared) => said.to_owned(),
        (declared, said) => format!("{declared}{AND}{said}"),
    };
    Some(words).filter(|words| !words.is_empty())
}

/// Between what was declared and what was said beside it.
const AND: &str = "; ";

/// The words without what stands before them already, if anything is left.
pub(super) fn beyond<'w>(words: &'w str, told: &str) -> Option<&'w str> {
    let said = match words.split_once(AND) {
        Some((declared, said)) if told.contains(declared) => said,
        _ => words,
    };
    Some(said).filter(|said| !told.contains(said))
}

/// What an iteration came to, in a line: what its agent or the judge says of it, and where the agent
/// declared nothing, what it said last.
pub fn came_to(verdict: &Verdict, said: &str) -> String {
    if verdict.complete() {
        return clean(verdict.summary.as_deref().unwrap_or_default());
    }
    // For what stands among the needs, until it is answered.
    if verdict.needs.is_some() {
        return ASKED.to_owned();
    }
    let reason = verdict.reasons.first().or(verdict.failure.as_ref());
    let reason = reason.map_or("", String::as_str);
    let refuted = verdict.gates.iter().find(|gate| !gate.passed());
    if let Some(gate) = refuted.filter(|_| reason.starts_with("gate ")) {
        return clean(&Refutation::of(gate).words());
    }
    if !reason.starts_with(file::NOTHING) {
        return clean(reason);
    }
    match clean(last_paragraph(said, |_| true)).as_str() {
        "" => SILENT.to_owned(),
        said => format!("the agent said “{said}”, not whether it is done"),
    }
}

/// What an iteration came to whose agent declared a need.
const ASKED: &str = "it asked you for something";

/// What an iteration came to whose agent neither declared nor said anything.
pub(super) const SILENT: &str = "it ended without a word";

/// The last such paragraph of a message: what it comes down to stands there. Bounded where it is
/// cleaned.
fn last_paragraph(said: &str, such: impl Fn(&str) -> bool) -> &str {
    let mut paragraphs = said.trim().rsplit("\n\n").map(str::trim);
    let last = paragraphs.find(|text| !text.is_empty() && such(text));
    last.unwrap_or_default()
}

/// What an agent gave as its reason twice in a row, if it did: its last two words on a task that say
/// why it is not done are the same, numbers apart.
/// A person's word since then answers it.
pub(super) fn repeated(state: &State, task: &str) -> Option<String> {
    let judged = state.last_on(task)?.ended;
    let own = |told: &&Instruction| told.task.as_deref() == Some(task) && told.at >= judged;
    if state.steering.about(task).any(|told| own(&told)) {
        return None;
    }
    let newest = state.history.on(task).rev();
    let mut said = newest
        .map(|iteration| reasons(&iteration.verdict).join("; "))
        .filter(|reason| !reason.trim().is_empty());
    let (last, before) = (said.next()?, said.next()?);
    (bare(&last) == bare(&before)).then(|| clean(&last))
}

/// A reason without what changes from time to time: case, space, numbers, punctuation.
pub(super) fn bare(reason: &str) -> String {
    let kept = reason
        .chars()
        .filter(|c| c.is_alphabetic() || *c == '_')
        .flat_map(char::to_lowercase);
    kept.collect()
}
