use super::*;
use crate::status::Seen;
use jiff::tz::TimeZone;
use overnight_run::event::{Door, Ended, Outcome};
use overnight_run::state::{Open, RunInfo, TaskState};
use overnight_run::task::TaskSpec;
use proptest::prelude::*;

const HOSTILE: &str = "\u{1b}]52;c;x\u{7}\n\"\\ -K /etc/passwd <b>";

fn state(finished: Option<Reason>, waiting: Option<(u64, WaitCause)>) -> State {
    let run = RunInfo {
        id: "r1".to_owned(),
        door: Door::Driver,
        goal: String::new(),
        top: String::new(),
        head: None,
        branch: None,
        started: 0,
    };
    State {
        run: Some(run),
        driver: Some((1, 1)),
        finished,
        waiting,
        ..State::default()
    }
}

fn told(state: &State, alive: bool, questions: &[(String, String)]) -> Option<Notice> {
    all(state, alive, questions).into_iter().next()
}

fn all(state: &State, alive: bool, questions: &[(String, String)]) -> Vec<Notice> {
    let seen = Seen {
        now: 100_000,
        alive,
        questions: questions.to_vec(),
        ..Seen::default()
    };
    let summary = summary::of(state, &seen, None);
    notices(state, &summary, "shop", &Clock(TimeZone::UTC))
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
        (Reason::Stopped, None),
    ];
    let mut kinds = Vec::new();
    for (reason, kind) in ends {
        let told = told(&state(Some(reason), None), true, &[]);
        assert_eq!(told.as_ref().map(|notice| notice.kind), kind);
        kinds.extend(kind);
    }
    assert!(kinds.is_sorted());
    let crashed = told(&state(None, None), false, &[]).unwrap();
    assert_eq!(crashed.kind, Kind::Failed);
    let wait = |cause| told(&state(None, Some((3_600_000, cause))), true, &[]);
    let limit = wait(WaitCause::UsageLimit).unwrap();
    assert_eq!(
        limit.text,
        "at the usage limit, goes on at 1970-01-01 01:00 +00:00"
    );
    assert_eq!(wait(WaitCause::Interval), None);
    assert_eq!(told(&state(None, None), true, &[]), None);
    let question = [("ask-1".to_owned(), HOSTILE.to_owned())];
    let asked = told(&state(None, None), true, &question).unwrap();
    assert_eq!(asked.commands[0], "overnight approve ask-1");
    assert!(
        !asked.text.chars().any(overnight_base::text::is_unshowable),
        "{asked:?}"
    );
}

#[test]
fn each_question_and_each_end_is_told_once_and_one_limit_once_in_half_an_hour() {
    let ask = |number: u32| (format!("ask-{number}"), "git push".to_owned());
    let mut book = SentLog::default();
    let running = state(None, None);
    let mut new = |notices: Vec<Notice>, now: u64| {
        let taken = notices.iter().filter(|notice| book.take(notice, now));
        taken.count()
    };
    assert_eq!(new(all(&running, true, &[ask(1)]), 1), 1);
    assert_eq!(
        new(all(&running, true, &[ask(1), ask(2)]), 2),
        1,
        "the second question"
    );
    assert_eq!(
        new(all(&running, true, &[ask(1), ask(2)]), sent::AGAIN_MS * 9),
        0
    );
    // Two nights that end alike are two ends.
    let ended = |run: &str| {
        let mut state = state(Some(Reason::AllDone), None);
        state.run.as_mut().unwrap().id = run.to_owned();
        all(&state, true, &[])
    };
    assert_eq!(
        (
            new(ended("r1"), 3),
            new(ended("r2"), 4),
            new(ended("r1"), 5)
        ),
        (1, 1, 0)
    );
    let limit = || {
        all(
            &state(None, Some((3_600_000, WaitCause::UsageLimit))),
            true,
            &[],
        )
    };
    assert_eq!((new(limit(), 6), new(limit(), 7)), (1, 0));
    assert_eq!(new(limit(), 6 + sent::AGAIN_MS), 1);
}

#[test]
fn a_trial_says_that_it_is_one() {
    let notice = trial("shop");
    assert_eq!(notice.title(), "Overnight: test");
    assert!(!notice.body().contains("tasks"), "{}", notice.body());
}

#[test]
fn an_end_says_in_its_first_line_whether_it_waits_or_left_work() {
    let told = |reason| {
        let mut state = state(Some(reason), None);
        let mut task = TaskState::new(TaskSpec::named("pay", "pays"));
        task.needs = Some("a key".to_owned());
        state.tasks = vec![task];
        all(&state, true, &[]).pop().unwrap()
    };
    let waits = told(Reason::NeedsPerson("pay needs: a key".to_owned()));
    assert_eq!(waits.title(), "Overnight: needs you");
    assert_eq!(waits.text, "the run waits for you: pay needs: a key");
    assert!(waits.needs.is_empty(), "{waits:?}");
    assert!(waits.commands[0].contains("tell"), "{waits:?}");
    let left = told(Reason::MaxIterations);
    assert_eq!(left.title(), "Overnight: ended with work left");
    let done = all(&state(Some(Reason::AllDone), None), true, &[]).pop();
    assert_eq!(done.unwrap().title(), "Overnight: finished");
}

#[test]
fn what_quiet_hours_held_back_is_one_notice() {
    let questions = [1, 2].map(|number| (format!("ask-{number}"), "git push".to_owned()));
    let mut held = all(&state(None, None), true, &questions);
    assert_eq!(digest(&held[..1]).as_ref(), held.first());
    held.extend(all(&state(Some(Reason::AllDone), None), true, &[]));
    let told = digest(&held).unwrap();
    assert_eq!((told.kind, told.needs.len()), (Kind::NeedsYou, 3));
    assert!(told.body().contains("ask-2: git push"), "{}", told.body());
    assert_eq!(digest(&[]), None);
}

#[test]
fn each_channel_gets_what_it_takes_and_no_text_leaves_its_place() {
    let question = [("ask-1".to_owned(), "say \"<!here>\" & go".to_owned())];
    let notice = told(&state(None, None), true, &question).unwrap();
    let ntfy = curl_config(Post::Ntfy("https://ntfy.sh/x", Some("tk_1")), &notice);
    assert!(
        ntfy.contains("header = \"Title: Overnight: needs you\"\n"),
        "{ntfy}"
    );
    assert!(
        ntfy.contains("header = \"Authorization: Bearer tk_1\"\n"),
        "{ntfy}"
    );
    assert!(ntfy.contains("overnight approve ask-1"), "{ntfy}");
    let slack = curl_config(Post::Slack("https://hooks.example/x"), &notice);
    assert!(
        slack.contains("&lt;!here&gt;") && !slack.contains("<!here>"),
        "{slack}"
    );
}

#[test]
fn a_turn_that_the_service_ended_in_a_session_is_told_and_says_how_to_go_on() {
    let ended = |class, resets_at| {
        let mut state = state(None, None);
        if let Some(run) = &mut state.run {
            run.door = Door::Session;
        }
        let claim = overnight_judge::Verdict::nothing("the service ended the turn");
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
        let notice = told(&ended(class, resets), true, &[]).unwrap();
        assert_eq!((notice.kind, notice.text.as_str()), (kind, text));
        assert_eq!(notice.commands, ["overnight resume r1"]);
    }
    // A driver waits and goes on by itself; so does who took the run over.
    let mut driven = ended(Class::UsageLimit, None);
    driven.run.as_mut().unwrap().door = Door::Driver;
    assert_eq!(told(&driven, true, &[]), None);
    let mut resumed = ended(Class::UsageLimit, None);
    resumed.open.as_mut().unwrap().resumed = true;
    assert_eq!(told(&resumed, true, &[]), None);
}

fn open() -> Open {
    Open {
        iteration: 1,
        attempt: 1,
        lost: 0,
        retries: 0,
        task: "t".to_owned(),
        check_id: "c".to_owned(),
        model: None,
        continues: None,
        started: 0,
        agent: None,
        offset: 0,
        outcome: None,
        resumed: false,
        gates: None,
        review: None,
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
        let notice = told(&state(None, None), true, &question).unwrap();
        let sequence = terminal_sequence(&notice);
        prop_assert_eq!(sequence.chars().filter(|c| c.is_control()).count(), 2);
        let config = curl_config(Post::Webhook("https://example.invalid/"), &notice);
        prop_assert_eq!(config.lines().count(), 3);
        let body = config.lines().last().unwrap().strip_prefix("data-raw = \"").unwrap();
        let body = body.strip_suffix('"').unwrap().replace("\\\"", "\"").replace("\\\\", "\\");
        prop_assert!(serde_json::from_str::<serde_json::Value>(&body).is_ok(), "{}", body);
    }
}
