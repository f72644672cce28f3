//! The cell: what an agent or a gate is started in. The kernel keeps its walls (`cell::walls`); what
//! stands inside and outside is `overnight_run::cell`'s to say.

pub mod armed;
pub mod broker;
mod entrance;
mod keep;
#[cfg(target_os = "linux")]
mod launch;
#[cfg(target_os = "linux")]
mod open;
mod past;
mod plan;
pub mod shell;
#[cfg(target_os = "linux")]
mod space;
mod spool;
mod temporary;
#[cfg_attr(target_os = "macos", path = "cell/seatbelt.rs")]
#[cfg_attr(
    not(any(target_os = "linux", target_os = "macos")),
    path = "cell/none.rs"
)]
mod walls;
mod watch;

pub use keep::{Kept, Told};
pub use past::Past;
pub use walls::asked;
pub use watch::{Watch, holds};

use crate::guard::tally;
use crate::state::Place;
use crate::{config, ending, env, files, homes, logs};
use overnight_base::code::Code;
use overnight_base::fault::Fault;
use overnight_base::vars;
use overnight_run::cell::{self as policy, Gives, Grant, Level, Limits, Mode, Network};
use plan::{Plan, Scratch};
use spool::Spool;
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use temporary::Temporary;

/// What of a run's folder the code in its cell may write: what it claims and asks.
pub const INSIDE: &str = "inside";
/// Where programs write that do not ask for the folder of temporary files.
const TMP: &str = "/tmp";
/// Where POSIX keeps it on Linux; a home or project may stand there.
const SHARED_MEMORY: &str = "/dev/shm";
/// How long walls are used again: what the person puts beside a hidden file is readable after that.
const FRESH: Duration = Duration::from_mins(1);

/// The cells of one run: what all of them have in common.
#[derive(Debug)]
pub struct Cells {
    gives: Gives,
    settings: policy::Cell,
    home: Option<PathBuf>,
    /// Where our own sockets and records are.
    state: PathBuf,
    /// Git's folder of the project.
    git: Option<PathBuf>,
    hidden: Vec<PathBuf>,
    /// What every cell writes.
    common: Vec<Grant>,
    environment: Vec<(OsString, OsString)>,
    gone: Vec<String>,
    temporary: Temporary,
    /// Where its agent's pushes wait.
    pushes: Option<Spool>,
    /// The walls around each work tree in which gates ran lately.
    gates: Mutex<BTreeMap<Around, (Instant, Arc<Cell>)>>,
}

/// A work tree, and the home that was made for its gates.
type Around = (PathBuf, Option<PathBuf>);

/// Walls, ready for processes to be started in them.
#[derive(Debug)]
pub struct Cell {
    walls: walls::Walls,
    environment: Vec<(OsString, OsString)>,
    gone: Vec<String>,
    /// What git is told in it.
    git: Vec<[String; 2]>,
    /// What the driver keeps of what is started in it; a shell's are its agent's.
    limits: Option<Limits>,
    /// The folder of the run whose session's shell is started in it.
    run_folder: Option<PathBuf>,
}

/// What the kernel here gives.
pub fn gives() -> Gives {
    let level = level();
    Gives {
        level,
        namespaces: level.keeps_files() && walls::has_namespaces(),
        limits: level.keeps_files() && walls::keeps_limits(),
    }
}

/// The version of its walls.
pub fn level() -> Level {
    let pretended = env::get(&vars::LANDLOCK).and_then(|text| text.parse().ok());
    match (walls::level(), pretended) {
        (Level::Landlock(real), Some(pretended)) => Level::Landlock(real.min(pretended)),
        (level, _) => level,
    }
}

/// Says no where a cell is asked for that the kernel does not give.
pub fn demand(mode: Mode) -> Result<Level, Fault> {
    let level = level();
    if mode == Mode::On && !level.keeps_files() {
        return Err(Fault::new(Code::CellMissing, level.to_string()));
    }
    Ok(level)
}

impl Cells {
    /// The cells of a run, as it was asked for; `None` where it works without.
    pub fn of(
        mode: Mode,
        settings: &policy::Cell,
        place: &Place,
        say: fn(&str),
    ) -> Result<Option<Self>, Fault> {
        Self::with((mode, settings), place, Temporary::new, say)
    }

    fn with(
        (mode, settings): (Mode, &policy::Cell),
        place: &Place,
        temporary: impl FnOnce() -> Result<Temporary, Fault>,
        say: fn(&str),
    ) -> Result<Option<Self>, Fault> {
        if mode == Mode::Off {
            return Ok(None);
        }
        let level = demand(mode)?;
        if level.keeps_files() {
            let gives = gives();
            if let Some(missing) = gives.missing(&settings.network) {
                if mode == Mode::On {
                    return Err(Fault::new(Code::CellMissing, missing));
                }
                say(&missing);
            }
            return Ok(Some(Self::build(gives, settings, place, temporary()?)));
        }
        say(&format!(
            "no cell, the agent reaches what you reach: {level}"
        ));
        Ok(None)
    }

    /// The cells of what a person has done outside of a run, as their settings say.
    pub fn as_set(place: &Place, say: fn(&str)) -> Result<Option<Self>, Fault> {
        let settings = config::load(Some(place)).settings;
        Self::of(settings.run.cell, &settings.cell, place, say)
    }

    fn build(gives: Gives, settings: &policy::Cell, place: &Place, temporary: Temporary) -> Self {
        let home = env::get_os(&vars::HOME).map(PathBuf::from);
        let home = home
            .filter(|home| home.is_absolute())
            .map(|home| homes::real(&home));
        let root = rustix::process::geteuid().is_root();
        let ours = homes::outside(place, "approvals").into_iter().collect();
        let mut hidden = policy::hidden(settings, home.as_deref(), root, ours);
        if root {
            hidden.extend(disks());
        }
        // By another way or a link the same file is another path.
        let mut real: Vec<PathBuf> = hidden.iter().map(|path| homes::real(path)).collect();
        real.sort();
        real.dedup();
        let moved = |name: &str| {
            std::env::vars_os()
                .find(|(key, _)| key == name)
                .map(|(_, value)| value.into())
        };
        let (mut common, caches) = policy::caches(
            home.as_deref(),
            &temporary.path.join("caches"),
            &moved,
            &|path| path.exists(),
        );
        let lived_in = is_in_shared_memory(home.as_deref(), place);
        common.extend(policy::devices(root, lived_in));
        common.push(Grant::new(&temporary.path, "temporary files"));
        let added = settings
            .write
            .iter()
            .filter_map(|text| policy::expand(text, home.as_deref()));
        common.extend(added.map(|path| Grant::new(path, "cell.write")));
        let mut environment: Vec<(OsString, OsString)> = caches
            .into_iter()
            .map(|(name, path)| (name.into(), path.into()))
            .collect();
        for name in [vars::TMPDIR.name, "TMP", "TEMP", "CLAUDE_CODE_TMPDIR"] {
            environment.push((name.into(), temporary.path.clone().into()));
        }
        let leads_out = |name: &&str| {
            let mut all = std::env::vars_os();
            let value = all.find_map(|(key, value)| (key == **name).then_some(value));
            let value = value.unwrap_or_default();
            !policy::leads_to(settings, home.as_deref(), &value.to_string_lossy())
        };
        let gone = policy::hidden_variables(settings).into_iter();
        Self {
            gives,
            settings: settings.clone(),
            state: homes::real(&place.state),
            git: place.git_common.as_deref().map(homes::real),
            hidden: real,
            common,
            environment,
            gone: gone.filter(leads_out).map(str::to_owned).collect(),
            home,
            temporary,
            pushes: None,
            gates: Mutex::default(),
        }
    }

    /// What the kernel keeps of it.
    pub fn gives(&self) -> Gives {
        self.gives
    }

    /// From now on pushes of this work tree's agent wait for its driver.
    pub fn take_pushes(&mut self, place: &Place) -> Result<(), Fault> {
        self.pushes = Spool::make(&self.temporary.path, place)?;
        Ok(())
    }

    /// Has `push` carry out what the agent pushed since the last look.
    pub fn carry_pushes(&mut self, push: impl Fn(&str) -> Result<(), Fault>) -> Result<(), Fault> {
        let pushes = self.pushes.as_mut();
        pushes.map_or(Ok(()), |spool| spool.carry_out(push))
    }

    /// The folder for the run's temporary files.
    pub fn temporary(&self) -> &Path {
        &self.temporary.path
    }

    /// The paths that walls around this work tree refused, by the words of who met them.
    pub fn refusals(&self, text: &str, top: &Path) -> BTreeSet<String> {
        let under = |all: &[PathBuf], path: &Path| all.iter().any(|one| path.starts_with(one));
        let mut kept = policy::kept(top, self.git.as_deref(), &self.state);
        kept.retain(|_| self.gives.namespaces);
        let open = |path: &Path| {
            let mut common = self.common.iter();
            let granted = common.any(|grant| path.starts_with(&grant.path));
            path.starts_with(top) && !under(&kept, path) || granted && !self.hides(path)
        };
        policy::refusals(text, top, &open)
    }

    /// The limit that the kernel kept without ending anybody, by the words of who met it.
    pub fn told(&self, text: &str) -> Option<String> {
        self.limits().told(text, watch::counts_tasks())
    }

    /// May this path not be read?
    pub fn hides(&self, path: &Path) -> bool {
        self.hidden.iter().any(|hidden| path.starts_with(hidden))
    }

    /// The cell of an agent that works in `place`, for the run with this folder; is it the client?
    pub fn agent(&self, place: &Place, run_folder: &Path, client: bool) -> Result<Cell, Fault> {
        let mut grants = of_an_agent(place, run_folder)?;
        if let Some(folder) = homes::client().filter(|_| client) {
            files::create_private_folder(&folder)?;
            grants.push(Grant::new(folder, "the client's own state"));
        }
        // A client is of no use without its service: of it the network holds what its shells run.
        let who = if client { Who::Client } else { Who::Agent };
        self.cell(who, &place.top, grants)
    }

    /// The cell of a gate in this work tree, with what it gets in its environment: a home that was made
    /// for it may be written.
    pub fn gate(&self, top: &Path, own: &[(OsString, OsString)]) -> Result<Arc<Cell>, Fault> {
        let home = own.iter().find(|(name, _)| name == vars::HOME.name);
        let home = home.map(|(_, home)| PathBuf::from(home));
        let key = (top.to_owned(), home.clone());
        let mut kept = self.gates.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, cell)) = kept.get(&key).filter(|(made, _)| made.elapsed() < FRESH) {
            return Ok(Arc::clone(cell));
        }
        let mut grants = vec![Grant::new(top, "the work tree")];
        grants.extend(home.map(|home| Grant::new(home, "the room's own home")));
        let cell = Arc::new(self.cell(Who::Gate, top, grants)?);
        kept.insert(key, (Instant::now(), Arc::clone(&cell)));
        Ok(cell)
    }

    fn cell(&self, who: Who, top: &Path, grants: Vec<Grant>) -> Result<Cell, Fault> {
        let mut environment = self.environment.clone();
        environment.push((vars::CELL.name.into(), who.word().into()));
        // Projects test with repositories of their own: gates push where they push.
        let pushes = self.pushes.as_ref().filter(|_| who != Who::Gate);
        // A night is longer than some clean-ups of /tmp.
        files::create_private_folder(&self.temporary.path)?;
        Ok(Cell {
            walls: walls::Walls::build(self.plan(who, top, grants)?)?,
            environment,
            gone: self.gone.clone(),
            git: policy::configured(pushes.map(|spool| &spool.lead)),
            limits: Some(self.limits()),
            run_folder: None,
        })
    }

    fn limits(&self) -> Limits {
        Limits::of(&self.settings, watch::machine())
    }

    /// The walls around who works in the tree with this top.
    fn plan(&self, who: Who, top: &Path, mut grants: Vec<Grant>) -> Result<Plan, Fault> {
        grants.extend(self.common.iter().cloned());
        let mut grants: Vec<PathBuf> = grants
            .iter()
            .map(|grant| homes::real(&grant.path))
            .collect();
        let network = match who {
            Who::Client => &Network::Open,
            _ => &self.settings.network,
        };
        let mut plan = Plan {
            abi: self.gives.level.abi(),
            hidden: self.hidden.clone(),
            ports: self.gives.ports(network, ephemeral),
            nests: who == Who::Client && self.settings.network == Network::None,
            ..Plan::default()
        };
        if self.gives.namespaces {
            let top = homes::real(top);
            plan.space.kept = self.kept(&top, &mut grants)?;
            // Not where something there is the run's own, or the person's on purpose.
            let shared = Path::new(SHARED_MEMORY);
            let below = |path: &PathBuf| path.starts_with(shared) && path != shared;
            let whole = grants.iter().any(|path| shared.starts_with(path));
            plan.space.devices = whole && !grants.iter().any(below);
            plan.space.offline = *network == Network::None;
            plan.space.covered = self.covered(&grants);
            let tmp = homes::real(Path::new(TMP));
            if who == Who::Gate && !grants.iter().any(|path| tmp.starts_with(path)) {
                let hidden = plan.hidden.iter().filter(|path| path.starts_with(&tmp));
                plan.space.covered.extend(hidden.cloned());
                plan.space.scratch = Some(self.scratch(tmp));
            }
            // The kernel's own files are Landlock's to keep: sandboxes of browsers are set up there.
            let device = |path: &Path| path.starts_with("/dev") && !path.starts_with(SHARED_MEMORY);
            let kernel = |path: &Path| path.starts_with("/proc") || device(path);
            let writable = grants.iter().filter(|path| !kernel(path));
            let kept = &plan.space.kept;
            let needed = writable.filter(|path| is_mounted(path, &grants, kept));
            plan.space.writable = Some(needed.cloned().collect());
            let apart = self.git.as_ref().filter(|git| !git.starts_with(&top));
            plan.space.locking = apart.filter(|_| who != Who::Gate).cloned();
        }
        plan.grants = grants;
        Ok(plan)
    }

    /// A gate's own folder in place of everybody's; a home or project below is what it is.
    fn scratch(&self, folder: PathBuf) -> Scratch {
        let closed = self.home.iter().chain(&self.git);
        let closed = closed.filter(|path| path.starts_with(&folder) && path.exists());
        Scratch {
            closed: closed.cloned().collect(),
            folder,
        }
    }

    /// What stays as it is in a work tree that holds git's folder or our records. What holds it is a grant
    /// of its own: nobody moves away what something is mounted on.
    fn kept(&self, top: &Path, grants: &mut Vec<PathBuf>) -> Result<Vec<PathBuf>, Fault> {
        let mut kept = policy::kept(top, self.git.as_deref(), &self.state);
        if let Some(git) = self.git.as_ref().filter(|git| git.starts_with(top)) {
            grants.push(git.clone());
            // What is not there could be put there.
            for name in ["hooks", "info"] {
                files::create_folder(&git.join(name))?;
            }
        }
        kept.retain(|path| path.exists());
        Ok(kept)
    }

    /// The sockets that lead out of a cell with these grants, by their real paths.
    fn covered(&self, grants: &[PathBuf]) -> Vec<PathBuf> {
        let runtime = env::get_os(&vars::RUNTIME_DIR).map_or_else(
            || format!("/run/user/{}", rustix::process::geteuid().as_raw()).into(),
            PathBuf::from,
        );
        let mut own = grants.to_vec();
        own.push(homes::real(&self.state));
        let all = policy::covered(
            &self.settings,
            self.home.as_deref(),
            Some(runtime),
            walls::sockets(),
            &own,
        );
        all.iter().map(|path| homes::real(path)).collect()
    }
}

/// Must it be mounted for itself to be written? What is below another grant is mounted with it, unless something
/// that is kept lies between; and what holds such a thing cannot be moved away.
fn is_mounted(path: &Path, grants: &[PathBuf], kept: &[PathBuf]) -> bool {
    let mut others = grants.iter().filter(|other| *other != path);
    let beside_kept = |kept: &PathBuf| path.starts_with(kept) || kept.starts_with(path);
    kept.iter().any(beside_kept) || !others.any(|other| path.starts_with(other))
}

/// What an agent writes of the project.
fn of_an_agent(place: &Place, run_folder: &Path) -> Result<Vec<Grant>, Fault> {
    let inside = run_folder.join(INSIDE);
    files::create_private_folder(&inside)?;
    let mut grants = vec![
        Grant::new(&place.top, "the work tree"),
        Grant::new(inside, "what the agent claims"),
    ];
    if let (Some(own), Some(common)) = (&place.git, &place.git_common) {
        grants.extend(policy::git(own, common));
    }
    for name in ["refusals", "fetched", "tests"] {
        let folder = place.state.join(name);
        files::create_private_folder(&folder)?;
        grants.push(Grant::new(folder, "what our hooks count"));
    }
    for file in [
        place.state.join(ending::STATISTICS),
        place.state.join(logs::STATS),
        run_folder.join(tally::FILE),
    ] {
        files::open_log(&file)?;
        grants.push(Grant::new(file, "what our hooks count"));
    }
    Ok(grants)
}

/// Who lives in a cell.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Who {
    /// The client, which starts shells for its agent.
    Client,
    /// Another agent.
    Agent,
    /// A gate.
    Gate,
}

impl Who {
    /// As its environment says it.
    fn word(self) -> &'static str {
        match self {
            Self::Client | Self::Agent => "agent",
            Self::Gate => "gate",
        }
    }
}

/// The ports that the kernel gives to servers which ask for any.
fn ephemeral() -> RangeInclusive<u16> {
    let text = std::fs::read_to_string("/proc/sys/net/ipv4/ip_local_port_range");
    let text = text.unwrap_or_default();
    let mut ends = text.split_whitespace().filter_map(|end| end.parse().ok());
    let (first, last) = (ends.next(), ends.next());
    first.unwrap_or(32_768)..=last.unwrap_or(60_999)
}

/// Does the home or the project lie in the folder for shared memory?
fn is_in_shared_memory(home: Option<&Path>, place: &Place) -> bool {
    let own = [home, Some(&*place.top), place.git_common.as_deref()];
    let mut own = own.into_iter().flatten();
    own.any(|path| homes::real(path).starts_with(SHARED_MEMORY))
}

/// The disks of the machine: who reads them reads every file.
fn disks() -> Vec<PathBuf> {
    use std::os::unix::fs::FileTypeExt;
    let entries = std::fs::read_dir("/dev").into_iter().flatten().flatten();
    let is_disk =
        |entry: &std::fs::DirEntry| entry.file_type().is_ok_and(|kind| kind.is_block_device());
    let mut disks: Vec<PathBuf> = entries.filter(is_disk).map(|entry| entry.path()).collect();
    disks.extend(["/dev/mem", "/dev/kmem", "/dev/port"].map(PathBuf::from));
    disks
}
