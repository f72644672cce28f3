//! Parts of a log: which lines are asked for.

use std::ops::RangeInclusive;

/// `A-B`, `A-`, `A`: lines from 1.
pub fn lines(text: &str) -> Result<RangeInclusive<u64>, String> {
    let wrong = || format!("{text:?} is no range of lines: use for example 120-160");
    let number = |part: &str| {
        part.parse::<u64>()
            .ok()
            .filter(|number| *number > 0)
            .ok_or_else(wrong)
    };
    let (first, last) = match text.split_once('-') {
        Some((first, "")) => (number(first)?, u64::MAX),
        Some((first, last)) => (number(first)?, number(last)?),
        None => (number(text)?, number(text)?),
    };
    if first > last {
        return Err(wrong());
    }
    Ok(first..=last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_count_from_one() {
        assert_eq!(lines("3-5"), Ok(3..=5));
        assert_eq!(lines("7"), Ok(7..=7));
        assert_eq!(lines("7-"), Ok(7..=u64::MAX));
        for text in ["", "0-3", "5-3", "-3", "a-b", "1-2-3", "1,2"] {
            assert!(lines(text).is_err(), "{text}");
        }
    }
}
