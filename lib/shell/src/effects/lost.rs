//! Whether anything is lost when a path is deleted.

use crate::context::Entry;
use crate::machine::Machine;
use crate::{mark, place};

/// Is nothing there, something that the command or the agent itself made, or what git brings back?
pub(super) fn nothing(machine: &Machine<'_>, path: &str) -> bool {
    let facts = machine.context.facts;
    if machine.files.contains_key(path) {
        return true;
    }
    // All of a folder is as lost as the folder.
    let path = &place::without_patterns(path);
    // A name such as `~\r` was meant as another one.
    !mark::unknown(path)
        && !path.contains("/~")
        && (facts.entry(path) == Entry::Missing
            || facts.own(path)
            || facts.recoverable(path) == Some(true))
}

/// Is nothing there, in a folder that is under git? A command that names it wants to be sure that it is gone.
pub(super) fn is_missing(machine: &Machine<'_>, path: &str) -> bool {
    let facts = machine.context.facts;
    let mut folder = path;
    !mark::unknown(path) && facts.entry(path) == Entry::Missing && {
        std::iter::from_fn(|| {
            folder = folder.rsplit_once('/')?.0;
            Some(facts.entry(&format!("{folder}/.git")))
        })
        .any(|git| matches!(git, Entry::File | Entry::Folder))
    }
}

/// A lock that a git which was ended left behind: it holds nothing.
pub(super) fn is_lock(path: &str) -> bool {
    path.strip_suffix(".lock").is_some() && !mark::unknown(path)
}

/// A file of secrets that is not there yet, or that this command made from what is no secret.
pub(super) fn is_new(machine: &Machine<'_>, path: &str) -> bool {
    is_missing(machine, path) || machine.files.get(path).is_some_and(|data| !data.secret)
}
