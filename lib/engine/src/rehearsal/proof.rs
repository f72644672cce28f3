//! Can the gates fail: canaries and the blank check, as at each night's beginning.

use super::remedy::Sources;
use crate::cell::Cells;
use crate::proof::dusk::{self, Evening};
use crate::proof::setup::SetUp;
use crate::round::globs;
use crate::state::Place;
use globset::GlobSet;
use overnight_base::text::one_line;
use overnight_judge::proof::Dusk;
use overnight_views::doctor::Finding;
use std::time::Duration;

const CHECK: &str = "proof";

/// Which of these gates prove nothing, and what a person should know of the proof room.
pub(super) fn findings(
    sources: &Sources<'_>,
    cells: Option<&Cells>,
    commands: &[String],
) -> Vec<Finding> {
    let Sources { place, config, .. } = *sources;
    if config.in_place || place.git_common.is_none() || commands.is_empty() {
        return Vec::new();
    }
    let run = place
        .state
        .join(format!("rehearsal-{}", std::process::id()));
    let protect = globs(&config.protect);
    let evening = Evening {
        begun_at: None,
        place,
        home: &place.home,
        run: &run,
        limit: Duration::from_millis(config.task_timeout_ms),
        cells,
        protect: &protect,
        setup: SetUp {
            commands: &config.setup,
            persons: None,
        },
    };
    let noted = dusk::note(evening, None, commands);
    let _ = std::fs::remove_dir_all(dusk::store(place, &run));
    let _ = std::fs::remove_dir_all(&run);
    let (dusk, outcomes) = match noted {
        Ok(noted) => noted,
        Err(fault) => return vec![Finding::fault(CHECK, &fault)],
    };
    // Said of each gate, and of the set-up, where those are tried.
    let cannot_start = dusk::cannot_start(&outcomes);
    let elsewhere = |note: &String| {
        cannot_start.contains(note)
            || note.starts_with(overnight_run::setup::FAILED)
            || dusk
                .gates
                .iter()
                .any(|gate| *note == dusk::proves_nothing(&gate.command))
    };
    let left = dusk.notes.iter().filter(|note| !elsewhere(note));
    let mut findings: Vec<Finding> = left
        .map(|note| {
            let fix = sources.set_up().unwrap_or_else(|| {
                "name in .worktreeinclude what it needs, of what git ignores: git ls-files -oi --exclude-standard --directory".to_owned()
            });
            Finding::warning(CHECK, one_line(note, 300), fix)
        })
        .collect();
    let blind = dusk.gates.iter().filter(|gate| !gate.can_fail());
    findings.extend(blind.map(|gate| {
        let command = one_line(&gate.command, 100);
        let said = format!("`{command}` stays green with the sources gone: it proves nothing");
        let line = sources.without(&gate.command);
        let fix = format!("let it look at this tree, or leave it out: {line}");
        Finding::warning(CHECK, said, fix)
    }));
    if findings.is_empty() {
        findings.push(Finding::good(CHECK, "each gate that passes now can fail"));
    }
    findings.extend(decides(place, &dusk, &protect));
    findings
}

/// The files that claims will be tried with as they stand now.
fn decides(place: &Place, dusk: &Dusk, protect: &GlobSet) -> Option<Finding> {
    const NAMED_MAX: usize = 12;
    let files = dusk::protected(place, dusk, protect).ok()?;
    let mut named = files.iter().take(NAMED_MAX).cloned().collect::<Vec<_>>();
    if files.len() > NAMED_MAX {
        named.push(format!("and {} more", files.len() - NAMED_MAX));
    }
    let said = match files.len() {
        0 => "no file decides but the gates' own words".to_owned(),
        1 => format!(
            "one file decides, a claim is tried with it as it stands now: {}",
            named[0]
        ),
        count => format!(
            "{count} files decide, claims are tried with them as they stand now: {}",
            named.join(", ")
        ),
    };
    Some(Finding::good(CHECK, one_line(&said, 600)))
}
