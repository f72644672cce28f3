use super::*;

#[test]
fn a_log_that_cannot_be_written_is_said_and_costs_nothing_else() {
    let long = format!("{LONG}; exit 7");
    let said = |done: &Output| {
        assert_eq!(done.status.code(), Some(7));
        assert!(
            text(&done.stdout).contains("FAILED (exit 7)"),
            "{}",
            text(&done.stdout)
        );
        assert!(
            text(&done.stderr).starts_with("ERROR [E9001]: log write failed"),
            "{}",
            text(&done.stderr)
        );
        assert_eq!(text(&done.stderr).lines().count(), 1);
    };
    let linked = project();
    let elsewhere = tempfile::tempdir().unwrap();
    std::os::unix::fs::symlink(elsewhere.path(), linked.path().join("logs")).unwrap();
    said(&wrapped(linked.path(), &long));
    assert_eq!(
        fs::read_dir(elsewhere.path()).unwrap().count(),
        0,
        "nothing is written through the link"
    );
    let file = project();
    fs::write(file.path().join("logs"), "a file").unwrap();
    said(&wrapped(file.path(), &long));
}

#[test]
fn a_full_disk_costs_the_log_only() {
    let folder = project();
    let logs = folder.path().join("logs");
    fs::create_dir(&logs).unwrap();
    let mount = Command::new("mount")
        .args(["-t", "tmpfs", "-o", "size=64k", "tmpfs"])
        .arg(&logs)
        .output();
    if !mount.is_ok_and(|done| done.status.success()) {
        return crate::support::skip("a small file system cannot be mounted");
    }
    let done = wrapped(
        folder.path(),
        "i=0; while [ $i -lt 3000 ]; do echo \"line $i of something long enough to fill it\"; i=$((i+1)); done; exit 7",
    );
    Command::new("umount").arg(&logs).status().unwrap();
    assert_eq!(done.status.code(), Some(7));
    assert!(
        text(&done.stdout).contains("FAILED (exit 7)") && text(&done.stdout).contains("line 2999"),
        "{}",
        text(&done.stdout)
    );
    assert!(
        text(&done.stderr).contains("No space left on device"),
        "{}",
        text(&done.stderr)
    );
}

#[test]
fn two_at_once_have_a_log_each() {
    let folder = project();
    let start = || {
        filter()
            .current_dir(folder.path())
            .args(["--", "sh", "-c", LONG])
            .stdout(Stdio::null())
            .spawn()
            .unwrap()
    };
    let mut both = [start(), start()];
    for child in &mut both {
        assert!(child.wait().unwrap().success());
    }
    assert_eq!(logs(folder.path()).len(), 2);
}

#[test]
fn bad_settings_are_named_by_tools_and_survived_by_the_shell() {
    let folder = project();
    for value in ["-1", "1e9", "50; rm -rf ~"] {
        let done = filter()
            .current_dir(folder.path())
            .env("MAX_OUTPUT_LINES", value)
            .args(["--", "true"])
            .output()
            .unwrap();
        assert_eq!(done.status.code(), Some(78));
        assert!(text(&done.stderr).contains("MAX_OUTPUT_LINES"));
        let done = in_shell("/bin/bash", folder.path(), "echo x; exit 5")
            .env("MAX_OUTPUT_LINES", value)
            .output()
            .unwrap();
        assert_eq!(
            (done.status.code(), text(&done.stdout)),
            (Some(5), "x\n".to_owned())
        );
    }
    let twenty = filter()
        .current_dir(folder.path())
        .env("MAX_OUTPUT_LINES", "20")
        .args(["--", "sh", "-c", LONG])
        .output()
        .unwrap();
    assert!(text(&twenty.stdout).lines().count() <= 20);
}

#[test]
fn binary_output_passes_unchanged() {
    let folder = project();
    let bytes: Vec<u8> = (0..200_000_u32)
        .map(|number| number.wrapping_mul(2_654_435_761).to_le_bytes()[3])
        .collect();
    fs::write(folder.path().join("picture"), &bytes).unwrap();
    let done = filter()
        .current_dir(folder.path())
        .args(["--", "cat", "picture"])
        .output()
        .unwrap();
    assert!(done.stdout == bytes);
}

#[test]
fn hostile_output_is_survived_within_the_budget() {
    let folder = project();
    let inputs: [Vec<u8>; 4] = [
        vec![b'x'; 20_000_000],
        b"\x1b[31m".repeat(1_000_000),
        b"step 1\rstep 2\r".repeat(100_000),
        b"\xff\xfe line \0 with odd bytes\n".repeat(1_000),
    ];
    for input in inputs {
        let done = piped(folder.path(), &[], &input);
        assert_eq!(done.status.code(), Some(0));
        let shown = text(&done.stdout);
        assert!(
            shown.lines().count() <= 50 && done.stdout.len() <= 8_000,
            "{}",
            shown.len()
        );
        let log = logs(folder.path()).pop().unwrap();
        assert!(fs::read(&log).unwrap() == input);
        fs::remove_file(log).unwrap();
    }
}
