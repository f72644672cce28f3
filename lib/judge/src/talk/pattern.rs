//! Patterns over words, written as text: `a|b` one of these, `fail*` a word that begins so, `~2` up
//! to two words, `~fill`, `~fails`, `~state` up to four words of such a list, `@done` a class, `^` the part's beginning, `$` its end.

use super::lexicon::{BEFORE_FAILS, BEFORE_STATE, DONE, FILL, VERBS, listed};

/// A pattern, split.
pub(super) type Pattern = Vec<&'static str>;

/// Splits a pattern.
pub(super) fn pattern(text: &'static str) -> Pattern {
    text.split(' ').collect()
}

/// How many words the pattern takes where it begins at `at`.
pub(super) fn matches(words: &[String], at: usize, pattern: &[&str]) -> Option<usize> {
    match pattern.split_first() {
        Some((&"^", rest)) => (at == 0).then(|| here(words, rest)).flatten(),
        _ => here(&words[at..], pattern),
    }
}

fn here(words: &[String], pattern: &[&str]) -> Option<usize> {
    let Some((element, rest)) = pattern.split_first() else {
        return Some(0);
    };
    if *element == "$" {
        return words.is_empty().then_some(0);
    }
    if let Some(gap) = element.strip_prefix('~') {
        let fill = match gap {
            "fill" => Some(FILL),
            "fails" => Some(BEFORE_FAILS),
            "state" => Some(BEFORE_STATE),
            _ => None,
        };
        let most = gap.parse().unwrap_or(4);
        for skipped in 0..=most.min(words.len()) {
            let last = skipped.checked_sub(1).map(|at| words[at].as_str());
            if fill
                .zip(last)
                .is_some_and(|(fill, word)| !listed(fill, word))
            {
                return None;
            }
            if let Some(taken) = here(&words[skipped..], rest) {
                return Some(skipped + taken);
            }
        }
        return None;
    }
    let (word, after) = words.split_first()?;
    let holds = element.split('|').any(|one| match one {
        "@done" => listed(DONE, word),
        "@percent" => word.ends_with('%'),
        "@verb" => listed(VERBS, word),
        "@number" => word.parse::<u64>().is_ok_and(|number| number > 0),
        "@less" => word
            .strip_suffix('%')
            .is_some_and(|digits| digits.parse::<f64>().is_ok_and(|part| part < 100.0)),
        one => match one.strip_suffix('*') {
            Some(start) => word.starts_with(start),
            None => one == word,
        },
    });
    if holds {
        here(after, rest).map(|taken| taken + 1)
    } else {
        None
    }
}
