use super::*;
use crate::event::{Door, DriverStarted, Event, Finished, Intent, RunStarted};
use crate::journal::{Record, encode, encode_with};
use crate::members::Step as Members;
use crate::members::event::{
    Answer, Assigned, Elsewhere, End, LineProved, Looked, MemberEnded, MergeAnswer, MergeEnded,
    Merging,
};
use crate::rehearsal::{T0, World, spec};
use crate::step::Nudge;
use crate::task::Status;
use crate::{Config, Reason, State, Step, fold};
use overnight_judge::{Decision, GateOutcome, Source, Verdict};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

const BUDGET: f64 = 5.0;
const IDS: [&str; 5] = ["a", "b", "c", "d", "e"];

fn run(at: usize) -> String {
    format!("20261120-22000{at}-000{at}")
}

/// A machine's run, just begun.
fn begun(at: usize) -> World {
    let mut world = World {
        records: Vec::new(),
        now: T0,
    };
    world.push(RunStarted {
        run: run(at),
        door: Door::Driver,
        goal: "g".into(),
        top: "/home/me/p".into(),
        head: None,
        branch: Some("auto/x".into()),
        config: None,
    });
    world.push(Joined {
        list: "l".into(),
        machine: format!("m{at}"),
    });
    let config = Config {
        members: 2,
        budget_usd: Some(BUDGET),
        remote: Some("origin".into()),
        ..Config::default()
    };
    world.drive(config, IDS.map(|id| spec(id, &[])).to_vec());
    world
}

fn text(records: &[Record]) -> String {
    records.iter().filter_map(word).collect()
}

/// A machine as the others hear it.
fn as_heard(at: usize, records: &[Record], now: u64) -> Machine {
    let records = heard(&run(at), &text(records)).unwrap();
    Machine {
        run: run(at),
        name: format!("m{at}"),
        state: fold(&records),
        heard_ms: now,
        refused: None,
    }
}

fn others(worlds: &[World], own: usize, now: u64) -> Vec<Machine> {
    let all = worlds.iter().enumerate().filter(|(at, _)| *at != own);
    all.map(|(at, world)| as_heard(at, &world.records, now))
        .collect()
}

fn complete() -> Verdict {
    Verdict {
        decision: Decision::Complete,
        source: Source::FileJson,
        failure: None,
        ..Verdict::nothing("done")
    }
}

/// What the machines share: who has which task, what the line holds.
#[derive(Default)]
struct Shared {
    leases: BTreeMap<String, usize>,
    line: BTreeSet<String>,
}

/// A member ends its task with this part of its share spent.
fn ended(assignment: &crate::members::Assignment, dice: u8) -> MemberEnded {
    let share = assignment.share.usd.unwrap_or(0.0);
    MemberEnded {
        task: assignment.task.clone(),
        member: assignment.member,
        end: End::Done,
        spent: Amount {
            usd: share * f64::from(dice) / 255.0,
            tokens: 7,
        },
        iterations: 1,
        said: String::new(),
        verdict: Some(complete()),
        tip: None,
        changed: None,
    }
}

/// Lets one machine take its next step.
fn step(worlds: &mut [World], at: usize, dice: u8, shared: &mut Shared) {
    let now = worlds[at].now + 3_000;
    for world in worlds.iter_mut() {
        world.now = now;
    }
    let heard = Others::of(&others(worlds, at, now), now);
    let world = &mut worlds[at];
    if world.state().fleet.others != heard {
        world.push(heard);
    }
    let state = world.state();
    if let Some(task) = state.members.queue.batch.first().cloned() {
        shared.line.insert(task.clone());
        shared.leases.remove(&task);
        let commit = format!("c-{task}");
        let answer = MergeAnswer::Merged {
            commit,
            gates: Vec::new(),
            way: String::new(),
        };
        return world.push(MergeEnded { task, answer });
    }
    if let Some(assignment) = state
        .members
        .at_work
        .first()
        .filter(|_| dice.is_multiple_of(2))
    {
        return world.push(ended(assignment, dice));
    }
    decided(world, &state, at, shared);
}

/// A task that the line holds.
fn on_line(task: &str) -> Elsewhere {
    Elsewhere {
        task: task.to_owned(),
        commit: format!("c-{task}"),
        ..Elsewhere::default()
    }
}

/// The world's answer to what a machine decides.
fn decided(world: &mut World, state: &State, at: usize, shared: &mut Shared) {
    let now = world.now;
    match world.next() {
        Step::Members(Members::Assigned {
            task,
            member,
            round,
            share,
        }) => {
            let answer = if shared.line.contains(&task) {
                Answer::Done {
                    tasks: vec![on_line(&task)],
                }
            } else if *shared.leases.entry(task.clone()).or_insert(at) == at {
                Answer::Granted {
                    token: 1,
                    branch: "b".into(),
                    work_tree: "/w".into(),
                    base: "c".into(),
                }
            } else {
                Answer::Held {
                    by: "x".into(),
                    until: now + 2_000,
                }
            };
            world.push(Assigned {
                task,
                member,
                round,
                share,
                answer,
            });
        }
        Step::Members(Members::Merge { tasks }) => world.push(Merging { tasks }),
        Step::Members(Members::Look) => {
            let open = state
                .tasks
                .iter()
                .filter(|task| task.status != Status::Done);
            let done = open.filter(|task| shared.line.contains(&task.spec.id));
            let done = done.map(|task| on_line(&task.spec.id));
            world.push(Looked {
                done: done.collect(),
            });
        }
        Step::Members(Members::Prove) => world.push(LineProved {
            commit: "l".into(),
            refuted: Vec::new(),
            red: None,
        }),
        Step::Finish(reason) if state.finished.is_none() => world.push(Finished { reason }),
        _ => {}
    }
}

/// What a view says of it: done tasks with who did them, cents, iterations, the end.
fn told(state: &State) -> (BTreeMap<String, Option<String>>, u64, u32, Option<Reason>) {
    let done = state
        .tasks
        .iter()
        .filter(|task| task.status == Status::Done);
    let done = done.map(|task| (task.spec.id.clone(), task.tally.machine.clone()));
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a few dollars"
    )]
    let cents = (state.spent_usd * 100.0).round() as u64;
    (
        done.collect(),
        cents,
        state.iterations,
        state.finished.clone(),
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4))]

    /// Machines take steps in any order: all together stay within the budget, none waits for ever, and
    /// every machine tells the same night, whose tasks are those that the line holds.
    #[test]
    fn machines_share_one_list_one_budget_and_one_night(seed in proptest::collection::vec((0usize..3, 0u8..=255), 0..300)) {
        let mut worlds: Vec<World> = (0..3).map(begun).collect();
        let mut shared = Shared::default();
        let round = (0..80).flat_map(|_| (0..3).map(|at| (at, 0)));
        for (at, dice) in seed.into_iter().chain(round) {
            step(&mut worlds, at, dice, &mut shared);
            let spent: f64 = worlds.iter().map(|world| world.state().spent_usd).sum();
            prop_assert!(spent <= BUDGET + 1e-9, "{spent}");
        }
        let now = worlds[0].now;
        let nights: Vec<_> = (0..3).map(|own| {
            let state = worlds[own].state();
            let mut machines = others(&worlds, own, now);
            let night = together(&state, state.finished.is_none(), &machines, now);
            machines.reverse();
            assert_eq!(night, together(&state, state.finished.is_none(), &machines, now));
            night
        }).collect();
        let first = told(&nights[0]);
        let spent: f64 = worlds.iter().map(|world| world.state().spent_usd).sum();
        prop_assert!((nights[0].spent_usd - spent).abs() < 1e-9);
        prop_assert!(nights.iter().all(|night| told(night) == first), "{:?}", nights.iter().map(told).collect::<Vec<_>>());
        let ids: BTreeSet<String> = first.0.keys().cloned().collect();
        prop_assert_eq!(&ids, &shared.line);
        prop_assert!(first.0.values().all(Option::is_some));
        prop_assert!(worlds.iter().all(|world| world.state().finished.is_some()));
    }

}

#[test]
fn who_died_before_it_told_of_its_merge_did_the_task_that_the_line_names_it_for() {
    // Machine 1 is killed behind its push: what it passed on ends before its merge, or before its work.
    for told in [true, false] {
        let mut worlds: Vec<World> = (0..2).map(begun).collect();
        let mut shared = Shared::default();
        let dead = &mut worlds[1];
        dead.push(Looked { done: Vec::new() });
        let state = dead.state();
        decided(dead, &state, 1, &mut shared);
        let task = dead.state().members.at_work[0].clone();
        if told {
            dead.push(ended(&task, 0));
        }
        let seen = Elsewhere {
            task: task.task.clone(),
            commit: "c".into(),
            run: run(1),
        };
        worlds[0].push(Looked { done: vec![seen] });
        let now = worlds[0].now;
        let nights = [0, 1]
            .map(|own| together(&worlds[own].state(), false, &others(&worlds, own, now), now));
        for night in nights {
            let one = night.task(&task.task).unwrap();
            assert_eq!(one.status, Status::Done);
            assert_eq!(one.tally.machine.as_deref(), Some("m1"), "{told}");
            assert_eq!(one.tally.run, Some(run(1)));
            assert!(night.members.queue.entries.is_empty());
            assert!(!told || night.members.elsewhere.is_empty());
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Whatever stands in a journal of somebody else: it is refused or folded, and no figure leaves what
    /// a number can hold.
    #[test]
    fn a_hostile_journal_is_refused_or_harmless(
        seed in proptest::collection::vec(0u8..=255, 0..60),
        number in proptest::sample::select(vec!["-1", "1e308", "-1e308", "18446744073709551615", "null", "4294967295", "\"\u{1b}[2J\""]),
        at in 0usize..2_000,
        cut in 0usize..4_000,
    ) {
        let mut worlds = vec![begun(0), begun(1)];
        let mut shared = Shared::default();
        for dice in &seed {
            step(&mut worlds, 1, *dice, &mut shared);
        }
        let forged: String = worlds[1].records.iter().map(|record| {
            let fields = record.event.fields();
            let digit = fields.char_indices().filter(|(_, c)| c.is_ascii_digit()).nth(at % 40);
            let fields = digit.map_or(fields.clone(), |(at, _)| format!("{}{number}{}", &fields[..at], &fields[at + 1..]));
            encode_with(record, &fields)
        }).collect();
        let end = (0..=cut.min(forged.len())).rev().find(|end| forged.is_char_boundary(*end)).unwrap();
        for text in [forged.as_str(), &forged[..end]] {
            let Ok(records) = heard(&run(1), text) else { continue };
            let machine = Machine { run: run(1), state: fold(&records), heard_ms: T0, ..Machine::default() };
            let machines = [machine];
            let taken = Others::of(&machines, T0);
            prop_assert!(taken.spent.usd >= 0.0 && taken.held.usd >= 0.0 && (taken.spent.usd + taken.held.usd).is_finite());
            let own = worlds[0].state();
            let night = together(&own, true, &machines, T0);
            prop_assert!(night.spent_usd.is_finite() && night.spent_usd >= own.spent_usd);
            prop_assert_eq!(night.tasks.len(), own.tasks.len());
            prop_assert!(night.tasks.iter().all(|task| task.tally.usd.is_finite()));
        }
    }
}

/// A gate that printed this secret.
fn red(secret: &str) -> GateOutcome {
    GateOutcome {
        command: "test".into(),
        exit: Some(1),
        ms: 1,
        tests: None,
        tail: "a raw line".into(),
        lines: vec![format!("token {secret}")],
        timed_out: false,
        held: false,
        flaky: false,
    }
}

#[test]
fn neither_secrets_nor_outputs_nor_paths_are_passed_on() {
    let secret = format!("ghp_{}", "a1B2".repeat(9));
    let mut world = begun(0);
    let gate = red(&secret);
    let config = Config {
        agent: "command:/opt/agent --key".into(),
        gates: vec!["make raw".into()],
        ..Config::default()
    };
    world.push(DriverStarted {
        epoch: 2,
        pid: 4711,
        pid_start: 99,
        session: Some("session-id".into()),
        config,
        tasks: vec![spec("a", &[])],
    });
    world.push(Intent {
        iteration: 1,
        attempt: 1,
        task: "a".into(),
        check_id: "nonce".into(),
        epoch: 1,
        nudge: Nudge::None,
        model: None,
        continues: None,
    });
    world.push(MemberEnded {
        task: "a".into(),
        member: 1,
        end: End::Done,
        spent: Amount::default(),
        iterations: 1,
        said: format!("I used {secret}"),
        verdict: Some(Verdict {
            gates: vec![gate],
            ..complete()
        }),
        tip: None,
        changed: Some(vec!["private.txt".into()]),
    });
    let text = text(&world.records);
    for hidden in [
        &secret,
        "raw",
        "/home/me",
        "/opt/agent",
        "4711",
        "session-id",
        "nonce",
        "private.txt",
    ] {
        assert!(!text.contains(hidden), "{hidden} in {text}");
    }
    assert!(text.contains("I used "), "{text}");
    assert_eq!(last_seq(&text), world.records.len() as u64);
}

#[test]
fn what_does_not_fit_is_not_believed() {
    let world = begun(0);
    let good = text(&world.records);
    assert_eq!(
        heard(&run(0), &format!("commit 1\n{good}still here\n"))
            .unwrap()
            .len(),
        3
    );
    assert!(heard(&run(1), &good).is_err(), "another run's");
    assert!(
        heard(&run(0), &good.replace("m0", "m1")).is_err(),
        "changed"
    );
    assert!(heard(&run(0), &format!("{good}{good}")).is_err(), "twice");
    assert!(heard(&run(0), "").is_err(), "nothing");
    let long = format!("{good}{}", " ".repeat(usize::try_from(BYTES_MAX).unwrap()));
    assert!(heard(&run(0), &long).is_err(), "too long");
    // Records that no machine passes on tell nothing.
    let mut more = begun(0);
    more.push(Event::from(crate::event::Torn { bytes: 1 }));
    let raw: String = more.records.iter().map(encode).collect();
    assert_eq!(heard(&run(0), &raw).unwrap().len(), 3);
}

#[test]
fn a_machine_that_is_not_heard_of_for_a_lease_is_gone_and_holds_nothing() {
    let mut world = begun(1);
    world.push(Looked { done: Vec::new() });
    world.push(Assigned {
        task: "a".into(),
        member: 1,
        round: 0,
        share: crate::budget::Limits {
            usd: Some(1.0),
            tokens: None,
        },
        answer: Answer::Granted {
            token: 1,
            branch: "b".into(),
            work_tree: "/w".into(),
            base: "c".into(),
        },
    });
    let machines = [as_heard(1, &world.records, T0)];
    let own = begun(0).state();
    let ttl = own.config.lease_ttl_s * 1_000;
    for (now, standing, usd, at_work) in [
        (T0 + ttl, Standing::AtWork, 1.0, 1),
        (T0 + ttl + 1, Standing::Gone, 0.0, 0),
    ] {
        assert_eq!(machines[0].standing(now), standing);
        let others = Others::of(&machines, now);
        assert!((others.held.usd - usd).abs() < 1e-9);
        assert_eq!(others.seats, at_work);
        assert_eq!(
            u32::try_from(together(&own, false, &machines, now).members.at_work.len()).unwrap(),
            at_work
        );
    }
}

#[test]
fn a_list_is_told_by_its_line_and_its_tasks_in_any_order() {
    let tasks = [spec("a", &[]), spec("b", &["a"])];
    let mut turned = tasks.clone();
    turned.reverse();
    assert_eq!(list("auto/main", &tasks), list("auto/main", &turned));
    assert_ne!(list("auto/main", &tasks), list("auto/x", &tasks));
    assert_ne!(list("auto/main", &tasks), list("auto/main", &tasks[..1]));
}
