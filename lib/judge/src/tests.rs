use super::*;
use marker::Marker;

fn done(text: &str) -> Verdict {
    verdict(FileState::NotAsked, None, text)
}

fn verdict(file: FileState<'_>, check_id: Option<&str>, text: &str) -> Verdict {
    let said = Message::of_text(text, &Marker::default());
    judge(&Evidence {
        file,
        check_id,
        said: &said,
        gates: &[],
        objections: &[],
    })
}

#[test]
fn a_marker_on_a_line_of_its_own_is_a_claim() {
    for text in [
        "<DONE>ok</DONE>",
        "All 14 tests pass.\n\n<DONE>ok</DONE>\n",
        "Done.\r\n<DONE>ok</DONE>\r\n",
        "**<DONE>ok</DONE>**",
        "<DONE>\nok\n</DONE>",
        "```\n<DONE>example</DONE>\n```\n<DONE>ok</DONE>",
        "<DONE>first</DONE>\nOne more check.\n<DONE>ok</DONE>",
        "<DONE>ok</DONE>\n\nLet me know if you want anything else.",
        "The tests were still failing, so I fixed the parser. All tests pass now.\n<DONE>ok</DONE>",
        "Summary:\n- a\n- b\n\n<DONE>ok</DONE>",
        "> quoted\n\n<DONE>ok</DONE>",
        "- step\n  ```sh\n  cargo test\n  ```\n\n<DONE>ok</DONE>",
        "  <DONE>ok</DONE>  \n",
        "\u{feff}<DONE>ok</DONE>",
    ] {
        let verdict = done(text);
        assert!(verdict.complete(), "{text:?}: {verdict:?}");
        assert_eq!(verdict.summary.as_deref(), Some("ok"), "{text:?}");
        assert_eq!(verdict.source, Source::Marker);
    }
}

#[test]
fn a_marker_that_is_talked_about_is_no_claim() {
    for text in [
        "",
        "I will not output <DONE>ok</DONE> yet.",
        "All done: <DONE>ok</DONE>",
        "> <DONE>ok</DONE>",
        "- <DONE>ok</DONE>",
        "`<DONE>ok</DONE>`",
        "```\n<DONE>ok</DONE>\n```",
        "~~~text\n<DONE>ok</DONE>\n~~~",
        "```\n<DONE>ok</DONE>",
        "````\n```\n<DONE>ok</DONE>\n```\n````",
        "    <DONE>ok</DONE>",
        "The worker is back.\n  <DONE>ok</DONE>",
        "<!--\n<DONE>ok</DONE>\n-->",
        "<example>\n<DONE>ok</DONE>\n</example>",
        "<DONE></DONE>",
        "<DONE> \u{200b} </DONE>",
        "<DONE><DONE>x</DONE></DONE>",
        "<DONE>a</DONE><DONE>b</DONE>",
        "<DONE>ok",
        "ok</DONE>",
        "<done>ok</done>",
        "<UNDONE>ok</UNDONE>",
        "<D\u{041e}NE>ok</D\u{041e}NE>",
        "&lt;DONE&gt;ok&lt;/DONE&gt;",
        "When everything is finished I will print:\n<DONE>ok</DONE>",
        "The prompt says to end with:\n\n<DONE>one-line summary</DONE>",
        "<DONE>one-line summary</DONE>",
        "<DONE>not done yet</DONE>",
        "<DONE>INCOMPLETE: tests failing</DONE>",
        "<DONE>ok</DONE>\nWait, the linter fails.",
        "This is not done yet.\n<DONE>ok</DONE>",
        "<DONE>ok</DONE>\n<DONE>and",
    ] {
        assert!(!done(text).complete(), "{text:?}");
    }
}

#[test]
fn the_chunks_in_which_a_message_arrives_do_not_matter() {
    let text = "a\n```\nx\n```\n<!-- c -->\nsome `code` text\n<DONE>\nok\n</DONE>\nbye\n";
    let whole = Message::of_text(text, &Marker::default());
    for size in 1..text.len() {
        let mut scan = scan::Scan::new(Marker::default());
        for chunk in text.as_bytes().chunks(size) {
            scan.push(chunk);
        }
        assert_eq!(scan.finish(), whole, "chunks of {size}");
    }
    assert!(matches!(whole.marked, Claim::Complete { .. }));
}

#[test]
fn an_objection_turns_a_claim_down_with_its_reason() {
    let said = Message::of_text("<DONE>ok</DONE>", &Marker::default());
    let objections = [gates::Objection::new(
        gates::Kind::Failed,
        "t",
        "gate \"t\" failed with exit 1",
    )];
    let verdict = judge(&Evidence {
        file: FileState::NotAsked,
        check_id: None,
        said: &said,
        gates: &[],
        objections: &objections,
    });
    assert!(!verdict.complete());
    assert_eq!(verdict.source, Source::Marker);
    assert_eq!(verdict.reasons, ["gate \"t\" failed with exit 1"]);
}

const ID: Option<&str> = Some("chk-1");

fn file(bytes: &[u8]) -> Verdict {
    verdict(FileState::Bytes(bytes), ID, "")
}

#[test]
fn a_json_decision_needs_its_check_id_and_one_plain_word() {
    let complete = file(br#"{"decision":"complete","check_id":"chk-1","summary":"s"}"#);
    assert!(complete.complete());
    assert_eq!(
        (complete.source, complete.check_id_match),
        (Source::FileJson, Some(true))
    );
    assert_eq!(complete.summary.as_deref(), Some("s"));
    let cases: &[(&str, &str)] = &[
        (
            r#"{"decision":"complete","check_id":"chk-1",}"#,
            "invalid json",
        ),
        (
            r#"{"decision":"complete","check_id":"chk-1"}{}"#,
            "invalid json",
        ),
        (
            r#"[{"decision":"complete","check_id":"chk-1"}]"#,
            "invalid json",
        ),
        (
            r#"{"decision":"complete","decision":"complete","check_id":"chk-1"}"#,
            "duplicate key",
        ),
        (
            r#"{"decision":true,"check_id":"chk-1"}"#,
            "invalid decision",
        ),
        (
            r#"{"decision":"c0mplete","check_id":"chk-1"}"#,
            "invalid decision",
        ),
        (
            r#"{"verdict":"complete","check_id":"chk-1"}"#,
            "missing decision",
        ),
        (r#"{"decision":"complete"}"#, "missing check id"),
        (
            r#"{"decision":"complete","check_id":"chk-12"}"#,
            "check id mismatch",
        ),
        (
            r#"{"decision":"complete","check_id":"$OVERNIGHT_CHECK_ID"}"#,
            "check id mismatch",
        ),
        ("", "missing decision"),
        ("hello", "missing decision"),
        ("PASS\nFAIL", "contradictory decision"),
        ("\0\0", "invalid encoding"),
    ];
    for (text, failure) in cases {
        let verdict = file(text.as_bytes());
        assert!(!verdict.complete(), "{text}");
        assert_eq!(verdict.source, Source::None, "{text}");
        assert_eq!(verdict.failure.as_deref(), Some(*failure), "{text}");
    }
}

#[test]
fn a_mismatch_says_what_was_expected_what_was_found_and_how_to_fix_it() {
    let verdict = file(br#"{"decision":"complete","check_id":"$OVERNIGHT_CHECK_ID"}"#);
    insta::assert_snapshot!(verdict.reasons[0], @r#"check id mismatch: expected "chk-1", found "$OVERNIGHT_CHECK_ID" (a variable's name was written instead of its value): run `completion-check declare`, which fills in the current id"#);
    assert_eq!(verdict.code(), Some(Code::DecisionStale));
}

#[test]
fn legacy_words_count_on_lines_of_their_own() {
    for text in [
        "PASS",
        "pass\r\n",
        "✅ PASS",
        "Verdict: PASS",
        "**COMPLETE**",
        "PASS.",
        "PASS: all good",
        "Checked all.\n\nPASS",
        "\u{feff}PASS",
    ] {
        let verdict = file(text.as_bytes());
        assert!(
            verdict.complete() && verdict.source == Source::FileLegacy,
            "{text}: {verdict:?}"
        );
    }
    for text in ["FAIL", "INCOMPLETE: tests", "Result: fail - 2 open"] {
        let verdict = file(text.as_bytes());
        assert!(
            !verdict.complete() && verdict.source == Source::FileLegacy,
            "{text}: {verdict:?}"
        );
    }
    for text in [
        "NOT PASS",
        "PASS/FAIL",
        "COMPLETE|INCOMPLETE",
        "PASSWORD",
        "PASS the token",
        "It is COMPLETE.",
        "PASS - but two tests fail",
        "PASS?",
        "ＰＡＳＳ",
        "СOMPLETE",
    ] {
        let verdict = file(text.as_bytes());
        assert!(
            !verdict.complete() && verdict.source == Source::None,
            "{text}: {verdict:?}"
        );
    }
    let utf16: Vec<u8> = "\u{feff}PASS\r\n"
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();
    assert!(file(&utf16).complete());
}

#[test]
fn the_file_comes_first_and_a_silent_one_leaves_the_word_to_the_message() {
    let at = |bytes: &[u8], text: &str| verdict(FileState::Bytes(bytes), ID, text);
    assert!(!at(b"FAIL", "COMPLETE").complete());
    assert!(
        at(
            br#"{"decision":"complete","check_id":"chk-1"}"#,
            "INCOMPLETE"
        )
        .complete()
    );
    let stale = at(br#"{"decision":"complete","check_id":"old"}"#, "COMPLETE");
    assert_eq!(
        (stale.complete(), stale.source, stale.check_id_match),
        (true, Source::Marker, Some(false))
    );
    assert!(!at(b"PASS\nFAIL", "COMPLETE").complete());
    let missing = verdict(FileState::Missing, ID, "work\n\n<DONE>ok</DONE>");
    assert!(missing.complete() && missing.source == Source::Marker);
    assert!(
        !done("COMPLETE").complete(),
        "the words belong to the decision file's protocol"
    );
    let fifo = verdict(FileState::Refused("not a regular file"), ID, "");
    assert_eq!(fifo.failure.as_deref(), Some("unreadable decision"));
}

#[test]
fn prose_never_vetoes_what_gates_prove() {
    let said = Message::of_text("This is not done yet.\n<DONE>ok</DONE>", &Marker::default());
    let claimed = claim(&Evidence {
        file: FileState::NotAsked,
        check_id: None,
        said: &said,
        gates: &[],
        objections: &[],
    });
    assert!(claimed.complete() && claimed.doubt.is_some());
    let alone = claimed.clone().proved(&[], &[]);
    assert!(!alone.complete() && alone.reasons[0].contains("not done yet"));
    let gate = serde_json::from_str(r#"{"command":"true","exit":0,"ms":1}"#).unwrap();
    let proved = claimed.proved(&[gate], &[]);
    assert!(proved.complete() && proved.reasons.is_empty() && proved.doubt.is_none());
}
