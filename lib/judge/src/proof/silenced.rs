//! Sources that tell a checker to look away (`# noqa`, `@ts-ignore`, `#[allow(…)]`): taken out again, they show
//! whether a gate passes for them alone.

use super::protect::ending;

/// What tells a checker to look away, in a comment.
const WORDS: [&str; 43] = [
    "noqa",
    "type: ignore",
    "pylint: disable",
    "pyright: ignore",
    "pyright: basic",
    "mypy: ignore",
    "mypy: disable",
    "ruff: ",
    "flake8: ",
    "pragma: no ",
    "pragma: exclude",
    "nosec",
    "nosemgrep",
    "fmt: off",
    "fmt: skip",
    "pytype: ",
    "doctest: +SKIP",
    "@ts-ignore",
    "@ts-expect-error",
    "@ts-nocheck",
    "eslint-disable",
    "eslint ",
    "tslint:disable",
    "jshint ",
    "stylelint-disable",
    "oxlint-disable",
    "biome-ignore",
    "deno-lint-ignore",
    "prettier-ignore",
    "istanbul ignore",
    "c8 ignore",
    "v8 ignore",
    "$FlowFixMe",
    "nolint",
    "lint:ignore",
    "rubocop:",
    ":nocov:",
    "shellcheck ",
    "NOSONAR",
    "CHECKSTYLE",
    "phpstan-ignore",
    "no critic",
    "markdownlint-disable",
];
/// What tells one in the language itself: what it begins with, and what it ends with.
const ITEMS: [(&str, &str, &str); 10] = [
    ("rs", "#[allow(", ")]"),
    ("rs", "#![allow(", ")]"),
    ("rs", "#[expect(", ")]"),
    ("rs", "#![expect(", ")]"),
    ("rs", "#[rustfmt::skip", "]"),
    ("java", "@SuppressWarnings(", ")"),
    ("kt", "@Suppress(", ")"),
    ("go", "//go:build ", "\n"),
    ("c", "#pragma GCC diagnostic ignored", "\n"),
    ("c", "#pragma warning(disable", "\n"),
];
/// What comments begin with.
const COMMENTS: [&str; 6] = ["#", "//", "/*", "<!--", "--", "%"];

/// A source that looks away where dusk's did not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Silenced {
    /// The same without that.
    pub text: String,
    /// The first line that does, counted from 1.
    pub line: usize,
    /// What stands there.
    pub said: String,
}

/// The claimed source without what is new in it of that; `None` where nothing is.
pub fn without(path: &str, dusk: &str, claimed: &str) -> Option<Silenced> {
    let mut known: Vec<&str> = dusk.lines().map(str::trim).collect();
    let mut text = String::with_capacity(claimed.len());
    let mut first = None;
    for (number, line) in claimed.split_inclusive('\n').enumerate() {
        let at_dusk = known.iter().position(|old| *old == line.trim());
        if let Some(at) = at_dusk {
            known.swap_remove(at);
        }
        match bare(path, line).filter(|_| at_dusk.is_none()) {
            Some(bare) => {
                first.get_or_insert((number + 1, line.trim().to_owned()));
                text.push_str(&bare);
            }
            None => text.push_str(line),
        }
    }
    let (line, said) = first?;
    Some(Silenced { text, line, said })
}

/// The line without what tells a checker to look away, if it does.
fn bare(path: &str, line: &str) -> Option<String> {
    let kind = match ending(path) {
        "cc" | "cpp" | "cxx" | "h" | "hpp" => "c",
        other => other,
    };
    for (_, begins, ends) in ITEMS.iter().filter(|(of, ..)| *of == kind) {
        let Some(from) = line.find(begins) else {
            continue;
        };
        let to = line[from..].find(ends)? + from;
        let to = if *ends == "\n" { to } else { to + ends.len() };
        return Some(format!("{}{}", &line[..from], &line[to..]));
    }
    let told = WORDS.iter().filter_map(|word| line.find(word)).min()?;
    let begins = |mark: &str| line[..told].rfind(mark);
    // The comment begins right before: what stands between is no code.
    let from = COMMENTS.iter().filter_map(|mark| begins(mark)).max()?;
    let between = line[from..told].trim_start_matches(['#', '/', '*', '<', '!', '-', '%', ' ']);
    let inside = ['"', '\'', '`']
        .iter()
        .any(|quote| line[..from].matches(*quote).count() % 2 == 1);
    if inside || between.contains(['"', '\'', '`', '=', '(']) {
        return None;
    }
    let from = line[..from].trim_end_matches(['#', '/', '-']).len();
    let closed = ["*/", "-->"].iter().find_map(|close| {
        let at = line[told..].find(close)?;
        Some(told + at + close.len())
    });
    let to = closed.unwrap_or_else(|| line.trim_end_matches(['\n', '\r']).len());
    Some(format!("{}{}", line[..from].trim_end(), &line[to..]))
}

/// Do a person's words ask for it?
pub fn is_asked_for(said: &str, words: &str) -> bool {
    let lower = words.to_ascii_lowercase();
    let of = WORDS.iter().filter(|word| said.contains(**word));
    let items = ITEMS.iter().filter(|(_, begins, _)| said.contains(begins));
    let items = items.map(|(_, begins, _)| begins.trim_matches(['#', '[', '(', '!', '@']));
    of.map(|word| word.trim())
        .chain(items)
        .any(|word| lower.contains(&word.to_ascii_lowercase()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stripped(path: &str, claimed: &str) -> Option<String> {
        without(path, "import re\n", claimed).map(|found| found.text)
    }

    #[test]
    fn what_makes_a_checker_look_away_is_taken_out() {
        for (path, claimed, expected) in [
            (
                "a.py",
                "import os  # noqa: F401\nx = 1\n",
                "import os\nx = 1\n",
            ),
            (
                "a.py",
                "# pylint: disable=all\nimport os\n",
                "\nimport os\n",
            ),
            ("a.py", "f(x)  # type: ignore[arg-type]\n", "f(x)\n"),
            ("a.ts", "  // @ts-ignore\n  f(1);\n", "\n  f(1);\n"),
            ("a.ts", "/* eslint-disable */ f(1);\n", " f(1);\n"),
            (
                "a.rs",
                "#![allow(clippy::all)]\nfn f() {}\n",
                "\nfn f() {}\n",
            ),
            (
                "a.rs",
                "    #[allow(dead_code)] fn f() {}\n",
                "     fn f() {}\n",
            ),
            ("a.go", "x := f() //nolint:errcheck\n", "x := f()\n"),
            (
                "A.java",
                "@SuppressWarnings(\"all\") class A {}\n",
                " class A {}\n",
            ),
        ] {
            assert_eq!(
                stripped(path, claimed).as_deref(),
                Some(expected),
                "{claimed}"
            );
        }
    }

    #[test]
    fn what_was_there_and_what_is_no_comment_stays() {
        for (path, claimed) in [
            ("a.py", "import re\n"),
            ("a.py", "WORDS = [\"# noqa\"]\n"),
            ("a.py", "# takes the shortest of them\nx = 1\n"),
            ("a.rs", "fn f() { let noqa = 1; }\n"),
        ] {
            assert_eq!(stripped(path, claimed), None, "{claimed}");
        }
        let old = "import os  # noqa\n";
        assert_eq!(without("a.py", old, &format!("{old}x = 1\n")), None);
        let two = without("a.py", old, &format!("{old}{old}")).unwrap();
        assert_eq!(
            (two.line, two.text.as_str()),
            (2, "import os  # noqa\nimport os\n")
        );
    }

    #[test]
    fn what_is_asked_for_is_named_by_the_words() {
        assert!(is_asked_for(
            "import os  # noqa",
            "Mark the re-export with noqa."
        ));
        assert!(!is_asked_for("import os  # noqa", "Fix what lint says."));
        assert!(is_asked_for("#[allow(dead_code)]", "allow dead code there"));
    }
}
