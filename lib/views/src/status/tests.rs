use super::*;
use overnight_judge::{GateOutcome, Verdict};
use overnight_run::budget::{Amount, Limits};
use overnight_run::event::{
    DriverStarted, Event, Finished, Intent, Interrupted, Judged, RunStarted, Waiting,
};
use overnight_run::journal::{Record, Stamp};
use overnight_run::members::event::{Answer, Assigned, End, MemberEnded};
use overnight_run::step::Nudge;
use overnight_run::task::TaskSpec;
use overnight_run::{Config, fold};

const START: u64 = 1_795_186_800_000;

fn state(more: Vec<Event>) -> State {
    let started = RunStarted {
        run: "20261120-150000-0af3".to_owned(),
        door: Door::Driver,
        goal: "\n# Make \u{1b}[2Jit\nwork".to_owned(),
        top: "/p".to_owned(),
        head: None,
        branch: None,
        config: None,
    };
    let driver = DriverStarted {
        epoch: 1,
        pid: 7,
        pid_start: 1,
        session: None,
        config: Config {
            budget_usd: Some(5.0),
            ..Config::default()
        },
        tasks: vec![
            TaskSpec::named("parser", "parse"),
            TaskSpec::named("printer", "print"),
        ],
    };
    let mut events: Vec<Event> = vec![started.into(), driver.into()];
    events.extend(more);
    let record = |(at, event): (u64, Event)| Record {
        seq: at + 1,
        stamp: Stamp {
            t: START + at * 1_000,
            mono: at * 1_000,
            boot: "b".to_owned(),
        },
        event,
    };
    let records: Vec<Record> = (0..).zip(events).map(record).collect();
    fold(&records)
}

fn intent(iteration: u32) -> Event {
    let (task, check_id) = ("parser".to_owned(), "c".to_owned());
    Intent {
        iteration,
        attempt: 1,
        task,
        check_id,
        epoch: 1,
        nudge: Nudge::None,
        model: None,
        continues: None,
    }
    .into()
}

fn judged() -> Event {
    let tests = TestCounts::of(12, 1, 0);
    let gate = GateOutcome {
        command: "cargo test".to_owned(),
        exit: Some(1),
        tests: Some(tests),
        ..GateOutcome::default()
    };
    Judged {
        unreported: Vec::new(),
        verdict: Verdict {
            gates: vec![gate],
            ..Verdict::nothing("no")
        },
    }
    .into()
}

fn seen(alive: bool) -> Seen {
    Seen {
        now: START + 184_000,
        alive,
        torn_bytes: if alive { 0 } else { 17 },
        questions: Vec::new(),
        journal: "/p/.git/overnight/runs/r/journal.jsonl".to_owned(),
        logs: "/p/agent_logs/r".to_owned(),
        members: Vec::new(),
        agents: Vec::new(),
        open_usd: 0.0,
        unjudged: Vec::new(),
        machines: Vec::new(),
    }
}

fn shown(state: &State, seen: &Seen) -> String {
    let clock = |ms: u64| format!("T+{}s", (ms - START) / 1_000);
    let status = of(state, seen);
    format!(
        "exit {}\n{}",
        status.exit,
        text(
            &status,
            &crate::summary::of(state, seen, None),
            seen.now,
            &clock
        )
    )
}

/// The line of a run in this state, by way of what is kept beside the journal.
fn glanced(state: &State, seen: &Seen) -> String {
    let kept = |state: &State| {
        let bytes = serde_json::to_vec(&Glance::of(state, 9)).unwrap();
        Glance::read(&bytes).unwrap()
    };
    let member = |one: &MemberSeen| (one.name.clone(), kept(&one.state), one.alive);
    let beside = Beside {
        now: seen.now,
        alive: seen.alive,
        by_esc: false,
        questions: seen.questions.len(),
        looked: if seen.journal.is_empty() { 9 } else { 0 },
        members: seen.members.iter().map(member).collect(),
    };
    line(&kept(state), &beside)
}

#[test]
fn a_glance_holds_for_its_journal_alone_and_for_its_version() {
    let glance = Glance::of(&state(vec![intent(3)]), 100);
    assert!(glance.holds(100, b""));
    assert!(glance.holds(103, b"{\"v"), "a torn end is no record");
    assert!(!glance.holds(103, b"{}\n"));
    assert!(!glance.holds(99, b""));
    let text = serde_json::to_string(&glance).unwrap();
    assert_eq!(Glance::read(text.as_bytes()), Some(glance));
    let by = format!("\"by\":\"{}\"", env!("CARGO_PKG_VERSION"));
    let other = text.replace(&by, "\"by\":\"99.0.0\"");
    assert_eq!(Glance::read(other.as_bytes()), None);
}

#[test]
fn a_run_at_work_with_a_question() {
    let mut seen = seen(true);
    seen.questions
        .push(("ask-1".to_owned(), "git push\n\u{9b}x origin".to_owned()));
    insta::assert_snapshot!(shown(&state(vec![intent(1), judged(), intent(2)]), &seen), @"
    exit 77
    run 20261120-150000-0af3: running, iteration 2 of 10
      needs you ask-1: git push x origin
                  overnight approve ask-1
                  overnight deny ask-1
      goal      Make [2Jit
      task      parser, last change 3 min 00 s ago
      tasks     0 done, 1 doing, 0 blocked, 1 left
      breaker   closed (no progress 0/3, same error 0/5, denials 0/2)
      tests     12 passed, 1 failed, 0 skipped
      history   T+3s 1 on parser: incomplete, no
      cost      $0.00 of $5.00
      journal   /p/.git/overnight/runs/r/journal.jsonl
      logs      /p/agent_logs/r
    ");
}

#[test]
fn a_run_whose_driver_was_killed() {
    insta::assert_snapshot!(shown(&state(vec![intent(1)]), &seen(false)), @"
    exit 1
    run 20261120-150000-0af3: crashed, iteration 1 of 10
      journal   its last record was cut off in the middle (17 bytes); all before it holds
      needs you the driver died: go on where it stopped
                  overnight resume 20261120-150000-0af3
      goal      Make [2Jit
      task      parser, last change 3 min 02 s ago
      tasks     0 done, 0 doing, 0 blocked, 2 left
      sum       0 of 2 tasks done · 2.0 s · $0.00
                  parser not finished: its agent was at work when the driver ended
      breaker   closed (no progress 0/3, same error 0/5, denials 0/2)
      cost      $0.00 of $5.00
      journal   /p/.git/overnight/runs/r/journal.jsonl
      logs      /p/agent_logs/r
    ");
}

#[test]
fn a_run_that_waits_for_the_usage_limit() {
    let wait = Waiting {
        until: START + 7_384_000,
        cause: WaitCause::UsageLimit,
    };
    let state = state(vec![intent(1), wait.into()]);
    insta::assert_snapshot!(shown(&state, &seen(true)), @"
    exit 0
    run 20261120-150000-0af3: waiting, iteration 1 of 10
      goal      Make [2Jit
      task      parser, last change 3 min 01 s ago
      tasks     0 done, 1 doing, 0 blocked, 1 left
      breaker   closed (no progress 0/3, same error 0/5, denials 0/2)
      limit     usage limit, until T+7384s (in 2 h 00 min)
      cost      $0.00 of $5.00
      journal   /p/.git/overnight/runs/r/journal.jsonl
      logs      /p/agent_logs/r
    ");
    insta::assert_snapshot!(glanced(&state, &seen(true)), @"overnight 1/10 · waits (usage limit) · 0/2 done · parser");
}

#[test]
fn each_end_has_its_state_and_its_exit_status() {
    let finished = |reason| vec![Event::from(Finished { reason })];
    let text = || "x".to_owned();
    for (events, life, exit) in [
        (finished(Reason::AllDone), Life::Completed, 0),
        (finished(Reason::MaxIterations), Life::Stopped, 1),
        (finished(Reason::Blocked(text())), Life::Blocked, 1),
        (finished(Reason::BreakerOpen(text())), Life::Stopped, 3),
        (finished(Reason::BudgetSpent), Life::Stopped, 4),
        (finished(Reason::UsageLimit(Some(9))), Life::Stopped, 75),
        (finished(Reason::NeedsPerson(text())), Life::Stopped, 77),
        (
            vec![Interrupted { signal: 15 }.into()],
            Life::Interrupted,
            143,
        ),
        (vec![intent(1)], Life::Crashed, 1),
    ] {
        let state = state(events);
        let status = of(&state, &seen(false));
        assert_eq!((status.state, status.exit), (life, exit));
        let told = glanced(&state, &seen(false));
        assert!(
            told.starts_with(&format!("overnight: {}", life.name())),
            "{told}"
        );
        // Of one whose driver died its life says it.
        let needs = status.needs_you.len();
        let counted = told.contains(&format!("needs you: {needs} "));
        assert_eq!(counted, needs > 0 && life != Life::Crashed, "{told}");
        let looked = Seen {
            journal: String::new(),
            ..seen(false)
        };
        assert_eq!(glanced(&state, &looked), "");
    }
    assert_eq!(life(&State::default(), false, 0), Life::Crashed);
}

#[test]
fn a_run_whose_driver_makes_ready_counts_no_tasks() {
    let mut state = state(Vec::new());
    state.tasks.clear();
    let told = glanced(&state, &seen(true));
    assert!(told.ends_with("not begun"), "{told}");
}

#[test]
fn the_line_says_how_far_a_run_is() {
    let mut state = state(vec![intent(3)]);
    insta::assert_snapshot!(glanced(&state, &seen(true)), @"overnight 3/10 · 0/2 done · parser");
    (state.spent_usd, state.tasks[0].tally.estimated) = (0.5, true);
    insta::assert_snapshot!(glanced(&state, &seen(true)), @"overnight 3/10 · 0/2 done · about $0.50 · parser");
    let mut glance = Glance::of(&state, 9);
    (glance.open_usd, glance.estimated) = (0.25, false);
    let beside = Beside {
        alive: true,
        ..Beside::default()
    };
    let told = line(&glance, &beside);
    assert!(told.contains("about $0.75"), "{told}");
    // Esc adds nothing to the journal: who looked before it has not seen it.
    let beside = Beside {
        by_esc: true,
        looked: 9,
        ..beside
    };
    insta::assert_snapshot!(line(&glance, &beside), @r#"overnight: paused by Esc · 0/2 done · about $0.75 · "continue" goes on"#);
}

fn assign(task: &str, member: u32, round: u32) -> Assigned {
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
}

/// A run with three members: one at work for a while, one that waits, one that is free.
fn crew() -> (State, Seen) {
    let config = Config {
        members: 3,
        max_iterations: 15,
        ..Config::default()
    };
    let task = |id: &str| TaskSpec::named(id, "do it");
    let driver = DriverStarted {
        epoch: 2,
        pid: 8,
        pid_start: 1,
        session: None,
        config: config.clone(),
        tasks: vec![task("parser"), task("printer"), task("docs")],
    };
    let ended = MemberEnded {
        task: "docs".to_owned(),
        member: 3,
        end: End::Done,
        spent: Amount {
            usd: 0.25,
            tokens: 9,
        },
        iterations: 1,
        said: "ok".to_owned(),
        verdict: Some(Verdict::nothing("x")),
        tip: None,
        changed: None,
    };
    let run = state(vec![
        driver.into(),
        assign("docs", 3, 0).into(),
        assign("parser", 1, 0).into(),
        assign("printer", 2, 1).into(),
        ended.into(),
    ]);
    let own = |name: &str, more: Vec<Event>| {
        let mut events = vec![intent(1), judged()];
        events.extend(more);
        let mut state = state(events);
        state.config = config.clone();
        state.spent_usd = 1.5;
        state.updated = START + 60_000;
        MemberSeen {
            name: name.to_owned(),
            state,
            alive: true,
        }
    };
    let wait = Waiting {
        until: START + 7_384_000,
        cause: WaitCause::UsageLimit,
    };
    let mut seen = seen(true);
    seen.members = vec![
        own("parser", vec![intent(2)]),
        own("printer~1", vec![intent(2), wait.into()]),
    ];
    (run, seen)
}

#[test]
fn each_member_says_what_it_does_since_when_and_at_what_cost() {
    let (run, seen) = crew();
    insta::assert_snapshot!(shown(&run, &seen), @"
    exit 0
    run 20261120-150000-0af3: running, 3 members, 3 iterations, at most 15 a task
      goal      Make [2Jit
      tasks     0 done, 3 doing, 0 blocked, 0 left
      members   member 1: working on parser for 3 min 00 s, iteration 2 of 15, $1.50
                member 2: waiting on printer for 2 min 59 s, iteration 2 of 15, putting its merge right, $1.50, usage limit, until T+7384s (in 2 h 00 min)
                member 3: free for 2 min 58 s, last docs (done)
      merge     waiting for it: docs
                  docs not finished: x
                    the agent said: “ok”
      history   T+6s 1 on docs: incomplete, x
      limit     usage limit, until T+7384s (in 2 h 00 min)
      cost      $3.25
      journal   /p/.git/overnight/runs/r/journal.jsonl
      logs      /p/agent_logs/r
    ");
    insta::assert_snapshot!(glanced(&run, &seen), @"overnight 2/3 members · 0/3 done · $3.25");
    // Its driver is gone, and so are they.
    let dead = Seen {
        alive: false,
        members: seen
            .members
            .iter()
            .map(|member| MemberSeen {
                alive: false,
                ..member.clone()
            })
            .collect(),
        ..seen.clone()
    };
    let doing: Vec<Doing> = of(&run, &dead).members.iter().map(|m| m.state).collect();
    assert_eq!(doing, [Doing::Dead, Doing::Dead, Doing::Free]);
    // All that are at work wait: so does the run.
    let mut waits = seen;
    waits.members[0] = MemberSeen {
        name: "parser".to_owned(),
        ..waits.members[1].clone()
    };
    assert_eq!(of(&run, &waits).state, Life::Waiting);
    insta::assert_snapshot!(glanced(&run, &waits), @"overnight 2/3 members · waits (usage limit) · 0/3 done · $3.25");
    // Nothing was read of their journals yet.
    waits.members.clear();
    let status = of(&run, &waits);
    assert_eq!((status.state, status.cost.usd), (Life::Running, 0.25));
    insta::assert_snapshot!(glanced(&run, &waits), @"overnight 2/3 members · 0/3 done · $0.25");
    assert!(status.members.iter().all(|member| member.iteration == 0));
}
