//! `overnight join`: works on a list that other machines work on too.

use crate::options::Options;
use crate::run::{self, Line};
use overnight_base::code::Code;
use overnight_base::exit::Exit;
use overnight_base::fault::Fault;
use overnight_base::value::Value;
use overnight_engine::driver::goal;
use overnight_engine::rehearsal;
use overnight_host::{cli, config, git, state};
use overnight_run::options::{AGENT_PROMPT, JSON, MEMBERS, REMOTE, RESUME};
use overnight_views::doctor::{self, Finding, Status};

/// The remote that a clone has.
const USUAL_REMOTE: &str = "origin";

/// Works on the list of a branch together with other machines, until it is empty or time is up
///
/// In a clone on any machine: looks what would be in the way, then takes tasks by lease, proves what is
/// done and brings it to the line that all machines of this branch share on the remote. A budget is that of
/// all machines; status, watch and report tell of all of them, on each and in a clone that never joined.
/// Takes the options of run. Exits like run, or with 77 before it begins when a person must act first.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The remote that all machines share [default: origin]
    #[arg(value_name = "REMOTE", conflicts_with = REMOTE.name)]
    place: Option<String>,
    #[command(flatten)]
    options: Options,
}

pub(crate) fn run(mut args: Args) -> Result<Exit, Fault> {
    let given = &mut args.options.0;
    if given.has(&RESUME) {
        return run::start_on(None, given, Line::Shared);
    }
    let place = state::here()?;
    let named = args.place.as_deref().or_else(|| given.text(&REMOTE));
    let remote = named.unwrap_or(USUAL_REMOTE).to_owned();
    let known = git::read(&place.top, &["remote"])?;
    if !known.lines().any(|name| name == remote) {
        let reason = format!("this clone has no remote {remote:?} to share a list over");
        return Err(Fault::new(Code::InputInvalid, reason)
            .hint(format!("git remote add {USUAL_REMOTE} URL")));
    }
    given.set(&REMOTE, Value::Text(remote));
    if !given.has(&MEMBERS) {
        given.set(&MEMBERS, Value::Count(1));
    }
    let settings = config::load(Some(&place)).strict(|_| true)?.clone();
    let config = given.over(settings.run_config());
    let goal = goal::of((&place, &place.top), None, given.text(&AGENT_PROMPT));
    let mut rehearsal = rehearsal::rehearse(&place, &config, goal);
    rehearsal.findings.retain(is_in_the_way);
    eprint(&rehearsal.findings);
    if rehearsal.needs_person {
        if given.has(&JSON) {
            cli::print_json(&serde_json::json!({"ok": false, "findings": rehearsal.findings}))?;
        }
        return Ok(rehearsal.exit());
    }
    run::start_on(None, given, Line::Shared)
}

fn is_in_the_way(finding: &Finding) -> bool {
    finding.status != Status::Good
}

fn eprint(findings: &[Finding]) {
    doctor::text(findings).lines().for_each(cli::note);
}
