//! The result line.

use super::super::super::count::{Category, Counts, duration, pairs};

/// `9 failed, 3 passed in 1.26s`, or `no tests ran in 0.01s`.
pub(super) fn result(title: &str) -> Option<Counts> {
    let (counts, _) = title.rsplit_once(" in ")?;
    // Subtests that pass are no tests.
    let (subtests, tests): (Vec<&str>, _) = counts
        .split(", ")
        .partition(|part| part.contains(" subtests "));
    let parsed = pairs(&tests.join(", "));
    let whole = tests.iter().chain(&subtests).all(|part| {
        part.split_once(' ').is_some_and(|(number, word)| {
            let word = word.strip_prefix("subtests ").unwrap_or(word);
            number.bytes().all(|byte| byte.is_ascii_digit())
                && (Category::of(word).is_some() || word == "rerun")
        })
    });
    if counts == "no tests ran" {
        return Some(Counts::default());
    }
    (whole && !parsed.is_empty()).then_some(parsed)
}

/// The result line of `-q`, which has no ruler.
pub(super) fn quiet_result(text: &str) -> Option<Counts> {
    let starts =
        text.starts_with(|byte: char| byte.is_ascii_digit()) || text.starts_with("no tests ran");
    if !starts {
        return None;
    }
    took(text)?;
    result(text)
}

pub(super) fn took(text: &str) -> Option<u64> {
    let (_, time) = text.rsplit_once(" in ")?;
    let time = time.split(" (").next()?;
    let seconds = time.strip_suffix('s')?;
    let plain = seconds
        .bytes()
        .all(|byte| byte.is_ascii_digit() || byte == b'.');
    plain.then(|| duration(time)).flatten()
}
