use super::*;

#[test]
fn the_command_dies_by_its_signal_and_gets_ours() {
    let folder = project();
    assert_eq!(
        wrapped(folder.path(), "kill -KILL $$").status.signal(),
        Some(9)
    );
    let mut child = filter()
        .current_dir(folder.path())
        .args([
            "--",
            "sh",
            "-c",
            "trap 'echo got; exit 5' TERM; echo ready; while :; do sleep 0.05; done",
        ])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap());
    let mut ready = String::new();
    lines.read_line(&mut ready).unwrap();
    assert_eq!(ready, "ready\n", "the first line comes at once");
    rustix::process::kill_process(Pid::from_child(&child), Signal::TERM).unwrap();
    let mut rest = String::new();
    lines.read_to_string(&mut rest).unwrap();
    assert_eq!(
        (rest.as_str(), child.wait().unwrap().code()),
        ("got\n", Some(5))
    );
}

#[test]
fn a_prompt_is_shown_though_its_line_has_no_end() {
    let folder = project();
    let mut child = filter()
        .current_dir(folder.path())
        .args([
            "--",
            "sh",
            "-c",
            "printf 'Name? '; read name; echo hello $name",
        ])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdout = child.stdout.take().unwrap();
    let mut prompt = [0; 6];
    stdout.read_exact(&mut prompt).unwrap();
    assert_eq!(&prompt, b"Name? ");
    child.stdin.take().unwrap().write_all(b"you\n").unwrap();
    let mut rest = String::new();
    stdout.read_to_string(&mut rest).unwrap();
    assert_eq!(rest, "hello you\n");
    assert!(child.wait().unwrap().success());
}

#[test]
fn a_daemon_left_behind_holds_nobody_up_and_never_sees_a_closed_pipe() {
    let folder = project();
    let script = format!(
        "{LONG}; (while [ ! -e go ]; do sleep 0.05; done; echo late && echo alive > proof) & exit 4"
    );
    let done = wrapped(folder.path(), &script);
    assert_eq!(done.status.code(), Some(4), "and the daemon still waits");
    fs::write(folder.path().join("go"), "").unwrap();
    eventually(|| folder.path().join("proof").exists());
    let log = logs(folder.path()).pop().unwrap();
    eventually(|| {
        fs::read_to_string(&log)
            .unwrap()
            .ends_with("line 199\nlate\n")
    });
}

#[test]
fn killing_the_filter_or_its_keeper_leaves_the_command_its_pipe() {
    let folder = project();
    let script = "echo ready; while [ ! -e go ]; do sleep 0.05; done; echo rest && echo alive > proof; exit 6";
    for keeper in [false, true] {
        let _ = fs::remove_file(folder.path().join("go"));
        let _ = fs::remove_file(folder.path().join("proof"));
        let mut child = filter()
            .current_dir(folder.path())
            .args(["--", "sh", "-c", script])
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap());
        let mut ready = String::new();
        lines.read_line(&mut ready).unwrap();
        let victim = if keeper {
            keeper_of(child.id())
        } else {
            Pid::from_child(&child)
        };
        rustix::process::kill_process(victim, Signal::KILL).unwrap();
        fs::write(folder.path().join("go"), "").unwrap();
        let mut rest = String::new();
        lines.read_to_string(&mut rest).unwrap();
        assert_eq!(rest, "rest\n", "keeper killed: {keeper}");
        eventually(|| folder.path().join("proof").exists());
        if keeper {
            assert_eq!(child.wait().unwrap().code(), Some(6));
        } else {
            child.wait().unwrap();
        }
    }
}

#[test]
fn the_clients_shells_keep_their_ways() {
    let folder = project();
    for shell in ["/bin/bash", "/usr/bin/zsh"] {
        if !Path::new(shell).exists() {
            crate::support::skip(format!("{shell} is not installed"));
            continue;
        }
        let run = |command: &str| in_shell(shell, folder.path(), command).output().unwrap();
        for command in [
            "cd / && pwd; false",
            "trap 'echo bye' EXIT; echo x; exit 7",
            "cat <<'END'\na $b\nEND\necho after | cat -n; exit 2",
            "exec sh -c 'echo replaced; exit 9'",
            "echo err >&2; printf 'no end'",
            "echo to-stderr > /dev/stderr; echo both | tee /dev/stderr; exit 1",
            "f() { return 3; }; f; echo $?",
            "bash -c 'echo nested; exit 8'",
        ] {
            let mut plain = Command::new(shell);
            let expected = plain
                .current_dir(folder.path())
                .args(["-c", command])
                .output()
                .unwrap();
            let done = run(command);
            assert_eq!(done.status, expected.status, "{shell}: {command}");
            assert_eq!(
                (text(&done.stdout), text(&done.stderr)),
                (text(&expected.stdout), text(&expected.stderr)),
                "{shell}: {command}"
            );
        }
        let long = run(&format!("{LONG}; exit 101"));
        assert_eq!(long.status.code(), Some(101));
        assert!(
            text(&long.stdout).contains("FAILED (exit 101)"),
            "{}",
            text(&long.stdout)
        );
        assert_eq!(run("kill -KILL $$").status.signal(), Some(9));
        let piped = run("cd . && printf 'FAIL x\n%.0s' $(seq 90) | tee all; cat all | tee all");
        let piped = text(&piped.stdout);
        assert!(
            piped.contains("(exit 0 of tee, the last of a pipeline)")
                || piped.contains("exit 0 of tee"),
            "{shell}: {piped}"
        );
        let raw = run(&format!("OUTPUT_FILTER=raw; {LONG}"));
        assert_eq!(text(&raw.stdout).lines().count(), 200);
    }
}

#[test]
fn the_environment_of_the_command_is_its_own() {
    let folder = project();
    let done = in_shell(
        "/bin/bash",
        folder.path(),
        "env | grep -c OVERNIGHT_FILTER_; :",
    )
    .output()
    .unwrap();
    assert_eq!(text(&done.stdout), "0\n");
}

#[test]
fn data_strings_of_hooks_and_a_switched_off_filter_go_straight_through() {
    let folder = project();
    fs::write(folder.path().join("data"), "x\n".repeat(300)).unwrap();
    let lines = |command: &mut Command| text(&command.output().unwrap().stdout).lines().count();
    assert_eq!(
        lines(&mut in_shell("/bin/bash", folder.path(), "cat data")),
        300
    );
    assert_eq!(
        lines(in_shell("/bin/bash", folder.path(), LONG).env("OUTPUT_FILTER_ENABLED", "false")),
        200
    );
    assert_eq!(
        lines(
            filter()
                .current_dir(folder.path())
                .env("OUTPUT_FILTER_ENABLED", "false")
                .args(["--", "sh", "-c", LONG])
        ),
        200
    );
    assert_eq!(
        lines(filter().current_dir(folder.path()).args(["shell", LONG])),
        200,
        "a shell-form hook"
    );
    let client = format!("eval '{LONG}' < /dev/null && pwd -P >| /dev/null");
    assert!(lines(filter().current_dir(folder.path()).args(["shell", &client])) <= 50);
}
