//! Run ids: `YYYYMMDD-HHMMSS-xxxx`, UTC time of the start and four random hexadecimal digits.

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
    let (date, time) = utc(unix_ms / 1_000);
    format!("{date}-{time}-{random:04x}")
}

/// `YYYYMMDD` and `HHMMSS` of a Unix time in seconds.
fn utc(seconds: u64) -> (String, String) {
    let (year, month, day) = civil(seconds / 86_400);
    let (hour, minute, second) = (seconds / 3_600 % 24, seconds / 60 % 60, seconds % 60);
    (
        format!("{year:04}{month:02}{day:02}"),
        format!("{hour:02}{minute:02}{second:02}"),
    )
}

/// Gregorian date of a day count since 1970 (Howard Hinnant, "chrono-Compatible Low-Level Date
/// Algorithms", `civil_from_days`).
fn civil(days: u64) -> (u64, u64, u64) {
    let z = days + 719_468;
    let era = z / 146_097;
    let day_of_era = z % 146_097;
    let year_of_era =
        (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 {
        shifted_month + 3
    } else {
        shifted_month - 9
    };
    let year = year_of_era + era * 400 + u64::from(month <= 2);
    (year, month, day)
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
