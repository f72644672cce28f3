//! Replay: the same journal gives the same decisions.

use super::config::Config;
use super::event::Event;
use super::fold::apply;
use super::members;
use super::next::next;
use super::state::State;
use super::step::Step;
use crate::journal::Record;
use overnight_judge::{GateOutcome, Verdict};

/// One recorded decision beside the one that these rules give.
#[derive(Debug, Clone, PartialEq)]
pub struct Decided {
    /// The record that holds it.
    pub seq: u64,
    /// Unix time in milliseconds at which it was made.
    pub t: u64,
    /// What was recorded.
    pub recorded: Step,
    /// What these rules, with the given configuration, decide.
    pub now: Step,
}

impl Decided {
    /// Is it the same decision?
    pub fn same(&self) -> bool {
        same(&self.recorded, &self.now)
    }
}

/// Decides again at every recorded decision. `change` alters the configuration in force, for
/// "what if" questions; give [`std::convert::identity`] for a proof.
pub fn replay<'a>(
    records: impl IntoIterator<Item = &'a Record>,
    change: impl Fn(Config) -> Config,
) -> Vec<Decided> {
    let mut replay = Replay::new(change);
    let records = records.into_iter();
    records.filter_map(|record| replay.add(record)).collect()
}

/// A replay under way, which holds no more than the state: there may be a hundred thousand records.
pub struct Replay<C> {
    change: C,
    state: State,
    /// The configuration changes with a driver, not with each decision.
    config: Option<(Config, Config)>,
}

impl<C: Fn(Config) -> Config> Replay<C> {
    /// Before the first record.
    pub fn new(change: C) -> Self {
        Self {
            change,
            state: State::default(),
            config: None,
        }
    }

    /// Goes on by one record; gives the decision that it holds.
    pub fn add(&mut self, record: &Record) -> Option<Decided> {
        let decided = step_of(&record.event).map(|recorded| Decided {
            seq: record.seq,
            t: record.stamp.t,
            recorded,
            now: self.decide(record.stamp.t),
        });
        apply(&mut self.state, record.clone());
        decided
    }

    fn decide(&mut self, now: u64) -> Step {
        let state = &self.state;
        let known = self.config.take().filter(|(from, _)| *from == state.config);
        let (_, in_force) = self.config.insert(known.unwrap_or_else(|| {
            let from = state.config.clone();
            (from.clone(), (self.change)(from))
        }));
        next(state, in_force, now)
    }
}

/// Are these the same decision? A verdict of a version that did not know how much it rests on is the
/// same without that.
pub(super) fn same(recorded: &Step, now: &Step) -> bool {
    match (recorded, now) {
        (Step::Judge(old), Step::Judge(new)) if old.standing.is_none() => {
            let known = Verdict {
                standing: None,
                ..(**new).clone()
            };
            **old == known
        }
        _ => recorded == now,
    }
}

/// The step that an event records; `None` for events that are no decision of the core.
pub(super) fn step_of(event: &Event) -> Option<Step> {
    Some(match event {
        Event::Intent(intent) => Step::Start {
            iteration: intent.iteration,
            attempt: intent.attempt,
            task: intent.task.clone(),
            nudge: intent.nudge,
        },
        Event::Measured(measured) => Step::Baseline(commands(&measured.outcomes)),
        // Nothing could be run: what was to be run is not in the record.
        Event::Gates(gates) if gates.outcomes.is_empty() => return None,
        Event::Gates(gates) => Step::Gates(commands(&gates.outcomes)),
        Event::Reviewed(_) => Step::Review,
        Event::Judged(judged) => Step::Judge(Box::new(judged.verdict.clone())),
        Event::Closing(closing) => Step::Close(commands(&closing.outcomes)),
        Event::Waiting(waiting) => Step::Wait {
            until: waiting.until,
            cause: waiting.cause,
        },
        // A person's doing is no decision.
        Event::Finished(finished) if finished.reason.is_a_persons() => return None,
        Event::Finished(finished) => Step::Finish(finished.reason.clone()),
        Event::Assigned(asked) => Step::Members(members::Step::Assigned {
            task: asked.task.clone(),
            member: asked.member,
            round: asked.round,
            share: asked.share,
        }),
        Event::Merging(merging) => Step::Members(members::Step::Merge {
            tasks: merging.tasks.clone(),
        }),
        Event::Taken(taken) => Step::Take {
            task: taken.task.clone(),
        },
        Event::Looked(_) => Step::Members(members::Step::Look),
        Event::LineProved(_) => Step::Members(members::Step::Prove),
        _ => return None,
    })
}

fn commands(outcomes: &[GateOutcome]) -> Vec<String> {
    outcomes.iter().map(|gate| gate.command.clone()).collect()
}
