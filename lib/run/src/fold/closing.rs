//! The gates of finished tasks once more, at the end of a run.

use crate::event::{Broke, Closing};
use crate::state::State;
use crate::task::Status;
use overnight_judge::{GateOutcome, Verdict};

/// The gates of finished tasks ran once more: a task that they refute is open again.
pub(super) fn apply(state: &mut State, event: &Closing) {
    for outcome in &event.outcomes {
        state
            .closed
            .insert(outcome.command.clone(), outcome.passed());
    }
    for task in &mut state.tasks {
        let own = |outcome: &&GateOutcome| {
            !outcome.passed() && task.spec.gates.contains(&outcome.command)
        };
        let failing: Vec<GateOutcome> = event.outcomes.iter().filter(own).cloned().collect();
        if failing.is_empty() || task.status != Status::Done {
            continue;
        }
        task.status = Status::Todo;
        task.reopened = true;
        let mut broke = failing.iter().map(|gate| event.broke.get(&gate.command));
        task.broken = broke.find_map(Option::<&Broke>::cloned);
        if let Some(last) = state.history.last_on_mut(&task.spec.id) {
            last.verdict = refuted(&last.verdict, failing, event);
        }
    }
}

/// The verdict of a task that a later one broke.
fn refuted(verdict: &Verdict, failing: Vec<GateOutcome>, event: &Closing) -> Verdict {
    let told = |gate: &GateOutcome| {
        let by = event.broke.get(&gate.command);
        let by = by.map_or(String::new(), |broke| {
            format!("; it fails since {}", broke.words())
        });
        format!(
            "gate {:?} passed when the task was done and fails at the end of the run{by}",
            gate.command
        )
    };
    let mut refuted = failing
        .iter()
        .map(told)
        .fold(verdict.clone(), Verdict::refused);
    refuted.gates = failing;
    refuted.standing = None;
    refuted
}
