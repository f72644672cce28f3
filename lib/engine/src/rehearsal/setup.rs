//! Does the set-up work, also in the cell, where it runs once an agent changed a lock file?

use super::remedy::Sources;
use super::walled;
use crate::cell::Cells;
use crate::past::Room;
use overnight_base::duration;
use overnight_base::text::one_line;
use overnight_run::setup;
use overnight_views::doctor::Finding;
use std::time::Duration;

const CHECK: &str = "set-up";

/// What each command comes to in a clean work tree; what it makes is there for the gates.
pub(super) fn findings(
    room: &Room<'_>,
    sources: &Sources<'_>,
    cells: Option<&Cells>,
) -> Vec<Finding> {
    let mut findings = Vec::new();
    for command in &sources.config.setup {
        let outcome = room.run(command);
        let shown = one_line(command, 100);
        if outcome.exit == Some(0) && !outcome.timed_out {
            let took = duration::show(Duration::from_millis(outcome.ms));
            findings.push(Finding::good(CHECK, format!("`{shown}` runs, in {took}")));
            continue;
        }
        let said = setup::failed(&shown, outcome.exit, &one_line(&outcome.tail, 300));
        let said = match cells {
            Some(_) => format!(
                "in the cell, where it runs without credentials once an agent changed a lock file, {said}"
            ),
            None => said,
        };
        let fix = sources.without_set_up(command).map_or_else(
            || "mend what it names".to_owned(),
            |line| format!("mend what it names, or leave it out: {line}"),
        );
        findings.push(Finding::warning(CHECK, said, fix));
        if let Some(cells) = cells {
            findings.extend(walled(&outcome, cells, sources.place));
        }
        // Those behind it build upon it.
        break;
    }
    findings
}
