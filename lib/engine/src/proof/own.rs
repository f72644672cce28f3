//! What gates in a room have for themselves: a folder for temporary files, and a home without what was
//! put there since dusk. Code that a claim left beside the project is not found through either.

use super::room::{Room, fault, remove};
use crate::cell::Cells;
use crate::{env, files, homes, ports, random};
use overnight_base::code::Code;
use overnight_base::fault::Fault;
use overnight_base::vars;
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

/// The file with what was in the home at dusk, in the run's folder for dusk.
const NOTE: &str = "home.json";
/// Folders of a home in which programs keep folders of their own.
const SHARED: [&str; 5] = [".cache", ".config", ".local", ".local/lib", ".local/share"];
/// Variables of the folder for temporary files.
const TEMPORARY: [&str; 3] = ["TMPDIR", "TMP", "TEMP"];

/// A room's own surroundings.
#[derive(Debug)]
pub(super) struct Own {
    /// What gates get in their environment.
    pub(super) variables: Vec<(OsString, OsString)>,
    /// The folder for temporary files.
    pub(super) temporary: PathBuf,
}

impl Own {
    /// Makes them for a room; `dusk` is the folder with what was noted at dusk.
    pub(super) fn make(
        room: &Room,
        dusk: Option<&Path>,
        cells: Option<&Cells>,
    ) -> Result<Self, Fault> {
        let base = cells.map_or_else(
            || homes::real(&std::env::temp_dir()),
            |cells| cells.temporary().to_owned(),
        );
        // One of a driver that was killed.
        let noted = room.home.with_extension("temporary");
        if let Ok(left) = std::fs::read_to_string(&noted) {
            remove(Path::new(&left))?;
        }
        // A name that no agent knew.
        let temporary = base.join(format!("overnight-{}", random::hex::<4>()?));
        let name = temporary.as_os_str().as_bytes();
        files::replace(&noted, name, files::PRIVATE)?;
        let made = std::fs::DirBuilder::new().mode(0o700).create(&temporary);
        made.map_err(|error| fault(&temporary, &error))?;
        let mut variables: Vec<(OsString, OsString)> = TEMPORARY
            .iter()
            .map(|name| ((*name).into(), temporary.clone().into()))
            .collect();
        if let Some(home) = dusk.and_then(|dusk| home_of_dusk(dusk, &room.home)) {
            variables.push((vars::HOME.name.into(), home.into()));
        }
        // A member has its own block; whoever proves what members did is asked by the same gates.
        if env::get_os(&vars::PORT).is_none() {
            let run = dusk.and_then(Path::parent).unwrap_or(&room.home);
            let run = run.file_name().unwrap_or_default().to_string_lossy();
            let first = ports::block(&run, 0).to_string();
            variables.push((vars::PORT.name.into(), first.into()));
        }
        Ok(Self {
            variables,
            temporary,
        })
    }
}

impl Drop for Own {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.temporary);
    }
}

/// Notes what is in the person's home, once.
pub(super) fn note(dusk: &Path) -> Result<(), Fault> {
    let path = dusk.join(NOTE);
    let Some(home) = home().filter(|_| !path.exists()) else {
        return Ok(());
    };
    let json = serde_json::to_vec(&entries(&home));
    let json = json.map_err(|error| Fault::new(Code::Defect, error.to_string()))?;
    files::replace(&path, &json, files::PRIVATE)
}

/// The person's home as it was at dusk, by links from `folder`; `None` where nothing is new in it.
fn home_of_dusk(dusk: &Path, folder: &Path) -> Option<PathBuf> {
    let home = home()?;
    let noted = std::fs::read(dusk.join(NOTE)).ok()?;
    let noted: BTreeSet<String> = serde_json::from_slice(&noted).ok()?;
    let now = entries(&home);
    if now.is_subset(&noted) {
        return None;
    }
    let link = || -> std::io::Result<()> {
        let _ = remove(folder);
        std::fs::create_dir_all(folder)?;
        for name in noted.intersection(&now) {
            let (from, to) = (home.join(name), folder.join(name));
            if SHARED.contains(&name.as_str()) && from.is_dir() {
                std::fs::create_dir_all(to)?;
            } else {
                std::os::unix::fs::symlink(from, to)?;
            }
        }
        Ok(())
    };
    // One that cannot be made hides nothing: gates run with the home as it is.
    link().ok().map(|()| folder.to_owned())
}

fn home() -> Option<PathBuf> {
    env::get_os(&vars::HOME)
        .map(PathBuf::from)
        .filter(|home| home.is_absolute())
}

/// The names in a home, and in the folders that programs share.
fn entries(home: &Path) -> BTreeSet<String> {
    let of = |below: &str| {
        let read = std::fs::read_dir(home.join(below)).into_iter().flatten();
        let named = read.flatten().filter_map(|entry| {
            let name = entry.file_name().into_string().ok()?;
            Some(if below.is_empty() {
                name
            } else {
                format!("{below}/{name}")
            })
        });
        named.collect::<Vec<_>>()
    };
    [""].iter()
        .chain(&SHARED)
        .flat_map(|below| of(below))
        .collect()
}
