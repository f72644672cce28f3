//! Reading and moving lease refs with the git command line, on a remote or in this repository.

use super::timeout::Timeout;
use super::{object, remote};
use crate::files::{self, Content};
use crate::git::{self, Output};
use crate::left_lock;
use crate::state::Place;
use overnight_base::code::Code;
use overnight_base::fault::Fault;
use overnight_base::text;
use overnight_lease::push::{self, Pushed};
use overnight_lease::record::{Record, Standing};
use overnight_lease::refname::{self, NAMESPACE, NAMESPACE_HEADS};
use overnight_tasks::TaskId;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// A remote that has not answered a push of work by then counts as unreachable.
pub(super) const WORK_LIMIT: Duration = Duration::from_mins(10);
/// Marks a remote that accepts nothing but branches; written by the doctor.
const HEADS_MARK: &str = "only-branches";

const EMPTY_TREE_SHA1: &str = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";
const EMPTY_TREE_SHA256: &str = "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321";

/// Where the lease refs are.
#[derive(Debug, Clone)]
pub(super) struct Store {
    top: PathBuf,
    /// The person's work tree: a remote's relative path is meant from there.
    home: PathBuf,
    common: PathBuf,
    remote: Option<String>,
    namespace: &'static str,
    sha256: bool,
    pub(super) timeout: Timeout,
}

impl Store {
    pub(super) fn new(
        place: &Place,
        common: &Path,
        remote: Option<String>,
        folder: &Path,
    ) -> Result<Self, Fault> {
        let marked = match files::read_bounded(&folder.join(HEADS_MARK), 64)? {
            Content::Bytes(_) => true,
            Content::Missing | Content::Refused(_) => false,
        };
        Ok(Self {
            top: place.top.clone(),
            home: place.home.clone(),
            common: common.to_owned(),
            remote,
            namespace: if marked { NAMESPACE_HEADS } else { NAMESPACE },
            sha256: remote::is_sha256(common)?,
            timeout: Timeout::of(folder),
        })
    }

    pub(super) fn remote(&self) -> Option<&str> {
        self.remote.as_deref()
    }

    pub(super) fn namespace(&self) -> &'static str {
        self.namespace
    }

    pub(super) fn set_namespace(
        &mut self,
        namespace: &'static str,
        folder: &Path,
    ) -> Result<(), Fault> {
        self.namespace = namespace;
        let path = folder.join(HEADS_MARK);
        if namespace == NAMESPACE_HEADS {
            return files::write_atomic(&path, b"found by task-lock doctor\n", files::PRIVATE);
        }
        match std::fs::remove_file(&path) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(Fault::new(
                Code::FileWrite,
                format!("{}: {error}", path.display()),
            )),
            _ => Ok(()),
        }
    }

    pub(super) fn lease_ref(&self, task: &TaskId) -> String {
        refname::lease(self.namespace, task)
    }

    pub(super) fn command(&self) -> Command {
        git::command(&self.home)
    }

    /// A refspec as it means the same from the person's work tree: each tree has a HEAD of its own.
    pub(super) fn resolved(&self, refspec: &str) -> Result<String, Fault> {
        match refspec.split_once(':') {
            Some(("HEAD" | "@", to)) if self.top != self.home => {
                let commit = git::read(&self.top, &["rev-parse", "--verify", "HEAD"])?;
                Ok(format!("{commit}:{to}"))
            }
            _ => Ok(refspec.to_owned()),
        }
    }

    /// A push that nothing in the configuration adds to or waits for (T05, T06).
    pub(super) fn push_command(&self, remote: &str) -> Command {
        let mut command = self.command();
        if !remote.contains(['=', '\n', '/']) {
            command.args(["-c", &format!("remote.{remote}.mirror=false")]);
        }
        command.args([
            "-c",
            "push.pushOption=",
            "push",
            "--porcelain",
            "--no-verify",
        ]);
        command.args(["--no-follow-tags", "--no-signed", "--recurse-submodules=no"]);
        command.args(["--no-progress", "--receive-pack=git-receive-pack"]);
        command
    }

    /// Writes the commit that carries a record and replaces `expected`; gives its object id.
    pub(super) fn write(&self, record: &Record, expected: Option<&str>) -> Result<String, Fault> {
        // Branches of some hosts move forward only: there the records form a chain.
        let parent = expected.filter(|_| self.namespace == NAMESPACE_HEADS);
        self.write_commit(&record.commit(self.empty_tree(), parent))
    }

    /// The id of the tree without entries.
    pub(super) fn empty_tree(&self) -> &'static str {
        if self.sha256 {
            EMPTY_TREE_SHA256
        } else {
            EMPTY_TREE_SHA1
        }
    }

    /// Writes a commit of the empty tree; gives its object id.
    pub(super) fn write_commit(&self, commit: &str) -> Result<String, Fault> {
        if let Ok(oid) = object::write_commit(&self.common.join("objects"), self.sha256, commit) {
            return Ok(oid);
        }
        // Where the folder is not ours to write to as it stands, git may know better.
        let mut command = self.command();
        command.args(["hash-object", "-t", "commit", "-w", "--stdin"]);
        let done = git::output(&mut command, commit.as_bytes())?;
        if done.ok() {
            return Ok(done.text());
        }
        Err(failed("git hash-object", &done))
    }

    /// Moves a ref from `expected` to `oid`, once.
    pub(super) fn swap(
        &self,
        name: &str,
        expected: Option<&str>,
        oid: &str,
    ) -> Result<(Pushed, Output), Fault> {
        let Some(remote) = &self.remote else {
            return self.swap_here(name, expected, oid);
        };
        let mut command = self.push_command(remote);
        // Where records share no history a new ref needs none: one that is there stays. Git compares it with each ref
        // of the remote, a tenth of the whole push where there are 10,000; so does what it prints of a success.
        let compared = expected.is_some() || self.namespace == NAMESPACE_HEADS;
        let lease = format!("--force-with-lease={name}:{}", expected.unwrap_or_default());
        let lease = compared.then_some(lease);
        command.arg("--quiet").args(lease);
        command.args(["--", remote, &format!("{oid}:{name}")]);
        let done = self.timeout.ask(&mut command)?;
        let outcome = if done.ok() {
            Pushed::Moved
        } else {
            push::outcome(&done.text(), name)
        };
        left_lock::after(&done, self.place_of_refs());
        Ok((outcome, done))
    }

    fn swap_here(
        &self,
        name: &str,
        expected: Option<&str>,
        oid: &str,
    ) -> Result<(Pushed, Output), Fault> {
        let none = "0".repeat(oid.len());
        let line = format!("update {name} {oid} {}\n", expected.unwrap_or(&none));
        let mut command = self.command();
        command.args(["update-ref", "--no-deref", "--stdin"]);
        let done = git::output(&mut command, line.as_bytes())?;
        let moved_by_others = [
            "but expected",
            "already exists",
            "unable to resolve reference",
        ];
        let outcome = if done.ok() {
            Pushed::Moved
        } else if moved_by_others
            .iter()
            .any(|words| done.stderr.contains(words))
        {
            Pushed::Stale
        } else {
            Pushed::Refused(text::one_line(&done.stderr, 200))
        };
        left_lock::after(&done, Some(&self.common));
        Ok((outcome, done))
    }

    /// Deletes refs that still stand where they were seen; gives how many went.
    pub(super) fn delete(&self, refs: &[(String, String)]) -> Result<usize, Fault> {
        let Some(remote) = &self.remote else {
            let line = |(name, oid): &(String, String)| format!("delete {name} {oid}\n");
            let lines = refs.iter().map(line).collect::<Vec<_>>().concat();
            let mut command = self.command();
            command.args(["update-ref", "--no-deref", "--stdin"]);
            let done = git::output(&mut command, lines.as_bytes())?;
            return Ok(if done.ok() { refs.len() } else { 0 });
        };
        let mut command = self.push_command(remote);
        command.args(
            refs.iter()
                .map(|(name, oid)| format!("--force-with-lease={name}:{oid}")),
        );
        command.args(["--", remote]);
        command.args(refs.iter().map(|(name, _)| format!(":{name}")));
        let done = self.timeout.ask(&mut command)?;
        Ok(done
            .text()
            .lines()
            .filter(|line| line.starts_with("-\t"))
            .count())
    }

    /// The folder that relative lock paths in git's messages start from, if it is on this machine.
    fn place_of_refs(&self) -> Option<&Path> {
        self.remote.is_none().then_some(self.common.as_path())
    }

    /// What stands on the lease's ref now.
    pub(super) fn read(&self, task: &TaskId) -> Result<Standing, Fault> {
        let mut name = self.lease_ref(task);
        if let Some(remote) = &self.remote {
            let seen = refname::seen(remote, task);
            let refspec = format!("+{name}:{seen}");
            let refspecs = [refspec];
            let fetch = |limit| self.fetch(remote, (&[], limit), &refspecs);
            let done = self.timeout.wait(fetch)?;
            if push::is_missing_ref(&done.stderr) {
                return Ok(Standing::Absent);
            }
            if !done.ok() {
                return Err(self.unreachable(&done));
            }
            name = seen;
        }
        let mut command = self.command();
        command.args(["cat-file", "--batch"]);
        let done = git::output(&mut command, format!("{name}\n").as_bytes())?;
        if !done.ok() {
            return Err(failed("git cat-file", &done));
        }
        Ok(standing(&done.stdout, task))
    }

    /// The object id on a ref, without its record: cheaper than [`read`](Self::read).
    pub(super) fn peek(&self, name: &str) -> Result<Option<String>, Fault> {
        let refs = self.refs(name)?;
        let found = refs.into_iter().find(|(_, found)| found == name);
        Ok(found.map(|(oid, _)| oid))
    }

    /// The refs that match a pattern, each with its object id.
    pub(super) fn refs(&self, pattern: &str) -> Result<Vec<(String, String)>, Fault> {
        let mut command = self.command();
        match &self.remote {
            Some(remote) => {
                command.args([
                    "ls-remote",
                    "--upload-pack=git-upload-pack",
                    "--",
                    remote,
                    pattern,
                ]);
            }
            None => {
                command.args([
                    "for-each-ref",
                    "--format=%(objectname)%09%(refname)",
                    pattern,
                ]);
            }
        }
        let done = self.timeout.ask(&mut command)?;
        if !done.ok() {
            return Err(self.unreachable(&done));
        }
        let pair = |line: &str| {
            let (oid, name) = line.split_once('\t')?;
            Some((oid.to_owned(), name.to_owned()))
        };
        Ok(done.text().lines().filter_map(pair).collect())
    }

    /// Copies refs of the remote; `--prune` among the options removes copies of refs that are gone.
    /// What takes longer than the limit counts as unreachable.
    pub(super) fn fetch(
        &self,
        remote: &str,
        (options, limit): (&[&str], Duration),
        refspecs: &[String],
    ) -> Result<Output, Fault> {
        let mut command = self.command();
        command.args([
            "fetch",
            "--quiet",
            "--no-tags",
            "--no-write-fetch-head",
            "--refmap=",
        ]);
        command.args([
            "--no-recurse-submodules",
            "--no-auto-maintenance",
            "--no-show-forced-updates",
        ]);
        command.args(options);
        command.args(["--upload-pack=git-upload-pack", "--", remote]);
        command.args(refspecs);
        let done = git::output_within(&mut command, &[], limit)?;
        left_lock::after(&done, Some(&self.common));
        Ok(done)
    }

    pub(super) fn unreachable(&self, done: &Output) -> Fault {
        let remote = self.remote().unwrap_or("this repository");
        let why = text::one_line(&done.stderr, 300);
        Fault::new(
            Code::LockAcquire,
            format!("{remote} cannot be reached: {why}"),
        )
        .with("remote", remote)
    }
}

pub(super) fn failed(what: &str, done: &Output) -> Fault {
    let why = text::one_line(&done.stderr, 300);
    Fault::new(Code::GitFailed, format!("{what}: {why}"))
}

/// The answer of `git cat-file --batch` to one name.
fn standing(answer: &[u8], task: &TaskId) -> Standing {
    let Some(end) = answer.iter().position(|byte| *byte == b'\n') else {
        return Standing::Absent;
    };
    let header = String::from_utf8_lossy(&answer[..end]);
    let mut words = header.split(' ');
    let (oid, kind) = (
        words.next().unwrap_or_default(),
        words.next().unwrap_or_default(),
    );
    if kind == "missing" {
        return Standing::Absent;
    }
    // A commit's message follows its first empty line.
    let object = &answer[end + 1..];
    let message = object.windows(2).position(|pair| pair == b"\n\n");
    record_of(
        oid,
        kind,
        message.map_or(&[], |start| &object[start..]),
        task,
    )
}

/// What a ref of this kind and message says about a task.
pub(super) fn record_of(oid: &str, kind: &str, message: &[u8], task: &TaskId) -> Standing {
    let record = Record::parse(message.trim_ascii(), task).filter(|_| kind == "commit");
    let oid = oid.to_owned();
    match record.map(Box::new) {
        Some(record) => Standing::Record { oid, record },
        None => Standing::Unreadable { oid },
    }
}
