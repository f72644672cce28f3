use super::*;

fn both(path: &str, text: &str) -> (String, String) {
    let sites = sites(path, text);
    assert!(!sites.is_empty(), "{path}: {text}");
    let texts = BTreeMap::from([(path.to_owned(), text.to_owned())]);
    let of = |forced| applied(&texts, &sites, |_| forced)[path].clone();
    (of(false), of(true))
}

/// A file, an assertion, the same with another expectation, and what fails in its place.
const CASES: &[(&str, &str, &str, &str)] = &[
    (
        "t.py",
        "self.assertEqual(f(\"a, b\"), 90, \"why\")\n",
        "self.assertEqual(f(\"a, b\"), 89, \"why\")\n",
        "(_ for _ in ()).throw(AssertionError(\"overnight\"))\n",
    ),
    (
        "t.py",
        "    assert f([1, 2]) == {\"a\": 1}\n",
        "    assert f([1, 2]) == {\"overnight a\": 0}\n",
        "    assert False\n",
    ),
    (
        "t.js",
        "assert.deepStrictEqual(pair(1, 2), { a: 1 });",
        "assert.deepStrictEqual(pair(1, 2), \"overnight expectation\");",
        "(() => { throw new Error(\"overnight\"); })();",
    ),
    (
        "t.ts",
        "expect(f(1)).toEqual([1])",
        "expect(f(1)).toEqual([0])",
        "(() => { throw new Error(\"overnight\"); })()",
    ),
    (
        "t.rs",
        "assert_eq!(clamp(-5), 0);",
        "assert_eq!(clamp(-5), 1);",
        "assert!(false);",
    ),
    (
        "t.rs",
        "assert_eq!(f('\"'), \"x\", \"{}\", 1);",
        "assert_eq!(f('\"'), \"overnight x\", \"{}\", 1);",
        "assert!(false);",
    ),
    (
        "t.rb",
        "  assert_equal 100, clamp(500)\n",
        "  assert_equal 99, clamp(500)\n",
        "  raise(\"overnight\")\n",
    ),
    (
        "t.rb",
        "expect(clamp(-5)).to eq(0)",
        "expect(clamp(-5)).to eq(1)",
        "raise(\"overnight\")",
    ),
    (
        "t.c",
        "assert(clamp(500) == 100);",
        "assert(clamp(500) == 99);",
        "assert(0);",
    ),
    (
        "T.java",
        "if (C.clamp(-5) != 0) { fail(); }",
        "if (C.clamp(-5) != 1) { fail(); }",
        "if (true) { fail(); }",
    ),
    (
        "t.c",
        "assert(!strcmp(trim(b), \"y\"));",
        "assert(!strcmp(trim(b), \"overnight y\"));",
        "assert(0);",
    ),
    (
        "t.c",
        "if (strcmp(trim(b), \"y\") != 0) return 1;",
        "if (strcmp(trim(b), \"overnight y\") != 0) return 1;",
        "if (1) return 1;",
    ),
    (
        "t.c",
        "EXPECT_STR(trim(b), \"y\");",
        "EXPECT_STR(trim(b), \"overnight y\");",
        "__builtin_trap();",
    ),
    (
        "t.c",
        "assert(is_word(\"a b\"));",
        "assert(!(is_word(\"a b\")));",
        "assert(0);",
    ),
    (
        "T.java",
        "if (!Iban.valid(\"DE1\")) throw new E();",
        "if (!(!Iban.valid(\"DE1\"))) throw new E();",
        "if (true) throw new E();",
    ),
    (
        "t.rs",
        "assert!(is_word(\"a\"), \"why\");",
        "assert!(!(is_word(\"a\")), \"why\");",
        "assert!(false);",
    ),
    (
        "t.js",
        "assert.ok(isWord(\"a\"));",
        "assert.ok(!(isWord(\"a\")));",
        "(() => { throw new Error(\"overnight\"); })();",
    ),
    (
        "t.py",
        "with self.assertRaises(ValueError):\n",
        "with self.assertRaises(BlockingIOError):\n",
        "with (_ for _ in ()).throw(AssertionError(\"overnight\")):\n",
    ),
    (
        "t.py",
        "self.assertIn(f(1), [1])\n",
        "self.assertIn(f(1), [\"overnight expectation\"])\n",
        "(_ for _ in ()).throw(AssertionError(\"overnight\"))\n",
    ),
    (
        "t.py",
        "self.assertIn(\"<li>\", page)\n",
        "self.assertIn(\"overnight expectation\", page)\n",
        "(_ for _ in ()).throw(AssertionError(\"overnight\"))\n",
    ),
    (
        "t.py",
        "assert \"<li>\" in f(1)\n",
        "assert \"overnight <li>\" in f(1)\n",
        "assert False\n",
    ),
    (
        "t.py",
        "if got != want:\n",
        "if got != \"overnight expectation\":\n",
        "if True:\n",
    ),
    (
        "t.js",
        "assert.ok(f(1).includes('a'));",
        "assert.ok(f(1).includes(\"overnight expectation\"));",
        "(() => { throw new Error(\"overnight\"); })();",
    ),
    (
        "T.java",
        "check(C.clamp(500), 100);",
        "check(C.clamp(500), 99);",
        "if (true) throw new AssertionError(\"overnight\");",
    ),
    (
        "T.java",
        "if (!C.slug(\"A\").equals(\"a\")) fail();",
        "if (!C.slug(\"A\").equals(\"overnight a\")) fail();",
        "if (true) fail();",
    ),
    (
        "t.c",
        "CHECK(!has(&t, \"to\"));",
        "CHECK(!(!has(&t, \"to\")));",
        "CHECK(0);",
    ),
    (
        "t.rs",
        "assert_eq!(Task::new(1, \"a\", 2), Task::new(1, \"b\", 2));",
        "assert_eq!(Task::new(1, \"a\", 2), Task::new(0, \"overnight b\", 1));",
        "assert!(false);",
    ),
    (
        "t.rs",
        "assert_eq!(\"h\".parse::<Span>(), Err(E::Number { at: 0 }));",
        "assert_eq!(\"h\".parse::<Span>(), Err(E::Number { at: 1 }));",
        "assert!(false);",
    ),
    (
        "t.rs",
        "assert_eq!(f(), [4 - 2; 3]);",
        "assert_eq!(f(), [3 - 2; 3]);",
        "assert!(false);",
    ),
    (
        "t.rs",
        "assert!(parse(\"0\").is_err());",
        "assert!(parse(\"0\").is_ok());",
        "assert!(false);",
    ),
    (
        "t.js",
        "assert.ok(check({ a: 1 }).errors.email);",
        "assert.ok(check({ a: 1 }).errors.overnight_expectation);",
        "(() => { throw new Error(\"overnight\"); })();",
    ),
    (
        "t.js",
        "assert.ok(!form.valid);",
        "assert.ok(!(!form.valid));",
        "(() => { throw new Error(\"overnight\"); })();",
    ),
    (
        "t.py",
        "self.assertTrue(client.get.called)",
        "self.assertFalse(client.get.called)",
        "(_ for _ in ()).throw(AssertionError(\"overnight\"))",
    ),
    (
        "t.t",
        "is(f('90'), 90, 'plain');",
        "is(f('90'), 89, 'plain');",
        "ok(0, \"overnight\");",
    ),
];

#[test]
fn each_language_expects_something_else_and_fails_outright() {
    for (path, text, expected, forced) in CASES {
        let wanted = ((*expected).to_owned(), (*forced).to_owned());
        assert_eq!(both(path, text), wanted);
    }
}

#[test]
fn what_cannot_be_told_is_left_alone() {
    for (path, text) in [
        (
            "t.py",
            "# self.assertEqual(a, b)\nassert a == b and c\nassert a\n",
        ),
        ("t.rs", "assert_eq!(a, b);"),
        ("t.js", "assert.equal(a"),
        ("t.js", "st.equal(f(1), '???', 'why', { skip: 'TODO' });"),
        ("t.go", "if a != 1 {"),
        ("t.c", "assert(a == b);"),
        (
            "t.c",
            "EXPECT_GT(f(1), 2);\n#define EXPECT_STR(a, b) f(a, \"b\")\n",
        ),
    ] {
        assert_eq!(sites(path, text), [], "{text}");
    }
}

#[test]
fn a_place_is_told_by_tracebacks_and_panics() {
    let text = "\n\nself.assertEqual(\n    f(),\n    [1,\n     2])\nx = 1\n";
    let site = &sites("tests/t.py", text)[0];
    assert_eq!(
        (site.place().as_str(), site.lines),
        ("tests/t.py:3", (3, 6))
    );
    assert!(site.is_told("  File \"/r/tests/t.py\", line 4, in test\n"));
    assert!(site.is_told("tests/t.py:3: AssertionError"));
    assert!(!site.is_told("tests/t.py:33: x, tests/t.py, t.py: 3"));
    let texts = BTreeMap::from([("tests/t.py".to_owned(), text.to_owned())]);
    for forced in [false, true] {
        let changed = &applied(&texts, [site], |_| forced)["tests/t.py"];
        assert_eq!(changed.lines().count(), text.lines().count(), "{changed}");
    }
}
