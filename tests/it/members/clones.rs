//! Two drivers in two clones share one list over a remote while their members are killed.

use super::list;
use crate::project::Project;
use assert_cmd::cargo::cargo_bin;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Tasks of the list.
const TASKS: usize = 12;
/// Members and agents killed at most: not so many that the last task, which every kill would hit
/// then, is blocked, as it should be.
const KILLS_MAX: usize = 6;
/// Pause between two kills.
const PAUSE: Duration = Duration::from_millis(150);

/// Each task works for some 100 ms in two halves, so that a kill finds something half done. The three that need no
/// other wait for each other: a driver has two members, so that both drivers work.
const AGENT: &str = "command:mkdir -p out; for dep in $(cat needs/$OVERNIGHT_TASK); do test -s out/$dep || exit 9; done; \
    cd $HOME/.cache; touch $OVERNIGHT_TASK; case $OVERNIGHT_TASK in t00|t01|t02) \
    for i in $(seq 100); do test -e t00 -a -e t01 -a -e t02 && break; sleep 0.1; done;; esac; cd - > /dev/null; \
    echo begun > out/$OVERNIGHT_TASK.half; sleep 0.1; echo done > out/$OVERNIGHT_TASK; echo '<DONE>ok</DONE>'";

struct Clones {
    project: Project,
    folders: [PathBuf; 2],
    remote: PathBuf,
}

/// A remote with the list on `auto/test`, and two clones of it.
fn clones() -> Clones {
    let project = Project::new();
    let ids: Vec<String> = (0..TASKS).map(|at| format!("t{at:02}")).collect();
    // A binary tree of dependencies, with a second edge to the side.
    let needs = |at: usize| -> Vec<&str> {
        let side = (at >= 8 && at.is_multiple_of(3)).then(|| ids[at - 2].as_str());
        let up = (at >= 3).then(|| ids[(at - 1) / 2].as_str());
        up.into_iter().chain(side).collect()
    };
    let all: Vec<Vec<&str>> = (0..TASKS).map(needs).collect();
    let tasks: Vec<(&str, &[&str])> = ids
        .iter()
        .zip(&all)
        .map(|(id, needs)| (id.as_str(), needs.as_slice()))
        .collect();
    std::fs::write(project.path("tasks.json"), list(&tasks)).unwrap();
    std::fs::create_dir(project.path("needs")).unwrap();
    for (id, needs) in &tasks {
        std::fs::write(project.path(&format!("needs/{id}")), needs.join("\n")).unwrap();
    }
    project.git(&["add", "-A"]);
    project.git(&["commit", "-q", "-m", "the list"]);
    let (remote, other) = (project.path("../remote.git"), project.path("../other"));
    let (remote_name, other_name) = (remote.to_str().unwrap(), other.to_str().unwrap());
    project.git(&["clone", "-q", "--bare", ".", remote_name]);
    project.git(&["remote", "add", "origin", remote_name]);
    project.git(&["clone", "-q", remote_name, other_name]);
    let folders = [project.path(""), other];
    for folder in &folders {
        project
            .overnight_in(folder, &["trust", "tasks.json"])
            .success();
    }
    Clones {
        project,
        folders,
        remote,
    }
}

fn run_of(folder: &Path) -> String {
    let runs = std::fs::read_dir(folder.join(".git/overnight/runs")).unwrap();
    runs.map(|run| run.unwrap().file_name().into_string().unwrap())
        .next()
        .unwrap()
}

impl Clones {
    fn start(&self, folder: &Path) -> Child {
        let mut command = self.project.command(cargo_bin!("overnight"));
        let log = std::fs::File::create(folder.with_extension("log")).unwrap();
        command
            .args(["run", "--members", "2", "--no-pr", "--agent", AGENT])
            .current_dir(folder)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(log);
        command.spawn().unwrap()
    }

    fn git(&self, folder: &Path, arguments: &[&str]) -> String {
        let output = self
            .project
            .command("git")
            .args(arguments)
            .current_dir(folder)
            .output();
        let output = output.unwrap();
        assert!(output.status.success(), "git {arguments:?}: {output:?}");
        String::from_utf8(output.stdout).unwrap()
    }

    /// Members' processes of these clones, and their agents.
    fn members(&self) -> Vec<u32> {
        let home = self.project.path("../home").canonicalize().unwrap();
        let mark = format!("HOME={}", home.display());
        let processes = std::fs::read_dir("/proc").unwrap().flatten();
        let pids = processes.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
        pids.filter(|pid| {
            let read =
                |name: &str| std::fs::read(format!("/proc/{pid}/{name}")).unwrap_or_default();
            let environ = read("environ");
            let has = |start: &[u8]| {
                let mut variables = environ.split(|byte| *byte == 0);
                variables.any(|variable| variable.starts_with(start))
            };
            let ours = has(mark.as_bytes());
            let command = read("cmdline");
            let mut words = command.split(|byte| *byte == 0);
            let is_member = words.clone().nth(1) == Some(b"member");
            let is_agent = words.next() == Some(b"/bin/sh") && has(b"OVERNIGHT_RUN=");
            ours && (is_member || is_agent)
        })
        .collect()
    }

    /// Kills one member or agent after the other until it is over; gives how many.
    fn kill_until(&self, over: &AtomicBool) -> usize {
        let mut killed = 0;
        while !over.load(Ordering::SeqCst) && killed < KILLS_MAX {
            std::thread::sleep(PAUSE);
            let found = self.members();
            let Some(pid) = found.get(killed * 7919 % found.len().max(1)) else {
                continue;
            };
            let mut kill = self.project.command("kill");
            kill.args(["-9", &pid.to_string()]).stderr(Stdio::null());
            killed += usize::from(kill.status().unwrap().success());
        }
        killed
    }

    /// The remote's line holds each task once.
    fn assert_line(&self) {
        let format = "--format=%(trailers:key=Overnight-Task,valueonly)";
        let line = self.git(
            &self.remote,
            &["log", "--first-parent", format, "auto/test"],
        );
        let merged: Vec<&str> = line.split_whitespace().step_by(2).collect();
        let once: BTreeSet<&str> = merged.iter().copied().collect();
        assert_eq!((merged.len(), once.len()), (TASKS, TASKS), "{merged:?}");
    }

    /// A clone ends with everything and nothing beside it; gives how many tasks its driver did.
    fn assert_clone(&self, folder: &Path) -> usize {
        for at in 0..TASKS {
            let text = std::fs::read_to_string(folder.join(format!("out/t{at:02}")));
            assert_eq!(text.unwrap(), "done\n");
        }
        let run = run_of(folder);
        let pattern = format!("refs/heads/auto/{run}/");
        let branches = self.git(folder, &["for-each-ref", "--format=%(refname)", &pattern]);
        assert_eq!(branches, "", "what has landed leaves no branch");
        self.project
            .overnight_in(folder, &["replay", &run])
            .success();
        assert_eq!(
            self.git(folder, &["for-each-ref", "refs/overnight/lost/"]),
            ""
        );
        let status = self.git(folder, &["status", "--porcelain"]);
        assert_eq!(status, " M tasks.json\n?? progress/\n");
        let journal = format!(".git/overnight/runs/{run}/journal.jsonl");
        let journal = std::fs::read_to_string(folder.join(journal)).unwrap();
        journal.matches(r#""answer":{"merged":"#).count()
    }
}

#[test]
fn two_drivers_finish_one_list_while_their_members_are_killed() {
    let clones = clones();
    let mut drivers = [0, 1].map(|at| clones.start(&clones.folders[at]));
    let over = AtomicBool::new(false);
    let killed = std::thread::scope(|scope| {
        let killer = scope.spawn(|| clones.kill_until(&over));
        let statuses = drivers
            .each_mut()
            .map(|driver| driver.wait().unwrap().code());
        over.store(true, Ordering::SeqCst);
        let log = |folder: &PathBuf| std::fs::read_to_string(folder.with_extension("log")).unwrap();
        let logs = clones.folders.each_ref().map(log).join("\n---\n");
        assert_eq!(statuses, [Some(0), Some(0)], "{logs}");
        killer.join().unwrap()
    });
    assert!(killed >= 5, "only {killed} were killed: that shows nothing");
    clones.assert_line();
    let done = clones
        .folders
        .each_ref()
        .map(|folder| clones.assert_clone(folder));
    assert!(done.iter().all(|count| *count > 0), "both worked: {done:?}");
    assert_eq!(clones.members(), Vec::<u32>::new());
}
