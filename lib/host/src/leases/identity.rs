//! Who asks for a lease: agent, clone, machine, boot, process.

use super::{Options, instance};
use crate::{clock, env, owner, who};
use overnight_base::code::Code;
use overnight_base::fault::Fault;
use overnight_base::vars;
use overnight_lease::record::check_name;
use overnight_lease::{Me, Owner};
use std::path::Path;

/// Longest skew that can be tried out, in seconds: one day.
const OFFSET_S_MAX: i64 = 86_400;

pub(super) fn me(root: &Path, options: &Options) -> Result<Me, Fault> {
    let agent = agent(options);
    check_name(&agent).map_err(|reason| {
        let reason = format!("{agent:?} is no name for an agent: {reason}");
        Fault::new(Code::InputInvalid, reason)
    })?;
    Ok(Me {
        agent,
        instance: instance::name(root)?,
        host: host(),
        boot: clock::boot_id()?,
        owner: owner(options)?,
    })
}

/// The given name, or one that tells this session or shell apart from others: two shells without
/// names must not share a lease.
fn agent(options: &Options) -> String {
    if let Some(name) = who::works(options.agent.as_deref(), None) {
        return name;
    }
    let parent = rustix::process::Pid::as_raw(rustix::process::getppid());
    format!("{}-{parent}", host())
}

fn owner(options: &Options) -> Result<Option<Owner>, Fault> {
    let pid = match (options.pid, env::get(&vars::OWNER_PID)) {
        (Some(pid), _) => pid,
        (None, None) => return Ok(None),
        (None, Some(text)) => text.parse().map_err(|_| {
            let reason = format!("{}={text:?} is no process id", vars::OWNER_PID.name);
            Fault::new(Code::SettingInvalid, reason)
        })?,
    };
    owner::describe(pid).map(Some).ok_or_else(|| {
        let reason = format!("there is no process {pid} that the lease could live with");
        Fault::new(Code::InputInvalid, reason)
    })
}

/// The skew to try out, in milliseconds.
pub(super) fn clock_offset_ms() -> Result<i64, Fault> {
    let Some(text) = env::get(&vars::CLOCK_OFFSET) else {
        return Ok(0);
    };
    let seconds: Option<i64> = text.trim().parse().ok();
    seconds
        .filter(|seconds| seconds.abs() <= OFFSET_S_MAX)
        .map(|seconds| seconds * 1_000)
        .ok_or_else(|| {
            let name = vars::CLOCK_OFFSET.name;
            let reason = format!("{name}={text:?} is no number of seconds within a day");
            Fault::new(Code::SettingInvalid, reason)
        })
}

fn host() -> String {
    let name = rustix::system::uname()
        .nodename()
        .to_string_lossy()
        .into_owned();
    if check_name(&name).is_ok() {
        name
    } else {
        "host".to_owned()
    }
}
