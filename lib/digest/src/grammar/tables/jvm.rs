//! The Java platform: JUnit's own console.

use super::super::super::count::Category::Total;
use super::super::table::Act::{End, Fail, First, Tally};
use super::super::table::{Table, rules};

/// In the order in which they are asked.
pub(super) const TABLES: &[Table] = &[Table {
    tool: "junit",
    begins: "JUnit ",
    headings: false,
    rules: &rules([
        ("^ JUnit {}:{name}", Fail),
        ("^Test run finished after {}", End),
        ("^[ {n} tests found ]", First(Total)),
        ("^[ {skipped} tests skipped ]", Tally),
        ("^[ {passed} tests successful ]", Tally),
        ("^[ {failed} tests failed ]", Tally),
        ("^[ {n} {}", End),
    ]),
}];

#[cfg(test)]
mod tests {
    use super::super::super::sample;

    #[test]
    fn the_list_of_failing_tests() {
        let facts = sample(
            "├─ JUnit Jupiter ✔\n│  └─ ManyTest ✔\n│     ├─ knot11() ✘ knot 11 is loose ==> expected: <0> but was: <1>\n\nFailures (1):\n\
             \x20 JUnit Jupiter:ManyTest:knot11()\n    MethodSource [className = 'ManyTest', methodName = 'knot11', methodParameterTypes = '']\n\
             \x20   => org.opentest4j.AssertionFailedError: knot 11 is loose ==> expected: <0> but was: <1>\n\
             \x20      org.junit.jupiter.api.AssertionFailureBuilder.build(AssertionFailureBuilder.java:151)\n       ManyTest.knot11(ManyTest.java:14)\n       [...]\n\n\
             Test run finished after 301 ms\n[         2 tests found           ]\n[         0 tests skipped         ]\n[         1 tests successful      ]\n[         1 tests failed          ]\n",
        );
        let [knot] = &facts.failures[..] else {
            panic!("{:?}", facts.failures);
        };
        assert_eq!(knot.name, "ManyTest:knot11()");
        assert_eq!(
            knot.block.first(),
            Some(
                "org.opentest4j.AssertionFailedError: knot 11 is loose ==> expected: <0> but was: <1>"
            )
        );
        assert_eq!(knot.block.place.as_ref().unwrap().shown, "ManyTest.java:14");
        assert_eq!(
            facts.sessions[0].stated.as_ref().unwrap().words(),
            "1 failed, 1 passed, 0 skipped, 2 total"
        );
    }
}
