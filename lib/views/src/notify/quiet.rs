//! The hours in which nothing is told.

const MINUTES_A_DAY: u16 = 24 * 60;

/// The hours of a day in which nothing is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Quiet {
    from: u16,
    until: u16,
}

impl Quiet {
    /// Reads `22:00-07:00`: from the first minute to before the second, over midnight if need be.
    pub fn parse(text: &str) -> Option<Self> {
        let (from, until) = text.split_once('-')?;
        let (from, until) = (minute(from)?, minute(until)?);
        (from != until).then_some(Self { from, until })
    }

    /// Is this minute of the day within them?
    pub fn holds(self, minute: u16) -> bool {
        let minute = minute % MINUTES_A_DAY;
        if self.from < self.until {
            (self.from..self.until).contains(&minute)
        } else {
            minute >= self.from || minute < self.until
        }
    }

    /// Minutes until they end, at this minute of the day within them.
    pub fn left(self, minute: u16) -> u16 {
        (self.until + MINUTES_A_DAY - minute % MINUTES_A_DAY) % MINUTES_A_DAY
    }
}

/// `07:30` as a minute of the day.
fn minute(text: &str) -> Option<u16> {
    let (hours, minutes) = text.trim().split_once(':')?;
    let number = |text: &str, below: u16| -> Option<u16> {
        let digits = text.len() == 2 && text.bytes().all(|byte| byte.is_ascii_digit());
        text.parse().ok().filter(|number| digits && *number < below)
    };
    Some(number(hours, 24)? * 60 + number(minutes, 60)?)
}
