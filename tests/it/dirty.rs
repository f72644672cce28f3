//! Whatever a person's work tree holds, a night, a kill and an undo leave it byte for byte as it was.

use crate::night::{everything, on_main};
use crate::project::Project;
use assert_cmd::cargo::cargo_bin;
use proptest::strategy::{Just, Strategy};
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::PathBuf;
use std::process::Stdio;
use std::time::Duration;

type Everything = BTreeMap<PathBuf, Vec<u8>>;

/// Trees that every deed is tried in; together they have every kind of dirt.
const TREES: usize = 2;

/// One way in which a work tree is not clean. Each leaves the files of the others alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Dirt {
    /// First: what the others leave would be in a merge's way.
    Conflict,
    Staged,
    StagedThenChanged,
    Unstaged,
    Deleted,
    Executable,
    Untracked,
    Ignored,
    IntentToAdd,
    Links,
    OddNames,
    Pointer,
    Submodule,
    Sparse,
}

const ALL: [Dirt; 14] = [
    Dirt::Conflict,
    Dirt::Staged,
    Dirt::StagedThenChanged,
    Dirt::Unstaged,
    Dirt::Deleted,
    Dirt::Executable,
    Dirt::Untracked,
    Dirt::Ignored,
    Dirt::IntentToAdd,
    Dirt::Links,
    Dirt::OddNames,
    Dirt::Pointer,
    Dirt::Submodule,
    Dirt::Sparse,
];

/// What is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Deed {
    Night,
    WithChanges,
    KilledAndResumed,
    Undone,
    /// In the person's own tree, and taken back.
    HereUndone,
}

const DEEDS: [Deed; 5] = [
    Deed::Night,
    Deed::WithChanges,
    Deed::KilledAndResumed,
    Deed::Undone,
    Deed::HereUndone,
];

/// A project that has everything that can be made dirty.
fn project() -> Project {
    let project = on_main();
    let write = |name: &str, text: &str| {
        let path = project.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    };
    for name in ["staged", "twice", "changed", "gone", "mode", "both"] {
        write(name, "as committed\n");
    }
    write("kept/in", "in\n");
    write("left/out", "out\n");
    write(".gitignore", "*.secret\ncache/\n");
    write(".gitattributes", "*.bin filter=lfs -text\n");
    write(
        "big.bin",
        "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n",
    );
    symlink("tracked", project.path("link")).unwrap();
    let library = project.home().join("library");
    let library = library.to_str().unwrap();
    project.git(&["init", "-q", library]);
    project.git(&["-C", library, "commit", "-q", "--allow-empty", "-m", "one"]);
    project.git(&[
        "-c",
        "protocol.file.allow=always",
        "submodule",
        "--quiet",
        "add",
        library,
        "library",
    ]);
    project.git(&["add", "-A"]);
    project.git(&["commit", "-qm", "everything"]);
    project
}

fn soil(project: &Project, dirt: Dirt) {
    let write = |name: &str, text: &str| std::fs::write(project.path(name), text).unwrap();
    match dirt {
        Dirt::Staged => {
            write("staged", "staged\n");
            project.git(&["add", "staged"]);
        }
        Dirt::StagedThenChanged => {
            write("twice", "staged\n");
            project.git(&["add", "twice"]);
            write("twice", "and changed\n");
        }
        Dirt::Unstaged => write("changed", "changed\n"),
        Dirt::Deleted => std::fs::remove_file(project.path("gone")).unwrap(),
        Dirt::Executable => {
            let mode = std::fs::Permissions::from_mode(0o755);
            std::fs::set_permissions(project.path("mode"), mode).unwrap();
        }
        Dirt::Untracked => {
            std::fs::create_dir_all(project.path("new/deep")).unwrap();
            write("new/deep/file", "untracked\n");
        }
        Dirt::Ignored => {
            std::fs::create_dir_all(project.path("cache")).unwrap();
            write("cache/x", "ignored\n");
            write("a.secret", "ignored\n");
        }
        Dirt::IntentToAdd => {
            write("intended", "later\n");
            project.git(&["add", "-N", "intended"]);
        }
        Dirt::Links => {
            std::fs::remove_file(project.path("link")).unwrap();
            symlink("/nowhere/at/all", project.path("link")).unwrap();
            symlink("new", project.path("to-a-folder")).unwrap();
        }
        Dirt::OddNames => {
            for name in [
                &b"a b\n\"c\""[..],
                b"-rf",
                b"caf\xe9",
                b":(top)x",
                b"\xf0\x9f\x92\xa5",
            ] {
                std::fs::write(project.path("").join(OsStr::from_bytes(name)), "odd").unwrap();
            }
        }
        whole => soil_all(project, whole),
    }
}

/// What concerns more than a file or two.
fn soil_all(project: &Project, dirt: Dirt) {
    let write = |name: &str, text: &str| std::fs::write(project.path(name), text).unwrap();
    match dirt {
        Dirt::Pointer => {
            // The program is not there: whoever starts it fails.
            project.git(&["config", "filter.lfs.clean", "git-lfs clean -- %f"]);
            project.git(&["config", "filter.lfs.smudge", "git-lfs smudge -- %f"]);
            write("more.bin", "a file as it is\n");
        }
        Dirt::Submodule => {
            let inner = project.path("library");
            let inner = inner.to_str().unwrap();
            project.git(&["-C", inner, "commit", "-q", "--allow-empty", "-m", "two"]);
            write("library/new", "in it\n");
        }
        Dirt::Sparse => project.git(&["sparse-checkout", "set", "--cone", "kept"]),
        Dirt::Conflict => {
            project.git(&["switch", "-q", "-c", "side"]);
            write("both", "side\n");
            project.git(&["commit", "-qam", "side"]);
            project.git(&["switch", "-q", "main"]);
            write("both", "main\n");
            project.git(&["commit", "-qam", "main"]);
            let merged = project
                .command("git")
                .args(["merge", "-q", "side"])
                .output();
            assert!(!merged.unwrap().status.success());
        }
        other => unreachable!("{other:?} is made elsewhere"),
    }
}

/// Works on what is there, makes something new, and leaves all of it uncommitted.
const AGENT: &str = "command:echo work > made.txt; echo more >> changed; echo mine > own.secret; rm -f kept/in; echo '<DONE>made</DONE>'";

fn done(project: &Project, deed: Deed, before: &Everything) {
    let everywhere = everywhere();
    let run = ["run", "Make it", "--no-pr", "--agent", &everywhere];
    match deed {
        Deed::Night => project.overnight(&run).success(),
        Deed::WithChanges => project
            .overnight(&[&run[..], &["--with-changes"]].concat())
            .success(),
        Deed::KilledAndResumed => {
            killed(project);
            assert_same(before, &everything(project), "killed");
            project
                .overnight(&["resume", "--no-pr", "--agent", &everywhere])
                .success()
        }
        Deed::Undone => {
            project.overnight(&run).success();
            project
                .overnight(&["undo", &project.only_run(), "--to", "0"])
                .success()
        }
        Deed::HereUndone => {
            project
                .overnight(&["run", "Make it", "--no-pr", "--here", "--agent", AGENT])
                .success();
            project
                .overnight(&["undo", &project.only_run(), "--to", "0"])
                .success()
        }
    };
}

/// The same, and outside of a sparse check-out too.
fn everywhere() -> String {
    AGENT.replace(
        "echo work",
        "mkdir -p left; echo work > left/new; echo work",
    )
}

/// What the agent left is on the branch, and nothing that was not there to be changed is gone from it.
fn holds_what_was_left(project: &Project) {
    let branch = project.git_out(&["for-each-ref", "--format=%(refname)", "refs/heads/auto/"]);
    let listed = ["ls-tree", "-r", "--name-only", branch.trim()];
    let listed = project.git_out(&listed);
    for path in ["made.txt", "left/new", "left/out"] {
        assert!(listed.lines().any(|line| line == path), "{path}: {listed}");
    }
    assert!(!listed.lines().any(|line| line == "kept/in"), "{listed}");
}

/// A night that is killed while its agent works.
fn killed(project: &Project) {
    let began = project.meeting("began");
    let agent = format!(
        "command:echo half > made.txt; rm -f tracked; echo x > {}; sleep 600",
        began.display()
    );
    let mut command = project.command(cargo_bin!("overnight"));
    command.args(["run", "Make it", "--no-pr", "--agent", &agent]);
    command.stdout(Stdio::null()).stderr(Stdio::null());
    let mut night = command.spawn().unwrap();
    while !began.exists() {
        std::thread::sleep(Duration::from_millis(5));
    }
    night.kill().unwrap();
    night.wait().unwrap();
}

#[test]
fn whatever_is_in_a_work_tree_a_night_a_kill_and_an_undo_leave_it_as_it_was() {
    std::thread::scope(|scope| {
        for (at, deed) in DEEDS.into_iter().enumerate() {
            scope.spawn(move || tried(at, deed));
        }
    });
}

/// Every kind of dirt comes up with each deed, mixed with others another way each time.
fn tried(at: usize, deed: Deed) {
    let config = Config {
        cases: 1,
        max_shrink_iters: 0,
        failure_persistence: None,
        ..Config::default()
    };
    // The same trees each time: a night is too long to try many.
    let seed = [u8::try_from(at).unwrap(); 32];
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &seed);
    TestRunner::new_with_rng(config, rng)
        .run(&Just(ALL.to_vec()).prop_shuffle(), |kinds| {
            for kinds in kinds.chunks(ALL.len().div_ceil(TREES)) {
                let mut kinds = kinds.to_vec();
                kinds.sort_unstable();
                left_as_it_was(&kinds, deed);
            }
            Ok(())
        })
        .unwrap();
}

fn left_as_it_was(kinds: &[Dirt], deed: Deed) {
    let project = project();
    for dirt in kinds {
        soil(&project, *dirt);
    }
    let before = everything(&project);
    let head = project.git_out(&["rev-parse", "HEAD", "main"]);
    done(&project, deed, &before);
    if !matches!(deed, Deed::Undone | Deed::HereUndone) {
        holds_what_was_left(&project);
    }
    let mut after = everything(&project);
    if deed == Deed::HereUndone {
        // The run was there to work on the index, too.
        let index = project.path(".git/index");
        after.insert(index.clone(), before[&index].clone());
        after.remove(&project.path("own.secret"));
    }
    assert_same(&before, &after, &format!("{kinds:?}, {deed:?}"));
    assert_eq!(project.git_out(&["rev-parse", "HEAD", "main"]), head);
}

fn assert_same(before: &Everything, after: &Everything, what: &str) {
    let changed: Vec<_> = before
        .keys()
        .chain(after.keys())
        .filter(|path| before.get(*path) != after.get(*path))
        .collect();
    assert!(changed.is_empty(), "{what}: {changed:?}");
}
