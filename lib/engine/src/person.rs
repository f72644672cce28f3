//! Is there a person at the other end? Approvals and trust are theirs alone to give.

use crate::process::Identity;
use crate::process::stat::Stat;
use crate::sight;
use crate::{clock, env, runs, state};
use overnight_base::code::Code;
use overnight_base::fault::Fault;
use overnight_base::vars;
use std::io::IsTerminal;

/// Processes looked at above this one at most.
const ANCESTORS_MAX: usize = 64;

/// Refuses inside an agent: what an agent starts, it starts for itself.
pub fn not_an_agent(what: &str) -> Result<(), Fault> {
    let marked = env::get(&vars::CLAUDECODE).is_some() || env::get(&vars::RUN_DIR).is_some();
    if marked || below_an_agent() || below_a_driver() {
        return Err(Fault::new(
            Code::NeedsTerminal,
            format!("{what} is for a person; this process was started by an agent"),
        ));
    }
    Ok(())
}

/// Refuses without a terminal on stdin and stdout, and inside an agent.
pub fn at_a_terminal(what: &str) -> Result<(), Fault> {
    not_an_agent(what)?;
    if std::io::stdin().is_terminal() && std::io::stdout().is_terminal() {
        return Ok(());
    }
    Err(Fault::new(
        Code::NeedsTerminal,
        format!("{what} needs a terminal on stdin and stdout"),
    ))
}

/// Is this process an agent's, or was it started by one?
pub fn is_an_agents(process: u32) -> bool {
    agents_above(process) || driver_above(process)
}

/// Was one of the processes above this one started as a driver's agent? A process can clear its
/// own environment, but not that of the shell that started it. The client's own mark does not
/// count here: people work in terminals that they opened from it. Linux only: elsewhere the
/// environment of other processes is not readable without a library.
fn below_an_agent() -> bool {
    agents_above(parent())
}

/// Was this process, or one above it, started as a driver's agent?
fn agents_above(mut process: u32) -> bool {
    for _ in 0..ANCESTORS_MAX {
        if process <= 1 {
            return false;
        }
        if std::fs::read(format!("/proc/{process}/environ")).is_ok_and(|bytes| is_a_drivers(&bytes))
        {
            return true;
        }
        let Some(parent) = parent_of(process) else {
            return false;
        };
        process = parent;
    }
    false
}

/// Does this process descend from a driver that is at work here? What its agents leave behind comes to
/// it, so nothing that they start gets out of this line by clearing its environment.
fn below_a_driver() -> bool {
    driver_above(parent())
}

/// Is this process, or one above it, such a driver?
fn driver_above(mut process: u32) -> bool {
    let Ok(place) = state::here() else {
        return false;
    };
    let states = sight::living(&place)
        .into_iter()
        .filter_map(|run| runs::state(&place, &run).ok());
    let drivers: Vec<u32> = states
        .filter_map(|state| runs::living_driver(&state))
        .map(|driver| driver.pid)
        .collect();
    for _ in 0..ANCESTORS_MAX {
        if drivers.contains(&process) {
            return true;
        }
        match parent_of(process) {
            Some(parent) if process > 1 => process = parent,
            _ => break,
        }
    }
    false
}

/// Programs that open a terminal for whoever asks them over a socket.
const OPENERS: &[&str] = &[
    "tmux", "screen", "SCREEN", "zellij", "dtach", "abduco", "systemd", "atd", "cron", "crond",
];

/// Refuses an answer from a terminal that somebody may have had opened for it since the question was
/// asked: one of a multiplexer or service manager has to be older than the question.
pub fn in_a_terminal_before(asked_ms: u64) -> Result<(), Fault> {
    match opened() {
        Some((began_ms, opener)) if began_ms >= asked_ms => {
            let reason = format!("this terminal was opened by {opener} after the question");
            Err(Fault::new(Code::NeedsTerminal, reason)
                .hint("answer in one that was open before, or that you opened yourself"))
        }
        _ => Ok(()),
    }
}

/// When this terminal's session began, and which of the programs that are asked for one began it.
fn opened() -> Option<(u64, String)> {
    /// Clock ticks a second, on every Linux.
    const TICKS: u64 = 100;
    // 0 where it began outside of our namespace of processes, which has no entry.
    let leader = Stat::current()?.session;
    let parent = parent_of(leader)?;
    let name = std::fs::read_to_string(format!("/proc/{parent}/comm")).ok()?;
    let name = name.trim_end();
    let asked = OPENERS.iter().find(|opener| name.starts_with(**opener))?;
    let since_boot = Identity::of(leader).start.checked_mul(1_000)? / TICKS;
    let boot = clock::wall_ms().checked_sub(clock::mono_ms())?;
    Some((boot + since_boot, (*asked).to_owned()))
}

fn is_a_drivers(environment: &[u8]) -> bool {
    environment.split(|byte| *byte == 0).any(|entry| {
        let value = entry
            .strip_prefix(vars::RUN_DIR.name.as_bytes())
            .and_then(|rest| rest.strip_prefix(b"="));
        value.is_some_and(|value| !value.is_empty())
    })
}

/// Who started this process; asked of the kernel where that is possible, since a library in front of ours may
/// say anything.
fn parent() -> u32 {
    Stat::current().map_or_else(std::os::unix::process::parent_id, |own| own.parent)
}

fn parent_of(process: u32) -> Option<u32> {
    Stat::of(process).map(|stat| stat.parent)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_environment_with_a_drivers_mark_is_recognised() {
        assert!(is_a_drivers(b"A=1\0OVERNIGHT_RUN_DIR=/x\0"));
        for environment in [
            &b""[..],
            b"XOVERNIGHT_RUN_DIR=1\0",
            b"OVERNIGHT_RUN_DIR=\0",
            b"OVERNIGHT_RUN_DIR\0",
        ] {
            assert!(!is_a_drivers(environment));
        }
    }

    #[test]
    fn the_parent_of_this_process_has_a_parent() {
        assert!(parent_of(std::process::id()).is_some());
    }
}
