//! Times for people: UTC, so that agents in different zones read the same.

use jiff::Timestamp;

/// `2026-11-21T03:14:00Z` for unix milliseconds; a time beyond the calendar's is its last one.
pub fn utc(wall_ms: u64) -> String {
    let seconds = i64::try_from(wall_ms / 1_000).unwrap_or(i64::MAX);
    let time = Timestamp::from_second(seconds).unwrap_or(Timestamp::MAX);
    time.strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_moments_are_written_as_the_calendar_says() {
        for (seconds, text) in [
            (0, "1970-01-01T00:00:00Z"),
            (951_782_399, "2000-02-28T23:59:59Z"),
            (951_782_400, "2000-02-29T00:00:00Z"),
            (1_795_186_800, "2026-11-20T15:00:00Z"),
            (4_102_444_800, "2100-01-01T00:00:00Z"),
            (u64::MAX / 1_000, "9999-12-30T22:00:00Z"),
        ] {
            assert_eq!(utc(seconds * 1_000), text);
        }
    }
}
