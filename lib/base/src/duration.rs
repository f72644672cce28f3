//! Durations as people type them: `90s`, `30m`, `1h`, `1h30m`, `500ms`, or bare seconds.

use std::fmt::Write;
use std::time::Duration;

/// The longest duration that is accepted: ten years. Longer ones are typing errors, and sums with
/// a wall clock in milliseconds stay far from overflow.
pub const MAX: Duration = Duration::from_hours(10 * 365 * 24);

/// Why a text is no duration.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DurationError {
    /// It does not follow the grammar.
    #[error("{0:?} is no duration: use for example 90s, 30m, 1h, 1h30m, 500ms or bare seconds")]
    Malformed(String),
    /// It is longer than [`MAX`].
    #[error("{0:?} is longer than ten years")]
    TooLong(String),
}

/// Reads a duration: numbers with a unit (`ms`, `s`, `m`, `h`, `d`), largest unit first, or one
/// number without a unit, in seconds. A number may have up to three decimals (`1.5h`).
pub fn parse(text: &str) -> Result<Duration, DurationError> {
    let malformed = || DurationError::Malformed(shorten(text));
    let mut rest = text.trim();
    let mut total_ms = 0_u64;
    let mut unit_before = u64::MAX;
    if rest.is_empty() {
        return Err(malformed());
    }
    while !rest.is_empty() {
        let digits = rest
            .find(|c: char| !c.is_ascii_digit() && c != '.')
            .unwrap_or(rest.len());
        let (number, after) = rest.split_at(digits);
        let letters = after
            .find(|c: char| !c.is_ascii_alphabetic())
            .unwrap_or(after.len());
        let (unit, after) = after.split_at(letters);
        let unit_ms = match unit {
            "ms" => 1,
            "s" => 1_000,
            "m" => 60_000,
            "h" => 3_600_000,
            "d" => 86_400_000,
            "" if unit_before == u64::MAX && after.is_empty() => 1_000,
            _ => return Err(malformed()),
        };
        if unit_ms >= unit_before {
            return Err(malformed());
        }
        unit_before = unit_ms;
        let thousandths = thousandths(number).map_err(|()| malformed())?;
        let too_long = || DurationError::TooLong(shorten(text));
        total_ms = thousandths
            .and_then(|value| value.checked_mul(unit_ms))
            .and_then(|value| total_ms.checked_add(value / 1_000))
            .filter(|value| u128::from(*value) <= MAX.as_millis())
            .ok_or_else(too_long)?;
        rest = after;
    }
    Ok(Duration::from_millis(total_ms))
}

/// The shortest form that [`parse`] reads back: `1h30m`, `90s` as `1m30s`, `0s`.
pub fn show(duration: Duration) -> String {
    let mut rest = u64::try_from(duration.as_millis()).unwrap_or(u64::MAX);
    let mut text = String::new();
    for (unit, unit_ms) in [
        ("d", 86_400_000),
        ("h", 3_600_000),
        ("m", 60_000),
        ("s", 1_000),
        ("ms", 1),
    ] {
        if rest >= unit_ms {
            let _ = write!(text, "{}{unit}", rest / unit_ms);
            rest %= unit_ms;
        }
    }
    if text.is_empty() {
        text.push_str("0s");
    }
    text
}

/// `1.5` as 1500; an error when malformed, `None` when it overflows.
fn thousandths(number: &str) -> Result<Option<u64>, ()> {
    let (whole, fraction) = number.split_once('.').unwrap_or((number, "0"));
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    if !digits(whole) || !digits(fraction) || fraction.len() > 3 {
        return Err(());
    }
    let padded: u64 = format!("{fraction:0<3}").parse().map_err(|_| ())?;
    let thousands = whole
        .parse::<u64>()
        .ok()
        .and_then(|whole| whole.checked_mul(1_000));
    Ok(thousands.and_then(|thousands| thousands.checked_add(padded)))
}

/// An error quotes at most this much of what was given.
fn shorten(text: &str) -> String {
    const QUOTE_MAX: usize = 40;
    text.chars().take(QUOTE_MAX).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_people_type_is_understood() {
        for (text, ms) in [
            ("90s", 90_000),
            ("30m", 1_800_000),
            ("1h", 3_600_000),
            ("45", 45_000),
            ("0", 0),
            ("1h30m", 5_400_000),
            ("1.5h", 5_400_000),
            ("0.25", 250),
            ("500ms", 500),
            (" 2d ", 172_800_000),
        ] {
            assert_eq!(parse(text), Ok(Duration::from_millis(ms)), "{text}");
        }
    }

    #[test]
    fn everything_else_is_refused() {
        for text in [
            "",
            " ",
            "s",
            "-5s",
            "+5",
            "5 s",
            "5x",
            "5S",
            "1m1h",
            "1h1h",
            "1h30",
            "1..5",
            ".5",
            "5.",
            "1.2345",
            "NaN",
            "inf",
            "1e3",
            "٣s",
            "5;rm -rf ~",
            "5s\n6s",
        ] {
            assert!(
                matches!(parse(text), Err(DurationError::Malformed(_))),
                "{text}"
            );
        }
        for text in [
            "11y",
            "99999999999999999999s",
            "4000d",
            "18446744073709551615",
        ] {
            assert!(parse(text).is_err(), "{text}");
        }
    }

    proptest! {
        #[test]
        fn what_is_shown_is_read_back(ms in 0_u64..315_360_000_000) {
            let duration = Duration::from_millis(ms);
            prop_assert_eq!(parse(&show(duration)), Ok(duration));
        }

        #[test]
        fn any_text_is_answered(text in "\\PC{0,30}") {
            let _ = parse(&text);
        }
    }
}
