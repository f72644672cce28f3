//! Run ids: `YYYYMMDD-HHMMSS-xxxx`, UTC time of the start and four random hexadecimal digits.

use jiff::Timestamp;
use jiff::tz::TimeZone;

/// Is this the id of a run? Anything else must never become part of a path.
pub fn is_valid(id: &str) -> bool {
    let bytes = id.as_bytes();
    bytes.len() == 20
        && bytes.iter().enumerate().all(|(at, byte)| match at {
            8 | 15 => *byte == b'-',
            16.. => byte.is_ascii_digit() || (b'a'..=b'f').contains(byte),
            _ => byte.is_ascii_digit(),
        })
}

/// The id of a run that starts at this Unix time, with 16 random bits.
pub fn new(unix_ms: u64, random: u16) -> String {
    let start = i64::try_from(unix_ms)
        .ok()
        .and_then(|ms| Timestamp::from_millisecond(ms).ok());
    let start = start.unwrap_or(Timestamp::MAX).to_zoned(TimeZone::UTC);
    format!("{}-{random:04x}", start.strftime("%Y%m%d-%H%M%S"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_tells_the_utc_start_of_its_run() {
        assert_eq!(new(1_795_186_800_000, 0x0af3), "20261120-150000-0af3");
        assert_eq!(new(951_782_400_000, 0), "20000229-000000-0000");
    }

    #[test]
    fn only_the_exact_form_is_an_id() {
        assert!(is_valid("20261120-150000-0af3"));
        for bad in [
            "",
            "..",
            "20261120-150000-0AF3",
            "20261120-150000-0af3x",
            "20261120/150000-0af3",
        ] {
            assert!(!is_valid(bad), "{bad}");
        }
    }
}
