//! `overnight rehearse`: finds in the evening what would stop the night.

mod guard;
mod machine;
mod proof;
mod remedy;
mod setup;
mod start;

pub use start::{Early, Needs, at_start};

use crate::cell::Cells;
use crate::client::find_program;
use crate::past::Room;
use crate::pinned;
use crate::state::Place;
use crate::{canary, clock, config, doctor, git, night, runs, sight};
use overnight_base::code::Code;
use overnight_base::duration;
use overnight_base::exit::Exit;
use overnight_base::fault::Fault;
use overnight_base::text::one_line;
use overnight_judge::GateOutcome;
use overnight_run::Config;
use overnight_run::step::WaitCause;
use overnight_run::task::TaskSpec;
use overnight_views::doctor::{Finding, Status};
use remedy::Sources;
use serde::Serialize;
use std::path::Path;
use std::time::Duration;

/// Earlier nights that a forecast is made from.
const PAST_RUNS: usize = 10;

/// What was found.
#[derive(Debug, Default, Serialize)]
pub struct Rehearsal {
    /// Everything that was looked at.
    pub findings: Vec<Finding>,
    /// What each gate says of the tree as it is committed.
    pub gates: Vec<Gate>,
    /// What earlier nights came to, where there were any.
    pub forecast: Option<Forecast>,
    /// Must a person act before a night can begin?
    pub needs_person: bool,
}

/// A gate, tried twice.
#[derive(Debug, Serialize)]
pub struct Gate {
    /// The command.
    pub command: String,
    /// Did it pass, both times?
    pub passes: bool,
    /// Milliseconds of the first try.
    pub ms: u64,
}

/// The middle of earlier nights.
#[derive(Debug, Serialize)]
pub struct Forecast {
    /// How many.
    pub nights: usize,
    /// Dollars.
    pub cost_usd: f64,
    /// Milliseconds of agents at work.
    pub working_ms: u64,
}

impl Rehearsal {
    /// 0 when nothing is in the way, 1 with findings, 77 when a person must act.
    pub fn exit(&self) -> Exit {
        if self.needs_person {
            return Exit::NoPermission;
        }
        let broken = self
            .findings
            .iter()
            .any(|finding| finding.status == Status::Broken);
        if broken { Exit::No } else { Exit::Yes }
    }
}

/// Looks at everything that a night with these limits and this goal would need.
pub fn rehearse(place: &Place, config: &Config, goal: Result<String, Fault>) -> Rehearsal {
    let mut rehearsal = Rehearsal::default();
    if config.agent == "claude" {
        rehearsal.findings.extend(doctor::findings(&place.top));
    } else {
        rehearsal.findings.extend(doctor::project(place));
    }
    rehearsal.findings.push(match goal {
        Ok(goal) => Finding::good("goal", one_line(goal.trim(), 100)),
        Err(fault) => {
            rehearsal.needs_person = true;
            Finding::fault("goal", &fault)
        }
    });
    let tasks = pinned::read(place).unwrap_or_else(|fault| {
        rehearsal.needs_person |= fault.code == Code::NotTrusted;
        Vec::new()
    });
    rehearsal.findings.push(tree(place));
    rehearsal.findings.extend(machine::findings(place));
    rehearsal.findings.extend(limit(place));
    rehearsal.findings.extend(forge(place));
    let named = named(place, config, &tasks);
    rehearsal.findings.extend(guard::findings(place, &named));
    gates(place, config, &tasks, &mut rehearsal);
    rehearsal.forecast = forecast(place);
    rehearsal
}

/// Is everything that the night begins with committed?
fn tree(place: &Place) -> Finding {
    const CHECK: &str = "tree";
    if place.git_common.is_none() {
        return Finding::warning(
            CHECK,
            "no repository: the night works in this folder",
            "git init",
        );
    }
    if git::read(&place.top, &["rev-parse", "--verify", "-q", "HEAD"]).is_err() {
        let said = "there is no commit to begin at: the night works in this folder";
        return Finding::warning(CHECK, said, "git add -A && git commit -m start");
    }
    match night::uncommitted(place) {
        Ok(0) => Finding::good(CHECK, "everything is committed"),
        Ok(count) => Finding::warning(
            CHECK,
            format!("{count} uncommitted: the night begins at the last commit, without them"),
            "overnight run --with-changes takes them along; or: git add -A && git commit -m before",
        ),
        Err(fault) => Finding::fault(CHECK, &fault),
    }
}

/// Is the account's usage limit known to hold: from another run on this machine, or from one of this
/// project that waits for its reset?
fn limit(place: &Place) -> Option<Finding> {
    let now = clock::wall_ms();
    let all = runs::all(place);
    let waits = all.iter().rev().take(PAST_RUNS).filter_map(|run| {
        let state = runs::state(place, run).ok()?;
        let (until, cause) = state.waiting.filter(|_| state.finished.is_none())?;
        (cause == WaitCause::UsageLimit).then_some(until)
    });
    let until = waits
        .chain(canary::heard(now))
        .filter(|until| *until > now)
        .max()?;
    let said = format!(
        "the account's limit is reached until {}",
        clock::local_text(until)
    );
    let fix = "a night waits for it by itself: overnight run";
    Some(Finding::warning("usage limit", said, fix))
}

/// Can a pull request be opened? Asked only where there is a remote.
fn forge(place: &Place) -> Option<Finding> {
    const CHECK: &str = "forge";
    let remotes = git::read(&place.top, &["remote"]).unwrap_or_default();
    if remotes.is_empty() {
        return None;
    }
    let found = ["gh", "glab"]
        .into_iter()
        .find(|name| find_program(name).is_some());
    let Some(program) = found else {
        let said = "neither gh nor glab (for GitLab) is there: the branch is pushed, and you are told the command";
        return Some(Finding::warning(CHECK, said, remedy::install("gh")));
    };
    let mut status = std::process::Command::new(program);
    status.args(["auth", "status"]).current_dir(&place.home);
    status.stdin(std::process::Stdio::null());
    let done = git::output_within(&mut status, &[], Duration::from_secs(15));
    Some(match done {
        Ok(done) if done.ok() => Finding::good(CHECK, format!("{program} is logged in")),
        _ => Finding::warning(
            CHECK,
            format!("{program} is not logged in: no pull request can be opened"),
            format!("{program} auth login"),
        ),
    })
}

/// The commands that the task list, the settings and the project's scripts name.
fn named(place: &Place, config: &Config, tasks: &[TaskSpec]) -> Vec<String> {
    let of_tasks = tasks.iter().flat_map(|task| &task.gates);
    let set = of_tasks.chain(&config.gates).chain(&config.setup);
    let scripts = overnight_host::setup::look(place);
    let seen = [scripts.gates, scripts.setup, scripts.seen].concat();
    let mut named: Vec<String> = set.cloned().collect();
    named.extend(seen.into_iter().map(|script| script.command));
    named.sort();
    named.dedup();
    named
}

/// Every gate, twice, in a work tree that holds what is committed.
fn gates(place: &Place, config: &Config, tasks: &[TaskSpec], rehearsal: &mut Rehearsal) {
    const CHECK: &str = "gates";
    let open = tasks.iter().filter(|task| !task.done);
    let mut commands: Vec<String> = open.flat_map(|task| task.gates.clone()).collect();
    commands.extend(config.gates.iter().cloned());
    commands.sort();
    commands.dedup();
    if commands.is_empty() {
        let said = "there is none: what is done is so by the agent's word alone";
        let fix = "overnight init";
        rehearsal.findings.push(Finding::warning(CHECK, said, fix));
        return;
    }
    let cells = match cells(place, config) {
        Ok(cells) => cells,
        Err(fault) => {
            rehearsal.findings.push(Finding::fault("cell", &fault));
            return;
        }
    };
    let sources = Sources {
        place,
        config,
        tasks,
    };
    let proved = proof::findings(&sources, cells.as_ref(), &commands);
    rehearsal.findings.extend(proved);
    let limit = Duration::from_millis(config.task_timeout_ms);
    let room = Room::at_head(place, limit, cells.as_ref());
    let room = match room {
        Ok(room) => room,
        Err(fault) => {
            rehearsal.findings.push(Finding::fault(CHECK, &fault));
            return;
        }
    };
    let set_up = setup::findings(&room, &sources, cells.as_ref());
    rehearsal.findings.extend(set_up);
    for command in commands {
        let tried = [room.run(&command), room.run(&command)];
        rehearsal.findings.push(judged(&tried, &sources));
        if let Some(cells) = &cells {
            rehearsal.findings.extend(walled(&tried[0], cells, place));
        }
        let [first, second] = tried;
        rehearsal.gates.push(Gate {
            command,
            passes: first.passed() && second.passed(),
            ms: first.ms,
        });
    }
}

/// The cells that a night with these limits has.
fn cells(place: &Place, config: &Config) -> Result<Option<Cells>, Fault> {
    let settings = config::load(Some(place)).settings.cell;
    Cells::of(config.cell, &settings, place, crate::cli::note)
}

fn judged([first, second]: &[GateOutcome; 2], sources: &Sources<'_>) -> Finding {
    const CHECK: &str = "gates";
    let command = one_line(&first.command, 100);
    let said = |what: &str| format!("`{command}` {what}");
    if first.exit == Some(127) || first.exit == Some(126) {
        let last = first.tail.trim().lines().next_back().unwrap_or_default();
        let what = format!("names a program that is not there: {}", one_line(last, 200));
        let fix = sources.provide(&first.command, &first.tail);
        return Finding::broken(CHECK, said(&what), fix);
    }
    if first.timed_out {
        let longer = Duration::from_millis(sources.config.task_timeout_ms.saturating_mul(2));
        let longer = duration::show(longer);
        let fix = format!("give it longer: overnight run --task-timeout {longer}");
        return Finding::broken(CHECK, said("does not end in time"), fix);
    }
    if first.passed() != second.passed() {
        let what = "passes and fails without a change: it proves nothing";
        let fix = sources.without(&first.command);
        let fix = format!("make it the same each time, or leave it out: {fix}");
        return Finding::broken(CHECK, said(what), fix);
    }
    let took = duration::show(Duration::from_millis(first.ms));
    if first.passed() {
        return Finding::good(CHECK, said(&format!("passes now, in {took}")));
    }
    Finding::good(
        CHECK,
        said(&format!(
            "fails now, in {took}: the night is to turn it green"
        )),
    )
}

/// What the cell refused a gate, with the setting that opens it and what that opens.
fn walled(gate: &GateOutcome, cells: &Cells, place: &Place) -> Vec<Finding> {
    if gate.passed() {
        return Vec::new();
    }
    let command = one_line(&gate.command, 100);
    let known = config::load(Some(place)).settings.cell;
    let told = |path: String| {
        let (what, key, open) = if cells.hides(Path::new(&path)) {
            ("reads it", "show", &known.show)
        } else {
            ("writes there", "write", &known.write)
        };
        let line = remedy::persons(("cell", key), open, &path);
        let fix = format!("the agent's code {what}, too, {line}");
        Finding::warning("cell", format!("`{command}` is refused {path}"), fix)
    };
    let refused = cells.refusals(&gate.tail, &place.top);
    refused.into_iter().map(told).collect()
}

/// The middle of what earlier nights cost.
fn forecast(place: &Place) -> Option<Forecast> {
    let all = runs::all(place);
    let newest = all.iter().rev().take(PAST_RUNS);
    let figures: Vec<_> = newest
        .filter_map(|run| sight::figures(place, run).ok())
        .filter(|figures| figures.iterations > 0)
        .collect();
    if figures.is_empty() {
        return None;
    }
    let mut costs: Vec<f64> = figures.iter().map(|figures| figures.cost_usd).collect();
    let mut times: Vec<u64> = figures.iter().map(|figures| figures.working_ms).collect();
    costs.sort_by(f64::total_cmp);
    times.sort_unstable();
    Some(Forecast {
        nights: figures.len(),
        cost_usd: costs[costs.len() / 2],
        working_ms: times[times.len() / 2],
    })
}
