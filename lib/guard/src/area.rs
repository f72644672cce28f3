//! What a path means: the project's own file, or something that a file tool must leave alone.
//!
//! What a name means by itself stands in `names`.

mod read;
mod write;

use overnight_shell::names::fold;
use overnight_shell::place;
use overnight_shell::{Context, Entry, Verdict};

/// Bytes of a path at most: Linux opens no longer one (`PATH_MAX`).
const PATH_BYTES_MAX: usize = 4096;

/// Where things lie that only the host knows. Paths are absolute, links resolved.
#[derive(Debug, Clone, Default)]
pub struct Grounds {
    /// The top of the project: what the agent may change.
    pub project: Option<String>,
    /// The shared git folder.
    pub git_common: Option<String>,
    /// Folders of our own state, configuration and approvals.
    pub ours: Vec<String>,
    /// Where the plugin is installed.
    pub plugin: Option<String>,
    /// Folders for temporary files.
    pub temporary: Vec<String>,
    /// The one file of ours that the agent itself may write: its decision.
    pub decision_file: Option<String>,
    /// Does nobody wait for this session's questions?
    pub unattended: bool,
}

/// May a tool change this file?
pub fn write(path: &str, context: &Context<'_>, grounds: &Grounds) -> Verdict {
    judged(path, context, grounds, write::judge)
}

/// May a tool show this file to the model, and thereby to its transcript?
pub fn read(path: &str, context: &Context<'_>, grounds: &Grounds) -> Verdict {
    judged(path, context, grounds, read::judge)
}

/// The worse of the path as written and the path that links lead to.
fn judged(
    path: &str,
    context: &Context<'_>,
    grounds: &Grounds,
    judge: fn(&Named<'_>, &Context<'_>, &Grounds) -> Verdict,
) -> Verdict {
    if path.is_empty() || path.contains('\0') || path.len() > PATH_BYTES_MAX {
        return Verdict::deny(
            "malformed",
            "the path is empty, longer than 4096 bytes or holds a NUL character",
        );
    }
    let lexical = place::lexical(path, context.cwd, context.home);
    // The last link too: an editor opens what it points to.
    let link = |here: &str| match context.facts.entry(here) {
        Entry::Link(target) => Some(target),
        _ => None,
    };
    let Some(real) = place::follow(&lexical, false, link) else {
        return Verdict::ask(
            "path-link",
            &format!("{path} leads through too many symbolic links to know where it ends"),
        );
    };
    let verdict = judge(&Named::of(&real), context, grounds);
    if real == lexical {
        return verdict;
    }
    verdict.worse(judge(&Named::of(&lexical), context, grounds))
}

/// A path and its components, folded for comparison.
#[derive(Debug)]
struct Named<'a> {
    path: &'a str,
    parts: Vec<String>,
}

impl<'a> Named<'a> {
    fn of(path: &'a str) -> Self {
        let parts = path.split('/').filter(|part| !part.is_empty());
        Self {
            path,
            parts: parts.map(fold).collect(),
        }
    }

    /// The last component.
    fn name(&self) -> &str {
        self.parts.last().map_or("", String::as_str)
    }

    /// Is there a component of this name?
    fn has(&self, name: &str) -> bool {
        self.parts.iter().any(|part| part == name)
    }

    /// The components below `folder`; `None` when the path is not inside it.
    fn below(&self, folder: &str) -> Option<&[String]> {
        let count = folder.split('/').filter(|part| !part.is_empty()).count();
        let start = self.parts.get(..count)?;
        let folder = folder.split('/').filter(|part| !part.is_empty()).map(fold);
        folder
            .eq(start.iter().cloned())
            .then(|| &self.parts[count..])
    }

    fn is_in(&self, folder: &str) -> bool {
        self.below(folder).is_some()
    }

    fn is_in_any(&self, folders: &[String]) -> bool {
        folders.iter().any(|folder| self.is_in(folder))
    }
}

#[cfg(test)]
mod tests;
