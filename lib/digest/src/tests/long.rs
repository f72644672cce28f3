//! Long outputs of many runners: what is left out because it is known changes nothing in the digest.

use super::super::*;
use std::fmt::Write;

/// Read whole, or with lines left out from early on.
fn digest(text: &str, whole: bool) -> Digest {
    let mut digester = Digester::new(Options::default());
    digester.machine.show(if whole { u64::MAX } else { 100 });
    for chunk in text.as_bytes().chunks(65_536) {
        digester.push(chunk);
    }
    digester.finish(End::Exit(1), None)
}

/// Runs of `count` tests, of which every fourth fails, as `line` writes each; at the end one that fails as
/// none before.
fn run(count: usize, line: impl Fn(&mut String, usize, bool)) -> String {
    let mut text = String::new();
    for number in 0..count {
        line(&mut text, number, number % 4 == 3);
    }
    text
}

fn agree(kind: &str, text: &str) {
    let (left_out, whole) = (digest(text, false), digest(text, true));
    agree_in_facts(kind, &left_out, &whole);
    let frame = Frame::default();
    assert_eq!(left_out.render(&frame), whole.render(&frame), "{kind}");
}

/// Both tell of the same tests and problems.
fn agree_in_facts(kind: &str, left_out: &Digest, whole: &Digest) {
    let told = |digest: &Digest| {
        let names: Vec<_> = digest
            .failures
            .iter()
            .map(|failure| {
                (
                    failure.name.clone(),
                    failure.message.clone(),
                    failure.file.clone(),
                    failure.line,
                )
            })
            .collect();
        (
            digest.results.clone(),
            digest.counted.clone(),
            digest.failures_left_out,
            digest.left_out_at,
            digest.problems.len(),
            names,
        )
    };
    let (one, other) = (told(left_out), told(whole));
    assert_eq!(one.0, other.0, "{kind}: results");
    assert_eq!(one.1, other.1, "{kind}: counted");
    assert_eq!(
        (one.2, one.3, one.4),
        (other.2, other.3, other.4),
        "{kind}: left out, problems"
    );
    for (one, other) in one.5.iter().zip(&other.5) {
        assert_eq!(one, other, "{kind}");
    }
    assert_eq!(one.5.len(), other.5.len(), "{kind}: failures");
}

type Kind = (&'static str, fn(&mut String, usize, bool));

const KINDS: &[Kind] = &[
    ("cargo test", |text, n, bad| {
        let _ = writeln!(
            text,
            "test m_{}::case_{n} ... {}",
            n % 97,
            if bad { "FAILED" } else { "ok" }
        );
    }),
    ("cargo test, sections", |text, n, bad| {
        if n % 900 == 0 {
            let _ = writeln!(text, "running 900 tests");
        }
        let _ = writeln!(
            text,
            "test m_{}::case_{n} ... {}",
            n % 97,
            if bad { "FAILED" } else { "ok" }
        );
        if n % 900 == 899 {
            text.push_str("\nfailures:\n\n");
            for n in (n - 899..n).filter(|n| n % 4 == 3) {
                let _ = writeln!(
                    text,
                    "---- m_{}::case_{n} stdout ----\n\nthread 'm_{}::case_{n}' panicked at src/m_{n}.rs:{n}:3:\nassertion failed: case {n}\n  left: {n}\n",
                    n % 97,
                    n % 97
                );
            }
            text.push_str("\nfailures:\n");
            for n in (n - 899..n).filter(|n| n % 4 == 3) {
                let _ = writeln!(text, "    m_{}::case_{n}", n % 97);
            }
            text.push_str("\ntest result: FAILED. 675 passed; 225 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.11s\n\n");
        }
    }),
    ("nextest", |text, n, bad| {
        let _ = writeln!(
            text,
            "        {} [   0.{:03}s] ({n}/90000) crate m_{}::case_{n}",
            if bad { "FAIL" } else { "PASS" },
            n % 900,
            n % 97
        );
        if bad {
            let _ = writeln!(
                text,
                "  stderr ───\n    thread 'm::case_{n}' ({n}) panicked at src/lib.rs:{n}:8:\n    boom {n}\n"
            );
        }
    }),
    ("pytest -v", |text, n, bad| {
        let _ = writeln!(
            text,
            "tests/test_{}.py::TestA::test_{n}[p{}] {}  [{:3}%]",
            n % 97,
            n % 7,
            if bad { "FAILED" } else { "PASSED" },
            n / 1_000
        );
    }),
    ("pytest, sections", |text, n, _| {
        if n == 0 {
            text.push_str("==== FAILURES ====\n");
        }
        let _ = writeln!(
            text,
            "____ TestA.test_{n} ____\n\n    def test_{n}(self):\n>       assert {n} == 0\nE       assert {n} == 0\n\ntests/test_{}.py:{n}: AssertionError",
            n % 97
        );
    }),
    ("go test -v", |text, n, bad| {
        let _ = writeln!(text, "=== RUN   Test{n}");
        if bad {
            let _ = writeln!(text, "    t_test.go:{n}: got {n}");
        }
        let _ = writeln!(
            text,
            "--- {}: Test{n} (0.0{}s)",
            if bad { "FAIL" } else { "PASS" },
            n % 9
        );
    }),
    ("go test -json", |text, n, bad| {
        let mut event = |action: &str, rest: &str| {
            let _ = writeln!(
                text,
                "{{\"Time\":\"2026-11-21T09:00:{:02}Z\",\"Action\":\"{action}\",\"Package\":\"p\",\"Test\":\"Test{n}\"{rest}}}",
                n % 60
            );
        };
        event("run", "");
        event("output", &format!(",\"Output\":\"=== RUN   Test{n}\\n\""));
        if bad {
            event(
                "output",
                &format!(",\"Output\":\"    t_test.go:{n}: got {n}\\n\""),
            );
        }
        event(if bad { "fail" } else { "pass" }, ",\"Elapsed\":0.01");
    }),
    ("gtest", |text, n, bad| {
        let _ = writeln!(text, "[ RUN      ] S{}.C{n}", n % 97);
        if bad {
            let _ = writeln!(
                text,
                "src/t.cc:{n}: Failure\nExpected equality of these values:\n  f({n})\n    Which is: {n}"
            );
        }
        let _ = writeln!(
            text,
            "[{}] S{}.C{n} ({} ms)",
            if bad { "  FAILED  " } else { "       OK " },
            n % 97,
            n % 9
        );
    }),
    ("jest", |text, n, bad| {
        let _ = writeln!(
            text,
            "{} src/f_{n}.test.js",
            if bad { "FAIL" } else { "PASS" }
        );
        if bad {
            let _ = writeln!(
                text,
                "  ● suite {} › case {n}\n\n    expect(received).toBe(expected)\n\n    Expected: {n}\n    Received: 0\n\n      at Object.x (src/f_{n}.test.js:4:{})\n",
                n % 7,
                n % 80
            );
        }
    }),
    ("vitest", |text, n, bad| {
        let _ = if bad {
            writeln!(
                text,
                " FAIL  src/f_{n}.test.ts > suite > case {n}\nAssertionError: expected {n} to be 0\n ❯ src/f_{n}.test.ts:{n}:3\n"
            )
        } else {
            writeln!(text, " ✓ src/g_{n}.test.ts ({} tests) {n}ms", n % 9)
        };
    }),
    ("tap", |text, n, bad| {
        let _ = if bad {
            writeln!(
                text,
                "not ok {n} - case {n}\n  ---\n  operator: equal\n  expected: {n}\n  actual: 0\n  ..."
            )
        } else {
            writeln!(text, "ok {n} - case {n}")
        };
    }),
    ("tap, planned", |text, n, bad| {
        if n == 0 {
            text.push_str("TAP version 13\n1..2400\n");
        }
        let _ = writeln!(text, "{} {n} - case {n}", if bad { "not ok" } else { "ok" });
    }),
    ("mocha", |text, n, bad| {
        if n == 0 {
            text.push_str("\n  900 passing (1s)\n  100 failing\n\n");
        }
        if bad {
            let _ = writeln!(
                text,
                "  {n}) suite\n       case {n}:\n     AssertionError: expected {n}\n      at Context.<anonymous> (test/a_{n}.js:{n}:3)\n"
            );
        }
    }),
    ("rspec", |text, n, bad| {
        if n == 0 {
            text.push_str("Failures:\n\n");
        }
        if bad {
            let _ = writeln!(
                text,
                "  {n}) Thing does case {n}\n     Failure/Error: expect(x).to eq({n})\n\n       expected: {n}\n            got: 0\n     # ./spec/t_{n}_spec.rb:{n}:in `x'\n"
            );
        }
    }),
    ("ctest", |text, n, bad| {
        let _ = writeln!(
            text,
            "{n:>6}/90000 Test #{n}: m.case_{n} ...........{}    0.01 sec",
            if bad { "***Failed" } else { "   Passed" }
        );
    }),
    ("minitest", |text, n, bad| {
        if bad {
            let _ = writeln!(
                text,
                "  {n}) Failure:\nTestA#test_{n} [test/a.rb:{n}]:\nExpected: {n}\n  Actual: 0\n"
            );
        }
    }),
    ("rustc", |text, n, bad| {
        let level = if bad { "error[E0308]" } else { "warning" };
        let _ = writeln!(
            text,
            "{level}: thing {n} is wrong\n  --> src/m_{}.rs:{n}:3\n   |\n{n} |     let x = {n};\n   |         ^ expected\n",
            n % 97
        );
    }),
    ("tracebacks", |text, n, bad| {
        if bad {
            let _ = writeln!(
                text,
                "Traceback (most recent call last):\n  File \"/srv/app/m.py\", line {n}, in handle\n    f({n})\nValueError: bad value {n}"
            );
        } else {
            let _ = writeln!(text, "INFO request {n} done");
        }
    }),
];

/// Tests of ever new names; the last one fails as those before it, but is told of before and after.
#[test]
fn what_is_left_out_of_a_long_output_changes_nothing() {
    for (kind, line) in KINDS {
        agree(kind, &run(2_400, line));
    }
}

/// The same tests again and again, then one more.
#[test]
fn an_output_that_repeats_itself_hides_nothing() {
    for (kind, line) in KINDS {
        let mut text = run(240, line).repeat(10);
        line(&mut text, 77_773, true);
        text.push('\n');
        agree(kind, &text);
    }
}

/// What real tools printed, again and again.
#[test]
#[expect(clippy::disallowed_methods, reason = "the outputs are kept in files")]
fn real_outputs_that_repeat_themselves_hide_nothing() {
    let sets = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../tests/cases/output-filter"
    );
    let files = |folder: &std::path::Path| {
        let entries = std::fs::read_dir(folder).unwrap();
        let paths: std::collections::BTreeSet<_> =
            entries.map(|entry| entry.unwrap().path()).collect();
        paths.into_iter()
    };
    for set in files(sets.as_ref()) {
        for path in files(&set).filter(|path| path.extension().is_some_and(|end| end == "txt")) {
            let text = String::from_utf8_lossy(&std::fs::read(&path).unwrap()).into_owned();
            let text = format!("{}\n", text.trim_end_matches('\n'));
            let text = text.repeat(400 / text.lines().count() + 2);
            let name = path.display().to_string();
            agree_in_facts(&name, &digest(&text, false), &digest(&text, true));
        }
    }
}

#[test]
fn what_stands_below_a_very_long_line_means_the_same_wherever_that_was_cut() {
    // A rule in the middle, of which a part is kept or not.
    let rule = format!("{}-----{}", "y".repeat(20_000), "y".repeat(24_000));
    let text = format!(
        "{rule}\nFAIL: test_a (m.T.test_a)\nwhy\n{rule}\nRan 1 test in 0.1s\n\nFAILED (failures=1)\n"
    );
    let counts = |size: usize| {
        let mut digester = Digester::new(Options::default());
        text.as_bytes()
            .chunks(size)
            .for_each(|chunk| digester.push(chunk));
        let digest = digester.finish(End::Exit(1), None);
        (digest.results, digest.failures.len())
    };
    assert_eq!(counts(usize::MAX), counts(5_000));
}
