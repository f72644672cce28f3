//! What the lines of a failure start with, by what they tell.

/// How calls of what is not the project start where a frame names no folder: on the Java platform.
pub(super) const FOREIGN_CALLS: &[&str] =
    overnight_base::words!("java. jdk. sun. org.junit. org.opentest4j. org.assertj. org.hamcrest.");

/// How lines with the values of a comparison start.
/// Hypothesis
pub(super) const VALUES: &[&str] = overnight_base::texts!(
    "expected|Expected|received|Received|actual|Actual|got|Got|left:|right:|- |+ |want|but was\
     |to equal|does not match|diff|Which is|Value of|evaluated to|{expression,|values:\
     |Falsifying example:|Failing test case:"
);

/// How lines that state an error start.
/// Of an object that was thrown.
pub(super) const STARTS: &[&str] = overnight_base::texts!(
    "assert|Assert|panic|Error:|error:|Failed asserting|Expected|expect(|fatal|Failure|FAILED:\
     |FAIL |** (|**error:|CHECK|REQUIRE|Exception|Timeout|timed out|Failed:|Uncaught|Unhandled\
     |Cannot |cannot |[XPASS|DID NOT|C++ exception with |note: panic did not contain \
     |Rejected to value|Resolved to value|Thrown message:|message: '|message: \"|message: `\
     |match (=) failed|Doctest failed"
);

/// How lines start that explain nothing.
pub(super) const HEADINGS: &[&str] = overnight_base::texts!(
    "Traceback (most recent call last):|stack backtrace:|stacktrace:|Stack:|Stack Trace:|Message:\
     |Error Message:|Error name: |Error thrown in test:|(compared using|Difference (- actual, + expected):\
     |Rejected promise returned by test. Reason:|+ expected - actual|+ actual - expected|- Expected\
     |+ Received|- Expected  - |Diff:|stderr:|stdout:|Ignoring differences in equivalent\
     |note: Some details are omitted|Error {|Error Context:|error Context|duration_ms|failureType|severity:\
     |operator:|stack:|at: |type: |location:|name: 'AssertionError'|code: 'ERR|...|Use -v to get more diff\
     |------- Stdout|------- Stderr|Captured |attachment #|Usage:|MethodSource [|ClassSource [\
     |Running main() from |Note: Google Test |[==========]|[----------]|[ RUN      ]|[  PASSED  ]\
     |[  FAILED  ]|test-results/|>>> MALLOC_PERTURB_|with expansion:|with message:|(in test file \
     |in test file |(from function "
);
/// The same, of blocks of YAML.
pub(super) const BLOCKS: &[&str] = &["stack: |-", "message: |-", "error: |-"];
