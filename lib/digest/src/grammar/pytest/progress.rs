//! The lines of tests while they run.

use super::super::super::count::Category;
use super::super::super::facts::Facts;
use super::TOOL;
use super::names::{is_module, verbose};
use memchr::memchr_iter;

/// Whether this is a line of tests that ran.
pub(super) fn is_progress(text: &str) -> bool {
    text.ends_with("%]") && (verbose(text).is_some() || marks(text).is_some()) || is_bar(text)
}

/// ` tests/test_a.py ✓⨯   25% ██▌` of pytest-sugar.
fn is_bar(text: &str) -> bool {
    let bar = text.trim_end_matches(['█', '▉', '▊', '▋', '▌', '▍', '▎', '▏']);
    bar.len() < text.len() && bar.ends_with("% ") && text.contains(".py ")
}

/// `tests/test_a.py ..F.s   [ 12%]`: one character per test.
pub(super) fn dots(text: &str, facts: &mut Facts) -> bool {
    let Some(marks) = marks(text) else {
        return false;
    };
    for (mark, category) in [
        (b'.', Category::Passed),
        (b'F', Category::Failed),
        (b'E', Category::Errors),
        (b's', Category::Skipped),
        (b'x', Category::Xfailed),
    ] {
        let number = memchr_iter(mark, marks.as_bytes()).count() as u64;
        if number > 0 {
            facts.saw_all(TOOL, category, number);
        }
    }
    true
}

/// The characters of a line of tests.
fn marks(text: &str) -> Option<&str> {
    let (head, percent) = text.rsplit_once('[')?;
    let percent = percent.strip_suffix("%]").map(str::trim)?;
    if !percent.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let head = head.trim_end();
    let marks = head.rsplit(' ').next().unwrap_or(head);
    // `tests/test_a.py ..F` or the marks alone.
    let file = head[..head.len() - marks.len()].trim_end();
    (are_marks(marks) && (file.is_empty() || is_module(file))).then_some(marks)
}

/// Whether each character is the outcome of a test.
pub(super) fn are_marks(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| b".FEsxXRuy,-".contains(&byte))
}
