//! Does the machine last the night: room on the disk, memory, sleep, power.

use crate::client::find_program;
use crate::git;
use crate::state::Place;
use overnight_filter::reexec::quote;
use overnight_views::doctor::Finding;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

/// Bytes that a night may well need.
const DISK_BYTES_LEAST: u64 = 1 << 30;
/// KiB of memory that a client and a build may well need.
const MEMORY_KIB_LEAST: u64 = 1 << 20;
/// How long a desktop's settings may take to answer.
const WAIT_MAX: Duration = Duration::from_secs(2);

/// Everything about the machine; quick enough for each start.
pub(super) fn findings(place: &Place) -> Vec<Finding> {
    let mut findings = vec![disk(place)];
    findings.extend(memory());
    findings.extend(sleep());
    findings.extend(power());
    findings
}

fn disk(place: &Place) -> Finding {
    const CHECK: &str = "disk";
    let folder = place.state.ancestors().find(|folder| folder.is_dir());
    let free = folder.and_then(|folder| rustix::fs::statvfs(folder).ok());
    let Some(free) = free.map(|disk| disk.f_bavail.saturating_mul(disk.f_frsize)) else {
        return Finding::warning(CHECK, "nobody knows how much is free", "df .");
    };
    let said = format!("{} MiB free", free >> 20);
    if free < DISK_BYTES_LEAST {
        let of = quote(&folder.unwrap_or(&place.state).display().to_string());
        let fix = format!(
            "make room, a night writes logs, work trees and builds; what takes it: du -xhd 3 \"$(df -P {of} | awk 'END {{print $NF}}')\" 2>/dev/null | sort -h | tail -n 20"
        );
        return Finding::broken(CHECK, said, fix);
    }
    Finding::good(CHECK, said)
}

/// What the kernel says is available; other systems do not say.
fn memory() -> Option<Finding> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    available(&text).map(|kib| {
        let said = format!("{} MiB of memory available", kib >> 10);
        if kib < MEMORY_KIB_LEAST {
            let fix = "close what is not needed, the kernel ends the largest process when it runs out; what takes it: ps -eo pid,rss,comm --sort=-rss | head";
            return Finding::warning("memory", said, fix);
        }
        Finding::good("memory", said)
    })
}

/// KiB by `/proc/meminfo`.
fn available(text: &str) -> Option<u64> {
    let mut lines = text.lines();
    let rest = lines.find_map(|line| line.strip_prefix("MemAvailable:"))?;
    rest.split_whitespace().next()?.parse().ok()
}

/// Does the machine fall asleep when nobody touches it? Asked of what is there to ask.
fn sleep() -> Option<Finding> {
    const CHECK: &str = "sleep";
    const GNOME: [&str; 3] = [
        "get",
        "org.gnome.settings-daemon.plugins.power",
        "sleep-inactive-ac-type",
    ];
    let asked = |program: &str, words: &[&str]| {
        find_program(program)?;
        let mut command = Command::new(program);
        command.args(words).stdin(Stdio::null());
        let done = git::output_within(&mut command, &[], WAIT_MAX).ok()?;
        done.ok().then(|| done.text())
    };
    if cfg!(target_os = "macos") {
        let settings = asked("pmset", &["-g"])?;
        let fix = "caffeinate -i overnight run";
        return Some(asleep_on_mac(&settings).map_or_else(
            || Finding::good(CHECK, "the machine stays awake"),
            |minutes| Finding::warning(CHECK, format!("it sleeps after {minutes} minutes"), fix),
        ));
    }
    let kind = asked("gsettings", &GNOME)?;
    if kind.contains("nothing") {
        return Some(Finding::good(CHECK, "the machine stays awake"));
    }
    let fix = format!("gsettings set {} {} nothing", GNOME[1], GNOME[2]);
    Some(Finding::warning(
        CHECK,
        "the machine sleeps when nobody touches it",
        fix,
    ))
}

/// The minutes after which a Mac sleeps, if it does.
fn asleep_on_mac(settings: &str) -> Option<u32> {
    let mut lines = settings.lines().map(str::trim);
    let rest = lines.find_map(|line| line.strip_prefix("sleep "))?;
    let minutes: u32 = rest.split_whitespace().next()?.parse().ok()?;
    (minutes > 0).then_some(minutes)
}

/// Is the mains unplugged? Only what has a battery knows.
fn power() -> Option<Finding> {
    let supplies = std::fs::read_dir("/sys/class/power_supply").ok()?;
    let read = |path: &Path, name: &str| {
        let text = std::fs::read_to_string(path.join(name)).ok()?;
        Some(text.trim().to_owned())
    };
    let unplugged = supplies.flatten().any(|supply| {
        let path = supply.path();
        read(&path, "type").as_deref() == Some("Mains")
            && read(&path, "online").as_deref() == Some("0")
    });
    unplugged.then(|| {
        let fix = "plug it in; it is kept from suspending meanwhile by: systemd-inhibit --what=idle:sleep:handle-lid-switch overnight run";
        Finding::warning("power", "the machine runs on its battery", fix)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_system_says_is_read() {
        let text = "MemTotal:  16000000 kB\nMemAvailable:     512000 kB\n";
        assert_eq!(available(text), Some(512_000));
        assert_eq!(available("MemTotal: 1 kB"), None);
        assert_eq!(
            asleep_on_mac(" displaysleep 2\n sleep 10 (by x)\n"),
            Some(10)
        );
        assert_eq!(asleep_on_mac(" sleep 0\n"), None);
    }
}
