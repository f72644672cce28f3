//! Times, durations and causes as people read them.

use super::{Assignment, Met, Opening, Pause};
use crate::summary::{Cost, Summary};
use jiff::Timestamp;
use jiff::tz::TimeZone;
use overnight_run::step::WaitCause;

/// Shows times in one zone.
#[derive(Debug, Clone)]
pub struct Clock(pub TimeZone);

impl Clock {
    /// A Unix time in milliseconds: `2026-11-21 03:14 +01:00`.
    pub fn time(&self, ms: u64) -> String {
        self.format(ms, "%Y-%m-%d %H:%M %:z")
    }

    /// The same within a report, whose head has year and zone: `11-21 03:14`.
    pub fn moment(&self, ms: u64) -> String {
        self.format(ms, "%m-%d %H:%M")
    }

    /// The hour and minute of a Unix time in milliseconds: `03:14`.
    pub fn hour(&self, ms: u64) -> String {
        self.format(ms, "%H:%M")
    }

    /// The time of day of a Unix time in milliseconds: `03:14:07`.
    pub fn second(&self, ms: u64) -> String {
        self.format(ms, "%H:%M:%S")
    }

    /// The minute of the day of a Unix time in milliseconds.
    pub fn minute(&self, ms: u64) -> u16 {
        let ms = i64::try_from(ms).unwrap_or(i64::MAX);
        Timestamp::from_millisecond(ms).map_or(0, |time| {
            let zoned = time.to_zoned(self.0.clone());
            let part = |number: i8| u16::try_from(number).unwrap_or(0);
            part(zoned.hour()) * 60 + part(zoned.minute())
        })
    }

    fn format(&self, ms: u64, form: &str) -> String {
        let ms = i64::try_from(ms).unwrap_or(i64::MAX);
        Timestamp::from_millisecond(ms).map_or_else(
            |_| "-".to_owned(),
            |time| time.to_zoned(self.0.clone()).strftime(form).to_string(),
        )
    }
}

/// The run in one sentence, and when a usage limit lets it go on.
pub(crate) fn sentence(night: &Summary, clock: &Clock) -> String {
    let resets = night.limited_until_ms.map(|at| clock.time(at));
    let resets = resets.map_or(String::new(), |at| {
        format!(" The usage limit resets at {at}.")
    });
    format!("{}{resets}", night.sentence)
}

/// A length of time: `2 h 05 min`, `3 min 07 s`, `4.2 s`.
pub(crate) fn length(ms: u64) -> String {
    let s = ms / 1_000;
    match s {
        0..=9 => format!("{s}.{} s", ms % 1_000 / 100),
        10..=59 => format!("{s} s"),
        60..=3_599 => format!("{} min {:02} s", s / 60, s % 60),
        _ => format!("{} h {:02} min", s / 3_600, s / 60 % 60),
    }
}

/// What each proved task cost, where that is known: ends a sentence about figures.
pub(super) fn per_proved(cost: Cost) -> String {
    let each = cost.per_proved_usd.map(dollars);
    each.map_or_else(String::new, |each| format!(", {each} for each proved task"))
}

/// Dollars with cents.
pub(crate) fn dollars(usd: f64) -> String {
    // A sum of nothing is `-0.0`.
    let usd = if usd > 0.0 { usd } else { 0.0 };
    format!("${usd:.2}")
}

/// A wait in a line.
pub(super) fn pause(pause: &Pause, clock: &Clock) -> String {
    let reset = pause
        .resets
        .map(|at| format!(", resets {}", clock.moment(at)));
    let who = pause
        .member
        .map_or(String::new(), |member| format!("member {member} "));
    format!(
        "{}: {who}waited {} ({}{})",
        clock.moment(pause.from),
        length(pause.until.saturating_sub(pause.from)),
        pause.cause,
        reset.unwrap_or_default()
    )
}

/// A member's time on a task in a line; `task` is escaped for where the line goes.
pub(super) fn assignment(assignment: &Assignment, task: &str, clock: &Clock) -> String {
    let (from, member) = (clock.moment(assignment.from), assignment.member);
    let again = if assignment.rework > 0 {
        ", putting its merge right"
    } else {
        ""
    };
    let end = match (assignment.until, assignment.end) {
        (Some(until), Some(end)) => {
            format!(
                "{end} after {}",
                length(until.saturating_sub(assignment.from))
            )
        }
        _ => "at work".to_owned(),
    };
    format!("{from}: member {member} on {task}{again}: {end}")
}

/// An opening in a line; `task` is escaped for where the line goes.
pub(super) fn opening(opening: &Opening, task: &str, clock: &Clock) -> String {
    format!(
        "{}: the circuit breaker of {task} opened: {}",
        clock.moment(opening.at),
        opening.reason
    )
}

/// Why nothing was started.
pub(super) fn cause(cause: WaitCause) -> &'static str {
    match cause {
        WaitCause::UsageLimit => "usage limit",
        WaitCause::Transient => "the service failed, trying again",
        WaitCause::CallRate => "calls per hour",
        WaitCause::Interval => "interval between iterations",
        WaitCause::Elsewhere => "other agents have the tasks that are left",
    }
}

impl Met {
    /// The word in the table.
    pub fn word(self) -> &'static str {
        match self {
            Self::Met => "met",
            Self::NotMet => "not met",
            Self::NotChecked => "not checked",
        }
    }
}

/// `1 task`, `2 tasks`.
pub(crate) fn count(n: impl TryInto<u64>, noun: &str) -> String {
    let n = n.try_into().unwrap_or(u64::MAX);
    let s = if n == 1 { "" } else { "s" };
    format!("{n} {noun}{s}")
}
