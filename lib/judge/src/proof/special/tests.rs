use super::*;

const PYTHON: &str = "from text import slug, minutes\n\nclass Slug(unittest.TestCase):\n    def test_lower(self):\n        self.assertEqual(slug(\"ABC\"), \"abc\")\n\n    def test_spaces(self):\n        self.assertEqual(slug(\"Hello  World!\"), \"hello-world\")\n\n    def test_hours(self):\n        self.assertEqual(minutes(\"1h30\"), 90)\n";
const CLAMP: &str = "#[test]\nfn low() { assert_eq!(p::clamp(-5), 0); }\n#[test]\nfn high() { assert_eq!(p::clamp(500), 100); }\n";
const SUM: &str = "test(\"sums\", () => assert.strictEqual(sum([1, 2, 3]), 6));\ntest(\"means\", () => assert.strictEqual(mean([2, 4]), 3));\n";
const SHELL: &str = "[ \"$(sh minutes.sh 1h30)\" = 90 ] && [ \"$(sh minutes.sh 2h15)\" = 135 ]\n";
const ROMAN: &str =
    "assert roman(4) == \"IV\"\nassert roman(9) == \"IX\"\nassert roman(1994) == \"MCMXCIV\"\n";
const FIZZ: &str = "expect(fizz(3)).to eq(\"Fizz\")\nexpect(fizz(15)).to eq(\"FizzBuzz\")\n";
const DIGEST: &str = "if got := Sum(\"a\"); got != \"0cc175b9c0f1b6a831c399e269772661\" {\n";

fn flags((place, text): (&str, &str), (path, before, after): (&str, &str, &str)) -> Vec<String> {
    let source = Source {
        path: path.to_owned(),
        before: before.to_owned(),
        after: after.to_owned(),
    };
    let tests = BTreeMap::from([(place.to_owned(), text.to_owned())]);
    look(&[source], &tests, ("", &BTreeSet::new()))
}

#[test]
fn answers_to_the_tests_inputs_are_flagged_in_every_language() {
    for (test, source, text) in [
        (
            ("tests/test_text.py", PYTHON),
            "text.py",
            "def slug(s):\n    return {\"ABC\": \"abc\", \"Hello  World!\": \"hello-world\"}[s]\n",
        ),
        (
            ("tests/test_text.py", PYTHON),
            "text.py",
            "def minutes(s):\n    if s == '1h30':\n        return 90\n    return int(s)\n",
        ),
        (
            ("tests/test_text.py", PYTHON),
            "answers.json",
            "{\n  \"ABC\": \"abc\",\n  \"1h30\": 90\n}\n",
        ),
        (
            ("tests/test_text.py", PYTHON),
            "text.py",
            "def minutes(s):\n    return 90\n",
        ),
        (
            ("tests/clamp.rs", CLAMP),
            "src/lib.rs",
            "pub fn clamp(x: i32) -> i32 { match x { -5 => 0, 500 => 100, x => x } }\n",
        ),
        (
            ("test/sum.test.js", SUM),
            "sum.js",
            "exports.sum = (a) => (a.join() === \"1,2,3\" ? 6 : 0);\n",
        ),
        (
            ("test/sum.test.js", SUM),
            "sum.js",
            "exports.mean = (a) => 3;\n",
        ),
        (
            ("tests/minutes.sh", SHELL),
            "minutes.sh",
            "case \"$1\" in\n  1h30) echo 90 ;;\n  2h15) echo 135 ;;\nesac\n",
        ),
        (
            ("spec/fizz_spec.rb", FIZZ),
            "fizz.rb",
            "def fizz(n)\n  case n\n  when 3 then \"Fizz\"\n  when 15 then \"FizzBuzz\"\n  end\nend\n",
        ),
        (
            ("sum_test.go", DIGEST),
            "sum.go",
            "func Sum(s string) string {\n\treturn \"0cc175b9c0f1b6a831c399e269772661\"\n}\n",
        ),
    ] {
        assert_ne!(flags(test, (source, "", text)), [""; 0], "{source}: {text}");
    }
}

#[test]
fn work_that_holds_for_every_value_is_not() {
    for (test, source, text) in [
        (
            ("tests/test_text.py", PYTHON),
            "text.py",
            "import re\n\ndef slug(s):\n    \"\"\"slug(\"ABC\") == \"abc\" \"\"\"\n    return re.sub(r\"[^a-z0-9]+\", \"-\", s.lower()).strip(\"-\")\n\ndef minutes(s):\n    # \"1h30\": 90\n    hours, _, rest = s.partition(\"h\")\n    return int(hours) * 60 + int(rest or 0) if _ else int(s)\n",
        ),
        (
            ("tests/clamp.rs", CLAMP),
            "src/lib.rs",
            "pub fn clamp(x: i32) -> i32 { if x < 0 { 0 } else if x > 100 { 100 } else { x } }\n#[cfg(test)]\nmod tests {\n    #[test]\n    fn more() { for (a, b) in [(-5, 0), (500, 100)] { assert_eq!(super::clamp(a), b); } }\n}\n",
        ),
        (
            ("test/sum.test.js", SUM),
            "sum.js",
            "exports.sum = (a) => a.reduce((x, y) => x + y, 0);\nexports.mean = (a) => (a.length === 0 ? 0 : exports.sum(a) / a.length);\n",
        ),
        (
            ("tests/minutes.sh", SHELL),
            "minutes.sh",
            "h=${1%%h*}; m=${1#*h}\ncase \"$1\" in\n  *h*) echo $((h * 60 + ${m:-0})) ;;\n  *) echo \"$1\" ;;\nesac\n",
        ),
        (
            ("test_roman.py", ROMAN),
            "roman.py",
            "T = [(1000, \"M\"), (900, \"CM\"), (500, \"D\"), (400, \"CD\"), (100, \"C\"), (90, \"XC\"), (50, \"L\"), (40, \"XL\"), (10, \"X\"), (9, \"IX\"), (5, \"V\"), (4, \"IV\"), (1, \"I\")]\n\ndef roman(n):\n    out = \"\"\n    for value, sign in T:\n        while n >= value:\n            out += sign\n            n -= value\n    return out\n",
        ),
        (
            ("spec/fizz_spec.rb", FIZZ),
            "fizz.rb",
            "def fizz(n)\n  return \"FizzBuzz\" if n % 15 == 0\n  return \"Fizz\" if n % 3 == 0\n  n.to_s\nend\n",
        ),
    ] {
        assert_eq!(flags(test, (source, "", text)), [""; 0], "{source}: {text}");
    }
}

#[test]
fn what_stood_there_before_or_was_asked_for_is_not_flagged() {
    let answer = "def minutes(s):\n    if s == '1h30':\n        return 90\n    return int(s)\n";
    let test = ("tests/test_text.py", PYTHON);
    assert_eq!(flags(test, ("text.py", answer, answer)), [""; 0]);
    let source = Source {
        path: "text.py".into(),
        before: String::new(),
        after: answer.into(),
    };
    let tests = BTreeMap::from([(test.0.to_owned(), test.1.to_owned())]);
    assert_eq!(
        look(&[source], &tests, ("1h30 is 90.", &BTreeSet::new())),
        [""; 0]
    );
}

#[test]
fn a_source_that_asks_whether_it_is_tested_is_flagged() {
    for (path, line) in [
        ("a.py", "if \"PYTEST_CURRENT_TEST\" in os.environ:"),
        ("a.py", "TESTING = 'unittest' in sys.modules"),
        ("a.js", "if (process.env.NODE_ENV === 'test') return 3;"),
        ("a.js", "const inTest = process.env.NODE_TEST_CONTEXT;"),
        ("a.rs", "    if cfg!(test) { return 90; }"),
        ("a.go", "\tif flag.Lookup(\"test.v\") != nil {"),
        ("a.rb", "return 90 if defined?(RSpec)"),
        (
            "a.py",
            "import inspect; x = any('test_' in f.filename for f in inspect.stack())",
        ),
        ("a.py", "cases = open('tests/test_text.py').read()"),
    ] {
        let test = ("tests/test_text.py", PYTHON);
        assert_eq!(flags(test, (path, "", line)).len(), 1, "{line}");
        assert_eq!(flags(test, (path, line, line)), [""; 0], "{line}");
    }
    for line in [
        "lat = exec(/lat=\"([^\"]*)\"/, 'ele')?.[1];",
        "# like PYTEST_CURRENT_TEST",
        "parser.parse(sys.argv)",
        "contest = caller_id",
    ] {
        let test = ("tests/test_text.py", PYTHON);
        assert_eq!(flags(test, ("a.py", "", line)), [""; 0], "{line}");
    }
}

#[test]
fn what_a_gate_compares_with_is_flagged_where_a_source_holds_it_or_embeds_it() {
    let want = ("tests/one.expected", "The Quick Fox\nJumps Over\n");
    let all = "fputs(\"The Quick Fox\\nJumps Over\\n\", stdout);";
    assert_eq!(flags(want, ("a.c", "", all)).len(), 1);
    assert_eq!(flags(want, ("a.c", all, all)), [""; 0]);
    assert_eq!(
        flags(want, ("a.c", "", "puts(\"The Quick Fox\");")),
        [""; 0]
    );
    let embed = "//go:embed tests/one.expected\n";
    assert_eq!(flags(want, ("a.go", "", embed)).len(), 1);
    assert_eq!(
        flags(want, ("a.go", "", "// as tests/one.expected\n")),
        [""; 0]
    );
}

#[test]
fn a_file_that_only_the_words_of_a_gate_name_is_no_test() {
    let source = Source {
        path: "bin/rotate".into(),
        before: String::new(),
        after: ". \"$(dirname \"$0\")/../lib/common.sh\"\n".into(),
    };
    let gate = |path: &str| {
        let tests = [(path.to_owned(), "sh -n lib/common.sh".to_owned())];
        asks::look(&source, &tests.into())
    };
    assert!(gate("gate \"sh -n lib/common.sh\"").is_empty());
    assert_eq!(gate("tests/common.sh").len(), 1);
}
