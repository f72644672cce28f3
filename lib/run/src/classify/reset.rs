//! When a usage limit ends, as its message says it: an epoch, `3pm`, `5:29pm (UTC)`, `Aug 8 at 5pm`,
//! `in 2h 10m`, an ISO time; zones and daylight saving by the zone database that is passed in.

use super::Report;
use jiff::civil::{Date, Time, Weekday};
use jiff::tz::{Offset, TimeZone};
use jiff::{Timestamp, ToSpan, Zoned};

/// A time of day that passed no longer ago than this means today's, not tomorrow's: the message was
/// written just before its own reset (measured: a client slept 23 h 25 min over this).
const JUST_PASSED_S: i64 = 900;
/// A date without a year that passed no longer ago than this is this year's.
const DATE_PASSED_DAYS: i32 = 31;

/// The reset time in the message, as Unix seconds.
pub(super) fn parse(message: &str, report: &Report<'_>) -> Option<i64> {
    let text = message.split_whitespace().collect::<Vec<_>>().join(" ");
    if let Some((_, digits)) = text.split_once('|')
        && let Some(at) = leading_number(digits.trim())
    {
        return epoch(at);
    }
    let lower = text.to_ascii_lowercase();
    let at = lower
        .find("reset")
        .or_else(|| lower.find("try again"))
        .or_else(|| lower.find("available"))?;
    let rest = &lower[at..];
    let rest = rest.trim_start_matches(|c: char| c.is_ascii_alphabetic());
    let rest = rest.trim_start_matches([' ', ':', '·', '∙']);
    let rest = rest.strip_prefix("again ").unwrap_or(rest);
    let original = &text[text.len() - rest.len()..];
    let zone = zone(original, report)?;
    When::read(rest)?.resolve(report.now, &zone)
}

/// Seconds from a number that may be in milliseconds.
pub(super) fn epoch(number: f64) -> Option<i64> {
    const MILLISECONDS_FROM: f64 = 1e11;
    let seconds = if number >= MILLISECONDS_FROM {
        number / 1000.0
    } else {
        number
    };
    #[expect(
        clippy::cast_possible_truncation,
        reason = "checked to be a time between 1970 and 5138"
    )]
    let seconds = (0.0..MILLISECONDS_FROM)
        .contains(&seconds)
        .then_some(seconds as i64)?;
    (seconds > 0).then_some(seconds)
}

fn leading_number(text: &str) -> Option<f64> {
    let end = text
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(text.len());
    (end >= 9).then(|| text[..end].parse().ok()).flatten()
}

/// The zone in parentheses, or the local one; `None` for one that nobody knows.
fn zone(text: &str, report: &Report<'_>) -> Option<TimeZone> {
    let named = text
        .split_once('(')
        .and_then(|(_, rest)| rest.split_once(')'))
        .map(|(name, _)| name.replace(' ', ""));
    let Some(name) = named else {
        let trailing = text
            .trim_end_matches(['.', '!'])
            .split_whitespace()
            .next_back();
        let utc = trailing.is_some_and(|word| matches!(word, "UTC" | "GMT" | "utc" | "gmt"));
        return Some(if utc {
            TimeZone::UTC
        } else {
            report.local.clone()
        });
    };
    if ["utc", "gmt", "z", "etc/utc"].contains(&name.to_ascii_lowercase().as_str()) {
        return Some(TimeZone::UTC);
    }
    if let Some(offset) = offset(&name) {
        return Some(offset.to_time_zone());
    }
    if name.eq_ignore_ascii_case("local") || name.eq_ignore_ascii_case("localtime") {
        return Some(report.local.clone());
    }
    (report.zones)(&name)
}

/// `UTC+9`, `GMT-03:30`, `+02:00`.
fn offset(name: &str) -> Option<Offset> {
    let upper = name.to_ascii_uppercase();
    let rest = upper
        .strip_prefix("UTC")
        .or_else(|| upper.strip_prefix("GMT"))
        .unwrap_or(&upper);
    let sign = match rest.chars().next()? {
        '+' => 1,
        '-' | '\u{2212}' => -1,
        _ => return None,
    };
    let digits: String = rest.chars().skip(1).filter(char::is_ascii_digit).collect();
    let (hours, minutes) = match digits.len() {
        1 | 2 => (digits.parse::<i32>().ok()?, 0),
        3 | 4 => {
            let (hours, minutes) = digits.split_at(digits.len() - 2);
            (hours.parse().ok()?, minutes.parse().ok()?)
        }
        _ => return None,
    };
    Offset::from_seconds(sign * (hours * 3600 + minutes * 60)).ok()
}

/// A point in time as people write it.
#[derive(Debug, Clone, PartialEq, Eq)]
enum When {
    Instant(Timestamp),
    /// So many seconds from now.
    In(i64),
    /// A day, if one is named, and a time, if one is.
    Civil(Option<Day>, Option<Time>),
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Day {
    Date(Date),
    /// Month and day without a year.
    Yearly(i8, i8),
    Weekday(Weekday),
    Tomorrow,
    Today,
}

impl When {
    fn read(text: &str) -> Option<Self> {
        let text = text.split('(').next().unwrap_or(text);
        let text = text.trim_matches([' ', '.', ',', '!', '·']);
        if let Some(rest) = text.strip_prefix("in ") {
            return duration(rest).map(Self::In);
        }
        let words: Vec<&str> = text
            .split([' ', ','])
            .filter(|word| !matches!(*word, "" | "at" | "on"))
            .collect();
        let first = words.first()?;
        if let Some(number) = leading_number(first) {
            return Timestamp::from_second(epoch(number)?)
                .ok()
                .map(Self::Instant);
        }
        if let Ok(instant) = first.to_ascii_uppercase().parse() {
            return Some(Self::Instant(instant));
        }
        let (day, used) = day(&words);
        let time = time(&words[used..]);
        (day.is_some() || time.is_some()).then_some(Self::Civil(day, time))
    }

    fn resolve(self, now: i64, zone: &TimeZone) -> Option<i64> {
        let here = Timestamp::from_second(now).ok()?.to_zoned(zone.clone());
        match self {
            Self::Instant(instant) => Some(instant.as_second()),
            Self::In(seconds) => now.checked_add(seconds),
            Self::Civil(None, time) => next_time(&here, time?, now),
            Self::Civil(Some(day), time) => {
                next_day(&here, &day, time.unwrap_or(Time::midnight()), now)
            }
        }
    }
}

fn next_time(here: &Zoned, time: Time, now: i64) -> Option<i64> {
    // Yesterday's time may have just passed when it is just after midnight.
    (-1..=2).find_map(|days| {
        let date = here.date().checked_add(days.days()).ok()?;
        let at = instant(date, time, here.time_zone())?;
        (at + JUST_PASSED_S >= now).then_some(at)
    })
}

fn next_day(here: &Zoned, day: &Day, time: Time, now: i64) -> Option<i64> {
    let zone = here.time_zone();
    match day {
        Day::Date(date) => instant(*date, time, zone),
        Day::Today => instant(here.date(), time, zone),
        Day::Tomorrow => instant(here.date().tomorrow().ok()?, time, zone),
        Day::Weekday(weekday) => (0..=7).find_map(|days| {
            let date = here.date().checked_add(days.days()).ok()?;
            let at = instant(date, time, zone)?;
            (date.weekday() == *weekday && at + JUST_PASSED_S >= now).then_some(at)
        }),
        Day::Yearly(month, day) => {
            let earliest = here.date().checked_sub(DATE_PASSED_DAYS.days()).ok()?;
            (0..=8).find_map(|years| {
                let year = earliest.year().checked_add(years)?;
                let date = Date::new(year, *month, *day).ok()?;
                (date >= earliest)
                    .then(|| instant(date, time, zone))
                    .flatten()
            })
        }
    }
}

/// A time that daylight saving skips moves forward; one that happens twice is its first.
fn instant(date: Date, time: Time, zone: &TimeZone) -> Option<i64> {
    let zoned = date.to_datetime(time).to_zoned(zone.clone()).ok()?;
    Some(zoned.timestamp().as_second())
}

fn day(words: &[&str]) -> (Option<Day>, usize) {
    let Some(first) = words.first() else {
        return (None, 0);
    };
    match *first {
        "today" => return (Some(Day::Today), 1),
        "tomorrow" => return (Some(Day::Tomorrow), 1),
        _ => {}
    }
    if let Ok(date) = first.parse() {
        return (Some(Day::Date(date)), 1);
    }
    if let Some(weekday) = weekday(first) {
        // `Mon, Aug 8`: the date says more than the weekday.
        let (date, used) = day(&words[1..]);
        return if matches!(date, Some(Day::Yearly(..) | Day::Date(_))) {
            (date, used + 1)
        } else {
            (Some(Day::Weekday(weekday)), 1)
        };
    }
    let second = words.get(1).copied().unwrap_or_default();
    let (month, number) = match (month(first), month(second)) {
        (Some(month), _) => (month, second),
        (None, Some(month)) => (month, *first),
        _ => return (None, 0),
    };
    let number = number.trim_end_matches(|c: char| c.is_ascii_alphabetic() || c == '.');
    let Ok(number) = number.parse::<i8>() else {
        return (None, 0);
    };
    let year = words
        .get(2)
        .filter(|word| word.len() == 4)
        .and_then(|word| word.parse().ok());
    match year.and_then(|year| Date::new(year, month, number).ok()) {
        Some(date) => (Some(Day::Date(date)), 3),
        None => (Some(Day::Yearly(month, number)), 2),
    }
}

/// `3pm`, `3 pm`, `5:29pm`, `5:29 p.m.`, `15:00`, `12am`, `noon`.
fn time(words: &[&str]) -> Option<Time> {
    let joined = words
        .iter()
        .take(2)
        .copied()
        .collect::<String>()
        .replace('.', "");
    match joined.as_str() {
        "noon" => return Some(Time::constant(12, 0, 0, 0)),
        "midnight" => return Some(Time::midnight()),
        _ => {}
    }
    let end = joined
        .find(|c: char| !(c.is_ascii_digit() || c == ':'))
        .unwrap_or(joined.len());
    let (clock, suffix) = joined.split_at(end);
    let mut parts = clock.split(':');
    let hour: i8 = parts.next()?.parse().ok()?;
    let minute: i8 = parts.next().map_or(Some(0), |part| part.parse().ok())?;
    let second: i8 = parts.next().map_or(Some(0), |part| part.parse().ok())?;
    let hour = if suffix.starts_with("am") || suffix.starts_with("pm") {
        (1..=12)
            .contains(&hour)
            .then_some(hour % 12 + if suffix.starts_with('p') { 12 } else { 0 })?
    } else {
        // A bare number is no time of day: `resets 3` says nothing.
        clock.contains(':').then_some(hour)?
    };
    Time::new(hour, minute, second, 0).ok()
}

/// `2h 10m`, `45 minutes`, `3 days`.
fn duration(text: &str) -> Option<i64> {
    let mut total = 0i64;
    let mut found = false;
    let mut number: Option<i64> = None;
    let blank = |c: char| if c.is_alphanumeric() { c } else { ' ' };
    let spaced: String = text.chars().map(blank).collect();
    let mut tokens = Vec::new();
    for word in spaced.split_whitespace() {
        let split = word
            .find(|c: char| !c.is_ascii_digit())
            .unwrap_or(word.len());
        tokens.extend(
            [&word[..split], &word[split..]]
                .into_iter()
                .filter(|token| !token.is_empty()),
        );
    }
    for token in tokens {
        if let Ok(value) = token.parse() {
            number = Some(value);
            continue;
        }
        let unit = match token.chars().next()? {
            's' => 1,
            'm' => 60,
            'h' => 3_600,
            'd' => 86_400,
            'w' => 604_800,
            'a' if token == "an" || token == "a" => {
                number = Some(1);
                continue;
            }
            _ => continue,
        };
        let Some(value) = number.take() else { break };
        total = total.checked_add(value.checked_mul(unit)?)?;
        found = true;
    }
    found.then_some(total)
}

fn month(word: &str) -> Option<i8> {
    const MONTHS: [&str; 12] = [
        "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
    ];
    let index = MONTHS.iter().position(|month| word.starts_with(month))?;
    i8::try_from(index + 1).ok()
}

fn weekday(word: &str) -> Option<Weekday> {
    let day = match word.get(..3)? {
        "mon" if !word.starts_with("month") => Weekday::Monday,
        "tue" => Weekday::Tuesday,
        "wed" => Weekday::Wednesday,
        "thu" => Weekday::Thursday,
        "fri" => Weekday::Friday,
        "sat" => Weekday::Saturday,
        "sun" => Weekday::Sunday,
        _ => return None,
    };
    Some(day)
}
