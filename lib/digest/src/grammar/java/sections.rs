//! What each failing test of a class says, which Surefire prints before it lists all of them with
//! messages cut short.
//!
//! ```text
//! [ERROR] height[hour 2](org.fjord.TideTest)  Time elapsed: 0.006 s  <<< FAILURE!
//! java.lang.AssertionError: expected:<3> but was:<2>
//!         at org.fjord.TideTest.height(TideTest.java:11)
//! ```

use super::super::super::block::{self, Block};
use super::super::super::facts::{Facts, Ticket};

/// The most sections remembered until the list comes.
const EACH_MAX: usize = 300;

/// The sections that no test of a list has yet.
#[derive(Debug, Default)]
pub(super) struct Sections {
    each: Vec<Section>,
    /// One is being read.
    open: bool,
    /// It is the last of these: else what it says is not wanted.
    kept: bool,
    /// Its stack too.
    stack: bool,
}

/// What one failing test says.
#[derive(Debug)]
pub(super) struct Section {
    /// `TideTest.height`, as the list names it.
    test: String,
    /// `[hour 2]`: with which parameters.
    parameters: String,
    block: Block,
    lines: (u64, u64),
}

impl Sections {
    pub(super) fn is_open(&self) -> bool {
        self.open
    }

    /// A line without its level; true when it is the heading of a section.
    pub(super) fn begin(&mut self, text: &str, no: u64, facts: &mut Facts) -> bool {
        let Some((name, parameters)) = heading(text) else {
            return false;
        };
        (self.open, self.stack) = (self.each.len() < EACH_MAX, false);
        self.kept = self.open && facts.wants(&name);
        if self.kept {
            self.each.push(Section {
                test: name,
                parameters: parameters.to_owned(),
                block: Block::default(),
                lines: (no, no),
            });
        }
        true
    }

    /// The next line of the section: it ends with the blank one below its stack.
    pub(super) fn line(&mut self, text: &str, no: u64) {
        if text.is_empty() && self.stack {
            self.open = false;
            return;
        }
        self.stack |= block::is_frame(text.trim());
        if let Some(section) = self.each.last_mut().filter(|_| self.kept) {
            section.block.push(text);
            section.lines.1 = no;
        }
    }

    /// The section ends with what is none of its lines.
    pub(super) fn close(&mut self) {
        self.open = false;
    }

    /// The first section of this test.
    pub(super) fn take(&mut self, test: &str) -> Option<Section> {
        let at = self.each.iter().position(|section| section.test == test)?;
        Some(self.each.remove(at))
    }

    /// Forgets them; those of a run without a list are told.
    pub(super) fn end(&mut self, listed: bool, tool: &'static str, facts: &mut Facts) {
        for section in self.each.drain(..).filter(|_| !listed) {
            let no = section.lines.0;
            section.fail(tool, no, facts);
        }
        self.open = false;
    }
}

impl Section {
    /// A failing test, named on this line.
    pub(super) fn fail(self, tool: &'static str, no: u64, facts: &mut Facts) -> Ticket {
        let at = facts.fail(tool, &format!("{}{}", self.test, self.parameters), no);
        if let Some(failure) = facts.failure(at) {
            failure.log_lines = self.lines;
            failure.block = self.block;
        }
        at
    }
}

/// `height[hour 2](org.fjord.TideTest)  Time elapsed: 0.006 s  <<< FAILURE!`, since version 3
/// `org.fjord.TideTest.height(int)[2] -- Time elapsed: …`: the test as the list names it, and its
/// parameters.
fn heading(text: &str) -> Option<(String, &str)> {
    let ended = text.ends_with("<<< FAILURE!") || text.ends_with("<<< ERROR!");
    let (head, _) = text.split_once("Time elapsed: ").filter(|_| ended)?;
    let head = head.trim_end().trim_end_matches("--").trim_end();
    let end = head.find(['(', '[']).unwrap_or(head.len());
    let (name, rest) = head.split_at(end);
    if name.contains('.') {
        let (class, method) = name.rsplit_once('.')?;
        let whole = method.starts_with(|first: char| first.is_uppercase());
        let class = if whole { name } else { class };
        let class = class.rsplit('.').next()?;
        let listed = if whole {
            class.to_owned()
        } else {
            format!("{class}.{method}")
        };
        return Some((listed, rest));
    }
    let (parameters, class) = rest.strip_suffix(')')?.rsplit_once('(')?;
    let class = class.rsplit('.').next()?;
    (!name.is_empty()).then(|| (format!("{class}.{name}"), parameters))
}

#[cfg(test)]
mod tests {
    use super::heading;

    #[test]
    fn tests_of_old_and_new_versions() {
        let named = |text| heading(text).map(|(test, parameters)| test + " " + parameters);
        for (text, expected) in [
            (
                "one(ex.RatesTest)  Time elapsed: 0 s  <<< FAILURE!",
                Some("RatesTest.one "),
            ),
            (
                "height[hour 2.5](org.fjord.TideTest)  Time elapsed: 0.006 sec  <<< ERROR!",
                Some("TideTest.height [hour 2.5]"),
            ),
            (
                "org.fjord.TideTest.height(int, String)[2] -- Time elapsed: 0.1 s <<< FAILURE!",
                Some("TideTest.height (int, String)[2]"),
            ),
            (
                "ex.MeterTest -- Time elapsed: 0.1 s <<< ERROR!",
                Some("MeterTest "),
            ),
            ("one(ex.RatesTest)  Time elapsed: 0 s", None),
            (
                "Tests run: 3, Failures: 1, Errors: 1, Skipped: 0, Time elapsed: 0.126 s <<< FAILURE!",
                None,
            ),
        ] {
            assert_eq!(named(text).as_deref(), expected, "{text}");
        }
    }
}
