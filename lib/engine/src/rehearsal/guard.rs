//! What the guard will ask in the night: about the commands that the task list names.

use crate::config;
use crate::guard::{CallSite, Disk};
use crate::state::Place;
use overnight_base::text::one_line;
use overnight_guard::setup::Setup;
use overnight_shell::{Context, Decision, judge_command};
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
    let judged = commands.iter().filter_map(|command| {
        let verdict = setup.count_in(judge_command(command, &context), command);
        let shown = one_line(command, 100);
        let reason = one_line(&verdict.reason, 200);
        Some(match verdict.decision {
            Decision::Allow => return None,
            Decision::Ask => Finding::warning(
                CHECK,
                format!("an agent that runs `{shown}` waits for your answer: {reason}"),
                "allow it in your own configuration, or be there to approve it",
            ),
            Decision::Deny => Finding::warning(
                CHECK,
                format!("no agent may run `{shown}`: {reason}"),
                "gates are run by the driver all the same; change the task if its agent needs it",
            ),
        })
    });
    judged.collect()
}
