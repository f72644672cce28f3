//! Commits and what is in them, read past what an agent may have put into git's configuration.

use crate::git;
use crate::known::Known;
use crate::state::Place;
use crate::worktree::OWN;
use overnight_base::code::Code;
use overnight_base::fault::Fault;
use overnight_judge::proof::overlay::Difference;
use std::cell::{OnceCell, RefCell};
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// A text larger than this is data.
pub(super) const TEXT_BYTES_MAX: usize = 1 << 20;

/// A git command that takes no replacement objects and no sparse work tree.
pub(super) fn command(folder: &Path) -> Command {
    let mut command = git::command(folder);
    command
        .args([
            "-c",
            "core.sparseCheckout=false",
            "-c",
            "core.fileMode=true",
            "-c",
            "core.symlinks=true",
        ])
        .env("GIT_NO_REPLACE_OBJECTS", "1");
    command
}

/// Runs it; any other status than 0 is a fault.
pub(super) fn read(mut command: Command) -> Result<Vec<u8>, Fault> {
    let done = git::output(&mut command, &[])?;
    if done.ok() {
        return Ok(done.stdout);
    }
    let words: Vec<_> = command
        .get_args()
        .map(|word| word.to_string_lossy().into_owned())
        .filter(|word| !word.contains('=') && word != "-c")
        .take(4)
        .collect();
    Err(Fault::new(
        Code::GitFailed,
        format!("git {}: {}", words.join(" "), done.stderr.trim()),
    ))
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes)
        .trim_end_matches('\n')
        .to_owned()
}

/// The tree of everything that the work tree holds, ignored files and our own left out. `index` is a
/// scratch file; the person's index is only read.
pub(super) fn tree(place: &Place, index: &Path, filters: &[String]) -> Result<String, Fault> {
    let top = &place.top;
    let _ = std::fs::remove_file(index);
    if let Some(own) = &place.git {
        git::copy_index(&own.join("index"), index)?;
    }
    let with = |command: &mut Command| {
        // What lies outside of a sparse check-out counts where it is there, and stays where it is not.
        command.args(["-c", "core.sparseCheckout=true"]);
        command.args(["-c", "sparse.expectFilesOutsideOfPatterns=false"]);
        command.args(["-c", "core.splitIndex=false"]);
        command.args(filters.iter().flat_map(|setting| ["-c", setting]));
        command.env("GIT_INDEX_FILE", index);
    };
    let mut add = command(top);
    with(&mut add);
    add.args(["add", "-A", "--sparse", "--ignore-errors", "--", "."]);
    add.args(OWN.map(|own| format!(":(top,exclude){own}")));
    let added = git::output(&mut add, &[])?;
    // 1: all but what could not be added, such as a repository in the repository.
    if !matches!(added.status, Some(0 | 1)) {
        return Err(Fault::new(
            Code::GitFailed,
            format!("cannot look at the work tree: {}", added.stderr.trim()),
        ));
    }
    let mut write = command(top);
    with(&mut write);
    write.arg("write-tree");
    read(write).map(|bytes| text(&bytes))
}

/// What git says to these arguments, as text.
pub(super) fn read_at(folder: &Path, arguments: &[&str]) -> Result<String, Fault> {
    let mut command = command(folder);
    command.args(arguments);
    read(command).map(|bytes| text(&bytes))
}

/// The commit that is checked out and its tree; `None` before the first commit.
pub(super) fn head(top: &Path) -> Result<Option<(String, String)>, Fault> {
    let mut named = command(top);
    named.args(["rev-parse", "HEAD", "HEAD^{tree}"]);
    let done = git::output(&mut named, &[])?;
    let text = done.text();
    let both = text.split_once('\n').filter(|_| done.ok());
    let Some((commit, tree)) = both else {
        return Ok(None);
    };
    let tree = TREES.or_ask((commit, ""), || Ok(tree.to_owned()))?;
    Ok(Some((commit.to_owned(), tree)))
}

/// Trees of commits.
static TREES: Known<String> = Known::new(8);

/// The tree of a commit.
pub(super) fn tree_of(top: &Path, commit: &str) -> Result<String, Fault> {
    let ask = || {
        let named = format!("{commit}^{{tree}}");
        read_at(top, &["rev-parse", "--verify", &named])
    };
    TREES.or_ask((commit, ""), ask)
}

/// Makes a commit of a tree, in the person's name or in ours where git knows none. No ref moves.
pub(super) fn commit(
    top: &Path,
    tree: &str,
    parents: &[&str],
    message: &str,
) -> Result<String, Fault> {
    let make = |who: &[&str]| {
        let mut make = command(top);
        make.args(who).args(["commit-tree", tree, "-m", message]);
        make.args(parents.iter().flat_map(|parent| ["-p", parent]));
        read(make).map(|bytes| text(&bytes))
    };
    make(&[]).or_else(|_| {
        make(&[
            "-c",
            "user.name=Overnight",
            "-c",
            "user.email=overnight@localhost.invalid",
        ])
    })
}

/// Every file of a commit with what identifies its content.
pub(super) fn files(top: &Path, commit: &str) -> Result<BTreeMap<String, String>, Fault> {
    static LISTINGS: Known<BTreeMap<String, String>> = Known::new(3);
    LISTINGS.or_ask((commit, ""), || list(top, commit))
}

fn list(top: &Path, commit: &str) -> Result<BTreeMap<String, String>, Fault> {
    let mut list = command(top);
    list.args(["ls-tree", "-r", "-z", "--full-tree", commit]);
    let listed = read(list)?;
    let listed = String::from_utf8_lossy(&listed);
    let entry = |line: &str| {
        let (about, path) = line.split_once('\t')?;
        Some((path.to_owned(), about.to_owned()))
    };
    Ok(listed.split('\0').filter_map(entry).collect())
}

/// The files of a commit that hold this text; none where git cannot tell.
pub(super) fn naming(top: &Path, commit: &str, text: &str) -> Vec<String> {
    let mut search = command(top);
    search.args([
        "grep",
        "-l",
        "-z",
        "-I",
        "-F",
        "--full-name",
        "-e",
        text,
        commit,
    ]);
    let listed = read(search).unwrap_or_default();
    let listed = String::from_utf8_lossy(&listed);
    let paths = listed.split('\0').filter_map(|line| line.split_once(':'));
    paths.map(|(_, path)| path.to_owned()).collect()
}

/// The paths in which two commits differ, our own left out.
pub(super) fn differences(top: &Path, before: &str, after: &str) -> Result<Vec<Difference>, Fault> {
    let mut list = command(top);
    list.args([
        "diff-tree",
        "-r",
        "-z",
        "--no-renames",
        "--name-status",
        "--no-commit-id",
        before,
        after,
    ]);
    let listed = read(list)?;
    let listed = String::from_utf8_lossy(&listed).into_owned();
    let mut parts = listed.split('\0');
    let mut found = Vec::new();
    while let (Some(status), Some(path)) = (parts.next(), parts.next()) {
        let own = path
            .split('/')
            .next()
            .is_some_and(|first| OWN.contains(&first));
        if !own {
            found.push(Difference {
                path: path.to_owned(),
                before: status != "A",
                after: status != "D",
            });
        }
    }
    Ok(found)
}

/// The text of a file in a commit; `None` where it is not there, not text or too large.
pub(super) fn file(top: &Path, commit: &str, path: &str) -> Option<String> {
    static TEXTS: Known<Option<String>> = Known::new(32);
    let text = TEXTS.or_ask((commit, path), || Ok(show(top, commit, path)));
    text.ok().flatten()
}

/// The texts of a commit's files, all by one git: for who reads many of them.
pub(super) struct Texts {
    top: PathBuf,
    commit: String,
    /// The git, once something was asked for; `None` in it where there is none to ask.
    batch: OnceCell<Option<RefCell<Batch>>>,
}

struct Batch {
    child: Child,
    ask: Option<ChildStdin>,
    answer: BufReader<ChildStdout>,
}

impl Texts {
    pub(super) fn of(top: &Path, commit: &str) -> Self {
        Self {
            top: top.to_owned(),
            commit: commit.to_owned(),
            batch: OnceCell::new(),
        }
    }

    /// The text of a file; `None` where it is not there, not text or too large.
    pub(super) fn text(&self, path: &str) -> Option<String> {
        // Names are asked for one a line.
        if path.contains('\n') {
            return None;
        }
        let start = || Batch::start(&self.top).map(RefCell::new);
        let batch = self.batch.get_or_init(start).as_ref()?;
        let name = format!("{}:{path}", self.commit);
        let content = batch.borrow_mut().blob(&name)?;
        let small = content.len() <= TEXT_BYTES_MAX;
        small.then(|| String::from_utf8(content).ok()).flatten()
    }
}

impl Batch {
    fn start(top: &Path) -> Option<Self> {
        let mut batch = command(top);
        batch.args(["cat-file", "--batch"]);
        batch.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = batch.stderr(Stdio::null()).spawn().ok()?;
        let (ask, answer) = (child.stdin.take(), child.stdout.take()?);
        Some(Self {
            child,
            ask,
            answer: BufReader::new(answer),
        })
    }

    fn blob(&mut self, name: &str) -> Option<Vec<u8>> {
        writeln!(self.ask.as_ref()?, "{name}").ok()?;
        let mut header = String::new();
        self.answer.read_line(&mut header).ok()?;
        let mut words = header.trim_end().rsplit(' ');
        // What is not there has no length.
        let length: u64 = words.next()?.parse().ok()?;
        let is_blob = words.next() == Some("blob");
        let mut content = Vec::new();
        let mut whole = self.answer.by_ref().take(length + 1);
        whole.read_to_end(&mut content).ok()?;
        content.pop();
        is_blob.then_some(content)
    }
}

impl Drop for Batch {
    fn drop(&mut self) {
        // It ends when nobody can ask it any more.
        self.ask.take();
        let _ = self.child.wait();
    }
}

fn show(top: &Path, commit: &str, path: &str) -> Option<String> {
    let mut show = command(top);
    show.args(["cat-file", "blob", &format!("{commit}:{path}")]);
    let bytes = read(show)
        .ok()
        .filter(|bytes| bytes.len() <= TEXT_BYTES_MAX)?;
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_git_reads_the_texts_of_a_commit_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let top = folder.path();
        let git = |arguments: &[&str]| {
            let who = ["-c", "user.name=T", "-c", "user.email=t@example.invalid"];
            let done = git::run(top, &[&who, arguments].concat()).unwrap();
            assert!(done.ok(), "git {arguments:?}: {}", done.stderr);
        };
        git(&["init", "-q"]);
        std::fs::create_dir(top.join("sub")).unwrap();
        std::fs::write(top.join("sub/one two"), "text\nmore").unwrap();
        std::fs::write(top.join("empty"), "").unwrap();
        std::fs::write(top.join("bytes"), [0xff, 0xfe]).unwrap();
        git(&["add", "-A"]);
        git(&["commit", "-q", "-m", "x"]);
        std::fs::write(top.join("empty"), "later").unwrap();
        let texts = Texts::of(top, "HEAD");
        for (path, text) in [
            ("missing one", None),
            ("sub/one two", Some("text\nmore")),
            ("sub", None),
            ("bytes", None),
            ("empty", Some("")),
            ("sub/one two\nempty", None),
            ("sub/one two", Some("text\nmore")),
        ] {
            assert_eq!(texts.text(path).as_deref(), text, "{path}");
        }
    }
}
