//! Exit signals of a run (seed 002): a plan file that is all ticked, done signals in a row, loops in
//! a row that only ran passing tests. They stand in for a claim that the agent never made; where
//! there are gates, those prove it, as they prove every claim; without gates they rest on the
//! agent's word, as every claim does. An agent that calls itself blocked three times in a row is
//! believed: its task is blocked, for a person.

use super::config::Config;
use super::event::{Ended, Outcome};
use super::task::SINGLE;
use crate::classify::Class;
use overnight_judge::gates::count;
use overnight_judge::signals::BLOCKED_MAX;
use overnight_judge::{Decision, Source, Verdict, file, status_block};

/// What one task's iterations showed so far: signals in a row, and whether there was a plan.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Rows {
    /// Iterations that gave a done signal (`EXIT_SIGNAL: true`).
    pub done: u32,
    /// Iterations that changed nothing and reported passing tests.
    pub tests: u32,
    /// Iterations that called themselves blocked (`STATUS: BLOCKED`).
    pub blocked: u32,
    /// Had the plan file an open box after one of the iterations? A plan that was all ticked when
    /// the run began says nothing about its goal.
    pub planned: bool,
}

impl Rows {
    /// The rows with one more iteration. One that broke off, or that the service refused, ends both.
    #[must_use]
    pub fn with(self, outcome: &Outcome) -> Self {
        let planned = self.planned || outcome.plan.is_some_and(|plan| plan.open > 0);
        if outcome.ended != Ended::Exited(0) || outcome.class != Class::None {
            return Self {
                planned,
                ..Self::default()
            };
        }
        let said = status_block::read(&outcome.said);
        let next = |holds: bool, row: u32| if holds { row + 1 } else { 0 };
        let idle = outcome.changed == 0 && outcome.commits == 0;
        let tested = || {
            count::count(&outcome.said, None)
                .is_some_and(|tests| tests.passed > Some(0) && tests.failures() == 0)
        };
        Self {
            done: next(said.exit == Some(true), self.done),
            tests: next(said.exit != Some(false) && idle && tested(), self.tests),
            blocked: next(said.blocked, self.blocked),
            planned,
        }
    }

    /// Why the task is given up, if its agent called itself blocked too often in a row.
    pub fn given_up(self) -> Option<String> {
        (self.blocked >= BLOCKED_MAX).then(|| {
            format!(
                "the agent called itself blocked {} times in a row",
                self.blocked
            )
        })
    }
}

/// The claim that the signals make for this attempt, if the agent itself decided nothing.
pub fn claim((task, rows): (&str, Rows), outcome: &Outcome, config: &Config) -> Option<Verdict> {
    let silent = outcome.claim.source == Source::None
        && outcome
            .claim
            .failure
            .as_deref()
            .is_none_or(|failure| failure == file::NOTHING);
    let ended = outcome.ended == Ended::Exited(0) && outcome.class == Class::None;
    let refuses = status_block::read(&outcome.said).exit == Some(false);
    if !silent || !ended || refuses {
        return None;
    }
    let evidence = signal((task, rows), outcome, config)?;
    Some(Verdict {
        decision: Decision::Complete,
        source: Source::ExitSignal,
        summary: Some(evidence.clone()),
        evidence: Some(evidence),
        reasons: Vec::new(),
        failure: None,
        ..outcome.claim.clone()
    })
}

/// What the signal is, for people.
fn signal((task, rows): (&str, Rows), outcome: &Outcome, config: &Config) -> Option<String> {
    let rows = rows.with(outcome);
    // A plan file says something about the run as a whole, not about one task of a list.
    let plan = outcome
        .plan
        .filter(|plan| rows.planned && plan.complete() && task == SINGLE);
    if let Some(plan) = plan {
        return Some(format!(
            "the plan file is all ticked: {} of {}",
            plan.done, plan.done
        ));
    }
    if rows.done >= config.done_signals {
        return Some(format!("{} done signals in a row", rows.done));
    }
    (rows.tests >= config.test_loops)
        .then(|| format!("{} iterations in a row only ran passing tests", rows.tests))
}

#[cfg(test)]
mod tests {
    use super::*;
    use overnight_judge::signals::plan::Plan;

    const DONE: &str =
        "---RALPH_STATUS---\nSTATUS: COMPLETE\nEXIT_SIGNAL: true\n---END_RALPH_STATUS---";
    const MORE: &str =
        "---RALPH_STATUS---\nSTATUS: IN_PROGRESS\nEXIT_SIGNAL: false\n---END_RALPH_STATUS---";
    const TESTS: &str = "I ran the tests again.\ntest result: ok. 14 passed; 0 failed; 0 ignored";

    fn said(text: &str, changed: u64) -> Outcome {
        Outcome {
            said: text.to_owned(),
            changed,
            ..Outcome::of(Ended::Exited(0), Class::None, Verdict::nothing("x"))
        }
    }

    /// The evidence after these iterations; of the last one, before it is judged.
    fn after(id: &str, outcomes: &[Outcome]) -> Option<String> {
        let (last, before) = outcomes.split_last().unwrap();
        let rows = before.iter().fold(Rows::default(), Rows::with);
        claim((id, rows), last, &Config::default()).and_then(|claim| claim.evidence)
    }

    #[test]
    fn each_signal_claims_at_its_threshold_and_not_before() {
        let two = [said(DONE, 1), said(DONE, 1)];
        assert!(after("t", &two).is_some());
        assert!(after("t", &two[..1]).is_none());
        assert!(after("t", &[said(DONE, 1), said("x", 1), said(DONE, 1)]).is_none());
        assert!(after("t", &[said(DONE, 1), said(MORE, 1)]).is_none());
        let tests = vec![said(TESTS, 0); 3];
        assert!(after("t", &tests).is_some());
        assert!(after("t", &tests[..2]).is_none());
        assert!(after("t", &[said(TESTS, 0), said(TESTS, 1), said(TESTS, 0)]).is_none());
        let red = said("test result: FAILED. 13 passed; 1 failed", 0);
        assert!(after("t", &vec![red; 3]).is_none());
        assert!(after("t", &vec![said("nothing to do", 0); 3]).is_none());
    }

    #[test]
    fn three_blocked_iterations_in_a_row_give_the_task_up() {
        let blocked = said(
            "---RALPH_STATUS---\nSTATUS: BLOCKED\nEXIT_SIGNAL: true\n---END_RALPH_STATUS---",
            1,
        );
        let rows = |outcomes: &[Outcome]| outcomes.iter().fold(Rows::default(), Rows::with);
        assert!(rows(&vec![blocked.clone(); 2]).given_up().is_none());
        assert!(rows(&vec![blocked.clone(); 3]).given_up().is_some());
        assert!(
            after("t", &vec![blocked.clone(); 3]).is_none(),
            "blocked is not done"
        );
        let broken = [blocked.clone(), blocked.clone(), said("x", 1), blocked];
        assert!(rows(&broken).given_up().is_none());
    }

    #[test]
    fn a_plan_that_is_all_ticked_speaks_for_a_run_of_one_task() {
        let planned = |done, open| Outcome {
            plan: Some(Plan { done, open }),
            ..said("x", 1)
        };
        assert!(after(SINGLE, &[planned(2, 1), planned(3, 0)]).is_some());
        assert!(after(SINGLE, &[planned(3, 1), planned(3, 1)]).is_none());
        assert!(after(SINGLE, &[planned(0, 1), planned(0, 0)]).is_none());
        assert!(after("t1", &[planned(2, 1), planned(3, 0)]).is_none());
        // Ticked before the run began, or written that way by its first iteration.
        assert!(after(SINGLE, &vec![planned(3, 0); 2]).is_none());
    }

    #[test]
    fn an_agent_that_decided_or_broke_off_is_not_spoken_for() {
        let mut incomplete = said(DONE, 1);
        incomplete.claim.source = Source::FileJson;
        assert!(after("t", &[said(DONE, 1), incomplete]).is_none());
        let mut stale = said(DONE, 1);
        stale.claim.failure = Some(file::MISMATCH.to_owned());
        assert!(after("t", &[said(DONE, 1), stale]).is_none());
        let mut lost = said(DONE, 1);
        lost.ended = Ended::Lost;
        assert!(after("t", &[said(DONE, 1), lost.clone()]).is_none());
        assert!(after("t", &[said(DONE, 1), lost, said(DONE, 1)]).is_none());
    }
}
