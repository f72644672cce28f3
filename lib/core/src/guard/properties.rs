//! What must hold for every command: an answer for any text, equal answers for equal effects.

use super::{Context, Decision, judge_command};
use proptest::prelude::*;

fn decide(text: &str) -> Decision {
    judge_command(text, &Context::repository("/srv/repo", "/home/dev")).decision
}

/// Commands with their answers, to be rewritten.
const SAMPLES: &[&str] = &[
    "rm -rf /home/dev",
    "rm -rf target",
    "git reset --hard",
    "git push --force",
    "cargo test",
    "ls -la src",
    "curl -s https://x.example",
    "dd if=/dev/zero of=/dev/sda",
    "cat .env",
    "npm publish",
    "git status",
    "kubectl delete ns x",
];

/// Rewritings that change how a command is written but not what it does.
fn rewritten(command: &str, kind: usize) -> String {
    let quoted = |text: &str| format!("'{text}'");
    let (first, rest) = command.split_once(' ').unwrap_or((command, ""));
    match kind {
        0 => format!("\\{command}"),
        1 => format!("{} {rest}", quoted(first)),
        2 => format!("{}''{} {rest}", &first[..1], &first[1..]),
        3 => format!("command {command}"),
        4 => format!("env {command}"),
        5 => format!("timeout 5 {command}"),
        6 => format!("nice -n 5 {command}"),
        7 => format!("bash -c {}", quoted(command)),
        8 => format!("eval {}", quoted(command)),
        9 => format!("x={first}; $x {rest}"),
        10 => format!("true && {{ {command}; }}"),
        11 => format!("( {command} )"),
        12 => format!("if true; then {command}; fi"),
        13 => format!("f() {{ {command}; }}; f"),
        14 => format!("echo {} | sh", quoted(command)),
        15 => format!("sh <<'E'\n{command}\nE"),
        16 => format!("{command} # comment"),
        17 => format!("for i in 1; do {command}; done"),
        18 => command.replace(' ', "   "),
        19 => command.replace(' ', " \\\n"),
        20 => format!("nohup {command} &"),
        21 => format!("c=({command}); \"${{c[@]}}\""),
        22 => format!("set -- {command}; \"$@\""),
        _ => format!("sh -c 'sh -c \"{command}\"'"),
    }
}

#[test]
fn equal_effects_get_equal_answers() {
    let mut wrong = Vec::new();
    for sample in SAMPLES {
        for kind in 0..=23 {
            let other = rewritten(sample, kind);
            if decide(&other) != decide(sample) {
                wrong.push(format!(
                    "{sample} is {:?}, {other} is {:?}",
                    decide(sample),
                    decide(&other)
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

proptest! {
    #[test]
    fn two_rewritings_on_top_of_each_other_change_nothing(sample in 0..SAMPLES.len(), one in 0usize..7, two in 10usize..14) {
        let command = SAMPLES[sample];
        let other = rewritten(&rewritten(command, one), two);
        prop_assert_eq!(decide(&other), decide(command), "{}", other);
    }

    #[test]
    fn any_text_gets_an_answer(text in any::<String>()) {
        decide(&text);
    }

    #[test]
    fn any_tangle_of_shell_characters_gets_an_answer(text in "[ a-c/~*?{},.$(`)'\"\\\\<>|&;=\\[\\]!#\\-\n]{0,60}") {
        decide(&text);
    }

    #[test]
    fn danger_behind_anything_readable_is_stopped(before in "[a-z]{1,8}( [a-z./-]{1,8}){0,3}") {
        prop_assume!(!before.starts_with("if") && !["do", "then", "else", "fi", "done", "esac", "case", "for", "while", "until", "select", "function", "in", "elif", "time", "exec", "exit", "return"].contains(&before.split(' ').next().unwrap_or("")));
        let command = format!("{before}; rm -rf ~");
        prop_assert!(decide(&command) > Decision::Allow, "{}", command);
    }
}

#[test]
fn large_and_tangled_texts_get_an_answer_without_overflow() {
    for text in [
        "(".repeat(10_000),
        "$(".repeat(200) + &")".repeat(200),
        "{ ".repeat(2_000),
        "`".repeat(9_999),
        "'\"\\".repeat(33_000),
        "true; ".repeat(5_000) + "rm -rf ~",
        ":;".repeat(32_768) + "rm -rf ~",
        "git ".repeat(50_000),
        format!("rm -{}", "a".repeat(50_000)),
        "a=$a$a;".repeat(64) + "$a",
        "{a,b}".repeat(64),
        "[[ ".repeat(5_000),
        "case x in ".repeat(500),
        "<<E ".repeat(2_000),
        format!("f() {{ g; g; }}; {} f", "g() { f; f; };".repeat(20)),
    ] {
        let answer = decide(&text);
        if text.ends_with("rm -rf ~") {
            assert_eq!(answer, Decision::Deny);
        }
    }
}
