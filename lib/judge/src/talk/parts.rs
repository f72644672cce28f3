//! Parts of a whole in prose: `3 of 5 are done`, `2/5 endpoints`.

/// `2/5 endpoints done`, `two of five tests pass`: a part that is called done, unless it numbers a
/// step (`task 2 of 5 is done`).
pub(super) fn fraction(lower: &str) -> bool {
    const DONE: &[&str] = &[
        "done",
        "complete",
        "implemented",
        "finished",
        "pass",
        "ported",
        "migrated",
        "converted",
        "fixed",
        "covered",
        "work",
    ];
    part(lower) && DONE.iter().any(|word| lower.contains(word))
}

/// `2/5`, `2 of 5`, `two out of five` with less than all of it.
pub(super) fn part(lower: &str) -> bool {
    const STEPS: &[&str] = &[
        "task",
        "step",
        "phase",
        "part",
        "iteration",
        "page",
        "item",
        "stage",
        "milestone",
        "day",
        "version",
        "round",
        "loop",
        "attempt",
        "section",
        "chapter",
    ];
    let number = |word: &str| {
        let word = word.trim_matches(|c: char| !c.is_ascii_alphanumeric());
        let spelled = [
            "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
        ]
        .iter()
        .position(|name| *name == word);
        spelled.or_else(|| word.parse::<usize>().ok())
    };
    let words: Vec<&str> = lower
        .split_whitespace()
        .filter(|word| !matches!(*word, "the" | "out" | "all"))
        .collect();
    words.iter().enumerate().any(|(at, word)| {
        let bare = word.trim_matches(|c: char| !c.is_ascii_alphanumeric());
        let pair = match bare.split_once('/') {
            Some((some, all)) => number(some).zip(number(all)),
            None if words.get(at + 1) == Some(&"of") => {
                number(word).zip(words.get(at + 2).and_then(|all| number(all)))
            }
            None => None,
        };
        let numbered = at > 0 && STEPS.iter().any(|step| words[at - 1].starts_with(step));
        pair.is_some_and(|(some, all)| some < all) && !numbered
    })
}
