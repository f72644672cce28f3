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
    // Two known differences: what cannot be followed is a question, and `echo ok | xargs git reset --hard` is asked like `git reset --hard`,
    // whose effect it has; the label denies it for its dynamic arguments.
    let wrong = disagreements(LABELLED, false, true);
    assert!(wrong.len() <= 2, "{}", wrong.join("\n"));
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

#[test]
fn variations_of_every_kind_are_told_apart() {
    let wrong = wrong_answers(include_str!(
        "../../../tests/cases/command-guard/variations.txt"
    ));
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Four sets that were labelled before the guard saw them. What it said at first stands in the docs
/// page of the guard; the rules were mended since.
#[test]
fn commands_labelled_before_they_were_tried_are_told_apart() {
    let mut wrong = wrong_answers(include_str!(
        "../../../tests/cases/command-guard/fresh-d.txt"
    ));
    wrong.extend(wrong_answers(include_str!(
        "../../../tests/cases/command-guard/fresh-e.txt"
    )));
    wrong.extend(wrong_answers(include_str!(
        "../../../tests/cases/command-guard/fresh-f.txt"
    )));
    wrong.extend(wrong_answers(include_str!(
        "../../../tests/cases/command-guard/fresh-g.txt"
    )));
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

/// Ways to delete, write, run and send by the options of programs that are mostly harmless, family
/// by family, with ordinary uses of the same programs.
#[test]
fn options_of_harmless_programs_are_told_apart() {
    let wrong = wrong_answers(include_str!("../../../tests/cases/command-guard/audit.txt"));
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
