//! The git command line, made hermetic: no hooks, no pager, no prompt, no file-system monitor, no
//! foreign transport, whatever the repository's configuration says.

mod filters;
mod loose;

pub use filters::without_filters;
pub use loose::loose;

use crate::files;
use overnight_base::code::Code;
use overnight_base::fault::Fault;
use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::io::{ErrorKind, Write};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, PoisonError, mpsc};
use std::time::Duration;

/// Configuration that a hostile repository must not decide (tests/cases/hostile.md T05, T06).
const HERMETIC: &[&str] = &[
    "core.hooksPath=/dev/null",
    "core.fsmonitor=false",
    "core.pager=cat",
    "core.askPass=",
    "protocol.ext.allow=never",
    "gc.auto=0",
    "maintenance.auto=false",
    "commit.gpgSign=false",
    "tag.gpgSign=false",
    "push.gpgSign=false",
    "push.followTags=false",
    "push.recurseSubmodules=no",
    "advice.detachedHead=false",
];

/// What a finished git command left behind.
#[derive(Debug)]
pub struct Output {
    /// Its exit status; `None` when a signal ended it.
    pub status: Option<i32>,
    /// Everything on its stdout.
    pub stdout: Vec<u8>,
    /// Everything on its stderr, lossily.
    pub stderr: String,
}

impl Output {
    /// Did it exit with 0?
    pub fn ok(&self) -> bool {
        self.status == Some(0)
    }

    /// Its stdout as text without the last newline.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.stdout)
            .trim_end_matches('\n')
            .to_owned()
    }
}

/// A git command in `folder`; add arguments and run it with [`output`] or by hand.
///
/// It runs in a process group of its own: whoever ends our group must not end a git that is just
/// moving a ref, which would leave the ref's lock file behind for ever.
pub fn command(folder: &Path) -> Command {
    let mut command = Command::new("git");
    for setting in HERMETIC {
        command.args(["-c", setting]);
    }
    command
        .current_dir(folder)
        .env("GIT_TERMINAL_PROMPT", "0")
        .env("GIT_OPTIONAL_LOCKS", "0")
        .env("GIT_PAGER", "cat")
        .env("LC_ALL", "C")
        .env_remove("GIT_DIR")
        .env_remove("GIT_WORK_TREE")
        .env_remove("GIT_INDEX_FILE")
        .env_remove("GIT_COMMON_DIR")
        .env_remove("GIT_OBJECT_DIRECTORY")
        .env_remove("GIT_ALTERNATE_OBJECT_DIRECTORIES")
        .env_remove("GIT_NAMESPACE")
        .env_remove("GIT_EXTERNAL_DIFF")
        .process_group(0)
        .stdin(Stdio::null());
    command
}

/// A git command in a tree that an agent works in: it starts no filter of the repository's configuration.
pub fn tame(folder: &Path) -> Command {
    let mut command = command(folder);
    for setting in without_filters(folder) {
        command.args(["-c", &setting]);
    }
    command
}

/// Commands of git that read or write files of the work tree, and so would start filters.
const ON_FILES: &[&str] = &[
    "add", "apply", "checkout", "diff", "merge", "reset", "restore", "status", "switch", "worktree",
];

/// Copies an index, if there is one. It has the times of the files, so that unchanged ones are not
/// read again. The copy keeps the index's own time too: with a newer one git would take a file that
/// was changed in the second of its last look for unchanged.
pub fn copy_index(from: &Path, to: &Path) -> Result<(), Fault> {
    let looked = std::fs::metadata(from).and_then(|about| about.modified());
    let (Ok(looked), Ok(bytes)) = (looked, std::fs::read(from)) else {
        return Ok(());
    };
    files::write_atomic(to, &bytes, files::PRIVATE)?;
    std::fs::File::options()
        .append(true)
        .open(to)
        .and_then(|copy| copy.set_modified(looked))
        .map_err(|error| Fault::new(Code::GitFailed, format!("{}: {error}", to.display())))
}

/// Runs git in `folder` with these arguments; the status is the caller's to judge.
pub fn run<S: AsRef<OsStr>>(folder: &Path, arguments: &[S]) -> Result<Output, Fault> {
    let first = arguments.first().and_then(|word| word.as_ref().to_str());
    let mut command = if first.is_some_and(|word| ON_FILES.contains(&word)) {
        tame(folder)
    } else {
        command(folder)
    };
    command.args(arguments);
    output(&mut command, &[])
}

/// Runs git and gives its stdout; any other status than 0 is a fault that names the command.
pub fn read<S: AsRef<OsStr>>(folder: &Path, arguments: &[S]) -> Result<String, Fault> {
    let done = run(folder, arguments)?;
    if done.ok() {
        return Ok(done.text());
    }
    let words: Vec<_> = arguments
        .iter()
        .map(|word| word.as_ref().to_string_lossy())
        .collect();
    Err(Fault::new(
        Code::GitFailed,
        format!("git {}: {}", words.join(" "), done.stderr.trim()),
    ))
}

/// A git command that may make commits: in the person's name, or in ours where git knows none.
pub fn named(folder: &Path) -> Result<Command, Fault> {
    /// Folders where git knew a name.
    static KNOWN: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());
    let known = || KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    let mut is_known = known().contains(folder);
    if !is_known && run(folder, &["var", "GIT_COMMITTER_IDENT"])?.ok() {
        known().insert(folder.to_owned());
        is_known = true;
    }
    let mut command = command(folder);
    if !is_known {
        command.args([
            "-c",
            "user.name=Overnight",
            "-c",
            "user.email=overnight@localhost.invalid",
        ]);
    }
    Ok(command)
}

/// Runs a prepared git command with `input` on its stdin.
pub fn output(command: &mut Command, input: &[u8]) -> Result<Output, Fault> {
    let child = start(command, input)?;
    let done = child.wait_with_output().map_err(|error| waiting(&error))?;
    Ok(finished(done))
}

/// Like [`output`], for commands that talk to a remote: after `limit` the command's process group
/// is told to end, and the output has no status and says so on its stderr.
pub fn output_within(
    command: &mut Command,
    input: &[u8],
    limit: Duration,
) -> Result<Output, Fault> {
    /// How long a git that was told to end may tidy up its lock files.
    const GRACE: Duration = Duration::from_secs(2);
    let child = start(command, input)?;
    let group = rustix::process::Pid::from_child(&child);
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || sender.send(child.wait_with_output()));
    if let Ok(done) = receiver.recv_timeout(limit) {
        return done.map(finished).map_err(|error| waiting(&error));
    }
    for (signal, wait_max) in [
        (rustix::process::Signal::TERM, GRACE),
        (rustix::process::Signal::KILL, GRACE),
    ] {
        // It may have ended just now; then there is nothing to end.
        let _ = rustix::process::kill_process_group(group, signal);
        if receiver.recv_timeout(wait_max).is_ok() {
            break;
        }
    }
    Ok(Output {
        status: None,
        stdout: Vec::new(),
        stderr: format!(
            "{} did not finish within {} s",
            command.get_program().to_string_lossy(),
            limit.as_secs()
        ),
    })
}

fn start(command: &mut Command, input: &[u8]) -> Result<Child, Fault> {
    if !input.is_empty() {
        command.stdin(Stdio::piped());
    }
    let mut child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| match error.kind() {
            ErrorKind::NotFound => Fault::new(Code::GitMissing, "git is not on the PATH"),
            _ => Fault::new(Code::GitFailed, format!("cannot start git: {error}")),
        })?;
    if let Some(mut stdin) = child.stdin.take() {
        // A git that does not read its input fails by its status, not by our broken pipe.
        let _ = stdin.write_all(input);
    }
    Ok(child)
}

fn finished(done: std::process::Output) -> Output {
    Output {
        status: done.status.code(),
        stdout: done.stdout,
        stderr: String::from_utf8_lossy(&done.stderr).into_owned(),
    }
}

fn waiting(error: &std::io::Error) -> Fault {
    Fault::new(Code::GitFailed, format!("cannot wait for git: {error}"))
}

/// Removes the locks that a git left in a work tree's own git folder when it was killed. Only for one in
/// which nobody works.
pub fn unlock(folder: &Path) -> Result<(), Fault> {
    for name in ["index.lock", "HEAD.lock"] {
        let path = folder.join(name);
        match std::fs::remove_file(&path) {
            Err(error) if error.kind() != ErrorKind::NotFound => {
                let reason = format!("{}: {error}", path.display());
                return Err(Fault::new(Code::FileWrite, reason));
            }
            _ => {}
        }
    }
    Ok(())
}

/// Where a folder stands in its repository.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Location {
    /// The top of the work tree that the folder is in.
    pub top: PathBuf,
    /// The git folder that all linked work trees share.
    pub common: PathBuf,
}

/// Finds the work tree and the shared git folder; `None` outside a repository or in a bare one.
pub fn locate(folder: &Path) -> Result<Option<Location>, Fault> {
    let arguments = [
        "rev-parse",
        "--path-format=absolute",
        "--show-toplevel",
        "--git-common-dir",
    ];
    let done = run(folder, &arguments)?;
    let text = done.text();
    let mut lines = text.lines();
    match (done.ok(), lines.next(), lines.next()) {
        (true, Some(top), Some(common)) => Ok(Some(Location {
            top: PathBuf::from(top),
            common: PathBuf::from(common),
        })),
        _ => Ok(None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_subfolder_finds_its_work_tree_and_a_plain_folder_finds_none() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        assert_eq!(locate(&root).unwrap(), None);
        read(&root, &["init", "-q"]).unwrap();
        std::fs::create_dir(root.join("sub")).unwrap();
        let place = locate(&root.join("sub")).unwrap().unwrap();
        assert_eq!(place.top, root);
        assert_eq!(place.common, root.join(".git"));
    }
}
