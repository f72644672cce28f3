use super::*;
use crate::event::Door;
use crate::member_task;
use crate::members::Step as Members;
use crate::members::event::{
    Answer, Assigned, End, LineProved, Looked, MemberEnded, MergeAnswer, MergeEnded, Merging,
    Refuted,
};
use crate::rehearsal::{World, spec};
use crate::task::Status;
use crate::{Config, Reason, Step};

fn entry(task: &str, changed: &[&str]) -> Entry {
    Entry {
        task: task.into(),
        changed: Some(changed.iter().map(|path| (*path).to_owned()).collect()),
        ..Entry::default()
    }
}

#[test]
fn all_that_is_due_is_tried_together_and_halves_are_tried_before_the_rest() {
    let mut queue = Queue {
        entries: ["a", "b", "c", "d"]
            .map(|task| entry(task, &[task]))
            .to_vec(),
        ..Queue::default()
    };
    queue.entries[3].again = 10;
    assert_eq!(queue.due(5, false), ["a", "b", "c"]);
    for (entry, half) in queue.entries.iter_mut().zip(halves(3)) {
        entry.half.push(half);
    }
    assert_eq!(queue.due(20, false), ["a", "b"]);
    queue.entries[0].half.push('0');
    queue.entries[1].half.push('1');
    assert_eq!(queue.due(20, false), ["a"]);
    queue.entries.remove(0);
    assert_eq!(queue.due(20, false), ["b"]);
    queue.entries.remove(0);
    assert_eq!(queue.due(20, false), ["c"]);
    queue.entries.remove(0);
    assert_eq!(queue.due(20, false), ["d"]);
    queue.batch.push("d".into());
    assert_eq!(queue.due(20, false), [""; 0]);
}

#[test]
fn paths_in_repair_wait_for_it_but_the_oldest_repair_waits_for_nobody() {
    let repair = |task: &str, path: &str| Repair {
        task: task.into(),
        paths: vec![path.into()],
        ..Repair::default()
    };
    let mut queue = Queue {
        repairs: vec![repair("a", "x"), repair("b", "y")],
        entries: vec![
            entry("c", &["x"]),
            entry("d", &["z"]),
            entry("a", &["x", "y"]),
            entry("b", &["x", "y"]),
        ],
        ..Queue::default()
    };
    assert_eq!(queue.due(0, false), ["d", "a"]);
    queue.entries[1].changed = None;
    assert_eq!(queue.due(0, false), ["a"], "who knows what it changes");
    assert_eq!(queue.due(0, true), ["c", "d", "a", "b"]);
}

/// A run in which these tasks wait for their merges.
fn waiting(tasks: &[&str]) -> World {
    let config = Config {
        members: 8,
        remote: Some("none".into()),
        ..Config::default()
    };
    let mut world = World::new(
        Door::Driver,
        config,
        tasks.iter().map(|task| spec(task, &[])).collect(),
    );
    world.push(Looked { done: Vec::new() });
    let handed: Vec<_> = tasks.iter().map(|_| assign(&mut world)).collect();
    for (task, member, round) in handed {
        end(&mut world, &task, member, round);
    }
    world
}

/// The next task is handed out, and its member does it.
fn work(world: &mut World) -> (String, u32) {
    let (task, member, round) = assign(world);
    end(world, &task, member, round);
    (task, round)
}

fn assign(world: &mut World) -> (String, u32, u32) {
    let Step::Members(Members::Assigned {
        task,
        member,
        round,
        share,
    }) = world.next()
    else {
        panic!("{:?}", world.next());
    };
    world.push(Assigned {
        task: task.clone(),
        member,
        round,
        share,
        answer: Answer::Granted {
            token: 1,
            branch: format!("auto/r/{task}"),
            work_tree: "/w".into(),
            base: "c0".into(),
        },
    });
    (task, member, round)
}

fn end(world: &mut World, task: &str, member: u32, round: u32) {
    world.push(MemberEnded {
        task: task.to_owned(),
        member,
        end: End::Done,
        spent: crate::budget::Amount::default(),
        iterations: 1,
        said: String::new(),
        verdict: None,
        tip: Some(format!("t-{task}-{round}")),
        changed: Some(vec!["L".into()]),
    });
}

fn conflict(why: &str) -> MergeAnswer {
    MergeAnswer::Conflict {
        why: why.into(),
        paths: vec!["L".into()],
    }
}

fn merged(task: &str) -> MergeAnswer {
    MergeAnswer::Merged {
        commit: format!("m-{task}"),
        gates: Vec::new(),
        way: String::new(),
    }
}

/// The next batch, and an answer for each of its tasks.
fn batch(world: &mut World, answer: impl Fn(&str, usize) -> MergeAnswer) -> Vec<String> {
    let Step::Members(Members::Merge { tasks }) = world.next() else {
        panic!("{:?}", world.next());
    };
    world.push(Merging {
        tasks: tasks.clone(),
    });
    for (at, task) in tasks.iter().enumerate() {
        world.push(MergeEnded {
            task: task.clone(),
            answer: answer(task, at),
        });
    }
    tasks
}

#[test]
fn sixteen_that_change_one_line_need_one_repair_each() {
    let names: Vec<String> = (0..8).map(|at| format!("h{at}")).collect();
    let tasks: Vec<&str> = names.iter().map(String::as_str).collect();
    let mut world = waiting(&tasks);
    let all = batch(&mut world, |task, at| {
        if at == 0 { merged(task) } else { conflict("L") }
    });
    assert_eq!(all, tasks);
    for task in &tasks[1..] {
        assert_eq!(work(&mut world), ((*task).to_owned(), 1));
        let last = batch(&mut world, |task, _| merged(task));
        assert_eq!(last, [*task]);
        if *task != "h7" {
            batch(&mut world, |_, _| conflict("L"));
        }
    }
    assert_eq!(world.next(), Step::Members(Members::Prove));
}

#[test]
fn that_the_line_moved_costs_nothing_and_everything_else_has_its_own_count() {
    let mut world = waiting(&["a"]);
    for _ in 0..50 {
        batch(&mut world, |_, _| MergeAnswer::Moved { until: None });
    }
    for time in 0..3 {
        batch(&mut world, |_, _| conflict("c"));
        assert_eq!(work(&mut world).1, 2 * time + 1);
        batch(&mut world, |_, _| MergeAnswer::Red { why: "r".into() });
        assert_eq!(work(&mut world).1, 2 * time + 2);
    }
    for _ in 0..5 {
        batch(&mut world, |_, _| MergeAnswer::World {
            why: "disk full".into(),
        });
        assert!(matches!(
            world.next(),
            Step::Members(Members::Attend { until: Some(_) })
        ));
        world.now += 60_000;
    }
    batch(&mut world, |_, _| MergeAnswer::Moved { until: None });
    batch(&mut world, |_, _| MergeAnswer::Red {
        why: "the gate fails".into(),
    });
    let Step::Finish(Reason::Blocked(why)) = world.next() else {
        panic!("{:?}", world.next())
    };
    assert!(
        why.contains("the gate fails (3 times given to agents); merge auto/r/a by hand"),
        "{why}"
    );
}

#[test]
fn a_remote_that_is_silent_for_ten_minutes_costs_no_task_anything() {
    let mut world = waiting(&["a", "b"]);
    let silent = || MergeAnswer::Unreachable {
        why: "origin cannot be reached".into(),
    };
    let until = world.now + 600_000;
    let mut tries = 0;
    while world.now < until {
        batch(&mut world, |_, _| silent());
        let Step::Members(Members::Attend { until: Some(at) }) = world.next() else {
            panic!("{:?}", world.next());
        };
        world.now = at.max(world.now + 1);
        tries += 1;
    }
    assert!((20..40).contains(&tries), "{tries}");
    batch(&mut world, |task, _| merged(task));
    assert_eq!(world.next(), Step::Members(Members::Prove));
}

#[test]
fn a_remote_that_stays_silent_is_a_persons_matter() {
    let mut world = waiting(&["a"]);
    for _ in 0..2 {
        batch(&mut world, |_, _| MergeAnswer::Unreachable {
            why: "origin cannot be reached".into(),
        });
        world.now += 3_600_000;
    }
    let reason = world.state().members.ending.clone();
    assert_eq!(
        reason,
        Some(Reason::NeedsPerson("origin cannot be reached".into()))
    );
}

#[test]
fn a_fault_that_stays_blocks_its_task_and_the_others_go_on() {
    let mut world = waiting(&["a", "b"]);
    for _ in 0..=WORLD_MAX {
        let faulty = |task: &str, _| {
            if task == "a" {
                MergeAnswer::World {
                    why: "no space".into(),
                }
            } else {
                merged(task)
            }
        };
        batch(&mut world, faulty);
        world.now += 60_000;
    }
    let state = world.state();
    assert_eq!(state.task("b").unwrap().status, Status::Done);
    let blocked = state.task("a").unwrap().blocked.clone().unwrap().reason;
    assert!(
        blocked.starts_with("no space (5 times tried again)"),
        "{blocked}"
    );
}

#[test]
fn what_the_line_refutes_at_the_end_is_done_again_and_blocked_when_that_does_not_help() {
    let mut world = waiting(&["a", "b"]);
    batch(&mut world, |task, _| merged(task));
    for time in 1..=4 {
        assert_eq!(world.next(), Step::Members(Members::Prove));
        world.push(LineProved {
            commit: "m-b".into(),
            refuted: vec![Refuted {
                task: "a".into(),
                why: "its gate fails".into(),
            }],
            red: None,
        });
        if time == 4 {
            break;
        }
        assert_eq!(world.state().task("a").unwrap().status, Status::Todo);
        assert_eq!(work(&mut world), ("a".into(), time));
        batch(&mut world, |task, _| merged(task));
    }
    assert!(
        matches!(world.next(), Step::Finish(Reason::Blocked(_))),
        "{:?}",
        world.next()
    );
    assert_eq!(world.state().task("b").unwrap().status, Status::Done);
}

#[test]
fn a_repair_is_told_what_was_wrong_and_where_the_sides_are() {
    let mut world = waiting(&["a"]);
    batch(&mut world, |_, _| conflict("conflicts in x.rs"));
    assign(&mut world);
    let state = world.state();
    let spec = member_task::spec(&state, &state.members.at_work[0]).unwrap();
    assert!(spec.again);
    let told = spec.objective;
    assert!(
        told.contains("> conflicts in x.rs") && told.contains("change.patch"),
        "{told}"
    );
}
