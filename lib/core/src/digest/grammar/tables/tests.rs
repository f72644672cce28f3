//! What holds for all rules.

use super::super::ANCHORS;
use super::super::table::{Act, Rule};

/// Rules of nothing but numbers and names: their lines count where names hold an anchor.
const BARE: [&str; 3] = ["{n}) {name}:", "^{n}) {id}", "{id} in {id} []:"];

#[test]
fn lines_of_failing_tests_are_looked_for() {
    let fails = |act: &Act| {
        use Act::{Details, Fail, FailAfter, FailIndented, FailLine, FailNext};
        matches!(
            act,
            Details | Fail | FailAfter | FailIndented | FailLine | FailNext
        )
    };
    let rules = super::all().flat_map(|table| table.rules);
    for Rule { pattern, .. } in
        rules.filter(|rule| fails(&rule.act) && !BARE.contains(&rule.pattern))
    {
        let mut texts = pattern
            .split('{')
            .map(|part| part.split_once('}').map_or(part, |(_, text)| text));
        let found = texts.any(|text| ANCHORS.iter().any(|anchor| text.contains(anchor)));
        assert!(found, "nobody looks for it: {pattern:?}");
    }
}

#[test]
fn a_blank_in_a_rule_stands_for_all_there_are() {
    for Rule { pattern, .. } in super::all().flat_map(|table| table.rules) {
        assert!(!pattern.contains("  "), "matches nothing: {pattern:?}");
    }
}
