//! Task leases on a git remote, or in this repository's own refs when there is none.
//!
//! `lease` decides; here the refs are read and moved. Each operation takes the lock of its
//! task first, so that of the agents that share a clone only one asks the remote at a time, and
//! remembers what it saw in the clone's state folder.

mod acquire;
mod beside;
mod dead;
mod doctor;
mod identity;
mod instance;
pub mod journals;
mod keep;
mod list;
mod mirror;
mod object;
mod pack;
mod probe;
mod publish;
mod refs;
mod remote;
mod session;
mod store;
mod sweep;
mod table;
mod timeout;
mod work;

pub use dead::dead_here;
pub use doctor::{Check, Diagnosis};
pub use list::Entry;

use crate::clock;
use crate::files::FileLock;
use crate::state::{self, Place};
use overnight_base::code::Code;
use overnight_base::fault::Fault;
use overnight_lease::{Me, Now, Record, State, Why, utc};
use overnight_tasks::TaskId;
use std::path::{Path, PathBuf};
use std::time::Duration;
use store::Store;

/// How long an operation waits for another one on the same task in the same clone. Longer than
/// one round trip to a slow remote.
const WAIT_MAX: Duration = Duration::from_secs(30);

/// How leases are opened; every field may be left out.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Who works; else as [`crate::who::works`] has it, else this shell.
    pub agent: Option<String>,
    /// The remote's name, or `none`; else `origin` if there is one.
    pub remote: Option<String>,
    /// The process that the leases live with; else `OVERNIGHT_OWNER_PID`, else none.
    pub pid: Option<u32>,
}

/// The leases of one repository as one agent uses them.
#[derive(Debug, Clone)]
pub struct Leases {
    place: Place,
    me: Me,
    /// Added to the wall clock, in milliseconds.
    offset_ms: i64,
    store: Store,
    /// The state folder of this remote's leases.
    folder: PathBuf,
}

/// A lease that is held now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grant {
    /// What the ref says.
    pub record: Record,
    /// Why it could be taken; `None` when it was held already.
    pub why: Option<Why>,
    /// What could not be done beside it (the mirror file), for stderr.
    pub notes: Vec<String>,
}

/// Who has a lease that was asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Holder {
    /// The agent; `unknown` when the record cannot be read.
    pub agent: String,
    /// Its machine.
    pub host: String,
    /// Since when, unix milliseconds by its clock; 0 when unknown.
    pub since_ms: u64,
    /// Until when unless it renews, unix milliseconds by its clock; 0 when unknown.
    pub until_ms: u64,
    /// What is peculiar about it, if anything.
    pub remark: Option<&'static str>,
}

/// The answer to `acquire`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Acquired {
    /// Ours.
    Granted(Box<Grant>),
    /// Somebody else's.
    Held(Holder),
}

/// The answer to `renew`, `release` and `publish`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kept {
    /// It was ours, and the change is made.
    Done(Box<Grant>),
    /// It is no longer ours.
    Lost(Loss),
}

/// How a lease was lost.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Loss {
    /// Its time ran out before this call.
    Expired,
    /// Another token stands there, or nothing.
    Other(Option<Holder>),
}

impl Leases {
    /// Opens the leases of the repository that `folder` is in. Starts no process.
    pub fn open(folder: &Path, options: &Options) -> Result<Self, Fault> {
        let place = state::locate(folder)?;
        let Some(common) = place.git_common.clone() else {
            let reason = format!("{} is not inside a git repository", folder.display());
            return Err(Fault::new(Code::NotARepository, reason));
        };
        let remote = remote::choose(&common, &place.top, options.remote.as_deref())?;
        let root = place.state.join("leases");
        let side = remote.as_deref().map_or("local".to_owned(), |name| {
            format!("at-{}", overnight_lease::refname::encode(name))
        });
        let folder = root.join(side);
        Ok(Self {
            me: identity::me(&root, options)?,
            offset_ms: identity::clock_offset_ms()?,
            store: Store::new(&place, &common, remote, &folder)?,
            place,
            folder,
        })
    }

    /// The name that leases are taken under.
    pub fn agent(&self) -> &str {
        &self.me.agent
    }

    /// The remote that holds the truth; `None` for this repository alone.
    pub fn remote(&self) -> Option<&str> {
        self.store.remote()
    }

    /// Is the lease held under this token, as far as this clone can know without asking anybody?
    /// Reads one file; for hooks.
    pub fn check(&self, task: &TaskId, token: u64) -> Result<Option<Record>, Fault> {
        let state = self.load(task)?;
        Ok(state
            .holds(token, &self.me, self.now())
            .then(|| state.record().cloned())
            .flatten())
    }

    fn now(&self) -> Now {
        let moment = clock::now();
        Now {
            wall_ms: moment.wall_ms.saturating_add_signed(self.offset_ms),
            mono_ms: moment.mono_ms,
        }
    }

    /// Orders the operations of this clone on one task.
    fn lock(&self, task: &TaskId) -> Result<FileLock, Fault> {
        let path = table::lock_path(&self.folder, task);
        FileLock::acquire(&path, WAIT_MAX)?.ok_or_else(|| {
            let reason = format!("another process of this clone is busy with task {task}");
            Fault::new(Code::LockWait, reason)
        })
    }

    fn load(&self, task: &TaskId) -> Result<State, Fault> {
        table::load(&self.folder, task)
    }

    fn save(&self, task: &TaskId, state: &State) -> Result<(), Fault> {
        table::save(&self.folder, task, state)
    }
}

impl Holder {
    fn of(record: &Record) -> Self {
        Self {
            agent: record.agent.clone(),
            host: record.host.clone(),
            since_ms: record.acquired_ms,
            until_ms: record.expires_ms(),
            remark: None,
        }
    }

    fn unknown(remark: &'static str) -> Self {
        Self {
            agent: "unknown".to_owned(),
            host: "unknown".to_owned(),
            since_ms: 0,
            until_ms: 0,
            remark: Some(remark),
        }
    }

    /// The fault that tells who holds the task, with this code.
    pub fn fault(&self, code: Code, task: &TaskId) -> Fault {
        let remark = self
            .remark
            .map_or(String::new(), |text| format!(" ({text})"));
        let until = match self.until_ms {
            0 => String::new(),
            ms => format!(" until {}", utc::utc(ms)),
        };
        let agent = &self.agent;
        let reason = format!("task {:?} is held by {agent}{until}{remark}", task.as_str());
        Fault::new(code, reason)
            .with("task", task.as_str())
            .with("agent", agent.as_str())
            .with("host", self.host.as_str())
            .with("since", self.since_ms / 1_000)
            .with("expires_at", self.until_ms / 1_000)
    }
}

impl Loss {
    /// Who has it now, if anybody.
    pub fn holder(&self) -> Option<String> {
        match self {
            Self::Expired | Self::Other(None) => None,
            Self::Other(Some(holder)) => Some(holder.agent.clone()),
        }
    }

    /// The fault that tells why the token is worth nothing any more.
    pub fn fault(&self, task: &TaskId, token: u64) -> Fault {
        let id = task.as_str();
        match self {
            Self::Expired => {
                let reason = format!("the lease of task {id:?} with token {token} ran out");
                Fault::new(Code::LockExpired, reason)
            }
            Self::Other(Some(holder)) => holder.fault(Code::LockOwner, task),
            Self::Other(None) => {
                let reason = format!("nobody holds task {id:?} under token {token}");
                Fault::new(Code::LockOwner, reason)
            }
        }
        .with("task", id)
        .with("token", token)
    }
}
