//! A made-up night of three members: tasks merged, one put right after a conflict, one lost and taken
//! up again, one blocked, and a wait at the usage limit.

use overnight_judge::{Decision, GateOutcome, TestCounts, Verdict};
use overnight_run::Config;
use overnight_run::budget::{Amount, Limits};
use overnight_run::classify::Class;
use overnight_run::event::{
    Door, DriverStarted, Event, Finished, Gates, Intent, Judged, Outcome, RunStarted, Waiting,
};
use overnight_run::journal::{self, Record, Stamp};
use overnight_run::members::event::{
    Answer, Assigned, End, MemberEnded, MergeAnswer, MergeEnded, Merging,
};
use overnight_run::members::name;
use overnight_run::step::{Nudge, Reason, WaitCause};
use overnight_run::task::TaskSpec;
use std::collections::BTreeMap;
use std::path::Path;

const MINUTE_MS: u64 = 60_000;
const TASKS: [&str; 6] = ["parser", "printer", "comments", "docs", "formatter", "cli"];

/// A member's time on a task: who, which rework of what, from and until which minute, how it ended.
struct Assignment(u32, &'static str, u32, u64, u64, End);

fn assignments() -> Vec<Assignment> {
    let blocked = || End::Stopped(Reason::Blocked("comments: 3 failures in a row".to_owned()));
    vec![
        Assignment(1, "parser", 0, 2, 58, End::Done),
        Assignment(2, "printer", 0, 2, 90, End::Done),
        Assignment(3, "comments", 0, 3, 41, End::Lost),
        Assignment(1, "docs", 0, 60, 84, End::Done),
        Assignment(3, "comments", 0, 43, 170, blocked()),
        Assignment(1, "formatter", 0, 86, 150, End::Done),
        Assignment(2, "printer", 1, 95, 132, End::Done),
        Assignment(2, "cli", 0, 134, 188, End::Done),
    ]
}

/// Writes the run's journal and those of its members into its folder; it ended four hours ago.
pub(crate) fn write(folder: &Path, (run, head): (&str, &str), now: u64) {
    let begin = now - 430 * MINUTE_MS;
    let mut events = start(run, head);
    let mut journals: BTreeMap<String, Vec<(u64, Event)>> = BTreeMap::new();
    for Assignment(member, task, round, from, until, end) in assignments() {
        events.push((from, assign(task, member, round)));
        let own = journals.entry(name(task, round)).or_default();
        work(own, (member, task), (from, until), &end);
        let done = end == End::Done;
        events.push((until, member_ended(task, member, end)));
        if done {
            let why = "CONFLICT (content): lib/printer.rs; both sides changed fn indent";
            merge(
                &mut events,
                task,
                until,
                (task, round) == ("printer", 0),
                why,
            );
        }
    }
    let reason = Reason::Blocked("comments: 3 failures in a row".to_owned());
    events.push((192, Finished { reason }.into()));
    put(folder, begin, events);
    for (name, mut events) in journals {
        let driver = driver(0, &[&name]);
        events.insert(0, (events[0].0, driver));
        put(&folder.join("members").join(&name), begin, events);
    }
}

/// The lines of a journal, in the order of time.
fn put(folder: &Path, begin: u64, mut events: Vec<(u64, Event)>) {
    events.sort_by_key(|(minute, _)| *minute);
    let line = |(seq, (minute, event)): (u64, (u64, Event))| {
        let stamp = Stamp {
            t: begin + minute * MINUTE_MS + seq,
            mono: minute * MINUTE_MS + seq,
            boot: "b".to_owned(),
        };
        journal::encode(&Record { seq, stamp, event })
    };
    let text: String = (1..).zip(events).map(line).collect();
    std::fs::create_dir_all(folder).unwrap();
    std::fs::write(folder.join("journal.jsonl"), text).unwrap();
}

fn start(run: &str, head: &str) -> Vec<(u64, Event)> {
    let run = RunStarted {
        run: run.to_owned(),
        door: Door::Driver,
        goal: "# Port the formatter to the new syntax tree\n".to_owned(),
        top: "/p".to_owned(),
        head: Some(head.to_owned()),
        branch: None,
        config: None,
    };
    vec![(0, run.into()), (0, driver(3, &TASKS))]
}

fn driver(members: u32, tasks: &[&str]) -> Event {
    let task = |name: &&str| TaskSpec {
        gates: vec![format!("cargo test -p {name}")],
        ..TaskSpec::named(name, &format!("{name} works on the new tree"))
    };
    DriverStarted {
        epoch: 1,
        pid: 1,
        pid_start: 1,
        session: None,
        config: Config {
            members,
            max_iterations: 15,
            ..Config::default()
        },
        tasks: tasks.iter().map(task).collect(),
    }
    .into()
}

fn assign(task: &str, member: u32, round: u32) -> Event {
    Assigned {
        task: task.to_owned(),
        member,
        round,
        share: Limits::default(),
        answer: Answer::Granted {
            token: 1,
            branch: format!("auto/r/{task}"),
            work_tree: "/w".to_owned(),
            base: "c".to_owned(),
        },
    }
    .into()
}

fn member_ended(task: &str, member: u32, end: End) -> Event {
    MemberEnded {
        task: task.to_owned(),
        member,
        verdict: Some(verdict(task, end == End::Done)),
        end,
        spent: Amount {
            usd: 1.4,
            tokens: 9,
        },
        iterations: 3,
        said: "ok".to_owned(),
        tip: None,
        changed: None,
    }
    .into()
}

fn merge(events: &mut Vec<(u64, Event)>, task: &str, at: u64, refused: bool, why: &str) {
    let task = task.to_owned();
    let answer = if refused {
        let why = why.to_owned();
        MergeAnswer::Red { why }
    } else {
        let commit = "0f3a91c".to_owned();
        let gates = vec![gate(&task, true)];
        MergeAnswer::Merged {
            commit,
            gates,
            way: String::new(),
        }
    };
    let tasks = vec![task.clone()];
    events.push((at, Merging { tasks }.into()));
    events.push((at + 1, MergeEnded { task, answer }.into()));
}

/// Iterations of ten minutes; the second member waits at the usage limit in its first.
fn work(
    events: &mut Vec<(u64, Event)>,
    (member, task): (u32, &str),
    (from, until): (u64, u64),
    end: &End,
) {
    let before = events.len();
    let mut at = from + 1;
    let mut number = u32::try_from(before).unwrap() / 4 + 1;
    while at + 10 < until {
        let last = at + 20 >= until;
        events.push((at, intent(task, number)));
        let outcome = serde_json::json!({"ended": {"exited": 0}, "class": Class::None, "claim": Verdict::nothing("x"), "cost_usd": 0.34, "duration_ms": 500_000, "changed": 3, "denials": u32::from(number == 2)});
        let outcome: Outcome = serde_json::from_value(outcome).unwrap();
        events.push((at + 8, outcome.into()));
        let complete = last && *end == End::Done;
        let gates = Gates {
            outcomes: vec![gate(task, complete)],
            pins: BTreeMap::new(),
            proof: None,
        };
        events.push((at + 9, gates.into()));
        let verdict = verdict(task, complete);
        events.push((at + 9, Judged::from(verdict).into()));
        at += 10;
        if member == 2 && number == 1 && task == "printer" {
            let wait = Waiting {
                until: 1_795_200_000_000,
                cause: WaitCause::UsageLimit,
            };
            events.push((at, wait.into()));
            at += 32;
        }
        number += 1;
    }
    if *end == End::Lost {
        events.push((at, intent(task, number)));
    }
}

fn intent(task: &str, iteration: u32) -> Event {
    Intent {
        iteration,
        attempt: 1,
        task: task.to_owned(),
        check_id: format!("{iteration:016x}"),
        epoch: 1,
        nudge: Nudge::None,
        model: None,
        continues: None,
    }
    .into()
}

fn gate(task: &str, passed: bool) -> GateOutcome {
    GateOutcome {
        command: format!("cargo test -p {task}"),
        exit: Some(i32::from(!passed)),
        ms: 4_200,
        tests: Some(TestCounts::of(31, u64::from(!passed), 0)),
        ..GateOutcome::default()
    }
}

fn verdict(task: &str, complete: bool) -> Verdict {
    let mut verdict = Verdict {
        gates: vec![gate(task, complete)],
        ..Verdict::nothing(&format!("tests/{task}.rs: a comment is lost"))
    };
    if complete {
        verdict.decision = Decision::Complete;
        verdict.summary = Some(format!("{task} works on the new tree, its tests pass"));
        verdict.reasons.clear();
        verdict.failure = None;
    }
    verdict
}
