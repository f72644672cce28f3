//! The start of a process, as its system writes it. Both are read everywhere, so that they are tested
//! everywhere.
#![cfg_attr(not(test), allow(dead_code, reason = "each system needs one of them"))]

use super::Life;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;

/// Linux: `/proc/PID/stat`, see proc(5).
pub(super) fn of_stat(stat: &str) -> Life {
    const START: usize = 19; // field 22, counted behind the name and from 0
    // The name in parentheses may contain anything; the fields after it are numbers.
    let Some((_, fields)) = stat.rsplit_once(") ") else {
        return Life::Unknown;
    };
    let mut fields = fields.split(' ');
    match fields.next() {
        None => Life::Unknown,
        Some("Z" | "X") => Life::Over,
        Some(_) => match fields.nth(START - 1).map(str::parse) {
            Some(Ok(ticks)) => Life::Since(ticks),
            _ => Life::Unknown,
        },
    }
}

/// macOS: what `ps -o state=,lstart=` says in UTC and in C's language. It says nothing of a process that
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

    #[test]
    fn stat_is_read_behind_a_name_that_looks_like_fields() {
        let rest = "1 1 1 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 8472 9 10";
        for (text, life) in [
            (format!("7 (sleep) S {rest}"), Life::Since(8_472)),
            (format!("7 (a) Z b) S {rest}"), Life::Since(8_472)),
            (format!("7 (sleep) Z {rest}"), Life::Over),
            ("7 (sleep) S 1".to_owned(), Life::Unknown),
            (String::new(), Life::Unknown),
        ] {
            assert_eq!(of_stat(&text), life, "{text}");
        }
    }
}
