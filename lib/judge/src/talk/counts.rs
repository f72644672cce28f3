//! Numbers in prose: `2 tests fail`, `2 tasks remain`.

/// `2 tasks remain`, `remaining: docs`, but not `nothing remains`, `0 remaining`, `remains stable`
/// or `fixed the remaining warnings`.
pub(super) fn remains(lower: &str) -> bool {
    let Some((before, after)) = lower.split_once("remain") else {
        return false;
    };
    if denied(before) || lower.contains("optional") || lower.contains("nice to have") {
        return false;
    }
    if let Some(after) = after.strip_prefix("ing") {
        let counted = before.split_whitespace().next_back().is_some_and(positive);
        let listed = after.trim_start().strip_prefix(':').map(str::trim);
        return match listed {
            Some(rest) => !["none", "nothing", "0", "no ", "-"]
                .iter()
                .any(|no| rest.starts_with(no)),
            None => counted || after.trim().is_empty(),
        };
    }
    let rest = after.trim_start_matches('s').trim();
    rest.is_empty()
        || rest.starts_with("to ")
        || rest.starts_with("open")
        || rest.starts_with("fail")
        || rest.starts_with("for ")
        || rest.starts_with("in ")
        || rest.starts_with(',')
        || rest.starts_with(':')
}

/// `2 tests fail`, `3 failed`, but not `0 failed`.
pub(super) fn counts_failures(lower: &str) -> bool {
    let words: Vec<&str> = lower.split_whitespace().collect();
    words.iter().enumerate().any(|(index, word)| {
        let word = word.trim_matches(|c: char| !c.is_ascii_alphanumeric());
        let fails = matches!(
            word,
            "fail" | "failed" | "failing" | "failures" | "failure" | "errors"
        );
        fails
            && words[index.saturating_sub(2)..index]
                .iter()
                .any(|before| positive(before))
    })
}

const NUMBERS: &[&str] = &[
    "one", "two", "three", "four", "five", "some", "several", "many", "few", "ten",
];

fn positive(word: &str) -> bool {
    let word = word.trim_matches(|c: char| !c.is_ascii_alphanumeric());
    NUMBERS.contains(&word) || word.parse::<u64>().is_ok_and(|number| number > 0)
}

fn denied(before: &str) -> bool {
    let nearby = before.split_whitespace().rev().take(4);
    nearby
        .map(|word| word.trim_matches(|c: char| !c.is_ascii_alphanumeric()))
        .any(|word| {
            matches!(
                word,
                "no" | "none" | "nothing" | "zero" | "0" | "not" | "without"
            )
        })
}
