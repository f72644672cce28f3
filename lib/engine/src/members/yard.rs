//! The work trees of a run's members: entered into git's books one by one, filled with files beside each
//! other.

use crate::state::Place;
use crate::trees::{self, Stands};
use overnight_base::fault::Fault;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex, PoisonError};

/// The trees that are being filled, by their member.
#[derive(Debug, Default)]
pub(super) struct Yard {
    filling: BTreeMap<u32, Receiver<Result<(), Fault>>>,
    begun: bool,
}

impl Yard {
    /// The work tree of a member at a commit of the line, or where it stands. With the first one those of
    /// all members that will have work are begun.
    pub(super) fn tree(
        &mut self,
        (place, folder): (&Place, &Path),
        (member, members): (u32, u32),
        base: &str,
    ) -> Result<PathBuf, Fault> {
        if !self.begun {
            self.begun = true;
            self.begin((place, folder), members, base)?;
        }
        if let Some(filled) = self.filling.remove(&member)
            && let Ok(filled) = filled.recv()
        {
            filled?;
        }
        let stands = {
            let _lock = trees::lock(place)?;
            trees::stake(place, (folder, &name(member)), base)?
        };
        if !stands.whole {
            trees::fill(&stands.tree, 1)?;
        }
        Ok(stands.tree)
    }

    fn begin(
        &mut self,
        (place, folder): (&Place, &Path),
        members: u32,
        base: &str,
    ) -> Result<(), Fault> {
        let mut open = Vec::new();
        {
            let _lock = trees::lock(place)?;
            for member in 1..=members {
                let Stands { tree, whole } = trees::stake(place, (folder, &name(member)), base)?;
                if !whole {
                    let (sender, receiver) = channel();
                    self.filling.insert(member, receiver);
                    open.push((tree, sender));
                }
            }
        }
        let at_once = std::thread::available_parallelism().map_or(1, usize::from);
        let at_once = at_once.min(open.len());
        let open = Arc::new(Mutex::new(open.into_iter()));
        for _ in 0..at_once {
            let open = Arc::clone(&open);
            std::thread::spawn(move || {
                let next = || open.lock().unwrap_or_else(PoisonError::into_inner).next();
                while let Some((tree, sender)) = next() {
                    // Nobody waits for it any more when the driver ends: the next one fills it.
                    let _ = sender.send(trees::fill(&tree, at_once));
                }
            });
        }
        Ok(())
    }

    /// Waits for the trees that nobody wanted.
    pub(super) fn settle(&mut self) {
        for (_, filled) in std::mem::take(&mut self.filling) {
            let _ = filled.recv();
        }
    }
}

/// The name of a member's tree.
pub(super) fn name(member: u32) -> String {
    format!("m{member}")
}
