//! The digest as a whole.

use super::*;

fn digest(text: &[u8], end: End) -> Digest {
    let mut digester = Digester::new(Options::default());
    digester.push(text);
    digester.finish(end, None)
}

#[test]
fn small_outputs_pass_unchanged() {
    let small = b"ok\n\x1b[31mred\x1b[0m\n";
    assert_eq!(digest(small, End::Exit(0)).passthrough(), Some(&small[..]));
    let long = "x\n".repeat(51);
    assert_eq!(digest(long.as_bytes(), End::Exit(0)).passthrough(), None);
    let limit = "x\n".repeat(50);
    assert!(
        digest(limit.as_bytes(), End::Exit(0))
            .passthrough()
            .is_some()
    );
    let open = format!("{limit}x");
    assert!(
        digest(open.as_bytes(), End::Exit(0))
            .passthrough()
            .is_none()
    );
}

#[test]
fn an_error_in_a_log_is_shown() {
    let mut log = "heartbeat ok\n".repeat(500);
    log.push_str("FATAL: out of memory\n");
    log.push_str(&"heartbeat ok\n".repeat(500));
    let text = digest(log.as_bytes(), End::Exit(0)).render(&Frame::default());
    assert!(text.contains("FATAL: out of memory"), "{text}");
    assert!(text.lines().count() <= LINES_MAX);
    assert!(
        text.contains("no test, build or lint result recognised"),
        "{text}"
    );
}
