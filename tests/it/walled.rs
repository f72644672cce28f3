//! The walls around the shells of a session in which a run is armed, as its hooks put them up and take them down.

use crate::project::Project;
use crate::shared::{Session, project};
use overnight_host::process::Identity;
use serde_json::json;
use std::collections::BTreeSet;
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;
use std::process::Output;

/// The file that is there while they stand.
fn walls(project: &Project) -> PathBuf {
    project.home().join(".local/state/overnight/cells/s1.json")
}

/// A shell of the session, as its client starts one.
fn shell(project: &Project, text: &str) -> Output {
    let mut shell = project.command(assert_cmd::cargo::cargo_bin!("output-filter"));
    shell.args(["shell", "--armed"]).arg(walls(project));
    let shell = shell.args(["--", text]).env("H", project.home());
    shell.output().unwrap()
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn walls_stand_while_a_run_is_armed_and_nobody_talks_and_nothing_is_left_of_them() {
    if !crate::cell::has_cell() {
        return;
    }
    let project = project(&[("a", &[]), ("b", &[])]);
    let session = Session::new(&project, "s1");
    let free = || {
        said(&shell(
            &project,
            "touch \"$H/mark\" && rm \"$H/mark\" && echo free",
        )) == "free\n"
    };
    assert!(free());
    session.flow();
    assert!(walls(&project).exists() && !free());
    let temporary = said(&shell(&project, "echo $TMPDIR; touch inside $TMPDIR/x"));
    let temporary = PathBuf::from(temporary.trim());
    assert!(project.path("inside").exists() && temporary.join("x").exists());
    session.prompt("what are you doing?");
    assert!(free(), "the person talks");
    session.prompt("continue");
    assert!(!free());
    assert_eq!(
        said(&shell(&project, "ls $TMPDIR/x")).trim(),
        temporary.join("x").to_str().unwrap()
    );
    session.typed("stop");
    assert!(free() && !temporary.exists());
    let left = std::fs::read_dir(walls(&project).parent().unwrap()).unwrap();
    assert_eq!(left.count(), 0);
}

#[test]
fn what_a_session_s_shells_left_running_ends_before_its_claim_is_tried() {
    if !crate::cell::has_cell() {
        return;
    }
    let project = project(&[("a", &[])]);
    let session = Session::new(&project, "s1");
    session.flow();
    // Also what clears its environment.
    let left = ["", "env -i "].map(|bare| {
        let text = format!("{bare}setsid sleep 600 > /dev/null 2>&1 & echo $!");
        let left = said(&shell(&project, &text));
        Identity::of(left.trim().parse().unwrap())
    });
    let mut persons = std::process::Command::new("sleep")
        .arg("600")
        .spawn()
        .unwrap();
    assert!(left.iter().all(|left| left.is_alive()));
    session.stop("INCOMPLETE: more is left");
    assert!(!left.iter().any(|left| left.is_alive()));
    assert!(persons.try_wait().unwrap().is_none());
    persons.kill().unwrap();
    persons.wait().unwrap();
}

/// What an agent does with git in a tree of its own: picks with a conflict, merges, deletes its branch.
const GIT: &str = r"set -e
    git switch -qc side; echo side > a; git commit -qam side
    git switch -q -; echo own > a; git commit -qam own
    ! git cherry-pick side; echo both > a; git add a; git -c core.editor=true cherry-pick --continue
    git merge -q -s ours side; git branch -D side; ! git rev-parse -q --verify CHERRY_PICK_HEAD
    ! git pack-refs --all; ! git branch -D kept; echo evil > $(git rev-parse --git-common-dir)/made || true
    git log --format=%s kept; echo '<DONE>made</DONE>'";

#[test]
fn what_git_begins_in_a_tree_of_ours_it_ends_and_nobody_s_branches_are_packed_there() {
    if !crate::cell::has_cell() || !crate::cell::has_namespaces() {
        return;
    }
    let project = Project::new();
    project.git(&["switch", "-q", "-c", "main"]);
    std::fs::write(project.path("a"), "1\n").unwrap();
    project.git(&["add", "-A"]);
    project.git(&["commit", "-qm", "a"]);
    project.git(&["branch", "kept"]);
    project.git(&["pack-refs", "--all"]);
    project.git(&["branch", "loose"]);
    let branches = [
        "for-each-ref",
        "refs/heads/kept",
        "refs/heads/loose",
        "refs/heads/main",
    ];
    let before = project.git_out(&branches);
    let files = || -> BTreeSet<String> {
        let entries = std::fs::read_dir(project.path(".git")).unwrap().flatten();
        entries
            .map(|entry| entry.file_name().into_string().unwrap())
            .collect()
    };
    let known = files();
    let agent = format!("command:{GIT}");
    let run = [
        "run",
        "do it",
        "--no-pr",
        "--cell=on",
        "--max-iterations=1",
        "--agent",
        &agent,
        "--gate",
        "true",
    ];
    project.overnight(&run);
    let log = project.path(&format!("agent_logs/{}/1.jsonl", project.only_run()));
    let told = std::fs::read_to_string(&log).unwrap();
    let errors = std::fs::read_to_string(log.with_extension("stderr")).unwrap();
    assert!(told.contains("<DONE>"), "{told} {errors}");
    assert!(!errors.contains("packed-refs.lock"), "{errors}");
    assert_eq!(project.git_out(&branches), before);
    let made: Vec<String> = files().difference(&known).cloned().collect();
    assert!(
        made.iter()
            .all(|name| ["overnight", "worktrees"].contains(&&**name)),
        "{made:?}"
    );
}

#[test]
fn a_person_is_told_where_shells_live_in_no_cell() {
    if !crate::cell::has_cell() {
        return;
    }
    let project = project(&[("a", &[])]);
    let session = Session::new(&project, "s1");
    session.flow();
    // A call that no guard of ours led anywhere: the client began before there was one.
    let event = json!({"hook_event_name": "PostToolUse", "tool_name": "Bash", "tool_use_id": "t",
        "tool_input": {"command": "ls"}, "tool_response": {"stdout": "x", "stderr": "", "interrupted": false}});
    session.call("output-filter", &["hook"], event);
    let told = session.stop("INCOMPLETE: more is left").to_string();
    assert!(told.contains("live in no cell"), "{told}");
}

#[test]
fn a_cell_that_cannot_be_had_is_said_or_refused() {
    let project = project(&[("a", &[])]);
    let none = [("OVERNIGHT_LANDLOCK", "0")];
    let session = Session::new(&project, "s1").with(&none);
    let told = session.typed("do the list --autonomous").to_string();
    assert!(
        told.contains("live in no cell") && !walls(&project).exists(),
        "{told}"
    );
    let refused = session
        .typed("do the list --autonomous --cell on")
        .to_string();
    assert!(refused.contains("no Landlock"), "{refused}");
}

/// A driver starts members and git beside the gates of its queue: with a gate's limits, if only for a moment, they
/// would be taken for what the gate left running.
#[test]
#[cfg(target_os = "linux")]
fn a_gates_limits_are_never_those_of_the_driver() {
    let project = Project::new();
    let gates: Vec<String> = (0..12)
        .map(|one| format!("--gate=test {one} -lt 99"))
        .collect();
    let mut command = project.command(assert_cmd::cargo::cargo_bin!("overnight"));
    command.args(["run", "do it", "--here", "--no-pr", "--max-iterations=1"]);
    command.arg("--agent=command:echo x > made.txt; echo '<DONE>made</DONE>'");
    let mut driver = command.args(gates).spawn().unwrap();
    let limits = format!("/proc/{}/limits", driver.id());
    let file = || {
        let text = std::fs::read_to_string(&limits).unwrap_or_default();
        text.lines()
            .find(|line| line.starts_with("Max file size"))
            .map(str::to_owned)
    };
    let mut seen = BTreeSet::new();
    while driver.try_wait().unwrap().is_none() {
        seen.extend(file());
    }
    assert_eq!(seen.len(), 1, "{seen:?}");
}

/// A gate's shell waits for its limits: nothing of that is to be seen by its line.
#[test]
fn a_gate_has_its_limits_from_its_first_word_on_and_is_otherwise_as_without_a_cell() {
    if !crate::cell::has_cell() {
        return;
    }
    let project = Project::new();
    let gates = [
        "test \"$(ulimit -f)\" != unlimited",
        "! read -r line && test -z \"$line\"",
        "# nothing\ngrep -q two <<END\none\ntwo\nEND",
        "test \"$0\" = /bin/sh && test $# = 0 || exit 3; true & wait",
    ];
    let mut command = project.command(assert_cmd::cargo::cargo_bin!("overnight"));
    command.args(["run", "do it", "--no-pr", "--cell=on", "--max-iterations=1"]);
    command.arg("--agent=command:echo x > made.txt; echo '<DONE>made</DONE>'");
    command.args(gates.map(|gate| format!("--gate={gate}")));
    assert_cmd::Command::from_std(command).assert().success();
}

/// What was opened before the walls stood would lead to the mounts behind them.
#[test]
fn no_descriptor_of_a_shell_or_of_who_reads_its_output_leads_behind_its_walls() {
    if !crate::cell::has_cell() {
        return;
    }
    let project = project(&[("a", &[])]);
    let session = Session::new(&project, "s1");
    session.flow();
    let look = r#"one=$$
        while [ "$one" -gt 1 ]; do
            for open in /proc/$one/fd/*; do [ ! -d "$open/" ] || echo "$one: $(readlink "$open")"; done
            one=$(sed 's/.*) . //; s/ .*//' "/proc/$one/stat")
        done; echo looked"#;
    std::fs::write(project.path("look.sh"), look).unwrap();
    // Straight, and by the one that reads the output of what is typed.
    let straight = shell(&project, "sh look.sh");
    let mut typed = project.command(assert_cmd::cargo::cargo_bin!("output-filter"));
    typed.args(["shell", "--armed"]).arg(walls(&project));
    typed.env("OVERNIGHT_FILTER_STRING", "sh look.sh");
    for output in [straight, typed.output().unwrap()] {
        assert_eq!(said(&output), "looked\n", "{output:?}");
    }
}

/// What is mounted over a file leaves it where it was; on the disk it has a number.
#[test]
fn a_file_of_the_system_that_is_covered_is_not_opened_by_its_number() {
    if !crate::cell::has_cell() || !crate::cell::has_namespaces() {
        return;
    }
    let project = project(&[("a", &[])]);
    Session::new(&project, "s1").flow();
    let numbered = std::fs::metadata("/etc/shadow").unwrap().ino();
    let look = format!(
        r#"import ctypes, os, struct
handle = ctypes.create_string_buffer(struct.pack("IiII", 8, 1, {numbered} & 0xFFFFFFFF, 0))
opened = ctypes.CDLL(None).open_by_handle_at(os.open("/etc", os.O_RDONLY), handle, os.O_RDONLY)
print("opened" if opened >= 0 else "closed")
print("read" if os.access("/etc/shadow", os.R_OK) and open("/etc/shadow").read() else "empty")"#
    );
    std::fs::write(project.path("look.py"), look).unwrap();
    assert_eq!(said(&shell(&project, "python3 look.py")), "closed\nempty\n");
}
