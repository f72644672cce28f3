//! How long a remote may take to answer: a slow one is waited for, gets twice the time the next time, and stays
//! known as slow, so that it costs time and not the lease.

use super::store::WORK_LIMIT;
use crate::files::{self, Content};
use crate::git::{self, Output};
use overnight_base::fault::Fault;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

/// What a remote that was not slow before gets for one answer.
const LIMIT: Duration = Duration::from_secs(20);
/// The seconds that a slow one gets.
const FILE: &str = "slow";

/// What this clone knows of its remote's pace.
#[derive(Debug, Clone)]
pub(super) struct Timeout {
    file: PathBuf,
    /// What it gets at least.
    least: Duration,
}

impl Timeout {
    pub(super) fn of(folder: &Path) -> Self {
        Self {
            file: folder.join(FILE),
            least: LIMIT,
        }
    }

    /// The time that it gets for one answer now.
    fn limit(&self) -> Duration {
        let known = match files::read_bounded(&self.file, 32) {
            Ok(Content::Bytes(text)) => std::str::from_utf8(&text)
                .ok()
                .and_then(|text| text.parse().ok()),
            _ => None,
        };
        Duration::from_secs(known.unwrap_or(0)).clamp(self.least, WORK_LIMIT)
    }

    /// Runs a command that asks the remote something.
    pub(super) fn ask(&self, command: &mut Command) -> Result<Output, Fault> {
        self.wait(|limit| git::output_within(command, &[], limit))
    }

    /// Asks the remote something. What has no answer yet when its time is up goes on for twice as long: asked
    /// anew, a slow remote would begin anew.
    pub(super) fn wait<T>(
        &self,
        ask: impl FnOnce(Duration) -> Result<T, Fault>,
    ) -> Result<T, Fault> {
        let (began, limit) = (Instant::now(), self.limit());
        let done = ask((limit * 3).min(WORK_LIMIT))?;
        self.learn(limit, began.elapsed());
        Ok(done)
    }

    /// Remembers the time that the next answer gets. What cannot be remembered is found out again.
    fn learn(&self, limit: Duration, took: Duration) {
        match next(self.least, (limit, took)) {
            next if next == limit => {}
            next if next == self.least => {
                let _ = std::fs::remove_file(&self.file);
            }
            next => {
                let seconds = next.as_secs().to_string();
                let _ = files::replace(&self.file, seconds.as_bytes(), files::PRIVATE);
            }
        }
    }
}

/// Twice as long when the time was used up, half when a small part of it was enough.
fn next(least: Duration, (limit, took): (Duration, Duration)) -> Duration {
    const AMPLE: u32 = 8;
    if took >= limit {
        (limit * 2).min(WORK_LIMIT)
    } else if took < limit / AMPLE {
        (limit / 2).max(least)
    } else {
        limit
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slow_remote_gets_more_time_with_each_try_and_a_quick_one_less() {
        let folder = tempfile::tempdir().unwrap();
        let timeout = Timeout::of(folder.path());
        let mut limits = Vec::new();
        for _ in 0..7 {
            let limit = timeout.limit();
            limits.push(limit.as_secs());
            timeout.learn(limit, limit);
        }
        assert_eq!(limits, [20, 40, 80, 160, 320, 600, 600]);
        timeout.learn(WORK_LIMIT, Duration::from_secs(200));
        assert_eq!(timeout.limit(), WORK_LIMIT);
        for _ in 0..5 {
            timeout.learn(timeout.limit(), Duration::from_secs(1));
        }
        assert_eq!(timeout.limit(), LIMIT);
        assert!(!folder.path().join(FILE).exists());
    }

    #[test]
    fn an_answer_that_comes_late_is_waited_for_in_the_same_call() {
        let folder = tempfile::tempdir().unwrap();
        let least = Duration::from_secs(1);
        let timeout = Timeout {
            least,
            ..Timeout::of(folder.path())
        };
        let pipe = folder.path().join("answer");
        files::named_pipe(&pipe);
        let answers = pipe.clone();
        let remote = std::thread::spawn(move || {
            // Later than its time, whatever the machine does.
            std::thread::sleep(least * 6 / 5);
            std::fs::write(answers, "late\n").unwrap();
        });
        let mut asked = Command::new("cat");
        let done = timeout.ask(asked.arg(&pipe)).unwrap();
        assert_eq!((done.ok(), done.text().as_str()), (true, "late"));
        assert_eq!(timeout.limit(), least * 2, "it stays known as slow");
        remote.join().unwrap();
    }
}
