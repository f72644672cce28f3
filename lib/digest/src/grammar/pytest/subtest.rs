//! Subtests, as pytest prints them since 9.0 and its plugin before.
//!
//! ```text
//! SUBFAILED[message] (i=1) tests/test_a.py::T::test_b - AssertionError: 1 != 0
//! [message] (i=1) SUBFAIL tests/test_a.py::T::test_b - AssertionError: 1 != 0
//! tests/test_a.py::T::test_b SUBFAILED[message] (i=1)                  [ 80%]
//! [gw0] [ 60%] SUBFAILED[message] (i=1) tests/test_a.py::T::test_b
//! ```

use super::names::{short, split_message};

/// A subtest that failed.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Subtest<'a> {
    /// The test that it is a part of.
    test: &'a str,
    /// Its message and its parameters.
    description: &'a str,
    /// The first words of its error.
    pub(super) message: Option<&'a str>,
}

impl Subtest<'_> {
    /// Its full name: that of the test, and its own.
    pub(super) fn name(&self) -> String {
        format!("{} {}", self.test, self.description)
    }

    /// The name that its section has.
    pub(super) fn section(&self) -> String {
        format!("{} {}", short(self.test), self.description)
    }
}

/// Whether the line tells of a subtest, whatever became of it.
pub(super) fn is_one(text: &str) -> bool {
    (text.starts_with("SUB") || text.contains(" SUB"))
        && ["SUBPASS", "SUBFAIL", "SUBSKIP", "SUBXFAIL", "SUBXPASS"]
            .iter()
            .any(|word| text.contains(word))
}

/// The failed subtest that the line tells of.
pub(super) fn failed(line: &str) -> Option<Subtest<'_>> {
    let line = match line.strip_prefix("[gw") {
        Some(rest) => rest.split_once("%] ")?.1,
        None => line,
    };
    let line = match line.rsplit_once('[') {
        Some((head, tail)) if tail.ends_with("%]") => head.trim_end(),
        _ => line,
    };
    let at = line.find("SUBFAIL")?;
    let before = line[..at].trim_end();
    let after = &line[at + "SUBFAIL".len()..];
    let after = after.strip_prefix("ED").unwrap_or(after);
    if before.split(' ').next()?.contains("::") {
        let (test, description) = match after.trim() {
            "" => before.split_at(before.find([' ', '('])?),
            description => (before, description),
        };
        return Some(Subtest {
            test,
            description: description.trim_start(),
            message: None,
        });
    }
    let file = after.find(".py::")?;
    let begin = after[..file].rfind(' ')?;
    let own = after[..begin].trim();
    let (test, message) = split_message(&after[begin + 1..]);
    Some(Subtest {
        test,
        description: if own.is_empty() { before } else { own },
        message,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_forms_name_the_same_subtest() {
        for text in [
            "SUBFAILED[a message] (i=1) t/test_a.py::T::test_b - AssertionError: 1 != 0",
            "[a message] (i=1) SUBFAIL t/test_a.py::T::test_b - AssertionError: 1 != 0",
            "t/test_a.py::T::test_b SUBFAILED[a message] (i=1)                  [ 80%]",
            "t/test_a.py::T::test_b [a message] (i=1) SUBFAIL                   [ 80%]",
            "[gw0] [ 60%] SUBFAILED[a message] (i=1) t/test_a.py::T::test_b",
        ] {
            let subtest = failed(text).unwrap();
            assert_eq!(
                subtest.name(),
                "t/test_a.py::T::test_b [a message] (i=1)",
                "{text}"
            );
            assert_eq!(subtest.section(), "T.test_b [a message] (i=1)", "{text}");
            let message = text.contains(" - ").then_some("AssertionError: 1 != 0");
            assert_eq!(subtest.message, message, "{text}");
        }
        for text in [
            "SUBFAIL",
            "SUBFAILED(i=1)",
            "a SUBFAIL b",
            "x::y SUBPASSED(i=1)",
        ] {
            assert_eq!(failed(text), None, "{text}");
        }
    }
}
