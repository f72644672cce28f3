//! The first stage: lines that name errors without reporting one.

/// Beginnings of lines that report success or are code, in lower case.
const STARTS: &[&str] = &[
    "✓",
    "✔",
    "√",
    "☑",
    "✅",
    "pass ",
    "passed ",
    "--- pass",
    "ok ",
    "info ",
    "info:",
    "[info]",
    "debug ",
    "debug:",
    "[debug]",
    "trace ",
    "warn ",
    "warn:",
    "warning",
    "[warn",
    "notice",
    "[notice]",
    "throw ",
    "raise ",
    "except ",
    "except:",
    "catch ",
    "catch(",
    "} catch",
    "rescue ",
    "console.error",
    "return err",
    "if err",
    "import ",
    "from ",
    "use ",
    "fn ",
    "def ",
    "func ",
    "function ",
    "class ",
    "const ",
    "let ",
    "var ",
    "pub ",
    "export ",
    "describe(",
    "it(",
    "test(",
    "//",
    "/*",
    "* @",
    "assert ",
    "assert(",
    "assert!",
    "assert_",
    "assert.",
    "assertequal",
    "assertthat",
    "asserttrue",
    "assertfalse",
    "assertnull",
    "assertraises",
    "expect(",
    "grep ",
    "rg ",
    "echo ",
    "git log",
    "+++",
    "@@",
    "diff --git",
    "commit ",
    "feat",
    "fix:",
    "fix(",
    "docs:",
    "docs(",
    "fixed ",
    "fixes ",
    "resolved ",
    "added ",
    "handled ",
    "documented ",
    "created ",
    "implemented ",
    "improved ",
    "removed ",
    "updated ",
    "refactored ",
    "expected error",
    "expects ",
    "should ",
    "no error",
    "no failure",
    "zero error",
    "without error",
    "test_",
    "<",
    "retrying",
    "verified ",
    "checked ",
    "tested ",
    "now ",
    "modified ",
    "renamed ",
    "covered ",
    "covers ",
    "skipped ",
    "all ",
];

/// Parts that settle the matter, in lower case.
const PARTS: &[&str] = &[
    "without error",
    "without any error",
    "no errors",
    "no error ",
    "no error.",
    "no failures",
    "0 errors",
    "zero errors",
    "error-free",
    "errors: 0",
    "error: 0",
    "errors=0",
    "failures: 0",
    "failed: 0",
    "error: none",
    "errors: none",
    "error: null",
    "errors: []",
    "0 failures",
    "error handling",
    "error-handling",
    "error message",
    "error boundary",
    "error code",
    "error rate",
    "error budget",
    "error page",
    "error state",
    "error type",
    "error log",
    "error path",
    "error case",
    "error class",
    "error response",
    "no longer fail",
    "now pass",
    "is fixed",
    "was fixed",
    "fixed it",
    "are fixed",
    "have been fixed",
    "has been fixed",
    " resolved",
    "as expected",
    "succeeds now",
    "succeeded after",
    "now succeeds",
    "passes now",
    "now passes",
    "works now",
    "now works",
    "expected failure",
    "xfail",
    "should fail",
    "should panic",
    "test passed",
    "tests passed",
    "none failed",
    "exit status 0",
    "exit status: 0",
    "exited with code 0",
    "exit code 0",
    "0 failed",
];

/// A structural field: `"is_error": false`, `error_count=0`, `"error": "boom"`. `Some(true)` when it
/// reports an error, `Some(false)` when it reports none, `None` when the line is no such field.
pub(super) fn field(line: &str) -> Option<bool> {
    let lower = line.to_lowercase();
    let mut found = None;
    let mut rest = lower.as_str();
    while let Some(at) = find_key(rest) {
        let tail = &rest[at..];
        let end = tail
            .find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '-')))
            .unwrap_or(tail.len());
        let value = tail[end..].trim_start_matches(['"', '\'', ' ', ':', '=']);
        let behind = tail[end..].trim_start_matches(['"', '\'']).trim_start();
        let quoted_key = rest[..at].ends_with(['"', '\''])
            && tail[end..].starts_with(['"', '\''])
            && behind.starts_with(':');
        let key = &tail[..end];
        let structural = quoted_key || key.contains('_') || tail[end..].starts_with('=');
        if structural {
            let reports = reports(value, &tail[end..]);
            if let Some(reports) = reports {
                found = Some(found.unwrap_or(false) || reports);
            }
        }
        rest = &tail[end.max(1)..];
    }
    found
}

/// The next word that names a field about errors.
fn find_key(text: &str) -> Option<usize> {
    const KEYS: &[&str] = &[
        "is_error",
        "iserror",
        "has_error",
        "haserror",
        "has_errors",
        "error_count",
        "errorcount",
        "num_errors",
        "errors",
        "error",
        "failures",
        "failed",
        "failure_count",
        "failed_count",
        "api_error_status",
        "errors_count",
    ];
    let mut from = 0;
    loop {
        let at = KEYS.iter().filter_map(|key| text[from..].find(key)).min()? + from;
        let before = text[..at].chars().next_back();
        let key = KEYS
            .iter()
            .filter(|key| text[at..].starts_with(**key))
            .max_by_key(|key| key.len())?;
        let after = text[at + key.len()..].chars().next();
        let bounded = !before.is_some_and(|c| c.is_alphanumeric() || c == '_')
            && matches!(after, Some('"' | '\'' | '=' | ':' | ' ') | None);
        if bounded {
            return Some(at);
        }
        from = at + key.len();
    }
}

fn reports(value: &str, after_key: &str) -> Option<bool> {
    if !after_key.contains([':', '=']) {
        return None;
    }
    let number: String = value.chars().take_while(char::is_ascii_digit).collect();
    if !number.is_empty() {
        return Some(!number.trim_start_matches('0').is_empty());
    }
    let nothing = [
        "false",
        "null",
        "none",
        "nil",
        "[]",
        "{}",
        "[ ]",
        "undefined",
        ",",
        "}",
        "]",
        "no",
    ];
    if value.is_empty() || nothing.iter().any(|word| value.starts_with(word)) {
        return Some(false);
    }
    Some(true)
}

/// Is the line harmless although it names errors?
pub(super) fn is(line: &str) -> bool {
    let bare = super::without_prefix(line);
    let lower = bare.to_lowercase();
    let row = line.starts_with('|') && line.ends_with('|') && line.len() > 1;
    if row || passing_test(&lower) || search_hit(line) || code(bare, line) {
        return true;
    }
    let positive_count = super::counts(&lower);
    if positive_count {
        // `3 errors fixed` and `1 failed as expected` are no news, `1 failed, 0 errors` is.
        return [
            "fixed ",
            "fixes ",
            "resolved ",
            "succeeded after",
            "as expected",
            "were fixed",
            "have been fixed",
            "are fixed",
            "fixed.",
        ]
        .iter()
        .any(|word| lower.contains(word))
            || lower.ends_with(" fixed");
    }
    if none_counted(&lower) {
        return true;
    }
    let level_is_error = bare.starts_with("ERROR") || bare.starts_with("FATAL");
    if level_is_error {
        return lower.starts_with("errors: 0")
            || lower.starts_with("error: 0")
            || lower.starts_with("error rate");
    }
    STARTS.iter().any(|start| lower.starts_with(start))
        || (PARTS.iter().any(|part| lower.contains(part)) && !anchored(bare))
}

/// `Failed tests: 0`, `errors in build: 0`: a total of nothing.
fn none_counted(lower: &str) -> bool {
    let total = lower.rsplit_once([':', '=']).is_some_and(|(name, count)| {
        name.split_whitespace().count() <= 4
            && (name.contains("fail") || name.contains("error"))
            && count.trim() == "0"
    });
    total && !lower.starts_with("error:")
}

/// A sentence of a person or a model, not of a tool.
pub(super) fn prose(lower: &str) -> bool {
    [
        " i ",
        "i'",
        " we ",
        " you ",
        " so i",
        " but ",
        " now ",
        " because ",
    ]
    .iter()
    .any(|word| lower.contains(word))
}

/// Does the line begin as error messages of tools do?
fn anchored(bare: &str) -> bool {
    let lower = bare.to_lowercase();
    if super::tools::by_name(&lower) {
        return true;
    }
    [
        "error:",
        "error[",
        "fatal:",
        "fatal error",
        "panic:",
        "npm err",
        "traceback",
        "exception:",
        "error response from",
    ]
    .iter()
    .any(|start| lower.starts_with(start))
        && !["error: 0", "error: none", "error: null"]
            .iter()
            .any(|none| lower.starts_with(none))
}

/// `test a::handles_error ... ok`, `PASS src/error.test.ts`, `ok 3 - throws an error`.
fn passing_test(lower: &str) -> bool {
    lower.ends_with("... ok")
        || (lower.ends_with(" passed") && !super::counts(lower))
        || lower.ends_with(" ok")
        || lower.contains("... ok ")
        || lower.contains(" passed [")
        || (lower.starts_with("test ") && lower.ends_with("... ignored"))
        // TAP: a known gap is no failure.
        || (lower.starts_with("not ok ") && (lower.contains("# todo") || lower.contains("# skip")))
}

/// `src/a.rs:12:  let error = …` of a search: path, line number, then text as it stands in the file.
fn search_hit(line: &str) -> bool {
    let mut parts = line.splitn(3, ':');
    let (Some(path), Some(number), Some(text)) = (parts.next(), parts.next(), parts.next()) else {
        return false;
    };
    let path_like = !path.contains(' ') && path.contains(['.', '/']);
    let numbered = !number.is_empty() && number.chars().all(|c| c.is_ascii_digit());
    if !(path_like && numbered) {
        return false;
    }
    // Compilers go on with a column or with exactly one blank and their word.
    let lower = text.to_lowercase();
    let column = text.starts_with(|c: char| c.is_ascii_digit());
    // Ruby names the method after the line.
    if lower.starts_with("in `") || lower.starts_with("in '") {
        return false;
    }
    let message = [
        " error",
        " fatal error",
        " syntax error",
        " undefined reference",
        " assertion",
        " panic",
    ]
    .iter()
    .any(|word| lower.starts_with(word));
    // A search with columns goes on with the text itself, a compiler with a blank and its message.
    let column_message = column
        && text
            .split_once(':')
            .is_some_and(|(_, rest)| rest.starts_with(' ') && !super::tools::hint(rest));
    if column {
        return !column_message;
    }
    !message
}

/// A line of source code or of a diff.
fn code(bare: &str, line: &str) -> bool {
    let diff = line.starts_with(['+', '-']) && !line.starts_with("- ") && !line.starts_with("---");
    let ends = bare.ends_with(['{', ';', '}']) && (bare.contains('(') || bare.contains('='));
    diff || ends || bare.starts_with("│ ")
}
