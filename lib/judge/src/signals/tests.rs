use super::*;
use serde_json::json;

fn answer(input: &Value) -> (bool, Option<Reason>) {
    let answer = judge(&serde_json::from_value(input.clone()).unwrap());
    (answer.exit, answer.reason)
}

#[test]
#[expect(clippy::too_many_lines, reason = "a table of cases")]
fn each_signal_ends_the_loop_at_its_threshold() {
    let yes = |reason| (true, Some(reason));
    let no = (false, None);
    let block = |signal: &str| json!({"text": format!("---RALPH_STATUS---\nSTATUS: COMPLETE\nEXIT_SIGNAL: {signal}\n---END_RALPH_STATUS---"), "done": true});
    let failing = json!({"test_only": true, "test_failures": 4});
    for (input, expected) in [
        (json!({}), no),
        (json!({"fix_plan": "- [x] a\n"}), yes(Reason::PlanComplete)),
        (json!({"fix_plan": null}), no),
        (json!({"fix_plan": "- [ ] a\n"}), no),
        (json!({"loops": [{"done": true}]}), no),
        (
            json!({"loops": [{"done": true}, {"done": true}]}),
            yes(Reason::Completed),
        ),
        (json!({"loops": [{"done": true}, {}, {"done": true}]}), no),
        (
            json!({"loops": [{"done": true}, {"rate_limited": true}, {"done": true}]}),
            yes(Reason::Completed),
        ),
        (
            json!({"loops": [{"done": true}, {"done": true, "test_failures": 1}]}),
            no,
        ),
        (
            json!({"loops": [{"text": "ok\n<DONE>ok</DONE>"}]}),
            yes(Reason::Completed),
        ),
        (
            json!({"max_iterations": 1, "loops": [{"done": true, "explicit": true}]}),
            yes(Reason::Completed),
        ),
        (
            json!({"max_iterations": 1, "loops": [{}]}),
            yes(Reason::MaxIterations),
        ),
        (json!({"loops": [block("false"), block("false")]}), no),
        (
            json!({"loops": [block("true"), block("true")]}),
            yes(Reason::Completed),
        ),
        (
            json!({"fix_plan": "- [x] a", "loops": [block("false")]}),
            no,
        ),
        (
            json!({"loops": [{"test_only": true}, {"test_only": true}, {"test_only": true}]}),
            yes(Reason::TestOnly),
        ),
        (json!({"loops": [failing, failing, failing]}), no),
        (
            json!({"loops": [{"blocked": true}, {"blocked": true}, {"blocked": true}]}),
            yes(Reason::Blocked),
        ),
        (
            json!({"tasks_json": {"_thought": "x", "a": {"status": "done"}}}),
            yes(Reason::TasksComplete),
        ),
        (
            json!({"tasks_json": {"a": {"status": "done"}, "b": {"status": "error"}}}),
            yes(Reason::TasksEnded),
        ),
        (json!({"tasks_json": {"_thought": "x"}}), no),
        (
            json!({"tasks_json": {"a": {"status": "todo"}}, "loops": [{"done": true}, {"done": true}]}),
            no,
        ),
        (json!({"stale_state": {"done_signals": [1, 2, 3]}}), no),
    ] {
        assert_eq!(answer(&input), expected, "{input}");
    }
}

#[test]
fn a_verification_decides_and_a_vacuous_one_proves_nothing() {
    let with = |exit: i64, output: &str| json!({"loops": [{"done": true}, {"done": true}], "verify": {"cmd": "t", "exit": exit, "output": output}});
    assert_eq!(
        answer(&with(0, "test result: ok. 14 passed; 0 failed; 0 ignored")).1,
        Some(Reason::Verified)
    );
    assert_eq!(answer(&with(0, "")).1, Some(Reason::Verified));
    for (exit, output) in [
        (1, ""),
        (5, "no tests ran in 0.01s"),
        (
            0,
            "test result: ok. 0 passed; 0 failed; 0 ignored; 14 filtered out",
        ),
        (0, "== 1 failed, 3 passed in 1s =="),
    ] {
        assert_eq!(answer(&with(exit, output)), (false, None), "{output}");
    }
    assert_eq!(
        answer(&json!({"verify": {"cmd": "t", "exit": 0}})),
        (false, None)
    );
}

#[test]
fn a_task_list_that_cannot_be_read_is_an_error_and_no_end() {
    for text in [
        "",
        "{",
        "[]",
        "```json\n{}\n```",
        r#"{"a":{"status":"done"},"a":{"status":"todo"}}"#,
        r#"{"a":7}"#,
    ] {
        let answer = judge(&Input {
            tasks_text: Some(text.into()),
            ..Input::default()
        });
        assert!(!answer.exit && answer.error.is_some(), "{text}");
    }
}
