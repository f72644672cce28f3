//! Starts something in a cell from a process of its own: only one of a single thread may make
//! namespaces without root's rights. This program is that process.

use super::plan::{Plan, Space, through};
use super::walls::{self, Walls};
use super::watch;
use crate::{child, cli, env};
use overnight_base::code::Code;
use overnight_base::fault::Fault;
use overnight_base::vars;
use overnight_run::cell::Limits;
use std::ffi::{OsStr, OsString};
use std::io;
use std::os::unix::process::CommandExt;
use std::process::{Command, ExitCode, Stdio};
use std::sync::OnceLock;

/// The word that asks for it.
const WORD: &str = "start-in-cell";
/// The word that asks for limits alone: the walls are those of the thread that starts it.
const LIMITED: &str = "start-limited";
/// The kernel gives namespaces: how the process ends that was to try it.
const READY: u8 = 86;
/// This program, also once another version has taken its place on disk.
const OWN: &str = "/proc/self/exe";

/// The command, led through a process that takes the walls upon itself.
pub(super) fn lead(command: &Command, plan: &Plan) -> io::Result<Command> {
    let mut led = Command::new(OWN);
    led.arg(WORD);
    let mut led = through(led, command);
    led.env(vars::CELL_START.name, serde_json::to_string(plan)?);
    Ok(led)
}

/// The command, led through a process that takes these limits upon itself.
pub(super) fn limited(command: &Command, limits: Limits) -> io::Result<Command> {
    let mut led = Command::new(OWN);
    led.arg(LIMITED).arg(serde_json::to_string(&limits)?);
    Ok(through(led, command))
}

/// Starts what these arguments of this program ask to start in a cell or within limits, if they do.
pub fn asked(arguments: &[OsString]) -> Option<ExitCode> {
    if arguments.get(1)? == LIMITED {
        let limits = arguments.get(2)?.to_str()?;
        watch::limit_this(serde_json::from_str(limits).ok()?);
        return Some(become_it(arguments.get(3)?, &arguments[4..]));
    }
    if arguments.get(1)? != WORD {
        return None;
    }
    let plan = env::get(&vars::CELL_START)?;
    let failed = |reason: String| {
        let fault = Fault::new(Code::CellMissing, reason);
        cli::note(&fault.to_string());
        Some(ExitCode::from(fault.exit().status()))
    };
    let plan: Plan = match serde_json::from_str(&plan) {
        Ok(plan) => plan,
        Err(error) => return failed(error.to_string()),
    };
    let Some(program) = arguments.get(2) else {
        return Some(ExitCode::from(match plan.space.enter() {
            Ok(_) => READY,
            Err(_) => 1,
        }));
    };
    // Before it starts anything, and while it may still write to /proc.
    if let Some(limits) = plan.limits {
        watch::limit_this(limits);
    }
    let entered = Walls::build(plan).and_then(|walls| {
        walls
            .enter()
            .map_err(|error| Fault::new(Code::CellMissing, error.to_string()))
    });
    if let Err(fault) = entered {
        return failed(fault.reason);
    }
    Some(become_it(program, &arguments[3..]))
}

/// This process goes on as that program.
fn become_it(program: &OsStr, arguments: &[OsString]) -> ExitCode {
    let mut command = Command::new(program);
    command.args(arguments).env_remove(vars::CELL_START.name);
    let error = command.exec();
    ExitCode::from(child::not_started(program, &error).status())
}

/// Does the kernel give this user namespaces, in which mounts can be made? Tried once.
pub(super) fn has_namespaces() -> bool {
    static TRIED: OnceLock<bool> = OnceLock::new();
    *TRIED.get_or_init(|| {
        can_enter(Space {
            writable: Some(Vec::new()),
            ..Space::default()
        })
    })
}

/// The same for a network of one's own, which also those get who may not mount any more.
pub(super) fn has_networks() -> bool {
    can_enter(Space {
        offline: true,
        ..Space::default()
    })
}

fn can_enter(space: Space) -> bool {
    if env::get(&vars::NAMESPACES).as_deref() == Some("0") {
        return false;
    }
    if rustix::process::geteuid().is_root() {
        return walls::aside(|| space.enter().is_ok()).unwrap_or(false);
    }
    let plan = Plan {
        space,
        ..Plan::default()
    };
    let Ok(plan) = serde_json::to_string(&plan) else {
        return false;
    };
    let tried = Command::new(OWN)
        .arg(WORD)
        .env(vars::CELL_START.name, plan)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    tried.is_ok_and(|status| status.code() == Some(READY.into()))
}
