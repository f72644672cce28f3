//! Samples of lines with places.

use super::super::sample;

fn one(text: &str) -> String {
    let facts = sample(text);
    let tool = facts
        .tools
        .first()
        .or(facts.fallback.as_ref())
        .copied()
        .unwrap_or("-");
    let list = facts.problems.into_list(false);
    match list.first() {
        Some(problem) => format!(
            "{tool} {:?} {} {}",
            problem.severity,
            problem.places.join(" "),
            problem.text
        ),
        None => format!("{tool} none"),
    }
}

#[test]
fn lines_of_many_tools() {
    assert_eq!(
        one("a/b.c:3:5: error: expected ';'"),
        "compiler Error a/b.c:3:5 error: expected ';'"
    );
    assert_eq!(
        one("src/a.ts(1,14): error TS2322: Type"),
        "tsc Error src/a.ts(1,14) error TS2322: Type"
    );
    assert_eq!(
        one("src/a.ts:1:41 - error TS2322: Type"),
        "tsc Error src/a.ts:1:41 error TS2322: Type"
    );
    assert_eq!(
        one("n.py:1:1: F401 're' imported"),
        "flake8 Error n.py:1:1 F401 're' imported"
    );
    assert_eq!(
        one("n.py:1:0: C0114: Missing (x)"),
        "pylint Note n.py:1:0 C0114: Missing (x)"
    );
    assert_eq!(
        one("  /a/n.py:3:16 - error: \"x\" (reportX)"),
        "pyright Error /a/n.py:3:16 error: \"x\" (reportX)"
    );
    assert_eq!(
        one("Dockerfile:4 DL3008 warning: Pin"),
        "hadolint Warning Dockerfile:4 DL3008 warning: Pin"
    );
    assert_eq!(
        one("./b.go:3:2: undefined: x"),
        "go build Plain ./b.go:3:2 undefined: x"
    );
    assert_eq!(
        one("a.rb:1:1: C: Style/X: y"),
        "rubocop Warning a.rb:1:1 C: Style/X: y"
    );
    assert_eq!(
        one("a/b.c:9:15: error: Memory leak: p [memleak]"),
        "cppcheck Error a/b.c:9:15 error: Memory leak: p [memleak]"
    );
    assert_eq!(
        one("a/b.c:9:15: warning: unused variable [-Wunused]"),
        "compiler Warning a/b.c:9:15 warning: unused variable [-Wunused]"
    );
    assert_eq!(
        one("[ERROR] /a/B.java:[3,5] cannot find"),
        "javac Error /a/B.java:[3,5] cannot find"
    );
    assert_eq!(one("src/a.rs:12:    let x = 1;"), "- none");
    assert_eq!(one("12:30:01: error in x"), "- none");
    assert_eq!(
        one("/usr/bin/ld: cannot find -lx"),
        "compiler Error  /usr/bin/ld: cannot find -lx"
    );
    assert_eq!(one("packages/a build: bundling (0 errors)"), "- none");
    assert_eq!(
        one("src/bad.ts:1:29 parse ━━━━━━━━━━\n\n  × expected `,` but instead found `{`\n"),
        "biome Error src/bad.ts:1:29 parse: expected `,` but instead found `{`"
    );
}

#[test]
fn what_pylint_and_javac_say_of_a_name() {
    assert_eq!(
        one("a.py(1): [W0611(unused-import)] Unused import os"),
        "pylint Warning a.py(1) [W0611(unused-import)] Unused import os"
    );
    assert_eq!(
        one("a.py:1: [W0611(unused-import), ] Unused import os"),
        "pylint Warning a.py:1 [W0611(unused-import), ] Unused import os"
    );
    assert_eq!(
        one("A.java:2: error: cannot find symbol\n    Tarif t;\n    ^\n  symbol:   class Tarif\n"),
        "javac Error A.java:2 error: cannot find symbol: class Tarif"
    );
}

#[test]
fn all_are_ruffs_where_its_total_is_that_of_all() {
    let facts = sample(
        "n.py:1:1: F401 [*] `re` unused\nn.py:3:5: T100 Import for `pdb` found\nFound 2 errors.\n",
    );
    assert_eq!(
        (&facts.tools[..], facts.problems.sources()),
        (&["ruff"][..], vec!["ruff"])
    );
    let flake8 = "n.py:3:5: T100 Import\n".repeat(3);
    let facts = sample(&format!(
        "{flake8}m.py:1:1: F401 [*] `re` unused\nFound 1 error.\n"
    ));
    assert!(facts.problems.sources().contains(&"flake8"));
}

#[test]
fn below_the_name_of_a_package_go_builds() {
    let facts = sample("# example.com/app\n./b.go:3:2: undefined: x\n\n./c.go:9:1: other\n");
    assert_eq!(facts.problems.sources(), ["go build"]);
}

#[test]
fn behind_the_name_of_a_task_stands_a_place() {
    assert_eq!(
        one(":app:compileJava/p/A.java:3: error: cannot find symbol"),
        "javac Error /p/A.java:3 error: cannot find symbol"
    );
}

#[test]
fn mypys_total_goes_on_with_no_message() {
    let facts = sample(
        "lib/server.py:12: error: Function is missing a return type annotation, and one for its argument\n\
         Found 31 errors in 7 files (checked 7 source files)\n",
    );
    let stated = facts.sessions[0].stated.as_ref().unwrap();
    assert_eq!(stated.words(), "31 errors");
    let note = "a.py:2: note: See https://mypy.readthedocs.io/en/stable/running_mypy.html#missing-imports\n";
    let below = "FAIL: test_a (m.T.test_a)\n";
    let rule = "-".repeat(70);
    let facts = sample(&format!("{note}{rule}\n{below}{rule}\nE: no\n"));
    assert_eq!(facts.failures[0].name, "m.T.test_a");
}

#[test]
fn what_clang_generated_in_headers_is_no_result() {
    let facts = sample(
        "45333 warnings generated.\na.cpp:3:46: warning: unused [x]\n2 warnings generated.\n",
    );
    let firm = facts.sessions.iter().filter(|session| session.firm);
    assert_eq!(firm.count(), 0);
    let facts = sample("a.cpp:3:46: warning: unused [-Wx]\n1 warning generated.\n");
    assert!(facts.sessions[0].firm);
}
