use super::Step as Members;
use super::event::{
    Answer, Assigned, Elsewhere, End, LineProved, Looked, MemberEnded, MergeAnswer, MergeEnded,
    Merging, Refuted,
};
use super::line::{self, done, key, message};
use crate::budget::Amount;
use crate::event::{Door, Finished};
use crate::member_task;
use crate::rehearsal::{T0, World, spec};
use crate::replay::replay;
use crate::task::{Status, TaskSpec};
use crate::{Config, Reason, Step};
use proptest::prelude::*;

fn world(config: Config, tasks: Vec<TaskSpec>) -> World {
    World::new(Door::Driver, config, tasks)
}

impl World {
    fn look(&mut self) {
        assert_eq!(self.next(), Step::Members(Members::Look));
        self.push(Looked { done: Vec::new() });
    }

    /// Answers the hand-out that comes next; gives task, member, round and dollars.
    fn answered(
        &mut self,
        answer: impl Fn(&str, u32) -> Answer,
    ) -> (String, u32, u32, Option<f64>) {
        let Step::Members(Members::Assigned {
            task,
            member,
            round,
            share,
        }) = self.next()
        else {
            panic!("{:?}", self.next());
        };
        self.push(Assigned {
            task: task.clone(),
            member,
            round,
            share,
            answer: answer(&task, member),
        });
        (task, member, round, share.usd)
    }

    fn grant(&mut self) -> (String, u32, u32, Option<f64>) {
        let token = self.now;
        self.answered(|task, member| Answer::Granted {
            token,
            branch: format!("auto/r/{task}"),
            work_tree: format!("/w/m{member}"),
            base: "c0".into(),
        })
    }

    fn answer(&mut self, answer: &Answer) -> String {
        self.answered(|_, _| answer.clone()).0
    }

    fn end(&mut self, task: &str, end: End, cost_usd: f64) {
        let state = self.state();
        let assignment = state
            .members
            .at_work
            .iter()
            .find(|assignment| assignment.task == task)
            .unwrap();
        self.push(MemberEnded {
            task: task.into(),
            member: assignment.member,
            end,
            spent: Amount {
                usd: cost_usd,
                tokens: 0,
            },
            iterations: 1,
            said: format!("said {task}"),
            verdict: None,
            tip: None,
            changed: Some(vec![task.into()]),
        });
    }

    fn merge(&mut self, task: &str, answer: MergeAnswer) {
        assert_eq!(
            self.next(),
            Step::Members(Members::Merge {
                tasks: vec![task.into()]
            })
        );
        self.push(Merging {
            tasks: vec![task.into()],
        });
        self.push(MergeEnded {
            task: task.into(),
            answer,
        });
    }

    fn proved(&mut self) {
        assert_eq!(self.next(), Step::Members(Members::Prove));
        self.push(LineProved {
            commit: "l".into(),
            refuted: Vec::new(),
            red: None,
        });
    }

    fn merged(&mut self, task: &str) {
        self.merge(
            task,
            MergeAnswer::Merged {
                commit: format!("m-{task}"),
                gates: Vec::new(),
                way: String::new(),
            },
        );
    }
}

fn config(members: u32) -> Config {
    Config {
        members,
        remote: Some("origin".into()),
        ..Config::default()
    }
}

const NOTHING: Step = Step::Members(Members::Attend { until: None });

#[test]
fn free_members_get_the_next_tasks_whose_dependencies_are_merged() {
    let mut world = world(
        config(2),
        vec![spec("c", &["a"]), spec("a", &[]), spec("b", &[])],
    );
    world.look();
    assert_eq!(world.grant().0, "a");
    assert_eq!(world.grant().0, "b");
    assert_eq!(world.next(), NOTHING);
    world.end("a", End::Done, 0.0);
    // Done on its branch is not enough: c works on what is merged.
    world.merged("a");
    assert_eq!(world.grant(), ("c".into(), 1, 0, None));
    world.end("b", End::Done, 0.0);
    world.merged("b");
    world.end("c", End::Done, 0.0);
    world.merged("c");
    world.proved();
    assert_eq!(world.next(), Step::Finish(Reason::AllDone));
    world.push(Finished {
        reason: Reason::AllDone,
    });
    assert!(
        replay(&world.records, std::convert::identity)
            .iter()
            .all(super::super::replay::Decided::same)
    );
}

#[test]
fn what_another_driver_holds_is_asked_for_later_and_its_merges_are_looked_for() {
    let mut world = world(config(1), vec![spec("a", &[]), spec("b", &["a"])]);
    world.look();
    let until = world.now + 2_000;
    world.answer(&Answer::Held {
        by: "other".into(),
        until,
    });
    assert_eq!(
        world.next(),
        Step::Members(Members::Attend { until: Some(until) })
    );
    world.now = until;
    assert_eq!(
        world.answer(&Answer::Held {
            by: "other".into(),
            until: until + 4_000
        }),
        "a"
    );
    world.look();
    world.now += 4_000;
    world.answer(&Answer::Done {
        tasks: vec![Elsewhere {
            task: "a".into(),
            commit: "m".into(),
            ..Elsewhere::default()
        }],
    });
    assert_eq!(world.grant().0, "b");
}

#[test]
fn members_together_never_reserve_more_than_the_budget() {
    let budget = Config {
        budget_usd: Some(9.0),
        proof_minutes: 10,
        ..config(3)
    };
    let tasks = ["a", "b", "c", "d"].map(|id| spec(id, &[])).to_vec();
    let mut world = world(budget, tasks);
    world.look();
    let dollars: Vec<_> = (0..3).map(|_| world.grant().3).collect();
    assert_eq!(dollars, [Some(3.0); 3]);
    let state = world.state();
    let of_member = member_task::config(&state, &state.members.at_work[0], T0);
    assert_eq!(of_member.budget_usd, Some(3.0));
    assert_eq!(of_member.proof_minutes, 0, "the line waits for it");
    world.end("a", End::Done, 1.0);
    world.merged("a");
    assert_eq!(world.grant().3, Some(2.0));
    world.end("b", End::Stopped(Reason::BudgetSpent), 3.0);
    // Nothing is left that is not reserved: it waits for what the others give back.
    assert_eq!(world.next(), NOTHING);
    world.end("c", End::Done, 2.5);
    world.merged("c");
    assert_eq!(world.grant(), ("b".into(), 2, 0, Some(0.25)));
    let state = world.state();
    let assignment = state
        .members
        .at_work
        .iter()
        .find(|assignment| assignment.task == "b")
        .unwrap();
    assert_eq!(
        member_task::config(&state, assignment, T0).budget_usd,
        Some(3.25)
    );
}

/// A finished task in the hands of the queue.
fn being_merged() -> World {
    let mut world = world(config(1), vec![spec("a", &[])]);
    world.look();
    world.grant();
    world.end("a", End::Done, 0.0);
    world.push(Merging {
        tasks: vec!["a".into()],
    });
    world
}

#[test]
fn what_this_driver_lands_is_its_own_whoever_sees_it_on_the_line_first() {
    let mut world = being_merged();
    let seen = Elsewhere {
        task: "a".into(),
        commit: "m-a".into(),
        ..Elsewhere::default()
    };
    world.push(Looked { done: vec![seen] });
    world.push(MergeEnded {
        task: "a".into(),
        answer: MergeAnswer::Merged {
            commit: "m-a".into(),
            gates: Vec::new(),
            way: String::new(),
        },
    });
    let state = world.state();
    assert!(state.members.elsewhere.is_empty());
    assert_eq!(state.task("a").unwrap().status, Status::Done);
    assert_eq!(state.members.merged.len(), 1);
}

#[test]
fn what_landed_without_an_answer_is_this_drivers_own_as_the_line_says() {
    for (run, own) in [("r", true), ("other", false), ("", false)] {
        let mut world = being_merged();
        world.push(MergeEnded {
            task: "a".into(),
            answer: MergeAnswer::World {
                why: "no answer".into(),
            },
        });
        let seen = Elsewhere {
            task: "a".into(),
            commit: "m-a".into(),
            run: run.into(),
        };
        world.push(Looked { done: vec![seen] });
        let state = world.state();
        assert_eq!(state.members.elsewhere.is_empty(), own, "{run}");
        assert_eq!(state.members.merged.len(), 1);
        assert!(state.members.queue.entries.is_empty());
        let task = state.task("a").unwrap();
        assert_eq!(task.status, Status::Done);
        assert_eq!(task.tally.merged.is_some(), own);
    }
}

#[test]
fn a_new_driver_takes_up_what_the_last_one_had_at_work() {
    let mut world = world(config(2), vec![spec("a", &[]), spec("b", &[])]);
    world.look();
    world.grant();
    world.grant();
    world.end("b", End::Done, 0.0);
    world.push(Merging {
        tasks: vec!["b".into()],
    });
    world.drive(config(2), vec![spec("a", &[]), spec("b", &[])]);
    world.end("a", End::Interrupted, 0.0);
    world.look();
    world.merged("b");
    assert_eq!(world.grant(), ("a".into(), 1, 0, None));
}

#[test]
fn a_member_that_dies_again_and_again_blocks_its_task_only() {
    let mut world = world(config(1), vec![spec("a", &[]), spec("b", &[])]);
    world.look();
    for _ in 0..10 {
        assert_eq!(world.grant().0, "a");
        world.end("a", End::Lost, 0.0);
    }
    assert_eq!(world.state().task("a").unwrap().status, Status::Blocked);
    assert_eq!(world.grant().0, "b");
}

#[test]
fn a_work_tree_that_cannot_be_had_is_tried_again_and_blocks_at_last() {
    let mut world = world(config(1), vec![spec("a", &[])]);
    world.look();
    for _ in 0..6 {
        world.answer(&Answer::Refused {
            why: "no space".into(),
        });
        world.now += 60_000;
    }
    assert_eq!(
        world.next(),
        Step::Finish(Reason::Blocked("a: no space".into()))
    );
}

#[test]
fn a_member_whose_work_tree_cannot_be_had_is_passed_over_as_long_as_there_are_others() {
    let tasks = ["a", "b", "c", "d"].map(|id| spec(id, &[])).to_vec();
    let mut world = world(config(2), tasks);
    world.look();
    let no_space = || Answer::Refused {
        why: "no space".into(),
    };
    assert_eq!(world.answer(&no_space()), "a");
    assert_eq!(world.grant().1, 2);
    // The other one is at work.
    assert!(matches!(
        world.next(),
        Step::Members(Members::Attend { .. })
    ));
    world.now += 60_000;
    let (task, member, ..) = world.grant();
    assert_eq!((task.as_str(), member), ("a", 1));
    world.end("a", End::Lost, 0.0);
    world.end("b", End::Lost, 0.0);
    // Where none has one, each is asked.
    world.answer(&no_space());
    world.answer(&no_space());
    assert!(matches!(
        world.next(),
        Step::Members(Members::Assigned { member: 1, .. })
    ));
}

#[test]
fn a_merge_says_which_task_it_was_and_only_that() {
    let task = spec("a", &[]);
    let said = message(&task, "r", 7);
    let value = said
        .lines()
        .find_map(|line| line.strip_prefix("Overnight-Task: "))
        .unwrap();
    let own = line::told("c2", &[&task], "r");
    assert_eq!(own, format!("c2 -r {value}"));
    let log = format!("c1 -r a 0000000000000000\n{own}\nc3 - b\nc4\n");
    assert_eq!(
        done(&log, [&task].into_iter()),
        [Elsewhere {
            task: "a".into(),
            commit: "c2".into(),
            run: "r".into(),
        }]
    );
    let changed = TaskSpec {
        objective: "do it better".into(),
        ..task.clone()
    };
    assert_eq!(done(&log, [&changed].into_iter()), []);
    // What is a command on this machine may be a sentence on another.
    let gate = TaskSpec {
        gates: vec!["x".into()],
        checklist: vec!["a".into()],
        ..task.clone()
    };
    let sentence = TaskSpec {
        checklist: vec!["a".into(), "x".into()],
        ..task
    };
    assert_eq!(key(&gate), key(&sentence));
}

proptest! {
    /// Whatever the world answers: no task is with two members, nothing done is handed out again,
    /// nothing is handed out before its dependencies are merged, reservations stay within the
    /// budget, and the machine always knows a step.
    #[test]
    fn whatever_the_world_answers_the_rules_hold(seed in proptest::collection::vec(0u8..=255, 0..400)) {
        let ids = ["a", "b", "c", "d", "e"];
        let tasks: Vec<_> = ids.iter().enumerate().map(|(at, id)| spec(id, if at > 2 { &["a", "b"] } else { &[] })).collect();
        let budget = Config { budget_usd: Some(5.0), ..config(3) };
        let mut world = world(budget, tasks);
        let mut done = std::collections::BTreeSet::new();
        for dice in seed {
            world.now += 3_000;
            let state = world.state();
            let reserved: f64 = state.members.at_work.iter().filter_map(|assignment| assignment.share.usd).sum();
            prop_assert!(reserved + state.spent_usd <= 5.0 + 1e-9);
            if let Some(assignment) = state.members.at_work.first().filter(|_| dice % 3 == 0) {
                let cost = state.members.accounts.get(&super::name(&assignment.task, assignment.round)).map_or(0.0, |account| account.spent.usd);
                let end = match dice / 3 % 5 { 0 => End::Lost, 1 => End::LeaseLost { kept: String::new() }, 2 => End::Stopped(Reason::BudgetSpent), _ => End::Done };
                let task = assignment.task.clone();
                world.end(&task, end, cost + assignment.share.usd.unwrap_or(0.0) * 0.5);
                continue;
            }
            if let Some(task) = state.members.queue.batch.first().cloned().filter(|_| dice % 2 == 0) {
                let answer = match dice / 2 % 9 {
                    8 => MergeAnswer::Unreachable { why: "x".into() },
                    0 => MergeAnswer::Conflict { why: "x".into(), paths: vec!["p".into()] },
                    1 => MergeAnswer::World { why: "x".into() },
                    2 => MergeAnswer::Red { why: "x".into() },
                    3 => MergeAnswer::Moved { until: Some(world.now + 1_000) },
                    4 => MergeAnswer::Halve { half: if dice > 100 { '0' } else { '1' } },
                    _ => { done.insert(task.clone()); MergeAnswer::Merged { commit: format!("c{}", world.now), gates: Vec::new(), way: String::new() } }
                };
                world.push(MergeEnded { task, answer });
                continue;
            }
            match world.next() {
                Step::Members(Members::Assigned { task, member, round, share }) => {
                    prop_assert!(!done.contains(&task));
                    prop_assert!(state.members.at_work.iter().all(|assignment| assignment.task != task && assignment.member != member));
                    prop_assert!(state.task(&task).unwrap().spec.depends_on.iter().all(|id| done.contains(id)));
                    let answer = match dice % 5 {
                        0 => Answer::Held { by: "x".into(), until: world.now + 2_000 },
                        1 => { done.insert(task.clone()); Answer::Done { tasks: vec![Elsewhere { task: task.clone(), commit: "c".into(), ..Elsewhere::default() }] } }
                        _ => Answer::Granted { token: 1, branch: "b".into(), work_tree: "/w".into(), base: "c".into() },
                    };
                    world.push(Assigned { task, member, round, share, answer });
                }
                Step::Members(Members::Merge { tasks }) => {
                    prop_assert!(state.members.queue.batch.is_empty() && tasks.iter().all(|task| !done.contains(task)));
                    world.push(Merging { tasks });
                }
                Step::Members(Members::Prove) => {
                    prop_assert!(state.members.at_work.is_empty() && state.members.queue.entries.is_empty());
                    let refuted = state.members.merged.first().filter(|_| dice % 3 == 0);
                    let refuted: Vec<_> = refuted.map(|merged| Refuted { task: merged.task.clone(), why: "x".into() }).into_iter().collect();
                    for refuted in &refuted { done.remove(&refuted.task); }
                    world.push(LineProved { commit: "l".into(), refuted, red: None });
                }
                Step::Members(Members::Look) => world.push(Looked { done: Vec::new() }),
                Step::Members(Members::Attend { until }) => {
                    let waits_for_somebody = !state.members.at_work.is_empty() || !state.members.queue.batch.is_empty();
                    prop_assert!(waits_for_somebody || until.is_some(), "waits for nothing");
                }
                Step::Finish(reason) => {
                    prop_assert_eq!(reason == Reason::AllDone, done.len() == ids.len());
                    return Ok(());
                }
                step => prop_assert!(false, "{step:?}"),
            }
        }
        prop_assert!(replay(&world.records, std::convert::identity).iter().all(super::super::replay::Decided::same));
    }
}
