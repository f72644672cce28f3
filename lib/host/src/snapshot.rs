//! Undo first: everything in the work tree kept as a commit before something discards it.

use crate::clock;
use crate::git;
use crate::state::Place;
use overnight_base::code::Code;
use overnight_base::fault::Fault;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::process::Command;
use walkdir::WalkDir;

/// Where the snapshots are: never pushed, not shown by `git branch`, safe from `git gc`.
pub const REFS: &str = "refs/overnight/backup";
/// Where the snapshots of runs' work trees are, one for each iteration.
pub const RUNS: &str = "refs/overnight/snapshots";
/// Author of the commits: git refuses to guess one.
const AUTHOR: &str = "overnight";

/// A kept state of the work tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Snapshot {
    /// The ref that holds it.
    pub name: String,
    /// Its commit.
    pub commit: String,
}

/// What a copy holds of ignored files and folders at most: the smallest first.
const IGNORED_BYTES_MAX: u64 = 16 << 20;
/// Files of an ignored folder that are looked at: one of more is what a tool makes again.
const IGNORED_FILES_MAX: usize = 1_000;

/// Keeps the work tree as it is, untracked files included, and of ignored ones what is small. The person's
/// index, branches and files are not touched.
pub fn take(place: &Place) -> Result<Snapshot, Fault> {
    let name = format!("{REFS}/{}", clock::wall_ms());
    let message = "Work tree before a command that discards work";
    copy(place, &name, message, true, &small_ignored(&place.top)?)
}

/// Keeps these files as they are, those that git ignores (`true`) where they are small; all else as the index has
/// it. Nothing else of the work tree is looked at.
pub fn take_files(place: &Place, files: &[(String, bool)]) -> Result<Snapshot, Fault> {
    let name = format!("{REFS}/{}", clock::wall_ms());
    let mut paths = Vec::new();
    let goes = |(file, ignored): &&(String, bool)| !ignored || size(Path::new(file)).is_some();
    for (file, _) in files.iter().filter(goes) {
        paths.extend_from_slice(file.as_bytes());
        paths.push(0);
    }
    copy(
        place,
        &name,
        "Files before a command that deletes them",
        false,
        &paths,
    )
}

/// Keeps the work tree as it is, ignored files not, under a ref of this name, as a commit on top of what is
/// checked out.
pub fn keep(place: &Place, name: &str, message: &str) -> Result<Snapshot, Fault> {
    copy(place, name, message, true, &[])
}

/// The ignored files and folders that are copied, each with a zero byte behind it.
fn small_ignored(top: &Path) -> Result<Vec<u8>, Fault> {
    let listed = git::run(
        top,
        &[
            "ls-files",
            "-z",
            "--others",
            "--ignored",
            "--exclude-standard",
            "--directory",
        ],
    )?;
    let listed = listed
        .stdout
        .split(|byte| *byte == 0)
        .filter(|path| !path.is_empty());
    let mut sized: Vec<(u64, &[u8])> = listed
        .filter_map(|path| Some((size(&top.join(OsStr::from_bytes(path)))?, path)))
        .collect();
    sized.sort_unstable();
    let (mut copied, mut left) = (Vec::new(), IGNORED_BYTES_MAX);
    for (size, path) in sized {
        let Some(rest) = left.checked_sub(size) else {
            break;
        };
        left = rest;
        copied.extend_from_slice(path);
        copied.push(0);
    }
    Ok(copied)
}

/// The bytes of a file or of all below a folder; `None` of what is not copied.
fn size(path: &Path) -> Option<u64> {
    let mut size = 0;
    for (count, entry) in WalkDir::new(path).into_iter().enumerate() {
        let entry = entry.ok()?;
        if count > IGNORED_FILES_MAX || entry.file_name() == ".git" {
            return None;
        }
        size += entry.metadata().ok()?.len();
    }
    (size <= IGNORED_BYTES_MAX).then_some(size)
}

/// A copy of `all` that git does not ignore, and of the paths that are given, each with a zero byte behind it.
fn copy(
    place: &Place,
    name: &str,
    message: &str,
    all: bool,
    given: &[u8],
) -> Result<Snapshot, Fault> {
    let folder = place
        .git
        .as_ref()
        .ok_or_else(|| Fault::new(Code::NotARepository, "without git no snapshot can be taken"))?;
    let index = folder.join(format!(
        "overnight-snapshot-{}-{}",
        std::process::id(),
        clock::wall_ms()
    ));
    let taken = write(place, (folder, &index), (name, message), (all, given));
    let _ = std::fs::remove_file(&index);
    taken
}

fn write(
    place: &Place,
    (folder, index): (&Path, &Path),
    (name, message): (&str, &str),
    (all, named): (bool, &[u8]),
) -> Result<Snapshot, Fault> {
    git::copy_index(&folder.join("index"), index)?;
    let filters = filters(&place.top)?;
    let given = |arguments: &[&str], input: &[u8]| -> Result<String, Fault> {
        let mut command = git::command(&place.top);
        identify(&mut command);
        command
            .args(&filters)
            .args(arguments)
            .env("GIT_INDEX_FILE", index);
        let done = git::output(&mut command, input)?;
        if done.ok() {
            return Ok(done.text());
        }
        Err(Fault::new(
            Code::GitFailed,
            format!("git {}: {}", arguments.join(" "), done.stderr.trim()),
        ))
    };
    let run = |arguments: &[&str]| given(arguments, &[]);
    // What lies outside of a sparse check-out is kept, too.
    if all {
        run(&["add", "-A", "--sparse", "--", ":/"])?;
    }
    if !named.is_empty() {
        given(
            &[
                "--literal-pathspecs",
                "add",
                "-f",
                "--sparse",
                "--pathspec-from-file=-",
                "--pathspec-file-nul",
            ],
            named,
        )?;
    }
    let tree = run(&["write-tree"])?;
    let commit = ["commit-tree", tree.as_str(), "-m", message];
    // Without a commit yet it is one of its own.
    let commit = run(&[&commit[..], &["-p", "HEAD"]].concat()).or_else(|_| run(&commit))?;
    run(&["update-ref", "-m", "overnight: undo first", name, &commit])?;
    Ok(Snapshot {
        name: name.to_owned(),
        commit,
    })
}

fn identify(command: &mut Command) {
    for role in ["AUTHOR", "COMMITTER"] {
        command.env(format!("GIT_{role}_NAME"), AUTHOR);
        command.env(format!("GIT_{role}_EMAIL"), "overnight@localhost");
    }
}

/// Settings that switch the repository's content filters off: a snapshot keeps the bytes as they
/// are and runs no program of the repository's (tests/cases/hostile.md T06).
fn filters(top: &Path) -> Result<Vec<String>, Fault> {
    let listed = git::run(
        top,
        &[
            "config",
            "-z",
            "--name-only",
            "--get-regexp",
            r"^filter\..*\.(clean|process|required)$",
        ],
    )?;
    let names = listed.text();
    let keys = names.split('\0').filter(|key| !key.is_empty());
    Ok(keys
        .flat_map(|key| {
            let value = if key.ends_with(".required") {
                "false"
            } else {
                ""
            };
            ["-c".to_owned(), format!("{key}={value}")]
        })
        .collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state;

    #[test]
    fn a_snapshot_holds_changed_and_untracked_files_and_touches_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let git = |arguments: &[&str]| git::read(&root, arguments).unwrap();
        git(&["init", "-q"]);
        std::fs::write(root.join("a"), "old").unwrap();
        git(&["add", "a"]);
        git(&[
            "-c",
            "user.name=t",
            "-c",
            "user.email=t@t",
            "commit",
            "-qm",
            "x",
        ]);
        git(&["config", "filter.evil.clean", "touch pwned; cat"]);
        std::fs::write(root.join(".gitattributes"), "* filter=evil\n").unwrap();
        std::fs::write(root.join("a"), "new").unwrap();
        std::fs::write(root.join("untracked"), "kept").unwrap();
        std::fs::write(root.join(".gitignore"), "*.db\nbig/\n").unwrap();
        std::fs::write(root.join("notes.db"), "ignored").unwrap();
        std::fs::create_dir(root.join("big")).unwrap();
        let big = std::fs::File::create(root.join("big/x")).unwrap();
        big.set_len(IGNORED_BYTES_MAX + 1).unwrap();
        let before = std::fs::read(root.join(".git/index")).unwrap();
        let place = state::locate(&root).unwrap();
        let at = |name: &str| root.join(name).to_str().unwrap().to_owned();
        let files = [
            (at("notes.db"), true),
            (at("untracked"), false),
            (at("big/x"), true),
        ];
        let some = take_files(&place, &files).unwrap();
        let kept = git(&["ls-tree", "-r", "--name-only", &some.name]);
        assert_eq!(kept, "a\nnotes.db\nuntracked");
        assert_eq!(git(&["show", &format!("{}:a", some.name)]), "old");
        let snapshot = take(&state::locate(&root).unwrap()).unwrap();
        assert!(snapshot.name.starts_with("refs/overnight/backup/"));
        assert_eq!(git(&["show", &format!("{}:a", snapshot.name)]), "new");
        assert_eq!(
            git(&["show", &format!("{}:untracked", snapshot.name)]),
            "kept"
        );
        let kept = git(&["ls-tree", "-r", "--name-only", &snapshot.name]);
        assert!(kept.contains("notes.db") && !kept.contains("big"), "{kept}");
        assert_eq!(std::fs::read(root.join(".git/index")).unwrap(), before);
        assert!(!root.join("pwned").exists());
        let left = std::fs::read_dir(root.join(".git")).unwrap().flatten();
        assert_eq!(
            left.filter(|entry| entry.file_name().to_string_lossy().contains("snapshot"))
                .count(),
            0
        );
    }

    #[test]
    fn a_repository_without_a_commit_can_be_kept_too() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        git::read(&root, &["init", "-q"]).unwrap();
        std::fs::write(root.join("a"), "x").unwrap();
        let snapshot = take(&state::locate(&root).unwrap()).unwrap();
        assert_eq!(
            git::read(&root, &["show", &format!("{}:a", snapshot.commit)]).unwrap(),
            "x"
        );
    }
}
