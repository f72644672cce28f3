//! The clocks: wall time for people, the boot clock for durations.

use crate::env;
use jiff::tz::TimeZone;
use overnight_base::code::Code;
use overnight_base::fault::Fault;
use overnight_base::vars;
use overnight_views::report::Clock;
use std::time::{SystemTime, UNIX_EPOCH};

/// One reading of every clock.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Moment {
    /// Unix time in milliseconds; may jump.
    pub wall_ms: u64,
    /// Milliseconds since boot, suspend included; never goes back within one boot.
    pub mono_ms: u64,
}

/// Reads the clocks now.
pub fn now() -> Moment {
    Moment {
        wall_ms: wall_ms(),
        mono_ms: mono_ms(),
    }
}

/// Unix time in milliseconds; 0 before 1970.
pub fn wall_ms() -> u64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |elapsed| {
            u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX)
        })
}

/// A Unix time in milliseconds as every view shows it, in the local time zone.
pub fn local_text(wall_ms: u64) -> String {
    Clock(zone()).time(wall_ms)
}

/// The same as `progress/` has it: `YYYY-MM-DD HH:MM:SS`.
pub fn stamp_text(wall_ms: u64) -> String {
    let millis = i64::try_from(wall_ms).unwrap_or(i64::MAX);
    let time = jiff::Timestamp::from_millisecond(millis).unwrap_or(jiff::Timestamp::MAX);
    let zone = zone();
    time.to_zoned(zone)
        .strftime("%Y-%m-%d %H:%M:%S")
        .to_string()
}

/// The time zone of this machine.
pub fn zone() -> TimeZone {
    zone_of_file().unwrap_or_else(TimeZone::system)
}

/// The zone of `/etc/localtime` where `TZ` says nothing else. Asked for it by name, jiff lists the
/// whole zone database first, which takes longer than anything else that a hook does with time.
fn zone_of_file() -> Option<TimeZone> {
    const FILE: &str = "/etc/localtime";
    if env::is_set(&vars::TZ) {
        return None;
    }
    let target = std::fs::read_link(FILE).ok()?;
    let (_, name) = target.to_str()?.split_once("zoneinfo/")?;
    TimeZone::tzif(name, &std::fs::read(FILE).ok()?).ok()
}

/// The zone of this IANA name, if the system knows it.
pub fn zone_named(name: &str) -> Option<TimeZone> {
    TimeZone::get(name).ok()
}

/// Milliseconds since boot, time in suspend included.
pub fn mono_ms() -> u64 {
    #[cfg(target_os = "linux")]
    const BOOT: rustix::time::ClockId = rustix::time::ClockId::Boottime;
    // macOS: CLOCK_MONOTONIC counts suspend there. Not run here.
    #[cfg(not(target_os = "linux"))]
    const BOOT: rustix::time::ClockId = rustix::time::ClockId::Monotonic;
    let time = rustix::time::clock_gettime(BOOT);
    let seconds = u64::try_from(time.tv_sec).unwrap_or(0);
    let nanos = u64::try_from(time.tv_nsec).unwrap_or(0);
    seconds * 1_000 + nanos / 1_000_000
}

/// Milliseconds that the machine was suspended since boot: what the boot clock counts and the
/// monotonic one does not.
pub fn suspended_ms() -> u64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::Monotonic);
    let seconds = u64::try_from(time.tv_sec).unwrap_or(0);
    let nanos = u64::try_from(time.tv_nsec).unwrap_or(0);
    // Read first, the monotonic clock is a little behind: never a suspend that was none.
    mono_ms().saturating_sub(seconds * 1_000 + nanos / 1_000_000)
}

/// The identity of this boot, so that process ids and boot clocks of another one are told apart.
pub fn boot_id() -> Result<String, Fault> {
    #[cfg(target_os = "linux")]
    {
        let path = "/proc/sys/kernel/random/boot_id";
        std::fs::read_to_string(path)
            .map(|id| id.trim().to_owned())
            .map_err(|error| Fault::new(Code::FileRead, format!("{path}: {error}")))
    }
    // macOS: the kernel tells it through sysctl. Not run here.
    #[cfg(not(target_os = "linux"))]
    {
        let name = "kern.bootsessionuuid";
        let fault = |reason: String| Fault::new(Code::FileRead, format!("{name}: {reason}"));
        let told = std::process::Command::new("sysctl")
            .args(["-n", name])
            .output()
            .map_err(|error| fault(error.to_string()))?;
        let id = String::from_utf8_lossy(&told.stdout).trim().to_owned();
        if id.is_empty() {
            return Err(fault("sysctl does not know it".to_owned()));
        }
        Ok(id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_zone_is_the_one_that_the_system_names() {
        assert_eq!(zone().iana_name(), TimeZone::system().iana_name());
    }

    #[test]
    fn the_boot_clock_does_not_go_back() {
        let first = mono_ms();
        assert!(mono_ms() >= first);
        assert!(!boot_id().unwrap().is_empty());
    }
}
