use super::*;
use crate::run::event::{Door, Ended, Outcome};
use crate::run::state::{Open, RunInfo};
use jiff::tz::TimeZone;
use proptest::prelude::*;

const HOSTILE: &str = "\u{1b}]52;c;x\u{7}\n\"\\ -K /etc/passwd <b>";

fn state(finished: Option<Reason>, waiting: Option<(u64, WaitCause)>) -> State {
    let run = RunInfo {
        id: "r1".to_owned(),
        door: Door::Driver,
        goal: String::new(),
        top: String::new(),
        head: None,
        started: 0,
    };
    State {
        run: Some(run),
        finished,
        waiting,
        ..State::default()
    }
}

fn told(state: &State, life: Life, questions: &[(String, String)]) -> Option<Notice> {
    notice(state, life, questions, &Clock(TimeZone::UTC))
}

#[test]
fn only_what_is_worth_it_is_told_and_in_order() {
    let text = || "x".to_owned();
    let ends = [
        (Reason::NeedsPerson(text()), Some(Kind::NeedsYou)),
        (Reason::BudgetSpent, Some(Kind::NeedsYou)),
        (Reason::Blocked(text()), Some(Kind::Blocked)),
        (Reason::BreakerOpen(text()), Some(Kind::Failed)),
        (Reason::UsageLimit(Some(9)), Some(Kind::UsageLimit)),
        (Reason::MaxIterations, Some(Kind::Finished)),
        (Reason::AllDone, Some(Kind::Finished)),
        (Reason::Interrupted(15), None),
        (Reason::SessionEnded, None),
    ];
    let mut kinds = Vec::new();
    for (reason, kind) in ends {
        let told = told(&state(Some(reason), None), Life::Stopped, &[]);
        assert_eq!(told.as_ref().map(|notice| notice.kind), kind);
        kinds.extend(kind);
    }
    assert!(kinds.is_sorted());
    let crashed = told(&state(None, None), Life::Crashed, &[]).unwrap();
    assert_eq!(crashed.kind, Kind::Failed);
    let wait = |cause| told(&state(None, Some((3_600_000, cause))), Life::Waiting, &[]);
    let limit = wait(WaitCause::UsageLimit).unwrap();
    assert_eq!(
        limit.text,
        "at the usage limit, goes on at 1970-01-01 01:00 +00:00"
    );
    assert_eq!(wait(WaitCause::Interval), None);
    assert_eq!(told(&state(None, None), Life::Running, &[]), None);
    let question = [("ask-1".to_owned(), HOSTILE.to_owned())];
    let asked = told(&state(None, None), Life::Running, &question).unwrap();
    assert_eq!(asked.commands[0], "overnight approve ask-1");
    assert!(
        !asked.text.chars().any(crate::text::is_unshowable),
        "{asked:?}"
    );
}

#[test]
fn a_cause_is_told_once_in_half_an_hour_whichever_run_it_comes_from() {
    let notice = |run: &str, text: &str| Notice {
        kind: Kind::Blocked,
        run: run.to_owned(),
        text: text.to_owned(),
        commands: Vec::new(),
    };
    let mut book = Told::default();
    assert!(book.take(&notice("r1", "a"), 1_000));
    assert!(!book.take(&notice("r2", "a"), 1_000 + AGAIN_MS - 1));
    assert!(book.take(&notice("r1", "b"), 2_000));
    assert!(book.take(&notice("r1", "a"), 1_000 + AGAIN_MS));
    assert!(book.take(&notice("r1", "a"), 0), "the clock was set back");
    let limit = |text| Notice {
        kind: Kind::UsageLimit,
        ..notice("r1", text)
    };
    assert!(book.take(&limit("goes on at 3"), 1));
    assert!(!book.take(&limit("goes on at 4"), 2), "one limit");
}

#[test]
fn a_turn_that_the_service_ended_in_a_session_is_told_and_says_how_to_go_on() {
    let ended = |class, resets_at| {
        let mut state = state(None, None);
        if let Some(run) = &mut state.run {
            run.door = Door::Session;
        }
        let claim = crate::judge::Verdict::nothing("the service ended the turn");
        state.open = Some(Open {
            outcome: Some(Outcome {
                resets_at,
                ..Outcome::of(Ended::Exited(1), class, claim)
            }),
            ..open()
        });
        state
    };
    for (class, kind, text) in [
        (
            Class::UsageLimit,
            Kind::UsageLimit,
            "the usage limit ended the turn: write \"continue\" in the session after the reset (1970-01-01 01:00 +00:00)",
        ),
        (
            Class::Auth,
            Kind::NeedsYou,
            "the client is not logged in: log in, then write \"continue\" in the session",
        ),
        (
            Class::Transient,
            Kind::Failed,
            "the service ended the turn: write \"continue\" in the session",
        ),
    ] {
        let resets = (class == Class::UsageLimit).then_some(3_600);
        let notice = told(&ended(class, resets), Life::Running, &[]).unwrap();
        assert_eq!((notice.kind, notice.text.as_str()), (kind, text));
        assert_eq!(notice.commands, ["overnight run --resume r1"]);
    }
    // A driver waits and goes on by itself; so does who took the run over.
    let mut driven = ended(Class::UsageLimit, None);
    driven.run.as_mut().unwrap().door = Door::Driver;
    assert_eq!(told(&driven, Life::Running, &[]), None);
    let mut resumed = ended(Class::UsageLimit, None);
    resumed.open.as_mut().unwrap().resumed = true;
    assert_eq!(told(&resumed, Life::Running, &[]), None);
}

fn open() -> Open {
    Open {
        iteration: 1,
        attempt: 1,
        lost: 0,
        retries: 0,
        task: "t".to_owned(),
        check_id: "c".to_owned(),
        continues: None,
        started: 0,
        agent: None,
        offset: 0,
        outcome: None,
        resumed: false,
        gates: None,
    }
}

#[test]
fn quiet_hours_may_go_over_midnight() {
    let night = Quiet::parse("22:00-07:30").unwrap();
    let minutes = [
        (22, 0),
        (23, 59),
        (0, 0),
        (7, 29),
        (7, 30),
        (12, 0),
        (21, 59),
    ];
    let held = minutes.map(|(hour, minute)| night.holds(hour * 60 + minute));
    assert_eq!(held, [true, true, true, true, false, false, false]);
    assert!(Quiet::parse("12:00-13:00").unwrap().holds(12 * 60));
    for wrong in [
        "",
        "22-7",
        "22:00-22:00",
        "24:00-07:00",
        "7:00-8:00",
        "22:00-07:60",
        "+1:00-02:00",
    ] {
        assert_eq!(Quiet::parse(wrong), None, "{wrong}");
    }
}

#[test]
fn addresses_are_encrypted_or_local() {
    for good in [
        "https://ntfy.sh/me",
        "http://127.0.0.1:9/x",
        "http://localhost",
        "http://[::1]/",
    ] {
        assert!(is_address(good), "{good}");
    }
    for bad in [
        "",
        "http://example.com",
        "http://localhost.evil.com",
        "https://",
        "file:///etc",
        "https://a b",
        "https://a\n",
    ] {
        assert!(!is_address(bad), "{bad}");
    }
}

proptest! {
    #[test]
    fn no_text_leaves_its_place(text in any::<String>()) {
        let question = [("ask-1".to_owned(), text)];
        let notice = told(&state(None, None), Life::Running, &question).unwrap();
        let sequence = terminal_sequence(&notice);
        prop_assert_eq!(sequence.chars().filter(|c| c.is_control()).count(), 2);
        let config = curl_config("https://example.invalid/", &notice);
        prop_assert_eq!(config.lines().count(), 3);
        let body = config.lines().last().unwrap().strip_prefix("data-raw = \"").unwrap();
        let body = body.strip_suffix('"').unwrap().replace("\\\"", "\"").replace("\\\\", "\\");
        prop_assert!(serde_json::from_str::<serde_json::Value>(&body).is_ok(), "{}", body);
    }
}
