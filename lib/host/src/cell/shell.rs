//! The walls of a shell of the client's Bash tool. Where the client lives in a cell, its shells stand behind a
//! second wall and get neither its login nor its settings; where it does not, and a run is armed in its
//! session, they take the cell upon themselves.

use super::plan::Plan;
use super::{Cell, armed, ephemeral, level, walls};
use crate::{config, env, files, homes, state};
use overnight_base::fault::Fault;
use overnight_base::vars;
use overnight_run::cell::{self as policy, Gives, Network};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

/// What a shell takes upon itself, if anything. `session` is the file of the session's armed run, `cwd` that
/// in which the client reads where the shell was at its end.
pub fn wall(session: Option<&Path>, cwd: Option<&Path>) -> Result<Option<Cell>, Fault> {
    match env::get(&vars::CELL).as_deref() {
        Some("agent") if walls::STACK => second().map(Some),
        None => session.map_or(Ok(None), |file| armed::wall(file, cwd.and_then(of_client))),
        Some(_) => Ok(None),
    }
}

/// The file, made so that it can be opened to who writes it: one of the client's own, and no link.
fn of_client(path: &Path) -> Option<PathBuf> {
    let name = path.file_name()?.to_str()?;
    let inner = name.strip_prefix("claude-")?.strip_suffix("-cwd")?;
    let folder = homes::real(path.parent()?);
    let tmp = [std::env::temp_dir(), PathBuf::from("/tmp")];
    let plain = inner
        .bytes()
        .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    if !plain || !tmp.iter().any(|tmp| homes::real(tmp) == folder) {
        return None;
    }
    let path = folder.join(name);
    let mut options = std::fs::OpenOptions::new();
    let _ = options
        .write(true)
        .create_new(true)
        .mode(files::PRIVATE)
        .open(&path);
    let about = path.symlink_metadata().ok()?;
    let own = about.uid() == rustix::process::geteuid().as_raw();
    (about.is_file() && about.nlink() == 1 && own).then_some(path)
}

fn second() -> Result<Cell, Fault> {
    let place = state::here().ok();
    let settings = config::load(place.as_ref()).settings.cell;
    let home = env::get_os(&vars::HOME).map(|home| homes::real(&PathBuf::from(home)));
    let folder = homes::client().map(|folder| homes::real(&folder));
    let (hidden, closed) = match &folder {
        Some(folder) => (
            policy::login(&settings, folder, home.as_deref()),
            policy::closed(folder, home.as_deref()),
        ),
        None => (Vec::new(), Vec::new()),
    };
    let mut plan = Plan {
        hidden,
        closed: Some(closed),
        abi: level().abi(),
        // The client's own wall keeps them: what one call left running another one ends.
        shares_signals: true,
        ..Plan::default()
    };
    // Nobody mounts anything in the client's cell: its shells cannot ask for namespaces of that kind.
    plan.space.offline = settings.network == Network::None && walls::has_networks();
    if !plan.space.offline && settings.network != Network::Open {
        let gives = Gives {
            level: level(),
            namespaces: false,
            limits: false,
        };
        plan.ports = gives.ports(&settings.network, ephemeral);
    }
    Ok(Cell {
        walls: walls::Walls::build(plan)?,
        environment: vec![(vars::CELL.name.into(), "shell".into())],
        gone: policy::login_variables(&settings)
            .into_iter()
            .map(str::to_owned)
            .collect(),
        git: Vec::new(),
        limits: None,
        run_folder: None,
    })
}
