//! What agents leave behind comes to their driver instead of to init: whatever they clear from their
//! environment, it still descends from the run.

use super::Identity;
#[cfg(target_os = "linux")]
use super::{end_all, stat::Stat};
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
    let group = Stat::current().map(|stat| stat.group);
    let child = |pid: u32| {
        let stat = Stat::of(pid)?;
        let adopted = stat.parent == own
            && Some(stat.group) != group
            && stat.start >= since
            && stat.name != "git";
        adopted.then_some(Identity {
            pid,
            start: stat.start,
        })
    };
    let all = super::all().unwrap_or_default();
    all.into_iter().filter_map(child).collect()
}
