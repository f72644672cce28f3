use super::*;

fn of(commands: &[&str], files: &[(&str, &str)]) -> Vec<String> {
    let names = files.iter().map(|(name, _)| (*name).to_owned()).collect();
    let read = |path: &str| {
        files
            .iter()
            .find(|(name, _)| *name == path)
            .map(|(_, text)| (*text).to_owned())
    };
    let commands: Vec<String> = commands
        .iter()
        .map(|command| (*command).to_owned())
        .collect();
    named(
        &commands,
        &Tree {
            files: &names,
            read: &read,
        },
    )
    .into_iter()
    .collect()
}

#[test]
fn a_helper_of_a_script_of_a_recipe_is_found() {
    let files = [
        ("Makefile", "test:\n\t@sh scripts/test.sh\n"),
        (
            "scripts/test.sh",
            ". scripts/lib.sh\n. \"$(dirname \"$0\")/more.sh\"\nrun_tests\n",
        ),
        (
            "scripts/lib.sh",
            "run_tests() { python3 -m unittest; diff out expected.txt; }\n",
        ),
        ("scripts/more.sh", "true\n"),
        ("expected.txt", "1\n"),
        ("text.py", ""),
    ];
    let expected = [
        "Makefile",
        "expected.txt",
        "scripts/lib.sh",
        "scripts/more.sh",
        "scripts/test.sh",
    ];
    assert_eq!(of(&["make test"], &files), expected);
}

#[test]
fn what_is_worked_on_is_not_what_decides() {
    let files = [
        (
            "check.sh",
            "python3 app.py | grep -q ok\ncc main.c -o main\n",
        ),
        ("app.py", ""),
        ("main.c", ""),
        ("README.md", ""),
    ];
    assert_eq!(
        of(
            &[
                "sh check.sh",
                "grep -q Usage README.md",
                "python3 -m py_compile app.py",
                "ruff check app.py"
            ],
            &files
        ),
        ["check.sh"]
    );
    assert_eq!(
        of(&["python3 -m unittest verify"], &[("verify.py", "")]),
        ["verify.py"]
    );
    assert_eq!(
        of(
            &["cases/run.sh"],
            &[
                ("cases/run.sh", "for f in cases/*.in; do :; done"),
                ("cases/a.in", "")
            ]
        ),
        ["cases/a.in", "cases/run.sh"]
    );
}

#[test]
fn a_script_that_is_worked_on_is_told_from_a_helper_of_the_gate() {
    let files = [
        (
            "tests/slug.sh",
            ". ./tests/check.sh\n. ./lib/slug.sh\nsh greet.sh\n",
        ),
        ("tests/check.sh", ""),
        ("lib/slug.sh", ""),
        ("greet.sh", ""),
        ("try.sh", ". ./common.sh\n"),
        ("common.sh", ""),
    ];
    assert_eq!(
        of(&["sh tests/slug.sh", "sh try.sh"], &files),
        ["common.sh", "tests/check.sh", "tests/slug.sh", "try.sh"]
    );
}

#[test]
fn what_is_only_looked_at_is_no_script_of_the_gate() {
    let files = [
        ("bin/rotate", "#!/bin/sh\n"),
        ("bin/sum", "#!/usr/bin/perl\n"),
    ];
    let gates = ["sh -n bin/rotate", "perl -Ilib -wc bin/sum"];
    assert!(of(&gates, &files).is_empty());
    assert_eq!(of(&["sh bin/rotate"], &files), ["bin/rotate"]);
}

#[test]
fn a_module_that_checks_its_package_decides_and_one_that_is_run_does_not() {
    let files = [
        ("shop/selftest.py", ""),
        ("shop/__main__.py", ""),
        ("shop/price.py", ""),
    ];
    assert_eq!(
        of(&["python3 -m shop.selftest"], &files),
        ["shop/selftest.py"]
    );
    assert!(of(&["python3 -m shop", "python3 -m shop.price"], &files).is_empty());
}

#[test]
fn package_scripts_are_followed() {
    let files = [
        (
            "package.json",
            r#"{"scripts":{"test":"npm run unit && node tools/check.js","unit":"node verify.js","pretest":"sh prepare.sh","start":"node server.sh"}}"#,
        ),
        ("tools/check.js", ""),
        ("verify.js", ""),
        ("prepare.sh", ""),
        ("server.sh", ""),
    ];
    assert_eq!(
        of(&["npm test"], &files),
        ["prepare.sh", "tools/check.js", "verify.js"]
    );
}

#[test]
fn a_package_script_is_followed_whatever_its_name() {
    let files = [
        (
            "package.json",
            r#"{"scripts":{"lint:words":"node check-words.js"}}"#,
        ),
        ("check-words.js", ""),
    ];
    assert_eq!(of(&["npm run -s lint:words"], &files), ["check-words.js"]);
}

#[test]
fn what_defines_a_database_is_the_work_and_what_asks_it_decides() {
    let files = [
        (
            "try.sh",
            "cat db/schema.sql db/rows.sql db/ask.sql db/both.sql | sqlite3 :memory: | diff - db/want.txt\n",
        ),
        (
            "db/schema.sql",
            "-- Tables.\nPRAGMA foreign_keys = ON;\n/* v2 */ CREATE TABLE a (n INTEGER);\nCREATE VIEW b AS SELECT n FROM a;\n",
        ),
        ("db/rows.sql", "INSERT INTO a VALUES (1);\n"),
        ("db/ask.sql", "SELECT * FROM b;\n"),
        ("db/both.sql", "CREATE TEMP TABLE t (n);\nSELECT 1;\n"),
        ("db/want.txt", "1\n"),
    ];
    let decide = [
        "db/ask.sql",
        "db/both.sql",
        "db/rows.sql",
        "db/want.txt",
        "try.sh",
    ];
    assert_eq!(of(&["sh try.sh"], &files), decide);
}

#[test]
fn a_new_file_in_a_folder_of_scripts_stands_beside_them() {
    let named: BTreeSet<String> = ["scripts/test.sh".to_owned(), "run.sh".to_owned()].into();
    assert!(stands_beside("scripts/json.py", &named));
    assert!(!stands_beside("src/json.py", &named) && !stands_beside("json.py", &named));
}

#[test]
fn what_a_gate_only_looks_at_is_the_work_and_what_it_compares_with_decides() {
    let files = [
        ("log.txt", ""),
        ("want.txt", ""),
        ("out.csv", ""),
        ("words.txt", ""),
        ("app.py", ""),
    ];
    let of = |gate: &str| of(&[gate], &files);
    for gate in [
        "grep -qx done log.txt",
        "! grep -q TODO log.txt",
        "test -s out.csv",
        "[ -e log.txt ]",
        "test ! -e log.txt",
        "python3 -c \"import csv;assert list(csv.reader(open('out.csv')))\"",
    ] {
        assert!(of(gate).is_empty(), "{gate}");
    }
    assert_eq!(of("grep -qxf words.txt log.txt").len(), 2);
    assert_eq!(of("diff out.csv want.txt").len(), 2);
    assert_eq!(of("test \"$(./run)\" = \"$(cat want.txt)\""), ["want.txt"]);
    let compared = "python3 -c \"import app;assert app.go() == open('want.txt').read()\"";
    assert_eq!(of(compared), ["want.txt"]);
    assert_eq!(of("./run | diff - want.txt"), ["want.txt"]);
}

#[test]
fn what_a_command_takes_in_and_checks_itself_is_the_work() {
    let files = [
        ("lib.sh", "slug() { :; }\n"),
        ("env.sh", "export A=1\n"),
        ("use.md", ">>> f()\n"),
        ("Makefile", "include make/*.inc\n"),
        ("make/a.inc", "X = 1\n"),
        ("make/b.c", ""),
    ];
    assert_eq!(
        of(&[". ./lib.sh && [ \"$(slug A)\" = a ]"], &files),
        [""; 0]
    );
    assert_eq!(of(&[". ./env.sh && pytest"], &files), ["env.sh"]);
    assert_eq!(of(&["python3 -m doctest use.md"], &files), ["use.md"]);
    assert_eq!(of(&["make"], &files), ["Makefile", "make/a.inc"]);
    let named = ["make/a.inc".to_owned()].into();
    assert!(stands_beside("make/c.inc", &named) && !stands_beside("make/c.c", &named));
}
