//! The words that tell lines about errors from others.

/// What lines about errors hold.
pub(super) const ERRORS: &[&str] = overnight_base::texts!(
    "FATAL|Fatal|PANIC|panic|Traceback (most|ERROR|Error:|error:|error[|Error |ERR!|Exception\
     |FAILED|FAIL |FAIL:|Failed|failed|FAILURE|Failure|✗|✕|✘|✖|×|not ok|❌|Segmentation fault\
     |core dumped|Killed|command not found|No such file|Permission denied|undefined reference\
     |Unhandled|Uncaught|cannot |Cannot |could not|Could not|with errors|CRITICAL|denied|refused\
     |timed out|Timeout|unable to|Unable to|E: |SEVERE|abort|Abort|errors found|level=error\
     |level=crit|fatal|lvl=eror|lvl=crit|invalid|Invalid|missing|\"error\"|[E]|Error\"|not found\
     |unexpected|conflict|CONFLICT|rejected|OOM|BROKEN|UNREACHABLE|error |BackOff|DATA RACE\
     |\"level\":50|\"level\": 50|\"level\":60|\"level\": 60|ulnerabilit|exited with code"
);

/// What lines about warnings hold.
pub(super) const WARNINGS: &[&str] =
    overnight_base::words!("WARN warning: Warning: warning[ [warn] deprecated level=warn");

/// What such lines hold when they say the opposite.
pub(super) const DENIED: &[&str] = overnight_base::texts!(
    "0 error|0 failed|0 fail|no error|No error|0 Error|without error|errors: 0|failed: 0\
     |Failures: 0|failures: 0|Failed: 0|no failures|error-|errors=0|failed=0|failures=0|... ok\
     |exited with code 0"
);

/// And what they hold when one of those words is not the whole truth.
pub(super) const EMPHATIC: &[&str] = &["failed,", "FAILED", " ERROR ", "FATAL"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_about_errors_are_looked_for() {
        // The first stands in words of every kind, the other has a number behind it.
        let others = ["E: ", "not ok"];
        for word in ERRORS.iter().filter(|word| !others.contains(word)) {
            let mut anchors = super::super::super::grammar::anchors();
            assert!(anchors.any(|anchor| word.contains(anchor)), "{word}");
        }
    }
}
