//! Which commit of a run broke a gate that held before: found by halves.

use super::objects;
use super::prove::Prover;
use overnight_base::fault::Fault;

/// Commits that are looked through.
const COMMITS_MAX: &str = "10000";

impl Prover<'_> {
    /// The commits behind `good` up to `bad`, oldest first, and which of them is the first that the gate
    /// fails on; it is known to hold on `good` and to fail on `bad`.
    pub fn broke(
        &self,
        (good, bad): (&str, &str),
        gate: &str,
    ) -> Result<(Vec<String>, usize), Fault> {
        let range = format!("{good}..{bad}");
        let list = [
            "rev-list",
            "--first-parent",
            "--reverse",
            "--max-count",
            COMMITS_MAX,
            &range,
            "--",
        ];
        let listed = objects::read_at(&self.place.top, &list)?;
        let commits: Vec<String> = listed.lines().map(str::to_owned).collect();
        let (mut from, mut to) = (0, commits.len().saturating_sub(1));
        while from < to {
            let middle = from + (to - from) / 2;
            let outcomes = self.hold(&commits[middle], &[gate.to_owned()])?;
            if outcomes.iter().all(overnight_judge::GateOutcome::passed) {
                from = middle + 1;
            } else {
                to = middle;
            }
        }
        Ok((commits, to))
    }
}
