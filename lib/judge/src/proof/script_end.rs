//! A gate script with an end that fails: one that stays green was ended before, or its commands mean
//! something else by then, by what it runs or takes in.

use super::protect::ending;

/// A language whose scripts check something from the first line to the last.
struct Language {
    endings: &'static [&'static str],
    interpreters: &'static [&'static str],
    /// What fails at the end.
    fails: &'static str,
    /// What the last line begins with where the end is reached for certain. A function or a file that the
    /// last line runs may end the script by itself, as test frameworks do.
    last: &'static [&'static str],
    /// Words that may end a script that passes.
    ends: &'static [&'static str],
}

const LANGUAGES: [Language; 5] = [
    Language {
        endings: &["sh", "bash"],
        interpreters: &["sh", "bash", "dash"],
        fails: "exit 1",
        last: &[
            "[ ", "[[ ", "test ", "! ", "echo ", "printf ", "grep ", "diff ", "cmp ", "fi", "done",
            "esac", "exit",
        ],
        ends: &["exit", "exec", "return"],
    },
    Language {
        endings: &["py"],
        interpreters: &["python", "python3"],
        fails: "raise SystemExit(1)",
        last: &["assert ", "print("],
        ends: &["exit", "_exit", "quit", "main"],
    },
    Language {
        endings: &["js", "mjs", "cjs"],
        interpreters: &["node"],
        fails: "process.exitCode = 1;",
        last: &[
            "assert",
            "console.",
            "if (",
            "if(",
            "require('assert",
            "require(\"assert",
            "require('node:assert",
            "require(\"node:assert",
        ],
        ends: &["exit", "exitCode", "kill"],
    },
    Language {
        endings: &["rb"],
        interpreters: &["ruby"],
        fails: "exit 1",
        last: &["raise ", "abort", "puts ", "exit", "fail "],
        ends: &["exit", "exec"],
    },
    Language {
        endings: &["pl"],
        interpreters: &["perl"],
        fails: ";exit 1;",
        last: &["die ", "print ", "exit"],
        ends: &["exit", "exec"],
    },
];

/// A statement that fails at the end of a file of SQL, and what each client says of it.
pub const STATEMENT: (&str, &str) = ("select overnight_end;", "overnight_end");

/// The script that a command runs, if it runs one and nothing else: `sh tests/run.sh -v`, `./check.sh`.
pub fn script(command: &str) -> Option<&str> {
    let plain = |c: char| c.is_ascii_alphanumeric() || " ./_-+:@,".contains(c);
    let mut words = command.split_whitespace();
    let first = words.next().filter(|_| command.chars().all(plain))?;
    let interprets = |language: &Language| language.interpreters.contains(&first);
    let script = if LANGUAGES.iter().any(interprets) {
        words.find(|word| !word.starts_with('-') || matches!(*word, "-c" | "-m"))?
    } else {
        Some(first).filter(|first| first.contains('/'))?
    };
    let inside = !script.starts_with(['/', '-']) && !script.contains("..");
    inside.then(|| script.trim_start_matches("./"))
}

/// The commands of shells that compare, and one of each that must fail.
const COMPARING: [(&str, &str); 5] = [
    ("[", "[ overnight = canary ]"),
    ("test", "test overnight = canary"),
    ("diff", "diff /dev/null \"$0\""),
    ("cmp", "cmp -s /dev/null \"$0\""),
    ("grep", "grep -q overnight /dev/null"),
];

/// Does this text of a shell have errors end it, or (`off`) pass on?
pub fn sets_errors(text: &str, off: bool) -> bool {
    let sign = if off { '+' } else { '-' };
    let mut words = text.lines().map(|line| line.split_whitespace());
    words.any(|mut words| {
        words.next() == Some("set")
            && words.any(|word| word.starts_with(sign) && word.contains('e'))
    })
}

/// The script with ends that fail, each by itself; none where one that passes need not reach its end.
/// `soft`: also with one that ends it only where errors do, as the script says.
pub fn failing(path: &str, text: &str, soft: bool) -> Vec<String> {
    let Some((language, before, after)) = parted(path, text) else {
        return Vec::new();
    };
    let before = before.trim_end();
    let with = |end: &str| format!("{before}\n{end}\n{after}\n");
    if language.endings[0] != "sh" {
        return vec![with(language.fails)];
    }
    let words = || before.split(|c: char| c.is_whitespace() || ";|&(!".contains(c));
    let used = COMPARING
        .iter()
        .filter(|(name, _)| words().any(|word| word == *name));
    let holds = used.map(|(_, fails)| format!("if {fails} >/dev/null 2>&1; then exit 0; fi\n"));
    let mut ends = vec![with(&format!(
        "{}{}",
        holds.collect::<String>(),
        language.fails
    ))];
    if soft && sets_errors(text, false) && !sets_errors(text, true) {
        ends.push(with("false\n:"));
    }
    ends
}

/// Its language, what stands before its end, and the end.
fn parted<'t>(path: &str, text: &'t str) -> Option<(&'static Language, &'t str, &'t str)> {
    let shebang = text.lines().next().filter(|line| line.starts_with("#!"));
    let named = |language: &&Language| {
        let mut words = shebang.iter().flat_map(|line| line.split(['/', ' ']));
        language.endings.contains(&ending(path))
            || words.any(|word| language.interpreters.contains(&word))
    };
    let language = LANGUAGES.iter().find(named)?;
    let body = text.trim_end();
    let last_at = body.rfind('\n').map_or(0, |end| end + 1);
    let last = &body[last_at..];
    if !language.last.iter().any(|begins| last.starts_with(begins)) {
        return None;
    }
    // What the script ends with by itself stands behind its end.
    let (before, after) = if last.starts_with("exit") {
        body.split_at(last_at)
    } else {
        (body, "")
    };
    let sure = !language.ends.iter().any(|word| ends_well(before, word));
    sure.then_some((language, before, after))
}

/// Does this word stand in the text without a status that means failure?
fn ends_well(text: &str, word: &str) -> bool {
    let part = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(word).any(|(at, _)| {
        let behind = &text[at + word.len()..];
        let alone = !text[..at].ends_with(part) && !behind.starts_with(part);
        let status = behind.trim_start_matches([' ', '(']);
        alone && !status.starts_with(|c: char| matches!(c, '1'..='9'))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_script_of_a_command_is_told_where_it_runs_nothing_else() {
        for (command, path) in [
            ("sh tests/run.sh -v", Some("tests/run.sh")),
            ("bash -e ./check.sh", Some("check.sh")),
            ("./check", Some("check")),
            ("python3 check.py", Some("check.py")),
            ("python3 -m unittest", None),
            ("sh -c true", None),
            ("sh a.sh && sh b.sh", None),
            ("sh ../a.sh", None),
            ("/usr/bin/true", None),
            ("make test", None),
        ] {
            assert_eq!(script(command), path, "{command}");
        }
    }

    #[test]
    fn a_script_fails_at_its_end_where_one_that_passes_reaches_it() {
        let shell = |text: &str| failing("t.sh", text, true);
        assert_eq!(
            shell(". ./lib.sh\nf || exit 1\necho ok\n"),
            [". ./lib.sh\nf || exit 1\necho ok\nexit 1\n\n"]
        );
        let own = shell("bad=0\nf || bad=1\nexit $bad\n");
        assert!(own[0].contains("exit 1\nexit $bad"), "{own:?}");
        for text in [
            "f && exit 0\necho no\nexit 1\n",
            "f || exit\necho ok\n",
            ". ./shunit2\n",
            "run_all_tests\n",
        ] {
            assert!(shell(text).is_empty(), "{text}");
        }
        let any = |path: &str, text: &str| failing(path, text, true).len();
        assert_eq!(any("check", "#!/usr/bin/env bash\n[ 1 = 1 ]"), 1);
        assert_eq!(any("check.py", "from work import f\nassert f(2) == 4\n"), 1);
        assert_eq!(any("check.py", "import unittest\nunittest.main()\n"), 0);
        assert_eq!(any("check.rb", "puts 1\n"), 1);
        assert_eq!(any("check.js", "if (f() != 2) process.exit(1)\n"), 1);
        assert_eq!(any("check.lua", "print(1)\n"), 0);
    }

    #[test]
    fn commands_that_compare_must_still_tell_and_errors_must_still_end_it() {
        let text = "set -eu\n. ./lib.sh\nf > out\ndiff out want\necho ok\n";
        let [told, ends] = failing("t.sh", text, true).try_into().unwrap();
        assert!(
            told.contains("if diff /dev/null \"$0\" >/dev/null 2>&1; then exit 0; fi\nexit 1\n")
        );
        assert!(!told.contains("cmp") && ends.contains("echo ok\nfalse\n:\n"));
        assert_eq!(failing("t.sh", text, false).len(), 1);
        let free = text.replace("-eu", "-u");
        assert_eq!(failing("t.sh", &free, true).len(), 1);
        assert!(sets_errors("set +e", true) && !sets_errors("set +e\nset -u", false));
    }
}
