//! The labelled commands: what the guard must decide.

use super::{Context, Decision, judge_command};
use serde::Deserialize;

#[derive(Deserialize)]
struct Case {
    id: String,
    cmd: String,
    expected: String,
    category: String,
    contested: bool,
}

const LABELLED: &str = include_str!("../../../tests/cases/command-guard/commands.jsonl");

/// Wrong answers as lines for a person. `strict`: between ask and deny it matters which.
fn disagreements(lines: &str, contested: bool, strict: bool) -> Vec<String> {
    let context = Context::repository("/srv/repo", "/home/dev");
    let mut wrong = Vec::new();
    let cases: Vec<Case> = lines
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    for case in cases.iter().filter(|case| case.contested == contested) {
        let verdict = judge_command(&case.cmd, &context);
        let said = verdict.decision.name();
        let stopped = verdict.decision > Decision::Allow;
        let agrees = if strict {
            said == case.expected
        } else {
            stopped == (case.expected != "allow")
        };
        if !agrees {
            wrong.push(format!(
                "{} [{}] wants {}, gets {said} by {}: {}",
                case.id,
                case.category,
                case.expected,
                verdict.rule,
                case.cmd.escape_debug()
            ));
        }
    }
    wrong
}

#[test]
fn what_must_be_stopped_is_stopped_and_ordinary_work_runs() {
    let wrong = disagreements(LABELLED, false, false);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn forbidden_is_denied_and_boundary_asked() {
    // Six known differences: what cannot be followed is a question, so what a program prints into a shell, a database or
    // `xargs` too, and `echo ok | xargs git reset --hard` is asked like `git reset --hard`, whose effect it has.
    let wrong = disagreements(LABELLED, false, true);
    assert!(wrong.len() <= 6, "{}", wrong.join("\n"));
}

#[test]
fn contested_labels_mostly_agree() {
    let wrong = disagreements(LABELLED, true, false);
    assert!(wrong.len() <= 4, "{}", wrong.join("\n"));
}

/// Many more commands, a line each under headings `== category label`; `⏎` stands for a new line.
/// What is denied there may be asked about as well: either way it does not run. Wrong answers as
/// lines for a person.
fn wrong_answers(cases: &str) -> Vec<String> {
    let context = Context::repository("/srv/repo", "/home/dev");
    let (mut heading, mut wrong) = ("", Vec::new());
    for line in cases.lines() {
        if let Some(next) = line.strip_prefix("== ") {
            heading = next;
            continue;
        }
        let verdict = judge_command(&line.replace('⏎', "\n"), &context);
        let stopped = verdict.decision > Decision::Allow;
        if !line.is_empty() && stopped == heading.ends_with(" allow") {
            wrong.push(format!(
                "{heading}: {} by {}: {line}",
                verdict.decision.name(),
                verdict.rule
            ));
        }
    }
    wrong
}

/// Variations of every kind; ways to delete, write, run and send by the options of programs that are mostly harmless,
/// with ordinary uses of the same programs; and five sets that were labelled before the guard saw them. What it said at
/// first of those stands in the docs page of the guard; the rules were mended since.
const SETS: [&str; 7] = [
    include_str!("../../../tests/cases/command-guard/variations.txt"),
    include_str!("../../../tests/cases/command-guard/audit.txt"),
    include_str!("../../../tests/cases/command-guard/fresh-d.txt"),
    include_str!("../../../tests/cases/command-guard/fresh-e.txt"),
    include_str!("../../../tests/cases/command-guard/fresh-f.txt"),
    include_str!("../../../tests/cases/command-guard/fresh-g.txt"),
    include_str!("../../../tests/cases/command-guard/fresh-h.txt"),
];

#[test]
fn labelled_lines_of_all_sets_are_told_apart() {
    let wrong = SETS.map(wrong_answers).concat();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Commands labelled by somebody who knew neither the guard nor its tests. Of both sets all 385 that
/// are not contested were answered rightly at first try.
#[test]
fn commands_of_another_author_are_told_apart() {
    let first = include_str!("../../../tests/cases/command-guard/unseen-1.jsonl");
    let second = include_str!("../../../tests/cases/command-guard/unseen-2.jsonl");
    for (set, contested) in [(first, false), (first, true), (second, false)] {
        let wrong = disagreements(set, contested, false);
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }
}

/// A denial needs a proven effect on a named target: of what is denied nothing stays denied once nobody can say what
/// it acts on, but for the loss of whole systems, tampering, code from the network and what leaves the machine.
#[test]
fn nothing_is_denied_whose_targets_are_unknown() {
    let context = Context::repository("/srv/repo", "/home/dev");
    let target = |word: &str| {
        let named =
            word.contains(['~', '.', ':', '@']) || word.contains(|c: char| c.is_ascii_digit());
        word.contains('/') || !word.starts_with('-') && named
    };
    let named_by_rule = ["exfiltration", "remote-code", "guard-tamper"];
    let (mut tried, mut wrong) = (0, Vec::new());
    for line in SETS[..4].iter().flat_map(|set| set.lines()) {
        let plain = !line.starts_with("fd ")
            && !line.contains([
                '|', '&', ';', '<', '>', '$', '`', '\'', '"', '(', '{', '=', '*', '⏎',
            ]);
        let words: Vec<&str> = line.split(' ').collect();
        if !plain || line.starts_with("==") || !words.iter().skip(1).any(|word| target(word)) {
            continue;
        }
        let before = judge_command(line, &context);
        if before.decision < Decision::Deny {
            continue;
        }
        tried += 1;
        let unknown = |(at, word): (usize, &&str)| {
            if at > 0 && target(word) {
                "\"$(cat x)\"".to_owned()
            } else {
                (*word).to_owned()
            }
        };
        let unknown = words
            .iter()
            .enumerate()
            .map(unknown)
            .collect::<Vec<_>>()
            .join(" ");
        let after = judge_command(&unknown, &context);
        if after.decision == Decision::Deny && !after.grave && !named_by_rule.contains(&after.rule)
        {
            wrong.push(format!("{} {line} -> {unknown}", after.rule));
        }
    }
    wrong.sort();
    assert!(
        tried > 100 && wrong.is_empty(),
        "{tried}: {}",
        wrong.join("\n")
    );
}
