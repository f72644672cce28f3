//! How little a literal is there by chance.

/// Words that stand in sources and tests of all kinds.
const COMMON: [&str; 24] = [
    "true",
    "false",
    "null",
    "none",
    "nil",
    "undefined",
    "utf-8",
    "utf8",
    "test",
    "tests",
    "error",
    "name",
    "key",
    "value",
    "default",
    "type",
    "data",
    "result",
    "string",
    "number",
    "object",
    "get",
    "set",
    "main",
];
/// Numbers of the same kind.
const ROUND: [&str; 8] = ["0", "1", "-1", "2", "10", "100", "1000", "0.5"];

/// 0: it says nothing; 1: it may be chance; 2: it hardly is.
pub(super) fn weight(value: &str) -> u32 {
    let lower = value.trim().to_ascii_lowercase();
    if lower.is_empty() || COMMON.contains(&lower.as_str()) || ROUND.contains(&lower.as_str()) {
        return 0;
    }
    let letters = lower.chars().any(char::is_alphabetic);
    let short = lower.trim_start_matches('-').chars().count() < 3;
    if short && !(letters && lower.contains(char::is_numeric)) {
        1
    } else {
        2
    }
}

/// A value that nobody writes without having seen it: a digest, a large number that is no round one.
pub(super) fn is_distinctive(value: &str) -> bool {
    let digits = value.bytes().filter(u8::is_ascii_digit).count();
    let letters = value.bytes().filter(u8::is_ascii_alphabetic).count();
    if let Ok(number) = value.trim_start_matches('-').parse::<u128>() {
        let power = |number: u128| number.is_power_of_two();
        let round = number.is_multiple_of(1_000) || power(number) || power(number + 1);
        return digits >= 6 && !round && !power(number.saturating_sub(1));
    }
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '=' | '+');
    // A row of the alphabet is a table of its own.
    let row = ["abcdef", "ABCDEF", "012345"]
        .iter()
        .any(|row| value.contains(row));
    value.len() >= 16 && digits >= 3 && letters >= 3 && value.chars().all(plain) && !row
}
