//! Runners that number their failures: mocha, cypress, jasmine, `RSpec`, minitest, `PHPUnit`, `ExUnit`,
//! Playwright, cucumber, hspec, lab.
//!
//! ```text
//!   1) Cart
//!        applies discount to the cent:
//!      AssertionError: Expected values to be strictly equal:
//! 3 examples, 2 failures
//! ```

mod list;
mod totals;

use super::super::count::{Category, duration, figure};
use super::super::facts::{Facts, Ticket};
use super::super::place::{self, Location};
use super::{Cues, Grammar, Line, is_after_blank, is_other};
use list::{List, numbered};
use totals::counted;

/// Numbers at the start of a line, and what is said of them.
pub(super) const CUES: Cues = Cues::Any(
    overnight_base::texts!(
        "Failures:|Failed tests:|Pending:|There was |There were |Failed examples:|Warnings:\
         |Running |Tests: |Tests run: |OK (|Finished in |PHPUnit |andomized with seed|rspec "
    ),
    "*0123456789",
);

/// Which of them is at work: what a numbered line means depends on it.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Kind {
    #[default]
    Unknown,
    Mocha,
    /// After `Failures:`; the result line tells which one it is.
    Failures,
    Minitest,
    Phpunit,
    Exunit,
    Playwright,
}

/// What of a failure is being read.
#[derive(Debug, Default)]
enum Open {
    #[default]
    None,
    /// A name of several lines.
    Name(String, u64),
    /// The name stands on the next line.
    NextLine,
    Details(Ticket),
}

/// The state of one lane.
#[derive(Debug, Default)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a fact of its own about what follows"
)]
pub(super) struct Numbered {
    kind: Kind,
    open: Open,
    /// The numbered lines that follow are no failures.
    skipping: bool,
    /// The time that the tests took was said: their number follows.
    finished: bool,
    /// Failures were announced: numbered lines must be looked at.
    expecting: bool,
    /// The stack of the failing test has been read.
    stack: bool,
    /// The line of mocha's last number: the others stand right below.
    total_at: u64,
    /// Mocha's list of failing tests.
    list: List,
    /// `PHPUnit` has said its name, as it does before each run.
    headed: bool,
    /// hspec puts the place of a failure above its number.
    ahead: Option<String>,
}

impl Grammar for Numbered {
    fn line(&mut self, line: &Line<'_>, facts: &mut Facts) -> bool {
        // mocha ends what it says of a failing test with its stack: what is no other one, is of the
        // next program, or of its own next run.
        let left = self.stack && line.indent() <= 2 && !line.text.is_empty();
        let more = self.kind == Kind::Mocha && self.list.has_more();
        if left && self.kind == Kind::Mocha && !more && numbered(line).is_none() {
            (self.kind, self.open) = (Kind::Unknown, Open::None);
            (self.stack, self.expecting) = (false, false);
        }
        // The difference of two values, above the stack.
        let differs = self.kind == Kind::Mocha && !self.stack && line.text.starts_with("+ ");
        if self.is_open() && is_other(line.text) && !differs && !more {
            self.open = Open::None;
            self.expecting = false;
            return false;
        }
        // What ExUnit's `--trace` prints of the tests that follow.
        if self.kind == Kind::Exunit && line.trimmed().starts_with("* ") {
            self.open = Open::None;
            return true;
        }
        self.frame(line.text, facts);
        if self.marker(line, facts) || self.total(line, facts) {
            return true;
        }
        if let Some((number, name)) = numbered(line)
            && (self.kind != Kind::Mocha || self.list.goes_on(number))
            && self.start(name, line, facts)
        {
            return true;
        }
        if let Some(rest) = line.text.strip_prefix("rspec ") {
            return rerun(rest, facts);
        }
        let place = line
            .trimmed()
            .strip_suffix(':')
            .filter(|_| line.indent() == 2);
        if self.kind == Kind::Failures && place.is_some_and(place::is_whole) {
            self.ahead = place.map(str::to_owned);
            return true;
        }
        self.inner(line, facts)
    }

    fn is_open(&self) -> bool {
        self.expecting || !matches!(self.open, Open::None)
    }
}

impl Numbered {
    fn tool(&self) -> &'static str {
        match self.kind {
            Kind::Mocha => "mocha",
            Kind::Minitest => "minitest",
            Kind::Phpunit => "phpunit",
            Kind::Exunit => "mix test",
            Kind::Playwright => "playwright",
            // Several runners print the same heading: the result line tells which.
            Kind::Unknown | Kind::Failures => "",
        }
    }

    /// A line that begins or ends a run.
    fn frame(&mut self, text: &str, facts: &mut Facts) {
        if text.starts_with("PHPUnit ") && text.contains(" by Sebastian Bergmann") {
            self.headed = true;
            facts.start("phpunit");
        } else if text.starts_with("Running ExUnit with seed") {
            facts.start("mix test");
        } else if text.starts_with("Randomized with seed") && facts.states("mix test") {
            facts.close("mix test");
        }
    }

    /// A line that says what the numbered lines after it are.
    fn marker(&mut self, line: &Line<'_>, facts: &mut Facts) -> bool {
        let text = line.text;
        let trimmed = line.trimmed();
        let fails = matches!(text, "Failures:" | "Failed tests:");
        if fails || text == "Pending:" || text.starts_with("Pending: (") {
            self.kind = Kind::Failures;
            self.skipping = !fails;
            self.expecting = true;
            self.open = Open::None;
            return true;
        }
        if let Some(rest) = text
            .strip_prefix("There was ")
            .or_else(|| text.strip_prefix("There were "))
            && rest.ends_with(':')
        {
            let bad = rest.contains("failure") || rest.contains("error");
            self.kind = Kind::Phpunit;
            self.skipping = !bad;
            self.expecting = true;
            self.open = Open::None;
            return true;
        }
        if text.starts_with("Failed examples:")
            || text.starts_with("Warnings:") && self.kind == Kind::Failures
        {
            self.open = Open::None;
            return true;
        }
        if text.starts_with("Running ")
            && trimmed.contains(" using ")
            && trimmed.ends_with(['r', 's'])
            && text.contains("worker")
        {
            self.kind = Kind::Playwright;
            self.expecting = true;
            facts.start("playwright");
            return true;
        }
        false
    }

    /// A numbered line; false when it is none of ours.
    fn start(&mut self, name: &str, line: &Line<'_>, facts: &mut Facts) -> bool {
        self.stack = false;
        let exunit = (name.starts_with("test ")
            || name.starts_with("property ")
            || name.starts_with("doctest "))
            && name.ends_with(')');
        let other = matches!(self.kind, Kind::Failures | Kind::Mocha | Kind::Playwright);
        if exunit && !other {
            self.kind = Kind::Exunit;
            self.skipping = false;
        }
        // The end of an output, without what Playwright says first.
        if self.kind == Kind::Unknown && name.contains(" › ") && name.ends_with('─') {
            self.kind = Kind::Playwright;
        }
        if matches!(name, "Failure:" | "Error:" | "Skipped:") {
            self.kind = Kind::Minitest;
            self.skipping = name == "Skipped:";
            self.open = Open::NextLine;
            return true;
        }
        if self.kind == Kind::Unknown || self.kind == Kind::Minitest {
            return false;
        }
        match self.kind {
            Kind::Mocha => {
                self.open = Open::Name(name.to_owned(), line.no);
                self.close_name(facts);
            }
            Kind::Playwright => {
                let name = name.trim_end_matches(['─', ' ']);
                self.details(name, line, facts);
            }
            _ if self.skipping => self.open = Open::None,
            _ => self.details(name.trim_end_matches(':'), line, facts),
        }
        true
    }

    fn details(&mut self, name: &str, line: &Line<'_>, facts: &mut Facts) {
        let at = facts.fail(self.tool(), name, line.no);
        if let Some(place) = self.ahead.take() {
            facts.place(at, &place);
        }
        self.open = Open::Details(at);
    }

    fn inner(&mut self, line: &Line<'_>, facts: &mut Facts) -> bool {
        match &mut self.open {
            Open::None => return false,
            Open::NextLine => {
                if self.skipping {
                    self.open = Open::None;
                    return true;
                }
                let name = line.text.trim_end_matches(':');
                let parts = name.split_once(" [");
                let (name, place) = parts.map_or((name, None), |(name, place)| (name, Some(place)));
                self.details(name, line, facts);
                if let (Some(place), Open::Details(at)) = (place, &self.open) {
                    let place = place.trim_end_matches([']', ':']);
                    facts.place(*at, place);
                }
            }
            Open::Name(name, _) => {
                name.push(' ');
                name.push_str(line.trimmed());
                self.close_name(facts);
            }
            Open::Details(at) => {
                let at = *at;
                // Diffs and messages may hold anything; rulers and rerun hints end nothing.
                self.stack |= line.indent() > 4 && line.trimmed().starts_with("at ");
                // Below its name ExUnit says where the test begins; its stack, where it failed.
                if self.kind == Kind::Exunit && place::is_whole(line.trimmed()) {
                    facts.place_of_test(at, line.text);
                } else {
                    facts.detail(at, line.text, line.no);
                }
            }
        }
        true
    }

    /// Mocha's names end with a colon, maybe lines later.
    fn close_name(&mut self, facts: &mut Facts) {
        let Open::Name(name, no) = &self.open else {
            return;
        };
        let long = name.len() > 600;
        if let Some(whole) = name
            .strip_suffix(':')
            .or(Some(name.as_str()).filter(|_| long))
        {
            let at = facts.fail("mocha", whole, *no);
            self.open = Open::Details(at);
        }
    }

    fn total(&mut self, line: &Line<'_>, facts: &mut Facts) -> bool {
        let done = self.mocha_total(line, facts)
            || self.playwright_total(line, facts)
            || self.other_total(line, facts);
        if done && self.kind != Kind::Mocha {
            self.expecting = self.kind == Kind::Playwright && self.expecting;
        }
        if done && !matches!(self.kind, Kind::Mocha | Kind::Playwright) {
            self.open = Open::None;
        }
        done
    }

    /// `  38 passing (31ms)`, `  7 failing`.
    fn mocha_total(&mut self, line: &Line<'_>, facts: &mut Facts) -> bool {
        let mut words = line.trimmed().split(' ');
        let (Some(number), Some(word)) = (words.next().and_then(figure), words.next()) else {
            return false;
        };
        let category = match word {
            "passing" => Category::Passed,
            "failing" => Category::Failed,
            "pending" if self.kind == Kind::Mocha => Category::Pending,
            _ => return false,
        };
        let rest: String = words.collect::<Vec<_>>().join(" ");
        if !(rest.is_empty() || rest.starts_with('(')) || line.indent() == 0 {
            return false;
        }
        // A test may print such a line; mocha's own stand below a blank one, and together.
        let own = match category {
            Category::Passed => is_after_blank(line, facts),
            _ => self.kind == Kind::Mocha && line.no <= self.total_at + 2,
        };
        // It depends on where it stands.
        facts.keep();
        if !own {
            return false;
        }
        facts.now.weak = category == Category::Passed;
        if category == Category::Passed {
            facts.afresh("mocha");
        }
        self.total_at = line.no;
        (self.kind, self.stack) = (Kind::Mocha, false);
        self.open = Open::None;
        self.expecting = category == Category::Failed && number > 0;
        self.list = List::of(if self.expecting { number } else { 0 });
        facts.part("mocha", category, number);
        facts.duration("mocha", duration(&rest));
        true
    }

    /// `  1 failed`, `  1 passed (1.9s)`.
    fn playwright_total(&mut self, line: &Line<'_>, facts: &mut Facts) -> bool {
        if self.kind != Kind::Playwright || line.indent() != 2 {
            return false;
        }
        let text = line.trimmed();
        let (text, took) = text.split_once(" (").unwrap_or((text, ""));
        let Some((number, word)) = text.split_once(' ') else {
            return false;
        };
        let (Some(number), Some(category)) = (figure(number), category(word)) else {
            return false;
        };
        self.open = Open::None;
        facts.part("playwright", category, number);
        facts.duration("playwright", duration(took));
        true
    }

    fn other_total(&mut self, line: &Line<'_>, facts: &mut Facts) -> bool {
        let text = line.text;
        if let Some((tool, counts)) = counted(text, self.kind) {
            // A test may print such a line; the runner's own stands below the time it took.
            let finished = std::mem::take(&mut self.finished);
            let noise = match tool {
                "rspec" => !(finished || is_after_blank(line, facts)),
                "mix test" => !finished && self.kind == Kind::Exunit,
                _ => false,
            };
            if noise {
                return false;
            }
            facts.now.weak = match tool {
                "phpunit" | "junit" => false,
                "mix test" => !finished,
                "minitest" => self.kind != Kind::Minitest && !finished,
                _ => self.kind != Kind::Failures && !finished,
            };
            facts.result(tool, counts, None);
            // Where more tells that a run is over, a test may print such a line before.
            let goes_on = tool == "phpunit" && self.headed || tool == "mix test";
            if !goes_on {
                facts.close(tool);
            }
            return true;
        }
        // `Finished in 0.04061 seconds`, for the result line that follows or went before.
        if text.starts_with("Finished in ") {
            self.finished = true;
            facts.keep();
            if self.kind != Kind::Unknown {
                self.open = Open::None;
                return true;
            }
        }
        false
    }
}

fn category(word: &str) -> Option<Category> {
    match word {
        "did not run" => Some(Category::Cancelled),
        _ => Category::of(word),
    }
}

/// `./spec/a_spec.rb:3 # String reverses`: how to run a failing test again.
fn rerun(rest: &str, facts: &mut Facts) -> bool {
    let Some((target, name)) = rest.split_once(" # ") else {
        return false;
    };
    // One that was to fail and did not is named so where it is explained.
    let (name, fixed) = (name.trim(), format!("{} FIXED", name.trim()));
    let Some(at) = facts.known(name).or_else(|| facts.known(&fixed)) else {
        return false;
    };
    let Some(failure) = facts.failure(at) else {
        return false;
    };
    let (file, row) = target.rsplit_once(':').unwrap_or((target, ""));
    failure.block.at(Location {
        file: file.to_owned(),
        line: row.parse().unwrap_or(0),
        shown: format!("rspec {target}"),
    });
    true
}

#[cfg(test)]
mod tests;
