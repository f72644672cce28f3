//! `current_tasks/<task>.txt`: the lease as people read it. Never read back as truth.

use super::record::Record;
use super::utc::utc;

/// Longest mirror file that is looked at, in bytes (tests/cases/hostile.md T02).
pub const MIRROR_BYTES_MAX: u64 = 4_096;

/// The file's text.
pub fn render(record: &Record) -> String {
    format!(
        "Task: {}\nAgent: {}\nHost: {}\nStarted: {}\nExpires: {}\nToken: {}\n",
        record.task,
        record.agent,
        record.host,
        utc(record.acquired_ms),
        utc(record.expires_ms()),
        record.token
    )
}

/// Is this text one that [`render`] wrote for a token up to this one? Only such a file is removed
/// again.
pub fn is_ours(text: &[u8], token: u64) -> bool {
    let text = String::from_utf8_lossy(text);
    let shown = text.lines().find_map(|line| line.strip_prefix("Token: "));
    let newer = |shown: &str| shown.parse::<u64>().is_ok_and(|shown| shown > token);
    text.starts_with("Task: ") && shown.is_some_and(|shown| !newer(shown))
}

/// Did a merge leave its markers in it? Then somebody committed the folder, and a person must
/// look (tests/cases/hostile.md T04).
pub fn is_conflicted(text: &[u8]) -> bool {
    let starts = |mark: &[u8]| {
        text.split(|byte| *byte == b'\n')
            .any(|line| line.starts_with(mark))
    };
    starts(b"<<<<<<<") && starts(b">>>>>>>")
}
