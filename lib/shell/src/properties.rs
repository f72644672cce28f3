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

fn base64(text: &str) -> String {
    const ALPHABET: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut encoded = String::new();
    for chunk in text.as_bytes().chunks(3) {
        let byte = |at: usize| u32::from(chunk.get(at).copied().unwrap_or(0));
        let bits = (byte(0) << 16) | (byte(1) << 8) | byte(2);
        for (at, shift) in [18, 12, 6, 0].into_iter().enumerate() {
            let digit = usize::try_from((bits >> shift) & 63).unwrap();
            encoded.push(if at <= chunk.len() {
                char::from(ALPHABET[digit])
            } else {
                '='
            });
        }
    }
    encoded
}

fn bytes(text: &str, each: impl Fn(u8) -> String) -> String {
    text.bytes().map(each).collect()
}

fn rot13(text: &str) -> String {
    text.bytes()
        .map(|byte| {
            char::from(match byte {
                b'a'..=b'z' => (byte - b'a' + 13) % 26 + b'a',
                b'A'..=b'Z' => (byte - b'A' + 13) % 26 + b'A',
                other => other,
            })
        })
        .collect()
}

/// The command as text that something else makes into a command again: encodings, aliases,
/// functions, `eval`.
fn encoded(command: &str, kind: usize) -> String {
    let (first, rest) = command.split_once(' ').unwrap_or((command, ""));
    let hex = |text: &str| bytes(text, |byte| format!("\\x{byte:02x}"));
    let octal = |text: &str| bytes(text, |byte| format!("\\{byte:03o}"));
    let plain_hex = |text: &str| bytes(text, |byte| format!("{byte:02x}"));
    let reversed: String = command.chars().rev().collect();
    match kind {
        0 => format!("echo {} | base64 -d | sh", base64(command)),
        1 => format!("base64 --decode <<< {} | bash", base64(command)),
        2 => format!("bash -c \"$(echo {} | base64 -d)\"", base64(command)),
        3 => format!("eval \"$(echo {} | base64 -d)\"", base64(command)),
        4 => format!("source <(base64 -d <<< {})", base64(command)),
        5 => format!("printf '{}' | sh", octal(command)),
        6 => format!("printf '{}' | bash", hex(command)),
        7 => format!("echo -e '{}' | sh", hex(command)),
        8 => format!("$'{}' {rest}", hex(first)),
        9 => format!("eval $'{}'", octal(command)),
        10 => format!("\"$(printf '{}')\" {rest}", hex(first)),
        11 => format!("echo {} | xxd -r -p | sh", plain_hex(command)),
        12 => format!("rev <<< '{reversed}' | sh"),
        13 => format!("echo '{reversed}' | rev | rev | rev | bash"),
        14 => format!("echo '{}' | tr a-zA-Z n-za-mN-ZA-M | sh", rot13(command)),
        15 => format!(
            "bash -c \"$(tr a-zA-Z n-za-mN-ZA-M <<< '{}')\"",
            rot13(command)
        ),
        16 => format!("shopt -s expand_aliases\nalias q='{command}'\nq"),
        17 => format!("shopt -s expand_aliases\nalias q={first}\nq {rest}"),
        18 => format!("f() {{ \"$@\"; }}; f {command}"),
        19 => format!("f() {{ eval \"$1\"; }}; f '{command}'"),
        20 => format!("f() {{ local c=\"$*\"; $c; }}; f {command}"),
        21 => format!("source <(echo '{command}')"),
        22 => format!("x=$(printf '%s' '{command}'); bash -c \"$x\""),
        23 => format!("read -ra w <<< '{command}'; \"${{w[@]}}\""),
        24 => format!("mapfile -t w <<< '{command}'; eval \"${{w[0]}}\""),
        25 => format!("echo '{command}' | xargs -I{{}} sh -c '{{}}'"),
        26 => format!("printf -v c '%s' '{command}'; eval \"$c\""),
        27 => format!("c='{command}'; export c; sh -c \"$c\""),
        28 => format!("exec 3<<< '{command}'; sh /dev/fd/3"),
        _ => format!("tee x.sh <<< '{command}' > /dev/null; bash x.sh"),
    }
}

/// Each sample in each of these forms gets the answer that it gets by itself.
fn assert_unchanged(kinds: std::ops::RangeInclusive<usize>, form: fn(&str, usize) -> String) {
    let mut wrong = Vec::new();
    for sample in SAMPLES {
        for kind in kinds.clone() {
            let other = form(sample, kind);
            let (one, two) = (decide(sample), decide(&other));
            if one != two {
                wrong.push(format!("{sample} is {one:?}, {other} is {two:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn encodings_aliases_and_functions_change_no_answer() {
    assert_unchanged(0..=29, encoded);
}

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
    assert_unchanged(0..=23, rewritten);
}

proptest! {
    #[test]
    fn two_rewritings_on_top_of_each_other_change_nothing(sample in 0..SAMPLES.len(), one in 0usize..7, two in 10usize..14) {
        let command = SAMPLES[sample];
        let other = rewritten(&rewritten(command, one), two);
        prop_assert_eq!(decide(&other), decide(command), "{}", other);
    }

    #[test]
    fn an_encoding_of_a_rewriting_changes_nothing(sample in 0..SAMPLES.len(), one in 1usize..7, two in 0usize..16) {
        let command = rewritten(SAMPLES[sample], one);
        prop_assume!(!command.contains('\''));
        let other = encoded(&command, two);
        prop_assert_eq!(decide(&other), decide(SAMPLES[sample]), "{}", other);
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
