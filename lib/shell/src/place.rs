//! Paths: where they lead and what stands there.

mod links;
mod machine;
mod tree;

pub(crate) use links::resolve;
pub use links::{follow, lexical};

use super::context::Context;
use super::mark;
use machine::{device, in_home, outside};
use tree::in_work_tree;

/// What a path is to the person who owns the machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum PathClass {
    /// `/dev/null` and other devices that harm nothing.
    Harmless,
    /// Below a folder for temporary files.
    Temporary,
    /// Git-ignored output that a rebuild brings back, caches.
    Build,
    /// A file or folder of the work tree.
    Work,
    /// Files with local secrets in the work tree: `.env`, keys.
    LocalSecret,
    /// What runs on other machines with secrets after a push.
    Pipeline,
    /// State of the run: tasks, locks, progress, logs.
    RunState,
    /// Settings, hooks and plugins of the client; the guard's own files.
    Guard,
    /// Inside `.git`.
    Git,
    /// The work tree as a whole.
    Root,
    /// The folder for temporary files itself.
    TemporaryRoot,
    /// Caches in the home folder.
    HomeCache,
    /// Elsewhere in the home folder, or the whole of it.
    Home,
    /// Start-up files and program folders in the home folder: code that runs later.
    Startup,
    /// Keys and credentials.
    Credentials,
    /// Somewhere else: another project, a mounted disk.
    Elsewhere,
    /// The system, or the root of all.
    System,
    /// A disk, memory or the kernel's switches.
    Device,
    /// Nobody knows.
    Unknown,
}

impl PathClass {
    /// The work tree, what is built in it, or a temporary file: all that a program may write.
    pub(crate) fn is_own(self) -> bool {
        matches!(
            self,
            Self::Root | Self::Work | Self::Build | Self::Temporary
        )
    }

    /// Another project, or the home folder around it.
    pub(crate) fn is_foreign(self) -> bool {
        matches!(self, Self::Home | Self::Elsewhere)
    }
}

/// The path without `.`, `..` and double slashes. Absolute if it was.
pub(crate) fn normal(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    format!("/{}", parts.join("/"))
}

/// The last component.
pub(crate) fn last(path: &str) -> &str {
    path.trim_end_matches('/')
        .rsplit('/')
        .next()
        .unwrap_or(path)
}

fn starts_unknown(path: &str) -> bool {
    path.starts_with([mark::ANY, mark::OUTPUT, mark::SECRET, mark::NETWORK])
}

/// Is the path this folder or below it?
pub(crate) fn inside(path: &str, folder: &str) -> bool {
    folder == "/"
        || path
            .strip_prefix(folder)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Is it of our own state? The work tree that a night has to itself lies there too, and is the
/// project's all the same.
fn ours(context: &Context<'_>, path: &str) -> bool {
    let project = |folder: &str| {
        let root = context.root.filter(|root| inside(root, folder));
        root.is_some_and(|root| inside(path, root))
    };
    let mut folders = context.ours.iter();
    folders.any(|folder| inside(path, folder) && !project(folder))
}

/// What stands at a resolved path.
pub(crate) fn classify(context: &Context<'_>, path: &str) -> PathClass {
    let path = without_patterns(path);
    if starts_unknown(&path) {
        return PathClass::Unknown;
    }
    if let Some(place) = device(&path) {
        return place;
    }
    if ours(context, &path) {
        return PathClass::Guard;
    }
    if let Some(root) = context.root {
        if inside(&path, root) {
            return in_work_tree(context, path[root.len()..].trim_start_matches('/'));
        }
        if inside(root, &path) {
            let home = inside(&path, context.home);
            return if home {
                PathClass::Home
            } else {
                PathClass::System
            };
        }
    }
    if inside(&path, context.home) {
        return in_home(path[context.home.len()..].trim_start_matches('/'));
    }
    if let Some(rest) = overnight_base::words!("/tmp /var/tmp /dev/shm /private/tmp /var/folders")
        .iter()
        .find_map(|folder| {
            path.strip_prefix(folder)
                .filter(|rest| rest.is_empty() || rest.starts_with('/'))
        })
    {
        return if rest.is_empty() {
            PathClass::TemporaryRoot
        } else {
            PathClass::Temporary
        };
    }
    outside(context, &path)
}

/// `x/*`, `x/.*` and `x/$unknown` reach all of `x`.
pub(crate) fn without_patterns(path: &str) -> String {
    let mut path = path;
    loop {
        let trimmed = path.trim_end_matches('/');
        let Some((parent, name)) = trimmed.rsplit_once('/') else {
            return path.to_owned();
        };
        let all = !name.is_empty()
            && name.chars().all(|c| {
                c == '.'
                    || c == mark::STAR
                    || c == mark::ANY
                    || c == mark::OUTPUT
                    || c == mark::QUESTION
            })
            && mark::unknown(name);
        if !all {
            return path.to_owned();
        }
        path = if parent.is_empty() { "/" } else { parent };
        if path == "/" {
            return path.to_owned();
        }
    }
}

/// Is it the home folder, the root of all or a folder of the system as a whole?
pub(crate) fn vital(context: &Context<'_>, path: &str) -> bool {
    let path = without_patterns(path);
    let whole = path.matches('/').count() <= 1 && !inside(&path, "/tmp");
    inside(context.home, &path) || whole && machine::of_system(&path)
}

/// Does it hold our own state, or settings of the client that decide permissions and hooks?
pub(crate) fn steers(context: &Context<'_>, path: &str) -> bool {
    let client = |folder: &str| {
        let below = path.strip_prefix(folder)?.strip_prefix("/.claude")?;
        let part = below.trim_start_matches('/').split('/').next()?;
        Some(part.is_empty() || part.starts_with("settings") || matches!(part, "hooks" | "plugins"))
    };
    let folders = [Some(context.home), context.root];
    let project = context.root.and_then(|root| path.strip_prefix(root));
    ours(context, path)
        || context.ours.iter().any(|folder| inside(folder, path))
        || project
            .unwrap_or(path)
            .split('/')
            .any(|part| part == "overnight" || part == "overnight.toml")
        || folders
            .into_iter()
            .flatten()
            .any(|folder| client(folder) == Some(true))
}

/// Is it a file of secrets, wherever it lies? For arguments that are only names.
pub(crate) fn secret(place: PathClass) -> bool {
    matches!(place, PathClass::Credentials | PathClass::LocalSecret)
}
