//! The lines of a gate's output that say what failed: what the digest finds, not the output's end.

use super::clean;
use overnight_digest::{Digest, Digester, End, Frame, Options, Severity};
use overnight_judge::GateOutcome;

/// Lines that are kept of one output: what a page shows of one task, and some more.
const LINES_MAX: usize = 12;
/// An output of so few lines is told whole where its tests are not named: of what it says twice, once in its own
/// words and once as a tool does, a tool's alone explains little.
const SHORT_MAX: usize = 4;

/// What an output that ended with this status says failed; its last line says how much more there is.
pub fn lines(output: &str, exit: Option<i32>) -> Vec<String> {
    let end = exit.map_or(End::Unknown, End::Exit);
    let mut digester = Digester::new(Options::default());
    digester.push(output.as_bytes());
    let digest = digester.finish(end, None);
    let named = named(&digest);
    let most = match (digest.failures.is_empty(), named.is_empty()) {
        (true, true) => LINES_MAX,
        (true, false) => SHORT_MAX,
        (false, _) => 0,
    };
    let whole = whole(&digest).filter(|lines| lines.len() <= most);
    let mut lines = match whole {
        Some(whole) => whole,
        None if named.is_empty() => shown(&digest),
        None => named,
    };
    let more = lines.len().saturating_sub(LINES_MAX);
    lines.truncate(LINES_MAX);
    if more > 0 {
        lines.push(format!("… and {more} more"));
    }
    lines
}

/// What the tools name: failing tests with their reasons, then errors with their places.
fn named(digest: &Digest) -> Vec<String> {
    let failures = digest.failures.iter().map(|failure| {
        let place = match (&failure.file, failure.line) {
            (Some(file), Some(line)) => format!(" ({file}:{line})"),
            (Some(file), None) => format!(" ({file})"),
            (None, _) => String::new(),
        };
        let message = match failure.message.as_str() {
            "" => String::new(),
            message => format!(": {message}"),
        };
        clean(&format!("{}{place}{message}", failure.name))
    });
    let errors = digest
        .problems
        .iter()
        .filter(|problem| matches!(problem.severity, Severity::Error | Severity::Plain))
        .map(|problem| {
            let place = problem
                .places
                .first()
                .map_or(String::new(), |place| format!("{place}: "));
            clean(&format!("{place}{}", problem.text))
        });
    failures.chain(errors).collect()
}

/// All of a small output, from its first line of an error on: notices show the first line alone. What stands before
/// that, mostly the command, comes last.
fn whole(digest: &Digest) -> Option<Vec<String>> {
    let lines = digest.lines()?.into_iter();
    let lines = lines.map(|(line, is_error)| (clean(&line), is_error));
    let mut lines: Vec<_> = lines.filter(|(line, _)| !line.is_empty()).collect();
    let first = lines.iter().position(|(_, is_error)| *is_error);
    lines.rotate_left(first.unwrap_or(0));
    Some(lines.into_iter().map(|(line, _)| line).collect())
}

/// What a digest shows of an output that names nothing.
fn shown(digest: &Digest) -> Vec<String> {
    let page = digest.render(&Frame::default());
    let lines = page.lines().map(clean);
    let mut shown: Vec<String> = lines.filter(|line| !line.is_empty()).collect();
    // The last line says that it failed, which is known; what stands before it tells most.
    shown.pop();
    shown.split_off(shown.len().saturating_sub(LINES_MAX))
}

/// Those of a gate that failed: as they were kept, else as its kept output gives them.
pub fn of(gate: &GateOutcome) -> Vec<String> {
    if gate.lines.is_empty() {
        lines(&gate.tail, gate.exit)
    } else {
        gate.lines.iter().map(|line| clean(line)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_compiler_names_its_error_wherever_it_stands() {
        let noise = "progress line\n".repeat(400);
        let error =
            "src/a.ts(3,5): error TS2345: Argument of type 'string' is not assignable to 'number'.";
        let lines = lines(&format!("{error}\n{noise}"), Some(2));
        assert!(
            lines[0].contains("TS2345") && lines[0].contains("src/a.ts"),
            "{lines:?}"
        );
    }

    #[test]
    fn a_failing_test_is_named_with_its_reason() {
        let output = "running 2 tests\ntest price ... FAILED\ntest other ... ok\n\nfailures:\n\n---- price stdout ----\n\nthread 'price' panicked at src/lib.rs:9:5:\nassertion `left == right` failed\n  left: 1\n right: 2\n\nfailures:\n    price\n\ntest result: FAILED. 1 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out\n";
        let lines = lines(output, Some(101));
        assert!(lines[0].starts_with("price (src/lib.rs:9): "), "{lines:?}");
    }

    #[test]
    fn a_short_output_is_told_whole_from_its_first_line_of_an_error_on() {
        let told = |output: &str| lines(output, Some(1));
        let test = "FAIL test_m9: expected 9, got wrong-9";
        let place = "src/m9.sh:1: AssertionError: values differ";
        assert_eq!(told(&format!("{test}\n{place}\n")), [test, place]);
        assert_eq!(
            told("gcc -c a.c\n\na.c:3:5: error: expected ';'\n    3 | int x\n"),
            ["a.c:3:5: error: expected ';'", "3 | int x", "gcc -c a.c"],
        );
        assert_eq!(
            told("\u{1b}[31merror\u{1b}[0m: no key\nsee docs/keys.md\n"),
            ["error: no key", "see docs/keys.md"],
        );
        let named = "running 1 test\ntest price ... FAILED\ntest result: FAILED. 0 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out\n";
        assert_eq!(told(named), ["price"]);
        let long = "cc a.c\ncc b.c\na.c:3:5: error: expected ';'\ncc c.c\ncc d.c\n";
        assert_eq!(told(long), ["a.c:3:5: error: expected ';'"]);
    }

    #[test]
    fn a_short_output_that_names_nothing_is_told_whole_and_a_long_one_in_part() {
        assert_eq!(
            lines("expected 10,\n\ngot 12\n", Some(1)),
            ["expected 10,", "got 12"]
        );
        let long: Vec<String> = (0..500).map(|n| format!("step {n} of the check")).collect();
        let long = long.join("\n");
        let told = lines(&format!("{long}\nthe price is wrong\n"), Some(1));
        assert!(told.len() <= LINES_MAX + 1, "{told:?}");
        assert!(
            told.iter().any(|line| line.contains("the price is wrong")),
            "{told:?}"
        );
        assert!(lines("", Some(1)).is_empty());
    }
}
