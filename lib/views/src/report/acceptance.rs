//! The acceptance table: every condition, whether it holds, and what shows it.

use super::{Criterion, Met, clean};
use crate::summary::{came_to, failing, headline};
use overnight_judge::{GateOutcome, Verdict};
use overnight_run::State;
use overnight_run::state::{Iteration, TaskState};
use overnight_run::task::Status;

pub(super) fn table(state: &State) -> Vec<Criterion> {
    let mut rows = Vec::new();
    for task in &state.tasks {
        let last = state.last_on(&task.spec.id);
        let verdict = last.map(|last| &last.verdict);
        let mut row = |text: &str, (met, evidence): (Met, String)| {
            rows.push(Criterion {
                task: clean(&task.spec.id),
                text: clean(text),
                met,
                evidence: clean(&evidence),
            });
        };
        for command in task.spec.gates.iter().chain(&state.config.gates) {
            row(&format!("gate: {command}"), gate(verdict, command));
        }
        for condition in &task.spec.checklist {
            row(condition, claimed(task, last));
        }
        if task.spec.gates.is_empty()
            && state.config.gates.is_empty()
            && task.spec.checklist.is_empty()
        {
            // The single task of a goal has no words of its own.
            let goal = state.run.as_ref().map_or("", |run| headline(&run.goal));
            let objective = task.spec.objective.as_str();
            let text = if objective.trim().is_empty() {
                goal
            } else {
                objective
            };
            row(text, claimed(task, last));
        }
    }
    rows.sort_by_key(|row| match row.met {
        Met::NotMet => 0,
        Met::NotChecked => 1,
        Met::Met => 2,
    });
    rows
}

fn gate(verdict: Option<&Verdict>, command: &str) -> (Met, String) {
    let ran = verdict.and_then(|verdict| verdict.gates.iter().find(|gate| gate.command == command));
    match ran {
        None => (Met::NotChecked, "not run after the last attempt".to_owned()),
        Some(gate) if gate.passed() => (Met::Met, outcome(gate)),
        Some(gate) => {
            let first = failing::of(gate).into_iter().next();
            let first = first.map_or(String::new(), |line| format!(": {line}"));
            (Met::NotMet, format!("{}{first}", outcome(gate)))
        }
    }
}

fn outcome(gate: &GateOutcome) -> String {
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

/// A condition in words: only the agent speaks for it, and gates can refute the whole claim.
fn claimed(task: &TaskState, last: Option<&Iteration>) -> (Met, String) {
    match (task.status, last) {
        (Status::Done, Some(Iteration { verdict, .. })) => {
            let gates = if verdict.gates.is_empty() {
                "no gate checks it"
            } else {
                "every gate agrees"
            };
            let said = verdict.summary.as_deref().map_or_else(
                || "the agent declared it done without a reason".to_owned(),
                |said| format!("the agent says: {said}"),
            );
            (Met::Met, format!("{said} ({gates})"))
        }
        (Status::Done, None) => (Met::NotChecked, "done before this run".to_owned()),
        (_, Some(last)) => match came_to(&last.verdict, &last.said) {
            why if why.is_empty() => (Met::NotMet, "not claimed".to_owned()),
            why => (Met::NotMet, why),
        },
        (_, None) => (Met::NotChecked, "nobody worked on it".to_owned()),
    }
}
