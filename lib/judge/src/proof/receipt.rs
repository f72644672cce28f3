//! The receipt of a proved commit: what a colleague needs to prove it again and compare.

use super::super::{GateOutcome, TestCounts, Verdict};
use super::{Dusk, Standing};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What was proved of one commit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Receipt {
    /// The form of this record.
    pub v: u32,
    /// What it rests on.
    pub standing: Standing,
    /// The run.
    pub run: String,
    /// The task.
    pub task: String,
    /// The commit's tree.
    pub tree: String,
    /// What each gate said.
    pub gates: Vec<Shown>,
    /// The programs that gates start, each with what identifies it.
    pub programs: BTreeMap<String, String>,
    /// Hash of the protected files as they stood when the run began.
    pub protected: String,
    /// The pull request that the commit was offered in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pull_request: Option<String>,
}

/// What one gate said.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shown {
    /// The command.
    pub command: String,
    /// Its exit status.
    pub exit: Option<i32>,
    /// The tests that it counts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tests: Option<TestCounts>,
}

impl Shown {
    /// Of an outcome.
    pub fn of(gate: &GateOutcome) -> Self {
        Self {
            command: gate.command.clone(),
            exit: gate.exit,
            tests: gate.tests,
        }
    }

    fn words(&self) -> String {
        let exit = self
            .exit
            .map_or("no exit status".to_owned(), |exit| format!("exit {exit}"));
        let tests = self
            .tests
            .map_or(String::new(), |tests| format!(", {}", tests.words()));
        exit + &tests
    }
}

impl Receipt {
    /// The receipt of a verdict, if its gates passed in a clean work tree.
    pub fn of(
        verdict: &Verdict,
        dusk: &Dusk,
        (run, task, tree): (&str, &str, String),
        programs: BTreeMap<String, String>,
    ) -> Option<Self> {
        let standing = verdict
            .standing
            .filter(|standing| matches!(standing, Standing::Proved | Standing::KeptGreen))?;
        Some(Self {
            v: 1,
            standing,
            run: run.to_owned(),
            task: task.to_owned(),
            tree,
            gates: verdict.gates.iter().map(Shown::of).collect(),
            programs,
            protected: dusk.hash.clone(),
            pull_request: None,
        })
    }

    /// What is not as the receipt says, a line each.
    pub fn differences(&self, tree: &str, now: &[GateOutcome]) -> Vec<String> {
        let mut found = Vec::new();
        if self.tree != tree {
            found.push(format!("tree {tree}, the receipt says {}", self.tree));
        }
        for was in &self.gates {
            let Some(gate) = now.iter().find(|gate| gate.command == was.command) else {
                found.push(format!("gate {:?} was not run", was.command));
                continue;
            };
            let is = Shown::of(gate);
            if is != *was || !gate.passed() {
                found.push(format!(
                    "gate {:?}: {}, the receipt says {}",
                    was.command,
                    is.words(),
                    was.words()
                ));
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gate(exit: i32, passed: u64) -> GateOutcome {
        GateOutcome {
            command: "make test".into(),
            exit: Some(exit),
            tests: Some(TestCounts::of(passed, 0, 0)),
            ..GateOutcome::default()
        }
    }

    #[test]
    fn a_receipt_is_given_for_a_proof_and_tells_what_differs() {
        let mut verdict = Verdict::nothing("x");
        verdict.gates = vec![gate(0, 3)];
        let of = |verdict: &Verdict| {
            let named = ("r", "t", "abc".to_owned());
            Receipt::of(verdict, &Dusk::default(), named, BTreeMap::new())
        };
        for weak in [None, Some(Standing::Word), Some(Standing::InPlace)] {
            verdict.standing = weak;
            assert_eq!(of(&verdict), None);
        }
        verdict.standing = Some(Standing::Proved);
        let receipt = of(&verdict).unwrap();
        assert!(receipt.differences("abc", &[gate(0, 3)]).is_empty());
        assert_eq!(
            receipt.differences("abd", &[gate(1, 2)]),
            [
                "tree abd, the receipt says abc",
                "gate \"make test\": exit 1, 2 passed, 0 failed, 0 skipped, the receipt says exit 0, 3 passed, 0 failed, 0 skipped"
            ]
        );
        assert_eq!(
            receipt.differences("abc", &[]),
            ["gate \"make test\" was not run"]
        );
    }
}
