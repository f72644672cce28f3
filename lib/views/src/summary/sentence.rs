//! A run in one sentence, worst first.

use super::{Ending, Summary, clean, machines, needs};
use crate::report::words::{count, dollars, length};
use crate::status::cause_name;
use overnight_base::text::one_line;
use overnight_run::step::Reason;
use overnight_run::task::Status;
use overnight_run::{State, overview};

/// Characters of why it ended, where the needs say the same.
const WHY_CHARS_MAX: usize = 120;

pub(super) fn of(state: &State, summary: &Summary) -> String {
    let (word, why) = match (&state.finished, state.interrupted, summary.ending) {
        (Some(Reason::AllDone), _, Ending::Done) => {
            (summary.ending.word(), overview::all_done(state))
        }
        (Some(_), ..) => {
            // The sentence begins with such a word already.
            let said = reason_of(state, summary);
            let bare = ["stopped: ", "needs you: ", "interrupted by "];
            let bare = bare.iter().find_map(|word| said.strip_prefix(word));
            // Its task's block says so once more.
            let why = bare.unwrap_or(&said).replace("circuit breaker open: ", "");
            // Whole among the needs.
            let whole = summary.needs.is_empty();
            let why = if whole {
                why
            } else {
                one_line(&why, WHY_CHARS_MAX)
            };
            (summary.ending.word(), why)
        }
        (None, Some(signal), _) => {
            let why = format!("signal {signal} ended the driver");
            (summary.ending.word(), why)
        }
        (None, None, Ending::Running) => match summary.needs.first() {
            Some(need) => (
                Ending::NeedsYou.word(),
                format!("at work, but {}", one_line(&need.what, WHY_CHARS_MAX)),
            ),
            None => (summary.ending.word(), at_work(state)),
        },
        (None, None, Ending::Paused) => {
            let why = overview::paused(state);
            (Ending::Paused.word(), why.replace("paused: ", ""))
        }
        (None, None, ending) => {
            let why = "the driver died without recording an end";
            (ending.word(), why.to_owned())
        }
    };
    let blocked = state.count(Status::Blocked);
    let blocked = if blocked > 0 {
        format!(", {blocked} blocked")
    } else {
        String::new()
    };
    let machines = machines::words(summary).map_or_else(String::new, |words| format!(", {words}"));
    format!(
        "{word}: {why}; {} of {} done{blocked}, {} in {}, {}{machines}.",
        summary.done.all(),
        count(summary.total, "task"),
        count(summary.iterations, "iteration"),
        length(summary.ended_ms.saturating_sub(summary.started_ms)),
        cost(summary),
    )
}

/// Why it ended. That it waits for an answer is no longer so once the answer is there.
fn reason_of(state: &State, summary: &Summary) -> String {
    let said = clean(&overview::ended(state).unwrap_or_default());
    let asked = summary
        .needs
        .iter()
        .any(|need| need.kind == needs::Kind::Question);
    match said.split_once("; it waits for you: ") {
        Some((why, _)) if !asked => why.to_owned(),
        _ => said,
    }
}

/// Dollars, marked where a part of them is an estimate.
pub(super) fn cost(summary: &Summary) -> String {
    let about = if summary.cost.estimated { "about " } else { "" };
    format!("{about}{}", dollars(summary.cost.usd))
}

/// What a driver that lives does.
fn at_work(state: &State) -> String {
    let at_work = state.members.at_work.len();
    match (state.waiting, &state.open) {
        (Some((_, cause)), _) => format!("the driver waits ({})", cause_name(cause)),
        (None, _) if at_work > 0 => format!("{} at work", count(at_work, "member")),
        (None, Some(open)) => clean(&format!(
            "iteration {} of {} on {}",
            open.iteration, state.config.max_iterations, open.task
        )),
        (None, None) => "the driver is at work".to_owned(),
    }
}
