//! Who a process is, so that its end can be noticed later and by others.

use crate::process::{self, Life};
use overnight_lease::Owner;

/// The process with this id; `None` when there is none.
pub fn describe(pid: u32) -> Option<Owner> {
    let Life::Since(start) = process::life(pid) else {
        return None;
    };
    let start = start.to_string();
    Some(Owner {
        pid,
        start,
        space: space(),
    })
}

/// Has this process of this machine's current boot ended? `false` when that cannot be known: it
/// lives in another space of process ids, or cannot be looked at.
pub fn is_dead(owner: &Owner) -> bool {
    owner.space == space()
        && match process::life(owner.pid) {
            Life::Since(start) => start.to_string() != owner.start,
            Life::Over => true,
            Life::Unknown => false,
        }
}

/// The space that process ids are valid in.
#[cfg(target_os = "linux")]
fn space() -> String {
    std::fs::read_link("/proc/self/ns/pid")
        .map(|link| link.to_string_lossy().into_owned())
        .unwrap_or_default()
}

#[cfg(not(target_os = "linux"))]
fn space() -> String {
    "system".to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_is_alive_until_it_ends_and_is_not_its_successor() {
        let mut child = std::process::Command::new("sleep")
            .arg("60")
            .spawn()
            .unwrap();
        let owner = describe(child.id()).unwrap();
        assert!(!is_dead(&owner));
        let predecessor = Owner {
            start: "1".to_owned(),
            ..owner.clone()
        };
        assert!(is_dead(&predecessor));
        let elsewhere = Owner {
            space: "pid:[1]".to_owned(),
            ..predecessor
        };
        assert!(!is_dead(&elsewhere));
        child.kill().unwrap();
        // Unreaped, it is a zombie: dead already.
        while !is_dead(&owner) {
            std::thread::yield_now();
        }
        child.wait().unwrap();
        assert_eq!(describe(child.id()), None);
    }
}
