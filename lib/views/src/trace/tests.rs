use super::*;
use overnight_run::Config;
use overnight_run::event::{DriverStarted, Finished, Intent, Judged, Waiting};
use overnight_run::journal::Stamp;
use overnight_run::step::{Nudge, Reason, WaitCause};
use proptest::prelude::*;
use serde_json::{Value, json};

fn record(seq: u64, t: u64, event: impl Into<Event>) -> Record {
    let stamp = Stamp {
        t,
        mono: t,
        boot: "b".to_owned(),
    };
    Record {
        seq,
        stamp,
        event: event.into(),
    }
}

fn intent(attempt: u32) -> Intent {
    Intent {
        iteration: 1,
        attempt,
        task: "parser \u{1b}[2J".to_owned(),
        check_id: "c".to_owned(),
        epoch: 1,
        nudge: Nudge::None,
        model: None,
        continues: None,
    }
}

fn outcome(class: &str) -> Event {
    let claim = Verdict::nothing("no");
    let fields = json!({"ended": {"exited": 0}, "class": class, "claim": claim});
    Event::Outcome(serde_json::from_value(fields).unwrap())
}

fn night() -> Vec<Record> {
    let driver = DriverStarted {
        epoch: 1,
        pid: 1,
        pid_start: 1,
        session: None,
        config: Config::default(),
        tasks: Vec::new(),
    };
    let wait = Waiting {
        until: 9_000,
        cause: WaitCause::UsageLimit,
    };
    let judged = Judged {
        unreported: Vec::new(),
        verdict: Verdict::nothing("a test fails"),
    };
    let events: Vec<(u64, Event)> = vec![
        (1_000, driver.into()),
        (2_000, intent(1).into()),
        (3_000, outcome("usage_limit")),
        (3_500, wait.into()),
        (7_000, intent(2).into()),
        (8_000, outcome("none")),
        (8_001, judged.into()),
        (
            8_002,
            Finished {
                reason: Reason::MaxIterations,
            }
            .into(),
        ),
    ];
    (1..)
        .zip(events)
        .map(|(seq, (t, event))| record(seq, t, event))
        .collect()
}

/// The trace of a run without members.
fn traced(records: &[Record]) -> Vec<Value> {
    let mut cast = Cast::default();
    for record in records {
        cast.note(record);
    }
    let mut events = cast.opening("r1");
    let mut slices = Slices::new(OWN);
    for record in records {
        events.extend(slices.add(record));
    }
    events.extend(slices.end());
    events.iter().map(written).collect()
}

fn written(entry: &Entry) -> Value {
    serde_json::to_value(entry).unwrap()
}

#[test]
fn a_session_has_a_life_before_the_run_and_after_it() {
    let mut cast = Cast::default();
    let called = |from: u64| Tool {
        name: "Read".to_owned(),
        id: "t".to_owned(),
        from,
        until: from,
    };
    assert!(!cast.has(&called(1)), "no run");
    let night = night();
    for record in &night[..7] {
        cast.note(record);
    }
    let has = |cast: &Cast| [999, 1_000, 99_000].map(|from| cast.has(&called(from)));
    assert_eq!(has(&cast), [false, true, true]);
    cast.note(&night[7]);
    assert_eq!(has(&cast), [false, true, false]);
}

#[test]
fn only_an_id_counts_as_a_session() {
    let session = |name: &str| {
        let claim = Verdict::nothing("no");
        let fields =
            json!({"ended": {"exited": 0}, "class": "none", "claim": claim, "session": name});
        Event::Outcome(serde_json::from_value(fields).unwrap())
    };
    let mut cast = Cast::default();
    let id = "0f1e2d3c-0000-4000-8000-123456789abc";
    for name in [id, "../../../etc/passwd", id, "0f1e2d3c"] {
        cast.note(&record(1, 1, session(name)));
    }
    assert_eq!(cast.sessions(0).collect::<Vec<_>>(), [id]);
}

#[test]
fn a_night_has_its_slices_on_the_agents_track() {
    let records = night();
    let line = |kind: &str, time: &str, block: &str| {
        format!(
            r#"{{"type":"{kind}","timestamp":"1970-01-01T00:00:0{time}Z","message":{{"content":[{block}]}}}}"#
        )
    };
    let transcript = [
        line(
            "assistant",
            "2.1",
            r#"{"type":"tool_use","id":"t1","name":"Bash","input":{"command":"ls\u001b[2J"}}"#,
        ),
        "no json".to_owned(),
        line(
            "user",
            "2.4",
            r#"{"type":"tool_result","tool_use_id":"t1"}"#,
        ),
        line(
            "user",
            "2.5",
            r#"{"type":"tool_result","tool_use_id":"unknown"}"#,
        ),
    ];
    let mut calls = tools::Calls::default();
    let tools: Vec<Tool> = transcript
        .iter()
        .flat_map(|line| calls.read(line.as_bytes()))
        .collect();
    let mut trace = traced(&records);
    trace.extend(tools.iter().map(|one| written(&tool(OWN, one))));
    let slices: Vec<String> = trace
        .iter()
        .map(|event| {
            format!(
                "{} {} {} {}",
                event["ph"], event["name"], event["ts"], event["dur"]
            )
        })
        .collect();
    insta::assert_snapshot!(slices.join("\n"), @r#"
    "M" "process_name" null null
    "M" "thread_name" null null
    "i" "driver 1" 1000000 null
    "X" "attempt 1" 2000000 1000000
    "X" "usage limit" 3500000 3500000
    "X" "attempt 2" 7000000 1000000
    "X" "1: parser [2J" 2000000 6001000
    "i" "stopped: the iterations are used up" 8002000 null
    "X" "Bash: ls[2J" 2100000 300000
    "#);
}

#[test]
fn what_is_open_ends_with_the_last_record() {
    let records = &night()[..2];
    let text = Value::from(traced(records)).to_string();
    assert!(
        text.contains(r#""verdict":"open""#) && text.contains(r#""ended":"open""#),
        "{text}"
    );
}

proptest! {
    #[test]
    fn any_transcript_is_read_without_harm(bytes in any::<Vec<u8>>(), text in "[\\[{\":,}a-z0-9\n]{0,200}") {
        let mut calls = tools::Calls::default();
        calls.read(&bytes);
        for line in text.lines() {
            calls.read(line.as_bytes());
        }
    }
}
