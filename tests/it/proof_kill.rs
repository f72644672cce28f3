//! `kill -9` of the driver at each of its git commands and of its gates' starts: the next start comes to
//! the same result, in the room that is there, and the person's tree is as it was.

use crate::night::{everything, on_main};
use crate::project::Project;
use assert_cmd::cargo::cargo_bin;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::Stdio;

/// How often the driver is killed at least.
const KILLS: usize = 50;
/// Starts of one run after which it must have ended.
const STARTS_MAX: usize = 200;

/// Counts a moment, and kills the driver at the one that is wished for.
const MOMENT: &str = r#"moment() {
  read -r count < "$M/count"; count=$((count + 1)); echo $count > "$M/count"
  read -r at < "$M/at"; read -r driver < "$M/driver"
  if [ $count = $at ]; then kill -9 $driver; fi
}
"#;

/// A person on `main`, a `git` in front of the real one, and a gate that is red.
fn project() -> (Project, PathBuf) {
    let project = on_main();
    let meeting = project.meeting("moments");
    std::fs::create_dir_all(&meeting).unwrap();
    let moment = MOMENT.replace("$M", meeting.to_str().unwrap());
    let write = |name: &str, text: String| std::fs::write(project.path(name), text).unwrap();
    write("check.sh", format!("{moment}moment\ngrep -qx two a.txt\n"));
    write("a.txt", "one\n".to_owned());
    project.git(&["add", "-A"]);
    project.git(&["commit", "-qm", "work"]);
    std::fs::write(project.path("uncommitted"), "mine\n").unwrap();
    for name in ["count", "at", "driver"] {
        std::fs::write(meeting.join(name), "0\n").unwrap();
    }
    let real = ["/usr/local/bin/git", "/usr/bin/git", "/bin/git"];
    let real = real.iter().find(|path| PathBuf::from(path).exists());
    let shim = project.home().join("bin/git");
    std::fs::create_dir_all(shim.parent().unwrap()).unwrap();
    let text = format!(
        "#!/bin/sh\n{moment}read -r driver < {0}/driver\n[ $PPID != $driver ] || moment\nexec {1} \"$@\"\n",
        meeting.display(),
        real.unwrap()
    );
    std::fs::write(&shim, text).unwrap();
    std::fs::set_permissions(&shim, std::fs::Permissions::from_mode(0o755)).unwrap();
    (project, meeting)
}

/// A start of the run that is killed at this moment; gives its status, if it came to one.
fn start(
    project: &Project,
    meeting: &std::path::Path,
    run: Option<&str>,
    at: usize,
) -> Option<i32> {
    std::fs::write(meeting.join("count"), "0\n").unwrap();
    std::fs::write(meeting.join("at"), format!("{at}\n")).unwrap();
    let mut command = project.command("/bin/sh");
    command.args([
        "-c",
        &format!("echo $$ > {}/driver; exec \"$@\"", meeting.display()),
        "sh",
    ]);
    command.arg(cargo_bin!("overnight")).arg("run");
    if let Some(run) = run {
        command.args(["--resume", run]);
    }
    // Before its driver has begun a run has no options of its own.
    command.args([
        "--gate",
        "sh check.sh",
        "--max-iterations",
        "5",
        "--agent",
        "command:cat > /dev/null; echo two > a.txt; printf '<DONE>ok</DONE>\\n'",
        "--cell=off",
        "--no-pr",
    ]);
    let status = command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .unwrap();
    status.code()
}

/// The run whose first record is whole.
fn begun(project: &Project) -> Option<String> {
    let whole = |run: &String| {
        std::fs::read_to_string(project.journal(run)).is_ok_and(|text| text.contains('\n'))
    };
    project.runs().into_iter().find(whole)
}

/// The rooms of the repository.
fn rooms(project: &Project) -> Vec<String> {
    let folder = project.home().join(".local/state/overnight/rooms");
    let keys = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let inside = keys.flat_map(|key| std::fs::read_dir(key.path()).unwrap().flatten());
    let names = inside.filter(|entry| entry.path().is_dir());
    let names = names.map(|entry| entry.file_name().into_string().unwrap());
    names
        .filter(|name| name.starts_with("proof-") && !name.contains('.'))
        .collect()
}

/// Runs to the end, killed `step` moments after each start, then one more, and so on.
fn killed_again_and_again(step: usize) -> usize {
    let (project, meeting) = project();
    let before = everything(&project);
    let mut kills = 0;
    loop {
        let run = begun(&project);
        let ended = start(&project, &meeting, run.as_deref(), step + kills);
        assert_eq!(
            everything(&project),
            before,
            "the person's tree after {kills} kills"
        );
        if let Some(status) = ended {
            assert_eq!(status, 0, "after {kills} kills from moment {step} on");
            break;
        }
        kills += 1;
        assert!(kills < STARTS_MAX, "it does not end");
    }
    let run = begun(&project).unwrap();
    let shown = project.overnight(&["status", &run, "--json"]).success();
    let json: serde_json::Value = serde_json::from_slice(&shown.get_output().stdout).unwrap();
    assert_eq!(json["night"]["tasks"][0]["standing"], "proved", "{json}");
    let text = std::fs::read_to_string(project.journal(&run)).unwrap();
    let placed = text.lines().find(|line| line.contains("\"placed\""));
    let placed: serde_json::Value = serde_json::from_str(placed.unwrap()).unwrap();
    let made = format!("{}:a.txt", placed["branch"].as_str().unwrap());
    assert_eq!(project.git_out(&["show", &made]), "two\n");
    project.overnight(&["verify", &run]).success();
    assert_eq!(rooms(&project), ["proof-0"], "each start used the room");
    let trees = project.git_out(&["worktree", "list", "--porcelain"]);
    let trees = trees.matches("worktree ").count();
    assert!(trees <= 3, "the person's, the run's, the room: {trees}");
    project.overnight(&["replay", &run]).success();
    kills
}

#[test]
fn killed_at_fifty_moments_of_proofs_it_comes_to_the_same_result_in_the_same_room() {
    let chains = std::thread::scope(|scope| {
        let chains = [1, 2].map(|step| {
            scope.spawn(move || {
                let (mut kills, mut step) = (0, step);
                while kills < KILLS / 2 {
                    kills += killed_again_and_again(step);
                    step += 7;
                }
                kills
            })
        });
        chains.map(|chain| chain.join().unwrap())
    });
    assert!(chains.iter().sum::<usize>() >= KILLS);
}
