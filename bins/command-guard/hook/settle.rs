//! What a person already said about a question, and the question put to them.

use overnight_base::vars;
use overnight_engine::notify;
use overnight_guard::payload::Event;
use overnight_guard::tool;
use overnight_host::approvals::{Approvals, Asked, Reply};
use overnight_host::cell::broker;
use overnight_host::guard::CallSite;
use overnight_host::{cli, env, runs};
use overnight_shell::{Decision, Verdict};

/// A verdict after the book of questions was consulted.
pub(super) struct Settled {
    /// What is answered.
    pub(super) verdict: Verdict,
    /// The number of the question that waits.
    pub(super) question: Option<u64>,
    is_new: bool,
}

impl Settled {
    /// A verdict that no person can change.
    pub(super) fn of(verdict: Verdict) -> Self {
        Self {
            verdict,
            question: None,
            is_new: false,
        }
    }
}

/// In an unattended run a question is looked up, used up when approved (`consume`), or noted.
pub(super) fn with_the_book(
    verdict: Verdict,
    event: &Event,
    call_site: &CallSite,
    unattended: bool,
    consume: bool,
) -> Settled {
    let place = call_site
        .place
        .as_ref()
        .filter(|_| unattended && verdict.decision == Decision::Ask);
    let Some(place) = place else {
        return Settled::of(verdict);
    };
    let asked = Asked {
        call: tool::call(event, &call_site.cwd),
        rule: verdict.rule.to_owned(),
        reason: verdict.reason.clone(),
        consume,
    };
    let reply = if broker::is_needed() {
        broker::ask(&asked)
    } else {
        let run = env::get(&vars::RUN);
        Approvals::of(place).and_then(|approvals| approvals.consult(&asked, run.as_deref()))
    };
    match reply {
        Ok(reply) => settled(verdict, reply),
        Err(fault) => {
            let reason = fault.reason;
            cli::note(&format!(
                "command-guard: the question is not kept: {reason}"
            ));
            Settled::of(verdict)
        }
    }
}

fn settled(verdict: Verdict, reply: Reply) -> Settled {
    match reply {
        Reply::Yes(number) => Settled::of(Verdict::new(
            Decision::Allow,
            "approved",
            &format!("a person approved ask-{number}, for this once"),
        )),
        Reply::No(number) => Settled::of(Verdict::deny(
            verdict.rule,
            &format!("a person refused this (ask-{number}): {}", verdict.reason),
        )),
        Reply::Asked { number, times } => Settled {
            verdict,
            question: Some(number),
            // The driver tells the person itself.
            is_new: times == 1 && !broker::is_needed(),
        },
    }
}

/// A new question stands in `progress/blocked.md` too, and the person is notified. After the answer:
/// the client does not wait for it.
pub(super) fn note_new_question(settled: &Settled, event: &Event, call_site: &CallSite) {
    let (Some(number), Some(place), true) = (settled.question, &call_site.place, settled.is_new)
    else {
        return;
    };
    let call = tool::call(event, &call_site.cwd);
    let noted =
        overnight_host::approvals::note_in_progress(place, number, &call, &settled.verdict.reason);
    if let Err(fault) = noted {
        cli::note(&format!("command-guard: {}", fault.reason));
    }
    if let Some(run) = env::get(&vars::RUN)
        && let Ok(state) = runs::state(place, &run)
    {
        notify::tell(place, &run, &state, notify::Way::Desktop);
    }
}
