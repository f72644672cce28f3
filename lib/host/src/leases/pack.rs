//! Packing what many writes leave behind: git never does so by itself for our refs and objects, and each
//! of thousands of small files costs every command something.

use super::{Leases, table};
use crate::files::FileLock;
use crate::git;
use overnight_base::code::Code;
use overnight_base::fault::Fault;
use overnight_base::text;
use overnight_lease::State;
use overnight_lease::record::Phase;
use overnight_tasks::TaskId;
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Writes of this clone after which it packs.
const WRITES: u64 = 1_000;
/// One byte a write.
const COUNT: &str = "writes";

impl Leases {
    /// Packs refs and loose objects of this repository, the refs of a remote in a folder of this
    /// machine, and the small files of leases of others. Nothing is deleted that is not there still.
    pub(super) fn pack(&self) -> Result<String, Fault> {
        // At each push git walks from every ref.
        const GRAPH: &[&str] = &["maintenance", "run", "--quiet", "--task=commit-graph"];
        let steps: [&[&str]; 4] = [
            &["pack-refs", "--all", "--prune"],
            &["maintenance", "run", "--quiet", "--task=loose-objects"],
            // The second time it removes the loose copies of what the first one packed.
            &["maintenance", "run", "--quiet", "--task=loose-objects"],
            GRAPH,
        ];
        for step in steps {
            done(&self.place.top, step)?;
        }
        let mut what = "refs and objects".to_owned();
        if let Some(folder) = self.remote_folder()? {
            done(&folder, steps[0])?;
            done(&folder, GRAPH)?;
            what.push_str(", and the remote's refs");
        }
        self.pack_states()?;
        Ok(what)
    }

    /// The remote, if it is a bare repository in a folder of this machine.
    fn remote_folder(&self) -> Result<Option<PathBuf>, Fault> {
        let Some(remote) = self.remote() else {
            return Ok(None);
        };
        let url = git::run(&self.place.home, &["ls-remote", "--get-url", remote])?.text();
        let folder = self
            .place
            .home
            .join(url.strip_prefix("file://").unwrap_or(&url));
        let is_bare = folder.join("HEAD").is_file() && folder.join("refs").is_dir();
        Ok(is_bare.then_some(folder))
    }

    /// Brings the small files of leases that this clone does not hold into the table. One that is
    /// being worked with stays.
    fn pack_states(&self) -> Result<(), Fault> {
        let _list = self.lock_list()?;
        let mut table = table::read(&self.folder)?;
        let mut packed: Vec<(TaskId, FileLock)> = Vec::new();
        for task in table::own_tasks(&self.folder) {
            let path = table::lock_path(&self.folder, &task);
            let Some(lock) = FileLock::acquire(&path, Duration::ZERO)? else {
                continue;
            };
            if let Some(state) = table::own(&self.folder, &task)?
                && !self.is_held_here(&state)
            {
                table.insert(task.clone(), state);
                packed.push((task, lock));
            }
        }
        if packed.is_empty() {
            return Ok(());
        }
        table::write(&self.folder, &table)?;
        for (task, _lock) in packed {
            table::forget(&self.folder, &task)?;
        }
        Ok(())
    }

    fn is_held_here(&self, state: &State) -> bool {
        state.record().is_some_and(|record| {
            record.state == Phase::Held && record.instance == self.me.instance
        })
    }

    /// Counts a write, and packs after many. What fails is tried again after as many.
    pub(super) fn wrote(&self) {
        let count = || -> std::io::Result<bool> {
            let path = self.folder.join(COUNT);
            let mut file = File::options().create(true).append(true).open(path)?;
            file.write_all(b".")?;
            let many = file.metadata()?.len() >= WRITES;
            if many {
                file.set_len(0)?;
            }
            Ok(many)
        };
        if count().unwrap_or(false) {
            let _ = self.pack();
        }
    }
}

fn done(folder: &Path, arguments: &[&str]) -> Result<(), Fault> {
    let done = git::run(folder, arguments)?;
    if done.ok() {
        return Ok(());
    }
    Err(Fault::new(
        Code::GitFailed,
        text::one_line(&done.stderr, 200),
    ))
}
