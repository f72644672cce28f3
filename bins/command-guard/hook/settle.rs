//! What a person already said about a question, and the question put to them.

use overnight_base::fault::Fault;
use overnight_base::vars;
use overnight_guard::payload::Event;
use overnight_guard::question::{Book, Said};
use overnight_guard::tool;
use overnight_host::approvals::Approvals;
use overnight_host::guard::Scene;
use overnight_host::{cli, env, notify, runs};
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
    scene: &Scene,
    unattended: bool,
    consume: bool,
) -> Settled {
    let place = scene
        .place
        .as_ref()
        .filter(|_| unattended && verdict.decision == Decision::Ask);
    let Some(place) = place else {
        return Settled::of(verdict);
    };
    let consulted = Approvals::of(place).and_then(|approvals| {
        approvals.update(|book, now| consult(book, &verdict, event, scene, (consume, now)))
    });
    consulted.unwrap_or_else(|fault: Fault| {
        cli::note(&format!(
            "command-guard: the question is not kept: {}",
            fault.reason
        ));
        Settled::of(verdict)
    })
}

fn consult(
    book: &mut Book,
    verdict: &Verdict,
    event: &Event,
    scene: &Scene,
    (consume, now): (bool, u64),
) -> Settled {
    let call = tool::call(event, &scene.cwd);
    let said = if consume {
        book.take(&call.key, now)
    } else {
        book.said(&call.key, now)
    };
    match said {
        Said::Yes(number) => Settled::of(Verdict::new(
            Decision::Allow,
            "approved",
            &format!("a person approved ask-{number}, for this once"),
        )),
        Said::No(number) => Settled::of(Verdict::deny(
            verdict.rule,
            &format!("a person refused this (ask-{number}): {}", verdict.reason),
        )),
        Said::Nothing => {
            let run = env::get(&vars::RUN);
            let (number, times) =
                book.ask(call, (verdict.rule, &verdict.reason), run.as_deref(), now);
            Settled {
                verdict: verdict.clone(),
                question: Some(number),
                is_new: times == 1,
            }
        }
    }
}

/// A new question stands in `progress/blocked.md` too, and the person is notified. After the answer:
/// the client does not wait for it.
pub(super) fn note_new_question(settled: &Settled, event: &Event, scene: &Scene) {
    let (Some(number), Some(place), true) = (settled.question, &scene.place, settled.is_new) else {
        return;
    };
    let call = tool::call(event, &scene.cwd);
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
