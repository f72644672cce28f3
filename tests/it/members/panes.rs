//! A run with members in tmux, and where there is none.

use super::project;
use super::seen::{PATIENT, let_go, three, two_at_work, until};
use crate::project::Project;
use crate::tmux::Tmux;
use assert_cmd::cargo::cargo_bin;
use std::path::Path;
use std::process::{Command, Stdio};

/// The tmux of the program itself: a server of its own, in the project's folder.
struct Server<'a>(&'a Project);

impl Server<'_> {
    fn command(&self) -> Command {
        let mut command = self.0.command("tmux");
        command.env("TMUX_TMPDIR", self.0.path("../home"));
        command
    }

    fn ask(&self, words: &[&str]) -> String {
        let output = self.command().args(words).output();
        output.map_or(String::new(), |output| {
            String::from_utf8_lossy(&output.stdout).into_owned()
        })
    }

    /// What stands in each pane of the session.
    fn screens(&self, session: &str) -> Vec<String> {
        let listed = self.ask(&["list-panes", "-s", "-t", session, "-F", "#{pane_id}"]);
        let panes = listed.lines();
        panes
            .map(|pane| self.ask(&["capture-pane", "-p", "-t", pane]))
            .collect()
    }
}

impl Drop for Server<'_> {
    fn drop(&mut self) {
        self.ask(&["kill-server"]);
    }
}

fn has_tmux() -> bool {
    let found = Command::new("tmux").arg("-V").output();
    if let Err(error) = &found {
        crate::support::skip(format!("tmux cannot be started: {error}"));
    }
    found.is_ok()
}

#[test]
fn with_tmux_each_member_has_a_pane_and_the_status_has_one() {
    if !has_tmux() {
        return;
    }
    let project = three();
    let server = Server(&project);
    let mut run = project.command(cargo_bin!("overnight"));
    run.args(["run", "--members", "2", "--tmux", "--agent", PATIENT])
        .env("TMUX_TMPDIR", project.path("../home"))
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    let driver = run.spawn().unwrap();
    two_at_work(&project);
    let session = format!("overnight-{}", project.only_run());
    let screens = until("three panes with all that belongs there", || {
        let screens = server.screens(&session);
        let of = |what: &[&str]| {
            let has = |screen: &&String| what.iter().all(|text| screen.contains(text));
            screens.iter().filter(has).count()
        };
        let whole = of(&["3 working", "member 1", "member 2"]) == 1
            && of(&["1 working", "iteration 1 on a"]) == 1
            && of(&["1 working", "iteration 1 on b"]) == 1;
        whole.then_some(screens)
    });
    assert_eq!(screens.len(), 3);
    let_go(&project, driver);
    // Nobody looked at them: they are gone with the run.
    assert_eq!(server.ask(&["has-session", "-t", &session]), "");
    assert!(server.screens(&session).is_empty());
    assert_eq!(project.left_over(), Vec::<u32>::new());
}

#[test]
fn at_a_terminal_the_panes_are_shown_and_left_with_the_keys_of_tmux() {
    let project = three();
    let overnight = cargo_bin!("overnight").display().to_string();
    let script = format!(
        "unset TMUX; TMUX_TMPDIR=$HOME '{overnight}' run --members 2 --tmux --no-pr --agent \"$(cat $HOME/agent)\"; echo over $?; sleep 60"
    );
    std::fs::write(project.path("../home/agent"), PATIENT).unwrap();
    let Some(terminal) = Tmux::start(&project, &script) else {
        return;
    };
    let _server = Server(&project);
    terminal.wait("members side by side", |screen| {
        screen.contains("iteration 1 on a") && screen.contains("iteration 1 on b")
    });
    std::fs::write(project.path("../home/.cache/go"), "").unwrap();
    terminal.wait("the end of the run", |screen| screen.contains("1 ended"));
    terminal.press("C-b");
    terminal.press("d");
    terminal.wait("the run's own words", |screen| {
        screen.contains("completed") && screen.contains("over 0")
    });
}

#[test]
fn without_tmux_the_run_says_so_and_works_the_same() {
    let project = project(&[("a", &[])]);
    let mut run = project.command(cargo_bin!("overnight"));
    // git is needed, and nothing else.
    let bin = project.path("../home/few");
    std::fs::create_dir(&bin).unwrap();
    for name in ["git", "sh", "mkdir", "test"] {
        let folders =
            ["/usr/local/bin", "/usr/bin", "/bin"].map(|folder| Path::new(folder).join(name));
        if let Some(found) = folders.iter().find(|path| path.exists()) {
            std::os::unix::fs::symlink(found, bin.join(name)).unwrap();
        }
    }
    let agent = "command:mkdir -p out; echo x > out/$OVERNIGHT_TASK; echo '<DONE>ok</DONE>'";
    let output = run
        .args(["run", "--members", "1", "--tmux", "--agent", agent])
        .env("PATH", &bin)
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains("no panes: tmux is not on the PATH"), "{said}");
    assert_eq!(output.status.code(), Some(0), "{said}");
}
