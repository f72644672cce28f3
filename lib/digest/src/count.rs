//! Counts: what the result lines of tools say, by category.

pub use super::meaning::Category;

impl Category {
    /// The word after the number.
    pub fn word(self, number: u64) -> &'static str {
        match self {
            Self::Failed => "failed",
            Self::Errors => plural(number, "error", "errors"),
            Self::Passed => "passed",
            Self::Skipped => "skipped",
            Self::Ignored => "ignored",
            Self::Pending => "pending",
            Self::Todo => "todo",
            Self::Xfailed => "xfailed",
            Self::Xpassed => "xpassed",
            Self::Deselected => "deselected",
            Self::Cancelled => "cancelled",
            Self::Flaky => "flaky",
            Self::Warnings => plural(number, "warning", "warnings"),
            Self::Problems => plural(number, "problem", "problems"),
            Self::Total => "total",
            Self::Suites => plural(number, "suite", "suites"),
            Self::SuitesFailed => plural(number, "suite failed", "suites failed"),
            Self::SuitesPassed => plural(number, "suite passed", "suites passed"),
        }
    }

    /// No word that names a category is longer.
    const WORD_MAX: usize = 10;

    /// The category that this word names in result lines (any case), if any.
    pub(super) fn of(word: &str) -> Option<Self> {
        let mut lower = [0; Self::WORD_MAX];
        let lower = lower.get_mut(..word.len())?;
        lower.copy_from_slice(word.as_bytes());
        lower.make_ascii_lowercase();
        Some(match &*lower {
            b"passed" | b"passing" | b"pass" | b"passes" | b"succeeded" | b"successes" | b"ok" => {
                Self::Passed
            }
            b"failed" | b"failing" | b"failure" | b"failures" | b"fail" | b"fails" => Self::Failed,
            b"error" | b"errors" | b"errored" => Self::Errors,
            b"skipped" | b"skip" | b"skips" | b"excluded" => Self::Skipped,
            b"ignored" => Self::Ignored,
            b"pending" | b"pendings" => Self::Pending,
            b"todo" => Self::Todo,
            b"xfailed" => Self::Xfailed,
            b"xpassed" => Self::Xpassed,
            b"deselected" => Self::Deselected,
            b"cancelled" => Self::Cancelled,
            b"flaky" => Self::Flaky,
            b"warning" | b"warnings" => Self::Warnings,
            b"problems" | b"problem" => Self::Problems,
            b"total" => Self::Total,
            _ => return None,
        })
    }
}

fn plural(number: u64, one: &'static str, many: &'static str) -> &'static str {
    if number == 1 { one } else { many }
}

/// Numbers by category; a category that nobody stated is absent, not zero.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Counts {
    entries: Vec<(Category, u64)>,
}

impl Counts {
    /// The number of this category, if it was stated.
    pub fn get(&self, category: Category) -> Option<u64> {
        self.entries
            .iter()
            .find(|(known, _)| *known == category)
            .map(|(_, number)| *number)
    }

    /// Whether nothing was stated.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// All numbers in the order of [`Category`].
    pub fn iter(&self) -> impl Iterator<Item = (Category, u64)> + '_ {
        self.entries.iter().copied()
    }

    /// Everything that did not run on purpose.
    pub(super) fn skipped(&self) -> Option<u64> {
        use Category::{Ignored, Pending, Skipped, Todo};
        let parts = [Skipped, Ignored, Pending, Todo];
        let stated: Vec<u64> = parts.iter().filter_map(|part| self.get(*part)).collect();
        (!stated.is_empty()).then(|| stated.iter().sum())
    }

    pub(super) fn add(&mut self, category: Category, number: u64) {
        let known = self
            .entries
            .iter_mut()
            .find(|(known, _)| *known == category);
        if let Some((_, old)) = known {
            *old = old.saturating_add(number);
        } else {
            self.entries.push((category, number));
            self.entries.sort_unstable();
        }
    }

    pub(super) fn set(&mut self, category: Category, number: u64) {
        self.remove(category);
        self.add(category, number);
    }

    pub(super) fn remove(&mut self, category: Category) {
        self.entries.retain(|(known, _)| *known != category);
    }

    /// What is said of suites: how many failed and passed.
    pub(super) fn of_suites(&self) -> Self {
        let mut suites = Self::default();
        let number = |category| self.get(category).unwrap_or(0);
        suites.add(Category::SuitesFailed, number(Category::Failed));
        suites.add(Category::SuitesPassed, number(Category::Passed));
        suites
    }

    pub(super) fn merge(&mut self, other: &Self) {
        for (category, number) in other.iter() {
            self.add(category, number);
        }
    }

    /// Whether these are the same numbers, those aside that are zero.
    pub(super) fn agrees(&self, other: &Self) -> bool {
        let within = |one: &Self, other: &Self| {
            let mut all = one.iter().filter(|(_, number)| *number > 0);
            all.all(|(category, number)| other.get(category) == Some(number))
        };
        within(self, other) && within(other, self)
    }

    /// `7 failed, 81 passed, 0 ignored`.
    pub(super) fn words(&self) -> String {
        self.words_of(|_, _| true)
    }

    /// The same of what went wrong alone.
    pub(super) fn wrong_words(&self) -> String {
        use Category::{Cancelled, Errors, Failed, Problems, SuitesFailed};
        let wrong = [Failed, Errors, Cancelled, Problems, SuitesFailed];
        self.words_of(|category, number| number > 0 && wrong.contains(&category))
    }

    fn words_of(&self, wanted: impl Fn(Category, u64) -> bool) -> String {
        let words: Vec<String> = self
            .iter()
            .filter(|(category, number)| wanted(*category, *number))
            .map(|(category, number)| format!("{number} {}", category.word(number)))
            .collect();
        words.join(", ")
    }
}

/// The pairs of a number and its word in `text`: `3 passed, 1 failed` or `Failures: 1, Errors: 0`.
/// Words between the two (`2 tests failed`) are stepped over, up to the next comma or `and`.
pub(super) fn pairs(text: &str) -> Counts {
    let mut counts = Counts::default();
    let parts = text.split([',', ';', '|', '(', ')', '·']);
    for part in parts.flat_map(|part| part.split(" and ")) {
        if let Some((category, number)) = pair(part)
            && counts.get(category).is_none()
        {
            counts.add(category, number);
        }
    }
    counts
}

fn pair(part: &str) -> Option<(Category, u64)> {
    let mut number = None;
    let mut category = None;
    for word in part.split(|byte: char| byte.is_whitespace() || matches!(byte, ':' | '=')) {
        let word = word.trim_matches(|byte: char| matches!(byte, '.' | '!' | '*' | '"' | '\''));
        if number.is_none()
            && let Some(value) = figure(word)
        {
            number = Some(value);
        } else if category.is_none() {
            category = Category::of(word);
        }
    }
    Some((category?, number?))
}

/// A whole number, `1,024` not included.
pub(super) fn figure(word: &str) -> Option<u64> {
    let plain =
        !word.is_empty() && word.len() < 16 && word.bytes().all(|byte| byte.is_ascii_digit());
    plain.then(|| word.parse().ok()).flatten()
}

/// A duration in milliseconds as tools print it: `1.55s`, `30 ms`, `2m 3s`, `0:01:02`.
pub(super) fn duration(text: &str) -> Option<u64> {
    let mut total = 0.0_f64;
    let mut seen = false;
    let mut rest = text.trim();
    while let Some(start) = rest.find(|byte: char| byte.is_ascii_digit()) {
        rest = &rest[start..];
        let end = rest
            .find(|byte: char| !(byte.is_ascii_digit() || byte == '.'))
            .unwrap_or(rest.len());
        let number: f64 = rest[..end].trim_end_matches('.').parse().ok()?;
        let unit = rest[end..].trim_start();
        let factor = if unit.starts_with("ms") || unit.starts_with("milli") {
            1.0
        } else if unit.starts_with('m') {
            60_000.0
        } else if unit.starts_with('h') {
            3_600_000.0
        } else if unit.starts_with('s') {
            1_000.0
        } else {
            return None;
        };
        seen = true;
        total += number * factor;
        rest = unit.trim_start_matches(|byte: char| byte.is_ascii_alphabetic());
    }
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "not negative, and far below the range of u64"
    )]
    let whole = total.round() as u64;
    (seen && total < 1e12).then_some(whole)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn result_lines_give_pairs() {
        let words = |text: &str| pairs(text).words();
        assert_eq!(
            words("81 passed; 7 failed; 0 ignored; 0 measured"),
            "7 failed, 81 passed, 0 ignored"
        );
        assert_eq!(
            words("Tests run: 3, Failures: 1, Errors: 1, Skipped: 0"),
            "1 failed, 1 error, 0 skipped"
        );
        assert_eq!(words("3 examples, 2 failures"), "2 failed");
        assert_eq!(words("2 tests failed"), "2 failed");
        assert_eq!(words("nothing"), "");
    }

    #[test]
    fn durations_in_milliseconds() {
        assert_eq!(duration("1.55s"), Some(1550));
        assert_eq!(duration("2m 3s"), Some(123_000));
        assert_eq!(duration("30 ms"), Some(30));
        assert_eq!(duration("soon"), None);
        assert_eq!(duration("7"), None);
    }
}
