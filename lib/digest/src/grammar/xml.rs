//! `JUnit` XML, as printed by a runner or by `cat`.
//!
//! ```text
//! <testcase name="adds" classname="calc" file="test/c.test.js" line="2">
//!   <failure message="expected 4">…</failure>
//! ```

use super::super::count::{Category, figure};
use super::super::facts::{Facts, Ticket};
use super::super::place::{self, Location};
use super::{Cues, Grammar, Line};

/// What gives its lines away.
pub(super) const CUES: Cues = Cues::Any(&["<testsuite"], "");

const TOOL: &str = "junit xml";

/// The state of one lane.
#[derive(Debug, Default)]
pub(super) struct Xml {
    active: bool,
    /// So many suites are open.
    depth: usize,
    /// Around all of them stands `<testsuites>`.
    wrapped: bool,
    /// The tests that the outermost suites say they have.
    total: Option<u64>,
    /// The test case whose end was not seen yet.
    case: Option<Case>,
}

#[derive(Debug, Default)]
struct Case {
    name: String,
    place: Option<Location>,
    line: u64,
    /// Its number, once it failed, and how.
    failed: Option<(Ticket, Category)>,
    skipped: bool,
}

impl Grammar for Xml {
    fn line(&mut self, line: &Line<'_>, facts: &mut Facts) -> bool {
        let text = line.trimmed();
        let starts = text.starts_with("<testsuite")
            || text.starts_with("<?xml") && text.contains("<testsuite");
        if !self.active && !starts {
            // Above the next of several files.
            return self.total.is_some() && text.starts_with("<?xml");
        }
        if starts {
            facts.tool(TOOL);
            self.active = true;
        }
        let mut rest = text;
        if self.case.is_some() && !rest.starts_with('<') {
            let said = unescape(rest.split('<').next().unwrap_or(rest));
            self.detail(&said, line, facts);
        }
        while let Some(at) = rest.find('<') {
            let tag = &rest[at..];
            let end = tag_end(tag);
            self.tag(&tag[..end], line, facts);
            let after = &tag[end..];
            let said = after.split('<').next().unwrap_or(after);
            if said.len() > 1 {
                self.detail(&unescape(said), line, facts);
            }
            rest = after;
        }
        true
    }

    fn is_open(&self) -> bool {
        self.active
    }

    fn end(&mut self, facts: &mut Facts) {
        self.close(facts);
        // What its comments said, says the same.
        if let Some(total) = self.total
            && facts.stands(TOOL, Category::Total) == 0
        {
            facts.part(TOOL, Category::Total, total);
        }
    }
}

impl Xml {
    fn tag(&mut self, tag: &str, line: &Line<'_>, facts: &mut Facts) {
        let closed = tag.ends_with("/>");
        if tag.starts_with("<testcase") {
            self.close(facts);
            self.case = Some(case(tag, line.no));
            if closed {
                self.close(facts);
            }
        } else if tag.starts_with("</testcase") {
            self.close(facts);
        } else if tag.starts_with("<skipped") {
            if let Some(case) = &mut self.case {
                case.skipped = true;
            }
        } else if tag.starts_with("<failure") || tag.starts_with("<error") {
            self.fail(tag, line, facts);
        } else if tag.starts_with("<testsuite") {
            self.suite(tag, closed);
        } else if let Some((category, number)) = count(tag) {
            facts.part(TOOL, category, number);
        } else if tag.starts_with("</testsuite") {
            self.depth = self.depth.saturating_sub(1);
            self.active = self.depth > 0 || self.wrapped;
            if tag.starts_with("</testsuites") {
                (self.active, self.wrapped, self.depth) = (false, false, 0);
            }
        }
    }

    fn suite(&mut self, tag: &str, closed: bool) {
        if tag.starts_with("<testsuites") {
            self.wrapped = !closed;
            self.active = !closed;
            return;
        }
        let tests = attribute(tag, "tests").and_then(figure);
        if let Some(tests) = tests.filter(|_| self.depth == 0) {
            self.total = Some(self.total.unwrap_or(0).saturating_add(tests));
        }
        self.depth += usize::from(!closed);
        self.active = self.depth > 0 || self.wrapped;
    }

    fn fail(&mut self, tag: &str, line: &Line<'_>, facts: &mut Facts) {
        let Some(case) = &mut self.case else { return };
        let at = facts.fail(TOOL, &case.name, case.line);
        if case.failed.is_none() {
            let how = if tag.starts_with("<error") {
                Category::Errors
            } else {
                Category::Failed
            };
            case.failed = Some((at, how));
        }
        if let Some(failure) = facts.failure(at)
            && let Some(place) = case.place.take()
        {
            failure.block.at(place);
        }
        if let Some(message) = attribute(tag, "message") {
            for part in unescape(message).lines().take(4) {
                facts.detail(at, part, line.no);
            }
        }
    }

    fn detail(&mut self, text: &str, line: &Line<'_>, facts: &mut Facts) {
        let at = self.case.as_ref().and_then(|case| case.failed);
        let Some((at, _)) = at else { return };
        for part in text.lines().take(6) {
            let place = place::leading(part).filter(|(_, end)| part[*end..].starts_with(": "));
            match (place, facts.failure(at)) {
                (Some((place, _)), Some(failure)) if failure.block.is_empty() => {
                    failure.block.at(place);
                    failure.block.message(part);
                }
                _ => facts.detail(at, part, line.no),
            }
        }
    }

    fn close(&mut self, facts: &mut Facts) {
        let Some(case) = self.case.take() else { return };
        let category = match (case.failed, case.skipped) {
            (Some((_, how)), _) => how,
            (None, true) => Category::Skipped,
            (None, false) => Category::Passed,
        };
        facts.saw(TOOL, category);
        // pytest counts a test twice that failed and whose teardown did.
        if self.total.is_none() {
            facts.saw(TOOL, Category::Total);
        }
    }
}

/// node: `<!-- fail 5 -->`.
fn count(tag: &str) -> Option<(Category, u64)> {
    let inner = tag.strip_prefix("<!-- ")?.strip_suffix(" -->")?;
    let (word, number) = inner.split_once(' ')?;
    let category = match word {
        "tests" => Category::Total,
        word => Category::of(word)?,
    };
    Some((category, figure(number)?))
}

fn case(tag: &str, line: u64) -> Case {
    let name = unescape(attribute(tag, "name").unwrap_or("?"));
    let class = attribute(tag, "classname")
        .map(unescape)
        .filter(|class| !class.is_empty());
    let place = attribute(tag, "file").map(|file| {
        let row = attribute(tag, "line")
            .and_then(|row| row.parse().ok())
            .unwrap_or(0);
        let shown = if row > 0 {
            format!("{file}:{row}")
        } else {
            file.to_owned()
        };
        Location {
            file: file.to_owned(),
            line: row,
            shown,
        }
    });
    let name = match class {
        Some(class) if !name.starts_with(&class) => format!("{class}.{name}"),
        _ => name,
    };
    Case {
        name,
        place,
        line,
        ..Case::default()
    }
}

/// The end of a tag; a `>` inside a quoted value is none.
fn tag_end(tag: &str) -> usize {
    let mut quote = None;
    for (at, byte) in tag.bytes().enumerate() {
        match (quote, byte) {
            (None, b'>') => return at + 1,
            (None, b'"' | b'\'') => quote = Some(byte),
            (Some(open), _) if open == byte => quote = None,
            _ => {}
        }
    }
    tag.len()
}

fn attribute<'t>(tag: &'t str, name: &str) -> Option<&'t str> {
    let mut rest = tag;
    while let Some(at) = rest.find(name) {
        let before = rest[..at].ends_with([' ', '\t']);
        rest = &rest[at + name.len()..];
        if before
            && let Some(value) = rest.strip_prefix('=')
            && let Some(quote) = value
                .chars()
                .next()
                .filter(|quote| matches!(quote, '"' | '\''))
        {
            return value[1..].split(quote).next();
        }
    }
    None
}

fn unescape(text: &str) -> String {
    text.replace("&#10;", "\n")
        .replace("&#xA;", "\n")
        .replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&quot;", "\"")
        .replace("&apos;", "'")
        .replace("&#39;", "'")
        .replace("&amp;", "&")
        .replace("<![CDATA[", "")
}

#[cfg(test)]
mod tests {
    use super::super::sample;

    #[test]
    fn cases_on_many_lines_or_one() {
        let facts = sample(
            "<?xml version=\"1.0\"?>\n<testsuites>\n<testsuite name=\"x\"><testcase name=\"ok\" classname=\"c\"/><testcase name=\"bad\" classname=\"c\" file=\"t.js\" line=\"2\">\
             <failure message=\"expected &lt;4&gt;\">at x</failure></testcase>\n<testcase name=\"later\"><skipped/></testcase></testsuite></testsuites>\n",
        );
        assert_eq!(
            facts.sessions[0].seen.words(),
            "1 failed, 1 passed, 1 skipped, 3 total"
        );
        assert_eq!(facts.failures[0].name, "c.bad");
        assert_eq!(facts.failures[0].block.lines[0].1, "expected <4>");
    }

    #[test]
    fn the_outermost_suites_say_how_many_tests_there_are() {
        let facts = sample(
            "<?xml version=\"1.0\"?><testsuites><testsuite name=\"a\" tests=\"3\"><testsuite name=\"b\" tests=\"2\"><testcase name=\"x\"/>\n<testcase name=\"y\">\
             <error message=\"no\"/></testcase></testsuite></testsuite>\n<testsuite name=\"c\" tests=\"1\"><testcase name=\"z\"/></testsuite></testsuites>\n",
        );
        let session = &facts.sessions[0];
        assert_eq!(session.seen.words(), "1 error, 2 passed");
        assert_eq!(session.stated.as_ref().unwrap().words(), "4 total");
    }
}
