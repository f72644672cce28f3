//! What a claim rests on beside its gates, and the end of a run: the gates of finished tasks once more
//! on what is left behind.

use super::config::Config;
use super::event::{Ended, Gates, Outcome};
use super::rule::{Decision, Rule};
use super::state::{State, TaskState};
use super::step::{Reason, Step};
use crate::classify::ClientLimit;
use overnight_judge::Verdict;
use overnight_judge::answers;
use overnight_judge::gates::{Kind, Objection};
use overnight_judge::proof::Standing;
use std::collections::{BTreeMap, BTreeSet};

const MINUTE_MS: u64 = 60_000;

/// What an agent is told whose claim nothing was red for.
const NEVER_RED: &str = "every gate passed before this work, and no new test fails without it: add a test that fails on the sources as they were, or, if the work keeps everything green by nature, claim it again and say why";
/// What an agent is told whose sources look special-cased.
const SPECIAL: &str = "this looks as if it were written for the tests' own values: make it right for every value, or claim it again and say why it is";

/// Every task is done: their gates must hold on what the run leaves behind. While nothing is `spent`, it
/// is seen how much of the change they prove.
pub(super) fn next(state: &State, config: &Config, spent: bool) -> Decision {
    // What another run did stands on that run's branch, and it looked itself.
    let done_here = |task: &&TaskState| {
        let mut judged = state.history.iter();
        task.spec.done || judged.any(|past| past.task == task.spec.id && past.verdict.complete())
    };
    let own = state.tasks.iter().filter(done_here);
    let own = own.flat_map(|task| &task.spec.gates);
    let all: BTreeSet<&String> = own.chain(&config.gates).collect();
    // What the last proof ran, it ran on what is left behind.
    let last = state.history.last().map(|iteration| &iteration.verdict);
    let ran = |command: &String| {
        last.is_some_and(|verdict| {
            verdict.complete() && verdict.gates.iter().any(|gate| gate.command == *command)
        })
    };
    if !config.closes {
        return (Rule::AllDone, Step::Finish(Reason::AllDone));
    }
    let left: Vec<String> = all
        .iter()
        .filter(|command| !ran(command) && !state.closed.contains_key(**command))
        .map(|command| (*command).clone())
        .collect();
    if !left.is_empty() {
        return (Rule::Closing, Step::Close(left));
    }
    match all
        .iter()
        .find(|command| state.closed.get(**command) == Some(&false))
    {
        Some(command) => {
            let reason = format!("gate {command:?} fails although every task is done");
            (Rule::Broken, Step::Finish(Reason::Blocked(reason)))
        }
        None if spent => (Rule::AllDone, Step::Finish(Reason::AllDone)),
        None => hunk(state, config, all.into_iter().cloned().collect())
            .unwrap_or((Rule::AllDone, Step::Finish(Reason::AllDone))),
    }
}

/// The next part of the change that these commands are run without, if one is to be tried.
pub(super) fn hunk(state: &State, config: &Config, commands: Vec<String>) -> Option<Decision> {
    hunk_is_due(state, config).then(|| (Rule::Hunk, Step::Hunk(fastest_first(state, commands))))
}

/// Did the agent end by itself, be it at a limit that it was given?
pub(super) fn ended_well(outcome: &Outcome) -> bool {
    outcome.ended == Ended::Exited(0) || outcome.at_own_limit()
}

/// The verdict on an attempt whose claim does not count: not done by its own word, or it broke off.
pub(super) fn refused(outcome: &Outcome) -> Verdict {
    let broke_off = match &outcome.ended {
        Ended::Exited(_) if outcome.at_own_limit() => Some(match outcome.limit {
            Some(ClientLimit::Turns) => "the agent used up its turns".to_owned(),
            Some(ClientLimit::Dollars | ClientLimit::Tokens) | None => {
                "the agent used up its share of the budget".to_owned()
            }
        }),
        Ended::Exited(0) => None,
        Ended::Exited(status) => Some(format!("the agent ended with status {status}")),
        Ended::Signalled(signal) => Some(format!("the agent was ended by signal {signal}")),
        Ended::TimedOut(deadline) => {
            Some(format!("the agent was ended at the {deadline:?} deadline").to_lowercase())
        }
        Ended::Lost => Some("the agent was lost".to_owned()),
        Ended::Interrupted => Some("the agent was interrupted".to_owned()),
    };
    match broke_off {
        Some(reason) => outcome.claim.clone().refused(reason),
        None => outcome.claim.clone(),
    }
}

/// How much the claim rests on, and what the proof room objects to. That nothing was red before sends
/// a claim back once; then it stands as kept green.
pub(super) fn standing(
    state: &State,
    (task, ran): (&str, Option<&Gates>),
) -> (Standing, Vec<Objection>) {
    let Some(ran) = ran else {
        return (Standing::Word, Vec::new());
    };
    let Some(proof) = &ran.proof else {
        return (Standing::InPlace, Vec::new());
    };
    let mut objections = proof.findings.objections.clone();
    let task = state.task(task);
    // What was proved once and is put right may stand on the line by now: others brought it.
    let again = task.is_some_and(|task| task.spec.again);
    objections.retain(|objection| !(again && objection.kind == Kind::NothingChanged));
    let known = again || task.is_some_and(|task| task.back.never_red || task.spec.green);
    let special = &proof.findings.special;
    let flagged = task.is_some_and(|task| task.back.special);
    let never_red = proof.findings.never_red && objections.is_empty() && !known;
    if !special.is_empty() && !flagged {
        let reason = format!("{SPECIAL}: {}", special.join("; "));
        objections.push(Objection::new(Kind::SpecialCased, "", reason));
    }
    if never_red {
        objections.push(Objection::new(
            Kind::NeverRed,
            "",
            never_red_words(&proof.findings.idle),
        ));
    }
    (proof.findings.standing, objections)
}

fn never_red_words(idle: &[String]) -> String {
    match idle {
        [] => NEVER_RED.to_owned(),
        idle => format!(
            "{NEVER_RED} (new, and passing without the work: {})",
            idle.join(", ")
        ),
    }
}

/// The points of the task's checklist that the claim does not answer.
pub(super) fn unanswered(state: &State, task: &str, claim: &Verdict) -> Vec<Objection> {
    let points = state
        .task(task)
        .map(|task| task.spec.checklist.as_slice())
        .unwrap_or_default();
    answers::objections(points, &claim.answers)
}

/// A verdict that is incomplete anyway, told what the scope objects to.
pub(super) fn scoped(mut verdict: Verdict, objections: &[Objection]) -> Verdict {
    let reasons = objections.iter().map(|objection| objection.reason.clone());
    verdict.reasons.extend(reasons);
    verdict
}

/// Is another hunk to be tried? Only of work that gates showed in a clean work tree.
fn hunk_is_due(state: &State, config: &Config) -> bool {
    let (hunks, limit) = (&state.hunks, u64::from(config.proof_minutes) * MINUTE_MS);
    let proved = |standing| matches!(standing, Some(Standing::Proved | Standing::KeptGreen));
    let mut verdicts = state.history.iter().map(|past| &past.verdict);
    !hunks.over
        && hunks.ms < limit
        && state.dusk.is_some()
        && !config.in_place
        && verdicts.any(|verdict| verdict.complete() && proved(verdict.standing))
}

/// The commands, the fastest first: the first that notices is enough.
fn fastest_first(state: &State, mut commands: Vec<String>) -> Vec<String> {
    let gates = state.history.iter().flat_map(|past| &past.verdict.gates);
    let took: BTreeMap<&String, u64> = gates.map(|gate| (&gate.command, gate.ms)).collect();
    commands.sort_by_key(|command| took.get(command).copied().unwrap_or(u64::MAX));
    commands
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::task::TaskSpec;
    use overnight_judge::proof::{Findings, Proof};

    #[test]
    fn what_is_put_right_may_be_there_without_a_change_and_nothing_else_may() {
        let ran = Gates {
            outcomes: Vec::new(),
            pins: BTreeMap::new(),
            proof: Some(Proof {
                commit: "c".into(),
                notes: BTreeMap::new(),
                findings: Findings {
                    objections: vec![Objection::new(Kind::NothingChanged, "", "nothing")],
                    never_red: true,
                    added: Vec::new(),
                    idle: Vec::new(),
                    contested: Vec::new(),
                    special: Vec::new(),
                    standing: Standing::KeptGreen,
                },
            }),
        };
        for again in [true, false] {
            let spec = TaskSpec {
                again,
                ..TaskSpec::named("a", "do it")
            };
            let state = State {
                tasks: vec![TaskState::new(spec)],
                ..State::default()
            };
            let (_, objections) = standing(&state, ("a", Some(&ran)));
            assert_eq!(objections.is_empty(), again);
        }
    }
}
