use super::*;

const ASKED: Asked = Asked {
    moment: Moment::BeforeTool,
    unattended: true,
    dialog: false,
    may_allow: true,
    question: None,
    repeats: 1,
};

fn field(answer: &Answer, pointer: &str) -> String {
    let value: Value = serde_json::from_str(answer.json.as_deref().unwrap()).unwrap();
    value.pointer(pointer).unwrap().as_str().unwrap().to_owned()
}

fn decision(answer: &Answer) -> String {
    field(answer, "/hookSpecificOutput/permissionDecision")
}

fn text(answer: &Answer) -> String {
    field(answer, "/hookSpecificOutput/permissionDecisionReason")
}

#[test]
fn a_deny_is_json_and_status_two_and_names_a_safe_way() {
    let verdict = Verdict::deny("rm", "would delete src").instead("git stash push -u");
    let said = answer(&verdict, &ASKED);
    assert!(said.block);
    assert_eq!(decision(&said), "deny");
    insta::assert_snapshot!(text(&said), @"Forbidden (rm): would delete src. Instead: git stash push -u. No approval makes this possible; do the task another way.");
    assert_eq!(said.note.as_deref(), Some(text(&said).as_str()));
}

#[test]
fn a_question_names_its_number_and_how_to_go_on() {
    let asked = Asked {
        question: Some(4),
        ..ASKED
    };
    let said = answer(
        &Verdict::ask("git-discard", "would discard uncommitted work"),
        &asked,
    );
    assert!(!said.block);
    assert_eq!(decision(&said), "ask");
    insta::assert_snapshot!(text(&said), @"Waits for a person (git-discard): would discard uncommitted work. Take another task or wait for approval ask-4 (a person runs: overnight approve ask-4).");
}

#[test]
fn in_a_terminal_of_an_unattended_run_no_dialog_opens() {
    let asked = Asked {
        dialog: true,
        question: Some(1),
        ..ASKED
    };
    let said = answer(&Verdict::ask("x", "y"), &asked);
    assert!(said.block);
    assert_eq!(decision(&said), "deny");
    assert!(text(&said).contains("ask-1"));
}

#[test]
fn the_third_identical_block_says_something_else() {
    let third = Asked {
        repeats: 3,
        question: Some(2),
        ..ASKED
    };
    insta::assert_snapshot!(text(&answer(&Verdict::ask("x", "y"), &third)), @"Waits for a person (x): y. Blocked 3x: do not try it again; record it in blocked.md and take another task. It waits as ask-2.");
    assert!(text(&answer(&Verdict::deny("x", "y"), &third)).contains("Blocked 3x"));
}

#[test]
fn however_long_the_grounds_are_the_way_on_is_not_cut() {
    let asked = Asked {
        question: Some(u64::MAX),
        ..ASKED
    };
    let verdict = Verdict::ask("x", &"é".repeat(600)).instead(&"b".repeat(600));
    let said = text(&answer(&verdict, &asked));
    assert!(said.len() <= 600 && said.ends_with(")."), "{said}");
    assert!(!said.chars().any(char::is_control));
}

#[test]
fn outside_a_run_what_is_allowed_is_left_to_the_client() {
    let asked = Asked {
        unattended: false,
        may_allow: false,
        ..ASKED
    };
    assert_eq!(answer(&Verdict::allow(), &asked).json, None);
    assert_eq!(decision(&answer(&Verdict::allow(), &ASKED)), "allow");
    assert_eq!(decision(&answer(&Verdict::ask("x", "y"), &asked)), "ask");
}

#[test]
fn at_a_permission_dialog_the_answer_has_that_events_form() {
    let behavior = "/hookSpecificOutput/decision/behavior";
    let asked = Asked {
        moment: Moment::Permission,
        ..ASKED
    };
    assert_eq!(field(&answer(&Verdict::allow(), &asked), behavior), "allow");
    let denied = answer(&Verdict::deny("x", "y"), &asked);
    assert_eq!(field(&denied, behavior), "deny");
    assert!(denied.block);
    let question = Verdict::ask("x", "y");
    let waiting = answer(&question, &asked);
    assert_eq!(field(&waiting, behavior), "deny");
    let person = Asked {
        unattended: false,
        ..asked
    };
    assert_eq!(answer(&question, &person).json, None);
}

#[test]
fn an_unreadable_event_blocks() {
    let said = unreadable("the event is not UTF-8\u{1b}[2J");
    assert!(said.block);
    assert_eq!(decision(&said), "deny");
    assert!(!text(&said).contains('\u{1b}'));
}
