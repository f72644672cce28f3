//! The start of a process, as macOS writes it. Read everywhere in tests.
#![cfg_attr(
    all(target_os = "linux", not(test)),
    allow(dead_code, reason = "Linux has another way")
)]

use super::Life;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;

/// What `ps -o state=,lstart=` says in UTC and in C's language. It says nothing of a process that
/// is not there.
pub(super) fn of_ps(text: &str) -> Life {
    let Some((state, begun)) = text.trim().split_once(' ') else {
        return if text.trim().is_empty() {
            Life::Over
        } else {
            Life::Unknown
        };
    };
    if state.starts_with('Z') {
        return Life::Over;
    }
    let words: Vec<&str> = begun.split_whitespace().collect();
    let moment = DateTime::strptime("%a %b %d %H:%M:%S %Y", words.join(" "))
        .and_then(|time| time.to_zoned(TimeZone::UTC));
    match moment.map(|moment| u64::try_from(moment.timestamp().as_second())) {
        Ok(Ok(second)) => Life::Since(second),
        _ => Life::Unknown,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ps_tells_the_start_to_the_second_whatever_the_width() {
        for (text, life) in [
            (
                "Ss   Wed Nov 25 16:02:47 2026    \n",
                Life::Since(1_795_622_567),
            ),
            (
                "S+   Sun Nov  1 09:05:07 2026    \n",
                Life::Since(1_793_523_907),
            ),
            (
                "R    Thu Feb 29 23:59:59 2024\n",
                Life::Since(1_709_251_199),
            ),
            ("Z    Wed Nov 25 16:02:47 2026    \n", Life::Over),
            ("Z+   Wed Nov 25 16:02:47 2026    \n", Life::Over),
            ("", Life::Over),
            ("\n", Life::Over),
            ("Ss   Mi. 25 Nov. 16:02:47 2026\n", Life::Unknown),
            ("Ss   \n", Life::Unknown),
        ] {
            assert_eq!(of_ps(text), life, "{text:?}");
        }
    }
}
