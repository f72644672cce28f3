//! Which logs are compressed and deleted, and how logs are named. Only names of our own making are
//! touched.

use crate::kind;
use crate::section::Logs;

const DAY_MS: u64 = 86_400_000;
/// Logs older than this are compressed (ai-tools: 3 days).
pub const COMPRESS_AFTER_MS: u64 = 3 * DAY_MS;
const MEGABYTE: u64 = 1_000_000;
/// No rotation touches more files than this: a mistake stays small, and the next one goes on.
pub const FILES_MAX: usize = 2_000;
/// What a log's name ends with once it is compressed.
pub const COMPRESSED: &str = ".gz";
/// The file in a member's folder of logs with what its driver printed.
pub const MEMBER_LOG: &str = "member.log";

/// How much is kept.
#[derive(Debug, Clone, Copy)]
pub struct Bounds {
    /// All logs together may take this much; the oldest go first.
    quota_bytes: u64,
    /// Logs older than this are deleted.
    keep_ms: u64,
}

impl Bounds {
    /// As it is set.
    pub fn of(logs: &Logs) -> Self {
        Self {
            quota_bytes: logs.quota_mb.saturating_mul(MEGABYTE),
            keep_ms: logs.keep_days.saturating_mul(DAY_MS),
        }
    }
}

/// A file in the folder of logs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Its name.
    pub name: String,
    /// When it was begun, or last written (Unix time in ms).
    pub begun_ms: u64,
    /// Its size.
    pub bytes: u64,
}

/// What is to be done. A log that somebody still writes must be left out by who carries it out.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Plan {
    /// Logs to compress.
    pub compress: Vec<String>,
    /// Logs to delete, the oldest first.
    pub delete: Vec<String>,
}

/// The name of a log: `test_20261121T094705_1a2b3c4d.log`. The kind is one of [`kind::ALL`],
/// `random` eight hexadecimal digits.
pub fn name(kind: &str, wall_ms: u64, random: &str) -> String {
    let seconds = wall_ms / 1_000;
    let (year, month, day) = civil(seconds / 86_400);
    let (hour, minute, second) = (seconds / 3_600 % 24, seconds / 60 % 60, seconds % 60);
    format!("{kind}_{year:04}{month:02}{day:02}T{hour:02}{minute:02}{second:02}_{random}.log")
}

/// When a log was begun (Unix time in ms), if the name is one of ours.
pub fn begun_ms(name: &str) -> Option<u64> {
    let stem = name
        .strip_suffix(COMPRESSED)
        .unwrap_or(name)
        .strip_suffix(".log")?;
    let mut parts = stem.split('_');
    let (kind, time, random) = (parts.next()?, parts.next()?, parts.next()?);
    let own = parts.next().is_none()
        && kind::ALL.contains(&kind)
        && random.len() == 8
        && random.bytes().all(|byte| byte.is_ascii_hexdigit());
    let (date, clock) = time.split_once('T')?;
    let digits = |text: &str, length: usize| {
        text.len() == length && text.bytes().all(|byte| byte.is_ascii_digit())
    };
    if !own || !digits(date, 8) || !digits(clock, 6) {
        return None;
    }
    let number = |text: &str| text.parse::<u64>().ok();
    let days = days(
        number(&date[..4])?,
        number(&date[4..6])?,
        number(&date[6..])?,
    )?;
    let seconds = number(&clock[..2])? * 3_600 + number(&clock[2..4])? * 60 + number(&clock[4..])?;
    Some((days * 86_400 + seconds) * 1_000)
}

/// Is this the name of a file that a run keeps of an iteration's agent: what it printed
/// (`7.jsonl`, `7.stderr`), what it was told (`7.prompt.md`); or what a member's driver printed?
pub fn is_agent_log(name: &str) -> bool {
    let name = name.strip_suffix(COMPRESSED).unwrap_or(name);
    name == MEMBER_LOG
        || name.split_once('.').is_some_and(|(number, kind)| {
            !number.is_empty()
                && number.bytes().all(|byte| byte.is_ascii_digit())
                && matches!(kind, "jsonl" | "stderr" | "prompt.md")
        })
}

/// What is to be done with these files now, within these bounds.
pub fn plan(entries: &[Entry], now_ms: u64, bounds: Bounds) -> Plan {
    let mut logs: Vec<&Entry> = entries.iter().collect();
    logs.sort_by_key(|entry| (entry.begun_ms, &entry.name));
    let mut total: u64 = logs.iter().map(|entry| entry.bytes).sum();
    let mut plan = Plan::default();
    let newest = logs.last().map(|entry| entry.name.clone());
    for entry in logs {
        // A time in the future (a clock that was wrong) is no age.
        let age_ms = now_ms.saturating_sub(entry.begun_ms);
        let touched = plan.compress.len() + plan.delete.len();
        let is_newest = newest.as_ref() == Some(&entry.name);
        if touched >= FILES_MAX {
            break;
        } else if age_ms >= bounds.keep_ms || total > bounds.quota_bytes && !is_newest {
            total -= entry.bytes;
            plan.delete.push(entry.name.clone());
        } else if age_ms >= COMPRESS_AFTER_MS && !entry.name.ends_with(COMPRESSED) {
            plan.compress.push(entry.name.clone());
        }
    }
    plan
}

/// Year, month and day of a day since 1970 (H. Hinnant, "chrono-compatible low-level date
/// algorithms").
fn civil(day: u64) -> (u64, u64, u64) {
    let shifted = day + 719_468;
    let era = shifted / 146_097;
    let of_era = shifted % 146_097;
    let year_of_era = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 {
        month_from_march + 3
    } else {
        month_from_march - 9
    };
    let year = year_of_era + era * 400 + u64::from(month <= 2);
    (year, month, day)
}

/// The day since 1970 of a date; the same algorithm backwards.
fn days(year: u64, month: u64, day: u64) -> Option<u64> {
    if !(1970..=9999).contains(&year) || !(1..=12).contains(&month) || !(1..=31).contains(&day) {
        return None;
    }
    let year = year - u64::from(month <= 2);
    let (era, year_of_era) = (year / 400, year % 400);
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + of_year;
    (era * 146_097 + of_era).checked_sub(719_468)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const NOW_MS: u64 = 1_795_254_425_000;

    fn entry(age_days: u64, bytes: u64, number: u32) -> Entry {
        let begun_ms = NOW_MS - age_days * DAY_MS;
        let name = name("test", begun_ms, &format!("{number:08x}"));
        Entry {
            name,
            begun_ms,
            bytes,
        }
    }

    #[test]
    fn names_say_when() {
        let name = name("build", NOW_MS, "1a2b3c4d");
        assert_eq!(name, "build_20261121T094705_1a2b3c4d.log");
        assert_eq!(begun_ms(&name), Some(NOW_MS));
        assert_eq!(begun_ms(&format!("{name}.gz")), Some(NOW_MS));
    }

    #[test]
    fn foreign_names_are_not_ours() {
        for name in [
            "server.log",
            "last-run.json",
            "test_20261121T094705_1a2b3c4d.log.bak",
            "x_20261121T094705_1a2b3c4d.log",
            "test_20261321T094705_1a2b3c4d.log",
            "test_20261121T094705_1a2b3c4z.log",
            "test_20261121T094705_1a2b3c4d_x.log",
            "../test_20261121T094705_1a2b3c4d.log",
            "",
        ] {
            assert_eq!(begun_ms(name), None, "{name}");
        }
    }

    #[test]
    fn what_a_run_keeps_of_its_agents_is_known_by_name() {
        for name in [
            "7.jsonl",
            "12.stderr",
            "1.prompt.md",
            "7.jsonl.gz",
            "member.log",
            "member.log.gz",
        ] {
            assert!(is_agent_log(name), "{name}");
        }
        for name in [
            "jsonl",
            ".jsonl",
            "x.jsonl",
            "7.json",
            "7.jsonl.bak",
            "../7.jsonl",
            "other.log",
        ] {
            assert!(!is_agent_log(name), "{name}");
        }
    }

    fn bounds() -> Bounds {
        Bounds::of(&Logs::default())
    }

    #[test]
    fn age_and_quota_decide() {
        let mut entries = vec![
            entry(0, 100, 1),
            entry(2, 100, 2),
            entry(3, 100, 3),
            entry(7, 100, 4),
        ];
        let plan_now = plan(&entries, NOW_MS, bounds());
        assert_eq!(plan_now.compress, [entries[2].name.clone()]);
        assert_eq!(plan_now.delete, [entries[3].name.clone()]);
        entries[0].bytes = bounds().quota_bytes + 1;
        let delete = plan(&entries, NOW_MS, bounds()).delete;
        assert_eq!(delete.len(), 3, "all but the newest, however large it is");
        entries[2].name.push_str(COMPRESSED);
        entries[0].bytes = 1;
        assert_eq!(
            plan(&entries, NOW_MS, bounds()).compress,
            Vec::<String>::new()
        );
    }

    #[test]
    fn one_rotation_touches_a_bounded_number() {
        let entries: Vec<Entry> = (0..10_000).map(|number| entry(8, 1, number)).collect();
        assert_eq!(plan(&entries, NOW_MS, bounds()).delete.len(), FILES_MAX);
    }

    proptest! {
        #[test]
        fn every_time_is_read_back(seconds in 0_u64..253_402_300_799) {
            prop_assert_eq!(begun_ms(&name("test", seconds * 1_000, "00000000")), Some(seconds * 1_000));
        }

        #[test]
        fn any_name_is_survived(text in "\\PC{0,40}") {
            let _ = begun_ms(&text);
        }
    }
}
