//! `command-guard check`, and the parser against real bash.

use assert_cmd::Command;
use overnight_core::guard::{Context, predict_arguments};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

fn check() -> Command {
    let mut command = Command::new(assert_cmd::cargo::cargo_bin!("command-guard"));
    command.arg("check");
    command
}

#[test]
fn the_exit_status_says_allow_ask_or_deny() {
    for (command, status) in [("cargo test", 0), ("git reset --hard", 1), ("rm -rf ~", 2)] {
        check().args(["--json", command]).assert().code(status);
        check().write_stdin(command).assert().code(status);
    }
    check().args(["--mode", "loose", "ls"]).assert().code(64);
    check()
        .args(["--mode", "fast", "--cwd", "/srv/repo", "git reset --hard"])
        .assert()
        .code(0);
}

#[test]
fn every_line_gets_one_answer_malformed_ones_too() {
    let lines = "{\"cmd\":\"ls\"}\n{\"cmd\":7}\nnonsense\n{\"cmd\":\"rm -rf /\",\"cwd\":\"/srv/repo\"}\n{\"cmd\":\"ls\",\"cwd\":\"/nonexistent\"}\n";
    let output = check()
        .arg("--jsonl")
        .write_stdin(lines)
        .assert()
        .success()
        .get_output()
        .stdout
        .clone();
    let text = String::from_utf8(output).unwrap();
    let decisions: Vec<String> = text
        .lines()
        .map(|line| {
            serde_json::from_str::<serde_json::Value>(line).unwrap()["decision"]
                .as_str()
                .unwrap()
                .to_owned()
        })
        .collect();
    assert_eq!(decisions, ["allow", "deny", "deny", "deny", "allow"]);
}

/// Commands of the stub programs p, q and r only: nothing else is ever started.
const COMMANDS: &[&str] = &[
    "p a 'b c' \"d e\" f\\ g",
    "p $'\\x41\\t\\101' \"$\"",
    "x=1; p $x \"$x\" '$x'",
    "x='a b'; p $x \"$x\" pre$x",
    "p {a,b}{1,2} {1..3} {x}",
    "p ''",
    "p \"\" a''b",
    "x=abcdef; p ${x:1:2} ${x#ab} ${x%ef} ${x/cd/X} ${x^^}",
    "unset y; p ${y:-d} ${y-e} ${y:+f}",
    "p $(q a) b",
    "x=$(p inner); q done",
    "p a | q b | r c",
    "p a && q b || r c",
    "p a; q b & wait",
    "if p c; then q t; else r f; fi",
    "for i in a b; do p $i; done",
    "f() { p \"$@\"; }; f 1 '2 3'",
    "set -- a 'b c'; p \"$@\" $# ",
    "a=(1 '2 3' 4); p \"${a[@]}\" ${a[1]}",
    "p <<< 'x'",
    "p <<E\n$(q in)\nE\nr after",
    "p <<'E'\n$(q no)\nE",
    "p a # q b",
    "p a\\\nb c",
    "{ p a; q b; } > /dev/null",
    "( p a; q b )",
    "case x in x) p yes;; *) : ;; esac",
    "p \"$(q 'a b' \"c d\")\"",
    "p `q a`",
    "[[ a == b ]] || p no",
    "IFS=,; x=a,b; p $x",
    "p 'a'\"b\"c",
    "! p a",
    "time -p p a",
    "eval 'p a; q b'",
    "p ~ ~/x \"~\"",
    "x=5; p $((x+1))x",
    "FOO=1 p a",
    "p 2>/dev/null >/dev/null a",
    "echo a b | p",
    "while false; do p; done; q x",
    "p -- -a --b=c",
    "p a;q b",
    "function g { p g; }; g",
    "x=p; $x a",
    "p \\\"a\\\"",
    "readonly R=p; $R -x",
    "p \"a\nb\"",
];

/// What bash runs, with an empty environment and a PATH of stubs that write down their arguments.
fn really_run(folder: &Path, command: &str) -> Vec<Vec<String>> {
    let log = folder.join("log");
    let _ = std::fs::remove_file(&log);
    let done = std::process::Command::new("/bin/bash")
        .args(["--norc", "--noprofile", "-c", command])
        .env_clear()
        .env("PATH", folder.join("bin"))
        .env("HOME", "/home/dev")
        .current_dir(folder)
        .output()
        .unwrap();
    assert!(done.status.code().is_some(), "{command}");
    std::fs::read_to_string(&log)
        .unwrap_or_default()
        .split_terminator('\u{1}')
        .map(|record| {
            record
                .split_terminator('\u{2}')
                .map(str::to_owned)
                .collect()
        })
        .collect()
}

#[test]
fn the_arguments_that_the_parser_predicts_are_those_that_bash_runs() {
    let keep = tempfile::tempdir().unwrap();
    let folder = keep.path().canonicalize().unwrap();
    std::fs::create_dir(folder.join("bin")).unwrap();
    for name in ["p", "q", "r"] {
        let stub = folder.join("bin").join(name);
        let log = folder.join("log");
        std::fs::write(
            &stub,
            format!(
                "#!/bin/bash\n{{ printf '%s\\2' {name} \"$@\"; printf '\\1'; }} >> '{}'\n",
                log.display()
            ),
        )
        .unwrap();
        std::fs::set_permissions(&stub, std::fs::Permissions::from_mode(0o755)).unwrap();
    }
    let context = Context::repository("/srv/repo", "/home/dev");
    let mut wrong = Vec::new();
    for command in COMMANDS {
        let mut real = really_run(&folder, command);
        let predicted = predict_arguments(command, &context);
        // Branches that bash did not take are predicted too, and the order of pipes is open; the
        // number of an arithmetic expression and the output of a stub are not followed.
        real.retain(|words| !predicted.iter().any(|other| agrees(other, words)));
        if !real.is_empty() {
            wrong.push(format!(
                "{command:?}: bash ran {real:?}, predicted {predicted:?}"
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Equal, where an unknown part stands for any text; a word that is unknown as a whole may be none.
fn agrees(predicted: &[String], real: &[String]) -> bool {
    let Some((word, rest)) = predicted.split_first() else {
        return real.is_empty();
    };
    let takes = real.split_first().is_some_and(|(other, after)| {
        (word == other || (word.contains("$…") && similar(word, other))) && agrees(rest, after)
    });
    takes || (word == "$…" && agrees(rest, real))
}

fn similar(pattern: &str, text: &str) -> bool {
    let mut pieces = pattern.split("$…");
    pieces.next().is_some_and(|first| text.starts_with(first))
        && pieces.last().is_none_or(|last| text.ends_with(last))
}
