//! Who a process is, so that its end can be noticed later and by others.

use overnight_lease::Owner;

/// The process with this id; `None` when there is none.
pub fn describe(pid: u32) -> Option<Owner> {
    Some(Owner {
        pid,
        start: start(pid)?,
        space: space(),
    })
}

/// Has this process of this machine's current boot ended? `false` when that cannot be known: it
/// lives in another space of process ids.
pub fn is_dead(owner: &Owner) -> bool {
    owner.space == space() && start(owner.pid).as_deref() != Some(&owner.start)
}

/// When a living process started, in clock ticks since boot. One that has ended and waits to be
/// reaped is not alive.
#[cfg(target_os = "linux")]
fn start(pid: u32) -> Option<String> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name in parentheses may contain anything; the fields after it are numbers.
    let (_, fields) = stat.rsplit_once(") ")?;
    let fields: Vec<_> = fields.split(' ').collect();
    let (state, ticks) = (fields.first()?, fields.get(19)?);
    (!matches!(*state, "Z" | "X")).then(|| (*ticks).to_owned())
}

/// The space that process ids are valid in.
#[cfg(target_os = "linux")]
fn space() -> String {
    std::fs::read_link("/proc/self/ns/pid")
        .map(|link| link.to_string_lossy().into_owned())
        .unwrap_or_default()
}

/// macOS has no /proc; `ps` tells the start to the second. Not run here.
#[cfg(not(target_os = "linux"))]
fn start(pid: u32) -> Option<String> {
    let mut command = std::process::Command::new("ps");
    command.args(["-o", "stat=,lstart=", "-p", &pid.to_string()]);
    let text = String::from_utf8(command.output().ok()?.stdout).ok()?;
    let (state, begun) = text.trim().split_once(' ')?;
    (!state.starts_with('Z')).then(|| begun.trim().to_owned())
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
