//! Canaries: tests that must fail, planted beside the project's own in the format of their runner. A
//! gate that stays green with them in it, or that swallows one of them, proves nothing.
//!
//! Each failing assertion makes a word of its own when it runs ([`word`]); that it stands in the
//! gate's output shows that this assertion ran and failed, whichever runner printed it.

use super::inline;
use super::protect::ending;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// Files that are planted at most; a runner that starts a process for each should not notice.
pub const PLANTED_MAX: usize = 12;

/// One file with canaries.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plant {
    /// Where it is written.
    pub path: String,
    /// The whole text.
    pub text: String,
    /// The numbers of its canaries, in the order in which they stand.
    pub numbers: Vec<u64>,
}

impl Plant {
    /// How many lines of the file's own text stand before its canaries as they were.
    pub fn unmoved(&self, text: &str) -> usize {
        let both = text.lines().zip(self.text.lines());
        both.take_while(|(own, planted)| own == planted).count()
    }
}

/// The word that the canary of this number prints when it fails.
pub fn word(number: u64) -> String {
    format!("overnight-{number}")
}

/// Which of these canaries failed, by what a gate printed.
pub fn failed(output: &str, numbers: &[u64]) -> BTreeSet<u64> {
    numbers
        .iter()
        .copied()
        .filter(|number| output.contains(&word(*number)))
        .collect()
}

/// By planted file, which of its canaries failed: their places in the file.
pub fn seen(output: &str, plants: &[Plant]) -> BTreeMap<String, BTreeSet<u64>> {
    let of = |plant: &Plant| {
        let first = plant.numbers.first().copied().unwrap_or_default();
        let found = failed(output, &plant.numbers).into_iter();
        let found: BTreeSet<u64> = found.map(|number| number - first).collect();
        (!found.is_empty()).then(|| (plant.path.clone(), found))
    };
    plants.iter().filter_map(of).collect()
}

/// The files to plant, out of the tests that are there: at most one in each folder first, then more
/// of the same.
pub fn choose<'a>(paths: impl IntoIterator<Item = &'a String>) -> Vec<String> {
    let mut folders = BTreeSet::new();
    let (mut first, mut more) = (Vec::new(), Vec::new());
    for path in paths {
        if runner(path).is_none() {
            continue;
        }
        let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
        if folders.insert(folder) {
            first.push(path.clone());
        } else if ending(path) != "go" {
            // Two of one package would have the same name.
            more.push(path.clone());
        }
    }
    first.extend(more);
    first.truncate(PLANTED_MAX);
    first
}

/// A language with a format for tests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Runner {
    Python,
    JavaScript,
    Rust,
    Go,
    Ruby,
    Php,
    Java,
    Bats,
    C,
    Perl,
}

fn runner(path: &str) -> Option<Runner> {
    let ending = path.rsplit_once('.')?.1;
    Some(match ending {
        "py" => Runner::Python,
        "js" | "mjs" | "cjs" | "ts" | "mts" | "cts" | "jsx" | "tsx" => Runner::JavaScript,
        "rs" => Runner::Rust,
        "go" if path.ends_with("_test.go") => Runner::Go,
        "rb" => Runner::Ruby,
        "php" => Runner::Php,
        "java" => Runner::Java,
        "bats" => Runner::Bats,
        "t" => Runner::Perl,
        "c" | "cc" | "cpp" | "cxx" => Runner::C,
        _ => return None,
    })
}

/// A test file with canaries, its numbers counted from `number`; `None` for a file without tests.
pub fn plant(path: &str, text: &str, number: u64) -> Option<Plant> {
    let planted = match runner(path)? {
        Runner::Python => python(text, number),
        Runner::JavaScript => javascript(text, number),
        Runner::Rust => rust(text, number),
        Runner::Go => behind(
            text,
            "func Test",
            &format!(
                "\nfunc TestOvernightCanary(t *testing.T) {{ t.Errorf(\"overnight-%d\", {number}) }}\n"
            ),
        ),
        Runner::Ruby => ruby(text, number),
        Runner::C => c(text, number),
        Runner::Perl => perl(text, number),
        Runner::Php => return php(path, text, number),
        Runner::Java => return java(path, text, number),
        Runner::Bats => behind(
            text,
            "@test",
            &format!(
                "\n@test \"overnight canary\" {{ n={number}; echo \"overnight-$n\"; false; }}\n"
            ),
        ),
    }?;
    let numbers = (number..number + 8)
        .filter(|number| planted.contains(&number.to_string()))
        .collect();
    Some(Plant {
        path: path.to_owned(),
        text: planted,
        numbers,
    })
}

/// `more` behind a file that holds `mark`.
fn behind(text: &str, mark: &str, more: &str) -> Option<String> {
    text.contains(mark).then(|| format!("{text}\n{more}"))
}

fn python(text: &str, number: u64) -> Option<String> {
    if !text.contains("def test") && !text.contains("TestCase") {
        return None;
    }
    let (equal, holds, raised, plain) = (number, number + 1, number + 2, number + 3);
    let near = number + 4;
    let canary = format!(
        "\n\nimport unittest as _overnight_unittest\n\n\nclass TestOvernightCanary(_overnight_unittest.TestCase):\n    \
         def test_equal(self):\n        self.assertEqual(\"overnight-\" + str({equal}), \"\")\n\n    \
         def test_near(self):\n        self.assertEqual(1, 1.0000001, \"overnight-\" + str({near}))\n\n    \
         def test_holds(self):\n        self.assertTrue(False, \"overnight-\" + str({holds}))\n\n    \
         def test_raised(self):\n        raise AssertionError(\"overnight-\" + str({raised}))\n\n\n\
         def test_overnight_canary():\n    assert not \"overnight\", \"overnight-\" + str({plain})\n\n\n"
    );
    // What runs when the file is started as a script must come last.
    let main = text
        .starts_with("if __name__")
        .then_some(0)
        .or_else(|| text.find("\nif __name__").map(|at| at + 1));
    let (before, after) = text.split_at(main.unwrap_or(text.len()));
    Some(format!("{before}{canary}{after}"))
}

fn javascript(text: &str, number: u64) -> Option<String> {
    let called = |name: &str| {
        text.match_indices(name).any(|(at, _)| {
            text[at + name.len()..].trim_start().starts_with('(')
                && !text[..at]
                    .ends_with(|c: char| c.is_alphanumeric() || matches!(c, '.' | '_' | '$'))
        })
    };
    let name = ["test", "it"].into_iter().find(|name| called(name))?;
    let mut canary = format!(
        "\n;{name}(\"overnight canary thrown\", () => {{ throw new Error(\"overnight-\" + {number}); }});\n"
    );
    let (equal, near) = (number + 1, number + 2);
    let declared = |name: &str| {
        text.contains(&format!("{name}.strictEqual(")) || text.contains(&format!("{name}.equal("))
    };
    if declared("assert") {
        let _ = writeln!(
            canary,
            "{name}(\"overnight canary equal\", () => {{ assert.strictEqual(\"overnight-\" + {equal}, \"\"); }});\n\
             {name}(\"overnight canary near\", () => {{ assert.strictEqual(1, 1.0000001, \"overnight-\" + {near}); }});"
        );
    } else if text.contains("expect(") {
        let _ = writeln!(
            canary,
            "{name}(\"overnight canary equal\", () => {{ expect(\"overnight-\" + {equal}).toBe(\"\"); }});"
        );
    }
    Some(format!("{text}\n{canary}"))
}

fn rust(text: &str, number: u64) -> Option<String> {
    let (equal, holds, raised) = (number, number + 1, number + 2);
    let tests = format!(
        "#[test]\nfn overnight_canary_equal() {{ assert_eq!(format!(\"overnight-{{}}\", {equal}_u64), \"\"); }}\n\
         #[test]\nfn overnight_canary_holds() {{ let n = {holds}_u64; assert!(n == 0, \"overnight-{{}}\", n); }}\n\
         #[test]\nfn overnight_canary_raised() {{ panic!(\"overnight-{{}}\", {raised}_u64); }}\n"
    );
    if text.contains("#[cfg(test)]") && inline::has_tests(text) {
        return Some(format!(
            "{text}\n#[cfg(test)]\nmod overnight_canary {{\n{tests}}}\n"
        ));
    }
    // Beside the project's own, where what they see is seen, too.
    inline::has_tests(text).then(|| format!("{text}\n{tests}"))
}

fn ruby(text: &str, number: u64) -> Option<String> {
    if text.contains("describe") && !text.contains("Minitest") && !text.contains("minitest") {
        return Some(format!(
            "{text}\nRSpec.describe(\"overnight canary\") {{ it(\"fails\") {{ expect(\"overnight-#{{{number}}}\").to eq(\"\") }} }}\n"
        ));
    }
    let case = "\nclass OvernightCanaryTest < (defined?(Minitest::Test) ? Minitest::Test : Test::Unit::TestCase)\n";
    let class = format!(
        "{case}  def test_overnight_canary\n    assert_equal \"overnight-#{{{number}}}\", \"\"\n  end\nend\n"
    );
    behind(text, "def test_", &class)
}

/// Before the end of the code, and of the plan.
fn perl(text: &str, number: u64) -> Option<String> {
    text.contains("Test::More").then_some(())?;
    let ends = ["\ndone_testing", "\n__END__", "\n__DATA__"];
    let ends = ends.iter().filter_map(|end| text.find(end));
    let (before, after) = text.split_at(ends.min().unwrap_or(text.len()));
    let (equal, holds) = (number, number + 1);
    Some(format!(
        "{before}\nis(\"overnight-\" . {equal}, \"\", \"overnight canary\");\nok(0, \"overnight-\" . {holds});\n{after}"
    ))
}

/// A test of the framework that the file includes; else its own program says so and fails at once.
fn c(text: &str, number: u64) -> Option<String> {
    let framework = [
        (
            "gtest/gtest.h",
            format!("TEST(OvernightCanary, Fails) {{ FAIL() << \"overnight-\" << {number}ULL; }}"),
        ),
        (
            "catch",
            format!("TEST_CASE(\"overnight canary\") {{ FAIL(\"overnight-\" << {number}ULL); }}"),
        ),
        (
            "doctest",
            format!("TEST_CASE(\"overnight canary\") {{ FAIL(\"overnight-\" << {number}ULL); }}"),
        ),
    ];
    let includes = |name: &str| {
        let mut lines = text.lines();
        lines.any(|line| line.trim_start().starts_with("#include") && line.contains(name))
    };
    if let Some((_, test)) = framework.iter().find(|(name, _)| includes(name)) {
        return text.contains("TEST").then(|| format!("{text}\n{test}\n"));
    }
    // What follows must still be linked: its libraries may do something before `main`.
    let main = text.find("int main(")?;
    let body = main + text[main..].find('{')? + 1;
    let (before, after) = text.split_at(body);
    Some(format!(
        "#include <stdio.h>\nstatic volatile int overnight_canary = 1;\n{before} printf(\"overnight-%llu\\n\", {number}ULL); if (overnight_canary) return 1; {after}"
    ))
}

fn beside(path: &str, name: &str) -> String {
    path.rsplit_once('/')
        .map_or_else(|| name.to_owned(), |(folder, _)| format!("{folder}/{name}"))
}

fn php(path: &str, text: &str, number: u64) -> Option<Plant> {
    text.contains("TestCase").then_some(())?;
    let namespace = text
        .lines()
        .find(|line| line.starts_with("namespace "))
        .unwrap_or_default();
    let text = format!(
        "<?php\n{namespace}\nfinal class OvernightCanaryTest extends \\PHPUnit\\Framework\\TestCase {{\n    \
         public function testOvernightCanary(): void {{ $this->assertSame(\"overnight-\" . {number}, \"\"); }}\n}}\n"
    );
    Some(Plant {
        path: beside(path, "OvernightCanaryTest.php"),
        text,
        numbers: vec![number],
    })
}

fn java(path: &str, text: &str, number: u64) -> Option<Plant> {
    let import = ["org.junit.jupiter.api.Test", "org.junit.Test"]
        .into_iter()
        .find(|name| text.contains(name))?;
    let package = text
        .lines()
        .find(|line| line.starts_with("package "))
        .unwrap_or_default();
    let text = format!(
        "{package}\nimport {import};\npublic class OvernightCanaryTest {{\n    \
         @Test public void overnightCanary() {{ throw new AssertionError(\"overnight-\" + {number}L); }}\n}}\n"
    );
    Some(Plant {
        path: beside(path, "OvernightCanaryTest.java"),
        text,
        numbers: vec![number],
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_runner_gets_canaries_in_its_own_format() {
        let python = plant("tests/test_a.py", "class T(unittest.TestCase):\n    pass\nif __name__ == \"__main__\":\n    unittest.main()\n", 100).unwrap();
        assert!(python.text.trim_end().ends_with("unittest.main()"));
        assert_eq!(python.numbers, [100, 101, 102, 103, 104]);
        let node = plant(
            "test/a.test.js",
            "test(\"x\", () => assert.strictEqual(1, 1));",
            200,
        )
        .unwrap();
        assert_eq!(node.numbers, [200, 201, 202]);
        assert!(node.text.contains("\n;test("));
        assert_eq!(plant("test/helper.js", "exports.latest(1)", 1), None);
        let rust = plant("src/lib.rs", "#[cfg(test)]\nmod tests { }\n", 300).unwrap();
        assert_eq!(rust.numbers, [300, 301, 302]);
        assert_eq!(plant("src/lib.rs", "fn f() {}", 1), None);
        let bare = plant("src/lib.rs", "#[test]\nfn a() {}\n", 310).unwrap();
        assert!(bare.numbers.len() == 3 && !bare.text.contains("mod "));
        let perl = plant("t/a.t", "use Test::More;\nok(1);\ndone_testing;\n", 320).unwrap();
        assert_eq!(perl.numbers, [320, 321]);
        assert!(perl.text.trim_end().ends_with("done_testing;"));
        assert!(
            plant("a/b_test.go", "func TestA(t *testing.T) {}", 1)
                .unwrap()
                .text
                .contains("t.Errorf")
        );
        let own = plant("test/t.c", "int main(void) {\n return 0; }\n", 4).unwrap();
        assert!(
            own.text.contains(
                "{ printf(\"overnight-%llu\\n\", 4ULL); if (overnight_canary) return 1; \n"
            )
        );
        assert_eq!(
            plant("test/helper.c", "int f(void) { return 0; }\n", 4),
            None
        );
        let java = plant(
            "src/test/java/a/XTest.java",
            "package a;\nimport org.junit.Test;\n",
            7,
        )
        .unwrap();
        assert_eq!(java.path, "src/test/java/a/OvernightCanaryTest.java");
        assert!(
            plant("spec/a_spec.rb", "RSpec.describe(A) {}", 5)
                .unwrap()
                .text
                .contains("overnight-#{5}")
        );
    }

    #[test]
    fn a_canary_counts_only_where_its_word_was_made() {
        let plant = plant("tests/test_a.py", "def test_a(): pass\n", 41_000).unwrap();
        assert!(
            failed(&plant.text, &plant.numbers).is_empty(),
            "the source itself holds none of the words"
        );
        assert_eq!(
            failed("AssertionError: 'overnight-41000' != ''", &plant.numbers),
            [41_000].into()
        );
    }

    #[test]
    fn folders_are_covered_before_files() {
        let paths: Vec<String> = [
            "a/x_test.go",
            "a/y_test.go",
            "b/test_1.py",
            "b/test_2.py",
            "c.md",
        ]
        .map(str::to_owned)
        .into();
        assert_eq!(
            choose(&paths),
            ["a/x_test.go", "b/test_1.py", "b/test_2.py"]
        );
    }
}
