//! Maven (Surefire) and Gradle.
//!
//! ```text
//! [ERROR]   RatesTest.one:4 rate expected:<2> but was:<1>
//! [ERROR] Tests run: 3, Failures: 1, Errors: 1, Skipped: 0
//! RatesTest > one() FAILED
//! ```

mod sections;

use super::super::count::{Category, Counts, duration, figure};
use super::super::facts::{Facts, Ticket};
use super::super::place::Location;
use super::{Cues, Grammar, Line};
use sections::Sections;

/// What gives its lines away.
pub(super) const CUES: Cues = Cues::AnyAsleep(overnight_base::texts!(
    "[ERROR]|[INFO]|[WARNING]|T E S T S|Running |Tests run: |Testsuite: |Results|Failures:\
     |Errors:|Failed tests:|Tests in error:|Failed to execute|COMPILATION ERROR|Total time:\
     |<<< FAILURE!|<<< ERROR!|FAILED|PASSED|SKIPPED| completed|What went wrong|BUILD |FAILURE: "
));

const MAVEN: &str = "mvn test";
const GRADLE: &str = "gradle test";

/// How far Maven is known to be at work.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Maven {
    #[default]
    Unseen,
    /// Something that only Maven or its Surefire prints was seen.
    Seen,
    /// A result of it was read.
    Ran,
    /// What looks like Surefire's lines are those of Ant.
    Ant,
}

/// The state of one lane.
#[derive(Debug, Default)]
pub(super) struct Java {
    /// After `Results:`: the list of failing tests.
    results: bool,
    maven: Maven,
    sections: Sections,
    /// The current run has listed a failing test.
    listed: bool,
    /// Details of a failing test of Gradle, or of a section of its closing words.
    open: Option<Ticket>,
    wrong: bool,
}

impl Grammar for Java {
    fn line(&mut self, line: &Line<'_>, facts: &mut Facts) -> bool {
        if level(line.text).1.starts_with("Testsuite: ") {
            self.maven = Maven::Ant;
        }
        self.maven != Maven::Ant && self.maven_line(line, facts) || self.gradle(line, facts)
    }

    fn is_awake(&self) -> bool {
        self.results
    }

    fn is_open(&self) -> bool {
        self.open.is_some() || self.wrong || self.sections.is_open()
    }

    fn end(&mut self, facts: &mut Facts) {
        self.sections.end(self.listed, MAVEN, facts);
    }
}

impl Java {
    fn maven_line(&mut self, line: &Line<'_>, facts: &mut Facts) -> bool {
        let (level, text) = level(line.text);
        if level || text == "T E S T S" || text.starts_with("Running ") {
            self.maven = self.maven.max(Maven::Seen);
        }
        if self.maven == Maven::Ran && self.sections.begin(text, line.no, facts) {
            return true;
        }
        if self.sections.is_open() {
            if !(level || ends_section(text)) {
                self.sections.line(line.text, line.no);
                return true;
            }
            self.sections.close();
        }
        // What no level precedes, and nothing of Maven's, is of something that a test printed.
        let seen = self.maven > Maven::Unseen && (level || self.results);
        if let Some((counts, class)) = ran(text).filter(|(_, class)| *class || seen) {
            self.maven = Maven::Ran;
            facts.tool(MAVEN);
            if class {
                // The line of a class: its failures follow, the total comes later.
                facts.saw_class(MAVEN, &counts);
            } else {
                facts.result(MAVEN, counts, None);
                facts.close(MAVEN);
                self.sections.end(self.listed, MAVEN, facts);
                (self.results, self.listed) = (false, false);
            }
            return true;
        }
        if self.maven < Maven::Ran {
            self.results |= self.maven == Maven::Seen && matches!(text, "Results:" | "Results :");
            return false;
        }
        match text {
            "Results:" | "Results :" => {
                self.results = true;
                return true;
            }
            "Failures:" | "Errors:" | "Failed tests:" | "Tests in error:"
                if level || self.results =>
            {
                return true;
            }
            _ => {}
        }
        if self.results
            && line.text.len() - text.len() <= 10
            && let Some((name, place, message)) = listed(text)
        {
            self.fail((&name, place, message), line.no, facts);
            return true;
        }
        if text.starts_with("Failed to execute goal") || text.starts_with("COMPILATION ERROR") {
            facts.note(line.text, line.no);
            return true;
        }
        if let Some(took) = text.strip_prefix("Total time:") {
            facts.total_ms = facts.total_ms.or(duration(took));
            return true;
        }
        level && text.is_empty()
    }

    /// A failing test of the list: what it says stood before, or is cut short here.
    fn fail(
        &mut self,
        (name, place, message): (&str, Option<Location>, &str),
        no: u64,
        facts: &mut Facts,
    ) {
        self.listed = true;
        let section = self.sections.take(name);
        let said = section.is_some();
        let at = match section {
            Some(section) => section.fail(MAVEN, no, facts),
            None => facts.fail(MAVEN, name, no),
        };
        if let (Some(place), Some(failure)) = (place, facts.failure(at)) {
            failure.block.at(place);
        }
        if !said {
            facts.message(at, message, no);
        }
    }

    fn gradle(&mut self, line: &Line<'_>, facts: &mut Facts) -> bool {
        let text = line.text;
        if let Some((name, outcome)) = gradle_test(text) {
            self.open = None;
            match outcome {
                "PASSED" => facts.saw(GRADLE, Category::Passed),
                "SKIPPED" => facts.saw(GRADLE, Category::Skipped),
                _ => {
                    facts.saw(GRADLE, Category::Failed);
                    self.open = Some(facts.fail(GRADLE, name, line.no));
                }
            }
            return true;
        }
        if let Some(counts) = completed(text) {
            self.open = None;
            facts.result(GRADLE, counts, None);
            facts.close(GRADLE);
            return true;
        }
        if text.starts_with("* What went wrong:") {
            self.wrong = true;
            return true;
        }
        if text.starts_with("BUILD FAILED")
            || text.starts_with("FAILURE: Build failed")
            || text.starts_with("BUILD SUCCESSFUL")
        {
            facts.fallback = facts.fallback.or(Some("gradle"));
            if !text.starts_with("BUILD SUCCESSFUL") {
                facts.note(text, line.no);
            }
            let took = text.split_once(" in ").and_then(|(_, took)| duration(took));
            facts.total_ms = facts.total_ms.or(took);
            return true;
        }
        if text.starts_with("> Task ") && text.ends_with(" FAILED") {
            facts.note(text, line.no);
            return true;
        }
        if self.wrong {
            self.wrong = !text.is_empty() && !text.starts_with("* ");
            if self.wrong {
                facts.note(text, line.no);
            }
            return true;
        }
        if let Some(at) = self.open {
            if line.indent() >= 4 || text.is_empty() {
                facts.detail(at, text, line.no);
                return true;
            }
            self.open = None;
        }
        false
    }
}

/// What follows the sections of a class where no level precedes it.
fn ends_section(text: &str) -> bool {
    text.starts_with("Running ") || text.starts_with("Tests run: ") || text.starts_with("Results")
}

fn level(text: &str) -> (bool, &str) {
    for word in ["[ERROR]", "[INFO]", "[WARNING]"] {
        if let Some(rest) = text.strip_prefix(word) {
            return (true, rest.trim());
        }
    }
    (false, text.trim())
}

/// `Tests run: 3, Failures: 1, Errors: 1, Skipped: 0`, and whether it is the line of one class.
fn ran(text: &str) -> Option<(Counts, bool)> {
    let rest = text.strip_prefix("Tests run: ")?;
    // What a test counts stands behind a level too.
    if !rest.contains("Errors: ") {
        return None;
    }
    let class = rest.contains("Time elapsed");
    let mut counts = Counts::default();
    let mut bad = 0;
    let (total, rest) = rest.split_once(',')?;
    let total = figure(total.trim())?;
    for part in rest.split(',') {
        let Some((name, number)) = part.split_once(':') else {
            continue;
        };
        let (Some(category), Some(number)) = (Category::of(name.trim()), figure(number.trim()))
        else {
            continue;
        };
        bad += number;
        counts.add(category, number);
    }
    counts.add(Category::Total, total);
    counts.add(Category::Passed, total.saturating_sub(bad));
    Some((counts, class))
}

/// `RatesTest.one:4 rate expected:<2> but was:<1>`, `RatesTest>Base.one:4->help:9 x`, or
/// `one(ex.RatesTest): x`.
fn listed(text: &str) -> Option<(String, Option<Location>, &str)> {
    let text = text.strip_prefix("Run 1: ").unwrap_or(text);
    let (head, message) = text.split_once(' ').unwrap_or((text, ""));
    if let Some((method, class)) = head.split_once('(') {
        let class = class.trim_end_matches([':', ')']);
        let class = class.rsplit('.').next()?;
        return Some((format!("{class}.{method}"), None, message));
    }
    let named = head.split("->").next()?;
    let (name, row) = match named.rsplit_once(':') {
        Some((name, row)) if figure(row).is_some() => (name, figure(row)),
        _ => (named, None),
    };
    let (class, _) = name.split_once(['.', '>'])?;
    let fits = !class.is_empty()
        && !class.starts_with(|found: char| found.is_ascii_lowercase() && !class.contains("Test"))
        && class
            .chars()
            .all(|found| found.is_alphanumeric() || matches!(found, '_' | '$'));
    if !fits {
        return None;
    }
    let place = row.map(|row| {
        let file = format!("{class}.java");
        let shown = format!("{file}:{row}");
        Location {
            file,
            line: row,
            shown,
        }
    });
    Some((name.replace('>', "."), place, message))
}

/// `com.x.RatesTest > one() FAILED`.
fn gradle_test(text: &str) -> Option<(&str, &str)> {
    let (name, outcome) = text.rsplit_once(' ')?;
    let known = matches!(outcome, "FAILED" | "PASSED" | "SKIPPED");
    (known && name.contains(" > ") && !name.starts_with('>') && !name.starts_with([' ', '[']))
        .then_some((name, outcome))
}

/// `3 tests completed, 1 failed, 1 skipped`.
fn completed(text: &str) -> Option<Counts> {
    let (total, rest) = text.split_once(" completed")?;
    let total = figure(
        total
            .strip_suffix(" tests")
            .or_else(|| total.strip_suffix(" test"))?,
    )?;
    let mut counts = super::super::count::pairs(rest);
    let bad: u64 = counts.iter().map(|(_, number)| number).sum();
    counts.add(Category::Passed, total.saturating_sub(bad));
    counts.add(Category::Total, total);
    if counts.get(Category::Skipped).is_none() {
        counts.add(Category::Skipped, 0);
    }
    Some(counts)
}

#[cfg(test)]
mod tests {
    use super::super::{messages, names, sample, stated};

    #[test]
    fn surefire() {
        let facts = sample(
            "[ERROR] Tests run: 3, Failures: 1, Errors: 1, Skipped: 0, Time elapsed: 0.126 s <<< FAILURE! - in ex.RatesTest\n[INFO] Results:\n[INFO] \n[ERROR] Failures: \n\
             [ERROR]   RatesTest.one:4 rate expected:<2> but was:<1>\n[ERROR] Errors: \n[ERROR]   RatesTest.io:4 Runtime rates.csv not found\n[INFO] \n\
             [ERROR] Tests run: 3, Failures: 1, Errors: 1, Skipped: 0\n",
        );
        assert_eq!(names(&facts), ["RatesTest.one", "RatesTest.io"]);
        assert_eq!(
            stated(&facts),
            "1 failed, 1 error, 1 passed, 0 skipped, 3 total"
        );
    }

    #[test]
    fn what_tests_count_is_no_result() {
        let facts = sample(
            "[INFO]  T E S T S\n[INFO] Running ex.RatesTest\n[INFO] Tests run: 58, Failures: 0\n[INFO] Tests run: 59, Failures: 0\n\
             [INFO] Tests run: 3, Failures: 0, Errors: 0, Skipped: 0, Time elapsed: 0.1 s - in ex.RatesTest\n[INFO] Results:\n[INFO] \n[INFO] Tests run: 3, Failures: 0, Errors: 0, Skipped: 0\n",
        );
        let own = facts.sessions.iter().filter(|run| run.tool == super::MAVEN);
        let stated: Vec<_> = own
            .map(|run| run.stated.as_ref().unwrap().words())
            .collect();
        assert_eq!(stated, ["0 failed, 0 errors, 3 passed, 0 skipped, 3 total"]);
    }

    #[test]
    fn what_a_test_says_stands_before_the_list() {
        let facts = sample(
            "[INFO] Running ex.TideTest\n[ERROR] Tests run: 3, Failures: 2, Errors: 0, Skipped: 0, Time elapsed: 0.126 s <<< FAILURE! - in ex.TideTest\n\
             [ERROR] height[hour 2](ex.TideTest)  Time elapsed: 0.006 s  <<< FAILURE!\njava.io.UncheckedIOException: tides.csv (No such file or directory)\n\tat ex.TideTest.height(TideTest.java:11)\n\n\
             [ERROR] height[hour 6](ex.TideTest)  Time elapsed: 0.001 s  <<< FAILURE!\njava.lang.AssertionError: expected:<5> but was:<6>\n\tat ex.TideTest.height(TideTest.java:11)\n\n\
             [INFO] Results:\n[INFO] \n[ERROR] Failures: \n[ERROR]   TideTest.height:11 UncheckedIO tides.csv (...\n[ERROR]   TideTest.height:11 expected:<5> but was:<6>\n\
             [ERROR] Tests run: 3, Failures: 2, Errors: 0, Skipped: 0\n",
        );
        assert_eq!(
            messages(&facts),
            [
                (
                    "TideTest.height[hour 2]",
                    "java.io.UncheckedIOException: tides.csv (No such file or directory)"
                ),
                (
                    "TideTest.height[hour 6]",
                    "java.lang.AssertionError: expected:<5> but was:<6>"
                )
            ]
        );
    }

    #[test]
    fn gradle() {
        let facts = sample(
            "RatesTest > one() FAILED\n    java.lang.AssertionError: boom at RatesTest.java:4\n\n3 tests completed, 1 failed\n",
        );
        assert_eq!(facts.failures[0].name, "RatesTest > one()");
        assert_eq!(
            facts.failures[0].block.first(),
            Some("java.lang.AssertionError: boom at RatesTest.java:4")
        );
        assert_eq!(stated(&facts), "1 failed, 2 passed, 0 skipped, 3 total");
    }
}
