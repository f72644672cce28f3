//! git commands that work for others: publishing parts of a repository, workflows, schedules.

use super::table::says;
use super::{effect, options};
use crate::machine::Machine;
use crate::policy;

pub(super) fn judge(machine: &mut Machine<'_>, verb: &str, args: &[String]) {
    let words = options::words(args, "-P --prefix -m --message --task --schedule");
    let rule = match verb {
        "subtree" if says("^push ^split/--rejoin", &words) => &policy::PUSH_SHARED,
        // Merges into the shared branches, tags and pushes.
        "flow" if says("finish publish delete", &words) => &policy::PUSH_SHARED,
        "maintenance" if says("^start ^stop", &words) => &policy::SCHEDULE,
        "maintenance" if says("^register ^unregister", &words) => &policy::GIT_CONFIG,
        "annex" if says("^drop ^dropunused ^unannex ^uninit ^dead", &words) => &policy::DISCARD,
        "annex" if says("^sync ^copy ^move ^push ^export", &words) => &policy::SEND,
        _ => return,
    };
    effect(machine, rule, &format!("git {verb}"));
}
