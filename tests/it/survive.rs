//! A night that comes back: the units that look after it, installed and taken away, and what a look does.

use crate::night::on_main;
use crate::project::Project;
use crate::support;
use overnight_run::survive::Job;
use predicates::str::contains;
use serde_json::{Value, json};
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::Command;
use std::time::{Duration, Instant};

/// A service manager that writes down what it is asked, an inhibitor that says how long it held.
fn manager(project: &Project, answers: bool) {
    let bin = project.home().join("bin");
    std::fs::create_dir_all(&bin).unwrap();
    let asked = project.home().join("asked");
    let status = if answers { "exit 0" } else { "exit 1" };
    let write = |name: &str, text: &str| {
        std::fs::write(bin.join(name), format!("#!/bin/sh\n{text}\n")).unwrap();
        std::fs::set_permissions(bin.join(name), std::fs::Permissions::from_mode(0o755)).unwrap();
    };
    for name in ["systemctl", "launchctl"] {
        write(
            name,
            &format!("echo \"{name} $*\" >> {}; {status}", asked.display()),
        );
    }
    let held = format!(
        "echo \"$0 $*\" >> {0}.awake; cat; echo over >> {0}.awake",
        asked.display()
    );
    write("systemd-inhibit", &held);
    write("caffeinate", &held);
}

fn asked(project: &Project, name: &str) -> String {
    std::fs::read_to_string(project.home().join(name)).unwrap_or_default()
}

fn units(project: &Project) -> Vec<PathBuf> {
    let folder = if cfg!(target_os = "macos") {
        "Library/LaunchAgents"
    } else {
        ".config/systemd/user"
    };
    let entries = std::fs::read_dir(project.home().join(folder))
        .into_iter()
        .flatten()
        .flatten();
    let mut units: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    units.sort();
    units
}

fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let began = Instant::now();
    while !holds() {
        assert!(
            began.elapsed() < Duration::from_secs(30),
            "{what} does not come"
        );
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// An agent whose first attempt does not end.
fn agent(project: &Project) -> String {
    let began = project.meeting("began");
    format!(
        "command:echo $OVERNIGHT_ATTEMPT >> {}; [ $OVERNIGHT_ATTEMPT -gt 1 ] || sleep 600; echo x > made; echo '<DONE>ok</DONE>'",
        began.display()
    )
}

/// The driver of the only run.
fn driver(project: &Project) -> u32 {
    let records = project.records("driver_started");
    u32::try_from(records.last().unwrap()["pid"].as_u64().unwrap()).unwrap()
}

fn kill(project: &Project, pid: u32) {
    project
        .command("kill")
        .args(["-9", &pid.to_string()])
        .status()
        .unwrap();
}

#[test]
fn a_night_that_was_killed_comes_back_at_the_next_look_and_its_units_go_with_it() {
    let project = on_main();
    manager(&project, true);
    let agent = agent(&project);
    let run = [
        "run",
        "Make it",
        "--detach",
        "--survive",
        "--no-pr",
        "--agent",
        &agent,
    ];
    project
        .overnight(&run)
        .success()
        .stderr(contains("comes back after a kill"));
    let run = project.only_run();
    let written = units(&project);
    assert!(
        written
            .iter()
            .all(|path| path.to_string_lossy().contains(&run)),
        "{written:?}"
    );
    verified(&project, &written);
    let began = project.meeting("began");
    until("the agent", || began.exists());
    until("the inhibitor", || {
        asked(&project, "asked.awake").contains(&run) || cfg!(target_os = "macos")
    });
    let looks = |said: &str| {
        project
            .overnight(&["keep", &run, "--no-pr"])
            .success()
            .stdout(contains(said.to_owned()));
    };
    looks("is at work");
    let pid = driver(&project);
    kill(&project, pid);
    until("its return", || {
        let look = project.overnight(&["keep", &run, "--no-pr"]).success();
        String::from_utf8_lossy(&look.get_output().stdout).contains("it goes on")
    });
    until("the end", || !project.records("finished").is_empty());
    until("the units' end", || units(&project).is_empty());
    assert_eq!(project.records("driver_started").len(), 2);
    assert_eq!(project.records("finished")[0]["reason"], "all_done");
    let said = asked(&project, "asked");
    if !cfg!(target_os = "macos") {
        assert!(
            said.contains(&format!("enable --now overnight-{run}.timer")),
            "{said}"
        );
        assert!(
            said.contains(&format!("disable --now overnight-{run}.timer")),
            "{said}"
        );
    }
    looks("is over");
}

/// The written units, by the parser of who reads them.
fn verified(project: &Project, written: &[PathBuf]) {
    let mut check = if cfg!(target_os = "macos") {
        let mut plutil = Command::new("plutil");
        plutil.arg("-lint");
        plutil
    } else {
        let mut analyze = Command::new("systemd-analyze");
        analyze.args(["verify", "--user", "--man=no"]);
        analyze.env("XDG_RUNTIME_DIR", project.home());
        analyze.env("HOME", project.home());
        analyze
    };
    match check.args(written).output() {
        Ok(done) => {
            // A key that is not known is told of, and passed over.
            let said = String::from_utf8_lossy(&done.stderr).into_owned();
            assert!(
                done.status.success() && !said.contains("overnight-"),
                "{said}"
            );
        }
        Err(error) => support::skip(format!("units are not verified: {error}")),
    }
}

#[test]
fn an_agent_of_launchd_holds_odd_names_as_they_are() {
    let folder = tempfile::tempdir().unwrap();
    let command = ["/a b/<o>&/overnight", "keep", "x"].map(str::to_owned);
    let environment = [("PATH".to_owned(), "/bin:/a & b".to_owned())];
    let job = Job {
        run: "x",
        command: &command,
        folder: "/p/\"it's\"",
        environment: &environment,
    };
    let path = folder.path().join("x.plist");
    std::fs::write(&path, job.plist()).unwrap();
    let script =
        "import plistlib,json,sys; print(json.dumps(plistlib.load(open(sys.argv[1],'rb'))))";
    let read = Command::new("python3")
        .args(["-c", script])
        .arg(&path)
        .output();
    let Ok(read) = read else {
        return support::skip("there is no python3");
    };
    let read: Value = serde_json::from_slice(&read.stdout).unwrap();
    assert_eq!(read["Label"], "overnight-x");
    assert_eq!(read["ProgramArguments"], json!(command));
    assert_eq!(read["WorkingDirectory"], "/p/\"it's\"");
    assert_eq!(read["EnvironmentVariables"]["PATH"], "/bin:/a & b");
    assert_eq!(read["StartInterval"], 300);
    assert_eq!(
        (&read["RunAtLoad"], &read["AbandonProcessGroup"]),
        (&json!(true), &json!(true))
    );
}

#[test]
fn a_stopped_night_does_not_come_back() {
    let project = on_main();
    manager(&project, true);
    let agent = agent(&project);
    let run = [
        "run",
        "Make it",
        "--detach",
        "--survive",
        "--no-pr",
        "--agent",
        &agent,
    ];
    project.overnight(&run).success();
    let run = project.only_run();
    let began = project.meeting("began");
    until("the agent", || began.exists());
    project.overnight(&["stop"]).success();
    assert_eq!(units(&project), Vec::<PathBuf>::new());
    project
        .overnight(&["keep", &run])
        .success()
        .stdout(contains("is over"));
    assert_eq!(project.records("driver_started").len(), 1);
}

#[test]
fn without_a_service_manager_one_line_says_so() {
    let project = on_main();
    manager(&project, false);
    let agent = "command:echo x > made; echo '<DONE>ok</DONE>'";
    let run = [
        "run",
        "Make it",
        "--detach",
        "--survive",
        "--no-pr",
        "--agent",
        agent,
    ];
    project
        .overnight(&run)
        .success()
        .stderr(contains("no service manager of yours answers"));
    assert_eq!(units(&project), Vec::<PathBuf>::new());
    until("the end", || !project.records("finished").is_empty());
    project
        .overnight(&["run", "Make it", "--survive", "--agent", agent])
        .code(64)
        .stderr(contains("--detach"));
}

#[test]
fn a_driver_of_which_nothing_is_heard_is_told_of() {
    let project = on_main();
    manager(&project, true);
    let told = project.home().join("told");
    project.person(&format!(
        "[notify]\ncommand = [\"sh\", \"-c\", \"cat >> {}\"]\n",
        told.display()
    ));
    let agent = agent(&project);
    let run = [
        "run",
        "Make it",
        "--detach",
        "--survive",
        "--no-pr",
        "--agent",
        &agent,
    ];
    project.overnight(&run).success();
    let run = project.only_run();
    let began = project.meeting("began");
    until("the agent", || began.exists());
    // Everything that was written of it is years old, once its driver has settled down to wait.
    let folders = [
        project.path(&format!(".git/overnight/runs/{run}")),
        project.path(&format!("agent_logs/{run}")),
    ];
    let quiet = || {
        let mut touch = project.command("find");
        touch.args(&folders).args(["-type", "f"]);
        touch.args(["-exec", "touch", "-d", "2020-01-01", "{}", "+"]);
        assert!(touch.status().unwrap().success());
        let look = project.overnight(&["keep", &run]).success();
        String::from_utf8_lossy(&look.get_output().stdout).contains("nothing is heard")
    };
    until("silence", quiet);
    until("silence", quiet);
    until("the notice", || told.exists());
    let text = std::fs::read_to_string(&told).unwrap();
    assert_eq!(
        text.matches("nothing was heard of it for an hour").count(),
        1,
        "{text}"
    );
    project.overnight(&["stop"]).success();
}
