//! A record as a line for a person.

use crate::report::words::{count, dollars, length};
use crate::report::{Clock, clean};
use crate::status::cause_name;
use crate::summary::came_to;
use crate::summary::standing::of_done;
use overnight_judge::GateOutcome;
use overnight_judge::Verdict;
use overnight_run::classify::Class;
use overnight_run::event::Ended;
use overnight_run::event::Event;
use overnight_run::event::Outcome;
use overnight_run::leased;
use overnight_run::members::event::Answer;
use overnight_run::members::event::Assigned;
use overnight_run::members::event::MergeAnswer;
use overnight_run::overview;
use overnight_run::steer::{Instruction, Order};

/// What happened, in one line without control characters; `None` for what nobody reads. `said`: the
/// last words of the agent that is judged.
pub(super) fn line(event: &Event, said: &str, clock: &Clock) -> Option<String> {
    Some(match event {
        Event::RunStarted(event) => {
            let goal = event.goal.lines().find(|line| !line.trim().is_empty());
            let goal = goal.unwrap_or_default().trim_start_matches('#');
            clean(&format!("the run begins: {goal}"))
        }
        Event::DriverStarted(event) => {
            let tasks = count(event.tasks.len(), "task");
            format!("driver {} takes over, {tasks}", event.epoch)
        }
        Event::Intent(event) => {
            let again = match event.attempt {
                0 | 1 => String::new(),
                attempt => format!(", attempt {attempt}"),
            };
            clean(&format!(
                "iteration {} on {} begins{again}",
                event.iteration, event.task
            ))
        }
        Event::AgentStarted(_) => return None,
        Event::Outcome(event) => outcome(event),
        Event::Measured(event) => format!("gates before the work: {}", gates(&event.outcomes)),
        Event::Gates(event) => format!("gates: {}", gates(&event.outcomes)),
        Event::Judged(event) => judged(&event.verdict, said),
        Event::Waiting(event) => format!(
            "waits until {} ({})",
            clock.time(event.until),
            cause_name(event.cause)
        ),
        Event::Paused(event) => event.why.sentence().to_owned(),
        Event::Released(_) => "it goes on".to_owned(),
        Event::Interrupted(event) => overview::stopped_by(event.signal),
        Event::Finished(event) => clean(&format!(
            "the run ends: {}",
            overview::sentence(&event.reason)
        )),
        Event::Torn(event) => {
            format!(
                "the journal's last record was cut off ({} bytes)",
                event.bytes
            )
        }
        other => return about_others(other, clock),
    })
}

/// What members and other runs did, and what a person chose.
fn about_others(event: &Event, clock: &Clock) -> Option<String> {
    Some(match event {
        Event::LimitHeard(event) => format!(
            "another run found the usage limit in force until {}",
            clock.time(event.until)
        ),
        Event::LimitChosen(_) => "a person chose what to do at the usage limit".to_owned(),
        Event::Answered(event) => {
            let answer = if event.approved {
                "approved"
            } else {
                "refused"
            };
            format!("a person {answer} ask-{}", event.ask)
        }
        Event::Instruction(event) => told(event),
        Event::SentBack(event) if event.taken_out => {
            clean(&format!("you took out what {} did", event.task))
        }
        Event::SentBack(event) => clean(&format!(
            "you sent {} back: {}",
            event.task,
            event.comments.join("; ")
        )),
        Event::Assigned(event) => assign(event),
        Event::MemberEnded(event) => {
            let (end, spent) = (event.end.word(), dollars(event.spent.usd));
            clean(&format!(
                "member {} ended on {}: {end}, {spent}",
                event.member, event.task
            ))
        }
        Event::Merging(event) => merging(&event.tasks),
        Event::MergeEnded(event) => clean(&match &event.answer {
            MergeAnswer::Merged { .. } => format!("{} is merged", event.task),
            MergeAnswer::Conflict { why, .. } | MergeAnswer::Red { why } => {
                format!("{} cannot be merged: {why}", event.task)
            }
            MergeAnswer::World { why } | MergeAnswer::Unreachable { why } => {
                format!("{} is merged once more: {why}", event.task)
            }
            MergeAnswer::Moved { .. } => format!("{} waits for another merge", event.task),
            MergeAnswer::Halve { .. } => format!("{} is proved with fewer others", event.task),
        }),
        Event::Taken(event) => clean(&match &event.answer {
            leased::Answer::Granted { .. } => format!("{} is taken", event.task),
            leased::Answer::Done => format!("{} was done by another agent", event.task),
            leased::Answer::Held { by, .. } => format!("{} is held by {by}", event.task),
        }),
        Event::LeaseLost(event) => clean(&format!("{} went to {}", event.task, event.by)),
        Event::Placed(event) => clean(&format!("works on {} in {}", event.branch, event.tree)),
        Event::Published(event) => clean(&match (&event.url, &event.command) {
            (Some(url), _) => format!("pull request {url}"),
            (None, Some(command)) => format!("no pull request yet: {command}"),
            (None, None) => format!("{} is pushed", event.branch),
        }),
        Event::Looked(event) if event.done.is_empty() => return None,
        Event::Looked(event) => format!("other drivers did {}", count(event.done.len(), "task")),
        other => return about_proofs(other),
    })
}

/// What proofs and reviews found beside the verdict.
fn about_proofs(event: &Event) -> Option<String> {
    Some(match event {
        Event::Closing(event) => format!("gates at the end of the run: {}", gates(&event.outcomes)),
        Event::LineProved(event) => match &event.red {
            Some(why) => clean(&format!("the merged work does not hold: {why}")),
            None => "the merged work holds".to_owned(),
        },
        Event::Hunk(event) => {
            let place = event.place.as_deref()?;
            let found = if event.noticed {
                "a gate noticed"
            } else {
                "no gate noticed"
            };
            clean(&format!("{place} was taken back: {found}"))
        }
        Event::Reviewed(event) if event.review.is_none() => {
            clean(&format!("no review: {}", event.problem))
        }
        Event::Reviewed(_) => "a reviewer read the change".to_owned(),
        Event::Contested(event) => clean(&format!(
            "{} waits: may its changed tests count? (ask-{})",
            event.task, event.ask
        )),
        Event::LeftOut(event) => clean(&format!(
            "{} is left out: its tries are on {}",
            event.task, event.branch
        )),
        Event::GoalChanged(_) => "you changed the goal".to_owned(),
        Event::TasksChanged(event) => {
            format!(
                "the task list changed: {}",
                count(event.tasks.len(), "task")
            )
        }
        _ => return None,
    })
}

/// What came of asking for a task on behalf of a member.
fn assign(event: &Assigned) -> String {
    let (task, member) = (&event.task, event.member);
    clean(&match &event.answer {
        Answer::Granted { .. } => format!("member {member} gets {task}"),
        Answer::Held { by, .. } => format!("{task} is held by {by}"),
        Answer::Done { .. } => format!("{task} was done by another driver"),
        Answer::Unreachable { why, .. } => format!("{task} cannot be asked for: {why}"),
        Answer::Refused { why } => format!("{task} cannot be worked on: {why}"),
    })
}

fn outcome(event: &Outcome) -> String {
    let ended = match event.ended {
        Ended::Exited(status) => format!("ended with status {status}"),
        Ended::Signalled(signal) => format!("was ended by signal {signal}"),
        Ended::TimedOut(_) => "ran into its time limit".to_owned(),
        Ended::Lost => "was lost with its driver".to_owned(),
        Ended::Interrupted => "was interrupted with the run".to_owned(),
    };
    let class = match event.class {
        Class::None => "",
        Class::UsageLimit => ", at the usage limit",
        Class::Transient => ", because the service failed",
        Class::Auth => ", because login or key was refused",
        Class::Billing => ", because the account cannot pay",
        Class::Budget => ", at a limit of ours",
        Class::Context => ", because the conversation grew too long",
        Class::Unknown => ", for an unknown cause",
    };
    let cost = if event.cost_usd > 0.0 {
        format!(", {}", dollars(event.cost_usd))
    } else {
        String::new()
    };
    let changed = if event.unseen {
        "what it changed could not be seen".to_owned()
    } else {
        format!("{} changed", count(event.changed, "file"))
    };
    format!(
        "the agent {ended}{class} after {}, {changed}{cost}",
        length(event.duration_ms)
    )
}

fn gates(outcomes: &[GateOutcome]) -> String {
    let failed: Vec<&str> = outcomes
        .iter()
        .filter(|gate| !gate.passed())
        .map(|gate| gate.command.as_str())
        .collect();
    let passed = outcomes.len() - failed.len();
    if failed.is_empty() {
        return format!("{passed} passed");
    }
    clean(&format!("{passed} passed, failed: {}", failed.join(", ")))
}

/// What a person said, and what is to become of the task that it is about.
fn told(event: &Instruction) -> String {
    let order = event.order.map(|order| match order {
        Order::First => "put first",
        Order::Hold => "held",
        Order::Release => "released",
        Order::Drop => "dropped",
    });
    let ordered =
        order.map(|order| format!("you {order} {}", event.task.as_deref().unwrap_or("it")));
    let said = Some(format!("you said: {}", event.text))
        .filter(|_| ordered.is_none() || !event.text.is_empty());
    let parts: Vec<String> = ordered.into_iter().chain(said).collect();
    clean(&parts.join(", "))
}

fn judged(verdict: &Verdict, said: &str) -> String {
    let told = came_to(verdict, said);
    if verdict.complete() {
        let shown = of_done(Some(verdict)).words();
        let told = Some(told).filter(|told| !told.is_empty());
        let told = told.map_or(String::new(), |told| format!(", it said: {told}"));
        return clean(&format!("judged complete: {shown}{told}"));
    }
    if let Some(needs) = &verdict.needs {
        return clean(&format!("judged incomplete: it needs you: {needs}"));
    }
    let why = if told.is_empty() {
        "not claimed"
    } else {
        &told
    };
    clean(&format!("judged incomplete: {why}"))
}

/// Tasks whose branches are being merged.
fn merging(tasks: &[String]) -> String {
    let verb = if tasks.len() > 1 { "are" } else { "is" };
    clean(&format!("{} {verb} being merged", tasks.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_order_is_told_as_one_and_never_as_empty_words() {
        let said = |order: Option<Order>, text: &str| {
            told(&Instruction {
                id: "1".to_owned(),
                text: text.to_owned(),
                task: Some("docs".to_owned()),
                order,
                now: false,
                at: 0,
            })
        };
        assert_eq!(said(Some(Order::Hold), ""), "you held docs");
        assert_eq!(said(Some(Order::Release), ""), "you released docs");
        let both = "you dropped docs, you said: it is done elsewhere";
        assert_eq!(said(Some(Order::Drop), "it is done elsewhere"), both);
        assert_eq!(said(None, "be brief"), "you said: be brief");
    }
}
