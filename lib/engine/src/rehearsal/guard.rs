//! What the guard will ask in the night: about the commands that the task list, the settings and the
//! project's scripts name. The questions are put now, so that they can be answered now.

use crate::approvals::Approvals;
use crate::guard::{CallSite, Disk};
use crate::state::Place;
use crate::{clock, config};
use overnight_base::fault::Fault;
use overnight_base::text::one_line;
use overnight_guard::question::{Call, Permission};
use overnight_guard::setup::Setup;
use overnight_shell::{Context, Decision, Verdict, judge_command};
use overnight_views::doctor::Finding;

/// One finding for each command that the guard asks about or refuses.
pub(super) fn findings(place: &Place, commands: &[String]) -> Vec<Finding> {
    const CHECK: &str = "guard";
    let setup = Setup::of(&config::load(Some(place)).settings.guard);
    let call_site = CallSite::look(place.top.to_str());
    let disk = Disk::new(call_site.root());
    if call_site.root().is_none() {
        return Vec::new();
    }
    let context = Context {
        mode: setup.mode,
        ..call_site.context(&setup, &disk)
    };
    let book = Approvals::of(place).ok();
    let judged = commands.iter().filter_map(|command| {
        let verdict = setup.count_in(judge_command(command, &context), command);
        let shown = one_line(command, 100);
        let reason = one_line(&verdict.reason, 200);
        Some(match verdict.decision {
            Decision::Allow => return None,
            Decision::Ask => {
                let call = Call::new("Bash", command, &place.top.to_string_lossy());
                let put = book.as_ref().map(|book| put(book, call, &verdict));
                match put {
                    Some(Ok(Put::Answered(word))) => {
                        Finding::good(CHECK, format!("`{shown}`: you {word} it"))
                    }
                    Some(Ok(Put::Open(number))) => Finding::warning(
                        CHECK,
                        format!("an agent that runs `{shown}` waits for your answer: {reason}"),
                        format!("overnight approve ask-{number}"),
                    ),
                    Some(Err(fault)) => Finding::fault(CHECK, &fault),
                    None => return None,
                }
            }
            Decision::Deny => Finding::warning(
                CHECK,
                format!("no agent may run `{shown}`, the driver runs gates all the same: {reason}"),
                verdict.alternative.map_or_else(
                    || "keep it out of what tasks ask for".to_owned(),
                    |instead| {
                        format!(
                            "have tasks ask for something else: {}",
                            one_line(&instead, 200)
                        )
                    },
                ),
            ),
        })
    });
    judged.collect()
}

/// How many of these commands an agent would have to wait for an answer for. Nothing is asked.
pub(super) fn open(place: &Place, commands: &[String]) -> usize {
    let setup = Setup::of(&config::load(Some(place)).settings.guard);
    let call_site = CallSite::look(place.top.to_str());
    if call_site.root().is_none() {
        return 0;
    }
    let disk = Disk::new(call_site.root());
    let context = Context {
        mode: setup.mode,
        ..call_site.context(&setup, &disk)
    };
    let book = Approvals::of(place).and_then(|book| book.read()).ok();
    let now = clock::wall_ms();
    let answered = |command: &str| {
        let call = Call::new("Bash", command, &place.top.to_string_lossy());
        let permission = book.as_ref().map(|book| book.permission(&call.key, now));
        permission.is_some_and(|permission| !matches!(permission, Permission::Nothing))
    };
    let asks = |command: &&String| {
        let verdict = setup.count_in(judge_command(command, &context), command);
        verdict.decision == Decision::Ask && !answered(command)
    };
    commands.iter().filter(asks).count()
}

/// What became of a question that is put beforehand.
enum Put {
    /// A person answered it.
    Answered(&'static str),
    /// It waits under this number.
    Open(u64),
}

fn put(book: &Approvals, call: Call, verdict: &Verdict) -> Result<Put, Fault> {
    book.update(|book, now| match book.permission(&call.key, now) {
        Permission::Yes(_) => Put::Answered("approved"),
        Permission::No(_) => Put::Answered("refused"),
        Permission::Nothing => {
            Put::Open(book.ask(call, (verdict.rule, &verdict.reason), None, now).0)
        }
    })
}
