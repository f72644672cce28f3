use super::*;
use crate::report::Clock;
use crate::summary::Alive;
use jiff::tz::TimeZone;
use overnight_judge::{Decision, GateOutcome, Verdict};
use overnight_run::Config;
use overnight_run::event::{
    AgentStarted, Door, DriverStarted, Event, Finished, Intent, Judged, RunStarted, Waiting,
};
use overnight_run::hold::{Pause, Paused};
use overnight_run::hunks::Hunk;
use overnight_run::journal::{Record, Stamp};
use overnight_run::members::event::Looked;
use overnight_run::placed::Published;
use overnight_run::step::{Nudge, Reason, WaitCause};
use overnight_run::task::TaskSpec;
use std::fmt::Write;

const START: u64 = 1_795_186_800_000;
const HOSTILE: &str = "\u{1b}]0;owned\u{7}\u{1b}[2J\u{9b}31m\u{202e}日本語\nx";

fn clock() -> Clock {
    Clock(TimeZone::UTC)
}

/// A run's first records, a second apart, and these behind them.
fn subject(name: &str, goal: &str, more: Vec<Event>) -> Subject {
    let started = RunStarted {
        run: name.to_owned(),
        door: Door::Driver,
        goal: goal.to_owned(),
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
        config: Config::default(),
        tasks: vec![
            TaskSpec::named("parser", "parse"),
            TaskSpec::named("printer", "print"),
        ],
    };
    let mut subject = Subject::new(name.to_owned(), String::new());
    let events = [Event::from(started), driver.into()]
        .into_iter()
        .chain(more);
    for (at, event) in (0..).zip(events) {
        let stamp = Stamp {
            t: START + at * 1_000,
            mono: at * 1_000,
            boot: "b".to_owned(),
        };
        subject.add(
            Record {
                seq: at + 1,
                stamp,
                event,
            },
            &clock(),
        );
    }
    subject.seen.now = START + 184_000;
    subject.seen.alive = true;
    subject
}

fn intent(iteration: u32) -> Event {
    Intent {
        iteration,
        attempt: 1,
        task: "parser".to_owned(),
        check_id: "c".to_owned(),
        epoch: 1,
        nudge: Nudge::None,
        model: None,
        continues: None,
    }
    .into()
}

fn judged(decision: Decision, reason: &str) -> Event {
    let verdict = Verdict {
        decision,
        ..Verdict::nothing(reason)
    };
    Judged::from(verdict).into()
}

fn night() -> Vec<Event> {
    let agent = AgentStarted {
        pid: 9,
        pid_start: 1,
        offset: 0,
    };
    vec![
        intent(1),
        judged(Decision::Incomplete, "a test fails"),
        intent(2),
        judged(Decision::Incomplete, HOSTILE),
        intent(3),
        agent.into(),
    ]
}

fn shown(view: &View) -> String {
    let mut out = format!("{}\n", view.head);
    for row in &view.agents {
        let mark = if row.selected { '>' } else { ' ' };
        let _ = writeln!(
            out,
            "{mark} {}  {}  {}",
            row.urgency.name(),
            row.name,
            row.text
        );
    }
    for cell in &view.strip {
        out.push(cell.mark.sign());
    }
    let _ = writeln!(
        out,
        "\n{}\n{}\n{}",
        view.details.join("\n"),
        view.events.join("\n"),
        view.foot
    );
    out
}

#[test]
fn who_needs_a_person_comes_first_and_everything_is_told() {
    let mut asks = subject("r2", "# Another", vec![intent(1)]);
    asks.seen.questions = vec![("ask-1".to_owned(), "git push origin".to_owned())];
    let subjects = vec![subject("r1", "# A goal", night()), asks];
    let choice = Choice::default();
    insta::assert_snapshot!(shown(&view(&subjects, &choice, &clock())), @"
    overnight: 1 needs you, 1 working
    > needs you  r2  1/10 · 0/2 done · $0.00 · 3 min 02 s · parser
      working  r1  3/10 · 0/2 done · $0.00 · 2 min 57 s · parser
    >
    needs you: ask-1: git push origin
      overnight approve ask-1
    iteration 1 on parser: under way
      since 2026-11-20 15:00 +00:00
    breaker closed (no progress 0/3, same error 0/5, denials 0/2)
    15:00:00 the run begins: Another
    15:00:01 driver 1 takes over, 2 tasks
    15:00:02 iteration 1 on parser begins
    following  q quit  o output  d diff  a answer  t tell  p hold  / search  ? help
    ");
}

#[test]
fn the_order_is_that_of_urgency() {
    let wait = Waiting {
        until: START + 900_000,
        cause: WaitCause::UsageLimit,
    };
    let end = |reason| Event::from(Finished { reason });
    let mut dead = subject("dead", "g", night());
    dead.seen.alive = false;
    let mut stalled = subject("stalled", "g", night());
    stalled.seen.now = START + 3_600_000;
    let subjects = vec![
        subject("ended", "g", vec![end(Reason::AllDone)]),
        subject("waiting", "g", vec![intent(1), wait.into()]),
        subject("working", "g", night()),
        dead,
        stalled,
        subject("blocked", "g", vec![end(Reason::Blocked("x".to_owned()))]),
        subject(
            "needs",
            "g",
            vec![end(Reason::NeedsPerson("log in".to_owned()))],
        ),
    ];
    let view = view(&subjects, &Choice::default(), &clock());
    let order: Vec<&str> = view.agents.iter().map(|row| row.name.as_str()).collect();
    assert_eq!(
        order,
        [
            "needs", "blocked", "stalled", "dead", "working", "waiting", "ended"
        ]
    );
    let levels: Vec<Urgency> = view.agents.iter().map(|row| row.urgency).collect();
    assert_eq!(levels, Urgency::ALL);
}

#[test]
fn an_agent_that_prints_is_not_stalled() {
    let mut agent = subject("r", "g", night());
    agent.seen.now = START + 3_600_000;
    assert_eq!(agent.urgency(&agent.status()), Urgency::Stalled);
    agent.printed_ms = Some(agent.seen.now - 5_000);
    assert_eq!(agent.urgency(&agent.status()), Urgency::Working);
}

#[test]
fn keys_choose_and_following_comes_back() {
    let subjects = [subject("r1", "g", night()), subject("r2", "g", night())];
    let mut choice = Choice::default();
    let mut press = |keys: &[Key]| {
        for key in keys {
            let now = view(&subjects, &choice, &clock());
            assert!(choice.press(*key, &now));
        }
        view(&subjects, &choice, &clock())
    };
    let selected = |view: &View| view.strip.iter().position(|cell| cell.selected);
    let now = press(&[Key::Down, Key::Left]);
    assert!(now.agents[1].selected && !now.agents[0].selected);
    assert_eq!(selected(&now), Some(1));
    assert!(now.foot.contains("held"));
    assert_eq!(selected(&press(&[Key::Home])), Some(0));
    assert_eq!(
        selected(&press(&[Key::Right, Key::Right, Key::Right])),
        Some(2)
    );
    let now = press(&[Key::Char('f')]);
    assert!(now.agents[0].selected && now.foot.contains("following"));
    let now = press(&[
        Key::Char('/'),
        Key::Char('J'),
        Key::Char('q'),
        Key::Backspace,
    ]);
    assert!(
        now.events.iter().all(|line| line.contains("judged")),
        "{:?}",
        now.events
    );
    assert_eq!(press(&[Key::Enter, Key::Escape]).events.len(), 7);
    let newest = press(&[]).events.last().cloned();
    assert_ne!(press(&[Key::PageUp]).events.last().cloned(), newest);
    assert_eq!(press(&[Key::PageDown]).events.last().cloned(), newest);
    let now = view(&subjects, &choice, &clock());
    assert!(!choice.press(Key::Char('q'), &now) && !choice.press(Key::Quit, &now));
}

#[test]
fn keys_show_the_output_tell_hold_and_answer() {
    let mut agent = subject("r1", "g", night());
    agent.seen.questions = vec![("ask-1".to_owned(), "git push".to_owned())];
    agent.heard.iteration = 3;
    agent.heard.activity.add("wrote page 2 of 40");
    let agents = [agent];
    let mut choice = Choice::default();
    let mut press = |keys: &str| {
        for c in keys.chars() {
            let key = if c == '\n' { Key::Enter } else { Key::Char(c) };
            let now = view(&agents, &choice, &clock());
            assert!(choice.press(key, &now));
        }
        (choice.wish.take(), view(&agents, &choice, &clock()))
    };
    let (_, now) = press("o");
    assert_eq!(now.events, ["wrote page 2 of 40"]);
    assert_eq!(now.agents[0].text.matches("working").count(), 0);
    assert!(
        press("?")
            .1
            .events
            .iter()
            .any(|line| line.starts_with("p "))
    );
    let (wish, _) = press("?tquick\n");
    let tell = Wish::Tell {
        run: "r1".to_owned(),
        task: None,
        text: "quick".to_owned(),
    };
    assert_eq!(wish, Some(tell));
    let (wish, _) = press("p");
    assert!(matches!(wish, Some(Wish::Hold { task, hold: true, .. }) if task == "parser"));
    let (wish, now) = press("a");
    assert!(
        wish.is_none() && now.foot.contains("y approves"),
        "{}",
        now.foot
    );
    let (wish, _) = press("n");
    assert!(matches!(wish, Some(Wish::Answer { approve: false, ask }) if ask == "ask-1"));
}

#[test]
fn nothing_of_a_hostile_text_can_move_a_cursor() {
    let mut agent = subject("r", HOSTILE, night());
    agent.seen.questions = vec![("ask-1".to_owned(), HOSTILE.to_owned())];
    let search = Choice {
        search: HOSTILE.to_owned(),
        ..Choice::default()
    };
    let mut plain = Plain::default();
    let agents = [agent];
    let mut all = plain.news(&agents, &clock()).join("\n");
    for choice in [Choice::default(), search] {
        all.push_str(&shown(&view(&agents, &choice, &clock())));
    }
    let bad = |c: char| c != '\n' && overnight_base::text::is_unshowable(c);
    assert!(!all.contains(bad), "{all:?}");
    assert!(all.contains("日本語"));
}

#[test]
fn plain_lines_are_said_once() {
    let mut plain = Plain::default();
    let mut agents = [subject("r1", "# A goal", vec![intent(1)])];
    insta::assert_snapshot!(plain.news(&agents, &clock()).join("\n"), @"
    15:00:00 r1: the run begins: A goal
    15:00:01 r1: driver 1 takes over, 2 tasks
    15:00:02 r1: iteration 1 on parser begins
    15:03:04 r1: working
    ");
    assert_eq!(plain.news(&agents, &clock()), [""; 0]);
    agents[0].seen.questions = vec![("ask-1".to_owned(), "git push".to_owned())];
    insta::assert_snapshot!(plain.news(&agents, &clock()).join("\n"), @"15:03:04 r1: needs you: ask-1: git push");
}

#[test]
fn who_broke_a_turn_off_is_told_so_whatever_is_needed_besides() {
    let why = Pause::BrokenOff;
    let mut agent = subject(
        "r1",
        "# A goal",
        vec![intent(1), Event::Paused(Paused { why })],
    );
    agent.seen.questions = vec![("ask-1".to_owned(), "git push".to_owned())];
    let said = Plain::default().news(&[agent], &clock()).join("\n");
    let last = said.lines().last().unwrap_or_default();
    assert!(
        last.contains("ask-1: git push") && last.contains(why.sentence()),
        "{said}"
    );
}

#[test]
fn what_refuted_a_claim_is_told_before_the_next_try_and_at_the_end() {
    let verdict = Verdict {
        gates: vec![GateOutcome {
            command: "make".to_owned(),
            exit: Some(2),
            tail: "a.c:3:1: error: unknown type name 'cents'\n".to_owned(),
            ..GateOutcome::default()
        }],
        ..Verdict::nothing("gate \"make\" failed with exit 2")
    };
    let mut events = vec![intent(1), Judged::from(verdict).into(), intent(2)];
    let seen = |subject: Subject| {
        let view = view(&[subject], &Choice::default(), &clock());
        (view.details.join("\n"), view.agents[0].text.clone())
    };
    let (under_way, row) = seen(subject("r1", "# A goal", events.clone()));
    assert!(
        under_way.contains("refuted before by `make`") && under_way.contains("'cents'"),
        "{under_way}"
    );
    assert!(!row.contains(" ago"), "{row}");
    let reason = Reason::MaxIterations;
    events.truncate(2);
    events.push(Finished { reason }.into());
    let published = Published {
        branch: "auto/x".to_owned(),
        remote: None,
        commit: String::new(),
        url: Some("https://e.invalid/pull/7".to_owned()),
        command: None,
        body: String::new(),
    };
    events.push(published.into());
    let (over, row) = seen(subject("r1", "# A goal", events));
    assert!(row.contains(" · 2 min 59 s ago"), "{row}");
    for told in [
        "parser refuted by `make`",
        "'cents'",
        "0 of 2 tasks done",
        "https://e.invalid/pull/7",
    ] {
        assert!(over.contains(told), "{told:?} is not in {over}");
    }
}

#[test]
fn a_run_with_members_shows_what_each_of_them_at_work_says() {
    let run = subject("r1", "# A goal", Vec::new());
    let mut member = subject("r1 member 2", "# A goal", vec![intent(1)]);
    for number in 1..9 {
        member.heard.activity.add(&format!("step {number}"));
    }
    let choice = Choice {
        agent: Some("r1".to_owned()),
        ..Choice::default()
    };
    let view = view(&[run, member], &choice, &clock());
    let heads: Vec<&str> = view.output.iter().map(|column| &*column.head).collect();
    assert_eq!(heads, ["member 2"], "the run's own driver says nothing");
    assert_eq!(view.output[0].lines.last().unwrap(), "step 8");
}

#[test]
fn of_a_dead_run_is_told_which_agent_lives_on_and_of_many_needs_how_many_more() {
    let mut run = subject("r1", "# A goal", night());
    run.seen.alive = false;
    run.seen.agents = vec![Alive {
        pid: 99,
        task: "parser".to_owned(),
        member: None,
    }];
    let asked = |ask: u32| (format!("ask-{ask}"), "git push".to_owned());
    run.seen.questions = (1..6).map(asked).collect();
    let agents = [run];
    let details = view(&agents, &Choice::default(), &clock()).details;
    let said = Plain::default().news(&agents, &clock()).pop().unwrap();
    let lives = "still alive: the agent of parser, pid 99; it ends with: kill -TERM -- -99";
    assert!(details.iter().any(|line| line == lives), "{details:#?}");
    for told in [
        lives,
        "dead: ask-1",
        "ask-3",
        "and 3 more: overnight status r1",
    ] {
        assert!(said.contains(told), "{told:?} is not in {said}");
    }
    assert!(!said.contains("ask-4"), "{said}");
}

#[test]
fn proofs_beside_the_verdict_are_told_in_words_or_not_at_all() {
    let hunk = |place: Option<&str>| Hunk {
        place: place.map(str::to_owned),
        noticed: false,
        of: 1,
        ms: 1,
    };
    let events = vec![
        hunk(Some("a.rs:3")).into(),
        hunk(None).into(),
        Looked { done: Vec::new() }.into(),
    ];
    let mut plain = Plain::default();
    let lines = plain.news(&[subject("r1", "# A goal", events)], &clock());
    assert_eq!(
        lines[2..lines.len() - 1],
        ["15:00:02 r1: a.rs:3 was taken back: no gate noticed"]
    );
}

#[test]
fn what_a_dead_run_cost_is_the_same_everywhere_in_the_view() {
    let mut run = subject("r1", "# A goal", vec![intent(1)]);
    run.seen.alive = false;
    run.heard.iteration = 1;
    let spoken = r#"{"type":"assistant","message":{"id":"m1","model":"claude-sonnet-4-5","content":[{"type":"text","text":"Now."}],"usage":{"input_tokens":100000,"output_tokens":9000}}}"#;
    run.heard.activity.add(spoken);
    let runs = [run];
    let shown = view(&runs, &Choice::default(), &clock());
    let line = Plain::default().news(&runs, &clock()).pop().unwrap();
    let row = &shown.agents[0].text;
    let (_, about) = row.split_once("about ").unwrap();
    let (about, _) = about.split_once(" · ").unwrap();
    let sum = shown
        .details
        .iter()
        .find(|line| line.contains("of 2 tasks done"));
    assert!(
        sum.unwrap().ends_with(&format!("about {about}")),
        "{row}: {sum:?}"
    );
    assert!(line.ends_with(&format!("about {about}")), "{line}");
    // What an attempt cost is booked once it ended, also while its gates run.
    let mut run = subject("r1", "# A goal", vec![intent(1), ended()]);
    run.heard.iteration = 1;
    run.heard.activity.add(spoken);
    let shown = view(&[run], &Choice::default(), &clock());
    assert!(shown.agents[0].text.contains("$0.50"), "{shown:#?}");
}

/// The end of an attempt that cost half a dollar.
fn ended() -> Event {
    let claim = Verdict::nothing("no");
    let fields = serde_json::json!({"ended": {"exited": 0}, "class": "none", "claim": claim, "cost_usd": 0.5});
    Event::Outcome(serde_json::from_value(fields).unwrap())
}
