//! What each start says before the night begins: of the rehearsal, what is known within moments. The gates
//! and their canaries are tried at dusk, as the baseline, and what they lack is said there.

use super::{forge, guard, limit, machine, named};
use crate::state::Place;
use crate::{doctor, pinned};
use overnight_base::text::one_line;
use overnight_run::Config;
use overnight_views::doctor::{Finding, Status};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

/// How long a start waits for what was not found out yet.
const WAIT_MAX: Duration = Duration::from_secs(10);
/// Characters of a finding that are shown.
const SAID_CHARS_MAX: usize = 600;

type Check = fn(&Place, &Config) -> Vec<Finding>;

/// What a night needs of the world.
#[derive(Debug, Clone, Copy)]
pub struct Needs {
    /// Agents of the client, which are started.
    pub client: bool,
    /// A remote and a forge, to which the work goes.
    pub remote: bool,
}

/// What is being looked at.
#[derive(Debug)]
pub struct Early {
    found: Receiver<Vec<Finding>>,
    until: Instant,
}

/// Begins to look, beside what else a start does.
pub fn at_start(place: &Place, config: &Config, needs: Needs) -> Early {
    let mut checks: Vec<Check> = vec![
        |place, _| machine::findings(place),
        |place, _| limit(place).into_iter().collect(),
        asks,
    ];
    if needs.client {
        checks.push(|_, _| doctor::client());
    }
    if needs.remote {
        checks.push(|place, _| forge(place).into_iter().collect());
        checks.push(|place, _| answers(place).into_iter().collect());
    }
    let (tell, found) = channel();
    for check in checks {
        let (place, config, tell) = (place.clone(), config.clone(), tell.clone());
        std::thread::spawn(move || tell.send(check(&place, &config)));
    }
    Early {
        found,
        until: Instant::now() + WAIT_MAX,
    }
}

impl Early {
    /// What would stop the night, a line each; what takes too long to find out is left to the night.
    pub fn lines(self) -> Vec<String> {
        let left = || self.until.saturating_duration_since(Instant::now());
        let found = std::iter::from_fn(|| self.found.recv_timeout(left()).ok());
        let mut findings: Vec<Finding> = found.flatten().collect();
        findings.retain(|finding| finding.status != Status::Good);
        findings.sort_by_key(|finding| finding.check);
        let shown = |finding: &Finding| {
            let fix = finding.fix.as_deref().unwrap_or_default();
            let line = format!("{}: {} ({fix})", finding.check, finding.said);
            one_line(&line, SAID_CHARS_MAX)
        };
        findings.iter().map(shown).collect()
    }
}

/// A remote that is there and does not answer.
fn answers(place: &Place) -> Option<Finding> {
    let finding = doctor::remote(place);
    (finding.status == Status::Broken).then_some(finding)
}

/// Questions that the guard will have; the rehearsal puts them.
fn asks(place: &Place, config: &Config) -> Vec<Finding> {
    let tasks = pinned::read(place).unwrap_or_default();
    match guard::open(place, &named(place, config, &tasks)) {
        0 => Vec::new(),
        count => vec![Finding::warning(
            "guard",
            format!("{count} of the commands that this project names would wait for your answer"),
            "put these questions now: overnight rehearse",
        )],
    }
}
