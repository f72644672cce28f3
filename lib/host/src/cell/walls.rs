//! Landlock: the walls themselves.

mod calls;

pub use super::launch::asked;
pub(super) use super::launch::{has_namespaces, has_networks};
use super::plan::Plan;
pub(super) use super::space::sockets;
use super::{open, space};
use landlock::{
    ABI, Access, AccessFs, AccessNet, BitFlags, CompatLevel, Compatible, LandlockStatus, NetPort,
    Ruleset, RulesetAttr, RulesetCreated, RulesetCreatedAttr, RulesetError, Scope,
};
use overnight_base::code::Code;
use overnight_base::fault::Fault;
use overnight_run::cell::{Level, Limits};
use std::io;
use std::path::Path;
use std::process::{Child, Command};

/// What this program knows of; the kernel may know less.
const KNOWN: ABI = ABI::V6;

/// Can what lives within walls take others upon itself?
pub(super) const STACK: bool = true;

/// A set of rules that threads take upon themselves.
#[derive(Debug)]
pub(super) struct Walls {
    rules: RulesetCreated,
    plan: Plan,
}

/// What the kernel speaks. Asked by a thread that takes one rule upon itself.
pub(super) fn level() -> Level {
    let ask = || -> Result<u32, RulesetError> {
        let rules = Ruleset::default()
            .handle_access(AccessFs::MakeBlock)?
            .create()?;
        Ok(match rules.restrict_self()?.landlock {
            LandlockStatus::Available {
                effective_abi,
                kernel_abi,
            } => kernel_abi
                .and_then(|abi| u32::try_from(abi).ok())
                .unwrap_or(effective_abi as u32),
            _ => 0,
        })
    };
    Level::Landlock(aside(|| ask().unwrap_or(0)).unwrap_or(0))
}

/// Can it be kept that what lives within walls sets limits of others? Tried by a thread.
pub(super) fn keeps_limits() -> bool {
    aside(calls::refuse).unwrap_or(false)
}

/// Does something in a thread that ends with it.
pub(super) fn aside<T: Send>(work: impl FnOnce() -> T + Send) -> Option<T> {
    std::thread::scope(|scope| scope.spawn(work).join().ok())
}

impl Walls {
    /// Walls within which `grants` are written, and everything but `hidden` is read. No path may lead
    /// over a link.
    pub(super) fn build(plan: Plan) -> Result<Self, Fault> {
        let rules = rules(&plan)
            .map_err(|error| Fault::new(Code::CellMissing, format!("Landlock: {error}")))?;
        Ok(Self { rules, plan })
    }

    /// Takes the walls upon this thread and what it will start, this command among it.
    pub(super) fn take(&self, command: Command) -> io::Result<Command> {
        self.enter().map(|()| command)
    }

    /// Takes the walls upon this thread and what it will start.
    pub(super) fn enter(&self) -> io::Result<()> {
        let made = self.plan.space.enter()?;
        space::weaken(!self.plan.nests);
        let mut rules = self.rules.try_clone()?;
        let mut open = |folder: &Path, access: BitFlags<AccessFs>| {
            open::one(&mut rules, folder, access).map_err(io::Error::other)
        };
        let files = AccessFs::ReadFile | AccessFs::WriteFile | AccessFs::MakeReg;
        for folder in made.scratch.into_iter().chain(made.devices) {
            open(folder, AccessFs::from_write(ABI::V5) | AccessFs::ReadFile)?;
        }
        if let Some((git, locks)) = &made.locks {
            open(git, AccessFs::ReadFile.into())?;
            open(locks, files | AccessFs::RemoveFile | AccessFs::Truncate)?;
        }
        // What that leaves open is said when the cells are made.
        calls::refuse();
        rules.restrict_self().map_err(io::Error::other).map(drop)
    }

    /// Can a thread take them, so that what it starts lives within? Without root's rights one of several in its process
    /// cannot make namespaces.
    pub(super) fn are_of_a_thread(&self) -> bool {
        rustix::process::geteuid().is_root() || !self.plan.space.is_own()
    }

    /// The command, and whether it takes the walls upon itself. Limits it always takes upon itself: they are a whole
    /// process's, and with ours, if only for a moment, what another thread starts just then would be ended as left
    /// over.
    pub(super) fn lead(
        &self,
        command: Command,
        limits: Option<Limits>,
    ) -> io::Result<(Command, bool)> {
        if !self.are_of_a_thread() {
            let plan = Plan {
                limits,
                ..self.plan.clone()
            };
            return super::launch::lead(&command, &plan).map(|command| (command, true));
        }
        let led = limits.map(|limits| super::launch::limited(&command, limits));
        Ok((led.unwrap_or(Ok(command))?, false))
    }

    /// Starts a command from a thread that lives within the walls; its children inherit them.
    pub(super) fn spawn(&self, command: &mut Command) -> io::Result<Child> {
        let within = || self.enter().and_then(|()| command.spawn());
        aside(within).unwrap_or_else(|| Err(io::Error::other("the thread of the cell ended")))
    }
}

fn rules(plan: &Plan) -> Result<RulesetCreated, RulesetError> {
    let write = AccessFs::from_write(ABI::V5);
    let mut rules = Ruleset::default()
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(write | AccessFs::ReadFile)?;
    if Level::Landlock(plan.abi).keeps_signals() && !plan.shares_signals {
        rules = rules.scope(Scope::from_all(KNOWN))?;
    }
    if plan.ports.is_some() {
        rules = rules.handle_access(AccessNet::ConnectTcp)?;
    }
    let mut rules = rules.create()?;
    for (first, last) in plan.ports.iter().flatten() {
        for port in *first..=*last {
            rules = rules.add_rule(NetPort::new(port, AccessNet::ConnectTcp))?;
        }
    }
    open::all(&mut rules, plan)?;
    Ok(rules)
}
