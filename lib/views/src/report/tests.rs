use super::*;
use jiff::tz::TimeZone;
use overnight_judge::{Decision, GateOutcome, Source, Verdict};
use overnight_run::Config;
use overnight_run::classify::Class;
use overnight_run::event::{
    Door, DriverStarted, Ended, Event, Finished, Intent, Judged, Outcome, RunStarted, Waiting,
};
use overnight_run::journal::Stamp;
use overnight_run::step::{Nudge, Reason, WaitCause};
use overnight_run::task::TaskSpec;

const HOSTILE: &str =
    "<script>alert(1)</script>\u{1b}[2J\u{2028}\u{202e}\"'&|`@you #1 [x](http://e)";

fn journal(events: Vec<(u64, Event)>) -> Vec<Record> {
    let stamped = events.into_iter().enumerate();
    stamped
        .map(|(at, (t, event))| Record {
            seq: at as u64 + 1,
            stamp: Stamp {
                t: 1_000_000 + t,
                mono: t,
                boot: "b".to_owned(),
            },
            event,
        })
        .collect()
}

fn verdict(decision: Decision, reason: &str, gates: Vec<GateOutcome>) -> Verdict {
    Verdict {
        decision,
        source: Source::FileJson,
        gates,
        ..Verdict::nothing(reason)
    }
}

fn start(goal: &str) -> Vec<(u64, Event)> {
    let task = TaskSpec {
        gates: vec!["make test".to_owned()],
        checklist: vec!["is documented".to_owned()],
        ..TaskSpec::named("one", "does it")
    };
    let run = RunStarted {
        run: "r1".to_owned(),
        door: Door::Driver,
        goal: goal.to_owned(),
        top: "/p".to_owned(),
        head: None,
        branch: None,
        config: None,
    };
    let driver = DriverStarted {
        epoch: 1,
        pid: 1,
        pid_start: 1,
        session: None,
        config: Config::default(),
        tasks: vec![task, TaskSpec::named("two", "does more")],
    };
    vec![(0, run.into()), (1, driver.into())]
}

fn iteration(number: u32, t: u64, verdict: Verdict) -> Vec<(u64, Event)> {
    let intent = Intent {
        iteration: number,
        attempt: 1,
        task: "one".to_owned(),
        check_id: "c".to_owned(),
        epoch: 1,
        nudge: Nudge::None,
        model: None,
        continues: None,
    };
    let outcome = Outcome {
        cost_usd: 0.25,
        output_bytes: 10,
        duration_ms: 60_000,
        tree: "t".to_owned(),
        changed: 2,
        denials: 1,
        ..Outcome::of(Ended::Exited(0), Class::None, verdict.clone())
    };
    vec![
        (t, intent.into()),
        (t + 60_000, outcome.into()),
        (t + 61_000, Judged::from(verdict).into()),
    ]
}

fn gate(exit: i32) -> GateOutcome {
    GateOutcome {
        command: "make test".to_owned(),
        exit: Some(exit),
        ms: 5,
        tests: None,
        tail: String::new(),
        timed_out: false,
        held: false,
        flaky: false,
        lines: Vec::new(),
    }
}

fn night(reason: &str) -> Vec<(u64, Event)> {
    let mut events = start("# A goal\n");
    events.extend(iteration(
        1,
        1_000,
        verdict(Decision::Incomplete, reason, vec![gate(2)]),
    ));
    if let Some((_, Event::Outcome(outcome))) = events.get_mut(3) {
        outcome.resets_at = Some(1_380);
    }
    let waiting = Waiting {
        until: 1_400_000,
        cause: WaitCause::UsageLimit,
    };
    events.push((70_000, waiting.into()));
    let mut done = verdict(Decision::Complete, "", vec![gate(0)]);
    done.reasons.clear();
    done.summary = Some("all of it".to_owned());
    events.extend(iteration(2, 370_000, done));
    events
}

fn finished(mut events: Vec<(u64, Event)>, reason: Reason) -> Vec<Record> {
    events.push((440_000, Finished { reason }.into()));
    journal(events)
}

fn seen(alive: bool) -> Seen {
    Seen {
        now: 9_000_000,
        alive,
        ..Seen::default()
    }
}

fn markdown(records: &[Record]) -> String {
    let report = figures(records, &seen(false));
    markdown::render(&report, &Facts::default(), &Clock(TimeZone::UTC))
}

#[test]
fn a_night_reads_like_this() {
    let records = finished(night("a test fails"), Reason::MaxIterations);
    insta::assert_snapshot!(markdown(&records), @r"
    # Overnight: A goal

    **Not finished: the iterations are used up; 1 of 2 tasks done, 2 iterations in 7 min 20 s, $0.50.**

    1 of 2 tasks done (1 proved) · 7 min 20 s · $0.50

    ## Needs you

    Nothing has to be answered; what comes next stands below.

    ## Not done, next actions

    - **two** not begun. Next: go on

    Next: `overnight resume r1`

    ## Done: 1 (1 proved)

    - **one** proved by `make test`; the agent said: “all of it”

    ## What changed

    Unknown: there is no git repository, or no commit at the start.

    ## Acceptance

    0 not met, 1 not checked, 2 met.

    | Task | Result | Criterion | Evidence |
    | --- | --- | --- | --- |
    | two | not checked | does more | nobody worked on it |
    | one | met | gate: make test | exit 0 |
    | one | met | is documented | the agent says: all of it (every gate agrees) |

    ## Timeline

    From 1970-01-01 00:16 +00:00 to 1970-01-01 00:24 +00:00.

    - 01-01 00:17: waited 5 min 00 s (usage limit, resets 01-01 00:23)

    ## What went wrong

    - 2 × tool call refused
    - 1 × an agent ended without a word about being done
    - 1 × gate failed

    ## Figures

    Working 2 min 00 s, waiting 0.0 s, at the usage limit 5 min 00 s, $0.50 for each proved task.

    In no cell: agents and gates reached what you reach.

    | Run | Iterations | Cost | Time | All done |
    | --- | ---: | ---: | ---: | --- |
    | r1 | 2 | $0.50 | 7 min 20 s | no |

    <details><summary>Every iteration (2), newest first</summary>

    - 2. 01-01 00:22 one: **complete**, all of it (1 min 01 s, $0.25, 2 files changed)
    - 1. 01-01 00:16 one: **incomplete**, a test fails (1 min 01 s, $0.25, 2 files changed)

    </details>
    ");
}

#[test]
fn a_run_without_an_end_is_at_work_or_crashed() {
    let records = journal(night("no"));
    assert_eq!(figures(&records, &seen(true)).ending, Ending::Running);
    let crashed = figures(&records, &seen(false));
    assert_eq!(crashed.ending, Ending::Crashed);
    assert!(
        crashed.sentence.starts_with("Crashed: the driver died"),
        "{}",
        crashed.sentence
    );
    assert_eq!(crashed.needs[0].commands, ["overnight resume r1"]);
    assert_eq!(figures(&[], &seen(false)).totals, Totals::default());
}

#[test]
fn of_an_agent_that_was_at_work_when_the_driver_died_the_page_has_the_log() {
    let mut begun = start("# A goal\n");
    let silent = verdict(Decision::Complete, "", Vec::new());
    begun.extend(iteration(1, 1_000, silent).into_iter().take(1));
    let crashed = figures(&journal(begun), &seen(false));
    let page = html::render(&crashed, &Facts::default(), &Clock(TimeZone::UTC));
    assert!(page.contains("overnight logs r1 --task one"), "{page}");
}

#[test]
fn hostile_text_becomes_neither_markup_nor_control() {
    let mut events = night(HOSTILE);
    if let Event::RunStarted(run) = &mut events[0].1 {
        run.goal = HOSTILE.to_owned();
    }
    let records = finished(events, Reason::Blocked(HOSTILE.to_owned()));
    let report = figures(&records, &seen(false));
    let clock = Clock(TimeZone::UTC);
    let page = html::render(&report, &Facts::default(), &clock);
    let text = markdown::render(&report, &Facts::default(), &clock);
    for shown in [&page, &text] {
        assert!(!shown.contains("<script"), "{shown}");
        let bad = |c: char| c != '\n' && overnight_base::text::is_unshowable(c);
        assert!(!shown.contains(bad), "{shown}");
    }
    assert!(page.contains("&lt;script&gt;alert(1)"));
    assert!(
        !text.contains("@you") && !text.contains("](http://"),
        "{text}"
    );
}

#[test]
fn the_page_has_every_section_its_policy_and_nothing_from_outside() {
    let report = figures(&finished(night("no"), Reason::AllDone), &seen(false));
    let page = html::render(&report, &Facts::default(), &Clock(TimeZone::UTC));
    for id in [
        "needs",
        "acceptance",
        "changes",
        "timeline",
        "wrong",
        "figures",
        "left",
        "iterations",
    ] {
        assert!(page.contains(&format!("<section id=\"{id}\"")), "{id}");
    }
    assert!(page.contains("default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-"));
    for outside in ["http://", "https://", "url(", "src=", "<script", "@import"] {
        assert!(!page.contains(outside), "{outside}");
    }
}

#[test]
fn a_blocked_run_names_what_it_needs() {
    let blocked = Reason::Blocked("3 failures in a row".to_owned());
    let report = figures(&finished(night("no"), blocked), &seen(false));
    assert_eq!(report.needs[0].what, "blocked: 3 failures in a row");
    let commands = ["cat progress/blocked.md", "overnight resume r1"];
    assert_eq!(report.needs[0].commands, commands);
}

#[test]
fn a_cut_off_record_and_an_open_question_are_told() {
    let mut outside = seen(false);
    outside.torn_bytes = 13;
    outside.questions = vec![("ask-1".to_owned(), "git push <x>".to_owned())];
    let report = figures(&journal(night("no")), &outside);
    assert_eq!(report.needs[0].what, "ask-1: git push <x>");
    let torn = report.wrong.keys().any(|what| what.contains("cut off"));
    assert!(torn, "{:?}", report.wrong);
}

#[test]
fn what_can_weaken_a_proof_is_worth_the_first_look() {
    let why = |path: &str, added, removed| {
        let path = path.to_owned();
        facts::FileChange {
            path,
            added,
            removed,
            untracked: false,
            bytes: None,
        }
        .why()
    };
    for (path, added, removed, expected) in [
        ("tests/it/run.rs", 1, 9, "tests shrank"),
        ("tests/it/run.rs", 9, 1, "tests"),
        ("pkg/x_test.go", 0, 1, "tests shrank"),
        (".github/workflows/ci.yml", 1, 0, "build service"),
        ("web/package.json", 1, 0, "dependencies"),
        ("progress/README.md", 9, 9, "progress"),
        (".claude/settings.json", 1, 0, "the agent's own orders"),
        ("src/contest.rs", 0, 9, "size"),
    ] {
        assert_eq!(why(path, added, removed), expected, "{path}");
    }
}

#[test]
fn a_wait_lasts_until_the_next_record() {
    let report = figures(&journal(night("no")), &seen(false));
    assert_eq!(report.totals.limited_ms, 300_000);
    assert_eq!(report.totals.worked_ms, 120_000);
    assert_eq!(report.wrong["tool call refused"], 2);
}

#[test]
fn a_failed_night_is_told_as_it_was() {
    let text = |mut events: Vec<(u64, Event)>, reason: Option<Reason>| {
        if let Event::DriverStarted(driver) = &mut events[1].1 {
            // The single task of a goal.
            driver.tasks = vec![TaskSpec::named("one", "")];
        }
        let records = match reason {
            Some(reason) => finished(events, reason),
            None => journal(events),
        };
        markdown(&records)
    };
    let silent = |iterations: u32| {
        let mut events = start("# A goal\n");
        for number in 1..=iterations {
            let nothing = Verdict::nothing("missing decision: there is no decision file");
            events.extend(iteration(number, u64::from(number) * 1_000, nothing));
        }
        events
    };
    let crashed = text(silent(1), None);
    let opened = "one: circuit breaker open: too many iterations in a row without progress";
    let opened = text(silent(3), Some(Reason::BreakerOpen(opened.to_owned())));
    let mut done = start("# A goal\n");
    let mut claimed = verdict(Decision::Complete, "", Vec::new());
    (claimed.reasons, claimed.failure) = (Vec::new(), None);
    done.extend(iteration(1, 1_000, claimed));
    let done = text(done, Some(Reason::AllDone));
    for (text, told) in [
        (
            &crashed,
            "**Crashed: the driver died without recording an end; 0 of 1 task done",
        ),
        (&crashed, "- 1 × the driver died without recording an end"),
        (
            &crashed,
            "- 1 × an agent ended without a word about being done",
        ),
        (
            &crashed,
            "| one | not met | A goal | it ended without a word",
        ),
        (
            &opened,
            "**Not finished: stopped by the circuit breaker: one: too many iterations",
        ),
        (&opened, ": `overnight why r1 one`\n"),
        (&opened, "\n\nNext: `overnight resume r1`"),
        (
            &done,
            "**Done: every task is done by the agent's word alone, no gate checked it;",
        ),
    ] {
        assert!(text.contains(told), "no {told} in {text}");
    }
}

#[test]
fn the_sentence_of_a_run_at_work_says_what_it_does() {
    let sentence = |events, questions: &[(String, String)]| {
        let seen = Seen {
            questions: questions.to_vec(),
            ..seen(true)
        };
        figures(&journal(events), &seen).sentence
    };
    let mut events = start("# A goal\n");
    events.extend(
        iteration(1, 1_000, Verdict::nothing("x"))
            .into_iter()
            .take(1),
    );
    assert!(
        sentence(events.clone(), &[])
            .starts_with("At work: iteration 1 of 10 on one; 0 of 2 tasks done")
    );
    let waiting = Waiting {
        until: 1_400_000,
        cause: WaitCause::UsageLimit,
    };
    events.push((70_000, waiting.into()));
    let waits = sentence(events.clone(), &[]);
    assert!(
        waits.starts_with("At work: the driver waits (usage limit);"),
        "{waits}"
    );
    let question = ("ask-1".to_owned(), "git push".to_owned());
    let asks = sentence(events, &[question]);
    assert!(
        asks.starts_with("Needs you: at work, but ask-1: git push;"),
        "{asks}"
    );
}

#[test]
fn intervals_between_iterations_do_not_hide_what_matters() {
    let mut events = night("no");
    for at in 0..9 {
        let interval = Waiting {
            until: 0,
            cause: WaitCause::Interval,
        };
        events.push((440_000 + at * 1_000, interval.into()));
    }
    let text = markdown(&journal(events));
    assert!(
        text.contains("- 9 intervals between iterations, 8.0 s in all"),
        "{text}"
    );
    assert_eq!(text.matches("waited").count(), 1, "{text}");
}
