//! What agents leave behind comes to their driver instead of to init: whatever they clear from their
//! environment, it still descends from the run.

use super::Identity;
#[cfg(target_os = "linux")]
use super::end_all;
use std::time::Duration;

/// Each round may set free the children of what it ended.
#[cfg(target_os = "linux")]
const ROUNDS_MAX: usize = 20;

/// From now on a process whose parents have ended becomes a child of this one. Linux only.
#[cfg(target_os = "linux")]
pub fn begin() {
    let own = rustix::process::getpid();
    let _ = rustix::process::set_child_subreaper(Some(own));
}

/// Nothing: only Linux gives processes another parent.
#[cfg(not(target_os = "linux"))]
pub fn begin() {}

/// Ends what came to this process since it started this agent, and takes note of its end. Its own
/// helpers stay: they are in its group, or git.
#[cfg(target_os = "linux")]
pub fn end_since(agent: Identity, grace: Duration) {
    for _ in 0..ROUNDS_MAX {
        let left = children(agent.start);
        if left.is_empty() {
            return;
        }
        end_all(&left, grace);
        for process in left {
            let pid = i32::try_from(process.pid)
                .ok()
                .and_then(rustix::process::Pid::from_raw);
            let _ = rustix::process::waitpid(pid, rustix::process::WaitOptions::empty());
        }
    }
}

/// Nothing comes to this process.
#[cfg(not(target_os = "linux"))]
pub fn end_since(_: Identity, _: Duration) {}

/// The children of this process that are no helpers of its own, zombies too.
#[cfg(target_os = "linux")]
fn children(since: u64) -> Vec<Identity> {
    let own = std::process::id();
    // 0 where the group began outside of our namespace of processes.
    let group = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let group = group
        .rsplit_once(") ")
        .and_then(|(_, fields)| fields.split(' ').nth(2));
    let group = group.unwrap_or_default().to_owned();
    let child = |pid: u32| {
        let text = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        let (name, fields) = text.rsplit_once(") ")?;
        let fields: Vec<&str> = fields.split(' ').collect();
        let start: u64 = fields.get(19)?.parse().ok()?;
        let adopted = fields.get(1)?.parse() == Ok(own)
            && *fields.get(2)? != group
            && start >= since
            && !name.ends_with("(git");
        adopted.then_some(Identity { pid, start })
    };
    let all = super::all().unwrap_or_default();
    all.into_iter().filter_map(child).collect()
}
