//! Maven's errors of the compiler: `[ERROR] /a/B.java:[3,5] cannot find symbol`. It lists them, and again
//! as the reason why it ends.

use std::borrow::Cow;
use std::collections::BTreeSet;

use super::super::super::hash::{OFFSET, hash};

/// So many errors are told from those that were listed: javac lists 100 of a module.
const LISTED_MAX: usize = 2_000;

/// The errors that were listed, by a hash of place and message.
#[derive(Debug, Default)]
pub(super) struct Listed(BTreeSet<u64>);

impl Listed {
    /// Whether this one was; from now on it is.
    pub(super) fn knows(&mut self, shown: &str, message: &str) -> bool {
        let error = hash(hash(OFFSET, shown.as_bytes()), message.as_bytes());
        self.0.contains(&error) || self.0.len() < LISTED_MAX && !self.0.insert(error)
    }
}

/// The file, the place as printed, and where it ends.
pub(super) fn place(text: &str) -> Option<(&str, Cow<'_, str>, usize)> {
    let at = text.find(":[")?;
    let close = text[at..].find(']')? + at;
    let numbers = &text[at + 2..close];
    let _line: u64 = numbers.split(',').next()?.parse().ok()?;
    let file = &text[..at];
    (at > 0 && !file.contains(' ')).then(|| (file, text[..=close].into(), close + 1))
}

#[cfg(test)]
mod tests {
    use super::super::super::super::problem::Severity;
    use super::super::super::sample;

    #[test]
    fn what_maven_lists_twice_counts_once() {
        let error = "[ERROR] /a/B.java:[3,5] cannot find symbol\n";
        let other = "[ERROR] /a/B.java:[9,1] cannot find symbol\n";
        let facts = sample(&format!(
            "[ERROR] COMPILATION ERROR : \n{error}{other}[INFO] 2 errors \n[INFO] BUILD FAILURE\n\
             [ERROR] Failed to execute goal x: Compilation failure: Compilation failure: \n{error}{other}"
        ));
        assert_eq!(facts.problems.seen("javac", Severity::Error), 2);
    }

    #[test]
    fn a_warning_taken_for_an_error_is_counted_as_itself() {
        let facts = sample(
            "q.c:5:5: error: x [-Werror=free]\ncc1: some warnings being treated as errors\n",
        );
        assert_eq!(facts.problems.seen("compiler", Severity::Error), 1);
    }
}
