//! What a proof at the end of a batch's chain means.

use crate::members::event::Refuted;

/// What becomes of the candidates of a chain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// All of them land.
    Land,
    /// Somebody among them is to blame: each half is tried by itself.
    Halve,
    /// It is the only one, on a line that was proved.
    Blame,
}

/// The verdict on so many candidates, when their gates, the person's and those of everything that has
/// landed pass at the chain's end, or do not.
pub fn verdict(passed: bool, candidates: usize) -> Verdict {
    match candidates {
        _ if passed => Verdict::Land,
        1 => Verdict::Blame,
        _ => Verdict::Halve,
    }
}

/// The red gates that are neither the newcomer's own nor the person's: they may have been red without
/// it, and are run on the line before anybody is blamed.
pub fn suspects(red: &[String], own: &[String], always: &[String]) -> Vec<String> {
    let foreign = |gate: &&String| !own.contains(gate) && !always.contains(gate);
    red.iter().filter(foreign).cloned().collect()
}

/// The landed tasks whose gates fail on the line itself.
pub fn refuted(landed: &[(String, Vec<String>)], red_on_line: &[String]) -> Vec<Refuted> {
    let of = |(task, gates): &(String, Vec<String>)| {
        let gate = gates.iter().find(|gate| red_on_line.contains(gate))?;
        Some(Refuted {
            task: task.clone(),
            why: format!("its gate {gate:?} fails on the line"),
        })
    };
    landed.iter().filter_map(of).collect()
}
