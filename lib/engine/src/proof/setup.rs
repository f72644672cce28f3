//! Set-up in a room: the person's command makes ignored files that gates need, once for each version of
//! the lock files. What it made is kept beside dusk's ignored files, so that trials find it untouched.

use super::ignored::Store;
use super::objects;
use super::trial::Bench;
use crate::{furnish, submodules};
use overnight_base::fault::Fault;
use overnight_run::setup;

/// How a room is set up.
#[derive(Debug, Clone, Copy, Default)]
pub struct SetUp<'a> {
    /// The commands, in order; none: nothing is to be done.
    pub commands: &'a [String],
    /// The commit that is the person's own work: there they may use the person's credentials. On every
    /// other one they run in the cell.
    pub persons: Option<&'a str>,
}

/// Everything that a commit needs beside what git has, where the set-up makes some of it.
pub(super) fn made(bench: &Bench<'_>, dusk: &Store, commit: &str) -> Result<Option<Store>, Fault> {
    let SetUp { commands, persons } = bench.setup;
    if commands.is_empty() {
        return Ok(None);
    }
    let listed = objects::files(&bench.room.top, commit)?;
    let listed = listed
        .iter()
        .map(|(path, about)| (path.as_str(), about.as_str()));
    let key = setup::key(commands, listed);
    let name = bench.room.top.file_name().unwrap_or_default();
    let name = format!("{}-{key}", name.to_string_lossy());
    let folder = dusk.folder().join("set-up").join(name);
    let known = Store::open(&folder);
    if known.is_noted() {
        return Ok(Some(known));
    }
    let persons = persons == Some(commit);
    if persons {
        // Nothing that an agent's code left in this room runs outside of the cell.
        bench.room.forget_caches()?;
    }
    bench.room.check_out(commit, &dusk.roots)?;
    dusk.provide(&bench.room.top, &bench.room.provided)?;
    submodules::provide(bench.from, &bench.room.top)?;
    let mut room = bench.gates();
    room.cells = room.cells.filter(|_| !persons);
    furnish::run(room, commands, bench.limit)?;
    Store::note_made(&bench.room.top, &folder).map(Some)
}
