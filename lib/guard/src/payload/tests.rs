use super::*;
use proptest::prelude::*;

fn bash(command: &str) -> String {
    format!(
        r#"{{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{{"command":{command}}}}}"#
    )
}

fn refused(text: &str) -> Malformed {
    parse(text.as_bytes()).expect_err(text)
}

#[test]
fn an_event_of_the_client_is_read() {
    let event = parse(br#"{"session_id":"c47f","cwd":"/p","effort":{"level":"medium"},"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"seq 1 5","timeout":9},"tool_use_id":"t"}"#).unwrap();
    assert_eq!(event.moment, Moment::BeforeTool);
    assert_eq!(
        (event.tool.as_str(), event.cwd.as_deref()),
        ("Bash", Some("/p"))
    );
    assert_eq!(event.input.text("command"), Some("seq 1 5"));
    assert!(event.input.is_other("timeout") && !event.input.is_other("command"));
    assert_eq!(event.input.raw, r#"{"command":"seq 1 5","timeout":9}"#);
}

#[test]
fn a_byte_order_mark_is_accepted() {
    let text = format!("\u{feff}{}", bash("\"ls\""));
    assert!(parse(text.as_bytes()).is_ok());
}

#[test]
fn what_is_not_one_object_is_refused() {
    assert_eq!(refused(" \n\t"), Malformed::Empty);
    for text in [
        "not json", "null", "[]", "\"x\"", "1e999", "{", "[{}]", "{}{}",
    ] {
        assert!(
            matches!(refused(text), Malformed::NotJson(_) | Malformed::Field(_)),
            "{text}"
        );
    }
    let two = format!("{}{}", bash("\"ls\""), bash("\"rm -rf /\""));
    assert!(matches!(refused(&two), Malformed::NotJson(_)));
    let trailing = format!("{} x", bash("\"ls\""));
    assert!(matches!(refused(&trailing), Malformed::NotJson(_)));
}

#[test]
fn a_repeated_key_is_refused_however_it_is_spelled() {
    for text in [
        r#"{"tool_name":"Bash","tool_input":{"command":"rm -rf /","command":"ls"}}"#,
        r#"{"tool_name":"Bash","tool_input":{"command":"ls","comm\u0061nd":"rm -rf /"}}"#,
        r#"{"tool_name":"Bash","tool_input":{"command":"ls"},"tool_input":{"command":"rm -rf /"}}"#,
        r#"{"tool_name":"Bash","tool_name":"Read","tool_input":{}}"#,
    ] {
        assert!(matches!(refused(text), Malformed::NotJson(_)), "{text}");
    }
}

#[test]
fn an_object_of_too_many_keys_is_refused() {
    let keys: Vec<String> = (0..20_000).map(|key| format!("\"k{key}\":1")).collect();
    assert!(matches!(
        refused(&format!("{{{}}}", keys.join(","))),
        Malformed::NotJson(_)
    ));
}

#[test]
fn wrong_types_are_refused_where_they_matter() {
    for text in [
        r#"{"tool_name":["Bash"],"tool_input":{"command":"ls"}}"#,
        r#"{"tool_name":"Bash"}"#,
        r#"{"tool_name":"Bash","tool_input":null}"#,
        r#"{"tool_name":"Bash","tool_input":"{\"command\":\"ls\"}"}"#,
        r#"{"tool_name":"Bash","session_id":7,"tool_input":{"command":"ls"}}"#,
        r#"{"tool_name":"Bash","tool_input":{"command":"\ud800"}}"#,
    ] {
        assert!(parse(text.as_bytes()).is_err(), "{text}");
    }
    let event = parse(br#"{"cwd":7,"tool_name":"Bash","tool_input":{"command":[1]}}"#).unwrap();
    assert_eq!(event.cwd, None);
    assert!(event.input.is_other("command") && event.input.text("command").is_none());
}

#[test]
fn bytes_that_are_not_text_are_refused() {
    let mut bytes = bash("\"ls XX\"").into_bytes();
    let at = bytes.iter().position(|byte| *byte == b'X').unwrap();
    bytes[at] = 0xff;
    assert_eq!(parse(&bytes), Err(Malformed::NotText));
    let utf16: Vec<u8> = bash("\"ls\"")
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();
    assert!(parse(&utf16).is_err());
}

#[test]
fn depth_in_an_unrelated_field_neither_matters_nor_overflows_the_stack() {
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    let text =
        format!(r#"{{"x":{deep},"tool_name":"Bash","tool_input":{{"command":"ls","y":{deep}}}}}"#);
    assert_eq!(
        parse(text.as_bytes()).unwrap().input.text("command"),
        Some("ls")
    );
}

proptest! {
    #[test]
    fn any_command_comes_back_as_it_was(command: String) {
        let text = bash(&serde_json::to_string(&command).unwrap());
        let event = parse(text.as_bytes()).unwrap();
        prop_assert_eq!(event.input.text("command"), Some(command.as_str()));
    }

    #[test]
    fn any_bytes_are_answered(bytes: Vec<u8>) {
        let _ = parse(&bytes);
    }
}
