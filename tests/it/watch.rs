//! `overnight watch` in a terminal, and where there is none.

use crate::project::Project;
use crate::tmux::Tmux;
use assert_cmd::cargo::cargo_bin;
use predicates::prelude::PredicateBooleanExt;
use predicates::str::contains;

/// Works until a file appears, then says that it is done; ends too when its folder goes, so that
/// nothing is left behind where the driver was killed.
const PATIENT: &str = "command:echo on > here; while [ -e here ] && [ ! -e go ]; do sleep 0.05; done; echo '<DONE>ok</DONE>'";
/// Would set the title and the clipboard, clear the screen and turn the writing direction.
const HOSTILE: &str =
    "# \u{1b}]0;owned\u{7}\u{1b}]52;c;b3duZWQ=\u{7}\u{1b}[2J\u{9b}31m\u{202e}目標 <b>\n";

/// Runs the view, then says with which status it ended.
fn script(before: &str) -> String {
    let overnight = cargo_bin!("overnight").display().to_string();
    format!("{before} '{overnight}' watch; echo over $?; sleep 60")
}

#[test]
fn a_run_is_watched_through_keys_and_sizes_to_its_end() {
    let project = Project::new();
    std::fs::write(project.path("AGENT_PROMPT.md"), HOSTILE).unwrap();
    let mut run = project.start(&["--agent", PATIENT]);
    project.wait_for("here");
    let Some(terminal) = Tmux::start(&project, &script("")) else {
        run.kill().unwrap();
        run.wait().unwrap();
        return;
    };
    let screen = terminal.wait("run at work", |screen| {
        screen.contains("1 working") && screen.contains("iteration 1 on")
    });
    assert!(screen.contains("目標 <b>"), "{screen}");
    assert_eq!(terminal.tell("#{alternate_on}"), "1");
    assert_ne!(terminal.tell("#{pane_title}"), "owned");
    assert_eq!(terminal.clipboard(), "");
    for key in ["/", "t", "a", "k", "e", "s", "Enter"] {
        terminal.press(key);
    }
    terminal.wait("searched events", |screen| {
        screen.contains("takes over") && !screen.contains("the run begins")
    });
    terminal.press("Escape");
    terminal.press("Down");
    terminal.press("PageUp");
    terminal.wait("held events", |screen| screen.contains("held"));
    terminal.press("f");
    terminal.wait("newest events", |screen| screen.contains("following"));
    terminal.resize(20, 5);
    let small = terminal.wait("small screen", |screen| {
        screen
            .lines()
            .next()
            .is_some_and(|line| line.starts_with("overnight: 1 workin"))
    });
    assert!(small.contains("> working"), "{small}");
    terminal.resize(80, 24);
    terminal.wait("large screen", |screen| screen.contains("following"));
    std::fs::write(project.path("go"), "").unwrap();
    terminal.wait("end of the run", |screen| {
        screen.contains("1 ended") && screen.contains("every task is")
    });
    terminal.press("q");
    terminal.wait("end of the view", |screen| screen.contains("over 0"));
    assert_eq!(terminal.tell("#{alternate_on} #{cursor_flag}"), "0 1");
    run.wait().unwrap();
}

#[test]
fn a_signal_gives_the_terminal_back() {
    let project = Project::new();
    project
        .run(&["--agent", "command:echo '<DONE>ok</DONE>'"])
        .success();
    let Some(terminal) = Tmux::start(&project, &script("NO_COLOR=1")) else {
        return;
    };
    terminal.wait("view", |screen| screen.contains("1 ended"));
    let killed = project
        .command("kill")
        .args(["-TERM", &terminal.child()])
        .status()
        .unwrap();
    assert!(killed.success());
    terminal.wait("end of the view", |screen| screen.contains("over 143"));
    assert_eq!(terminal.tell("#{alternate_on}"), "0");
}

#[test]
fn a_view_ends_with_its_terminal() {
    let project = Project::new();
    project
        .run(&["--agent", "command:echo '<DONE>ok</DONE>'"])
        .success();
    let overnight = cargo_bin!("overnight").display().to_string();
    // The shell outlives its terminal to say how the view ended.
    let script = format!("trap '' HUP; '{overnight}' watch; echo $? > over");
    let Some(terminal) = Tmux::start(&project, &script) else {
        return;
    };
    terminal.wait("view", |screen| screen.contains("1 ended"));
    drop(terminal);
    project.wait_for("over");
    let status = std::fs::read_to_string(project.path("over")).unwrap();
    assert!(["0\n", "129\n"].contains(&status.as_str()), "{status}");
}

#[test]
fn a_terminal_that_cannot_move_its_cursor_gets_lines() {
    let project = Project::new();
    project
        .run(&["--agent", "command:echo '<DONE>ok</DONE>'"])
        .success();
    let Some(terminal) = Tmux::start(&project, &script("TERM=dumb")) else {
        return;
    };
    terminal.wait("lines", |screen| {
        screen.contains("the run ends: completed") && screen.contains("over 0")
    });
    assert_eq!(terminal.tell("#{alternate_on}"), "0");
}

#[test]
fn without_a_terminal_lines_are_appended_until_no_run_is_under_way() {
    let project = Project::new();
    project
        .overnight(&["watch"])
        .code(66)
        .stderr(contains("E3006"));
    project
        .run(&["--agent", "command:date +%N > w", "--max-iterations", "2"])
        .code(1);
    let run = project.only_run();
    project.overnight(&["watch", "--plain"]).success().stdout(
        contains(format!("{run}: iteration 2 on"))
            .and(contains("judged incomplete"))
            .and(contains(
                "the run ends: stopped: the iterations are used up",
            ))
            .and(contains(format!("{run}: ended"))),
    );
}

#[test]
fn a_killed_run_is_dead_and_one_of_a_newer_version_says_so() {
    let project = Project::new();
    let mut child = project.start(&["--agent", PATIENT]);
    project.wait_for("here");
    project.signal(&child, "KILL");
    child.wait().unwrap();
    std::fs::write(project.path("go"), "").unwrap();
    project
        .overnight(&["watch"])
        .success()
        .stdout(contains(": dead: the driver died"));
    let journal = project.journal(&project.only_run());
    let line = r#"{"v":2,"seq":1,"t":1,"mono":1,"boot":"b","event":"dreamed"}"#;
    let crc = crc32c::crc32c(line.as_bytes());
    let body = line.strip_suffix('}').unwrap();
    std::fs::write(&journal, format!("{body},\"crc\":\"{crc:08x}\"}}\n")).unwrap();
    project
        .overnight(&["watch"])
        .success()
        .stdout(contains("E3004"));
}
